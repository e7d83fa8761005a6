"""The ring task of `rotation-invariance`: does a ramp rise or fall?"""

from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from gatefield.core.errors import UserError
from gatefield.lab import Parameters
from gatefield.lab.kinds import Count, Rate, Seed, Several

PAIR, TRAINING_SETS, PLACES, TEST_SETS = 5, 6, 7, 8
"""Streams of inputs, `default_rng([seed, stream, ...])`: the two ramps of the moments, training and test sets of each seed, and
places of ramps. No two share numbers."""
DRAWS, NETWORKS, BATCHES = 1, 2, 3
"""Streams of keys, `fold_in(key(seed), stream)`: networks of the moments, networks to train, and trainings. The gating network
of the moments has the key itself. No two draw the same numbers."""


class RingSettings(Parameters):
    """A ring of `positions` with a ramp of `length` of them, in normal noise of size `noise`; `layers` convolutions.

    `draws`, `channels`: networks sampled for the moments, and their channels. `train_channels`: channels of the networks that
    are trained, by Adam on all `samples` at each step; accuracies are those on `test_samples` others.
    """

    positions: Annotated[Several, Field(ge=3)] = 24
    length: Several = 6
    noise: Rate = 0.2
    kernel_size: Count = 3
    layers: Count = 3
    channels: Count = 4
    draws: Several = 200_000
    train_channels: Count = 16
    samples: Several = 400
    test_samples: Several = 400
    steps: Count = 600
    learning_rate: Rate = 3e-3
    seeds: Count = 10
    seed: Seed = 0

    @model_validator(mode="after")
    def _ramps_fit(self) -> "RingSettings":
        if 2 * self.length > self.positions:
            raise UserError(
                f"length must be at most half of the {self.positions} positions, so that ramps can be moved to where none was, "
                f"but is {self.length}; write length={self.positions // 2}."
            )
        return self


def ramps(rng: np.random.Generator, samples: int, p: RingSettings) -> tuple[np.ndarray, np.ndarray]:
    """Inputs (samples, positions) with a ramp from position 0 on, and labels: 1 if it rises, -1 if it falls, half of each.

    >>> x, y = ramps(np.random.default_rng(0), 2, RingSettings(positions=6, length=3, noise=1e-9))
    >>> np.abs(x.round(2)), y
    (array([[0.33, 0.67, 1.  , 0.  , 0.  , 0.  ],
           [1.  , 0.67, 0.33, 0.  , 0.  , 0.  ]]), array([ 1., -1.]))
    """
    y = np.where(np.arange(samples) % 2 == 0, 1.0, -1.0)
    rising = np.arange(1, p.length + 1) / p.length
    x = p.noise * rng.standard_normal((samples, p.positions))
    x[:, : p.length] += np.where(y[:, None] > 0, rising, rising[::-1])
    return x, y


def rotate(x: np.ndarray, rotations: np.ndarray) -> np.ndarray:
    """Each input turned by its own rotation: x(i + r) at i; inputs (..., samples, positions), rotations (..., samples).

    >>> rotate(np.array([[1, 2, 3], [1, 2, 3]]), np.array([0, 1]))
    array([[1, 2, 3],
           [2, 3, 1]])
    """
    n = x.shape[-1]
    return np.take_along_axis(x, (np.arange(n) + np.asarray(rotations)[..., None]) % n, -1)
