"""Verdicts, figure and networks of `gates-lottery`."""

import digit_records as records
import numpy as np
import pytest

from gatefield.experiments.deep.gates_lottery import NETS, experiment
from gatefield.lab import headline


def made():
    return records.made(["unlearned", "learned", "relu"])


def test_learned_gates_are_compared_with_unlearned_ones():
    records.assert_generalises(experiment, made(), "are right on more test digits", "learned", "unlearned")
    records.assert_smaller(experiment, made(), "is smaller behind gates of a trained network than", "learned", "unlearned")
    note = records.judged(experiment, made(), "are right on more test digits").note
    assert all(name in note for name in ("GaLU, random gates", "ReLU, which learns gates", "GaLU, learned gates"))
    assert len(experiment.verdicts(made())) == 3


@pytest.mark.parametrize(("gap", "outcome"), records.GAPS)
def test_nu_at_the_start_is_compared_by_its_logarithm(gap, outcome):
    """Ratios of 10^(gap - 0.1) and 10^(gap + 0.1) in the two seeds."""
    record = made()
    record.nu.loc[{"net": "learned", "step": 0}] = [3.0, 50.0]
    record.nu.loc[{"net": "unlearned", "step": 0}] = np.array([3.0, 50.0]) * 10 ** (gap + np.array([-0.1, 0.1]))
    found = records.judged(experiment, record, "before the new weights have learned")
    records.assert_judged(found, gap, outcome)
    assert found.kind == "prediction"


def test_figure_shows_all_three_networks():
    record = made()
    loss, accuracy, nu = experiment.figure(record).axes
    records.assert_curves(loss, record.loss, NETS)
    records.assert_curves(accuracy, 100 * record.test_accuracy, NETS, start=1)
    records.assert_curves(nu, record.nu, NETS)


@pytest.mark.slow
def test_learned_and_unlearned_gates_get_the_same_fresh_weights():
    record, bench = records.simulated(experiment, **records.SMALL)
    records.assert_gathered(record, bench, ["unlearned", "learned", "relu"])
    relu, unlearned, learned = (bench.nets[name] for name in ("relu", "unlearned", "learned"))
    for one, other in zip(learned.weights, unlearned.weights, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not np.array_equal(learned.weights[0], relu.weights[0])
    for gating, trained, start in zip(learned.gating_weights, bench.trained["relu"].weights, relu.weights, strict=False):
        np.testing.assert_array_equal(gating, trained)
        assert not np.array_equal(gating, start)
    assert not np.array_equal(unlearned.gating_weights[0], relu.weights[0])
    assert len(np.unique(np.abs(relu.weights[0]))) == 1  # weights of one size, either sign


def test_the_numbers_of_the_headline_stand_in_the_panels():
    record = records.decided(records.made(["unlearned", "relu", "learned"]), "learned", "unlearned")
    assert headline("?", experiment.verdicts(record)) == (
        "With new weights, learned gates beat random ones by 1.00 points on test digits; "
        "K of learned gates fits the labels better (ν 1,331, not 2,534)"
    )
    _, accuracy, nu = experiment.figure(record).axes
    assert accuracy.get_title(loc="left") == "(b) learned: +1.00 points"
    assert [text.get_text() for text in nu.texts] == ["2,534", "9,000", "1,331"]  # by place in NETS
