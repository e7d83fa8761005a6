"""A small run by hand; verdicts and figure of `galu-and-relu-depth` on a record made by hand."""

import numpy as np
import pytest
import xarray as xr
from depth_records import assert_bars, runs
from drawn import assert_line, lines, points
from judging import changed
from rows import assert_row, row
from scipy import stats

from gatefield.experiments.deep.galu_and_relu_depth import experiment
from gatefield.lab import MemoryBench, headline

NETS, LAWS, DEPTHS = ["GaLU", "ReLU"], ["signs", "gaussian"], [2, 8, 20]
RECURSION = {"GaLU": (0.957, 0.786, 0.698), "ReLU": (0.955, 0.872, 0.851)}
SPREAD = {"GaLU": (3.30, 4.00, 6.08), "ReLU": (3.11, 2.80, 2.51)}
"""Of the other program, 20 runs; it has no spread at d = 8."""
LIKENESS = {"GaLU": (0.20, 0.13, 0.10), "ReLU": (0.30, 0.41, 0.40)}
LIMIT = {"GaLU": (0.20, 0.12, 0.06), "ReLU": (0.30, 0.40, 0.37)}


def made():
    """Four runs with the numbers of the other program for both laws; three trained runs."""
    each = ("net", "law", "depth", "run")
    late, spread = (np.repeat([[table[net]] for net in NETS], 2, 1) for table in (RECURSION, SPREAD))
    recursion = np.stack([np.ones((2, 2, 3, 4)), runs(late, [[[0.01]], [[0.02]]])], -1)
    descent = np.ones((2, 2, 3, 3, 2))
    descent[..., 1] = np.multiply.outer([[[0.9, 0.6, 0.4]] * 2, [[0.9, 0.8, 0.7]] * 2], [1.0, 0.5, 5.0])
    ranks = np.broadcast_to([[[6], [30], [100]], [[40], [90], [100]]], (2, 2, 3, 4)).copy()
    alike, limit = (np.repeat([[table[net]] for net in NETS], 2, 1) for table in (LIKENESS, LIMIT))
    rng = np.random.default_rng(0)
    data = {
        "likeness": (each, runs(alike, 0.01)),
        "likeness_wide": (each, np.repeat(limit[..., None], 4, -1)),
        "spread_wide": (each, np.repeat(2 * spread[..., None], 4, -1)),
        "sums_wide": ((*each[:3], "k"), rng.uniform(0, 1, (2, 2, 3, 100))),
        "recursion": ((*each, "step"), recursion),
        "spread": (each, runs(spread, 0.02)),
        "rank": (each, ranks),
        "sums": ((*each[:3], "k"), rng.uniform(0, 1, (2, 2, 3, 100))),
        "plain_sums": ((*each[:3], "k"), rng.uniform(0, 1, (2, 2, 3, 100))),
        "descent": (("net", "law", "depth", "trained_run", "step"), descent),
    }
    coords = {"net": NETS, "law": LAWS, "depth": DEPTHS, "step": [0, 300], "k": np.arange(1, 101), "run": range(4)}
    attrs = {"samples": 100, "width": 100, "rate": 0.1, "experiment": "galu-and-relu-depth"}
    return xr.Dataset(data, coords, attrs)


def at(net, law, depth, step=None):
    return {"net": net, "law": law, "depth": depth} | ({} if step is None else {"step": step})


WINS, FASTER, FLATTER, TRAINED, NEAR, COST, TABLE = range(7)
"""The places of the verdicts."""


def test_all_hold_in_the_record_made_by_hand():
    found = experiment.verdicts(made())
    assert [v.outcome for v in found] == ["confirmed"] * 7
    assert [v.kind for v in found] == [*["claim"] * 4, *["prediction"] * 2, "regression"]
    assert [at for at, v in enumerate(found) if v.found] == [TRAINED]


APART = 3 * np.hypot(0.01, 0.01) / 2
"""Three standard errors of a difference, four runs each."""
IN, OUT = (stats.t.ppf(1 - 0.001 / 6, 3) + beyond for beyond in (-0.05, 0.05))
IN_TWO, OUT_TWO = (stats.t.ppf(1 - 0.001 / 4, 3) + beyond for beyond in (-0.05, 0.05))
"""The largest distance from the table at three depths, and at two."""
ERROR = 0.01 * np.sqrt(1 / 4 + 1 / 20)
SLOW, WIDE, LATE = "error after 300 steps", "trace over largest eigenvalue", 300


@pytest.mark.parametrize(
    ("place", "at_row", "changes", "measured", "outcome"),
    [
        (WINS, "±σ", [("recursion", at("ReLU", "signs", 20, LATE), runs(0.698 + APART + 0.001, 0.01))], 0.698, "holds"),
        (WINS, "±σ", [("recursion", at("ReLU", "signs", 20, LATE), runs(0.698 + APART - 0.001, 0.01))], 0.698, "not decided"),
        (WINS, "±σ", [("recursion", at("ReLU", "signs", 20, LATE), runs(0.698 - APART - 0.001, 0.01))], 0.698, "missed"),
        (FASTER, "±σ, d = 8 after 2", [], 0.786, "holds"),
        (FASTER, "±σ, d = 20 after 8",
         [("recursion", at("GaLU", "signs", 20, LATE), runs(0.786 - APART + 1e-3, 0.01))], None, "not decided"),
        (FASTER, "±σ, d = 20 after 8",
         [("recursion", at("GaLU", "signs", 20, LATE), runs(0.786 - APART - 1e-3, 0.01))], None, "holds"),
        (FASTER, "normal weights, d = 20 after 8",
         [("recursion", at("GaLU", "gaussian", 20, LATE), runs(0.9, 0.01))], 0.9, "missed"),
        (FLATTER, "±σ", [("spread", at("GaLU", "signs", 2), runs(6.08 - 2 * APART - 1e-3, 0.02))], 6.08, "holds"),
        (FLATTER, "±σ", [("spread", at("GaLU", "signs", 2), runs(6.08 - 2 * APART + 1e-3, 0.02))], 6.08, "not decided"),
        (FLATTER, "±σ", [("spread", at("GaLU", "signs", 2), runs(7.0, 0.02))], 6.08, "missed"),
        (TABLE, f"GaLU, {SLOW}", [("recursion", at("GaLU", "signs", 8, LATE), runs(0.7865 + IN * ERROR, 0.01))], IN, "holds"),
        (TABLE, f"GaLU, {SLOW}",
         [("recursion", at("GaLU", "signs", 8, LATE), runs(0.7865 + OUT * ERROR, 0.01))], OUT, "missed"),
        (TABLE, f"GaLU, {WIDE}", [("spread", at("GaLU", "signs", 20), runs(6.085 + IN_TWO * ERROR, 0.01))], IN_TWO, "holds"),
        (TABLE, f"GaLU, {WIDE}", [("spread", at("GaLU", "signs", 20), runs(6.085 + OUT_TWO * ERROR, 0.01))], OUT_TWO, "missed"),
        (TABLE, f"ReLU, {SLOW}", [("recursion", at("ReLU", "signs", 2, LATE), runs(0.9555 + IN * ERROR, 0.01))], IN, "holds"),
        (TABLE, f"ReLU, {SLOW}",
         [("recursion", at("ReLU", "signs", 2, LATE), runs(0.9555 + OUT * ERROR, 0.01))], OUT, "missed"),
        (TABLE, f"ReLU, {WIDE}", [("spread", at("ReLU", "signs", 2), runs(3.105 - OUT_TWO * ERROR, 0.01))], OUT_TWO, "missed"),
        (TABLE, f"GaLU, {WIDE}", [("spread", {"depth": 8}, 9.0)], 0, "holds"),
        (NEAR, "±σ, GaLU", [], 0.2, "holds"),  # at d = 20: 0.04 over d/w = 0.2
        (NEAR, "±σ, GaLU", [("likeness", at("GaLU", "signs", 8), runs(0.12 + 0.08 * 0.99 - 0.016, 0.01))], 0.79, "holds"),
        (NEAR, "±σ, GaLU", [("likeness", at("GaLU", "signs", 8), runs(0.12 + 0.08 * 0.99, 0.01))], 0.99, "not decided"),
        (NEAR, "±σ, ReLU", [("likeness", at("ReLU", "signs", 2), runs(0.30 - 0.02 * 2, 0.001))], 2.0, "missed"),
        (COST, "±σ", [("likeness", at("GaLU", "signs", 20), runs(0.40 - 0.31 + 0.199, 0.01))], 0.111, "holds"),
        (COST, "±σ", [("likeness", at("GaLU", "signs", 20), runs(0.40 - 0.31 + 0.201, 0.01))], 0.109, "missed"),
        (COST, "±σ", [("likeness", at("ReLU", "signs", 20), runs(0.10 + 0.31 + 0.201, 0.01))], 0.511, "missed"),
        (COST, "±σ", [("likeness", at("ReLU", "signs", 20), runs(0.10 + 0.31 + 0.19, 0.03))], 0.5, "not decided"),
    ],
)  # fmt: skip
def test_rows_on_both_sides_of_their_bounds(place, at_row, changes, measured, outcome):
    found = row(experiment.verdicts(changed(made(), *changes))[place], at_row)
    assert found.outcome == outcome
    if measured is not None:
        assert found.measured == pytest.approx(measured, rel=1e-6, abs=1e-9)


def test_coupling_must_not_make_samples_less_alike():
    end = {net: at(net, "gaussian", 20) for net in NETS}
    found = experiment.verdicts(changed(made(), ("likeness_wide", end["ReLU"], 0.07), ("likeness", end["GaLU"], 0.45)))[COST]
    assert_row(found, "normal weights", -0.05, "missed", which=1)


@pytest.mark.parametrize(("gap", "outcome"), [(0.2, "holds"), (0.15, "not decided"), (-0.15, "not decided"), (-0.2, "missed")])
def test_descent_is_compared_run_by_run(gap, outcome):
    """Logs of three ratios, 0.1 apart: Student's one-sided 95 % is 2.92 * 0.1/sqrt(3) = 0.169 to each side."""
    record = made().assign_coords(trained_run=range(3))
    galu = np.array([0.4, 0.2, 2.0])
    changes = [("descent", at("GaLU", "signs", 20, 300), galu),
               ("descent", at("ReLU", "signs", 20, 300), galu * np.exp(gap + np.array([-0.1, 0.0, 0.1])))]  # fmt: skip
    assert_row(experiment.verdicts(changed(record, *changes))[TRAINED], "±σ", gap, outcome)
    far = changed(record, ("descent", at("GaLU", "signs", 20, 300), np.inf))  # a run that has diverged counts as far off
    assert row(experiment.verdicts(far)[TRAINED], "±σ").measured == pytest.approx(np.log([0.7, 0.35, 3.5]).mean() - np.log(1e6))


def test_the_whole_table():
    """The depths that the record made by hand does not have."""
    record = made().assign_coords(depth=[2, 4, 12])
    record["recursion"].loc[{"step": 300, "law": "signs"}] = runs([[0.957, 0.872, 0.758], [0.955, 0.911, 0.862]], 1e-4)
    found = experiment.verdicts(record)[TABLE]
    assert [row(found, f"{net}, {SLOW}").measured for net in NETS] == [0, 0]


@pytest.mark.parametrize("other", [{"samples": 99}, {"width": 50}, {"rate": 0.2}])
def test_the_other_program_is_asked_in_its_setting_alone(other):
    for record in (made().assign_attrs(other), made().assign_coords(step=[0, 299])):
        assert experiment.verdicts(record)[TABLE].outcome == "not judged"


def test_narrow_networks_are_not_laid_beside_the_limit_of_large_width():
    found = experiment.verdicts(made().assign_attrs(width=79))
    assert [found[at].outcome for at in (NEAR, COST)] == ["not judged"] * 2
    assert found[COST].why == "needs width of at least 80, has 79; run with --set width=80"


def weights(rng, law, shape):
    return 2.0 * rng.integers(0, 2, shape, np.int8) - 1 if law == "signs" else rng.normal(size=shape)


def likeness(K):
    """Mean cosine over all pairs of samples."""
    pairs = [(s, t) for s in range(len(K)) for t in range(s)]
    return np.mean([K[s, t] / (K[s, s] * K[t, t]) ** 0.5 for s, t in pairs])


def limit(x, net, law):
    """The kernel of depth 2 and width infinity: means over the four sign patterns, or over normal weights."""
    gram, lengths = x @ x.T, np.linalg.norm(x, axis=1)
    q = x @ np.array([[1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0]])
    both, relu = 2 * ((q > 0) @ (q > 0.0).T.astype(float)) / 4, 2 * np.maximum(q, 0) @ np.maximum(q, 0).T / 4
    if law == "gaussian":
        theta = np.arccos(np.clip(gram / np.outer(lengths, lengths), -1, 1))
        both = 1 - theta / np.pi
        relu = np.outer(lengths, lengths) * (np.sin(theta) + (np.pi - theta) * np.cos(theta)) / np.pi
    return gram * both + (relu if net == "ReLU" else gram * both)


@pytest.mark.costly
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("net", NETS)
def test_a_small_run_by_hand(net, law, small):
    """At depth 2: K(s,s') = <x, x'> sum_j G G' v_j^2 + sum_j G G' q_j q'_j, and a few steps of descent written out."""
    all_sums = []
    for run in range(2):
        rng = np.random.default_rng([0, 2, run, LAWS.index(law)])
        x, y = rng.uniform(-1, 1, (12, 2)), rng.uniform(-1, 1, 12)
        (u, v), (other, _) = ([0.5 * weights(rng, law, shape) for shape in ((2, 8), (8,))] for _ in range(2))
        gates = x @ (other if net == "GaLU" else u) > 0
        q = gates * (x @ u)
        kernel, start = (x @ x.T) * ((gates * v**2) @ gates.T) + q @ q.T, q @ v - y
        values, record = np.linalg.eigvalsh(kernel), small.sel(net=net, law=law, depth=2)
        all_sums.append([values[:k].sum() for k in range(1, 13)])
        assert float(record.spread[run]) == pytest.approx(np.trace(kernel) / values[-1])
        assert int(record["rank"][run]) == np.linalg.matrix_rank(kernel, tol=1e-9 * values[-1])
        assert float(record.likeness[run]) == pytest.approx(likeness(kernel))
        assert float(record.likeness_wide[run]) == pytest.approx(likeness(limit(x, net, law)), rel=1e-6)
        ideal = np.linalg.eigvalsh(limit(x, net, law))
        assert float(record.spread_wide[run]) == pytest.approx(ideal.sum() / ideal[-1], rel=1e-6)
        rate, sizes = 0.1 / values[-1], []
        moved = [np.linalg.norm(np.linalg.matrix_power(np.eye(12) - rate * kernel, t) @ start) for t in (0, 2, 4)]
        np.testing.assert_allclose(record.recursion[run], moved / np.linalg.norm(start), rtol=1e-9)
        for _ in range(5):
            gates = gates if net == "GaLU" else x @ u > 0
            error = (gates * (x @ u)) @ v - y
            sizes.append(np.linalg.norm(error))
            u, v = u - rate * x.T @ (error[:, None] * gates * v), v - rate * error @ (gates * (x @ u))
        np.testing.assert_allclose(record.descent[run], np.array(sizes)[[0, 2, 4]] / sizes[0], rtol=1e-5)
    assert (record["rank"] <= 6).all() if law == "signs" else (record["rank"] > 6).all()
    np.testing.assert_allclose(record.plain_sums, np.mean(all_sums, 0), atol=1e-9)
    last = small.sums.sel(net=net, law=law, depth=2)
    assert float(last[-1]) == pytest.approx(1)
    assert (np.diff(last, 2) >= -1e-12).all()  # the smallest eigenvalues first


@pytest.fixture(scope="module")
def small():
    p = experiment.Parameters(samples=12, width=8, depths=(2, 3), runs=2, trained_runs=2, steps=4, record_every=2)
    return experiment.simulate(p, MemoryBench()).transpose("net", "law", "depth", "run", "trained_run", "step", "k")


def test_the_second_figure_shows_spectra_and_errors_of_each_network():
    record = made()
    figure = experiment.more(record)
    panels = figure.axes
    cases = [("GaLU", "signs"), ("ReLU", "signs"), ("GaLU", "gaussian"), ("ReLU", "gaussian")]
    words = {"signs": "±σ", "gaussian": "normal"}
    titles = [f"{net}, {words[law]}" for net, law in cases]
    assert [axes.get_title(loc="left") for axes in panels[:4]] == [f"(a) {titles[0]}", *titles[1:]]
    colours = {line.get_label(): line.get_color() for line in figure.subfigs[0].legends[0].legend_handles}
    for plain, top, bottom, (net, law) in zip(panels, panels[4:], panels[8:], cases, strict=False):
        for i, d in enumerate(DEPTHS):
            one, colour = record.sel(net=net, law=law, depth=d), colours[f"d = {d}"]
            assert_line(plain, np.arange(1, 101), one.plain_sums, color=colour)
            assert_line(top, np.arange(1, 101), one.sums, color=colour, style="-")
            assert_line(top, np.arange(1, 101), one.sums_wide, color=colour, style="--")
            assert_line(bottom, [0, 300], [1, RECURSION[net][i]], color=colour, style="-")
            late = {"GaLU": [0.9, 0.6, 0.4], "ReLU": [0.9, 0.8, 0.7]}[net][i]
            assert_line(bottom, [0, 300], [1, late], color=colour, style=":")


def test_figure_shows_spectra_and_what_goes_with_depth():
    record, rng = made(), np.random.default_rng(0)
    for name in ("recursion", "spread", "descent", "likeness", "spread_wide", "likeness_wide"):
        record[name][:] = rng.uniform(0.1, 2, record[name].shape)
    for name in ("sums", "sums_wide"):
        record[name][:] = np.cumsum(rng.uniform(0.1, 1, record[name].shape), -1)
    record["descent"][0, 0, 0] = np.inf
    descent, alike, recursion, spread, galu, relu = experiment.figure(record).axes
    for axes, net in ((galu, "GaLU"), (relu, "ReLU")):
        for d in DEPTHS:
            sums = record.sums.sel(net=net, law="gaussian", depth=d).values
            assert_line(axes, np.arange(1, 101), [*np.diff(sums)[::-1], sums[0]], label=f"d = {d}")
        for d, style in ((2, ":"), (20, "-")):
            sums = record.sums_wide.sel(net=net, law="gaussian", depth=d).values
            look = {"color": "black", "style": style, "label": f"wide, d = {d}"}
            assert_line(axes, np.arange(1, 101), [*np.diff(sums)[::-1], sums[0]], **look)
        assert len(lines(axes, color="black")) == 2
    late = (
        (recursion, record.recursion.values[..., 1]),
        (descent, np.minimum(record.descent.values[..., 1], 1e6)),
        (spread, record.spread.values),
        (alike, record.likeness.values),
    )
    for axes, values in late:
        order = [(net, law) for net in range(2) for law in range(2)]
        for container, (net, law) in zip(axes.containers, order, strict=True):
            low, middle, high = np.quantile(values[net, law], [0.16, 0.5, 0.84], axis=-1)
            assert_bars(container, np.array(DEPTHS) + 0.5 * net + 0.25 * law - 0.37, middle, low, high)
    for axes, what in ((spread, "spread_wide"), (alike, "likeness_wide")):
        for net, style in (("GaLU", "-"), ("ReLU", "--")):
            assert_line(axes, DEPTHS, record[what].sel(net=net, law="gaussian").mean("run"), color="black", style=style)


def test_the_title_has_medians_that_stand_in_the_panels():
    """Normal weights at the largest depth; the mean of a skewed run of values is another number."""
    end = {net: at(net, "gaussian", 20) for net in NETS}
    record = changed(
        made(),
        ("descent", {**end["GaLU"], "step": 300}, [0.3, 0.31, 0.5]),
        ("likeness", end["ReLU"], [0.4, 0.44, 0.44, 0.5]),
        ("recursion", {**end["ReLU"], "step": 300}, [0.8, 0.86, 0.86, 0.9]),
    )
    found = experiment.verdicts(record)
    start = "at depth 20 GaLU (gates of another network, frozen) leaves"
    left = f"{start} 0.31 of the error after 300 steps, ReLU (own gates) 0.70"
    assert (found[TRAINED].found, found[COST].found) == (left, "")
    assert headline("?", experiment.verdicts(made())) == f"A{left[1:].replace('0.31', '0.40')}"
    assert found[TRAINED].otherwise == f"{start} no less of the error after 300 steps (0.31) than ReLU (own gates, 0.70)"
    panels = experiment.figure(record).axes
    assert [axes.get_title(loc="left") for axes in panels[:4]] == [
        "(a) gradient descent: GaLU is faster",
        "(b) own gates: samples more alike",
        "(c) first K kept: the gap shrinks (0.16, in (a) 0.39)",
        panels[3].get_title(loc="left"),
    ]
    assert "2.0× below its limit; ReLU" in panels[3].get_title(loc="left")
    numbers = [[(text.get_text(), text.xy[1]) for text in axes.texts] for axes in panels[:3]]
    assert numbers == [
        [("0.31", pytest.approx(0.31)), ("0.70", pytest.approx(0.7))],
        [("0.10", pytest.approx(0.10)), ("0.44", pytest.approx(0.44))],
        [("0.70", pytest.approx(0.698)), ("0.86", pytest.approx(0.86))],
    ]
    slower = changed(record, ("descent", {**end["GaLU"], "step": 300}, 0.9))
    assert experiment.figure(slower).axes[0].get_title(loc="left") == "(a) gradient descent: ReLU is faster"
    near = changed(record, ("spread_wide", end["GaLU"], 6.6))
    assert "as its wide limit; ReLU" in experiment.figure(near).axes[3].get_title(loc="left")


def test_the_second_headline_has_the_share_of_the_smaller_half_and_what_descent_leaves():
    """Of GaLU with normal weights: the 50 smallest of 100 eigenvalues have 0.0004 and 0.05 of the trace."""
    record = changed(made(), *[("sums", {**at("GaLU", "gaussian", d), "k": 50}, part) for d, part in ((2, 4e-4), (20, 0.05))])
    assert headline("?", experiment.verdicts(record), more=True) == (
        "Depth flattens K of GaLU (normal weights: lower half 0.04 → 5 % of the trace); "
        "descent at d = 20 leaves 0.40 of the error (K fixed 0.70)"
    )
    panels = experiment.more(record).axes
    assert [(text.get_text(), text.xy) for text in panels[2].texts] == [("0.04 %", (50, 4e-4)), ("5 %", (50, 0.05))]
    assert [axes.texts[0].get_text() for axes in panels[4:]] == ["d = 20:\n● 0.70\n○ 0.40", "d = 20:\n● 0.85\n○ 0.70"] * 2
    for axes, net in zip(panels[4:], ("GaLU", "ReLU") * 2, strict=True):
        assert [y[0] for _, y in points(axes, marker="o")] == [RECURSION[net][-1], {"GaLU": 0.4, "ReLU": 0.7}[net]]


def test_a_singular_kernel_is_named():
    """Where fewer than a quarter of the eigenvalues is there: six at d = 2 with weights ±σ, of normal ones forty."""
    panels = experiment.more(made()).axes[:4]
    said = [[text.get_text() for text in axes.texts if "%" not in text.get_text()] for axes in panels]
    assert said == [["d = 2: all\nbut 6 are 0"]] * 2 + [[]] * 2


def test_records_without_sums_of_plain_eigenvalues_are_drawn_too():
    panels = experiment.more(made().drop_vars("plain_sums")).axes
    assert len(panels) == 8
    assert [panels[at].get_ylabel()[:5] for at in (0, 4)] == ["share", "error"]
