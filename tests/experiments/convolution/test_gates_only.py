"""Verdicts and figure of `gates-only` on records made by hand."""

import functools

import judging
import numpy as np
import pytest
import xarray as xr
from drawn import panel, points

from gatefield.experiments.convolution.gates_only import experiment
from gatefield.lab import headline

NETS = ("beta=1", "beta=8", "galu")
PAPER_SIZE = {"samples": 50_000, "epochs": 40, "channels": [64, 64, 128, 128], "dense": [256, 256]}
"""All of CIFAR-10, and the network of the paper."""
WORDS = {"padding": "valid", "stride": [1], "pool": "none", "pooled": [2, 4], "sigma": "he"}


def made(best=(0.56, 0.56), **size):
    """Two seeds, 0.001 around the mean, best at the third of four records; strengths end 20 points above gates."""
    curve = np.array([0.1, 0.3, 0.56, 0.5])
    test = np.stack([curve, curve, curve + np.array([0.0, 0.1, 0.1, 0.2])])[:, None] + np.array([-0.001, 0.001])[:, None]
    for net, value in enumerate(best):
        test[net, :, 2] = value + np.array([-0.001, 0.001])
    dims = ("net", "seed", "step")
    return xr.Dataset(
        {"test_accuracy": (dims, test), "train_accuracy": (dims, np.random.default_rng(0).uniform(size=test.shape))},
        {"net": list(NETS), "step": [0, 9, 18, 27], "epoch": ("step", [0.0, 1.0, 2.0, 3.0])},
        PAPER_SIZE | WORDS | size,
    )


judged = functools.partial(judging.judged, experiment)


def row(record, words, net):
    (found,) = [one for one in judged(record, words).table if one.at == f"gates trained, beta = {(1, 8)[net]}"]
    return found


@pytest.mark.parametrize("net", [0, 1])
def test_the_worst_seed_must_reach_twice_the_accuracy_of_a_guess(net):
    """Ten classes: a guess is right in 10 %."""
    for best, holds in ((0.211, True), (0.209, False)):
        record = made()
        record.test_accuracy[{"net": net}] = 0.1
        record.test_accuracy[{"net": net, "step": 1}] = [best - 0.01, 0.9]
        found = row(record, "through its gates alone", net)
        assert (found.holds, found.measured) == (holds, pytest.approx(100 * best - 1))
        verdict = judged(record, "through its gates alone")
        assert (verdict.holds, verdict.kind) == (holds, "claim")
        assert f"{(100 * best + 89) / 2:.0f}" in verdict.sentence  # of both seeds
        assert f"beta = {(1, 8)[net]}: final 10.00 ± 0.00 %" in verdict.note


@pytest.mark.parametrize("net", [0, 1])
def test_the_mean_of_the_best_is_laid_beside_the_papers(net):
    for best, holds in ((0.5301, True), (0.5299, False), (0.5899, True), (0.5901, False)):
        record = made(best=[best if at == net else 1.0 - holds * 0.44 for at in range(2)])
        found = row(record, "the paper's test accuracy", net)
        assert (found.holds, found.predicted, found.measured) == (holds, 56, pytest.approx(100 * best))
        verdict = judged(record, "the paper's test accuracy")
        assert (verdict.holds, verdict.kind) == (holds, "reproduction")
        assert "2 seeds, 3 epochs; valid padding" in verdict.note


@pytest.mark.parametrize(
    "size", [{"samples": 49_999}, {"epochs": 0}, {"channels": [64, 64, 128, 64]}, {"dense": [256]}, {"samples": 3_000}]
)
def test_smaller_trainings_are_not_laid_beside_the_paper(size):
    assert judged(made(epochs=1), "the paper's").outcome == "confirmed"
    assert judged(made(**size), "the paper's").outcome == "not judged"


def test_short_trainings_decide_nothing():
    assert judged(made(epochs=6), "through its gates alone").outcome == "confirmed"
    assert judged(made(epochs=5), "through its gates alone").outcome == "not decided"


@pytest.mark.parametrize(
    ("gap", "outcome"), [(8.90, "holds"), (8.89, "not decided"), (-8.89, "not decided"), (-8.90, "missed")]
)
def test_whether_strengths_learn_more_than_gates(gap, outcome):
    """Two seeds 2 * 0.7 points apart: Student's interval is 12.706 * 0.7 = 8.894 points to each side."""
    record = made()
    record.test_accuracy[{"net": 1, "step": 3}] = [0.5, 0.6]
    record.test_accuracy[{"net": 2, "step": 3}] = np.array([0.5, 0.6]) + gap / 100 + np.array([-0.007, 0.007])
    found = row(record, "strengths alone are trained ends above", 1)
    assert (found.outcome, found.measured) == (outcome, pytest.approx(gap))


def test_whether_strengths_learn_more_needs_both_networks_and_two_seeds():
    assert judged(made(), "ends above").bounds
    for record in (made().isel(net=[0, 1]), made().isel(seed=[0])):
        assert judged(record, "ends above").outcome == "not judged"


def test_figure_shows_mean_accuracies_and_the_papers():
    record = made()
    figure = experiment.figure(record)
    for start, name in (("(a)", "test_accuracy"), ("(b)", "train_accuracy")):
        axes = panel(figure, start)
        for net in range(3):
            values = 100 * record[name].values[net]
            np.testing.assert_array_equal(axes.lines[net].get_xdata(), [0, 1, 2, 3])
            np.testing.assert_allclose(axes.lines[net].get_ydata(), values.mean(0))
            band = axes.collections[net].get_paths()[0].vertices
            ends = band[band[:, 0] == 2.0][:, 1]
            np.testing.assert_allclose([ends.min(), ends.max()], [values[:, 2].min(), values[:, 2].max()])
    assert [set(line.get_ydata()) for line in panel(figure, "(a)").lines if line.get_label().startswith("paper")] == [{56.0}]
    small = panel(experiment.figure(made(samples=3_000)), "(a)")
    assert not [line for line in small.lines if line.get_label().startswith("paper")]


def test_figure_marks_the_best_of_each_run():
    """The two seeds of a network are best at epochs 1 and 3: the star stands between, at the mean of both."""
    record = made()
    record.test_accuracy[{"net": 1, "seed": 0, "step": 1}] = 0.7
    record.test_accuracy[{"net": 1, "seed": 1, "step": 3}] = 0.6
    stars = points(panel(experiment.figure(record), "(a)"), marker="*")
    np.testing.assert_allclose(np.array(stars)[..., 0], [[2, 56], [2, 65], [3, 70]])


def test_the_numbers_of_the_headline_stand_beside_the_panel():
    record = made(best=(0.648, 0.571))
    assert headline("?", experiment.verdicts(record)) == (
        "A network learns CIFAR-10 through its gates alone: 65 and 57 % right at best (beta = 1, 8; a guess 10 %)"
    )
    axes = panel(experiment.figure(record), "(a)")
    assert [text.get_text() for text in axes.texts] == ["a guess", "★ 65 %", "★ 57 %", "★ 70 %"]  # the last of the strengths
    ends = [f"{100 * record.train_accuracy.values[net, :, -1].mean():.0f} %" for net in range(3)]
    assert [text.get_text() for text in panel(experiment.figure(record), "(b)").texts] == ends
    assert [text.get_color() for text in axes.texts[1:]] == [
        line.get_color() for line in axes.lines if line.get_marker() == "*"
    ][:3]
