"""Influences by enumeration; verdicts and figure of `gate-influence` on records made by hand."""

import functools
import itertools

import judging
import numpy as np
import pytest
import xarray as xr
from scipy import special

from gatefield.experiments.cube.gate_influence import experiment
from gatefield.experiments.cube.gate_influence.simulate import counted, on_points

FAMILIES = {"random": 2, "geometric 0.5": 2, "trained, long range": 2, "trained, short range": 2, "averaged, long range": 2,
            "averaged, short range": 2}  # fmt: skip
N, LEADS = 10, (0.2, 1.0, 2.0, 4.0)
LAW = special.erf(np.array(LEADS) / np.sqrt(2))
NEAR = 2 / np.pi * np.arcsin(np.exp(-1 / 4)), 2 / np.pi * np.arcsin(np.exp(-1))
"""Covariance of neighbours at length scales 2 and 1."""


def at(name):
    start = list(itertools.accumulate(FAMILIES.values(), initial=0))[list(FAMILIES).index(name)]
    return slice(start, start + FAMILIES[name])


def made(leads=LEADS, leader=None, equal=(0.2734375, 0.08), top=0.108717):
    """Influences at or beyond both edges of what is in between; one site decides in the first field of each geometric pair."""
    rng = np.random.default_rng(0)
    family = [name for name, count in FAMILIES.items() for _ in range(count)]
    dims, shape = ("field", "position"), (len(family), N)
    share = rng.uniform(0.1, 0.5, shape)
    uniform, own = rng.choice([0.02, 0.1, 0.9, 0.97], shape), rng.choice([0.02, 0.1, 0.9, 0.97], shape)
    uniform[at("random")] = np.sqrt(2 / np.pi) * share[at("random")]
    uniform[2, 0] = uniform[5, 4] = 1.0
    own[2, [9, 1]], own[5, [3, 5]] = NEAR[0], NEAR[1]
    mean = special.erf(np.array(leads) / np.sqrt(2)) if leader is None else np.array(leader)
    return xr.Dataset(
        {
            "share": (dims, share),
            "uniform": (dims, uniform),
            "own": (dims, own),
            "turns": (dims, rng.uniform(size=shape)),
            "equal": ("equal_size", list(equal)),
            "ladder": ("rung", np.append(np.zeros(39), top)),
            "leader": (("lead", "crowd"), mean[:, None] + np.array([-0.2, 0.0, 0.2])),
            "follower": (("lead", "crowd"), rng.uniform(size=(len(leads), 3))),
        },
        {
            "family": ("field", family),
            "xi": ("field", [2.0, 2, 2, 2, 2, 1, 1, 1, 2, 2, 1, 1]),
            "equal_size": [9, 99],
            "rung": np.arange(1, 41),
            "lead": list(leads),
        },
        {"samples": 10_000, "steps": 4000, "learning_rate": 0.05},
    )


judged = functools.partial(judging.judged, experiment)


def test_influence_by_turning_sites():
    w = np.array([0.9, -0.37, 0.21, 1.3, -0.55])
    corners = np.array(list(itertools.product([-1.0, 1.0], repeat=5)))
    opens = corners @ w > 0
    expected = [opens[corners[:, j] == 1].mean() - opens[corners[:, j] == -1].mean() for j in range(5)]
    differs, turns = on_points(w, corners)
    np.testing.assert_allclose(counted(w), np.abs(expected), atol=1e-12)
    np.testing.assert_allclose(differs, np.abs(expected), atol=1e-12)
    np.testing.assert_allclose(turns, np.abs(expected), atol=1e-12)  # equal, as all corners are alike


def test_turning_a_site_counts_ties_by_half():
    differs, turns = on_points(np.array([1.0, 1.0]), np.array(list(itertools.product([-1.0, 1.0], repeat=2))))
    np.testing.assert_allclose([differs, turns], 0.5)


@pytest.mark.parametrize("name", ["geometric 0.5", "trained, long range", "trained, short range"])
@pytest.mark.parametrize(("law", "words"), [("uniform", "all corners alike"), ("own", "the data's law")])
def test_a_divide_is_clear_if_no_site_of_any_field_is_in_between(name, law, words):
    claim = f"{name}, {words}: there is a clear divide"
    fields = {"field": at(name)}
    apart = np.array([[0.0, 0.1, 0.9, 1.0] + [0.05] * 6, [0.9, 0.95, 0.1] + [0.02] * 7])
    record = made()
    record.uniform[:], record.own[:] = 0.5, 0.5
    record[law][fields] = apart
    found = judged(record, claim)
    assert (found.holds, found.predicted, found.measured, found.kind) == (True, 0, 0, "claim")
    assert found.note.startswith("of 10; 2 above, the largest 0.975")
    for value in (0.1001, 0.8999):
        apart[1, 9] = value
        record[law][fields] = apart
        assert (judged(record, claim).holds, judged(record, claim).measured) == (False, 0.5)


def test_notes_on_the_own_law_count_sites_whose_turn_turns_the_gate():
    record = made()
    record.turns[:] = 0.05
    record.turns[{"field": 4, "position": slice(0, 3)}] = 0.3
    assert judged(record, "trained, long range, the data's law").note.endswith("with such a chance at 1.5 sites")
    assert "turning" not in judged(record, "trained, long range, all corners alike").note


def test_averaged_fields_are_not_judged():
    assert not [v for v in experiment.verdicts(made()) if "averaged" in v.claim]
    assert len(experiment.verdicts(made())) == 2 * 4 + 7


@pytest.mark.parametrize(
    ("words", "changes", "expected", "measured", "holds"),
    [
        ("nine equal weights", {"equal": (0.2734375, 0.5)}, 0.2734375, 0.2734375, True),
        ("nine equal weights", {"equal": (0.2734376, 0.5)}, 0.2734375, 0.2734376, False),
        # sqrt(2/(99 pi)) = 0.0801904
        ("at n = 99", {"equal": (0.5, 0.08098)}, 0.0801904, 0.08098, True),
        ("at n = 99", {"equal": (0.5, 0.08101)}, 0.0801904, 0.08101, False),
        ("at n = 99", {"equal": (0.5, 0.07938)}, 0.0801904, 0.07938, False),
        ("weights 1 to 40", {"top": 0.1087179}, 0.108717, 0.1087179, True),
        ("weights 1 to 40", {"top": 0.1087181}, 0.108717, 0.1087181, False),
        ("weights 1 to 40", {"top": 0.1087159}, 0.108717, 0.1087159, False),
        ("has influence erf(s/sqrt 2)", {"leader": LAW + np.array([0, 0, 0.049, 0])}, 0, 0.049, True),
        ("has influence erf(s/sqrt 2)", {"leader": LAW - np.array([0, 0.051, 0, 0])}, 0, 0.051, False),
        ("grows by a clear step", {"leads": (0.1, 2.0, 2.99, 9.0), "leader": (0.0, 0.1, 0.9, 1.0)}, 1.5, 1.495, True),
        ("grows by a clear step", {"leads": (0.1, 2.0, 3.01, 9.0), "leader": (0.0, 0.1, 0.9, 1.0)}, 1.5, 1.505, False),
    ],
)
def test_known_influences_on_both_sides_of_their_bounds(words, changes, expected, measured, holds):
    found = judged(made(**changes), words)
    assert found.holds is holds
    assert found.predicted == pytest.approx(expected, rel=1e-5)
    assert found.measured == pytest.approx(measured, rel=1e-9)


def test_notes_give_the_laws_of_similar_and_of_random_weights():
    """By hand: 40/sqrt(2 pi 40 * 41 * 81/6) = 0.107246, and erfinv(0.9)/erfinv(0.1) = 13.1."""
    assert judged(made(), "weights 1 to 40").note == "w_j/(sqrt(2 pi) |w|) is 0.107246"
    assert "a factor of 13.1:" in judged(made(), "a clear step").note


@pytest.mark.parametrize("sign", [-1, 1])
def test_random_fields_are_judged_by_the_worst_site_over_the_largest_influence(sign):
    record = made()
    line = np.sqrt(2 / np.pi) * record.share[:2]
    for off, holds in ((0.099, True), (0.101, False)):
        record.uniform[:2] = line
        record.uniform[1, 7] = line[1, 7] + sign * off * line[1].max()
        found = judged(record, "the sites of random fields")
        assert found.holds is holds
        assert found.measured == pytest.approx(off)
        assert found.predicted == 0


@pytest.mark.parametrize(("field", "sites", "near"), [(2, (9, 1), NEAR[0]), (5, (3, 5), NEAR[1])])
@pytest.mark.parametrize("sign", [-1, 1])
def test_neighbours_of_a_site_that_decides_are_judged_by_the_mean_of_both(field, sites, near, sign):
    """Four standard errors of 10,000 samples are 0.04."""
    for off, holds in ((0.039, True), (0.041, False)):
        record = made()
        record.own[field, list(sites)] = near + sign * off + np.array([0.1, -0.1])
        found = judged(record, "where one site decides")
        assert found.holds is holds
        assert found.predicted == pytest.approx(near)
        assert found.measured == pytest.approx(near + sign * off)
        assert "the worst of 2 fields" in found.tolerance


def test_without_a_site_that_decides_nothing_is_said_of_neighbours():
    record = made()
    record.uniform[:] = record.uniform.clip(max=0.999)
    assert judged(record, "where one site decides").outcome == "not judged"


def test_short_trainings_decide_nothing_of_trained_fields():
    outcomes = {v.claim.split(",")[0]: v.outcome for v in experiment.verdicts(made().assign_attrs(steps=3999))}
    assert (outcomes["trained"], outcomes["random"]) == ("not decided", "confirmed")


def test_figure_shows_the_influences_of_each_family():
    record = made()
    panels = {axes.get_title(): axes for axes in experiment.figure(record).axes}
    shown = [name for name in FAMILIES if not name.startswith("averaged")]
    titles = {"(a) all corners alike": "uniform", "(b) the data's law": "own", "(c) the data's law: turning one site": "turns"}
    for title, law in titles.items():
        lines = panels[title].lines
        assert [line.get_label() for line in lines[:4]] == shown
        for line, name in zip(lines, shown, strict=False):
            np.testing.assert_array_equal(line.get_xdata(), record.share.values[at(name)].ravel())
            np.testing.assert_array_equal(line.get_ydata(), record[law].values[at(name)].ravel())
    alike, crowd = panels["(a) all corners alike"].lines[4:]
    np.testing.assert_allclose(alike.get_ydata(), alike.get_xdata() * np.sqrt(2 / np.pi))
    s = crowd.get_xdata()
    np.testing.assert_allclose(crowd.get_ydata(), special.erf(s / np.sqrt(1 - s**2) / np.sqrt(2)))


def test_figure_shows_a_weight_that_grows_from_a_crowd():
    record = made()
    panel = {axes.get_title(): axes for axes in experiment.figure(record).axes}["(d) one weight grows from a random crowd"]
    leader, follower, law = panel.lines
    np.testing.assert_allclose(leader.get_ydata(), special.erf(np.array(LEADS) / np.sqrt(2)))
    np.testing.assert_allclose(follower.get_ydata(), record.follower.values.mean(1))
    np.testing.assert_array_equal(follower.get_xdata(), LEADS)
    np.testing.assert_allclose(law.get_ydata(), special.erf(law.get_xdata() / np.sqrt(2)))
    for band, values in zip(panel.collections, (record.leader, record.follower), strict=True):
        corners = band.get_paths()[0].vertices
        ends = corners[corners[:, 0] == 2.0][:, 1]
        np.testing.assert_allclose([ends.min(), ends.max()], [values[2].min(), values[2].max()])
