"""Verdicts, figure and trainings of `mnist-galu`; what is wrong with its parameters, and what if MNIST is missing."""

import digit_records as records
import numpy as np
import pytest
from judging import told
from matplotlib.colors import same_color
from rows import row

from gatefield import UserError
from gatefield.experiments.deep.mnist_galu import NETS, Settings, experiment
from gatefield.lab import MemoryBench, headline, resolve

TASKS = {"true": "true labels", "labels": "random labels", "pixels": "random pixels"}
PAPER_SIZE = {"samples": 60_000, "widths": [512, 512, 256, 256, 128, 64]}


def made(end=50.0, **size):
    """A record of the paper's size."""
    record = records.made(["galu", "relu"], ("train_accuracy", "test_accuracy"), {"task": list(TASKS)})
    early = np.random.default_rng(1).uniform(0.2, 0.9, (3, 2, 2, 5))
    record["early_accuracy"] = ("task", "net", "seed", "early_step"), early
    epochs = {"epoch": ("step", [0.0, 4.0, 9.0, end]), "early_epoch": ("early_step", [0.0, 0.5, 1.0, 1.5, 2.0])}
    return record.assign_coords(epochs).assign_attrs(PAPER_SIZE | size)


BETTER, FASTER, AT_FIRST, NEAR, FITS = range(5)
"""The places of the verdicts."""


def test_on_test_images_with_true_labels_relu_is_compared_with_galu():
    records.assert_exceeds(
        lambda record: experiment.verdicts(record)[BETTER], made(), "test_accuracy", "relu", "galu", step=3, task="true"
    )
    assert [v.kind for v in experiment.verdicts(made())] == [*["claim"] * 3, *["reproduction"] * 2]


@pytest.mark.parametrize(("task", "name"), TASKS.items())
def test_galu_trains_faster_by_the_mean_over_all_records(task, name):
    """Four records: a difference at one of them counts by a quarter."""
    for gap, outcome in records.GAPS:
        record = made()
        record.train_accuracy.loc[{"task": task, "net": "galu"}] = record.train_accuracy.sel(task=task, net="relu").values
        record.train_accuracy.loc[{"task": task, "net": "galu", "step": 1}] += 4 * (gap + np.array([-0.1, 0.1])) / 100
        records.assert_judged(experiment.verdicts(record)[FASTER], gap, outcome, name)


@pytest.mark.parametrize(("task", "name"), TASKS.items())
def test_galu_trains_faster_at_first_by_the_mean_over_the_early_looks(task, name):
    """Four looks after the start: a difference at one of them counts by a quarter, and one at the start not at all."""
    for gap, outcome in records.GAPS:
        record = made()
        early = record.early_accuracy
        early.loc[{"task": task, "net": "galu"}] = early.sel(task=task, net="relu").values
        early.loc[{"task": task, "net": "galu", "early_step": 2}] += 4 * (gap + np.array([-0.1, 0.1])) / 100
        early.loc[{"task": task, "net": "relu", "early_step": 0}] = 0.99
        found = experiment.verdicts(record)[AT_FIRST]
        records.assert_judged(found, gap, outcome, name)
        assert f"ahead in {0.25 if gap > 0 else 0.0:.0%} of looks" in row(found, name).rule


def test_records_without_early_looks_are_drawn_and_judged_but_for_these():
    record = made().drop_vars(["early_accuracy", "early_epoch"])
    found = experiment.verdicts(record)
    assert [at for at, v in enumerate(found) if not v.bounds] == [AT_FIRST]
    assert found[AT_FIRST].why == "the record has no looks within the first epochs; run it again"
    assert len(experiment.figure(record).axes) == 4


@pytest.mark.parametrize(("net", "paper"), [("galu", 96.5), ("relu", 98.5)])
def test_test_accuracies_are_laid_beside_the_papers(net, paper):
    for away, outcome in ((0.99, "holds"), (1.01, "missed"), (-0.99, "holds"), (-1.01, "missed")):
        record = made()
        record.test_accuracy[{"step": 2}] = 1.0  # only the end counts
        record.test_accuracy.loc[{"task": "true", "net": net, "step": 3}] = (paper + away + np.array([-0.3, 0.3])) / 100
        found = experiment.verdicts(record)[NEAR]
        records.assert_judged(found, paper + away, outcome, NETS[net])
        assert row(found, NETS[net]).predicted == paper


@pytest.mark.parametrize(("task", "name"), TASKS.items())
@pytest.mark.parametrize("net", NETS)
def test_the_worst_network_and_seed_come_close_to_all_of_the_training_set(task, name, net):
    for worst, outcome in ((0.9901, "holds"), (0.9899, "missed")):
        record = made()
        record.train_accuracy[{"step": 2}] = 1.0  # only the end counts
        record.train_accuracy.loc[{"task": task, "step": 3}] = 0.995
        record.train_accuracy.loc[{"task": task, "net": net, "seed": 1, "step": 3}] = worst
        records.assert_judged(experiment.verdicts(record)[FITS], 100 * worst, outcome, name)


@pytest.mark.parametrize("size", [{"samples": 59_999}, {"widths": [512, 512, 256, 256, 128, 32]}, {"end": 49.9}])
def test_smaller_trainings_are_not_laid_beside_the_paper(size):
    assert len(told(experiment, made())) == len(experiment.verdicts(made(**size))) == 5
    assert [v.kind for v in told(experiment, made(**size))] == ["claim"] * 3


def test_figure_shows_each_task_and_the_papers_numbers():
    record = made(end=records.EPOCHS[-1])
    test, *panels, early, ahead = experiment.figure(record).axes
    for axes, task in zip(panels, TASKS, strict=True):
        records.assert_curves(axes, 100 - 100 * record.train_accuracy.sel(task=task), NETS, start=1)
    records.assert_curves(test, 100 - 100 * record.test_accuracy.sel(task="true"), NETS, start=1)
    for at, paper in enumerate((96.5, 98.5)):
        line = test.lines[2 + at]
        np.testing.assert_allclose(line.get_ydata(), 100 - paper)
        assert same_color(line.get_color(), f"C{at}")
    low, high = test.get_ylim()
    assert low < 1.5 < 3.5 < high
    first = 100 * record.early_accuracy.values
    for at, line in enumerate(early.lines):
        np.testing.assert_allclose(line.get_xydata(), np.transpose([record.early_epoch, 100 - first[0, at].mean(0)]))
    gaps = first[:, 0] - first[:, 1]
    for at, (task, line) in enumerate(zip(TASKS.values(), ahead.lines, strict=False)):
        assert line.get_label() == f"(f) {task}"
        np.testing.assert_allclose(line.get_ydata(), gaps[at].mean(0))
        band = ahead.collections[at].get_paths()[0].vertices
        ends, half = band[band[:, 0] == 1.0][:, 1], 12.7062 * np.ptp(gaps[at, :, 2]) / 2
        np.testing.assert_allclose([ends.min(), ends.max()], gaps[at, :, 2].mean() + half * np.array([-1, 1]), rtol=1e-4)


def test_errors_that_are_none_are_drawn_at_the_end_of_the_axis():
    record = made()
    record.train_accuracy[:] = 1.0
    panel = experiment.figure(record).axes[1]
    np.testing.assert_allclose(panel.lines[0].get_ydata(), 0.01)
    assert [text.get_text() for text in panel.texts] == ["<0.01"] * 2


@pytest.mark.slow
def test_each_task_is_trained_on_its_own_images_from_the_same_weights():
    small = {"widths": (4, 3), "epochs": 2, "batch_size": 300, "seeds": 2, "records": 2, "early_epochs": 1}
    record, bench = records.simulated(experiment, **small)
    parts = [f"{task}-{net}" for task in TASKS for net in NETS]
    assert set(bench.nets) == {*parts, *(f"{part}-early" for part in parts)}
    for part in parts:
        (task, gating), net = part.split("-"), bench.nets[part]
        one = record.sel(task=task, net=gating)
        np.testing.assert_array_equal(one.early_accuracy, bench.records[f"{part}-early"].train_accuracy)
        np.testing.assert_array_equal(one.early_accuracy[:, [0, 2]], one.train_accuracy[:, [0, 1]])  # the same training
        np.testing.assert_array_equal(one.train_accuracy, bench.records[part].train_accuracy)
        np.testing.assert_array_equal(one.test_accuracy, bench.records[part].test_accuracy)
        assert (net.gating, net.widths, bench.settings[part]["loss"]) == (gating, (4, 3), "cross-entropy")
        assert net.weights[-1].shape == (2, 3, 10)
        for mine, first in zip(net.weights, bench.nets["true-galu"].weights, strict=True):
            np.testing.assert_array_equal(mine, first)
    true, labels, pixels = (bench.tasks[f"{task}-relu"] for task in TASKS)
    assert np.array_equal(true.x, labels.x)
    assert not np.array_equal(true.y, labels.y)
    assert np.array_equal(true.y, pixels.y)
    assert not np.array_equal(true.x, pixels.x)
    np.testing.assert_allclose(record.epoch, [0.0, 1.0, 2.0])  # 600 images in batches of 300
    np.testing.assert_allclose(record.early_epoch, [0.0, 0.5, 1.0])
    assert record.attrs == {"samples": 60_000, "widths": [4, 3]}


def test_without_mnist_the_way_out_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("GATEFIELD_DATA", str(tmp_path))
    with pytest.raises(
        UserError, match=r"The data set mnist is not in .*: run `gatefield data mnist` .* or set GATEFIELD_DATA"
    ) as caught:
        experiment.simulate(Settings(), MemoryBench())
    assert "\n" not in str(caught.value)


def test_wrong_sizes_are_one_sentence():
    with pytest.raises(
        UserError, match="samples must be at most 60000, which is all of MNIST, but is 60001; write samples=60000"
    ):
        resolve(experiment, "full", {"samples": 60_001})
    with pytest.raises(UserError, match="widths must have at least 1 value, but has 0"):
        resolve(experiment, "full", ["widths=[]"])


def test_the_numbers_of_the_headline_stand_in_the_panels():
    record = made()
    for net, test, noise in (("galu", 0.965, 0.9999), ("relu", 0.983, 0.976)):
        record.test_accuracy.loc[{"task": "true", "net": net, "step": 3}] = test
        record.train_accuracy.loc[{"net": net}] = 0.3 if net == "relu" else 0.6
        record.train_accuracy.loc[{"task": "labels", "net": net, "step": 3}] = noise
    record.train_accuracy.loc[{"task": "labels", "net": "galu", "step": 3}] = 0.99995
    assert headline("?", experiment.verdicts(record)) == (
        "ReLU has fewer test errors than frozen random gates (1.7 %, not 3.5 %), which fit all training data better; "
        "frozen gates train faster (random labels: <0.01 %, ReLU 2.4 %)"
    )
    test, _, labels, *_ = experiment.figure(record).axes
    assert [text.get_text() for text in test.texts] == ["3.5", "1.7", "paper\u00a03.5", "paper\u00a01.5"]
    assert [text.get_text() for text in labels.texts] == ["<0.01", "2.4"]
    assert labels.get_title(loc="left") == "(c) random labels: frozen\ngates fit better"
