"""Verdicts, figure and networks of `gate-adaptation`."""

import digit_records as records
import numpy as np
import pytest

from gatefield.experiments.deep.gate_adaptation import NETS, experiment
from gatefield.lab import headline

ADAPTING = ["relu", "soft-relu", "soft-galu"]


def made():
    record = records.made(["galu", "relu", "soft-relu", "soft-galu"])
    gates = 1.0 + record[["nu", "trace"]].isel(net=0, drop=True)
    return record.assign(nu_gates=gates.nu, trace_gates=gates.trace)


@pytest.mark.costly
@pytest.mark.parametrize("net", ADAPTING)
def test_networks_whose_gates_adapt_are_compared_with_frozen_gates(net):
    at = NETS[net]
    records.assert_generalises(experiment, made(), "are right on more test digits", net, "galu", at)
    record = made()
    record.trace[:], record.trace.loc[{"net": "galu"}] = 2.0, 0.5
    records.assert_smaller(experiment, made(), "with trace one, is smaller", net, "galu", at)
    records.assert_smaller(experiment, record, "as it is, is smaller", net, "galu", at, factor=4.0)
    records.assert_falls(experiment, made(), "fall where gates adapt", at, net=net)


def test_nu_falls_by_the_gates_part_and_behind_frozen_gates():
    records.assert_falls(experiment, made(), "fall where gates adapt", "soft GaLU, part of the gates", name="nu_gates")
    records.assert_falls(experiment, made(), "fall behind frozen gates", net="galu")
    assert [v.kind for v in experiment.verdicts(made())] == [*["claim"] * 4, "prediction"]
    assert [bool(v.found) for v in experiment.verdicts(made())] == [True, True, False, False, False]


def test_figure_shows_both_normalisations():
    record = made()
    drawn = experiment.figure(record)
    loss, accuracy, nu, plain = drawn.axes
    records.assert_curves(loss, record.loss, NETS)
    records.assert_curves(accuracy, 100 * record.test_accuracy, NETS, start=1)
    records.assert_curves(nu, record.nu, NETS)
    records.assert_curves(plain, record.nu / record.trace, NETS)
    ends = 100 * record.test_accuracy.isel(step=-1).mean("seed").sel(net=list(NETS)).values
    assert [text.get_text() for text in accuracy.texts] == [f"{end:.2f}" for end in ends]
    (legend,) = drawn.subfigs[0].legends
    assert [text.get_text() for text in legend.get_texts()] == list(NETS.values())


@pytest.mark.slow
def test_soft_gates_have_their_own_steepness_and_a_kernel_of_their_part():
    record, bench = records.simulated(experiment, **records.SMALL, beta=3.0, eps=0.2)
    records.assert_gathered(record, bench, NETS)
    assert all(bench.nets[net].gating == net for net in NETS)
    for net in ("soft-relu", "soft-galu"):
        assert (float(bench.nets[net].beta), float(bench.nets[net].eps)) == (3.0, pytest.approx(0.2))
    assert {name for name in record if name.endswith("_gates")} == {"nu_gates", "trace_gates", "least_gates"}
    part, whole = record.trace_gates.values, record.trace.sel(net="soft-galu").values
    assert part.shape == whole.shape
    assert np.all((part > 0) & (part < whole))
    diagonal = np.cumsum([0, *range(6, 1, -1)])  # of a packed triangle of six rows
    np.testing.assert_allclose(part, bench.records["soft-galu"].gates.values[..., diagonal].sum(-1), rtol=1e-5)


def test_the_numbers_of_the_headline_stand_in_the_panels():
    record = made()
    for net, right, last in zip(ADAPTING, (0.99, 0.985, 0.9875), (918.0, 1219.2, 1000.0), strict=True):
        records.decided(record, net, "galu", (right, 0.98), (last, 2576.0))
    for net, last in zip(ADAPTING, (918.0, 1219.2, 1000.0), strict=True):
        record.nu.loc[{"net": net, "step": slice(1, None)}] = last
    assert headline("?", experiment.verdicts(record)) == (
        "Adapting gates beat frozen ones by 0.50 to 1.00 points on test digits; "
        "K scaled to trace one fits the labels better (ν 918 to 1,219, not 2,576)"
    )
    _, accuracy, nu, _ = experiment.figure(record).axes
    assert accuracy.get_title(loc="left") == "(b) adapting gates: +0.50 to +1.00 points"
    assert [text.get_text() for text in nu.texts] == ["2,576", "918", "1,219", "1,000"]
