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


def made(share=0.995, winner=2, sizes=(1.0, 1.0, 1.0), counts=(1.7, 2.5, 3.0), scales=(-1.0, 1.0, 1.0), sgd=(1.0, 1.0)):
    """What is asked for is that of the second pair, whose survivor is k = 2. Sizes, scales and SGD are over the theory's."""
    shares = np.full((2, 3, 3, 4), 0.0)
    shares[:, :, :2] = [0.1, 0.7, 0.1, 0.1]
    shares[0, :, 2] = [1.0, 0.0, 0.0, 0.0]
    shares[1, :, 2] = [0.0, 0.0, 1.0, 0.0]
    shares[1, 1, 2] = (1 - share) / 3
    shares[1, 1, 2, winner] = share
    size = np.full((2, 3, 3), 7.0)
    size[0, :, 2], size[1, :, 2] = 0.2, 0.3 * np.array(sizes)
    frequencies = np.full((2, 3, 3), 1.0)
    frequencies[0, :, 1], frequencies[1, :, 1] = 2.5, counts
    trained = np.full((2, 2, 3), 9.0)
    trained[:, :, 2] = frequencies[:, :2, 1] * np.array([[1.0, 1.0], sgd])
    data = {
        "share": ((*LEAD, "frequency"), shares),
        "size": (LEAD, size),
        "frequencies": (LEAD, frequencies),
        "sgd_frequencies": (("pair", "trained", "sgd_time"), trained),
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
        (4, {"share": 0.9901}, True),
        (4, {"share": 0.9899}, False),
        (4, {"winner": 3}, False),
        (4, {"winner": 0}, False),
        (5, {"sizes": (1.0, 1.0, 1.0049)}, True),
        (5, {"sizes": (0.9951, 1.0, 1.0)}, True),
        (5, {"sizes": (1.0, 1.0, 1.0051)}, False),
        (5, {"sizes": (0.9949, 1.0, 1.0)}, False),
        (6, {"counts": (1.5, 2.0, 9.0)}, True),
        (6, {"counts": (1.5, 1.9999, 9.0)}, False),
        (6, {"counts": (1.4999, 2.0, 9.0)}, False),
        (7, {"scales": (-1.0, 1.0199, 1.0)}, True),
        (7, {"scales": (1.0, 1.0, 0.9801)}, True),
        (7, {"scales": (-1.0, 1.0201, 1.0)}, False),
        (7, {"scales": (1.0, 1.0, 0.9799)}, False),
        (8, {"sgd": (1.0, 1.1499)}, True),
        (8, {"sgd": (0.8501, 1.0)}, True),
        (8, {"sgd": (1.0, 1.1501)}, False),
        (8, {"sgd": (0.8499, 1.0)}, False),
    ],
)
def test_both_sides_of_each_bound(place, change, expected):
    assert_only("steady-modes", made(**change), place, expected)


def test_numbers():
    verdicts = judge("steady-modes", made(sizes=(1.004, 0.998, 1.0), scales=(1.015, 1.0, 0.99), sgd=(0.9, 1.05)))
    assert [v.measured for v in verdicts] == pytest.approx([0, 0.2, 2.5, 50, 2, 0.3, 2.5, 80, 0.9])
    assert [v.predicted for v in verdicts] == pytest.approx([0, 0.2, 2.0, 50, 2, 0.3, 2.0, 80, 1.0])
    assert "within 0.5 % of 0.3, and" in verdicts[5].tolerance
    assert "within 2 % of 80, and" in verdicts[7].tolerance
    assert [v.claim.split(":")[0] for v in verdicts[3:5]] == ["ξ = (2, 1)", "ξ = (1, 2)"]
    assert judge("steady-modes", made(winner=3))[4].measured == 3
    unknown = judge("steady-modes", made(scales=(-0.1, -0.1, -0.1)))[7]
    assert unknown.outcome == "not judged"
    assert unknown.why == "needs a path on which it dies out alone, has one of 1e+06 tau; run with --set horizon=10000000.0"


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
        assert_all_drawn(counts, [*each, np.median(each, axis=0)], color="C0")
        assert_all_drawn(counts, record.sgd_frequencies.values[i][:, 1:], color="C4")
        assert_all_drawn(sizes, record["size"].values[i], color="C0")
        assert_drawn(sizes, [record.amplitude.values[i]] * 2, color="C2")
        assert_drawn(sizes, [record.amplitude_printed.values[i]] * 2, color="C3")
        for axes in (shares, counts, sizes):
            marks = [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() in ("--", ":")]
            np.testing.assert_allclose(marks, [20.0, record.time_scale.values[i]])


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
