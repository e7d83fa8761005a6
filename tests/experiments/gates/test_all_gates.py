"""Sets, verdicts and figure of `all-gates`: on records made by hand, and against plain enumeration."""

import functools
import itertools

import judging
import numpy as np
import pytest
import xarray as xr
from drawn import points
from scipy.stats import spearmanr
from test_experiments import simulated

from gatefield.experiments.gates.all_gates import experiment, sets
from gatefield.lab import MemoryBench

PAIRS, SIZES, UNITS = ("1.5, 0.7", "1, 2"), (3, 4), (1, 2)
VALUES = {
    "bayes": 0.3,
    "best": 0.15,
    "upper": 0.15,
    "nodes": 10.0,
    "exclusive": 0.15,
    "tiling": 0.15,
    "half_spaces": 0.15,
    "overlap": 0.2,
    **{f"above_{name}": 0.0 for name in ("tiling", "exclusive", "half_spaces")},
    "against_rule": 0.0,
    "listed": 1000.0,
    "every": 1.0,
    "listed_best": 0.15,
    "regular": 0.5,
    **{f"{name}_{part}": 0.0 for name in ("own", "place", "least") for part in ("entries", "blocks")},
    **{f"rank_{part}": -0.6 for part in ("entries", "blocks")},
    **{f"least_{part}_explained": 0.1 for part in ("entries", "blocks")},
}


def made(units=UNITS, sizes=SIZES, most_listed=300_000):
    """A record in which all claims hold."""
    lead, shape = ("pair", "size", "units"), (len(PAIRS), len(sizes), len(units))
    rng = np.random.default_rng(0)
    data = {name: (lead, np.full(shape, value)) for name, value in VALUES.items()}
    for name, sizes_of in {"shown": 7, "corner": 16}.items():
        for part in {"shown": ("shown_explained", "shown_entries", "shown_blocks"), "corner": ("chances", "means")}[name]:
            data[part] = ((*lead, name), rng.uniform(0.0, 0.3, (*shape, sizes_of)))
    data["best_gates"] = ((*lead, "corner", "unit"), rng.integers(0, 2, (*shape, 16, max(units))).astype(float))
    record = xr.Dataset(data, {"pair": list(PAIRS), "size": list(sizes), "units": list(units)})
    for name in ("best", "upper", "listed_best", "exclusive", "tiling", "half_spaces"):
        record[name].loc[{"units": [K for K in units if K > 1]}] = 0.3
    return record.assign_attrs(most_listed=most_listed, most_nodes=1000, drawn=100)


def changed(*changes):
    return judging.changed(made(), *changes)


judged = functools.partial(judging.judged, experiment)
MORE = "two gates explain the more, the less weight their precision matrix has "
AT = {"pair": "1, 2", "size": 4}
ONE, TWO = {**AT, "units": 1}, {**AT, "units": 2}


def both(name, where, value):
    """The best gates, and with them what no gates exceed."""
    return [(name, where, value), ("upper", where, value)]


@pytest.mark.parametrize(
    ("words", "changes", "measured", "holds"),
    [
        ("branch and bound", [("listed_best", TWO, 0.3 + 0.9e-11)], 0.9e-11, True),
        ("branch and bound", [("listed_best", TWO, 0.3 + 1.1e-11)], 1.1e-11, False),
        ("branch and bound", [("listed_best", TWO, 0.2), ("every", TWO, 0.0)], 0.0, True),
        ("at most half", both("best", ONE, 0.15 + 0.2e-11), 0.5, True),
        ("at most half", both("best", ONE, 0.15 + 0.4e-11), 0.5, False),
        ("right sign and overshoots", [("against_rule", ONE, 1.0)], 1.0, False),
        ("right sign and overshoots", [("against_rule", TWO, 1.0)], 0.0, True),
        ("single gate of all is", [("half_spaces", ONE, 0.15 - 0.9e-9)], 0.9e-9, True),
        ("single gate of all is", [("half_spaces", ONE, 0.15 - 1.1e-9)], 1.1e-9, False),
        ("single gate of all is", [("half_spaces", ONE, np.nan)], 0.0, True),
        ("single gate of all is", [("half_spaces", ONE, 0.1), ("upper", ONE, 0.16)], 0.0, True),  # not proven, left out
        ("all gates tile", [("tiling", TWO, 0.3 - 0.9e-9)], 0.9e-9, True),
        ("all gates tile", [("tiling", TWO, 0.3 - 1.1e-9)], 1.1e-9, False),
        ("all gates are half-spaces", [("half_spaces", TWO, 0.3 - 0.9e-9)], 0.9e-9, True),
        ("all gates are half-spaces", [("half_spaces", TWO, 0.3 - 1.1e-9)], 1.1e-9, False),
        ("best sets of one gate have", [("place_entries", ONE, 0.0099)], 0.0099, True),
        ("best sets of one gate have", [("place_entries", ONE, 0.0101)], 0.0101, False),
        ("best sets of one gate have", [("place_entries", TWO, 0.5), ("place_blocks", ONE, 0.5)], 0.0, True),
        ("two gates have the precision matrix with the least weight in", [("place_blocks", TWO, 0.02)], 0.02, False),
        ("two gates have the precision matrix with the least weight off", [("place_entries", TWO, 0.02)], 0.02, False),
        ("sets of one gate explain", [("rank_entries", ONE, -0.501)], -0.501, True),
        ("sets of one gate explain", [("rank_entries", ONE, -0.499)], -0.499, False),
        (MORE + "off", [("rank_entries", TWO, 0.1)], 0.1, False),
        (MORE + "in", [("rank_blocks", TWO, 0.1)], 0.1, False),
    ],
)  # fmt: skip
def test_verdicts_on_both_sides_of_their_bounds(words, changes, measured, holds):
    found = judged(changed(*changes), words)
    assert found.holds is holds
    assert found.measured == pytest.approx(measured, rel=1e-4, abs=1e-14)


def test_two_exclusive_gates_explain_twice_what_the_best_single_gate_does():
    """They add up, and the best single gate lies in a half-space: its opposite is as good and excludes it."""
    _, _, record = simulated("all-gates")
    np.testing.assert_allclose(record.exclusive.sel(units=2), 2 * record.best.sel(units=1), rtol=1e-12)


def test_what_is_expected_and_what_a_record_cannot_tell():
    found = experiment.verdicts(made())
    assert all(verdict.holds for verdict in found)
    predicted = [{bound.predicted for bound in verdict.bounds} for verdict in found]
    assert predicted == [{0}, {0}, {0}, *3 * [{0}, {None}], {0}, {0.5}, {0}]
    assert {len(verdict.table) for verdict in found[:9]} == {4}
    assert len(judging.told(experiment, made(units=(1,)))) == 12 - 6
    assert len(judging.told(experiment, made(units=(2,)))) == 12 - 5
    stopped = changed(("upper", {"units": 2}, 0.31))  # no search of two gates came to its end
    assert len(judging.told(experiment, stopped)) == 12 - 6
    assert "--set most_nodes=10000" in judged(stopped, "all gates tile").why
    drawn = changed(("every", {}, 0.0))
    assert len(judging.told(experiment, drawn)) == 11
    few = changed(("half_spaces", {"units": 2}, np.nan)).assign_attrs(most_listed=10)
    assert "--set most_listed=300000" in judged(few, "all gates are half-spaces").why


def test_notes():
    record = changed(("tiling", TWO, 0.29), ("overlap", TWO, 0.4), ("own_entries", ONE, 0.25), ("every", TWO, 0.0))
    record["above_tiling"].loc[TWO] = 0.12
    record["listed"].loc[TWO] = 400.0
    tiles = judged(record, "all gates tile")
    assert [bound.at for bound in tiles.table if bound.outcome == "missed"] == ["length scales 1, 2, n = 4"]
    assert (
        tiles.note
        == "both are open with probability 0.200 to 0.400; 0.00% to 12.00% of all sets explain more than the best tiling"
    )
    assert tiles.otherwise == "the best two gates overlap: a tiling loses up to 3.3 % of what they explain"
    note = judged(record, "best sets of one gate have").note
    assert "weight of the best 0.000 to 0.250" in note
    assert "the least explain 67% to 67% of what the best do" in note
    rank = judged(record, MORE + "off")
    assert rank.note == "standard error 0.05 where sets are drawn"


def plain(n, gates, data):
    """Explained, shares of A^+ off the diagonal and between gates, and whether A has an inverse; one set after the other."""
    x, out = sets.corners(n), []
    for opened in gates:
        gated = np.stack([np.kron(g, point) for g, point in zip(opened, x, strict=True)])
        A, b = gated.T @ (data.chances[:, None] * gated), gated.T @ (data.chances * data.means)
        P = np.linalg.pinv(A, rcond=1e-10)
        norms = [
            np.sqrt((np.where(np.kron(np.eye(len(P) // size), np.ones((size, size))) > 0, 0, P) ** 2).sum()) for size in (1, n)
        ]
        whole = max(np.sqrt((P**2).sum()), 1e-300)
        out.append((b @ P @ b, norms[0] / whole, norms[1] / whole, np.linalg.matrix_rank(A, tol=1e-10) == len(A)))
    return np.array(out).T


def test_measures_of_sets_of_gates():
    data = sets.law(3, 1.5, 0.7)
    gates = np.random.default_rng(0).integers(0, 2, (40, 8, 2))
    gates[0] = 0
    for found, wanted in zip(sets.measured(gates, 3, data), plain(3, gates, data), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_all_sets_and_all_half_spaces(monkeypatch):
    """Counts of sets are binomials; those of self-dual threshold functions are known; chunks change nothing."""
    assert [len(sets.half_spaces(n)) for n in (3, 4, 5)] == [14, 104, 1882]
    every = sets.every_gate(4)
    assert len(np.unique(every, axis=0)) == 16
    both = sets.combined(every, 2)
    assert both.shape == (sets.count(16, 2), 4, 2) == (136, 4, 2)
    assert len({frozenset([tuple(one[:, 0]), tuple(one[:, 1])]) for one in both}) == 136
    data = sets.law(4, 2.0, 1.0)
    alone = plain(4, np.array(sets.half_spaces(4))[:, :, None], data)[0]
    pairs = [np.stack(pair, axis=1) for pair in itertools.combinations(sets.half_spaces(4)[:12], 2)]
    monkeypatch.setattr(sets, "CHUNK", 7)
    assert sets.best_half_spaces(4, 1, data, 1000) == pytest.approx(alone.max(), abs=1e-12)
    assert sets.best_half_spaces(4, 2, data, 10_000) >= plain(4, pairs, data)[0].max() - 1e-12
    assert np.isnan(sets.best_half_spaces(4, 2, data, 100))


def test_symmetries_leave_the_law_alone():
    """Turns, mirrors and signs permute corners of equal chance; every half-space is the image of a representative."""
    data, images, gates = sets.law(4, 2.0, 1.0), sets.symmetries(4), sets.half_spaces(4)
    assert len(np.unique(images, axis=0)) == 16
    for image in images:
        np.testing.assert_allclose(data.chances[image], data.chances, atol=1e-12)
        np.testing.assert_allclose(data.means[image], data.means, atol=1e-12)
    first = sets.representatives(gates, 4)
    reached = np.unique(np.concatenate([first[:, image] for image in images]), axis=0)
    np.testing.assert_array_equal(reached, np.unique(gates, axis=0))
    assert len(first) < len(gates) / 8


@pytest.mark.xdist_group("all-gates")
def test_simulation():
    """One gate on three sites: all 256 one by one; two gates: drawn, and what a chance set explains is below the best."""
    _, p, record = simulated("all-gates")
    data, one = sets.law(3, 1.5, 0.7), record.isel(pair=0, size=0).sel(units=1)
    worth, entries, _, regular = plain(3, np.array(list(itertools.product((0, 1), repeat=8)))[:, :, None], data)
    kept = regular > 0
    assert (float(one.listed), float(one.every), float(one.regular)) == (256, 1, pytest.approx(kept.mean()))
    assert float(one.best) == pytest.approx(worth.max(), abs=1e-12)
    assert float(one.rank_entries) == pytest.approx(spearmanr(worth[kept].round(12), entries[kept].round(12))[0], abs=1e-6)
    best = plain(3, one.best_gates.values[None, :8, :1], data)
    assert float(one.own_entries) == pytest.approx(best[1, 0], abs=1e-12)
    assert float(one.place_entries) == pytest.approx(np.mean(entries[kept] < best[1, 0] - 1e-9))
    assert float(one.least_entries) == pytest.approx(entries[kept].min())
    assert float(one.least_entries_explained) == pytest.approx(worth[kept & (entries < entries[kept].min() + 1e-9)].max())
    assert float(one.above_tiling) == pytest.approx(np.mean(worth > float(one.tiling) + 1e-9))
    assert float(one.above_half_spaces) == 0.0
    two = record.isel(pair=0, size=0).sel(units=2)
    assert (float(two.listed), float(two.every)) == (p.drawn, 0)
    values = [float(two[name]) for name in ("listed_best", "tiling", "exclusive", "best", "bayes")]
    assert values == sorted(values)
    assert values[3] == pytest.approx(plain(3, two.best_gates.values[None, :8], data)[0, 0], abs=1e-12)
    assert float(two.overlap) == pytest.approx(data.chances[two.best_gates.values[:8].sum(1) == 2].sum())
    assert np.isfinite(record.shown_explained.sel(units=1)).sum() > 20


def test_nine_weights_on_eight_corners():
    """A never has an inverse: nothing is said of the precision matrix, and the mean label is reached."""
    p = experiment.Parameters(sizes=(3,), units=(3,), pairs=((1.5, 0.7),), drawn=20, most_listed=300, shown=5)
    record = experiment.simulate(p, MemoryBench())
    assert record.regular.item() == 0.0
    assert np.isnan([record[f"{name}_entries"].item() for name in ("rank", "place", "least")]).all()
    assert record.best.item() == pytest.approx(record.bayes.item(), abs=1e-11)
    assert len(judging.told(experiment, record)) == 0
    assert experiment.figure(record).axes
    assert experiment.more(record).axes


def panel(figure, start):
    (found,) = [axes for axes in figure.axes if axes.get_title(loc="left").startswith(start)]
    return found


def test_figure():
    record = judging.scrambled(made())
    record["every"] = (record.every.dims, np.array([[[1, 1], [1, 0]]] * 2))
    figure = experiment.figure(record)
    for title, K in (("(a) one gate", 1), ("(b) two gates", 2)):
        one = record.sel(units=K)
        names = {"best of all": "best", "best of half": "half_spaces"}
        for words, name in (names if K == 1 else {**names, "tile": "tiling", "exclusive": "exclusive"}).items():
            ((x, _),) = points(panel(figure, title), words=words)
            assert x == pytest.approx([100 * float(one[name][0, 0] / one.bayes[0, 0])])
        assert not (K == 1 and points(panel(figure, title), words="tile"))
    more = experiment.more(record)
    for shown, start, K, part, size in (
        (figure, "(c)", 2, "entries", 3),
        (more, "(a)", 1, "entries", 4),
        (more, "(b)", 2, "blocks", 3),
    ):
        at, axes = record.isel(pair=0).sel(units=K, size=size), panel(shown, start)
        assert shown is figure or f"({'ab'[K - 1]}): n = {size}" in shown.get_supxlabel()
        assert shown is figure or f"{float(at[f'rank_{part}']):.2f}" in axes.get_title(loc="left")
        np.testing.assert_allclose(points(axes, marker=".")[0], [at[f"shown_{part}"], 100 * at.shown_explained / at.bayes])
        np.testing.assert_allclose(points(axes, marker="*")[0].ravel(), [at[f"own_{part}"], 100 * at.best / at.bayes])
        np.testing.assert_allclose(points(axes, marker="D")[0][0], at[f"least_{part}"])
    rows = [(1, "entries"), (2, "entries"), (2, "blocks")]
    ranks = [x for x, _ in points(panel(more, "(c)"), marker="o")]
    np.testing.assert_allclose(ranks, [record[f"rank_{part}"].sel(units=K).values.ravel() for K, part in rows])
    at, axes = record.isel(pair=0, size=0).sel(units=2), panel(figure, "(d)")
    both = (at.best_gates.values[:8, :2] > 0).sum(1) == 2
    assert axes.get_title(loc="left") == f"(d) best two gates: both open for {both.sum()} of 8 inputs"
    assert len(axes.patches) == both.sum()
    order = np.argsort(-at.means.values[:8], kind="stable")
    opened = {(float(y[0]), int(x[0])) for x, y in points(axes, marker="s")}
    assert opened == {(3.5 + k, row) for row, c in enumerate(order) for k in range(2) if at.best_gates.values[c, k] > 0}


def test_the_title_of_the_cloud_says_whether_the_most_diagonal_set_is_the_best():
    best = float(made().best.isel(pair=0, size=0).sel(units=2))
    for explained, words in ((best, "is the best"), (best - 0.01, "is not the best (")):
        record = changed(("least_entries_explained", {"units": 2}, explained))
        title = panel(experiment.figure(record), "(c)").get_title(loc="left")
        assert title.startswith(f"(c) two gates: the most diagonal set\n{words}")


def test_a_search_that_was_stopped_is_in_the_legend():
    for upper, stopped in ((0.3, False), (0.31, True)):
        record = changed(("upper", TWO, upper))
        (legends, *_) = [block.legends for block in experiment.figure(record).subfigs]
        assert ("search stopped" in [text.get_text() for text in legends[0].get_texts()]) is stopped


def test_losses_of_families_are_written_where_they_are_largest():
    """Of 0.15 and of 0.3; a search that was stopped counts as no loss."""
    lost = [("half_spaces", ONE, 0.12), ("tiling", TWO, 0.27), ("half_spaces", TWO, 0.285)]
    for upper, losses in ((0.3, ["10", "5"]), (0.31, ["0", "0"])):
        figure = experiment.figure(changed(*lost, ("upper", TWO, upper)))
        one, two = panel(figure, "(a) one gate"), panel(figure, "(b) two gates")
        assert one.get_title(loc="left") == "(a) one gate: half-spaces lose up to 20 %"
        assert two.get_title(loc="left") == f"(b) two gates: tilings lose up to {losses[0]} %"
        assert [text.get_text() for text in one.texts] == ["−20 %"]
        written = sorted(text.get_text() for text in two.texts)
        assert written == sorted(f"−{loss} %" for loss in losses if loss != "0")
    (row,) = [y for x, y in points(one, style="-") if np.ptp(x) > 0]
    assert row[0] == row[1] == pytest.approx(SIZES.index(4) + len(SIZES) * list(PAIRS).index("1, 2") + 0.2)


@pytest.mark.parametrize(("rank", "holds"), [(-0.501, True), (-0.499, False)])
def test_the_second_figure_is_headed_by_the_ranks(rank, holds):
    record = changed(("rank_entries", ONE, rank), ("rank_entries", {"units": 2}, -0.25))
    one, two = judged(record, "sets of one gate explain"), judged(record, MORE + "off")
    span = "−0.60 to −0.50"
    assert one.more_found == f"single gates with a more diagonal A⁺ explain more (rank correlation {span})"
    assert one.more_otherwise == one.more_found.replace("explain more", "explain no more")
    assert one.holds is holds
    assert two.more_otherwise == "nor do pairs (−0.25 to −0.25)"
    assert two.more_found == "pairs do (−0.25 to −0.25)"
    assert not judged(record, MORE + "in").more_found
