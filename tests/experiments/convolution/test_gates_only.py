"""Verdicts and figure of `gates-only` on records made by hand."""

import functools

import judging
import numpy as np
import pytest
import xarray as xr

from gatefield.experiments.convolution.gates_only import experiment

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


@pytest.mark.parametrize("net", [0, 1])
def test_the_worst_seed_must_reach_twice_the_accuracy_of_a_guess(net):
    """Ten classes: a guess is right in 10 %."""
    for best, holds in ((0.211, True), (0.209, False)):
        record = made()
        record.test_accuracy[{"net": net}] = 0.1
        record.test_accuracy[{"net": net, "step": 1}] = [best - 0.01, 0.9]
        found = judged(record, f"gates trained, beta = {(1, 8)[net]}: a network learns")
        assert found.holds is holds
        assert (found.predicted, found.measured, found.kind) == (10, pytest.approx(100 * best - 1), "claim")
        assert found.note.startswith("before training 10.00 +- 0.00 %")


@pytest.mark.parametrize("net", [0, 1])
def test_the_mean_of_the_best_is_laid_beside_the_papers(net):
    for best, holds in ((0.5301, True), (0.5299, False), (0.5899, True), (0.5901, False)):
        record = made(best=[best if at == net else 1.0 - holds * 0.44 for at in range(2)])
        found = judged(record, f"beta = {(1, 8)[net]}: the test accuracy is the paper's")
        assert found.holds is holds
        assert (found.predicted, found.measured, found.kind) == (56, pytest.approx(100 * best), "reproduction")
        assert "2 seeds, 3 epochs; valid padding" in found.note


@pytest.mark.parametrize(
    "size", [{"samples": 49_999}, {"epochs": 0}, {"channels": [64, 64, 128, 64]}, {"dense": [256]}, {"samples": 3_000}]
)
def test_smaller_trainings_are_not_laid_beside_the_paper(size):
    assert sum("the paper's" in v.claim for v in judging.told(experiment, made(epochs=1))) == 2
    assert not [v for v in judging.told(experiment, made(**size)) if "the paper's" in v.claim]
    assert len(experiment.verdicts(made(**size))) == 6


@pytest.mark.parametrize(
    ("gap", "outcome", "words"),
    [
        # two seeds 2 * 0.7 points apart: Student's interval is 12.706 * 0.7 = 8.894 points to each side
        (8.90, "confirmed", "strengths learn more"),
        (8.89, "not decided", "neither is seen to learn more"),
        (-8.89, "not decided", "neither is seen to learn more"),
        (-8.90, "confirmed", "gates learn more"),
    ],
)
def test_which_of_strengths_and_gates_learns_more(gap, outcome, words):
    record = made()
    record.test_accuracy[{"net": 1, "step": 3}] = [0.5, 0.6]
    record.test_accuracy[{"net": 2, "step": 3}] = np.array([0.5, 0.6]) + gap / 100 + np.array([-0.007, 0.007])
    found = judged(record, "gates trained, beta = 8, or strengths alone")
    assert (found.outcome, found.holds) == (outcome, outcome == "confirmed")
    assert found.note.startswith(f"{words}: strengths")
    assert found.predicted == 0
    assert found.measured == pytest.approx(gap)


def test_which_learns_more_needs_both_networks_and_two_seeds():
    assert sum("which learns more" in v.claim for v in experiment.verdicts(made())) == 2
    for record in (made().isel(net=[0, 1]), made().isel(seed=[0])):
        assert [v.outcome for v in experiment.verdicts(record) if "which learns more" in v.claim] == ["not judged"] * 2


def test_figure_shows_mean_accuracies_and_the_papers():
    record = made()
    for panel, name in zip(experiment.figure(record).axes, ("test_accuracy", "train_accuracy"), strict=True):
        for net in range(3):
            values = 100 * record[name].values[net]
            np.testing.assert_array_equal(panel.lines[net].get_xdata(), [0, 1, 2, 3])
            np.testing.assert_allclose(panel.lines[net].get_ydata(), values.mean(0))
            band = panel.collections[net].get_paths()[0].vertices
            ends = band[band[:, 0] == 2.0][:, 1]
            np.testing.assert_allclose([ends.min(), ends.max()], [values[:, 2].min(), values[:, 2].max()])
    first, second = experiment.figure(record).axes
    assert set(first.lines[3].get_ydata()) == {56.0}
    assert len(second.lines) == 3
    assert len(experiment.figure(made(samples=3_000)).axes[0].lines) == 3
