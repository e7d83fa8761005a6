"""Pure functions of `margins` by enumeration; its verdicts and figure on records made by hand."""

import functools
import itertools

import judging
import numpy as np
import pytest
import xarray as xr
from scipy import stats

from gatefield.experiments.cube.fields import geometric_field
from gatefield.experiments.cube.margins import experiment
from gatefield.experiments.cube.margins.verdicts import truncation_chance
from gatefield.lab import headline
from gatefield.theory import hypercube

SIZES, DRAWS, N = (8, 9, 16), 400, 12
FAMILIES = {"random": 2, "geometric 0.5": 1, "geometric 0.6": 1, "trained, long range": 3, "trained, short range": 3,
            "averaged, long range": 3, "averaged, short range": 3}  # fmt: skip


def exponential(draws):
    """The middles of `draws` parts of equal chance."""
    return -np.log(1 - (np.arange(draws) + 0.5) / draws)


def made(ratio=1.0, slope=-1.0, stretch=1.0, shorter=(0, 50, 0), sizes=SIZES):
    """Margins by halves below and above their mean, by half of it at the last size; the mean is there `ratio` of the law."""
    rng = np.random.default_rng(0)
    n = np.array(sizes)
    mean = ratio * np.sqrt(2 * np.pi * n) / 2.0 ** n[-1] * 2.0 ** (slope * (n - n[-1]))
    heads = np.array([[size - (i < less) for i in range(DRAWS)] for size, less in zip(sizes, shorter, strict=True)])
    scaled = np.full((len(n), DRAWS), 7.0)
    scaled[-1] = rng.permutation(stretch * exponential(DRAWS))
    family = [name for name, count in FAMILIES.items() for _ in range(count)]
    count, law = len(family), ("size", "draw")
    return xr.Dataset(
        {
            "weights": (("field", "position"), rng.normal(size=(count, N))),
            "head": ("field", np.full(count, 1)),
            "probable": (("field", "share"), np.full((count, 2), 1)),
            "errors": (("field", "kept"), rng.uniform(1e-3, 0.5, (count, N))),
            "lead": ("field", rng.normal(size=count)),
            "random_margin": (law, mean[:, None] * (1 + np.array([0.1, 0.3, 0.5])[-len(n) :, None] * (-1) ** np.arange(DRAWS))),
            "scaled_margin": (law, scaled),
            "random_head": (law, heads),
            "steady_lead": ("order", [0.4, 0.6]),
        },
        {
            "family": ("field", family),
            "kept": np.arange(1, N + 1),
            "share": [0.01, 0.05],
            "size": n,
            "order": ["long", "short"],
        },
        {"steps": 4000, "learning_rate": 0.05},
    )


judged = functools.partial(judging.judged, experiment)


def at(name):
    """Where the fields of a family stand."""
    start = list(itertools.accumulate(FAMILIES.values(), initial=0))[list(FAMILIES).index(name)]
    return slice(start, start + FAMILIES[name])


def test_geometric_field_falls_on_both_sides():
    field = geometric_field(8, 0.5)
    np.testing.assert_allclose(np.sort(field)[::-1], 0.5 ** np.arange(8))
    assert sorted([field[1], field[-1]]) == [0.25, 0.5]


def test_chance_of_a_weight_below_the_margin_of_the_others():
    n, draws = 9, 4_000
    w = np.random.default_rng(0).normal(size=(draws, n))
    order = np.take_along_axis(w, np.argsort(-np.abs(w), axis=1), axis=1)
    corners = np.array(list(itertools.product([-1.0, 1.0], repeat=n - 2)))
    sums = np.abs(order[:, :1] + order[:, 1 : n - 1] @ corners.T).min(axis=1)
    share = np.mean(np.abs(order[:, -1]) < sums)
    assert abs(share / truncation_chance(np.array(n)) - 1) < 0.25  # first order, and 4 % of sampling error
    assert truncation_chance(np.array(9)) == pytest.approx(18 * 8**0.5 / 256)


def test_all_hold_in_the_record_made_by_hand_but_the_control():
    found = experiment.verdicts(made())
    assert [v.holds for v in found] == [True, False, *[True] * 7]
    kinds = ["claim", "control", "prediction", "prediction", "prediction", "prediction", "claim", "prediction", "claim"]
    assert [v.kind for v in found] == kinds
    assert {v.source for v in found if v.kind == "claim"} == {"note 003, equation 13"}


@pytest.mark.parametrize(
    ("words", "changes", "expected", "measured", "holds"),
    [
        # a standard deviation of half the mean: 3 standard errors are 3 * 0.5 * ratio/sqrt(399) = 0.07509 ratio
        ("the mean margin of 16 weights", {"ratio": 1.0811, "slope": -1.02}, 1, 1.0811, True),
        ("the mean margin of 16 weights", {"ratio": 1.0813, "slope": -1.02}, 1, 1.0813, False),
        ("the mean margin of 16 weights", {"ratio": 0.9302, "slope": -1.02}, 1, 0.9302, True),
        ("the mean margin of 16 weights", {"ratio": 0.9300, "slope": -1.02}, 1, 0.9300, False),
        ("the mean margin of 16 weights", {"ratio": 0.5, "slope": -1.02}, 1, 0.5, False),
        # 0.05 + 3/(ln 2 sqrt(400 * 3) sqrt(38/3)) = 0.08511
        ("halves with each weight", {"slope": -1.0850}, -1, -1.0850, True),
        ("halves with each weight", {"slope": -1.0852}, -1, -1.0852, False),
        ("halves with each weight", {"slope": -0.9150}, -1, -0.9150, True),
        ("halves with each weight", {"slope": -0.9148}, -1, -0.9148, False),
        ("needs all of them", {"shorter": (400, 50, 4)}, 1 - 32 * 15**0.5 / 2**15, 0.99, True),
        ("needs all of them", {"shorter": (0, 50, 5)}, 1 - 32 * 15**0.5 / 2**15, 0.9875, False),
        # 400 * (18 sqrt 8/2^8 + 32 sqrt 15/2^15) = 81.06, and 0.2 * 81.06 + 3 sqrt(81.06) = 43.22
        ("can do without one is", {"shorter": (400, 34, 4)}, 81.062, 38, True),
        ("can do without one is", {"shorter": (400, 34, 3)}, 81.062, 37, False),
        ("can do without one is", {"shorter": (0, 120, 4)}, 81.062, 124, True),
        ("can do without one is", {"shorter": (0, 120, 5)}, 81.062, 125, False),
    ],
)
def test_laws_of_random_weights_on_both_sides_of_their_bounds(words, changes, expected, measured, holds):
    found = judged(made(**changes), words)
    assert found.holds is holds
    assert found.predicted == pytest.approx(expected, rel=1e-4)
    assert found.measured == pytest.approx(measured, rel=1e-9)


@pytest.mark.parametrize(("stretch", "holds"), [(1.2416, True), (1.2432, False)])
def test_the_law_of_the_margin_is_tested_at_one_percent(stretch, holds):
    """By hand: stretched so, Kolmogorov's distance of 400 draws has a chance just above or below 0.01."""
    record = made(stretch=stretch)
    far = np.max(np.abs((np.arange(DRAWS) + 0.5) / DRAWS - 1 + np.exp(-stretch * exponential(DRAWS)))) + 0.5 / DRAWS
    p = stats.kstwo.sf(far, DRAWS)
    assert abs(p - 0.01) < 0.0005
    found = judged(record, "an exponential law")
    assert found.holds is holds
    assert found.measured == pytest.approx(p)
    assert found.predicted is None
    assert found.note.startswith("n = 16, 400 draws")


def test_counts_need_sizes_at_which_first_order_holds():
    """2 n sqrt(n - 1)/2^(n-1) is above 0.2 for n = 6 and 8."""
    assert judged(made(sizes=(6, 8), shorter=(0, 0)), "can do without one is").outcome == "not judged"
    assert "n = 9 and above" in judged(made(), "can do without one is").note
    assert judged(made(shorter=(0, 50, 3)), "needs all of them").note.startswith("3 of 400 draws")


@pytest.mark.parametrize(("where", "heads"), [("every corner", (5, 6)), ("99 % of inputs", (5, 6))])
def test_fields_that_fall_slowly_on_both_sides_of_few(where, heads):
    for value in heads:
        record = made()
        record["head"][:], record.probable[:] = (1, 1) if value > 5 else (12, 12)
        if where == "every corner":
            record["head"][at("geometric 0.6")] = value
        else:
            record.probable[{"field": at("geometric 0.6"), "share": 0}] = value
        found = judged(record, "sizes fall by a factor above 1/2")
        (row,) = [row for row in found.table if row.at == f"factor 0.6, {where}"]
        assert (row.measured, row.holds) == (value, value == 5)
        assert len(found.table) == 2  # a factor of 1/2 is not asked


def test_by_a_factor_of_one_half_the_first_weight_decides():
    for ratio in (0.3, 0.5):
        assert hypercube.head_size(geometric_field(12, ratio)) == 1


def test_without_fields_that_fall_slowly_nothing_is_said_of_them():
    record = made()
    keep = [i for i, name in enumerate(record.family.values) if name != "geometric 0.6"]
    assert judged(record.isel(field=keep), "sizes fall by a factor").outcome == "not judged"


@pytest.mark.parametrize(("order", "words"), [("long", "that localizes"), ("short", "that does not localize")])
@pytest.mark.parametrize("where", ["every corner", "99 % of inputs"])
def test_gates_of_trained_neurons_on_both_sides_of_few(order, words, where):
    """The neuron that localizes should need few weights, the other, a control, should need more."""
    for values, few in (([9, 5, 1], True), ([6, 1, 6], False)):
        record = made()
        record["head"][:], record.probable[:] = (12, 12) if few else (1, 1)
        if where == "every corner":
            record["head"][at(f"trained, {order} range")] = values
        else:
            record.probable[{"field": at(f"trained, {order} range"), "share": 0}] = values
        (row,) = [row for row in judged(record, f"a trained neuron {words}").table if row.at == where]
        assert row.measured == np.median(values)
        assert row.holds is (few if order == "long" else not few)


def test_every_average_must_be_decided_by_one_weight():
    record = made()
    record["head"][:] = 3
    record["head"][at("averaged, long range")] = 1
    assert judged(record, "one weight decides").holds
    record["head"][at("averaged, long range")] = [1, 2, 1]
    found = judged(record, "one weight decides")
    assert (found.holds, found.predicted, found.measured) == (False, 1, pytest.approx(2 / 3))


def test_notes_give_the_leads_and_how_often_one_weight_errs():
    record = made()
    record["lead"][at("trained, long range")], record["lead"][at("averaged, long range")] = [9, -1.25, -9], [0.25, 9, -9]
    record.errors[{"field": at("trained, long range"), "kept": 0}] = [0.5, 0.013, 0.001]
    assert judged(record, "one weight decides").note.endswith(": -1.25 at the end, 0.25 in the mean, 0.40 in the steady state")
    note = judged(record, "that localizes").note
    assert note == "3 seeds, n = 12; the largest weight alone errs on 1.3 % of inputs"


def test_the_headline_gives_the_numbers_of_weights_with_the_pairs_and_the_time():
    record = made().assign_attrs(length_scales=[2.0, 1.0])
    record["head"][at("trained, long range")] = 1
    record["head"][at("trained, short range")] = 12
    record.probable[at("trained, short range")] = 11
    assert headline("?", experiment.verdicts(record)) == (
        "One of 12 weights decides the gate after 200 τ if the longer range is positive; if the shorter one is, it takes 11 "
        "(median) for 99 % of inputs"
    )
    assert judged(record, "that does not localize").claim.endswith("localize within 200 τ, the shorter being positive")
    record["head"][at("trained, long range")] = 9
    record["head"][at("trained, short range")], record.probable[at("trained, short range")] = 3, 2
    assert headline("?", experiment.verdicts(record)) == (
        "9 of 12 weights decide the gate after 200 τ if the longer range is positive, 1 for 99 % of inputs; if the shorter "
        "one is, 2 for 99 % of inputs, too"
    )


def test_short_trainings_decide_nothing():
    short = experiment.verdicts(made().assign_attrs(steps=3999))[:3]
    assert [v.outcome for v in short] == ["not decided"] * 3


def drawn(record):
    return {axes.get_title(loc="left")[:3]: axes for axes in experiment.figure(record).axes}


def test_figure_shows_the_laws_of_random_weights():
    record = made(ratio=0.9)
    panels = drawn(record)
    n = np.array(SIZES)
    mean, law = panels["(c)"].lines
    np.testing.assert_allclose(mean.get_ydata(), record.random_margin.values.mean(1))
    np.testing.assert_allclose(law.get_ydata(), np.sqrt(2 * np.pi * n) / 2.0**n)
    band = panels["(c)"].collections[0].get_paths()[0].vertices
    ends = band[band[:, 0] == 9.0][:, 1]
    np.testing.assert_allclose([ends.min(), ends.max()], record.random_margin.values[1].mean() * np.array([0.7, 1.3]))
    share, curve = panels["(e)"].lines
    np.testing.assert_allclose(share.get_ydata(), [0, 50 / 400, 0])
    np.testing.assert_allclose(curve.get_ydata()[[0, -1]], [16 * 7**0.5 / 128, 32 * 15**0.5 / 2**15])


def test_figure_shows_the_share_of_margins_above_each_size():
    """For exponential draws it falls like exp(-t)."""
    found, law = drawn(made())["(d)"].lines
    assert np.all(np.diff(found.get_ydata()) < 0)
    np.testing.assert_allclose(found.get_ydata(), np.exp(-found.get_xdata()), atol=0.003)
    np.testing.assert_allclose(law.get_ydata(), np.exp(-law.get_xdata()))


def test_figure_shows_every_head_and_the_median_errors_of_families():
    record = made()
    rng = np.random.default_rng(1)
    record["head"][:] = rng.integers(1, N, record.sizes["field"])
    record["probable"] = (("field", "share"), rng.integers(1, N, (record.sizes["field"], 2)))
    record.errors[at("geometric 0.5")] = 0.0  # no error at any size
    record.errors[{"kept": -1}] = 0.0  # not shown on a logarithmic axis
    panels = drawn(record)
    heads = panels["(a)"].lines
    order = [*list(FAMILIES)[3:], *list(FAMILIES)[:3]]  # the trained ones first
    for i, name in enumerate(order):
        part = record.isel(field=at(name))
        for kind, values in enumerate((part["head"], part.probable[:, 0], part.probable[:, 1])):
            line = heads[3 * i + kind]
            np.testing.assert_array_equal(line.get_ydata(), values)
            np.testing.assert_allclose(line.get_xdata().mean(), i + (-0.25, 0.0, 0.25)[kind])
    curves = panels["(b)"].lines
    shown = [name for name in FAMILIES if name != "geometric 0.5"]
    for line, name in zip(curves, shown, strict=False):
        np.testing.assert_array_equal(line.get_xdata(), np.arange(1, N))
        np.testing.assert_allclose(line.get_ydata(), np.median(record.errors.values[at(name)], axis=0)[:-1])
        assert (line.get_linestyle() == "--") is name.startswith("averaged")
    assert [line.get_ydata()[0] for line in curves[len(shown) :]] == [0.01, 0.05]
    (names,) = [axes.get_legend() for axes in experiment.figure(record).axes if not axes.axison]
    words = [text.get_text().replace("\n", " ").replace("er range positive", " range") for text in names.get_texts()]
    assert [text.replace("falling by", "geometric") for text in words] == shown
    medians = [f"{np.median(record.probable.values[at(name), 0]):g}" for name in order]
    assert [text.get_text() for text in panels["(a)"].texts] == medians
    assert panels["(a)"].get_xticklabels()[0].get_text() == "trained,\nlonger range\npositive"
