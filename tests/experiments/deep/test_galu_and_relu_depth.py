"""A small run by hand; verdicts and figure of `galu-and-relu-depth` on a record made by hand."""

import numpy as np
import pytest
import xarray as xr
from depth_records import assert_bars, runs
from drawn import assert_line, lines
from judging import changed, judged, told
from scipy import stats

from gatefield.experiments.deep.galu_and_relu_depth import experiment
from gatefield.lab import MemoryBench

NETS, LAWS, DEPTHS = ["GaLU", "ReLU"], ["signs", "gaussian"], [2, 8, 20]
RECURSION = {"GaLU": (0.957, 0.786, 0.698), "ReLU": (0.955, 0.872, 0.851)}
SPREAD = {"GaLU": (3.30, 4.00, 6.08), "ReLU": (3.11, 2.80, 2.51)}
"""Of the independent computation, 20 runs; it has no spread at d = 8."""
LIKENESS = {"GaLU": (0.20, 0.13, 0.10), "ReLU": (0.30, 0.41, 0.40)}
LIMIT = {"GaLU": (0.20, 0.12, 0.06), "ReLU": (0.30, 0.40, 0.37)}


def made():
    """Four runs with the numbers of the independent computation for both laws; three trained runs."""
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


def test_all_hold_in_the_record_made_by_hand():
    found = experiment.verdicts(made())
    assert [v.holds for v in found] == [True] * (1 + 2 * 4 + 4 + 2 * 2)
    each = [0.957, 3.30, 0.851, 0.7]
    assert [v.predicted for v in found] == pytest.approx([6, *each, *each, 0, 0, 0, 0, *[0, 0.31] * 2])
    assert [v.kind for v in found] == ["prediction", *["claim"] * 8, *["regression"] * 4, *["prediction"] * 4]
    assert found[0].note == (
        "normal weights: 40 of 100; ranks with +-sigma at d = [2, 8, 20]: GaLU [6, 30, 100], ReLU [6, 30, 100] (medians)"
    )


APART = 3 * np.hypot(0.01, 0.01) / 2
"""Three standard errors of a difference, four runs each."""
IN, OUT = (stats.t.ppf(1 - 0.001 / 6, 3) + beyond for beyond in (-0.05, 0.05))
IN_TWO, OUT_TWO = (stats.t.ppf(1 - 0.001 / 4, 3) + beyond for beyond in (-0.05, 0.05))
"""The largest distance from the table at three depths, and at two."""
ERROR = 0.01 * np.sqrt(1 / 4 + 1 / 20)
END = {net: at(net, "gaussian", 20) for net in NETS}


@pytest.mark.parametrize(
    ("place", "changes", "measured", "holds"),
    [
        (0, [("rank", {**at("ReLU", "signs", 2), "run": 3}, 7)], 7, False),
        (0, [("rank", {**at("GaLU", "signs", 2), "run": 0}, 7)], 7, False),
        (0, [("rank", at("GaLU", "signs", 2), 5), ("rank", at("ReLU", "signs", 2), 5)], 5, True),
        (1, [("recursion", at("GaLU", "signs", 2, 300), runs(0.787 + 0.5, 0.01))], 0.698, True),
        (1, [("recursion", at("GaLU", "signs", 8, 300), runs(0.697, 0.01))], 0.698, False),
        (1, [("recursion", at("GaLU", "signs", 20, 300), runs(0.787, 0.01))], 0.787, False),
        (5, [("recursion", at("GaLU", "gaussian", [2, 8, 20], 300), runs([APART + 0.501, 0.501, 0.5], 0.01))], 0.5, True),
        (5, [("recursion", at("GaLU", "gaussian", [2, 8, 20], 300), runs([APART + 0.499, 0.501, 0.5], 0.01))], 0.5, False),
        (2, [("spread", at("GaLU", "signs", 2), 6.07)], 6.08, True),
        (2, [("spread", at("GaLU", "signs", 2), 6.09)], 6.08, False),
        (3, [("recursion", at("ReLU", "signs", 20, 300), runs(0.698 + APART + 0.001, 0.01))], 0.698, True),
        (3, [("recursion", at("ReLU", "signs", 20, 300), runs(0.698 + APART - 0.001, 0.01))], 0.698, False),
        (4, [("descent", {**at("ReLU", "signs", 20, 300), "trained_run": 0}, 0.41)], 0.4, True),
        (4, [("descent", {**at("ReLU", "signs", 20, 300), "trained_run": 0}, 0.39)], 0.4, False),
        (8, [("descent", {**at("GaLU", "gaussian", 20, 300), "trained_run": [0, 1]}, np.inf)], 1e6, False),
        (9, [("recursion", at("GaLU", "signs", 8, 300), runs(0.7865 + IN * ERROR, 0.01))], IN, True),
        (9, [("recursion", at("GaLU", "signs", 8, 300), runs(0.7865 + OUT * ERROR, 0.01))], OUT, False),
        (10, [("spread", at("GaLU", "signs", 20), runs(6.085 + IN_TWO * ERROR, 0.01))], IN_TWO, True),
        (10, [("spread", at("GaLU", "signs", 20), runs(6.085 + OUT_TWO * ERROR, 0.01))], OUT_TWO, False),
        (11, [("recursion", at("ReLU", "signs", 2, 300), runs(0.9555 + IN * ERROR, 0.01))], IN, True),
        (11, [("recursion", at("ReLU", "signs", 2, 300), runs(0.9555 + OUT * ERROR, 0.01))], OUT, False),
        (12, [("spread", at("ReLU", "signs", 2), runs(3.105 - IN_TWO * ERROR, 0.01))], IN_TWO, True),
        (12, [("spread", at("ReLU", "signs", 2), runs(3.105 - OUT_TWO * ERROR, 0.01))], OUT_TWO, False),
        (10, [("spread", {"depth": 8}, 9.0)], 0, True),
        (13, [], 0.2, True),  # GaLU at d = 20: 0.04 over d/w = 0.2
        (13, [("likeness", at("GaLU", "signs", 8), runs(0.12 + 0.08 * 0.99 - 0.016, 0.01))], 0.79, True),
        (13, [("likeness", at("GaLU", "signs", 8), runs(0.12 + 0.08 * 0.99, 0.01))], 0.99, False),
        (13, [("likeness", at("ReLU", "signs", 2), runs(0.30 - 0.02 * 2, 0.001))], 2.0, False),
        (14, [("likeness", at("GaLU", "signs", 20), runs(0.40 - 0.31 + 0.199, 0.01))], 0.111, True),
        (14, [("likeness", at("GaLU", "signs", 20), runs(0.40 - 0.31 + 0.201, 0.01))], 0.109, False),
        (14, [("likeness", at("ReLU", "signs", 20), runs(0.10 + 0.31 + 0.201, 0.01))], 0.511, False),
        (16, [("likeness_wide", END["ReLU"], 0.07), ("likeness", END["GaLU"], 0.45)], -0.05, False),
    ],
)  # fmt: skip
def test_verdicts_on_both_sides_of_their_bounds(place, changes, measured, holds):
    record = made().assign_coords(trained_run=range(3))
    found = experiment.verdicts(changed(record, *changes))[place]
    assert found.holds is holds
    assert found.measured == pytest.approx(measured, rel=1e-6, abs=1e-9)


def test_the_whole_table():
    """The depths that the record made by hand does not have."""
    record = made().assign_coords(depth=[2, 4, 12])
    record["recursion"].loc[{"step": 300, "law": "signs"}] = runs([[0.957, 0.872, 0.758], [0.955, 0.911, 0.862]], 1e-4)
    found = [v for v in experiment.verdicts(record) if v.kind == "regression" and "|e_300|" in v.claim]
    assert [(v.measured, v.claim[-8:]) for v in found] == [(0, "3 depths")] * 2


@pytest.mark.parametrize("other", [{"samples": 99}, {"width": 50}, {"rate": 0.2}])
def test_the_independent_computation_is_asked_in_its_setting_alone(other):
    for record in (made().assign_attrs(other), made().assign_coords(step=[0, 299])):
        assert (len(told(experiment, record)), len(experiment.verdicts(record))) == (13 - 4 * (record.attrs["width"] == 50), 17)


def test_notes_by_depth():
    found = judged(experiment, made(), "+-sigma: GaLU converges faster")
    assert found.note.endswith("2: 0.957 and 0.955, 8: 0.786 and 0.872, 20: 0.698 and 0.851")
    found = judged(experiment, made(), "normal weights: GaLU optimises better than ReLU at d = 20, by gradient descent")
    assert "3 runs; medians of GaLU and ReLU, by depth: 2: 0.9 and 0.9, 8: 0.6 and 0.8, 20: 0.4 and 0.7. " in found.note
    assert judged(experiment, made(), "+-sigma: the spectrum of GaLU").note == "ReLU: 3.11 to 2.51"


def test_narrow_networks_are_not_laid_beside_the_limit_of_large_width():
    found = experiment.verdicts(made().assign_attrs(width=79))
    assert [v.outcome for v in found[-4:]] == ["not judged"] * 4
    assert found[-1].why == "needs width of at least 80, has 79; run with --set width=80"


def test_notes_on_the_limit():
    found = experiment.verdicts(made())
    assert found[13].note.endswith("20: 0.100 (0.060) and 0.400 (0.370)")
    assert "+- 0.000 over 4 runs" in found[14].note  # both networks vary together, run by run
    assert "(limit): GaLU 6.08 (12.16), ReLU 2.51 (5.02)" in found[14].note


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


def test_figure_shows_spectra_and_errors_of_each_network():
    record = made()
    panels = experiment.figure(record).axes
    cases = [("GaLU", "signs"), ("ReLU", "signs"), ("GaLU", "gaussian"), ("ReLU", "gaussian")]
    words = {"signs": "+-sigma", "gaussian": "normal weights"}
    assert [axes.get_title() for axes in panels[:4]] == [f"{net}, {words[law]}" for net, law in cases]
    colours = {line.get_label(): line.get_color() for line in panels[3].get_legend().legend_handles}
    for plain, top, bottom, (net, law) in zip(panels, panels[4:], panels[8:], cases, strict=False):
        for i, d in enumerate(DEPTHS):
            one, colour = record.sel(net=net, law=law, depth=d), colours[f"d = {d}"]
            assert_line(plain, np.arange(1, 101), one.plain_sums, color=colour)
            assert_line(top, np.arange(1, 101), one.sums, color=colour, style="-")
            assert_line(top, np.arange(1, 101), one.sums_wide, color=colour, style="--")
            assert_line(bottom, [0, 300], [1, RECURSION[net][i]], color=colour, style="-")
            assert_line(
                bottom, [0, 300], [1, {"GaLU": [0.9, 0.6, 0.4], "ReLU": [0.9, 0.8, 0.7]}[net][i]], color=colour, style=":"
            )


def test_figure_shows_what_goes_with_depth():
    record, rng = made(), np.random.default_rng(0)
    for name in ("recursion", "spread", "descent", "likeness", "spread_wide", "likeness_wide"):
        record[name][:] = rng.uniform(0.1, 2, record[name].shape)
    record["descent"][0, 0, 0] = np.inf
    panels = experiment.figure(record).axes[12:]
    late = (
        record.recursion.values[..., 1],
        np.minimum(record.descent.values[..., 1], 1e6),
        record.spread.values,
        record.likeness.values,
    )
    for axes, values in zip(panels, late, strict=True):
        order = [(net, law) for net in range(2) for law in range(2)]
        for container, (net, law) in zip(axes.containers, order, strict=True):
            assert container.get_label() == f"{NETS[net]}, {['+-sigma', 'normal weights'][law]}"
            low, middle, high = np.quantile(values[net, law], [0.16, 0.5, 0.84], axis=-1)
            assert_bars(container, np.array(DEPTHS) + 0.25 * net - 0.12, middle, low, high)
    for i, net in enumerate(NETS):
        assert_line(panels[0], DEPTHS, RECURSION[net], marker="x", color=f"C{i}")
        assert_line(panels[2], [2, 20], np.array(SPREAD[net])[[0, 2]], marker="x", color=f"C{i}")
    assert not lines(panels[1], marker="x")
    for axes, what in zip(panels[2:], ("spread_wide", "likeness_wide"), strict=True):
        for net, style in (("GaLU", "-"), ("ReLU", "--")):
            assert_line(axes, DEPTHS, record[what].sel(net=net, law="gaussian").mean("run"), color="black", style=style)
    assert [axes.get_title()[:20] for axes in panels] == [
        "(d) error after 300 ",
        "(e) error after 300 ",
        "(f) trace of K over\n",
        "(g) mean cosine of\nt",
    ]
    assert [axes.get_title()[-7:] for axes in panels[:2]] == ["cursion", "descent"]
    others = experiment.figure(record.assign_attrs(width=50)).axes[12:]
    assert not any(lines(axes, marker="x") for axes in others)


def test_records_without_sums_of_plain_eigenvalues_are_drawn_too():
    panels = experiment.figure(made().drop_vars("plain_sums")).axes
    assert len(panels) == 12
    assert [panels[at].get_ylabel()[:9] for at in (0, 4)] == ["(a) share", "(b) error"]
    assert panels[8].get_title().startswith("(c) error after")
