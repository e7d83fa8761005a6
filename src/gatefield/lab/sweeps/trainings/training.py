"""A plain training, described by tables: a network, two sources, and how it is trained."""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
import pydantic

from gatefield.core.errors import UserError, unknown_name
from gatefield.core.runs import run_count
from gatefield.core.text.quoted import quoted
from gatefield.data import Task
from gatefield.dynamics import LossName, OptimizerName, Precision
from gatefield.lab import kinds
from gatefield.lab.experiment import Parameters
from gatefield.lab.parameters import one_sentence
from gatefield.lab.sweeps.trainings.objects import complete, made
from gatefield.nets import Network

_OBJECTS = ("network", "positive", "negative")
_LATER = ("antithetic", "precision", "shared_stream", "stream_seed")


class Training(Parameters):
    """What a training is made of, as TOML has it under `[training]`.

    `network`, `positive` and `negative` are tables of a public kind and its arguments; the network takes its number of inputs
    from the sources, and its start from the seed. The rest is as for `gatefield.train` and `gatefield.Task`; with
    `shared_stream` all points with the same `stream_seed` are trained on the same random numbers, whatever their seeds.
    """

    network: dict[str, Any]
    positive: dict[str, Any]
    negative: dict[str, Any]
    steps: kinds.Count
    batch_size: kinds.Count
    learning_rate: kinds.Rate
    labels: tuple[float, float] = (1.0, 0.0)
    proportion: float = 0.5
    stratified: bool = True
    optimizer: OptimizerName = "sgd"
    loss: LossName = "mse"
    record_every: kinds.Count | None = None
    seed: kinds.Seed = 0
    antithetic: bool = False
    precision: Precision = "float32"
    shared_stream: bool = False
    stream_seed: kinds.Seed = 0

    def chosen(self) -> dict[str, Any]:
        """All entries but those of `OPTIONS` that are as they are by default: points that do not use them have the id that they
        had before there were such."""
        return {name: value for name, value in self.model_dump().items() if name not in OPTIONS or value != OPTIONS[name]}


OPTIONS = {name: Training.__pydantic_fields__[name].default for name in _LATER}
"""Entries that are no part of a point's id where they are as here."""


def read_training(table: Mapping[str, Any]) -> Training:
    """A training from a table, with all defaults, those of its kinds too; nothing is made yet.

    >>> source = {"kind": "Gaussian", "n": 8, "xi": 2.0}
    >>> settings = {"steps": 10, "batch_size": 5, "learning_rate": 0.1}
    >>> table = {"network": {"kind": "Committee", "K": 1}, "positive": source, "negative": source, **settings}
    >>> read_training(table).positive["boundary"]
    'ring'
    """
    _check_names(table)
    whole = {name: complete(table[name], name) for name in _OBJECTS}
    if "n" in table["network"]:
        raise UserError("The network of a sweep takes its number of inputs from the sources: leave n out of it.")
    try:
        training = Training(**table)
    except pydantic.ValidationError as error:
        raise one_sentence(error, Training) from None
    _check_stream(training)
    return training.model_copy(update=whole)


def _check_names(table: Mapping[str, Any]) -> None:
    fields = Training.__pydantic_fields__
    for name in table:
        if name not in fields:
            raise unknown_name("entry of the training", name, fields)
    for name, field in fields.items():
        if field.is_required() and name not in table:
            raise UserError(f"The training has no '{name}': write it under [training], or let an axis set it.")


def _check_stream(training: Training) -> None:
    if training.shared_stream and training.precision != "float32":
        raise UserError(
            f"precision = {training.precision!r} makes the samples of each run by themselves, so that it does not go with "
            "shared_stream = true: leave one of them out."
        )
    if training.stream_seed and not training.shared_stream:
        raise UserError(
            f"stream_seed = {training.stream_seed} chooses the stream of shared_stream = true: write that too, or leave "
            "stream_seed out."
        )


def task_of(training: Training) -> Task:
    """Its task."""
    positive, negative = made(training.positive, "positive"), made(training.negative, "negative")
    how = {name: getattr(training, name) for name in ("proportion", "stratified", "antithetic")}
    task = Task(positive, negative, training.labels, **how)
    return _single(task, "task")


def network_of(training: Training, n: int, seeds: Sequence[int]) -> Network:
    """Its network with a run for each seed."""
    return made(training.network, "network", n=n, key=keys(seeds, 0))


def settings_of(training: Training) -> dict[str, Any]:
    """How it is trained, as `gatefield.train` takes it; the key only if it is that of a stream that all runs share."""
    names = ("steps", "batch_size", "learning_rate", "optimizer", "loss", "record_every", "precision", "shared_stream")
    settings = {name: getattr(training, name) for name in names}
    return {**settings, "key": key_words([training.stream_seed])[0]} if training.shared_stream else settings


def keys(seeds: Sequence[int], use: int) -> jax.Array:
    """The keys that follow from seeds: of starts (use 0) and of trainings (use 1).

    >>> bool(keys([7], 1)[0] == jax.random.fold_in(jax.random.key(7), 1))
    True
    """
    return jax.vmap(lambda seed: jax.random.fold_in(jax.random.key(seed), use))(np.asarray(seeds, np.uint32))


def key_words(seeds: Sequence[int]) -> np.ndarray:
    """The keys of trainings, as numbers."""
    return np.asarray(jax.random.key_data(keys(seeds, 1)))


def _single(task: Task, what: str) -> Task:
    runs = run_count(task)
    if runs is not None:
        raise UserError(
            f"The {what} of a point is one, but {quoted(task)} stands for {runs} runs: give one number, and list others as an "
            f"axis."
        )
    return task
