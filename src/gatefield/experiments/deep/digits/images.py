"""Handwritten digits, and networks trained on them."""

from typing import Any

import xarray as xr
from pydantic import model_validator

from gatefield.core.errors import UserError
from gatefield.core.grid import Grid
from gatefield.data import Dataset, Images, mnist
from gatefield.data.images import COLLECTIONS, check_there
from gatefield.experiments.starts import Law, seed_keys
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Rate, Seed

PAIR, LABELS = (4, 7), (-1.0, 1.0)
WHOLE = 60_000
"""Training images of MNIST."""


class DigitSettings(Parameters):
    """What all trainings on digits share: RMSprop on batches that are shuffled anew each epoch.

    `samples`: at most so many training images. `init`: gaussian or bernoulli, with sigma = sqrt(2/fan-in). `records`: how
    often a training is recorded.
    """

    samples: Count = WHOLE
    epochs: Count = 100
    batch_size: Count = 128
    learning_rate: Rate = 1e-4
    init: Law = "gaussian"
    seeds: Count = 5
    records: Count = 20
    seed: Seed = 0

    @model_validator(mode="after")
    def _samples_are_there(self) -> "DigitSettings":
        if self.samples > WHOLE:
            raise UserError(
                f"samples must be at most {WHOLE}, which is all of MNIST, but is {self.samples}; write samples={WHOLE}."
            )
        return self


def images(p: DigitSettings) -> Images:
    """All ten classes."""
    return _at_most(all_digits(), p)


def two_digits(p: DigitSettings) -> Images:
    """The digits 4 and 7, labels -1 and 1."""
    return _at_most(all_digits().pair(PAIR, LABELS), p)


def all_digits() -> Images:
    """All of MNIST, if it is there: nothing is fetched unasked."""
    check_there(COLLECTIONS["mnist"])
    return mnist()


def training_steps(task: Dataset, p: DigitSettings) -> int:
    """As many as make up the epochs."""
    return max(1, round(p.epochs * task.size / p.batch_size))


def fit(
    bench: Bench, part: str, net: Any, task: Dataset, p: DigitSettings, *, learning_rate: Any = None, **settings: Any
) -> tuple[Any, xr.Dataset]:
    """The trained network, and the record of its training with axes (seed, step, ...) and the coordinate `epoch`."""
    steps = training_steps(task, p)
    trained, record = bench.train(
        part,
        net,
        task,
        steps=steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate if learning_rate is None else learning_rate,
        optimizer="rmsprop",
        record_every=-(-steps // p.records),
        key=seed_keys(p)[1],
        runs=Grid(seed=p.seeds),
        **settings,
    )
    epoch = ("step", record.step.values * p.batch_size / task.size, {"long_name": "epoch"})
    return trained, record.drop_vars("time").assign_coords(epoch=epoch)


def measured(record: xr.Dataset) -> xr.Dataset:
    """The numbers of a training that an experiment keeps, without what describes this one training alone."""
    return record[["loss", "train_accuracy", "test_loss", "test_accuracy"]].drop_attrs(deep=False)


def _at_most(found: Images, p: DigitSettings) -> Images:
    return found if len(found.y) <= p.samples else found.subset(p.samples, seed=p.seed)
