"""Influences by enumeration; verdicts and figure of `gate-influence` on records made by hand."""

import functools
import itertools

import judging
import numpy as np
import pytest
import xarray as xr
from drawn import panel
from scipy import special

from gatefield.experiments.cube.gate_influence import experiment
from gatefield.experiments.cube.gate_influence.simulate import counted, on_points
from gatefield.lab import headline

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


def test_ties_that_rounding_hides_count_too():
    """Tenths of 2, 7 and 9: in float64 their signed sum is 1e-16."""
    corners, whole = np.array(list(itertools.product([-1.0, 1.0], repeat=3))), np.array([2.0, 7.0, 9.0])
    for found, expected in zip(on_points(0.1 * whole, corners), on_points(whole, corners), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["random", "geometric 0.5", "trained, long range", "trained, short range"])
@pytest.mark.parametrize(("law", "words"), [("uniform", "all corners alike"), ("own", "with the data's law")])
def test_a_divide_is_clear_if_no_site_of_any_field_is_in_between(name, law, words):
    def row(record):
        (found,) = [row for row in judged(record, f"follows a site or ignores it, {'on inputs ' * (law == 'own')}{words}").table
                    if row.at == name]  # fmt: skip
        return found

    apart = np.array([[0.0, 0.1, 0.9, 1.0] + [0.05] * 6, [0.9, 0.95, 0.1] + [0.02] * 7])
    record = made()
    record.uniform[:], record.own[:] = 0.5, 0.5
    record[law][at(name)] = apart
    assert (row(record).holds, row(record).measured) == (True, 0)
    for value in (0.1001, 0.8999):
        apart[1, 9] = value
        record[law][at(name)] = apart
        assert (row(record).holds, row(record).measured) == (False, 0.5)


def test_averaged_fields_are_not_judged():
    found = experiment.verdicts(made())
    assert not [row for v in found for row in v.table if "averaged" in row.at]
    assert [v.kind for v in found] == ["claim", "claim", "claim", *["prediction"] * 3, "regression"]


def test_the_headline_counts_the_sites_in_between():
    record = made()
    record.uniform[at("random")] = 0.05
    record.uniform[{"field": at("random"), "position": slice(0, 3)}] = 0.5
    record.uniform[at("trained, long range")] = 0.05
    record.uniform[{"field": 4, "position": 0}] = 0.5
    record.own[:] = 0.05
    record.own[{"field": at("random"), "position": slice(0, 4)}] = 0.5
    record.own[{"field": 4, "position": slice(0, 2)}] = 0.5
    words = "Gates do not just follow or ignore a site: 3 of 10 lie between in random fields, {} in localized ones (4 and 1 if "
    words += "inputs are correlated)"
    assert headline("?", experiment.verdicts(record)) == words.format("0.5")
    record.uniform[4] = 0.05
    assert headline("?", experiment.verdicts(record)) == words.format("none")
    record.uniform[:] = 0.05
    assert headline("?", experiment.verdicts(record)[:1]) == "A gate either follows or ignores each of its 10 sites"


def test_the_figure_says_how_far_a_weight_must_grow():
    figure = experiment.figure(made(leads=(0.1, 2.0, 8.0, 9.0), leader=(0.0, 0.1, 0.9, 1.0)))
    assert panel(figure, "(d)").get_title(loc="left").startswith("(d) one weight grows 4-fold")


@pytest.mark.parametrize(
    ("words", "changes", "expected", "measured", "holds"),
    [
        ("weights 1 to 40", {"top": 0.1087179}, 0.108717, 0.1087179, True),
        ("weights 1 to 40", {"top": 0.1087181}, 0.108717, 0.1087181, False),
        ("weights 1 to 40", {"top": 0.1087159}, 0.108717, 0.1087159, False),
        ("has the influence erf(s/sqrt 2)", {"leader": LAW + np.array([0, 0, 0.049, 0])}, None, 0.049, True),
        ("has the influence erf(s/sqrt 2)", {"leader": LAW - np.array([0, 0.051, 0, 0])}, None, 0.051, False),
        ("steps from 0.1 to 0.9", {"leads": (0.1, 2.0, 2.99, 9.0), "leader": (0.0, 0.1, 0.9, 1.0)}, None, 1.495, True),
        ("steps from 0.1 to 0.9", {"leads": (0.1, 2.0, 3.01, 9.0), "leader": (0.0, 0.1, 0.9, 1.0)}, None, 1.505, False),
    ],
)
def test_known_influences_on_both_sides_of_their_bounds(words, changes, expected, measured, holds):
    found = judged(made(**changes), words)
    assert found.holds is holds
    assert found.predicted == expected
    assert found.measured == pytest.approx(measured, rel=1e-9)


def test_notes_give_the_laws_of_similar_and_of_random_weights():
    """By hand: 40/sqrt(2 pi 40 * 41 * 81/6) = 0.107246, and erfinv(0.9)/erfinv(0.1) = 13.1."""
    assert judged(made(), "weights 1 to 40").note.endswith("w_j/(sqrt(2 pi) |w|) = 0.107246")
    assert judged(made(), "steps from").note.endswith("a factor of 13.1")


@pytest.mark.parametrize("sign", [-1, 1])
def test_random_fields_are_judged_by_the_worst_site_over_the_largest_influence(sign):
    """All shares 0.1 but one of 0.5 make a sum of fourth powers of 0.0634 and a bound of half of it, 0.0317."""
    record = made()
    record.share[:2] = 0.1
    record.share[1, 0] = 0.5
    s = record.share[:2]
    law = special.erf(s / np.sqrt(2 * (1 - s**2)))
    for off, holds in ((0.0316, True), (0.0318, False)):
        record.uniform[:2] = law
        record.uniform[1, 7] = law[1, 7] + sign * off * law[1, 0]
        found = judged(record, "the sites of random fields")
        assert found.holds is holds
        assert found.measured == pytest.approx(off)


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


def test_the_second_headline_sets_influence_beside_what_turning_a_site_does():
    """One site decides in the fields 2 and 5, whose neighbours have the covariances 0.55 and 0.24."""
    record = made()
    record.turns[2, [9, 1]], record.turns[5, [3, 5]] = 0.0, 0.04
    found = judged(record, "where one site decides")
    assert found.more_found == (
        "neighbours of a site that decides the gate have influence by covariance only "
        f"({NEAR[1]:.2f} to {NEAR[0]:.2f}): turning one turns the gate in 4 % of inputs"
    )
    figure = experiment.more(record)
    lines = panel(figure, "(a)").lines[-2:]
    np.testing.assert_allclose([line.get_ydata()[0] for line in lines], [NEAR[1], NEAR[0]], atol=1e-6)
    (arrow,) = panel(figure, "(b)").texts[1:]
    assert arrow.get_text() == "neighbours of a site\nthat decides: 0.04"
    widest = max(float(record.share[2, [9, 1]].max()), float(record.share[5, [3, 5]].max()))
    assert arrow.xy == pytest.approx((widest, 0.09))  # the bracket stands a little above the marks
    record.own[2, [9, 1]] = 0.3
    found = judged(record, "where one site decides")
    assert (found.outcome, found.more_otherwise) == (
        "refuted",
        f"where one site decides, a neighbour's influence is 0.30, not its covariance with that site, {NEAR[0]:.2f}",
    )


def test_families_are_named_by_their_pair_if_the_record_has_it():
    record = made().assign_attrs(length_scales=[2.0, 1.0])
    labels = [line.get_label() for line in panel(experiment.figure(record), "(c)").lines]
    assert labels[2:4] == ["trained on ξ = (2, 1)", "trained on ξ = (1, 2)"]


def test_without_a_site_that_decides_nothing_is_said_of_neighbours():
    record = made()
    record.uniform[:] = record.uniform.clip(max=0.999)
    assert judged(record, "where one site decides").outcome == "not judged"
    assert not panel(experiment.more(record), "(a)").texts[1:]


def test_short_trainings_decide_nothing_of_trained_fields():
    record = made().assign_attrs(steps=3999)
    record.uniform[:] = 0.05
    found = judged(record, "ignores it, all corners alike")
    outcomes = {row.at: row.outcome for row in found.table}
    assert (outcomes["trained, long range"], outcomes["random"], found.outcome) == ("not decided", "holds", "not decided")
    assert found.note.startswith("needs a training of 200 tau")


SHOWN = [name for name in FAMILIES if not name.startswith("averaged")]


def test_figures_show_the_influences_of_each_family():
    record = made()
    figure, more = experiment.figure(record), experiment.more(record)
    for where, title, law in ((figure, "(c)", "uniform"), (more, "(a)", "own"), (more, "(b)", "turns")):
        lines = panel(where, title).lines
        assert [line.get_label().replace("falling by", "geometric") for line in lines[:4]] == SHOWN
        for line, name in zip(lines, SHOWN, strict=False):
            np.testing.assert_array_equal(line.get_xdata(), record.share.values[at(name)].ravel())
            np.testing.assert_array_equal(line.get_ydata(), record[law].values[at(name)].ravel())
    (crowd,) = panel(figure, "(c)").lines[4:]
    s = crowd.get_xdata()
    np.testing.assert_allclose(crowd.get_ydata(), special.erf(s / np.sqrt(1 - s**2) / np.sqrt(2)))


@pytest.mark.parametrize(("title", "law"), [("(a)", "uniform"), ("(b)", "own")])
def test_figure_counts_sites_ignored_in_between_and_followed(title, law):
    """A bar for each family: by hand 0.1 is ignored, 0.9 is followed; means over two fields of ten sites."""
    record, row = made(), SHOWN.index("trained, long range")
    record[law][at("trained, long range")] = 0.1
    record[law][{"field": 4, "position": slice(0, 3)}] = 0.52
    record[law][{"field": 5, "position": 0}] = 0.9
    axes = panel(experiment.figure(record), title)
    ends = [(bars[row].get_x(), bars[row].get_width()) for bars in axes.containers]
    np.testing.assert_allclose(ends, [(0, 8), (8, 1.5), (9.5, 0.5)])
    said = [text.get_text() for text in axes.texts if text.get_position()[1] == row]
    assert said == ["8", "1.5", "0.5"]


def test_figure_shows_a_weight_that_grows_from_a_crowd():
    record = made()
    axes = panel(experiment.figure(record), "(d)")
    leader, follower, law, *edges = axes.lines
    low, high = (float(np.interp(level, record.leader.mean("crowd"), LEADS)) for level in (0.1, 0.9))
    assert [line.get_xdata()[0] for line in edges] == [low, high]
    np.testing.assert_allclose(leader.get_ydata(), special.erf(np.array(LEADS) / np.sqrt(2)))
    np.testing.assert_allclose(follower.get_ydata(), record.follower.values.mean(1))
    np.testing.assert_array_equal(follower.get_xdata(), LEADS)
    np.testing.assert_allclose(law.get_ydata(), special.erf(law.get_xdata() / np.sqrt(2)))
    for band, values in zip(axes.collections, (record.leader, record.follower), strict=True):
        corners = band.get_paths()[0].vertices
        ends = corners[corners[:, 0] == 2.0][:, 1]
        np.testing.assert_allclose([ends.min(), ends.max()], [values[2].min(), values[2].max()])
