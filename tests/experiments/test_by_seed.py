"""Trainings by seed: starts and keys depend on the seed alone, length scales on the order, and records have the grid's axes."""

from types import SimpleNamespace

import jax
import numpy as np
import pytest
import xarray as xr

from gatefield import Grid, Task
from gatefield.data import Gaussian
from gatefield.experiments.by_seed import gaussian_ends, train_by_seed
from gatefield.experiments.orders import sources
from gatefield.lab import MemoryBench

P = SimpleNamespace(
    n=6, seed=3, seeds=3, steps=2, batch_size=4, learning_rate=0.1, record_every=1, xi_long=2.0, xi_short=1.0, gains=(0.5, 3.0)
)
GRID = Grid(order=["long", "short"], gain=P.gains, seed=P.seeds)


def test_sources_have_the_length_scales_of_their_order_and_the_gain_of_their_run():
    positive, negative = sources(GRID, P)
    np.testing.assert_array_equal(GRID.fold(positive.xi)[:, 0, 0], [2.0, 1.0])
    np.testing.assert_array_equal(GRID.fold(negative.xi)[:, 0, 0], [1.0, 2.0])
    np.testing.assert_array_equal(GRID.fold(positive.gain)[0, :, 0], P.gains)
    np.testing.assert_array_equal(positive.gain, negative.gain)


class Recorder:
    """Keeps what would be trained."""

    def train(self, part, net, task, **settings):
        return SimpleNamespace(record=(net, settings))


@pytest.mark.wrong_types
def test_runs_of_one_seed_share_start_and_key():
    net, settings = train_by_seed(Recorder(), "sgd", Task(*sources(GRID, P)), GRID, P, units=2)
    starts = GRID.fold(net.weights)
    keys = GRID.fold(jax.random.key_data(settings["key"]))
    assert starts.shape == (2, 2, 3, 2, 6)
    for values in (starts, keys):
        np.testing.assert_array_equal(values, np.broadcast_to(values[:1, :1], values.shape))
        assert len(np.unique(values[0, 0].reshape(3, -1), axis=0)) == 3


@pytest.mark.wrong_types
def test_settings_of_the_network_and_of_the_training_are_handed_on():
    task, settings = Task(*sources(GRID, P, boundary="line")), {"loss": "cross-entropy", "optimizer": "adam"}
    net, found = train_by_seed(Recorder(), "sgd", task, GRID, P, net={"readout": "learned"}, training=settings)
    assert net.readout is not None
    assert (found["loss"], found["optimizer"], task.positive.boundary) == ("cross-entropy", "adam", "line")


def test_records_have_the_axes_of_the_grid():
    record = train_by_seed(MemoryBench(), "sgd", Task(*sources(GRID, P)), GRID, P, learning_rate=0.2)
    assert dict(record.fields.sizes) == {"order": 2, "gain": 2, "seed": 3, "step": 3, "unit": 1, "position": 6}
    assert float(record.time[-1]) == pytest.approx(0.4)
    fields = record.fields.values
    np.testing.assert_array_equal(fields[:, :, :, 0], np.broadcast_to(fields[:1, :1, :, 0], fields[:, :, :, 0].shape))


def test_gaussian_flow_of_each_run_has_its_own_covariances():
    # a flat field stays flat: with S = [[1, c], [c, 1]] and l = 1 + c its coefficient u = sqrt(2) w obeys
    # du/dt = sqrt(2 l1 / pi) / 4 - (l0 + l1) u / 4
    starts, time = np.array([[1.0], [0.3]]), 3.0
    fields = np.broadcast_to(starts[:, :, None, None, None], (2, 1, 2, 1, 2))
    record = xr.Dataset({"fields": (("gain", "seed", "step", "unit", "position"), fields)}, {"time": ("step", [0.0, time])})
    classes = Gaussian(2, [1.0, 2.0]), Gaussian(2, [0.5, 1.0])
    l1, l0 = (1 + np.asarray(source.covariance())[:, 0, 1] for source in classes)
    limit = np.sqrt(2 * l1 / np.pi) / (l0 + l1)
    expected = limit + (np.sqrt(2) * starts[:, 0] - limit) * np.exp(-(l0 + l1) * time / 4)
    np.testing.assert_allclose(np.sqrt(2) * gaussian_ends(record, classes)[:, 0, 1], expected, rtol=1e-5)
