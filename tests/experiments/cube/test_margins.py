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


def test_all_hold_in_the_record_made_by_hand():
    found = experiment.verdicts(made())
    assert [v.holds for v in found] == [True] * 13
    assert [v.kind for v in found] == [*["prediction"] * 6, "claim", *["claim", "claim", "prediction"] * 2]
    assert [v.predicted for v in found if v.kind == "claim"] == [5] * 5
    assert {v.source for v in found if v.kind == "claim"} == {"note 003, equation 13"}


@pytest.mark.parametrize(
    ("words", "changes", "expected", "measured", "holds"),
    [
        # a standard deviation of half the mean: 3 standard errors are 3 * 0.5 * ratio/sqrt(399) = 0.07509 ratio
        ("2^n at n = 16", {"ratio": 1.0811, "slope": -1.02}, 1, 1.0811, True),
        ("2^n at n = 16", {"ratio": 1.0813, "slope": -1.02}, 1, 1.0813, False),
        ("2^n at n = 16", {"ratio": 0.9302, "slope": -1.02}, 1, 0.9302, True),
        ("2^n at n = 16", {"ratio": 0.9300, "slope": -1.02}, 1, 0.9300, False),
        ("2^n at n = 16", {"ratio": 0.5, "slope": -1.02}, 1, 0.5, False),
        # 0.05 + 3/(ln 2 sqrt(400 * 3) sqrt(38/3)) = 0.08511
        ("halves with each weight", {"slope": -1.0850}, -1, -1.0850, True),
        ("halves with each weight", {"slope": -1.0852}, -1, -1.0852, False),
        ("halves with each weight", {"slope": -0.9150}, -1, -0.9150, True),
        ("halves with each weight", {"slope": -0.9148}, -1, -0.9148, False),
        ("cannot be truncated (n = 16)", {"shorter": (400, 50, 4)}, 1, 0.99, True),
        ("cannot be truncated (n = 16)", {"shorter": (0, 50, 5)}, 1, 0.9875, False),
        # 400 * (18 sqrt 8/2^8 + 32 sqrt 15/2^15) = 81.06, and 0.2 * 81.06 + 3 sqrt(81.06) = 43.22
        ("the chance of a shorter head", {"shorter": (400, 34, 4)}, 81.062, 38, True),
        ("the chance of a shorter head", {"shorter": (400, 34, 3)}, 81.062, 37, False),
        ("the chance of a shorter head", {"shorter": (0, 120, 4)}, 81.062, 124, True),
        ("the chance of a shorter head", {"shorter": (0, 120, 5)}, 81.062, 125, False),
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
    found = judged(record, "is exponential")
    assert found.holds is holds
    assert found.measured == pytest.approx(p)
    assert found.predicted == 0.5
    assert found.note.startswith("n = 16, 400 draws")


def test_counts_need_sizes_at_which_first_order_holds():
    """2 n sqrt(n - 1)/2^(n-1) is above 0.2 for n = 6 and 8."""
    assert judged(made(sizes=(6, 8), shorter=(0, 0)), "the chance of").outcome == "not judged"
    assert "counts over n = 9 and above" in judged(made(), "the chance of").note
    assert "n = 8: 0 and 1.3e+02, n = 9: 50 and 80, n = 16: 0 and 1.5" in judged(made(), "cannot be truncated").note
    assert "8: 1.320, 9: 1.275, 16: 1.000" in judged(made(slope=-1.05), "the mean of delta").note  # 2^0.4 and 2^0.35


@pytest.mark.parametrize(
    ("words", "name", "values", "holds"),
    [
        ("falling by 0.5 are decided by the first", "geometric 0.5", [1], True),
        ("falling by 0.5 are decided by the first", "geometric 0.5", [2], False),
        ("falling by 0.6, more than 1/2, are decided by few", "geometric 0.6", [5], True),
        ("falling by 0.6, more than 1/2, are decided by few", "geometric 0.6", [6], False),
        ("longer range positive: 5 weights or fewer decide the trained gate on every", "trained, long range", [9, 5, 1], True),
        ("longer range positive: 5 weights or fewer decide the trained gate on every", "trained, long range", [6, 1, 6], False),
        ("shorter range positive: 5 weights or fewer decide the trained gate on", "trained, short range", [9, 5, 1], True),
        ("shorter range positive: 5 weights or fewer decide the trained gate on", "trained, short range", [6, 1, 6], False),
    ],
)  # fmt: skip
def test_heads_on_every_corner_on_both_sides_of_their_bounds(words, name, values, holds):
    record = made()
    record["head"][:] = 2 if holds and "geometric 0.5" in name else 12 if holds else 1
    record["head"][at(name)] = values
    record.probable[:] = 12 if holds else 1
    found = judged(record, words)
    assert found.holds is holds
    assert found.measured == np.median(values)


@pytest.mark.parametrize("order", ["long", "short"])
def test_heads_for_most_inputs_on_both_sides_of_their_bound(order):
    for values, holds in (([9, 5, 1], True), ([6, 1, 6], False)):
        record = made()
        record.probable[:] = 12 if holds else 1
        record.probable[{"field": at(f"trained, {order} range"), "share": 0}] = values
        record.probable[{"field": at(f"trained, {order} range"), "share": 1}] = [3, 2, 4]
        record.errors[{"field": at(f"trained, {order} range"), "kept": 0}] = [0.5, 0.013, 0.001]
        found = judged(record, f"{order}er range positive: 5 weights or fewer decide the trained gate for 99 %")
        assert found.holds is holds
        assert found.measured == np.median(values)
        assert found.note == "3 seeds, n = 12; for 95 % 3; the largest weight alone errs on 1.3 % of inputs"


@pytest.mark.parametrize("order", ["long", "short"])
def test_every_average_must_be_decided_by_one_weight(order):
    record = made()
    record["head"][:] = 3
    record["head"][at(f"averaged, {order} range")] = 1
    assert judged(record, f"{order}er range positive: averaged").holds
    record["head"][at(f"averaged, {order} range")] = [1, 2, 1]
    found = judged(record, f"{order}er range positive: averaged")
    assert (found.holds, found.predicted, found.measured) == (False, 1, pytest.approx(2 / 3))


def test_notes_give_the_leads_and_the_probable_heads():
    record = made()
    record["lead"][at("trained, short range")], record["lead"][at("averaged, short range")] = [9, -1.25, -9], [0.25, 9, -9]
    record.probable[at("geometric 0.6")] = [[4, 2]]
    note = judged(record, "shorter range positive: 5 weights or fewer decide the trained gate on every").note
    assert note.endswith("is -1.25 of it, 0.25 averaged, 0.60 in the localized state")
    assert judged(record, "falling by 0.6").note == "of 12 weights; for inputs of the data's law 4 but for 1 %, 2 but for 5 %"


def drawn(record):
    return {axes.get_title(): axes for axes in experiment.figure(record).axes}


def test_figure_shows_the_laws_of_random_weights():
    record = made(ratio=0.9)
    panels = drawn(record)
    n = np.array(SIZES)
    mean, law = panels["(a) margin of N(0, 1) weights"].lines
    np.testing.assert_allclose(mean.get_ydata(), record.random_margin.values.mean(1))
    np.testing.assert_allclose(law.get_ydata(), np.sqrt(2 * np.pi * n) / 2.0**n)
    band = panels["(a) margin of N(0, 1) weights"].collections[0].get_paths()[0].vertices
    ends = band[band[:, 0] == 9.0][:, 1]
    np.testing.assert_allclose([ends.min(), ends.max()], record.random_margin.values[1].mean() * np.array([0.7, 1.3]))
    share, curve = panels["(c) fields with a weight to spare"].lines
    np.testing.assert_allclose(share.get_ydata(), [0, 50 / 400, 0])
    np.testing.assert_allclose(curve.get_ydata()[[0, -1]], [16 * 7**0.5 / 128, 32 * 15**0.5 / 2**15])


def test_figure_shows_the_share_of_margins_above_each_size():
    """For exponential draws it falls like exp(-t)."""
    found, law = drawn(made())["(b) its law at n = 16"].lines
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
    heads = panels["(d) how many of 12 weights decide? One mark for each field"].lines
    for i, name in enumerate(FAMILIES):
        part = record.isel(field=at(name))
        for kind, values in enumerate((part["head"], part.probable[:, 0], part.probable[:, 1])):
            line = heads[3 * i + kind]
            np.testing.assert_array_equal(line.get_ydata(), values)
            np.testing.assert_allclose(line.get_xdata().mean(), i + (-0.22, 0.0, 0.22)[kind])
    curves = panels["(e) error of the head on the data's own law"].lines
    shown = [name for name in FAMILIES if name != "geometric 0.5"]
    for line, name in zip(curves, shown, strict=False):
        np.testing.assert_array_equal(line.get_xdata(), np.arange(1, N + 1))
        np.testing.assert_allclose(line.get_ydata()[:-1], np.median(record.errors.values[at(name)], axis=0)[:-1])
        assert np.isnan(line.get_ydata()[-1])
        assert (line.get_linestyle() == "--") is name.startswith("averaged")
    assert [line.get_ydata()[0] for line in curves[len(shown) :]] == [0.01, 0.05]
    (names,) = [axes.get_legend() for axes in experiment.figure(record).axes if not axes.axison]
    assert [text.get_text() for text in names.get_texts()] == shown
