"""Verdicts and figure of `steady-modes` on made-up records; energies, their count and time scales by other routes."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_all_drawn, assert_drawn
from field_records import assert_only, figure, judge
from judging import scrambled

from gatefield.data import fourier_basis
from gatefield.experiments.fields.steady_modes.simulate import _energy, _measured_time_scale, _participation

LEAD = ("pair", "start", "time")


def made(share=0.995, winner=2, counts=(1.7, 2.5, 3.0), scales=(-1.0, 1.0, 1.0), sgd=(1.0, 1.0)):
    """What is asked for is that of the second pair, whose survivor is k = 2. Scales and SGD are over the theory's."""
    shares = np.full((2, 3, 3, 4), 0.0)
    shares[:, :, :2] = [0.1, 0.7, 0.1, 0.1]
    shares[0, :, 2] = [1.0, 0.0, 0.0, 0.0]
    shares[1, :, 2] = [0.0, 0.0, 1.0, 0.0]
    shares[1, 1, 2] = (1 - share) / 3
    shares[1, 1, 2, winner] = share
    size = np.full((2, 3, 3), 7.0)
    size[0, :, 2], size[1, :, 2] = 0.2, 0.3
    frequencies = np.full((2, 3, 3), 1.0)
    frequencies[0, :, 1], frequencies[1, :, 1] = 2.5, counts
    trained = np.full((2, 2, 3), 9.0)
    trained[:, :, 2] = frequencies[:, :2, 1] * np.array([[1.0, 1.0], sgd])
    data = {
        "share": ((*LEAD, "frequency"), shares),
        "size": (LEAD, size),
        "frequencies": (LEAD, frequencies),
        "sgd_frequencies": (("pair", "trained", "sgd_time"), trained),
        "sgd_size": (("pair", "trained", "sgd_time"), trained / 9),
        "time_scale_measured": (("pair", "start"), np.array([[50.0] * 3, np.multiply(scales, 80.0)])),
        "survivor": ("pair", [0, 2]),
        "slowest": ("pair", [1, 3]),
        "amplitude": ("pair", [0.2, 0.3]),
        "amplitude_printed": ("pair", [0.4, 0.6]),
        "time_scale": ("pair", [50.0, 80.0]),
    }
    coords = {"pair": ["2, 1", "1, 2"], "time": [1.0, 20.0, 1e6], "sgd_time": [0.0, 1.0, 20.0], "frequency": range(4)}
    return xr.Dataset(data, coords, {"note_time": 20.0})


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        (0, {"share": 0.9901}, True),
        (0, {"share": 0.9899}, False),
        (0, {"winner": 3}, False),
        (0, {"winner": 0}, False),
        (1, {"counts": (1.1, 2.0, 9.0)}, True),
        (1, {"counts": (1.9, 1.9999, 9.0)}, False),
        (2, {"scales": (-1.0, 1.0199, 1.0)}, True),
        (2, {"scales": (1.0, 1.0, 0.9801)}, True),
        (2, {"scales": (-1.0, 1.0201, 1.0)}, False),
        (2, {"scales": (1.0, 1.0, 0.9799)}, False),
        (3, {"sgd": (1.0, 1.1499)}, True),
        (3, {"sgd": (0.8501, 1.0)}, True),
        (3, {"sgd": (1.0, 1.1501)}, False),
        (3, {"sgd": (0.8499, 1.0)}, False),
    ],
)
def test_both_sides_of_each_bound(place, change, expected):
    assert_only("steady-modes", made(**change), place, expected)


def test_numbers():
    survivor, several, scale, sgd = judge("steady-modes", made(scales=(1.015, 1.0, 0.99), sgd=(0.9, 1.05)))
    assert [bound.at for bound in survivor.table] == ["length scales 2, 1", "length scales 1, 2"]
    assert [bound.measured for bound in survivor.table] == pytest.approx([1.0, 0.995])
    assert [bound.measured for bound in several.table] == pytest.approx([2.5, 2.5])
    assert [bound.predicted for bound in scale.table] == pytest.approx([50, 80])
    assert [bound.measured for bound in scale.table] == pytest.approx([50, 80 * 1.015])
    assert (sgd.measured, sgd.predicted) == (pytest.approx(0.9), 1.0)
    assert several.found == "after 20 τ there are still 2.5 to 2.5, the last with a time scale of up to 80 τ"
    unknown = judge("steady-modes", made(scales=(-0.1, -0.1, -0.1)))[2]
    needs = "needs a path on which it dies out alone, has one of 1e+06 tau; run with --set horizon=10000000.0"
    assert unknown.note.endswith(f"not judged at length scales 1, 2: {needs}")
    assert [bound.at for bound in unknown.table] == ["length scales 2, 1"]
    alone = made(scales=(-0.1, -0.1, -0.1)).isel(pair=[1])
    assert judge("steady-modes", alone)[2].why == needs


def test_figure():
    record = scrambled(made())
    drawn = figure("steady-modes", record)
    time, panels = record.time.values, np.reshape(drawn.axes[:6], (3, 2)).T
    for i, (shares, counts, sizes) in enumerate(panels):
        stacked = record.share.values[i, 0].cumsum(-1)
        for k, area in enumerate(shares.collections):
            vertices = area.get_paths()[0].vertices
            above = [vertices[np.isclose(vertices[:, 0], t), 1].max() for t in time]
            np.testing.assert_allclose(above, stacked[:, k])
        each = record.frequencies.values[i]
        assert_all_drawn(counts, each, color="0.55")
        assert_drawn(counts, np.median(each, axis=0), label="flow")
        assert_drawn(counts, [np.median(each[:, 1])], at=[20.0], marker="D")
        assert counts.texts[0].get_text() == f"{np.median(each[:, 1]):.2g}"
        assert_all_drawn(counts, record.sgd_frequencies.values[i][:, 1:], marker="o")
        assert_all_drawn(sizes, record["size"].values[i], color="0.55")
        assert_all_drawn(sizes, record.sgd_size.values[i][:, 1:], marker="o")
        assert_drawn(sizes, [record.amplitude.values[i]] * 2, label="steady state")
        assert_drawn(sizes, [record.amplitude_printed.values[i]] * 2, words="equation 25")
        for axes in (shares, counts, sizes):
            marks = [line.get_xdata()[0] for line in axes.lines if line.get_color() == "k" and line.get_marker() != "D"]
            np.testing.assert_allclose(marks, [20.0, record.time_scale.values[i]])
    figure("steady-modes", record.drop_vars("sgd_size"))  # a record of before


def test_panels_say_what_is_left():
    drawn = figure("steady-modes", made())
    heads = [axes.get_title(loc="left") for axes in drawn.axes[:9]]
    assert [heads[at] for at in (0, 1, 2)] == [
        "(a) ξ = 2, 1: k = 0 is left",
        "ξ = 1, 2: k = 2 is left",
        "(b) frequencies left: 2.5 to 2.5 after 20 τ, medians over starts",
    ]
    assert heads[4] == "(c) size of the field: it ends within 0.1 % of the steady state"
    record = made()
    record["size"][1, 2, -1] *= 1.0623
    assert figure("steady-modes", record).axes[4].get_title(loc="left").endswith("within 6.3 % of the steady state")


@pytest.mark.parametrize("n", [7, 8])
def test_energy_by_frequency_is_the_power_spectrum(n):
    w = np.random.default_rng(0).normal(size=(3, n))
    power = np.abs(np.fft.rfft(w)) ** 2 / n
    alone = (np.arange(n // 2 + 1) == 0) | (2 * np.arange(n // 2 + 1) == n)
    expected = np.where(alone, 1, 2) * power
    np.testing.assert_allclose(_energy(w @ np.asarray(fourier_basis(n))), expected, atol=1e-12)


def test_participation_counts_equal_shares():
    assert _participation(np.array([2.0, 2.0, 2.0, 0.0])) == pytest.approx(3.0)


def test_time_scale_is_read_off_an_exponential():
    time = np.geomspace(1, 1000, 40)
    slow = np.exp(-2 * time / 30.0)
    share = np.stack([1 - slow, slow], axis=-1)[None, None]
    data = {"share": ((*LEAD, "frequency"), share), "slowest": ("pair", [1]), "survivor": ("pair", [0])}
    record = xr.Dataset(data, {"time": time})
    np.testing.assert_allclose(_measured_time_scale(record), 30.0, rtol=1e-9)
