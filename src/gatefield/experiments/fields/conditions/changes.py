"""The conditions of training that are changed, one at a time."""

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import jax
import optax
from jaxtyping import Array, Float, PRNGKeyArray

NOTHING: Mapping[str, Any] = MappingProxyType({})
LAST_RATE = 0.01
"""The learning rate falls to this part of itself, so that the noise of the batches does not spread the final fields."""
MOMENTUM = 0.9
"""Of the optimiser `"momentum"`: a step of it goes 1/(1 - 0.9) times as far in the end."""


def standard_normal(key: PRNGKeyArray, units: int, n: int, scale: float) -> Float[Array, "units n"]:
    """Independent N(0, scale²)."""
    return scale * jax.random.normal(key, (units, n))


class Change(NamedTuple):
    """What is not as in the baseline: of the data, of the network, of the training; and the factor on the learning rate.

    `falls`: whether the rate falls, or keeps the mean of what it would be.
    """

    words: str
    rate: float = 1.0
    falls: bool = True
    boundary: str = "ring"
    net: Mapping[str, Any] = NOTHING
    training: Mapping[str, Any] = NOTHING


# Rates are such that each training is stable and as fast as it can be: a learned readout and cross-entropy turn a field
# slower, by a/|w| and by the slope 1/4 of the logistic function; momentum makes ten steps of one. On the open line the rate
# does not fall: with one that does, trainings were seen to stop for good on two cores with jaxlib 0.10; why is not known.
CHANGES: Mapping[str, Change] = MappingProxyType(
    {
        "baseline": Change("baseline"),
        "line": Change("open line", falls=False, boundary="line"),
        "basis": Change("basis-vector start", net={"init": "basis"}),
        "normal": Change("standard normal start", net={"init": standard_normal}),
        "readout": Change("learned readout", rate=5.0, net={"readout": "learned"}),
        "momentum": Change("momentum", rate=1 - MOMENTUM, training={"optimizer": "momentum"}),
        "adam": Change("Adam", rate=0.03, training={"optimizer": "adam"}),
        "bias": Change("output bias", rate=2.0, net={"output_bias": True}),
        "cross-entropy": Change(
            "cross-entropy and output bias", rate=10.0, net={"output_bias": True}, training={"loss": "cross-entropy"}
        ),
        "entropy-alone": Change("cross-entropy, no bias", rate=5.0, training={"loss": "cross-entropy"}),
    }
)
"""By their names in the record; the first one is the baseline, from which each other differs in what its words say."""


def learning_rate(change: Change, rate: float, steps: int) -> Any:
    """What the training of a condition takes as its learning rate, if that of the baseline begins at `rate`."""
    return falling(rate * change.rate, steps) if change.falls else rate * change.rate * (1 + LAST_RATE) / 2


@functools.cache  # one function for one schedule: trainings that differ in their start only are compiled once
def falling(rate: float, steps: int) -> optax.Schedule:
    """A learning rate that falls along half a wave of the cosine."""
    return optax.cosine_decay_schedule(rate, steps, LAST_RATE)
