"""What the tests of the experiments on digits share: records of made-up numbers, verdicts on them, what a figure shows."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr
from judging import judged
from made_up import made_up_data
from matplotlib.colors import same_color

from gatefield.lab import MemoryBench

EPOCHS = [0.0, 4.0, 9.0, 15.0]
SMALL = {"width": 4, "depth": 3, "kernel_samples": 6, "seeds": 2, "epochs": 1, "batch_size": 60, "records": 2}
"""The smallest training of a network on two digits: two steps."""


def made(nets, names=("loss", "test_accuracy", "nu", "trace", "least"), axes=None, seeds=2):
    """Numbers from 0.2 to 0.9 that are all different, so that one cannot stand for another; the ridge is 1e-8."""
    rng = np.random.default_rng(0)
    axes = {**(axes or {}), "net": list(nets), "seed": range(seeds), "step": range(4)}
    shape = tuple(map(len, axes.values()))
    data = {name: (tuple(axes), rng.uniform(0.2, 0.9, shape)) for name in names}
    return xr.Dataset(data, {**axes, "epoch": ("step", EPOCHS)}, {"ridge": 1e-8})


def assert_judged(verdict, measured, outcome, expected=None):
    assert verdict.measured == pytest.approx(measured, rel=1e-6)
    assert verdict.outcome == outcome
    if expected is not None:
        assert verdict.predicted == expected


GAPS = ((0.64, "confirmed"), (0.62, "not decided"), (-0.62, "not decided"), (-0.64, "refuted"))
"""Mean differences of two seeds in points; differences 0.2 apart: Student's one-sided interval is 6.314 * 0.1 to each side."""


def assert_exceeds(judge, record, name, high, low, **where):
    """One network's values are judged to be above the other's by their difference in each seed, in percentage points."""
    for gap, outcome in GAPS:
        record[name].loc[{"net": low, **where}] = [0.5, 0.7]
        record[name].loc[{"net": high, **where}] = np.array([0.5, 0.7]) + (gap + np.array([-0.1, 0.1])) / 100
        assert_judged(judge(record), gap, outcome, 0.0)


def assert_generalises(experiment, record, words, net, other):
    """Of the test accuracies the last record counts alone."""
    assert_exceeds(lambda one: judged(experiment, one, words), record, "test_accuracy", net, other, step=3)
    assert judged(experiment, record, words).kind == "claim"


def assert_smaller(experiment, record, words, net, other, name="nu", factor=1.0):
    """Judged by the ratio of means over seeds, at the record where it is largest; the first does not count."""
    for ratio, at in ((0.99, 1), (1.01, 1), (0.99, 3), (1.01, 3)):
        record[name].loc[{"net": other}] = 3.0 * np.array([[2.0], [4.0]])
        record[name].loc[{"net": net}] = factor * np.array([[9.0, 0.5, 0.5, 0.5]] * 2) * 3.0 * np.array([[5.0], [1.0]])
        record[name].loc[{"net": net, "step": at}] = factor * ratio * 3.0 * np.array([5.0, 1.0])
        assert_judged(judged(experiment, record, words), ratio, "confirmed" if ratio < 1 else "refuted", 1.0)


def assert_falls(experiment, record, words, name="nu", **where):
    """Judged by the ratio of end to start in the seed where it is largest; what is between does not count."""
    for ratio in (0.99, 1.01):
        record[name].loc[where] = [[4.0, 9.0, 9.0, 1.0], [2.0, 9.0, 9.0, 2.0 * ratio]]
        assert_judged(judged(experiment, record, words), ratio, "confirmed" if ratio < 1 else "refuted", 1.0)


def assert_ridge(experiment, record):
    """The ridge, or 1e-6 for rounding, is at most a hundredth of the smallest eigenvalue of all."""
    for ridge, small in ((1e-8, 1e-6), (1e-5, 1e-5)):
        for ratio in (1 / 101, 1 / 99):
            record.least[{"net": -1, "seed": 1, "step": 2}] = small / ratio
            found = judged(experiment, record.assign_attrs(ridge=ridge), "the ridge and rounding")
            assert_judged(found, ratio, "confirmed" if ratio < 0.01 else "off", 0.0)
            assert found.kind == "control"


def assert_curves(axes, values, names, start=0):
    """For each network, in the colour of its place, the mean over seeds and their range."""
    for at, (net, name) in enumerate(names.items()):
        rows = values.sel(net=net).values[:, start:]
        line = axes.lines[at]
        assert line.get_label() == name
        assert same_color(line.get_color(), f"C{at}")
        np.testing.assert_allclose(line.get_xdata(), EPOCHS[start:])
        np.testing.assert_allclose(line.get_ydata(), rows.mean(0))
        band = axes.collections[at].get_paths()[0].vertices
        ends = band[band[:, 0] == EPOCHS[2]][:, 1]
        np.testing.assert_allclose([ends.min(), ends.max()], [rows[:, 2 - start].min(), rows[:, 2 - start].max()])


class Watching(MemoryBench):
    """Trains, and remembers by part: the network before and after, the task, settings, and the record."""

    def __init__(self):
        super().__init__()
        self.nets, self.tasks, self.settings, self.trained, self.records = {}, {}, {}, {}, {}

    def train(self, part, net, task, **settings):
        self.nets[part], self.tasks[part], self.settings[part] = net, task, settings
        found = super().train(part, net, task, **settings)
        self.trained[part], self.records[part] = found
        return found


def simulated(experiment, **parameters):
    """The record of a training on made-up images, and the bench that it was made on."""
    bench = Watching()
    with made_up_data():
        return experiment.simulate(experiment.Parameters(**parameters), bench), bench


def assert_gathered(record, bench, nets):
    """Each network's numbers are those of its own training; batches have keys of their own, networks others."""
    assert set(record.net.values) == set(bench.nets) == set(nets)
    for net in nets:
        np.testing.assert_array_equal(record.loss.sel(net=net), bench.records[net].loss)
        np.testing.assert_array_equal(record.test_accuracy.sel(net=net), bench.records[net].test_accuracy)
    for settings in bench.settings.values():
        _, batches = jax.random.split(jax.random.key(0))
        assert jnp.all(settings["key"] == jax.random.split(batches, 2))
    np.testing.assert_array_equal(record.step, [0, 1, 2])
    np.testing.assert_allclose(record.epoch, [0.0, 0.5, 1.0])  # 120 images in batches of 60
    assert record.attrs == {"ridge": 1e-8, "kernel_samples": 6}
