"""Moments of a small run; verdicts and figure of `kernel-concentration` on a record made by hand."""

import numpy as np
import pytest
import xarray as xr
from depth_records import assert_bars
from drawn import assert_line, lines, points
from judging import changed
from rows import assert_row
from scipy import stats

from gatefield.experiments.deep.kernel_concentration import experiment
from gatefield.experiments.deep.kernel_concentration.verdicts import leading_order, printed_bound
from gatefield.kernels import random_gate_moments
from gatefield.lab import MemoryBench
from gatefield.plot import PRINTED

CASES, DEPTHS, WIDTHS = ["linear", "linear, normal", "gated"], [2, 4, 8, 10], [500, 1000, 10_000]
EACH = ("case", "entry", "moment")


def signs(d):
    return 2 * (d - 1) * (d - 2) * (2 * d - 3) / 3


def normal(d):
    return 2 * d * (d - 1) * (2 * d - 1) / 3


def made(draws=1000):
    """First-order variances; the gated network's as the printed bound, and falling with depth off the diagonal."""
    exact = np.ones((4, 3, 3, 2, 2))
    for i, d in enumerate(DEPTHS):
        for j, w in enumerate(WIDTHS):
            exact[i, j, :, 0, 1] = signs(d) / w, normal(d) / w, max(d**2 / w, d**3 / w**2)
            exact[i, j, :, 1, 1] = (d / (10 * (i + 1))) ** 2  # deviations of K/d of 1/10, 1/20, 1/30, 1/40
    data = {"exact": (("depth", "width", *EACH), exact)}
    for name, along in (("depths", "sampled_depth"), ("widths", "sampled_width")):
        rows = np.full((2, 3, 2, 2), 5.0)
        data |= {f"{name}_{what}": ((along, *EACH), rows + shift) for what, shift in (("found", 0.1), ("exact", 0.0))}
        data[f"{name}_error"] = (along, *EACH), np.full(rows.shape, 0.1)
    data["depths_found"][1][0, 0, 0, 1] = data["depths_exact"][1][0, 0, 0, 1] = 0.0
    coords = {"case": CASES, "depth": DEPTHS, "width": WIDTHS, "sampled_depth": [2, 4], "sampled_width": [25, 50],
              "entry": ["diagonal", "beside"], "moment": ["mean", "variance"]}  # fmt: skip
    attrs = {"width_of_depths": 100, "depth_of_widths": 8, "draws": draws}
    return xr.Dataset(data, coords, attrs)


def diagonal(case, depth, width=10_000):
    return {"case": case, "depth": depth, "width": width, "entry": "diagonal", "moment": "variance"}


def scaled(case, depth, factor, width=10_000):
    """The variance on the diagonal times a factor, as `changed` takes it."""
    base = {"linear": signs(depth), "linear, normal": normal(depth), "gated": depth**2.0}[case] / width
    return "exact", diagonal(case, depth, width), factor * base


def sampled(which, case, entry, moment, value):
    along = {"depths": {"sampled_depth": 4}, "widths": {"sampled_width": 50}}[which]
    return f"{which}_found", {**along, "case": case, "entry": entry, "moment": moment}, value


LIMIT = stats.norm.isf(0.001 / 48)
"""12 + 12 places, two sides."""
SLOPE = np.log(signs(10) / signs(8)) / np.log(10 / 8)
RATIO = (signs(10) / 100) / (signs(4) / 16)
GATED = (10 / 4) ** 0.2
"""What the ratio to the bound may grow by from d = 4 to d = 10."""


BOUND, CUBE, INVERSE, ORDER, SAMPLED, BESIDE = range(6)
"""The places of the verdicts."""


def test_the_record_made_by_hand():
    found = experiment.verdicts(made())
    assert [v.outcome for v in found] == ["refuted", "refuted", *["confirmed"] * 4]  # d = 8 and 10 are too shallow for d^3
    assert [v.kind for v in found] == ["claim", *["prediction"] * 5]
    assert [found[at].predicted for at in (CUBE, INVERSE)] == [3, -1]
    assert [found[at].measured for at in (CUBE, INVERSE)] == pytest.approx([SLOPE, -1])
    assert found[BOUND].sentence.startswith(
        f"the kernel's variance outgrows the printed bound, {RATIO:.3g}-fold from d = 4 to 10"
    )


SLACK = 8**2 / 10_000
"""d²/w at the deepest of depths with d³ below a tenth of the width."""


@pytest.mark.parametrize(
    ("place", "at_row", "changes", "measured", "outcome"),
    [
        (SAMPLED, "mean", [sampled("depths", "gated", "beside", "mean", 5 + 0.1 * (LIMIT - 0.01))], LIMIT - 0.01, "holds"),
        (SAMPLED, "mean", [sampled("depths", "gated", "beside", "mean", 5 - 0.1 * (LIMIT + 0.01))], LIMIT + 0.01, "missed"),
        (SAMPLED, "mean", [sampled("depths", "gated", "beside", "variance", 9.0)], 1, "holds"),
        (SAMPLED, "variance",
         [sampled("widths", "linear", "diagonal", "variance", 5 - 0.1 * (LIMIT - 0.01))], LIMIT - 0.01, "holds"),
        (SAMPLED, "variance",
         [sampled("widths", "linear", "diagonal", "variance", 5 + 0.1 * (LIMIT + 0.01))], LIMIT + 0.01, "missed"),
        (ORDER, "linear", [scaled("linear", 8, 1 + 0.99 * SLACK)], 1 + 0.99 * SLACK, "holds"),
        (ORDER, "linear", [scaled("linear", 8, 1 + 1.01 * SLACK)], 1 + 1.01 * SLACK, "missed"),
        (ORDER, "linear", [scaled("linear", 8, 1 - 1.01 * SLACK)], 1 - 1.01 * SLACK, "missed"),
        (ORDER, "linear", [scaled("linear", 10, 2.0)], 1, "holds"),  # 10^3 is not below a tenth of 10^4
        (ORDER, "linear, normal", [scaled("linear, normal", 4, 1 + 1.01 * SLACK)], 1 + 1.01 * SLACK, "missed"),
        (BOUND, "linear", [scaled("linear", 10, 0.999 * GATED / RATIO)], 0.2 + np.log(0.999) / np.log(2.5), "holds"),
        (BOUND, "linear", [scaled("linear", 10, 1.001 * GATED / RATIO)], 0.2 + np.log(1.001) / np.log(2.5), "missed"),
        (BOUND, "gated", [scaled("gated", 10, 0.999 * GATED)], 0.2 + np.log(0.999) / np.log(2.5), "holds"),
        (BOUND, "gated", [scaled("gated", 10, 1.001 * GATED)], 0.2 + np.log(1.001) / np.log(2.5), "missed"),
        (BESIDE, "d = 8 after 4",
         [("exact", {**diagonal("gated", 8, 500), "entry": "beside"}, (8 / 20.1) ** 2)], 1 / 20.1, "holds"),
        (BESIDE, "d = 8 after 4",
         [("exact", {**diagonal("gated", 8, 500), "entry": "beside"}, (8 / 19.9) ** 2)], 1 / 19.9, "missed"),
        (BESIDE, "d = 8 after 4", [("exact", {**diagonal("gated", 8, 1000), "entry": "beside"}, 9.0)], 1 / 30, "holds"),
    ],
)  # fmt: skip
def test_rows_on_both_sides_of_their_bounds(place, at_row, changes, measured, outcome):
    assert_row(experiment.verdicts(changed(made(), *changes))[place], at_row, measured, outcome)


@pytest.mark.parametrize(
    ("place", "change", "measured", "outcome"),
    [
        (CUBE, scaled("linear", 10, 1.25 ** (3 + 4.5 / 8 - 0.01 - SLOPE)), 3 + 4.5 / 8 - 0.01, "confirmed"),
        (CUBE, scaled("linear", 10, 1.25 ** (3 + 4.5 / 8 + 0.01 - SLOPE)), 3 + 4.5 / 8 + 0.01, "refuted"),
        (CUBE, scaled("linear", 10, 1.25 ** (3 - 4.5 / 8 - 0.01 - SLOPE)), 3 - 4.5 / 8 - 0.01, "refuted"),
        (INVERSE, scaled("linear", 4, 10**0.0159), -0.9841, "confirmed"),
        (INVERSE, scaled("linear", 4, 10**0.0161), -0.9839, "refuted"),
        (INVERSE, scaled("linear", 4, 10**-0.0161), -1.0161, "refuted"),
    ],
)
def test_slopes_on_both_sides_of_their_bounds(place, change, measured, outcome):
    """In depth 4.5/8 to each side; in width 4²/1000."""
    found = experiment.verdicts(changed(made(), change))[place]
    assert (found.outcome, found.measured) == (outcome, pytest.approx(measured))


def test_depths_off_the_diagonal_end_at_twenty():
    found = experiment.verdicts(made().assign_coords(depth=[2, 4, 20, 21]))[BESIDE]
    assert [bound.at for bound in found.table] == ["d = 4 after 2", "d = 20 after 4"]
    assert "(w = 400)" in experiment.verdicts(made().assign_coords(width=[400, 1000, 10_000]))[BESIDE].claim


def test_what_cannot_be_asked_is_not_judged():
    def open_ones(record):
        return [at for at, v in enumerate(experiment.verdicts(record)) if v.outcome == "not judged"]

    assert open_ones(made()) == []
    assert open_ones(made().isel(depth=[0, 1])) == [BOUND, CUBE, INVERSE]
    assert open_ones(made().isel(width=[0, 1]).assign_coords(width=[500, 600])) == [ORDER]
    assert BESIDE in open_ones(made().isel(depth=[1, 2]).assign_coords(depth=[21, 22]))


def test_leading_order_is_the_limit_of_the_exact_variance():
    w = 10**7
    for d in (3, 6, 11):
        for kurtosis in (1.0, 3.0):
            exact = random_gate_moments(d, w, 1.0, w**-0.5, kurtosis).self_variance
            np.testing.assert_allclose(exact * w, leading_order(np.array(d), kurtosis), rtol=1e-4)


def test_printed_bound_changes_sides_at_depth_w():
    np.testing.assert_allclose(printed_bound(np.array([3.0, 5.0, 7.0]), 5.0), [9 / 5, 5.0, 343 / 25])


def test_a_small_run_by_hand():
    """At depth 2 with inputs 1: K(1,1) = sum_j G_1j (u_j^2 + v_j^2), K(1,2) with G_1j G_2j; sampled at another seed."""
    p = experiment.Parameters(depths=(2, 3), widths=(4, 6), sampled_depths=(2, 3), sampled_widths=(4, 6), sampled_width=6,
                              sampled_depth=2, draws=400)  # fmt: skip
    record = experiment.simulate(p, MemoryBench())
    rng = np.random.default_rng(1)
    for case, (mu, law) in {"linear, normal": (1.0, "normal"), "gated": (0.5, "signs")}.items():
        shape = (20_000, 6)
        u, v = (rng.normal(size=shape) if law == "normal" else np.ones(shape) for _ in range(2))
        one, other = rng.random(shape) < mu, rng.random(shape) < mu
        both = np.array([one, one * other]) * (u**2 + v**2) / (mu * 6)
        found = both.sum(-1)
        for entry, values in zip(("diagonal", "beside"), found, strict=True):
            for name, place in (("depths", {"sampled_depth": 2}), ("widths", {"sampled_width": 6})):
                part = {
                    what: record[f"{name}_{what}"].sel(case=case, entry=entry, **place).values
                    for what in ("found", "exact", "error")
                }
                np.testing.assert_allclose(part["exact"], [values.mean(), values.var()], rtol=0.05)
                assert (abs(part["found"] - part["exact"]) < 4 * part["error"]).all()
                assert part["error"][0] == pytest.approx(np.sqrt(part["found"][1] / 400))
            exact = record.exact.sel(case=case, entry=entry, depth=2, width=6)
            np.testing.assert_allclose(exact, part["exact"])
    assert record.attrs == {"width_of_depths": 6, "depth_of_widths": 2, "draws": 400}


def test_figure_shows_variances_beside_the_bounds():
    record, rng = made(), np.random.default_rng(0)
    for name in ("depths_found", "depths_exact", "widths_found", "widths_exact"):
        record[name][:] = rng.uniform(0.5, 5, record[name].shape)
    record["depths_exact"][0, 0, 0, 1] = 0.0
    by_depth, by_width, *_ = experiment.figure(record).axes
    for axes, name, x, d, w in (
        (by_depth, "depths", np.array([2, 4]), np.array([2, 4]), 100.0),
        (by_width, "widths", np.array([25, 50]), 8, np.array([25, 50])),
    ):
        for i, dash in enumerate(("-", "--", "-.")):
            exact, found, error = (record[f"{name}_{what}"].values[:, i, 0, 1] for what in ("exact", "found", "error"))
            kept = exact > 0
            assert_line(axes, x[kept], exact[kept], color="black", style=dash, marker="None")
            assert_bars(axes.containers[i], x[kept], found[kept], (found - error)[kept], (found + error)[kept])
        first = signs(d) / w
        assert_line(axes, x[first > 0], first[first > 0], style=":")
        assert_line(axes, x, np.maximum(d**2 / w, d**3 / w**2), style="--", color=PRINTED["color"])


def test_figure_shows_the_ratio_to_the_bound_and_the_other_entries():
    record = changed(made(), ("depths_found", {"case": "gated", "entry": "beside", "moment": "variance"}, [0.25, 4.0]))
    *_, ratio, beside = experiment.figure(record).axes
    for w in WIDTHS:
        exact = [signs(d) / w / max(d**2 / w, d**3 / w**2) for d in DEPTHS[1:]]
        assert_line(ratio, DEPTHS[1:], exact, label=f"w = {w:,}")
    np.testing.assert_allclose([y for _, y in points(beside, marker="None")], [[1 / 10, 1 / 20, 1 / 30, 1 / 40]] * 3)
    assert_line(ratio, DEPTHS[1:], [signs(d) / d**2 for d in DEPTHS[1:]], color="black", style="-")
    assert_line(beside, [2, 4], [0.25, 0.5], label="sampled, w = 100")
    deeper = experiment.figure(made().assign_coords(depth=[2, 4, 20, 21], sampled_depth=[20, 21])).axes[3]
    assert {len(line.get_xdata()) for line in lines(deeper, marker="None")} == {3}
    assert lines(deeper, marker="^")[0].get_xdata().tolist() == [20]


def test_the_growth_of_the_headline_stands_in_the_panel():
    """The widest network, from the least depth above two to the largest."""
    record = made()
    first, last = ([d, signs(d) / 10_000 / max(d**2 / 1e4, d**3 / 1e8)] for d in (DEPTHS[1], DEPTHS[-1]))
    (bound,) = [v for v in experiment.verdicts(record) if v.found]
    growth = f"{last[1] / first[1]:.3g}"
    assert bound.otherwise == (
        f"the kernel's variance outgrows the printed bound, {growth}-fold from d = {first[0]} to {last[0]} (linear, w = 10,000)"
    )
    ratio = experiment.figure(record).axes[2]
    assert [text.get_text() for text in ratio.texts] == [f"{first[1]:.2g}", f"{last[1]:.3g}\n(× {growth})", "w = 500"]
    assert_line(ratio, *np.transpose([first, last]), color="black", style="None")
