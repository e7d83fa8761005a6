"""Verdicts, figure and networks of `gate-adaptation`."""

import digit_records as records
import numpy as np
import pytest
from matplotlib.colors import same_color

from gatefield.experiments.deep.gate_adaptation import NETS, experiment

PLACES = {"relu": 0, "soft-relu": 1, "soft-galu": 2}
"""The networks whose gates adapt, in the order of their verdicts."""


class At:
    """The verdict at one place as the only one; so that claims which contain one another are told apart."""

    def __init__(self, place):
        self.place = place

    def verdicts(self, record):
        return [experiment.verdicts(record)[self.place]]


def made():
    record = records.made(["galu", "relu", "soft-relu", "soft-galu"])
    gates = 1.0 + record[["nu", "trace"]].isel(net=0, drop=True)
    return record.assign(nu_gates=gates.nu, trace_gates=gates.trace)


@pytest.mark.parametrize(("net", "place"), PLACES.items())
def test_networks_whose_gates_adapt_are_compared_with_frozen_gates(net, place):
    name = NETS[net]
    records.assert_generalises(At(place), made(), f"{name} generalises better", net, "galu")
    assert experiment.verdicts(made())[place].note.count("+-") == 2
    record = made()
    record.trace[:], record.trace.loc[{"net": "galu"}] = 2.0, 0.5
    records.assert_smaller(At(3 + 2 * place), record, f"{name}: nu (trace one) is below", net, "galu")
    records.assert_smaller(At(4 + 2 * place), record, f"{name}: nu (K as it is) is below", net, "galu", factor=4.0)
    assert [experiment.verdicts(record)[at].kind for at in (3 + 2 * place, 4 + 2 * place)] == ["claim"] * 2


@pytest.mark.parametrize(("place", "net"), list(enumerate(NETS)))
def test_nu_falls_in_every_network(place, net):
    records.assert_falls(At(9 + place), made(), f"{NETS[net]}: nu (trace one) falls", net=net)
    assert experiment.verdicts(made())[9 + place].kind == ("prediction" if net == "galu" else "claim")


def test_nu_of_the_gates_part_falls_and_the_ridge_is_small():
    records.assert_falls(At(13), made(), "nu of K^a (trace one) falls", name="nu_gates")
    records.assert_ridge(experiment, made())
    assert len(experiment.verdicts(made())) == 15


def test_figure_shows_both_normalisations_and_the_gates_part():
    record = made()
    drawn = experiment.figure(record)
    loss, accuracy, nu, plain, gates, legend = drawn.axes
    records.assert_curves(loss, record.loss, NETS)
    records.assert_curves(accuracy, 100 * record.test_accuracy, NETS, start=1)
    records.assert_curves(nu, record.nu, NETS)
    records.assert_curves(plain, record.nu / record.trace, NETS)
    for line, values, label in zip(
        gates.lines,
        (record.nu_gates.values, record.nu_gates.values / record.trace_gates.values),
        ("trace one", "as it is"),
        strict=True,
    ):
        np.testing.assert_array_equal(line.get_xdata(), records.EPOCHS)
        np.testing.assert_allclose(line.get_ydata(), values.mean(0))
        assert line.get_label() == label
        assert same_color(line.get_color(), "C3")
    assert [text.get_text() for text in legend.get_legend().get_texts()] == list(NETS.values())
    assert legend.get_legend().get_title().get_text() == "mean of 2 seeds, and their range"


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
