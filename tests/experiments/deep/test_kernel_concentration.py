"""Moments of a small run; verdicts and figure of `kernel-concentration` on a record made by hand."""

import numpy as np
import pytest
import xarray as xr
from depth_records import assert_bars
from drawn import assert_line, lines
from judging import changed, told
from scipy import stats

from gatefield.experiments.deep.kernel_concentration import experiment
from gatefield.experiments.deep.kernel_concentration.verdicts import leading_order, printed_bound
from gatefield.kernels import random_gate_moments
from gatefield.lab import MemoryBench

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


SHALLOW = {"sampled_depth": 2, "case": "linear", "entry": "diagonal", "moment": "variance"}
LIMIT = stats.norm.isf(0.001 / 48)
"""12 + 12 places, two sides."""
SLOPE = np.log(signs(10) / signs(8)) / np.log(10 / 8)
RATIO = (signs(10) / 100) / (signs(4) / 16)
GATED = (10 / 4) ** 0.2
"""What the ratio to the bound may grow by from d = 4 to d = 10."""


def test_the_record_made_by_hand():
    found = experiment.verdicts(made())
    claims = ["the exact mean", "the exact vari", "d = 2, weights", "linear: Var K(", "linear, normal", "linear: Var K(",
              "linear: Var K(", "linear: Var K(", "gated: Var K(s", "gated, w = 500"]  # fmt: skip
    assert [v.claim[:14] for v in found] == claims
    assert [v.holds for v in found] == [True] * 5 + [False, True, False, True, True]
    assert [v.predicted for v in found] == pytest.approx([0, 0, 0, 1, 1, 3, -1, 0, 0, 0.1])
    measured = [1, 1, 0, 1, 1, SLOPE, -1, np.log(RATIO) / np.log(2.5), 0, 0.025]
    assert [v.measured for v in found] == pytest.approx(measured, abs=1e-9)
    assert [v.kind for v in found] == ["prediction"] * 7 + ["claim"] * 2 + ["prediction"]


@pytest.mark.parametrize(
    ("place", "changes", "measured", "holds"),
    [
        (0, [sampled("depths", "gated", "beside", "mean", 5 + 0.1 * (LIMIT - 0.01))], LIMIT - 0.01, True),
        (0, [sampled("depths", "gated", "beside", "mean", 5 - 0.1 * (LIMIT + 0.01))], LIMIT + 0.01, False),
        (0, [sampled("depths", "gated", "beside", "variance", 9.0)], 1, True),
        (1, [sampled("widths", "linear", "diagonal", "variance", 5 - 0.1 * (LIMIT - 0.01))], LIMIT - 0.01, True),
        (1, [sampled("widths", "linear", "diagonal", "variance", 5 + 0.1 * (LIMIT + 0.01))], LIMIT + 0.01, False),
        (2, [("depths_found", SHALLOW, 0.9e-12)], 0.9e-12, True),
        (2, [("depths_found", SHALLOW, 1.1e-12)], 1.1e-12, False),
        (3, [scaled("linear", 8, 1.049)], 1.049, True),
        (3, [scaled("linear", 8, 1.051)], 1.051, False),
        (3, [scaled("linear", 8, 0.949)], 0.949, False),
        (3, [scaled("linear", 10, 2.0)], 1, True),  # 10^3 is not below a tenth of 10^4
        (4, [scaled("linear, normal", 4, 1.051)], 1.051, False),
        (4, [scaled("linear, normal", 4, 0.951)], 0.951, True),
        (5, [scaled("linear", 10, 1.25 ** (3.29 - SLOPE))], 3.29, True),
        (5, [scaled("linear", 10, 1.25 ** (3.31 - SLOPE))], 3.31, False),
        (5, [scaled("linear", 10, 1.25 ** (2.71 - SLOPE))], 2.71, True),
        (5, [scaled("linear", 10, 1.25 ** (2.69 - SLOPE))], 2.69, False),
        (6, [scaled("linear", 4, 10**0.009)], -0.991, True),
        (6, [scaled("linear", 4, 10**0.011)], -0.989, False),
        (6, [scaled("linear", 4, 10**-0.011)], -1.011, False),
        (6, [scaled("linear", 4, 100.0)], 1, False),  # as w
        (7, [scaled("linear", 10, 0.999 * GATED / RATIO)], 0.2 + np.log(0.999) / np.log(2.5), True),
        (7, [scaled("linear", 10, 1.001 * GATED / RATIO)], 0.2 + np.log(1.001) / np.log(2.5), False),
        (8, [scaled("gated", 10, 0.999 * GATED)], 0.2 + np.log(0.999) / np.log(2.5), True),
        (8, [scaled("gated", 10, 1.001 * GATED)], 0.2 + np.log(1.001) / np.log(2.5), False),
        (9, [("exact", {**diagonal("gated", 8, 500), "entry": "beside"}, (8 / 20.1) ** 2)], 0.025, True),
        (9, [("exact", {**diagonal("gated", 8, 500), "entry": "beside"}, (8 / 19.9) ** 2)], 0.025, False),
        (9, [("exact", {**diagonal("gated", 10, 500), "entry": "beside"}, (10 / 5) ** 2)], 0.2, False),
        (9, [("exact", {**diagonal("gated", 8, 1000), "entry": "beside"}, 9.0)], 0.025, True),
    ],
)  # fmt: skip
def test_verdicts_on_both_sides_of_their_bounds(place, changes, measured, holds):
    found = experiment.verdicts(changed(made(), *changes))[place]
    assert found.holds is holds
    assert found.measured == pytest.approx(measured, rel=1e-6, abs=1e-9)


def test_depths_off_the_diagonal_end_at_twenty():
    found = experiment.verdicts(made().assign_coords(depth=[2, 4, 20, 21]))[-1]
    assert found.claim.endswith("up to d = 20")
    first = experiment.verdicts(made().assign_coords(width=[400, 1000, 10_000]))[-1]
    assert first.claim.startswith("gated, w = 400: ")


def test_what_cannot_be_asked_is_not_judged():
    def said(record):
        assert len(experiment.verdicts(record)) == 10
        return [v.claim.split(":")[0] for v in told(experiment, record)[2:]]

    assert said(made().isel(sampled_depth=[1]))[0] == "linear"
    assert said(made().isel(depth=[0, 1])) == ["d = 2, weights +-sigma", "linear", "linear, normal", "gated, w = 500"]
    assert len(said(made().isel(width=[0, 1]).assign_coords(width=[500, 600]))) == 6  # no depth is small beside the width
    assert "gated, w = 500" not in said(made().isel(depth=[1, 2]).assign_coords(depth=[21, 22]))


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
        for i in range(3):
            exact, found, error = (record[f"{name}_{what}"].values[:, i, 0, 1] for what in ("exact", "found", "error"))
            kept = exact > 0
            assert_line(axes, x[kept], exact[kept], color=f"C{i}", style="-", marker="None")
            assert_bars(axes.containers[i], x[kept], found[kept], (found - error)[kept], (found + error)[kept])
        first = signs(d) / w
        assert_line(axes, x[first > 0], first[first > 0], style=":")
        assert_line(axes, x, np.maximum(d**2 / w, d**3 / w**2), style="--")
    assert by_depth.get_title() == "(a) diagonal, w = 100"
    assert by_width.get_title() == "(b) diagonal, d = 8"


def test_figure_shows_the_ratio_to_the_bound_and_the_other_entries():
    record = changed(made(), ("depths_found", {"case": "gated", "entry": "beside", "moment": "variance"}, [0.25, 4.0]))
    *_, ratio, beside = experiment.figure(record).axes
    for w in WIDTHS:
        exact = [signs(d) / w / max(d**2 / w, d**3 / w**2) for d in DEPTHS[1:]]
        assert_line(ratio, DEPTHS[1:], exact, label=f"w = {w}")
        assert_line(beside, DEPTHS, [1 / 10, 1 / 20, 1 / 30, 1 / 40], label=f"w = {w}")
    assert_line(ratio, DEPTHS[1:], [signs(d) / d**2 for d in DEPTHS[1:]], style=":")
    assert_line(beside, [2, 4], [0.25, 0.5], label="sampled,\nw = 100")
    deeper = experiment.figure(made().assign_coords(depth=[2, 4, 20, 21], sampled_depth=[20, 21])).axes[3]
    assert len(lines(deeper, label="w = 500")[0].get_xdata()) == 3
    assert lines(deeper, marker="o")[0].get_xdata().tolist() == [20]
