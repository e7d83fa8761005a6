"""Verdicts, figure and networks of `frozen-or-adapting`."""

import digit_records as records
import numpy as np
import pytest

from gatefield.experiments.deep.frozen_or_adapting import NETS, experiment


def made():
    return records.made(["relu", "frozen"])


def test_gates_that_adapt_are_compared_with_frozen_ones():
    records.assert_generalises(experiment, made(), "gates that adapt generalise better", "relu", "frozen")
    records.assert_smaller(experiment, made(), "gates that adapt: nu is below", "relu", "frozen")
    records.assert_ridge(experiment, made())
    note = records.judged(experiment, made(), "generalise better").note
    assert note.index("gates frozen at the start") < note.index("gates adapt (ReLU)")
    assert len(experiment.verdicts(made())) == 4


@pytest.mark.parametrize(
    ("apart", "outcome"), [(0.9e-5, "confirmed"), (1.1e-5, "off"), (-0.9e-5, "confirmed"), (-1.1e-5, "off")]
)
def test_losses_are_the_same_at_the_start_in_every_seed(apart, outcome):
    record = made()
    record.loss[{"step": 0}] = 0.5
    record.loss.loc[{"step": 0, "net": "relu", "seed": 1}] = 0.5 * (1 + apart)
    found = records.judged(experiment, record, "the same at the start")
    records.assert_judged(found, abs(apart), outcome, 0.0)
    assert found.kind == "control"


def test_figure_shows_loss_accuracy_and_nu():
    record = made()
    record.loss[{"net": 0, "step": 3}] = 0.0
    drawn = experiment.figure(record)
    loss, accuracy, nu = drawn.axes
    records.assert_curves(loss, record.loss.clip(1e-12), NETS)
    records.assert_curves(accuracy, 100 * record.test_accuracy, NETS, start=1)
    records.assert_curves(nu, record.nu, NETS)
    assert [axes.get_yscale() for axes in drawn.axes] == ["log", "linear", "log"]
    assert [axes.get_title() for axes in drawn.axes] == ["(a) training", "(b) test set", "(c) labels against kernel"]
    (legend,) = drawn.legends
    assert [text.get_text() for text in legend.get_texts()] == list(NETS.values())
    assert legend.get_title().get_text() == "mean of 2 seeds, and their range"


def test_the_frozen_network_is_a_copy_of_the_other():
    record, bench = records.simulated(experiment, **records.SMALL)
    records.assert_gathered(record, bench, ["frozen", "relu"])
    frozen, relu = bench.nets["frozen"], bench.nets["relu"]
    for weights, gating, own in zip(frozen.weights, [*frozen.gating_weights, None], relu.weights, strict=True):
        np.testing.assert_array_equal(weights, own)
        assert gating is None or np.array_equal(gating, own)
    assert len(np.unique(np.abs(relu.weights[0]))) == 1  # weights of one size, either sign
