"""Verdicts and figure of `small-bump`, on made-up records."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_all_drawn, assert_drawn, panel
from field_records import assert_only, figure, judge
from judging import scrambled

GAINS, SITE, NOISE = np.array([0.3, 3.0]), 2, np.array([0.01, 0.02])
FACTOR_74 = 2 * np.sqrt(np.pi)  # 1/sqrt(pi) was printed for 1/(2 pi)
FACTOR_7 = 2 * np.sqrt(2 / np.pi * np.arcsin(2 * GAINS**2 / (1 + 2 * GAINS**2)))  # 2 Z(g)
DIMS = ("gain", "position")


def made(z=4.0, off_74=(0.0, 0.0), off_7=(0.0, 0.0)):
    """Deviations in standard errors: of the closed form, and of printed over sampled at each gain from what is expected."""
    sampled, noise = np.full((2, 5), 0.1), np.full((2, 5), 0.001)
    sampled[:, SITE], noise[:, SITE] = [0.2, 0.25], [0.2, 0.25] * NOISE
    printed, earlier = np.full((2, 5), 0.05), np.full((2, 5), 0.05)
    printed[:, SITE] = [0.2, 0.25] * (FACTOR_74 * (1 + NOISE * off_74))
    earlier[:, SITE] = [0.2, 0.25] * (FACTOR_7 * (1 + NOISE * off_7))
    deviations = np.full((2, 5), 1.0)
    deviations[1, 4] = z
    each = {"sampled": sampled, "error": noise, "exact": sampled, "z": deviations, "printed": printed, "printed_001": earlier}
    data = {name: (DIMS, values) for name, values in each.items()}
    return xr.Dataset(data, {"gain": GAINS, "position": np.arange(5)}, {"site": SITE, "samples": 1000})


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        (0, {"z": 4.49}, True),
        (0, {"z": -4.49}, True),
        (0, {"z": 4.51}, False),
        (0, {"z": -4.51}, False),
        (1, {"off_74": (3.99, 3.99)}, True),
        (1, {"off_74": (-3.99, 3.99)}, True),
        (1, {"off_74": (4.01, 0.0)}, False),
        (1, {"off_74": (0.0, -4.01)}, False),
        (2, {"off_7": (3.99, -3.99)}, True),
        (2, {"off_7": (-3.99, 3.99)}, True),
        (2, {"off_7": (-4.01, 0.0)}, False),
        (2, {"off_7": (0.0, 4.01)}, False),
    ],
)
def test_both_sides_of_each_bound(place, change, expected):
    assert_only("small-bump", made(**change), place, expected)


def test_numbers():
    form, other, earlier = judge("small-bump", made(z=-3.0, off_74=(1.0, 2.0), off_7=(3.0, 1.0)))
    assert form.measured == pytest.approx(3.0)
    assert form.note.startswith("2 gains, 5 sites, 1,000 samples")
    assert [bound.predicted for bound in other.table] == pytest.approx([3.5449077] * 2)
    assert [bound.measured for bound in other.table] == pytest.approx(3.5449077 * np.array([1.01, 1.04]))
    assert [bound.at for bound in other.table] == ["gain 0.3", "gain 3"]
    assert [bound.predicted for bound in earlier.table] == pytest.approx(FACTOR_7)
    assert [bound.measured for bound in earlier.table] == pytest.approx(FACTOR_7 * [1.03, 1.02])
    assert "within 4 % of" in earlier.table[0].rule
    assert other.found == "equation 74 of note 002 prints it 3.54 times too large"


def test_figure():
    record = scrambled(made())
    drawn = figure("small-bump", record)
    bump, printed, deviations = (panel(drawn, start) for start in ("(a)", "(b)", "(c)"))
    for g, (line, gain) in enumerate([("-", "0.3"), (":", "3")]):
        assert_drawn(bump, record.exact.values[g], at=np.arange(5) - SITE, style=line, label=f"closed form, gain {gain}")
        assert_drawn(bump, record.sampled.values[g], at=np.arange(5) - SITE, label=f"samples, gain {gain}")
    at_site = record.isel(position=SITE)
    for name, look in [("exact", "closed form"), ("printed", "equation 74"), ("printed_001", "equation 7 of")]:
        assert_drawn(printed, at_site[name].values / at_site.sampled.values, at=[0, 1], words=look)
    ratio = at_site.printed_001.values / at_site.sampled.values
    assert [text.get_text() for text in printed.texts] == [
        "equation 74 of note 002: 2√π = 3.54",
        "closed form",
        f"equation 7 of note 001:\n{ratio.min():.2g} to {ratio.max():.2g}",
    ]
    assert_all_drawn(deviations, [[-4.5] * 2, [4.5] * 2], style=":")
    for g, gain in enumerate(("0.3", "3")):
        assert_drawn(deviations, record.z.values[g], label=f"gain {gain}")
    assert deviations.get_title(loc="left") == "(c) all 10 deviations are within chance"
    off = panel(figure("small-bump", made(z=4.6)), "(c)")
    assert off.get_title(loc="left") == "(c) 1 of 10 deviations are beyond chance"
    assert [text.get_text() for text in off.texts] == ["largest: 4.6", "bound ±4.5"]
    assert off.texts[0].xy == (4, 4.6)
