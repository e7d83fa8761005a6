"""What an experiment trains: kept while its record is made, for tests of its design."""

from typing import Any, NamedTuple

import jax
import numpy as np
import xarray as xr

from gatefield.core.grid import Grid
from gatefield.lab import MemoryBench
from gatefield.nets import Committee


class Part(NamedTuple):
    """One training: what it was given, and its record."""

    net: Any
    task: Any
    settings: dict[str, Any]
    record: xr.Dataset
    end: Any
    """The network at the end, where it was kept."""

    @property
    def grid(self) -> Grid:
        return self.settings["runs"]

    def fold(self, values: Any) -> np.ndarray:
        """Values with the axes of the grid; what all runs have in common is repeated."""
        values = np.asarray(values)
        return self.grid.fold(np.broadcast_to(values, (len(self.grid),)) if values.ndim == 0 else values)

    @property
    def keys(self) -> np.ndarray:
        return self.fold(jax.random.key_data(self.settings["key"]))


class Watched(MemoryBench):
    """A bench that remembers its parts."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: dict[str, Part] = {}

    def train(self, part, net, task, **settings):
        training = super().train(part, net, task, **settings)
        self.parts[part] = Part(net, task, settings, training.record, training.net)
        return training


def assert_settings(part, p, *, learning_rate=None, steps=None, batch_size=None, record_every=None):
    """Those of the parameters, but for those given."""
    given = {"learning_rate": learning_rate, "steps": steps, "batch_size": batch_size, "record_every": record_every}
    for name, value in given.items():
        wanted = getattr(p, name) if value is None else value
        np.testing.assert_allclose(part.settings[name], wanted, err_msg=name)


def assert_classes(part, xi1, xi0, gain=None, labels=(1.0, 0.0)):
    """Length scales and gains of both classes, along the axes of the grid; and the labels."""
    for source, xi in ((part.task.positive, xi1), (part.task.negative, xi0)):
        shape = part.grid.shape
        np.testing.assert_allclose(part.fold(source.xi), np.broadcast_to(xi, shape))
        if gain is not None:
            np.testing.assert_allclose(part.fold(source.gain), np.broadcast_to(gain, shape))
    np.testing.assert_allclose([np.unique(label).item() for label in part.task.labels], labels)


def assert_by_seed(part, fields=None):
    """Fields at the start and keys depend on the last axis of the grid alone, the seed; those of two seeds differ.

    Starts are not those that the keys of training give.
    """
    for values in (part.fold(part.net.fields if fields is None else fields), part.keys):
        lead = len(part.grid.shape) - 1
        first = values[(0,) * lead]
        np.testing.assert_array_equal(values, np.broadcast_to(first, values.shape))
        assert len(np.unique(first.reshape(len(first), -1), axis=0)) == len(first)
    if isinstance(part.net, Committee):
        units, n = part.net.fields.shape[-2:]
        assert not np.isin(part.net.fields, Committee(n, units, key=part.settings["key"]).fields).any()
