"""Verdicts and figure of `gate-shaped-solution` on made-up records; sampled moments against plain sums."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_drawn, panel
from field_records import assert_bars, assert_only, figure, judge, unjudged
from judging import scrambled

from gatefield.experiments.fields.gate_shaped_solution.simulate import Settings, _class_moments, _directions, _open

SITE, GAINS = 17, (0.01, 1.0, 3.0, 100.0)
ROW = (0.841, -0.380, 0.075, -0.012)  # of (S0 + S1)^-1 at gain 3, for n = 40 and length scales 2 and 1
AGREED = (0.937, 0.958, 0.980, 0.9994)  # of the small bump in the positive class, at each gain
LEAD = ("gain", "gate", "position")
SQUARE = ("gain", "position", "position_")


def made(
    moment=5.0, drift=4.0, change=-0.1, row=(0.0,) * 4, iprs=(0.0, 0.0), agreed=(0.0,) * 4, n=40, xi=(2.0, 1.0), gains=GAINS
):
    """Deviations from what is expected; `moment` and `drift` in standard errors, `change` that of the hat's agreement."""
    z, inverse = np.zeros((4, 2, n, n)), np.full((4, n, n), 0.5)
    z[2, 1, 3, 4] = moment
    inverse[2, SITE, SITE : SITE + 4] = np.add(ROW, row)
    sampled = np.full((4, 2, n), 9.0)
    sampled[0, 1] = 0.3
    sampled[0, 1, 5] += 0.01 * drift
    agreement, error = np.full((4, 2, 2), 0.5), np.full((4, 2, 2), 0.0005)
    agreement[:, 0, 0] = np.add(AGREED, agreed)
    agreement[:, 1, 0], agreement[:, 1, 1] = [0.8, 0.1, 0.99, 0.8 + change], [0.1, 0.5, 0.5, 0.9]
    error[:, 1, 0] = [0.003, 0.9, 0.9, 0.004]
    ipr = np.array([[0.41 + iprs[0], 0.1], [0.5, 0.1], [0.76 + iprs[1], 0.1], [0.9, 0.1]])
    data = {
        "moment_z": ((*LEAD, "position_"), z),
        "inverse": (SQUARE, inverse),
        "covariance": (SQUARE, np.ones((4, n, n))),
        "drift_sampled": (LEAD, sampled),
        "drift_gaussian": (LEAD, np.full((4, 2, n), 0.3)),
        "drift_error": (LEAD, np.full((4, 2, n), 0.01)),
        "drift": (LEAD, sampled),
        "field": (LEAD, sampled),
        "direction": (LEAD[1:], sampled[0]),
        "ipr": (LEAD[:2], ipr),
        "agreement": (("gain", "gate", "label"), agreement),
        "agreement_error": (("gain", "gate", "label"), error),
        "agreement_gaussian": (("gain", "gate", "label"), agreement),
    }
    coords = {"gain": list(gains), "gate": ["bump", "hat"], "label": ["positive", "negative"], "position": np.arange(n)}
    return xr.Dataset(data, coords, {"site": SITE, "xi1": xi[0], "xi0": xi[1]})


def one(place, value, of=4):
    return tuple(value if i == place else 0.0 for i in range(of))


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        (0, {"moment": 5.49}, True),
        (0, {"moment": -5.49}, True),
        (0, {"moment": 5.51}, False),
        (0, {"moment": -5.51}, False),
        (1, {"drift": 4.49}, True),
        (1, {"drift": -4.49}, True),
        (1, {"drift": 4.51}, False),
        (1, {"drift": -4.51}, False),
        (2, {"change": -0.0201}, True),  # four standard errors of the difference: 4 x 0.005
        (2, {"change": -0.0199}, False),
        (2, {"change": 0.1}, False),
        *[(3, {"row": one(lag, off)}, abs(off) < 0.001) for lag in range(4) for off in (0.00099, -0.00099, 0.00101, -0.00101)],
        *[(4 + i, {"iprs": one(i, off, 2)}, abs(off) < 0.01) for i in (0, 1) for off in (0.0099, -0.0099, 0.0101, -0.0101)],
        *[(6 + i, {"agreed": one(i, off)}, abs(off) < 0.003) for i in range(4) for off in (0.0029, -0.0029, 0.0031, -0.0031)],
    ],
)
def test_both_sides_of_each_bound(place, change, expected):
    assert_only("gate-shaped-solution", made(**change), place, expected)


def test_numbers():
    verdicts = judge("gate-shaped-solution", made(moment=-5.0, drift=-4.0))
    assert [v.measured for v in verdicts] == pytest.approx([5.0, 4.0, -0.1, 0.841, 0.41, 0.76, *AGREED])
    assert [v.predicted for v in verdicts] == pytest.approx([0.0, 0.0, 0.0, 0.841, 0.41, 0.76, *AGREED])
    assert "over 6,560 entries" in verdicts[0].note
    assert verdicts[3].tolerance.startswith("entry at lag 0 within 0.001 of 0.841, and ")
    assert [v.claim.split("field ")[1] for v in verdicts[4:6]] == ["for Gaussian data too", "at gain 3"]
    assert [judge("gate-shaped-solution", made(change=c))[2].outcome for c in (-0.019, 0.019, 0.1)] == [
        "not decided",
        "not decided",
        "refuted",
    ]


@pytest.mark.parametrize(
    ("change", "places"),
    [
        ({}, []),
        ({"n": 39}, [3, 4, 5, 6, 7, 8, 9]),
        ({"xi": (1.0, 2.0)}, [3, 4, 5, 6, 7, 8, 9]),
        ({"gains": (0.02, 1.0, 3.0, 100.0)}, [4, 6]),
        ({"gains": (0.06, 1.0, 3.0, 100.0)}, [1, 4, 6]),
        ({"gains": (0.01, 1.0, 2.0, 90.0)}, [3, 5, 8, 9]),
    ],
)
def test_published_sizes_alone_have_published_numbers(change, places):
    assert unjudged("gate-shaped-solution", made(**change)) == places


def test_figure():
    record = scrambled(made(gains=(0.01, 1.0, 4.0, 100.0)))
    drawn = figure("gate-shaped-solution", record)
    for start, name in [("(a)", "covariance"), ("(b)", "inverse")]:
        np.testing.assert_allclose(panel(drawn, start).images[0].get_array(), record[name].values[2])
    assert_drawn(panel(drawn, "(d)"), record.ipr.values[:, 0], label="small bump")
    assert_drawn(panel(drawn, "(d)"), record.ipr.values[:, 1], label="Mexican hat")
    for i in range(4):
        assert_drawn(panel(drawn, "(c)"), record.inverse.values[i, SITE, SITE : SITE + 7], color=f"C{i}")
        for gate, letters in enumerate(["fg", "jk"]):
            assert_drawn(panel(drawn, f"({letters[0]})"), record.drift.values[i, gate] / 2, color=f"C{i}")
            assert_drawn(panel(drawn, f"({letters[1]})"), record.field.values[i, gate], color=f"C{i}")
    for gate, letters in enumerate(["eh", "il"]):
        assert_drawn(panel(drawn, f"({letters[0]})"), record.direction.values[gate], color="k")
        axes = panel(drawn, f"({letters[1]})")
        for label, container in enumerate(axes.containers):
            assert_bars(container, record.agreement.values[:, gate, label], record.agreement_error.values[:, gate, label])
            assert_drawn(axes, record.agreement_gaussian.values[:, gate, label], color=f"C{label}", style="--")


def test_moments_behind_gates():
    rng = np.random.default_rng(0)
    x, gates = rng.normal(size=(50, 3)), rng.choice([0.0, 0.5, 1.0], size=(2, 50))
    mean, mean_square, pair, pair_square = _class_moments(x, gates)
    for g in range(2):
        outer = [gates[g, s] * np.outer(x[s], x[s]) for s in range(50)]
        np.testing.assert_allclose(mean[g], np.mean(gates[g][:, None] * x, axis=0), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(mean_square[g], np.mean((gates[g][:, None] * x) ** 2, axis=0), rtol=1e-4)
        np.testing.assert_allclose(pair[g], np.mean(outer, axis=0), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(pair_square[g], np.mean(np.square(outer), axis=0), rtol=1e-4)


def test_a_gate_is_half_open_at_zero():
    x = np.array([[1.0, -1.0], [1.0, 0.0], [-1.0, 0.0]])
    np.testing.assert_array_equal(_open(x, np.ones(2)), [0.5, 1.0, 0.0])


def test_directions_lie_on_the_ring():
    bump, hat = _directions(Settings(n=12, site=14))
    np.testing.assert_array_equal(bump, np.eye(12)[2])
    assert hat.argmax() == 2
    np.testing.assert_allclose(np.roll(hat, -2)[1:], np.roll(hat, -2)[:0:-1])
