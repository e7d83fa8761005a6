"""Spectra and errors of a small run by hand; verdicts and figure of `depth-spectrum` on a record made by hand."""

import numpy as np
import pytest
import xarray as xr
from depth_records import assert_bars, runs
from drawn import assert_line, points
from judging import changed
from rows import assert_row, row
from scipy import stats

from gatefield.experiments.deep.depth_spectrum import experiment
from gatefield.experiments.deep.depth_spectrum.verdicts import edge, ideal, ideal_ratio
from gatefield.experiments.deep.networks import recursion
from gatefield.lab import MemoryBench, headline

DEPTHS, TRAINED, WIDTHS = [2, 8, 20], [2, 20], [25, 100, 500]
PRINTED = {
    25: {
        "smallest": (".0000", ".0279", ".0030"),
        "largest": ("105.3", "8.94", "19.8"),
        "half_sum": ("0.0", "23.7", "10.3"),
        "recursion": (".895", ".550", ".745"),
        "descent": (".942", ".777"),
    },
    100: {
        "smallest": (".0000", ".217", ".0744"),
        "largest": ("101.2", "3.86", "6.21"),
        "half_sum": ("0.0", "53.7", "43.0"),
        "recursion": (".938", ".201", ".385"),
        "descent": (".950", ".150"),
    },
    500: {
        "smallest": (".0756", ".554", ".323"),
        "largest": ("100.5", "2.70", "2.39"),
        "half_sum": ("24.0", "77.3", "67.7"),
        "recursion": (".948", ".0449", ".0600"),
    },
}
"""What the other program printed at these depths and trained depths; of descent at w = 500 it has no mean."""
OTHER_RUNS = {25: (20, 5), 100: (20, 5), 500: (5, 0)}
DESCENT = {**{w: PRINTED[w]["descent"] for w in (25, 100)}, 500: (".936", "1e-5")}
PART = 0.04
"""Standard deviation of a run, as a part of the mean (an error of a hundredth of it, with four runs and 5 others)."""


def means(what):
    rows = DESCENT if what == "descent" else {w: PRINTED[w][what] for w in WIDTHS}
    return np.array([[float(text) for text in rows[w]] for w in WIDTHS])


def made():
    """The numbers of the other program, with a little spread, and what goes with them."""
    each = ("width", "depth", "run")
    data = {name: (each, runs(means(name), PART * means(name))) for name in ("smallest", "largest", "half_sum")}
    for name, dims in (("recursion", each), ("descent", ("width", "trained_depth", "trained_run"))):
        late = runs(means(name), PART * means(name), 4 if name == "recursion" else 2)
        data[name] = ((*dims, "step"), np.stack([np.ones_like(late), late, 0.1 * late], -1))
    entries = np.ones((3, 3)), np.broadcast_to(0.5 ** (np.array(DEPTHS) - 1.0), (3, 3))
    data |= {name: (each, runs(mean, 0.1 * mean)) for name, mean in zip(("diagonal", "beside"), entries, strict=True)}
    scaled = np.array([[0.5, 0.7, 0.8]] * 3)
    data |= {"scaled_smallest": (each, runs(scaled, 0)), "scaled_largest": (each, runs(2 - scaled, 0))}
    data["rank"] = each, np.broadcast_to(np.array([[25, 200, 200], [100, 200, 200], [200] * 3])[..., None], (3, 3, 4)).copy()
    data["sums"] = ("width", "depth", "k"), np.random.default_rng(0).uniform(0, 200, (3, 3, 200))
    data["relative_sums"] = ("width", "depth", "k"), np.random.default_rng(1).uniform(0, 90, (3, 3, 200))
    data["growth"] = ("width", "trained_depth", "trained_run"), runs(np.array([[1.0, 1.1], [1.2, 2.0], [1.1, 3.0]]), 0, 2)
    coords = {"width": WIDTHS, "depth": DEPTHS, "trained_depth": TRAINED, "step": [0, 100, 500], "k": np.arange(1, 201)}
    return xr.Dataset(data, coords, {"samples": 200, "mu": 0.5, "rate": 0.1})


def at(width, depth, step=None):
    return {"width": width, "depth": depth} | ({} if step is None else {"step": step})


HELPS, HURTS, BETTER, UNEQUAL, ENTRIES, WIDER, IDEAL, EDGE, FOLLOWS, LINKED, TABLE = range(11)
"""The places of the verdicts."""


def test_the_record_made_by_hand():
    found = experiment.verdicts(made())
    assert len(found) == 11
    assert [at for at, v in enumerate(found) if not v.holds] == [BETTER, IDEAL, EDGE, FOLLOWS]
    assert [v.kind for v in found] == [
        *["claim"] * 3,
        "prediction",
        *["claim"] * 3,
        "prediction",
        "claim",
        "prediction",
        "regression",
    ]
    assert [at for at, v in enumerate(found) if v.found] == [HELPS, HURTS]


LIMIT = stats.t.ppf(1 - 0.001 / 6, 3)
"""Three depths, two sides, four runs."""
SPREAD = 0.03
MORE = 0.55 + 3 * np.hypot(SPREAD, 0.55 * PART) / 2
"""Three standard errors of the difference above the error at d = 8, w = 25, for an error of that spread; four runs each."""
WIDE = (50 - 24.0 + 99.21875 - 77.3 + 100 - 67.7 - 1e-4 / 0.524288) / 3
"""How far the sum of the 100 smallest eigenvalues is from that of the mean kernel at w = 500, mean over depths."""


@pytest.mark.parametrize(
    ("place", "at_row", "changes", "measured", "outcome"),
    [
        (ENTRIES, "on the diagonal", [("diagonal", at(500, 8), runs(1 + 0.05 * (LIMIT - 0.01), 0.1))], LIMIT - 0.01, "holds"),
        (ENTRIES, "on the diagonal", [("diagonal", at(500, 8), runs(1 + 0.05 * (LIMIT + 0.01), 0.1))], LIMIT + 0.01, "missed"),
        (ENTRIES, "on the diagonal", [("diagonal", {"width": [25, 100]}, 3.0)], 0, "holds"),
        (ENTRIES, "off the diagonal", [("beside", at(500, 2), runs(0.5 - 0.01 * (LIMIT - 0.01), 0.02))], LIMIT - 0.01, "holds"),
        (ENTRIES, "off the diagonal",
         [("beside", at(500, 2), runs(0.5 - 0.01 * (LIMIT + 0.01), 0.02))], LIMIT + 0.01, "missed"),
        (WIDER, "w = 500 after 100", [], WIDE, "holds"),
        (WIDER, "w = 500 after 100", [("half_sum", {"width": 100}, runs(90.0, 0.0))], WIDE, "missed"),
        (WIDER, "w = 100 after 25", [("half_sum", {"width": 25}, runs(60.0, 40.0))], None, "not decided"),
        (HELPS, "w = 25", [("recursion", at(25, 2, 100), runs(MORE + 1e-3, SPREAD))], 0.55, "holds"),
        (HELPS, "w = 25", [("recursion", at(25, 2, 100), runs(MORE - 1e-3, SPREAD))], 0.55, "not decided"),
        (HURTS, "w = 25", [("recursion", at(25, 20, 100), runs(MORE + 1e-3, SPREAD))], MORE + 1e-3, "holds"),
        (HURTS, "w = 25", [("recursion", at(25, 20, 100), runs(MORE - 1e-3, SPREAD))], MORE - 1e-3, "not decided"),
        (BETTER, "w = 25", [("recursion", at(25, 20, 100), runs(MORE + 1e-3, SPREAD))], MORE + 1e-3, "missed"),
        (BETTER, "w = 100", [("recursion", at(100, 20, 100), runs(0.05, 0.0))], 0.05, "holds"),
    ],
)  # fmt: skip
def test_rows_on_both_sides_of_their_bounds(place, at_row, changes, measured, outcome):
    found = row(experiment.verdicts(changed(made(), *changes))[place], at_row)
    assert found.outcome == outcome
    if measured is not None:
        assert found.measured == pytest.approx(measured, rel=1e-6, abs=1e-6)


PLACE, DEVIATION = edge(200, 500, 0.5)
APART = 3 * DEVIATION / 2
"""Three standard errors of four runs."""


@pytest.mark.parametrize(
    ("place", "changes", "measured", "outcome"),
    [
        (IDEAL, [("smallest", at(500, 2), 0.401)], 0.401, "confirmed"),
        (IDEAL, [("smallest", at(500, 2), 0.399)], 0.399, "refuted"),
        (IDEAL, [("smallest", at(500, 2), 0.599)], 0.599, "confirmed"),
        (IDEAL, [("smallest", at(500, 2), 0.601)], 0.601, "refuted"),
        (EDGE, [("smallest", at(500, 2), PLACE + 0.99 * APART)], PLACE + 0.99 * APART, "confirmed"),
        (EDGE, [("smallest", at(500, 2), PLACE + 1.01 * APART)], PLACE + 1.01 * APART, "refuted"),
        (EDGE, [("smallest", at(500, 2), PLACE - 1.01 * APART)], PLACE - 1.01 * APART, "refuted"),
        (UNEQUAL, [("smallest", at(500, 20), 0.5), ("largest", at(500, 20), 0.5 * 1.5**2.01)], 1 / 2.01, "confirmed"),
        (UNEQUAL, [("smallest", at(500, 20), 0.5), ("largest", at(500, 20), 0.5 * 1.5**1.99)], 1 / 1.99, "refuted"),
    ],
)  # fmt: skip
def test_verdicts_on_both_sides_of_their_bounds(place, changes, measured, outcome):
    found = experiment.verdicts(changed(made(), *changes))[place]
    assert found.outcome == outcome
    assert found.measured == pytest.approx(measured, rel=1e-6, abs=1e-6)


def test_the_edge_is_that_of_random_gates():
    """Many matrices of gates: the smallest eigenvalue of GG'/(mu w), its mean and its spread."""
    rng = np.random.default_rng(0)
    values = [np.linalg.eigvalsh(g @ g.T / (0.3 * 150))[0] for g in (rng.random((200, 60, 150)) < 0.3).astype(float)]
    place, deviation = edge(60, 150, 0.3)
    assert np.mean(values) == pytest.approx(place, abs=4 * np.std(values) / np.sqrt(200) + 0.02 * place)
    assert np.std(values) == pytest.approx(deviation, rel=0.25)


def test_the_edge_is_asked_at_depth_two_of_networks_wider_than_samples():
    for record, words in (
        (made().isel(depth=[1, 2], trained_depth=[1]), "depths with 2"),
        (made().isel(width=[0, 1]), "widths with 500"),
    ):
        found = experiment.verdicts(record)[EDGE]
        assert found.outcome == "not judged"
        assert words in found.why


@pytest.mark.parametrize(("factor", "outcome"), [(1.24, "holds"), (1.26, "missed"), (1 / 1.24, "holds"), (1 / 1.26, "missed")])
def test_descent_follows_the_recursion_within_a_factor(factor, outcome):
    """All courses are the same but one; of four runs of the recursion the first two are trained."""
    record, same = made(), made().recursion.sel(depth=TRAINED).isel(run=[0, 1]).values
    record["descent"][:] = same
    record["descent"].loc[{"width": 100, "trained_depth": 20, "step": 100}] *= factor
    record["recursion"][:, :, 2:] = 0.3
    found = experiment.verdicts(record)[FOLLOWS]
    assert_row(found, "w = 100, d = 20", factor, outcome)
    assert_row(found, "w = 100, d = 2", 1.0, "holds")


@pytest.mark.parametrize(
    ("link", "outcome"), [(-0.9, "confirmed"), (-0.7, "not decided"), (0.7, "not decided"), (0.9, "refuted")]
)
def test_descent_is_ahead_where_the_kernel_has_grown(link, outcome):
    """Six places: Fisher's interval is 1.96/sqrt(3) to each side of artanh(link), and artanh(0.8115) is as much."""
    course, other = np.array([[1.0, -1.0], [2.0, -2.0], [0.0, 0.0]]), np.array([[1.0, 1.0], [0.0, 0.0], [-1.0, -1.0]])
    record = made()
    record["descent"].loc[{"step": 100}] = (
        record.recursion.sel(depth=TRAINED, step=100).values[..., :2] * np.exp(course)[..., None]
    )
    growth = np.exp(link * course / np.sqrt(10) + np.sqrt(1 - link**2) * other / 2)
    record["growth"][:] = growth[..., None]
    found = experiment.verdicts(record)[LINKED]
    assert (found.outcome, found.measured) == (outcome, pytest.approx(link))


def shift(width, what, depth, beyond):
    """A mean at one place so many standard errors beyond the limit and the printed number's rounding, as `changed` takes it."""
    text = PRINTED[width][what][DEPTHS.index(depth)]
    half, deviation = 0.5 * 10.0 ** -len(text.partition(".")[2]), PART * abs(float(text)) + 1e-3
    error = deviation * np.sqrt(1 / 4 + 1 / OTHER_RUNS[width][0])
    limit = stats.t.ppf(1 - 0.001 / 6, 3)
    return what, {"width": width, "depth": depth}, runs(float(text) + half + (limit + beyond) * error, deviation)


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(("beyond", "outcome"), [(-0.05, "holds"), (0.05, "missed")])
def test_the_other_program_is_asked_number_by_number(depth, beyond, outcome):
    names = {"smallest": "smallest eigenvalue of K/d", "largest": "largest eigenvalue of K/d",
             "half_sum": "sum of the 100 smallest eigenvalues of K/d"}  # fmt: skip
    shifts = [shift(w, what, depth, beyond) for w in WIDTHS for what in names]
    found = experiment.verdicts(changed(made(), *shifts))[TABLE]
    assert {row(found, f"w = {w}, {name}").outcome for w in WIDTHS for name in names.values()} == {outcome}


@pytest.mark.parametrize(("beyond", "outcome"), [(-0.1, "holds"), (0.1, "missed")])
@pytest.mark.parametrize(("what", "name", "width"), [("recursion", "the recursion", 500), ("descent", "gradient descent", 25)])
def test_errors_are_compared_by_logarithms_with_one_relative_spread(what, name, width, beyond, outcome):
    """Student's t with all runs of all depths but one each: nine or two degrees of freedom."""
    depths, count = (TRAINED, 2) if what == "descent" else (DEPTHS, 4)
    text = PRINTED[width][what][-1]
    error = PART * np.sqrt(1 / count + 1 / OTHER_RUNS[width][what == "descent"])
    limit = stats.t.ppf(1 - 0.001 / (2 * len(depths)), len(depths) * (count - 1))
    far = float(text) * np.exp(0.5 * 10.0 ** -len(text.partition(".")[2]) / float(text) + (limit + beyond) * error)
    place = {"width": width, "trained_depth" if what == "descent" else "depth": 20, "step": 100}
    found = experiment.verdicts(changed(made(), (what, place, runs(far, PART * far, count))))[TABLE]
    assert_row(found, f"w = {width}, error after 100 steps of {name}", limit + beyond, outcome)


@pytest.mark.parametrize("other", [{"samples": 199}, {"mu": 0.4}, {"rate": 0.2}])
def test_the_other_program_is_asked_in_its_setting_alone(other):
    for record in (made().assign_attrs(other), made().assign_coords(step=[0, 101, 500])):
        assert experiment.verdicts(record)[TABLE].outcome == "not judged"
    found = experiment.verdicts(made().assign_coords(width=[25, 100, 400]))[TABLE]
    assert len(found.table) == 10
    assert "not judged at w = 500, " in found.note


def test_ideal_spectrum_and_error():
    d, n, mu = 5, 7, 0.3
    kernel = np.full((n, n), mu ** (d - 1)) + (1 - mu ** (d - 1)) * np.eye(n)
    values = np.linalg.eigvalsh(kernel)
    np.testing.assert_allclose(ideal(np.array(d), n, mu), [values[0], values[-1]])
    squares = [recursion(kernel, error, 0.1, [30])[1] ** 2 for error in np.eye(n)]
    np.testing.assert_allclose(ideal_ratio(np.array(d), n, mu, 0.1, 30), np.sqrt(np.mean(squares)))


def test_a_small_run_by_hand():
    """At depth 2 with inputs 1 the output is sum_j G_sj u_j v_j, and K(s,s') = sum_j G_sj G_s'j (u_j^2 + v_j^2)."""
    settings = experiment.Parameters(samples=5, widths=(3, 4), depths=(2, 3), trained_depths=(2, 9), mu=0.9, runs=2,
                                     trained_runs=2, steps=6, record_every=3)  # fmt: skip
    record = experiment.simulate(settings, MemoryBench())
    assert record.step.values.tolist() == [0, 3, 6]
    all_traces, all_relative = [], []
    for run in range(2):
        rng = np.random.default_rng([0, 4, 2, run])
        u, v = ((0.9 * 4) ** -0.5 * (2.0 * rng.integers(0, 2, shape, np.int8) - 1) for shape in (4, 4))
        gates, y = rng.random((5, 4)) < 0.9, rng.uniform(-1, 1, 5)
        kernel = (gates * (u**2 + v**2)) @ gates.T
        values = np.linalg.eigvalsh(kernel / 2)
        all_traces.append(values.sum())
        all_relative.append([values[:k].sum() / values[-1] for k in range(1, 6)])
        one = record.sel(width=4, depth=2).isel(run=run)
        np.testing.assert_allclose([one.smallest, one.largest], values[[0, -1]], atol=1e-12)
        np.testing.assert_allclose([one.diagonal, one.beside, one.half_sum], [*kernel[0, :2] / 2, values[:2].sum()], atol=1e-12)
        root = np.sqrt(np.diag(kernel))
        scaled = np.linalg.eigvalsh(kernel / np.outer(root, root))
        np.testing.assert_allclose([one.scaled_smallest, one.scaled_largest], scaled[[0, -1]], atol=1e-12)
        assert int(one["rank"]) == np.linalg.matrix_rank(kernel) <= 4  # no more than units
        rate, sizes = 0.1 / np.linalg.norm(kernel, 2), []
        matrix, start = np.eye(5) - rate * kernel, gates @ (u * v) - y
        fixed = [np.linalg.norm(np.linalg.matrix_power(matrix, t) @ start) for t in (0, 3, 6)] / np.linalg.norm(start)
        np.testing.assert_allclose(one.recursion, fixed, rtol=1e-9)
        for _ in range(7):
            error = gates @ (u * v) - y
            sizes.append(np.linalg.norm(error))
            after = np.trace((gates * (u**2 + v**2)) @ gates.T)
            u, v = u - rate * (error @ gates) * v, v - rate * (error @ gates) * u
        trained = record.sel(width=4, trained_depth=2).isel(trained_run=run)
        np.testing.assert_allclose(trained.descent, np.array(sizes)[[0, 3, 6]] / sizes[0], rtol=1e-5)
        assert float(trained.growth) == pytest.approx(after / np.trace(kernel), rel=1e-5)
    assert float(record.sums.sel(width=4, depth=2, k=5)) == pytest.approx(float(np.mean(all_traces)))
    np.testing.assert_allclose(record.relative_sums.sel(width=4, depth=2), np.mean(all_relative, 0), atol=1e-12)


def test_depths_must_increase():
    with pytest.raises(ValueError, match="depths must be two or more increasing whole numbers, but are"):
        experiment.Parameters(depths=(4, 2))


def bars(axes, values, depths):
    """Median and middle 68 % of runs (width, depth, run), side by side for the widths."""
    for i, container in enumerate(axes.containers):
        low, middle, high = np.quantile(values[i], [0.16, 0.5, 0.84], axis=-1)
        assert_bars(container, np.array(depths) + 0.16 * (i - 1), middle, low, high)
    assert len(axes.containers) == 3


def test_figure_shows_what_goes_with_depth():
    record = changed(made(), ("descent", {"width": 25, "trained_depth": 20}, 0.5))
    recursion, descent, smallest, plain, scaled = experiment.figure(record).axes
    bars(smallest, record.smallest.values, DEPTHS)
    bars(plain, (record.largest / record.smallest.clip(1e-12 * record.largest)).values, DEPTHS)
    bars(scaled, (record.scaled_largest / record.scaled_smallest).values, DEPTHS)
    bars(recursion, record.recursion.values[..., 1], DEPTHS)
    bars(descent, record.descent.values[..., 1], TRAINED)
    away = 0.5 ** (np.array(DEPTHS) - 1.0)
    mean, place = points(smallest, color="black", style="-", marker="None")
    np.testing.assert_allclose(mean, [DEPTHS, 1 - away])
    np.testing.assert_allclose(place[1], PLACE)  # of random matrices, at d = 2
    assert_line(plain, DEPTHS, (1 + 199 * away) / (1 - away), color="black")
    parts = [(0.9**200 + 199 * (1 - 0.1 * (1 - b) / (1 + 199 * b)) ** 200) / 200 for b in away]
    assert_line(recursion, DEPTHS, np.sqrt(parts), color="black", style="-")


def test_the_large_panel_shows_means_which_the_headline_has():
    """One run of many ends with a larger error: the mean is another number than the median."""
    record = changed(made(), ("recursion", {"width": 500, "depth": 8, "step": 100, "run": 0}, 0.5))
    dots, _, _ = experiment.figure(record).axes[0].containers[2]
    np.testing.assert_allclose(dots.get_ydata(), record.recursion.values[2, ..., 1].mean(-1))


def test_an_arrow_stands_for_a_condition_number_beyond_the_axis():
    record = made()
    for w, most in ((25, 1e9), (100, 1.0), (500, 1.0)):
        record = changed(record, ("smallest", {"width": w}, 1.0), ("largest", {"width": w}, most))
    plain = experiment.figure(record).axes[3]
    shown = [len(line.get_xdata()) for line in plain.lines if line.get_marker() == "$↑$"]
    assert shown == [len(DEPTHS), 0, 0]


def test_the_ideal_error_is_that_after_the_steps_of_the_panel():
    recursion = experiment.figure(made().assign_coords(step=[0, 90, 500])).axes[0]
    parts = [(0.9**180 + 199 * (1 - 0.1 * (1 - b) / (1 + 199 * b)) ** 180) / 200 for b in (0.5, 0.5**7, 0.5**19)]
    assert_line(recursion, DEPTHS, np.sqrt(parts), color="black", style="-")


def test_the_second_figure_shows_spectra_and_errors_of_each_width():
    record = made()
    figure = experiment.more(record)
    panels = figure.axes
    colours = {line.get_label(): line.get_color() for line in figure.subfigs[0].legends[0].legend_handles}
    for d in DEPTHS:
        colour, away = colours[f"d = {d}"], 0.5 ** (d - 1)
        kernel = np.full((200, 200), away) + (1 - away) * np.eye(200)
        values = np.linalg.eigvalsh(kernel)
        assert_line(panels[0], np.arange(1, 201), np.cumsum(values), color=colour)
        factors = 1 - 0.1 * values / values[-1]
        assert_line(panels[4], [0, 100, 500], [np.sqrt(np.mean(factors ** (2 * t))) for t in (0, 100, 500)], color=colour)
        for i, w in enumerate(WIDTHS):
            assert_line(panels[1 + i], np.arange(1, 201), record.sums.sel(width=w, depth=d), color=colour)
            late = means("recursion")[i, DEPTHS.index(d)]
            assert_line(panels[5 + i], [0, 100, 500], [1, late, late / 10], color=colour, style="-")
            if d in TRAINED:
                late = means("descent")[i, TRAINED.index(d)]
                assert_line(panels[5 + i], [0, 100, 500], [1, late, late / 10], color=colour, style=":")
        assert_line(panels[9], np.arange(1, 201), record.relative_sums.sel(width=WIDTHS[-1], depth=d), color=colour)
    exacts = np.ones(3), 0.5 ** (np.array(DEPTHS) - 1.0)
    for axes, what, exact in zip(panels[10:], ("diagonal", "beside"), exacts, strict=True):
        assert_line(axes, DEPTHS, exact, color="black", style="-", marker="None")
        for i, container in enumerate(axes.containers):
            mean, (low, high) = record[what].values[i].mean(-1), np.quantile(record[what].values[i], [0.16, 0.84], axis=-1)
            assert_bars(container, np.array(DEPTHS) + 0.16 * (i - 1), mean, np.minimum(low, mean), np.maximum(high, mean))


def test_the_distance_of_half_of_the_spectrum_falls_with_width():
    """Of each depth a line, and the mean over depths, which the headline has; records of before are drawn too."""
    record = made()
    away = 0.5 ** (np.array(DEPTHS) - 1.0)
    gaps = abs(record.half_sum.transpose("width", "depth", "run").values.mean(-1) - 100 * (1 - away))
    (axes,) = [axes for axes in experiment.more(record.drop_vars("relative_sums")).axes if "(c)" in axes.get_title(loc="left")]
    for i in range(len(DEPTHS)):
        np.testing.assert_allclose(points(axes, marker="o")[i], [WIDTHS, gaps[:, i]])
    assert_line(axes, WIDTHS, gaps.mean(1), marker="_")
    assert [text.get_text() for text in axes.texts] == [f"{gap:.2g}" for gap in gaps.mean(1)[[0, -1]]]


def test_the_numbers_of_both_headlines_stand_in_the_panels():
    """Half of the mean kernel's eigenvalues: 50, 99.2 and 100; the made ones at w = 25 are 0, 23.7 and 10.3."""
    record = made()
    found = experiment.verdicts(record)
    assert headline("?", found) == (
        "Depth first helps randomly gated networks (width 500: error 0.95 at depth 2, 0.045 at 8); "
        "beyond a point more depth hurts (0.06 at 20)"
    )
    assert headline("?", found, more=True) == (
        "Wider networks come nearer to the mean kernel: "
        "the sum of the 100 smallest eigenvalues is off by 72 at w = 25, by 27 at w = 500"
    )
    texts = [(text.get_text(), pytest.approx(text.xy[1])) for text in experiment.figure(record).axes[0].texts]
    assert texts == [("0.95", 0.948), ("0.045", 0.0449), ("0.06", 0.06)]
    panels = experiment.more(record).axes
    assert [axes.get_title(loc="left") for axes in (panels[1], panels[3])] == ["w = 25: off by 72", "w = 500: off by 27"]
