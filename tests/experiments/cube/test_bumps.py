"""The drift of few bumps beside the whole cube and samples; verdicts and figure on records made by hand."""

import functools

import judging
import numpy as np
import pytest
import xarray as xr
from drawn import panel

from gatefield.data import ring_correlation
from gatefield.experiments.cube.bumps import experiment
from gatefield.experiments.cube.bumps.cases import CASES, corrected
from gatefield.experiments.cube.bumps.simulate import Settings, _maps
from gatefield.lab import headline
from gatefield.theory import hypercube

NUMBERS = {"single": 8, "balanced": 9, "imbalanced": 10, "difference": 11, "three leading": 12, "three voting": 12,
           "three tied": 12}  # fmt: skip
"""The note's number of each example; only equation 12 is printed with a sign of approximation."""
PLACES = {
    "single": "equation 8, one bump",
    "balanced": "equation 9, two equal bumps",
    "imbalanced": "equation 10, two bumps, 2 and 1",
    "difference": "equation 11, two bumps, 2 and -1",
    "three leading": "three bumps, 4, 2, 1",
    "three voting": "three bumps, 2.5, 2, 1",
    "three tied": "three bumps, 3, 2, 1",
}
"""Where each example stands in the tables."""
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


@pytest.mark.costly
@pytest.mark.parametrize("name", CASES)
def test_drift_of_bumps_is_that_of_the_whole_cube(name):
    n, sites = 5, (3, 0, 4)
    corr = np.array([np.roll(ring_correlation(n, 1.3), k) for k in range(n)])
    w = np.zeros(n)
    w[list(sites)] = CASES[name].sizes
    whole = hypercube.drift(w, corr)
    np.testing.assert_allclose(hypercube.head_drift(CASES[name].sizes, sites, corr), whole, atol=1e-12)
    np.testing.assert_allclose(corrected(name, corr, sites), whole, atol=1e-12)


@pytest.mark.parametrize("name", NUMBERS)
def test_each_printed_equation_is_judged_by_its_own_error(name):
    """All others are on the other side of the bound: 0.01, or 0.1 for an approximation."""
    three = NUMBERS[name] == 12
    claim = "that equation 12 of note 003 prints" if three else "equations 8 to 11 of note 003 print"
    for inside in (True, False):
        errors = {
            case: (0.1 if NUMBERS[case] == 12 else 0.01) * (0.98 if (case == name) == inside else 1.02) for case in NUMBERS
        }
        found = judged(made(printed=errors), claim)
        (row,) = [row for row in found.table if row.at == PLACES[name]]
        assert row.holds is inside
        assert row.measured == pytest.approx(errors[name], rel=1e-3)
        assert len(found.table) == (3 if three else 4)
        assert found.outcome == "refuted"
        assert (found.kind, found.source[:18]) == ("claim", "note 003, equation")
    assert judged(made(), claim).outcome == "confirmed"


@pytest.mark.parametrize(
    ("words", "changes", "measured", "holds"),
    [
        ("is nearly C e_i/2", {"three": 0.098}, 0.098, True),
        ("is nearly C e_i/2", {"three": -0.102}, 0.102, False),
        ("is the mean over samples", {"sigmas": 4.9}, 4.9, True),
        ("is the mean over samples", {"sigmas": 5.1}, 5.1, False),
        ("of the largest alone for all sizes", {"one_site": INSIDE}, 1, True),
        ("of the largest alone for all sizes", {"one_site": LEADS}, 1 / 3, False),
        ("exactly where it exceeds", {"one_site": LEADS}, 1, True),
        ("exactly where it exceeds", {"one_site": INSIDE}, 5 / 12, False),
        ("is largest at the largest of them", {"picked": INSIDE}, 1, True),
        ("is largest at the largest of them", {"picked": np.array([INSIDE, INSIDE, INSIDE & LEADS, INSIDE])}, 1 / 3, False),
        ("three bumps far apart", {"far": (0.2509, 0.2495, 0.25)}, 0.2509, True),
        ("three bumps far apart", {"far": (0.25, 0.2505, 0.2489)}, 0.2489, False),
        ("three bumps far apart", {"far": (0.2511, 0.25, 0.25)}, 0.2511, False),
    ],
)  # fmt: skip
def test_verdicts_on_both_sides_of_their_bounds(words, changes, measured, holds):
    found = judged(made(**changes), words)
    assert found.holds is holds
    assert found.measured == pytest.approx(measured, rel=1e-9)


@pytest.mark.parametrize(
    ("at", "changes", "measured", "holds"),
    [
        ("drift at the largest bump", {"at": (0.225881, 0.3)}, 0.225881, True),
        ("drift at the largest bump", {"at": (0.225879, 0.27994)}, 0.225879, False),
        ("drift at the largest bump", {"at": (0.225901, 0.27994)}, 0.225901, False),
        ("drift at the second bump", {"at": (0.3, 0.279949)}, 0.279949, True),
        ("drift at the second bump", {"at": (0.22589, 0.279951)}, 0.279951, False),
        ("relative distance of C e_i/2", {"off": 1.0149}, 1.0149, True),
        ("relative distance of C e_i/2", {"off": 1.0151}, 1.0151, False),
        ("relative distance of C e_i/2", {"off": 1.0049}, 1.0049, False),
        ("cosine with C e_i/2", {"cosine": 0.5219, "off": 1.2}, 0.5219, True),
        ("cosine with C e_i/2", {"cosine": 0.5221}, 0.5221, False),
        ("cosine with C e_i/2", {"cosine": 0.5199}, 0.5199, False),
    ],
)
def test_numbers_found_before_on_a_line(at, changes, measured, holds):
    (row,) = [row for row in judged(made(**changes), "on a line of eight sites").table if row.at == at]
    assert row.holds is holds
    assert row.measured == pytest.approx(measured, rel=1e-9)


def test_kinds_and_what_is_expected():
    found = experiment.verdicts(made())
    kinds = ["prediction", "claim", "claim", "claim", "claim", "claim", "control", "control", "regression"]
    assert [v.kind for v in found] == kinds
    assert [v.predicted for v in found] == [1, None, None, None, None, None, 0.25, None, None]
    layouts = [
        "neighbours, largest at an end",
        "neighbours, largest between",
        "3 and 2 sites apart",
        "a third of the ring apart",
    ]
    assert [row.at for row in judged(made(), "of the largest alone for all sizes").table] == layouts
    assert "up to 3.5" in judged(made(), "of the largest alone for all sizes").note
    assert "length scale 0.5" in judged(made(), "far apart").note


def test_the_headline_says_how_many_times_the_exact_drift_is_printed():
    """At the first bump: 4 times for two equal bumps, and as it is for the others."""
    record = made(printed={"balanced": 3.0})
    record["printed"].loc[{"case": "balanced", "position": [5, 6, 7]}] = 100.0
    assert headline("?", experiment.verdicts(record)) == (
        "The largest bump alone sets the drift exactly where it exceeds the sum of the others; "
        "printed drifts of 1 and 2 bumps are 1 to 4 times the exact"
    )
    assert headline("?", experiment.verdicts(made())).endswith("; printed drifts of 1 and 2 bumps are the exact")


TITLES = {"edge": "(d)", "middle": "(e)", "apart": "(f)"}


def test_figure_shows_the_record():
    record = made(printed={"balanced": 1.0}, right={"balanced": 0.5})
    figure, more = experiment.figure(record), experiment.more(record)
    lags = np.arange(-4, 8)
    shown = [(figure, "(a)", "single"), (figure, "(b)", "balanced"), (figure, "(c)", "three voting"),
             (more, "(c)", "imbalanced")]  # fmt: skip
    leading = panel(more, "(c)").lines[4]
    np.testing.assert_array_equal(leading.get_ydata(), record.sel(case="three leading").drift[(4 + lags) % 12])
    for where, title, case in shown:
        one, (_, printed, right, exact) = record.sel(case=case), panel(where, title).lines[:4]
        for line_drawn, values in ((printed, one.printed), (right, one.corrected), (exact, one.drift)):
            np.testing.assert_array_equal(line_drawn.get_xdata(), lags)
            np.testing.assert_array_equal(line_drawn.get_ydata(), values[(4 + lags) % 12])
        assert (printed.get_linestyle(), right.get_color(), exact.get_marker()) == ("--", "black", "o")
    for title in TITLES.values():
        axes = panel(figure, title)
        np.testing.assert_array_equal(axes.collections[0].get_array(), np.where(LEADS, 0, np.where(INSIDE, 1, 2)).T)
        first, second, third = (line.get_xydata() for line in axes.lines[:3])
        np.testing.assert_allclose([first[:, 0] - first[:, 1], second[:, 1] - second[:, 0], third.sum(1)], 1.0)


@pytest.mark.parametrize(
    ("last", "gain"), [((0.2, 0.5, 0.3), "least"), ((0.6, 0.5, 0.3), "most"), ((0.4, 0.5, 0.3), "less than another")]
)
def test_second_figure_shows_votes_by_length_scale(last, gain):
    record = made()
    record.vote[1, 2, [4, 7, 9]] = np.array(last)
    figure = experiment.more(record)
    leads = panel(figure, "(b)").lines  # the zero line, then edge, middle, apart, far, and one bump alone
    vote = record.vote.sel(layout="apart").values
    np.testing.assert_allclose(leads[3].get_ydata(), vote[:, 4] - np.delete(vote, 4, axis=1).max(1))
    np.testing.assert_array_equal(leads[5].get_ydata(), [0.45, 0.15])
    for place, site in enumerate((4, 7, 9)):
        np.testing.assert_array_equal(panel(figure, "(a)").lines[place].get_ydata(), vote[:, site])

    words = [f"{name}\n{value:.2f}" for name, value in zip(("largest", "second", "third"), last, strict=True)]
    assert [text.get_text() for text in panel(figure, "(a)").texts] == ["0.25 without correlations", *words]
    assert headline("?", experiment.verdicts(record), more=True) == (
        f"Of three bumps that vote, 3 and 2 sites apart, the largest gains {gain}: drift {last[0]:.2f}, the second "
        f"{last[1]:.2f}, the third {last[2]:.2f} (length scale 3)"
    )


def test_maps_say_in_what_part_of_the_notes_sizes_the_largest_bump_is_picked():
    part = np.stack([INSIDE, INSIDE & LEADS, INSIDE & ~LEADS, INSIDE])
    figure = experiment.figure(made(picked=part))
    titles = [panel(figure, title).get_title(loc="left").splitlines()[1] for title in TITLES.values()]
    assert titles == [f"α picked in {share} % of the triangle" for share in (100, 33, 67)]


def test_equal_drifts_are_no_largest_one():
    """Three bumps at equal distances on the ring, none larger than the others together: the gate is their majority, which is
    the same for all three, and so is f."""
    p = Settings(n=12, grid=5)
    maps = _maps(p, {"even": (0, 4, 8)}).isel(layout=0)
    sizes = np.stack(np.broadcast_arrays(maps.alpha.values[:, None], maps.beta.values, 1.0), axis=-1)
    majority = 2 * sizes.max(-1) < sizes.sum(-1)
    assert 0 < majority.mean() < 1
    np.testing.assert_array_equal(maps.picked, ~majority)


def test_maps_of_the_figure_belong_to_their_layouts():
    part = np.stack([INSIDE, INSIDE & LEADS, INSIDE & ~LEADS, INSIDE])
    figure = experiment.figure(made(one_site=np.zeros((4, 3), bool), picked=part))
    for title, picked in zip(TITLES.values(), part, strict=False):
        np.testing.assert_array_equal(panel(figure, title).collections[0].get_array(), np.where(picked, 1, 2).T)
