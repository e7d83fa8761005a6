"""What the tests of the experiments on digits share: records of made-up numbers, verdicts on them, what a figure shows."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr
from judging import judged
from made_up import made_up_data
from matplotlib.colors import same_color
from rows import assert_row

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
    return xr.Dataset(data, {**axes, "epoch": ("step", EPOCHS)}, {"ridge": 1e-8, "kernel_samples": 6})


def assert_judged(verdict, measured, outcome, at=None):
    """The verdict, or its row at one place."""
    if at is not None:
        assert_row(verdict, at, measured, outcome)
        return
    assert verdict.measured == pytest.approx(measured, rel=1e-6)
    assert verdict.outcome == outcome


GAPS = ((0.64, "confirmed"), (0.62, "not decided"), (-0.62, "not decided"), (-0.64, "refuted"))
"""Mean differences of two seeds in points; differences 0.2 apart: Student's one-sided interval is 6.314 * 0.1 to each side."""


def assert_exceeds(judge, record, name, high, low, at=None, **where):
    """One network's values are judged to be above the other's by their difference in each seed, in percentage points."""
    for gap, outcome in GAPS:
        record[name].loc[{"net": low, **where}] = [0.5, 0.7]
        record[name].loc[{"net": high, **where}] = np.array([0.5, 0.7]) + (gap + np.array([-0.1, 0.1])) / 100
        assert_judged(judge(record), gap, outcome, at)


def assert_generalises(experiment, record, words, net, other, at=None):
    """Of the test accuracies the last record counts alone."""
    assert_exceeds(lambda one: judged(experiment, one, words), record, "test_accuracy", net, other, at, step=3)
    assert judged(experiment, record, words).kind == "claim"


def assert_smaller(experiment, record, words, net, other, at=None, name="nu", factor=1.0):
    """Judged by the log of the ratio in each seed, at the record where it is least sure; the first does not count."""
    for gap, outcome in GAPS:
        for step in (1, 3):
            record[name].loc[{"net": other}] = [[2.0], [4.0]]
            record[name].loc[{"net": net}] = factor * np.array([[9.0, 1e-3, 1e-3, 1e-3]] * 2)
            ratio = 10 ** -(gap + np.array([-0.1, 0.1]))
            record[name].loc[{"net": net, "step": step}] = factor * ratio * np.array([2.0, 4.0])
            assert_judged(judged(experiment, record, words), gap, outcome, at)


def assert_falls(experiment, record, words, at=None, name="nu", **where):
    """Judged by the log of the ratio of start to end in each seed; what is between does not count."""
    for gap, outcome in GAPS:
        ends = np.array([4.0, 2.0]) * 10 ** -(gap + np.array([-0.1, 0.1]))
        record[name].loc[where] = [[4.0, 9.0, 9.0, ends[0]], [2.0, 9.0, 9.0, ends[1]]]
        assert_judged(judged(experiment, record, words), gap, outcome, at)


def assert_curves(axes, values, names, start=0):
    """For each network, in the colour of its place, the mean over seeds and its standard error."""
    for at, (net, name) in enumerate(names.items()):
        rows = values.sel(net=net).values[:, start:]
        line = axes.lines[at]
        assert line.get_label() == name
        assert same_color(line.get_color(), f"C{at}")
        np.testing.assert_allclose(line.get_xdata(), EPOCHS[start:])
        np.testing.assert_allclose(line.get_ydata(), rows.mean(0))
        band = axes.collections[at].get_paths()[0].vertices
        ends = band[band[:, 0] == EPOCHS[2]][:, 1]
        one = rows[:, 2 - start]
        error = one.std(ddof=1) / np.sqrt(len(one))
        np.testing.assert_allclose([ends.min(), ends.max()], [one.mean() - error, one.mean() + error])


def decided(record, better, worse, accuracy=(0.99, 0.98), nu=(1331.4, 2533.6)):
    """Networks of which one is right on a point more and ends with a smaller ν, in both seeds alike."""
    record.nu[:] = 9000.0
    for net, right, last in zip((better, worse), accuracy, nu, strict=True):
        record.test_accuracy.loc[{"net": net, "step": 3}] = right
        record.nu.loc[{"net": net, "step": slice(1, None)}] = last
    return record


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
