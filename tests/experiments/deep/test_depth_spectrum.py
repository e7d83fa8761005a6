"""Spectra and errors of a small run by hand; verdicts and figure of `depth-spectrum` on a record made by hand."""

import numpy as np
import pytest
import xarray as xr
from depth_records import assert_bars, runs
from drawn import assert_line, lines
from judging import changed, judged, told
from scipy import stats

from gatefield.experiments.deep.depth_spectrum import experiment
from gatefield.experiments.deep.depth_spectrum.verdicts import ideal, ideal_ratio
from gatefield.experiments.deep.networks import recursion
from gatefield.lab import MemoryBench

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
        "descent": (".936", "1e-5"),
    },
}
"""What the independent computation printed at these depths and trained depths."""
OTHER_RUNS = {25: (20, 5), 100: (20, 5), 500: (5, 1)}
PART = 0.04
"""Standard deviation of a run, as a part of the mean (an error of a hundredth of it, with four runs and 5 others)."""


def means(what):
    return np.array([[float(text) for text in PRINTED[w][what]] for w in WIDTHS])


def made():
    """The numbers of the independent computation, with a little spread, and what goes with them."""
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


def test_the_record_made_by_hand():
    found = experiment.verdicts(made())
    assert len(found) == 2 + 4 + 9 + 1 + 2 + 15
    refuted = [v.claim for v in found if not v.holds]
    assert [claim[:40] for claim in refuted] == [
        "entries near their means give the ideal ",
        *(f"w = {w}: convergence gets better with depth"[:40] for w in WIDTHS),
        "gradient descent follows the linear recu",
    ]
    kinds = {"claim": 2 + 2 + 9 + 1, "prediction": 2 + 1 + 1, "regression": 15}
    assert {kind: sum(v.kind == kind for v in found) for kind in kinds} == kinds


LIMIT = stats.t.ppf(1 - 0.001 / 6, 3)
"""Three depths, two sides, four runs."""
EDGE = 0.5 * (1 - 0.4**0.5) ** 2
SPREAD = 0.03
MORE = 0.55 + 3 * np.hypot(SPREAD, 0.55 * PART) / 2
"""Three standard errors of the difference above the error at d = 8, w = 25, for an error of that spread; four runs each."""


@pytest.mark.parametrize(
    ("words", "changes", "measured", "holds"),
    [
        ("on the diagonal is 1", [("diagonal", at(500, 8), runs(1 + 0.05 * (LIMIT - 0.01), 0.1))], LIMIT - 0.01, True),
        ("on the diagonal is 1", [("diagonal", at(500, 8), runs(1 + 0.05 * (LIMIT + 0.01), 0.1))], LIMIT + 0.01, False),
        ("on the diagonal is 1", [("diagonal", {"width": [25, 100]}, 3.0)], 0, True),
        ("is mu^(d-1)", [("beside", at(500, 2), runs(0.5 - 0.01 * (LIMIT - 0.01), 0.02))], LIMIT - 0.01, True),
        ("is mu^(d-1)", [("beside", at(500, 2), runs(0.5 - 0.01 * (LIMIT + 0.01), 0.02))], LIMIT + 0.01, False),
        ("wider networks", [("half_sum", {"width": 500}, 10.0)], (40 + 89.21875 + 90 - 1e-4 / 0.524288) / 3, False),
        ("wider networks", [("half_sum", {"width": 100}, 10.0)], (26 + 21.91875 + 32.3 - 1e-4 / 0.524288) / 3, False),
        ("entries near their means", [("smallest", at(500, 2), 0.401)], 0.401, True),
        ("entries near their means", [("smallest", at(500, 2), 0.399)], 0.399, False),
        ("entries near their means", [("smallest", at(500, 2), 0.599)], 0.599, True),
        ("entries near their means", [("smallest", at(500, 2), 0.601)], 0.601, False),
        ("Marchenko", [("smallest", at(500, 2), 1.249 * EDGE)], 1.249 * EDGE, True),
        ("Marchenko", [("smallest", at(500, 2), 1.251 * EDGE)], 1.251 * EDGE, False),
        ("Marchenko", [("smallest", at(500, 2), 0.751 * EDGE)], 0.751 * EDGE, True),
        ("Marchenko", [("smallest", at(500, 2), 0.749 * EDGE)], 0.749 * EDGE, False),
        ("at most the rank w", [("rank", at(25, 2), [1, 2, 3, 4])], 4, True),
        ("at most the rank w", [("rank", at(25, 2), [1, 26, 3, 4])], 26, False),
        ("at most the rank w", [("rank", at(100, 2), [1, 2, 3, 101])], 25, False),
        ("w = 25: increasing depth till", [("recursion", at(25, 2, 100), runs(MORE + 1e-3, SPREAD))], 0.55, True),
        ("w = 25: increasing depth till", [("recursion", at(25, 2, 100), runs(MORE - 1e-3, SPREAD))], 0.55, False),
        ("w = 25: increasing depth beyond", [("recursion", at(25, 20, 100), runs(MORE + 1e-3, SPREAD))], MORE + 1e-3, True),
        ("w = 25: increasing depth beyond", [("recursion", at(25, 20, 100), runs(MORE - 1e-3, SPREAD))], MORE - 1e-3, False),
        ("w = 100: convergence gets", [("recursion", at(100, 20, 100), 0.2)], 20, True),
        ("w = 100: convergence gets", [("recursion", at(100, 20, 100), 0.202)], 8, False),
        ("with unit diagonal", [("smallest", at(500, 20), 0.1), ("largest", at(500, 20), 0.301)], 1.5, True),
        ("with unit diagonal", [("smallest", at(500, 20), 0.1), ("largest", at(500, 20), 0.299)], 1.5, False),
        ("with unit diagonal", [("scaled_largest", at(500, 20), [0.8, 1.6, 0.8, 1.6])], 2**0.5, True),
    ],
)  # fmt: skip
def test_verdicts_on_both_sides_of_their_bounds(words, changes, measured, holds):
    found = judged(experiment, changed(made(), *changes), words)
    assert found.holds is holds
    assert found.measured == pytest.approx(measured, rel=1e-6, abs=1e-6)


def test_what_is_expected():
    found = experiment.verdicts(made())[:18]
    expected = [0, 0, 0, 0.5, EDGE, 25, 0.895, 20, 0.55, 0.938, 20, 0.201, 0.948, 20, 0.0449, 2.39 / 0.323, 1, -1]
    assert [v.predicted for v in found] == pytest.approx(expected, rel=1e-9)
    assert found[2].bounds[0].high == pytest.approx((50 + 99.21875 - 23.7 + 100 - 10.3 - 1e-4 / 0.524288) / 3)  # at w = 25
    close = changed(made(), ("recursion", at(25, 2, 100), runs(0.56, 0.1)))
    assert [v.outcome for v in experiment.verdicts(close)[6:9]] == ["not decided", "refuted", "confirmed"]


@pytest.mark.parametrize(("value", "holds"), [(0.5e-9, True), (1.5e-9, False), (-0.5e-9, True)])
def test_the_edge_is_zero_with_fewer_units_than_samples(value, holds):
    found = judged(experiment, changed(made(), ("smallest", at(100, 2), value)).isel(width=[0, 1]), "Marchenko")
    assert (found.holds, found.predicted, found.measured) == (holds, 0, value)


def test_edge_and_rank_are_asked_at_depth_two_alone():
    claims = [v.claim for v in told(experiment, made().isel(depth=[1, 2], trained_depth=[1]))]
    assert not [claim for claim in claims if "Marchenko" in claim or "rank" in claim]
    assert "(w = 500, d = 8: smallest eigenvalue)" in claims[3]


@pytest.mark.parametrize(("factor", "holds"), [(1.24, True), (1.26, False), (1 / 1.24, True), (1 / 1.26, False)])
def test_descent_follows_the_recursion_within_a_factor(factor, holds):
    """All courses are the same but one; of four runs of the recursion the first two are trained."""
    record, same = made(), made().recursion.sel(depth=TRAINED).isel(run=[0, 1]).values
    record["descent"][:] = same
    record["descent"].loc[{"width": 100, "trained_depth": 20, "step": 100}] *= factor
    record["recursion"][:, :, 2:] = 0.3
    found = judged(experiment, record, "gradient descent follows")
    assert (found.holds, found.measured, found.predicted) == (holds, pytest.approx(factor), 1)


@pytest.mark.parametrize(("link", "holds"), [(-0.51, True), (-0.49, False)])
def test_descent_is_ahead_where_the_kernel_has_grown(link, holds):
    course, other = np.array([[1.0, -1.0], [2.0, -2.0], [0.0, 0.0]]), np.array([[1.0, 1.0], [0.0, 0.0], [-1.0, -1.0]])
    record = made()
    record["descent"].loc[{"step": 100}] = (
        record.recursion.sel(depth=TRAINED, step=100).values[..., :2] * np.exp(course)[..., None]
    )
    growth = np.exp(link * course / np.sqrt(10) + np.sqrt(1 - link**2) * other / 2)
    record["growth"][:] = growth[..., None]
    found = judged(experiment, record, "the kernel has grown")
    assert (found.holds, found.measured) == (holds, pytest.approx(link))
    assert found.note.endswith(f"{growth.min():.2f} to {growth.max():.2f}")


def shift(width, what, depth, beyond):
    """A mean at one place so many standard errors beyond the limit and the printed number's rounding, as `changed` takes it."""
    count, depths = (2, TRAINED) if what == "descent" else (4, DEPTHS)
    text = PRINTED[width][what][depths.index(depth)]
    half = 0.5e-5 if text == "1e-5" else 0.5 * 10.0 ** -len(text.partition(".")[2])
    deviation = PART * abs(float(text)) + 1e-3
    error = deviation * np.sqrt(1 / count + 1 / OTHER_RUNS[width][what == "descent"])
    limit = stats.t.ppf(1 - 0.001 / (2 * len(depths)), count - 1)
    place = {"width": width, "trained_depth" if what == "descent" else "depth": depth}
    place |= {"step": 100} if what in ("recursion", "descent") else {}
    return what, place, runs(float(text) + half + (limit + beyond) * error, deviation, count)


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(("beyond", "holds"), [(-0.05, True), (0.05, False)])
def test_the_independent_computation_is_asked_number_by_number(depth, beyond, holds):
    places = [(w, what) for w in WIDTHS for what in PRINTED[w]]
    asked = [depth in TRAINED or what != "descent" for _, what in places]
    shifts = [shift(*place, depth, beyond) for place, is_asked in zip(places, asked, strict=True) if is_asked]
    found = experiment.verdicts(changed(made(), *shifts))[18:]
    assert [v.holds for v in found] == [holds or not is_asked for is_asked in asked]
    assert [f"largest at d = {depth}: " in v.note for v in found] == asked
    assert [v.claim.partition(":")[0] for v in found] == [f"w = {w}" for w, _ in places]


@pytest.mark.parametrize("other", [{"samples": 199}, {"mu": 0.4}, {"rate": 0.2}])
def test_the_independent_computation_is_asked_in_its_setting_alone(other):
    assert len(told(experiment, made().assign_attrs(other))) == 18
    assert len(told(experiment, made().assign_coords(step=[0, 101, 500]))) == 18
    assert len(told(experiment, made().assign_coords(width=[25, 100, 400]))) == 28


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
        assert int(one["rank"]) == np.linalg.matrix_rank(kernel)
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


def figure(record):
    panels = experiment.figure(record).axes
    assert [axes.get_title() for axes in panels] == [
        *["mean kernel (ideal)", "w = 25", "w = 100", "w = 500"] * 3,
        "(d) K(1,1)/d",
        "(e) K(1,2)/d",
        "(f) smallest eigenvalue of K/d",
        f"(g) |e|/|e$_0$| after {int(record.step[1])} steps",
    ]
    return panels


def test_figure_shows_spectra_and_errors_of_each_width():
    record = made()
    panels = figure(record)
    colours = {line.get_label(): line.get_color() for line in panels[3].get_legend().legend_handles}
    for d in DEPTHS:
        colour, away = colours[f"d = {d}"], 0.5 ** (d - 1)
        kernel = np.full((200, 200), away) + (1 - away) * np.eye(200)
        values = np.linalg.eigvalsh(kernel)
        assert_line(panels[0], np.arange(1, 201), np.cumsum(values), color=colour)
        assert_line(panels[4], np.arange(1, 201), np.cumsum(values) / values.max(), color=colour)
        factors = 1 - 0.1 * values / values[-1]
        assert_line(panels[8], [0, 100, 500], [np.sqrt(np.mean(factors ** (2 * t))) for t in (0, 100, 500)], color=colour)
        for i, w in enumerate(WIDTHS):
            assert_line(panels[1 + i], np.arange(1, 201), record.sums.sel(width=w, depth=d), color=colour)
            assert_line(panels[5 + i], np.arange(1, 201), record.relative_sums.sel(width=w, depth=d), color=colour)
            late = means("recursion")[i, DEPTHS.index(d)]
            assert_line(panels[9 + i], [0, 100, 500], [1, late, late / 10], color=colour, style="-")
            if d in TRAINED:
                late = means("descent")[i, TRAINED.index(d)]
                assert_line(panels[9 + i], [0, 100, 500], [1, late, late / 10], color=colour, style=":")


def test_figure_shows_what_goes_with_depth():
    record = changed(made(), ("descent", {"width": 25, "trained_depth": 20}, 1e-9))
    panels, depths = figure(record)[12:], np.array(DEPTHS)
    expected = np.ones(3), 0.5 ** (depths - 1.0), 1 - 0.5 ** (depths - 1.0)
    for axes, what, exact in zip(panels, ("diagonal", "beside", "smallest"), expected, strict=False):
        assert_line(axes, DEPTHS, exact, style="--", color="k")
        for i, container in enumerate(axes.containers):
            mean = record[what].values[i].mean(-1)
            spread = record[what].values[i].std(-1, ddof=1)
            assert container.get_label() == f"w = {WIDTHS[i]}"
            assert_bars(container, depths + 0.12 * (i - 1), mean, mean - spread, mean + spread)
    last = panels[3]
    for i, w in enumerate(WIDTHS):
        assert_line(last, DEPTHS, means("recursion")[i], color=f"C{i}", style="-", label=f"w = {w},\nrecursion")
        descent = [means("descent")[i, 0], 1e-6 if w == 25 else means("descent")[i, 1]]
        assert_line(last, TRAINED, descent, color=f"C{i}", style=":")
        crosses = lines(last, color=f"C{i}", marker="x")
        np.testing.assert_allclose(crosses[0].get_ydata(), means("recursion")[i])
        np.testing.assert_allclose(crosses[1].get_ydata(), means("descent")[i])
        np.testing.assert_allclose(lines(panels[2], color=f"C{i}", marker="x")[0].get_ydata(), means("smallest")[i])
    _, largest = ideal(depths, 200, 0.5)
    parts = [
        (0.9**200 + 199 * (1 - 0.1 * (1 - 0.5 ** (d - 1)) / top) ** 200) / 200 for d, top in zip(DEPTHS, largest, strict=True)
    ]
    assert_line(last, DEPTHS, np.sqrt(parts), style="--", color="k")


def test_the_ideal_error_is_that_after_the_steps_of_the_panel():
    last = figure(made().assign_coords(step=[0, 90, 500]))[15]
    parts = [(0.9**180 + 199 * (1 - 0.1 * (1 - b) / (1 + 199 * b)) ** 180) / 200 for b in (0.5, 0.5**7, 0.5**19)]
    assert_line(last, DEPTHS, np.sqrt(parts), style="--", color="k")
    assert not lines(last, marker="x")


def test_records_without_sums_over_the_largest_eigenvalue_are_drawn_too():
    panels = experiment.figure(made().drop_vars("relative_sums")).axes
    assert len(panels) == 12
    assert [panels[at].get_ylabel()[:10] for at in (0, 4)] == ["(a) sum of", "(b) error "]
    assert panels[8].get_title() == "(c) K(1,1)/d"
