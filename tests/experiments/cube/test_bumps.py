"""The drift of few bumps beside the whole cube and samples; verdicts and figure on records made by hand."""

import functools

import judging
import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_rgba

from gatefield.data import line_correlation, ring_correlation
from gatefield.experiments.cube.bumps import experiment
from gatefield.experiments.cube.bumps.cases import CASES, corrected
from gatefield.experiments.cube.bumps.drift import drifts, gate_table
from gatefield.theory import hypercube

NUMBERS = {"single": 8, "balanced": 9, "imbalanced": 10, "difference": 11, "three leading": 12, "three voting": 12,
           "three tied": 12}  # fmt: skip
"""The note's number of each example; only equation 12 is printed with a sign of approximation."""
WORDS = {
    "single": ("one bump", "C e_i/2"),
    "balanced": ("two equal bumps", "C(e_i + e_j)/4"),
    "imbalanced": ("two bumps, 2 and 1", "C e_i/2"),
    "difference": ("two bumps, 2 and -1", "C e_i/2"),
    "three leading": ("three bumps, 4, 2, 1", "C e_i/2"),
    "three voting": ("three bumps, 2.5, 2, 1", "majority"),
    "three tied": ("three bumps, 3, 2, 1", "mean of majority and C e_i/2"),
}
ALPHA, BETA = [0.5, 1.5, 2.5, 3.5], [0.6, 1.6, 2.6]
INSIDE = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 1, 1]], bool)
"""alpha > beta > 1."""
LEADS = np.array([[0, 1, 1], [0, 0, 1], [1, 0, 0], [1, 1, 0]], bool)
"""The largest of (alpha, beta, 1) exceeds the sum of the others: for instance 3.5 > 1.6 + 1, but not 2.5 > 1.6 + 1."""
SITES = {"edge": (4, 5, 6), "middle": (4, 3, 5), "apart": (4, 7, 9), "far": (4, 8, 1)}


def line(cosine=0.521, off=1.01):
    """f and another vector with this cosine, whose difference is that part of f."""
    size = cosine + np.sqrt(cosine**2 - 1 + off**2)
    return np.array([2.0, 0.0]), 2 * size * np.array([cosine, np.sqrt(1 - cosine**2)])


def made(printed=None, right=None, three=1.0, sigmas=1.0, at=(0.22589, 0.27994), one_site=LEADS, picked=INSIDE,
         far=(0.25, 0.25, 0.25), **bent):  # fmt: skip
    """A record of twelve sites: `printed` and `right` are relative errors by case, the others what a verdict looks at."""
    rng = np.random.default_rng(0)
    drift = rng.uniform(0.2, 1.0, (7, 12))
    off = {name: np.array([(errors or {}).get(case, 0.0) for case in NUMBERS]) for name, errors in
           (("printed", printed), ("corrected", right))}  # fmt: skip
    error = rng.uniform(0.01, 0.02, (7, 12))
    error[3, 5] = 0.0  # where sampling has no error the deviation does not count
    sampled = drift + 0.5 * error
    sampled[5, 2], sampled[3, 5] = drift[5, 2] - sigmas * error[5, 2], 9.0
    vote = rng.uniform(0.4, 0.5, (2, 4, 12))
    vote[0, 3, [4, 8, 1]] = far
    f, lone = line(**bent)
    case, grid = ("case", "position"), ("layout", "alpha", "beta")
    return xr.Dataset(
        {
            "drift": (case, drift),
            "printed": (case, drift * (1 + off["printed"])[:, None]),
            "corrected": (case, drift * (1 + off["corrected"])[:, None]),
            "sampled": (case, sampled),
            "sampled_error": (case, error),
            "covariance_row": ("position", 2 * drift[5] * (1 + three)),
            "one_site": (grid, np.broadcast_to(one_site, (4, 4, 3))),
            "picked": (grid, np.broadcast_to(picked, (4, 4, 3))),
            "vote": (("xi", "layout", "position"), vote),
            "lone_lead": ("xi", [0.45, 0.15]),
            "line_drift": ("line_position", f),
            "line_lone": ("line_position", lone),
            "line_at": ("bump", [*at, 0.27412]),
        },
        {
            "case": list(NUMBERS),
            "position": np.arange(12),
            "layout": list(SITES),
            "sites": (("layout", "bump"), list(SITES.values())),
            "alpha": ALPHA,
            "beta": BETA,
            "xi": [0.5, 3.0],
        },
        {"length_scale": 1.5, "samples": 1000},
    )


judged = functools.partial(judging.judged, experiment)


@pytest.mark.parametrize("name", CASES)
def test_drift_of_bumps_is_that_of_the_whole_cube(name):
    n, sites = 5, (3, 0, 4)
    corr = np.array([np.roll(ring_correlation(n, 1.3), k) for k in range(n)])
    w = np.zeros(n)
    w[list(sites)] = CASES[name].sizes
    whole = hypercube.drift(w, corr)
    np.testing.assert_allclose(drifts(np.array(CASES[name].sizes), gate_table(corr, sites)), whole, atol=1e-12)
    np.testing.assert_allclose(corrected(name, corr, sites), whole, atol=1e-12)


def test_drift_of_bumps_is_that_of_samples():
    corr, sites, size = line_correlation(6, 2.0), (1, 4, 2), 200_000
    x = np.where(np.random.default_rng(0).multivariate_normal(np.zeros(6), corr, size) < 0, -1, 1)
    mean = (x[:, sites] @ [1.5, -1.2, 1.0] > 0) @ x / size
    found = drifts(np.array([1.5, -1.2, 1.0]), gate_table(corr, sites))
    np.testing.assert_allclose(found, mean, atol=5 / np.sqrt(size))


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("part", ["printed", "right"])
def test_each_equation_is_judged_by_its_own_error(name, part):
    """All others are on the other side of the bound: 0.01, or 0.1 for an approximation; 1e-9 for the corrected ones."""
    number, (words, law) = NUMBERS[name], WORDS[name]
    claim = f"equation {number} as printed gives the drift of {words}" if part == "printed" else (
        f"equation {number} corrected gives the drift of {words}: {law}")  # fmt: skip
    limits = {case: 1e-9 if part == "right" else 0.1 if NUMBERS[case] == 12 else 0.01 for case in NUMBERS}
    for inside in (True, False):
        errors = {case: limit * (0.98 if (case == name) == inside else 1.02) for case, limit in limits.items()}
        found = judged(made(**{part: errors}), claim)
        assert found.holds is inside
        assert found.predicted == 0
        assert found.measured == pytest.approx(errors[name], rel=1e-3)
        assert found.kind == ("claim" if part == "printed" else "prediction")
        assert found.source.startswith(f"note 003, equation {number}")


@pytest.mark.parametrize(
    ("words", "changes", "measured", "holds"),
    [
        ("with the factor 1/2 and C for Sigma", {"three": 0.098}, 0.098, True),
        ("with the factor 1/2 and C for Sigma", {"three": -0.102}, 0.102, False),
        ("the exact f is that of samples", {"sigmas": 4.9}, 4.9, True),
        ("the exact f is that of samples", {"sigmas": 5.1}, 5.1, False),
        ("f at the largest bump", {"at": (0.225881, 0.3)}, 0.225881, True),
        ("f at the largest bump", {"at": (0.225879, 0.27994)}, 0.225879, False),
        ("f at the largest bump", {"at": (0.225901, 0.27994)}, 0.225901, False),
        ("f at the second bump", {"at": (0.3, 0.279949)}, 0.279949, True),
        ("f at the second bump", {"at": (0.22589, 0.279951)}, 0.279951, False),
        ("C e_i/2 is off by 1.01 of f", {"off": 1.0149}, 1.0149, True),
        ("C e_i/2 is off by 1.01 of f", {"off": 1.0151}, 1.0151, False),
        ("C e_i/2 is off by 1.01 of f", {"off": 1.0049}, 1.0049, False),
        ("have a cosine of 0.521", {"cosine": 0.5219, "off": 1.2}, 0.5219, True),
        ("have a cosine of 0.521", {"cosine": 0.5221}, 0.5221, False),
        ("have a cosine of 0.521", {"cosine": 0.5199}, 0.5199, False),
        ("f = C e_i/2 for all alpha > beta > 1", {"one_site": INSIDE}, 1, True),
        ("f = C e_i/2 for all alpha > beta > 1", {"one_site": LEADS}, 1 / 3, False),
        ("exactly where the largest entry exceeds", {"one_site": LEADS}, 1, True),
        ("exactly where the largest entry exceeds", {"one_site": INSIDE}, 5 / 12, False),
        ("f is largest at the largest of three", {"picked": INSIDE}, 1, True),
        ("f is largest at the largest of three", {"picked": np.array([INSIDE, INSIDE, INSIDE & LEADS, INSIDE])}, 1 / 3, False),
        ("three voting bumps far apart", {"far": (0.2509, 0.2495, 0.25)}, 0.2509, True),
        ("three voting bumps far apart", {"far": (0.25, 0.2505, 0.2489)}, 0.2489, False),
        ("three voting bumps far apart", {"far": (0.2511, 0.25, 0.25)}, 0.2511, False),
    ],
)  # fmt: skip
def test_verdicts_on_both_sides_of_their_bounds(words, changes, measured, holds):
    found = judged(made(**changes), words)
    assert found.holds is holds
    assert found.measured == pytest.approx(measured, rel=1e-9)


def test_kinds_and_what_is_expected():
    found = {v.claim: v for v in experiment.verdicts(made())}
    assert len(found) == 2 * 7 + 10
    assert [v.kind for v in found.values()][14:] == [
        "claim",
        "control",
        *["regression"] * 4,
        "claim",
        "claim",
        *["prediction"] * 2,
    ]
    assert [v.predicted for v in found.values()][14:] == [0, 0, 0.22589, 0.27994, 1.01, 0.521, 1, 1, 1, 0.25]
    assert "up to 3.5" in judged(made(), "f = C e_i/2 for all alpha > beta > 1").tolerance
    assert "edge: 1.000, middle: 1.000" in judged(made(), "f is largest at the largest").note
    assert "length scale 0.5" in judged(made(), "far apart").note


def test_the_printed_drift_is_that_many_times_the_exact_one_at_the_first_bump():
    record = made(printed={"balanced": 3.0})
    record["printed"].loc[{"case": "balanced", "position": [5, 6, 7]}] = 100.0
    assert "4 times the exact one" in judged(record, "equation 9 as printed").note


def test_figure_shows_the_record():
    record = made(printed={"balanced": 1.0}, right={"balanced": 0.5})
    panels = {axes.get_title(): axes for axes in experiment.figure(record).axes}
    one = record.sel(case="balanced")
    lags = np.arange(-4, 8)
    _, printed, right, exact = panels["(b) two equal bumps"].lines
    for drawn, values in ((printed, one.printed), (right, one.corrected), (exact, one.drift)):
        np.testing.assert_array_equal(drawn.get_xdata(), lags)
        np.testing.assert_array_equal(drawn.get_ydata(), values[(4 + lags) % 12])
    shown = {"(a) one bump": "single", "(c) bumps 2 and 1": "imbalanced", "(d) bumps 2.5, 2, 1": "three voting"}
    for title, case in shown.items():
        np.testing.assert_array_equal(panels[title].lines[3].get_ydata(), record.drift.sel(case=case)[(4 + lags) % 12])
    for title in ("(e) neighbours, α at the edge", "(f) neighbours, α in the middle", "(g) 3 and 2 sites apart"):
        np.testing.assert_array_equal(panels[title].collections[0].get_array(), np.where(LEADS, 0, np.where(INSIDE, 1, 2)).T)
        first, second, third = (line.get_xydata() for line in panels[title].lines[:3])
        np.testing.assert_allclose([first[:, 0] - first[:, 1], second[:, 1] - second[:, 0], third.sum(1)], 1.0)
    lead = panels["(h) what the largest entry of a vote gains"].lines[3]  # the zero line, then edge, middle, apart
    vote = record.vote.sel(layout="apart").values
    np.testing.assert_allclose(lead.get_ydata(), vote[:, 4] - np.delete(vote, 4, axis=1).max(1))
    np.testing.assert_array_equal(panels["(h) what the largest entry of a vote gains"].lines[5].get_ydata(), [0.45, 0.15])
    for place, site in enumerate((4, 7, 9)):
        drawn = panels["(i) a vote of bumps 3 and 2 sites apart"].lines[place]
        np.testing.assert_array_equal(drawn.get_ydata(), vote[:, site])
        assert to_rgba(drawn.get_color()) == to_rgba(f"C{place}")


def test_maps_of_the_figure_belong_to_their_layouts():
    part = np.stack([INSIDE, INSIDE & LEADS, INSIDE & ~LEADS, INSIDE])
    panels = {axes.get_title(): axes for axes in experiment.figure(made(one_site=np.zeros((4, 3), bool), picked=part)).axes}
    for title, picked in zip(
        ("(e) neighbours, α at the edge", "(f) neighbours, α in the middle", "(g) 3 and 2 sites apart"), part, strict=False
    ):
        np.testing.assert_array_equal(panels[title].collections[0].get_array(), np.where(picked, 1, 2).T)
