"""Verdicts, figure and networks of `frozen-or-adapting`."""

import digit_records as records
import numpy as np
import pytest

from gatefield.experiments.deep.frozen_or_adapting import NETS, experiment
from gatefield.lab import headline


def made():
    return records.made(["relu", "frozen"])


def test_gates_that_adapt_are_compared_with_frozen_ones():
    records.assert_generalises(experiment, made(), "is right on more test digits", "relu", "frozen")
    records.assert_smaller(experiment, made(), "is smaller where gates adapt", "relu", "frozen")
    note = records.judged(experiment, made(), "is right on more test digits").note
    assert note.index("gates frozen at the start") < note.index("gates adapt (ReLU)")
    assert [bool(v.found and v.otherwise) for v in experiment.verdicts(made())] == [True, True]


def test_figure_shows_loss_accuracy_and_nu():
    record = made()
    record.loss[{"net": 0, "step": 3}] = 0.0
    drawn = experiment.figure(record)
    loss, accuracy, nu = drawn.axes
    records.assert_curves(loss, record.loss.clip(1e-12), NETS)
    records.assert_curves(accuracy, 100 * record.test_accuracy, NETS, start=1)
    records.assert_curves(nu, record.nu, NETS)
    assert [axes.get_yscale() for axes in drawn.axes] == ["log", "linear", "log"]
    (legend,) = drawn.subfigs[0].legends
    assert [text.get_text() for text in legend.get_texts()] == list(NETS.values())
    assert "2 seeds, lines: mean, bands: standard error" in drawn.get_supxlabel().replace("\n", " ")


@pytest.mark.slow
def test_the_frozen_network_is_a_copy_of_the_other():
    record, bench = records.simulated(experiment, **records.SMALL)
    records.assert_gathered(record, bench, ["frozen", "relu"])
    frozen, relu = bench.nets["frozen"], bench.nets["relu"]
    start = record.loss.isel(step=0)
    np.testing.assert_allclose(start.sel(net="frozen"), start.sel(net="relu"), rtol=1e-5)
    for weights, gating, own in zip(frozen.weights, [*frozen.gating_weights, None], relu.weights, strict=True):
        np.testing.assert_array_equal(weights, own)
        assert gating is None or np.array_equal(gating, own)
    assert len(np.unique(np.abs(relu.weights[0]))) == 1  # weights of one size, either sign


def test_the_numbers_of_the_headline_stand_in_the_panels():
    record = records.decided(made(), "relu", "frozen")
    assert headline("?", experiment.verdicts(record)) == (
        "From one start, adapting gates beat frozen ones by 1.00 points on test digits; "
        "K of adapting gates fits the labels better (ν 1,331, not 2,534)"
    )
    _, accuracy, nu = experiment.figure(record).axes
    assert accuracy.get_title(loc="left") == "(b) adapting: +1.00 points"
    assert [text.get_text() for text in nu.texts] == ["2,534", "1,331"]
