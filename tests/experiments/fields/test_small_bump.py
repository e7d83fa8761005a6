"""Verdicts and figure of `small-bump`, on made-up records."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_all_drawn, assert_drawn, panel
from field_records import assert_bars, assert_only, figure, judge
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
    verdicts = judge("small-bump", made(z=-3.0, off_74=(1.0, 2.0), off_7=(3.0, 1.0)))
    assert [v.predicted for v in verdicts] == pytest.approx([0.0, 3.5449077, FACTOR_7[0]])
    assert [v.measured for v in verdicts] == pytest.approx([3.0, 3.5449077 * 1.025, FACTOR_7[0] * 1.03])
    assert "within 8 % of 3.54491, and" in verdicts[1].tolerance
    assert "within 4 % of" in verdicts[2].tolerance
    assert verdicts[2].claim.endswith("at gain 0.3")
    assert verdicts[0].note.startswith("over 10 comparisons (2 gains, 5 sites), 1,000 samples")


def test_figure():
    record = scrambled(made())
    drawn = figure("small-bump", record)
    bump, printed, deviations = (panel(drawn, start) for start in ("(a)", "(b)", "(c)"))
    for i, container in enumerate(bump.containers):
        assert_bars(container, record.sampled.values[i], record.error.values[i])
    closed = np.array([segment for part in bump.collections[::2] for segment in part.get_segments()])
    np.testing.assert_allclose(closed[:, :, 1], np.repeat(record.exact.values.ravel(), 2).reshape(-1, 2))
    dots = np.array([container[0].get_xdata() for container in bump.containers], float).ravel()
    np.testing.assert_allclose(closed[:, :, 0].mean(1), dots)  # a line through each dot's place, gains side by side
    np.testing.assert_allclose(dots.reshape(2, 5), np.add.outer([-0.3, 0.3], np.arange(5)))
    at_site = record.isel(position=SITE)
    for name, look in [("exact", "closed form"), ("printed", "equation 74"), ("printed_001", "equation 7, as")]:
        assert_drawn(printed, at_site[name].values / at_site.sampled.values, at=[0, 1], words=look)
    assert_drawn(printed, [FACTOR_74] * 2, color="0.6")
    assert_all_drawn(deviations, [[-4.5] * 2, [4.5] * 2], style=":")
    for i in range(2):
        assert_drawn(deviations, record.z.values[i], color=f"C{i}")
