"""The conditions of training that are changed, one at a time."""

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import optax

from gatefield.experiments.fields.training import MOMENTUM, Conditions

LAST_RATE = 0.01
"""The learning rate falls to this part of itself, so that the noise of the batches does not spread the final fields."""


class Change(NamedTuple):
    """What is not as in the baseline, and the factor on the learning rate."""

    words: str
    conditions: Conditions = Conditions()
    rate: float = 1.0


# Rates are such that each training is stable and as fast as it can be: a learned readout and cross-entropy turn a field
# slower, by a/|w| and by the slope 1/4 of the logistic function; momentum makes ten steps of one.
CHANGES: Mapping[str, Change] = MappingProxyType(
    {
        "baseline": Change("baseline"),
        "line": Change("open line", Conditions(boundary="line")),
        "basis": Change("basis-vector start", Conditions(init="basis")),
        "normal": Change("standard normal start", Conditions(init="normal")),
        "readout": Change("learned readout", Conditions(readout="learned"), rate=5.0),
        "momentum": Change("momentum", Conditions(optimizer="momentum"), rate=1 - MOMENTUM),
        "adam": Change("Adam", Conditions(optimizer="adam"), rate=0.03),
        "bias": Change("output bias", Conditions(output_bias=True), rate=2.0),
        "cross-entropy": Change("cross-entropy and output bias", Conditions(output_bias=True, loss="cross-entropy"), rate=10.0),
        "entropy-alone": Change("cross-entropy, no bias", Conditions(loss="cross-entropy"), rate=5.0),
    }
)
"""By their names in the record; the first one is the baseline, from which each other differs in what its words say."""


def learning_rate(change: Change, rate: float, steps: int) -> Any:
    """What the training of a condition takes as its learning rate, if that of the baseline begins at `rate`."""
    return falling(rate * change.rate, steps)


@functools.cache  # one function for one schedule: trainings that differ in their start only are compiled once
def falling(rate: float, steps: int) -> optax.Schedule:
    """A learning rate that falls along half a wave of the cosine."""
    return optax.cosine_decay_schedule(rate, steps, LAST_RATE)
