"""What `linear-depth` says of each claim."""

import numpy as np
import xarray as xr

from gatefield.core.intervals import mean_and_error
from gatefield.experiments.deep.means import CLEAR, all_near, beside_exact, beside_table, moments
from gatefield.lab import Verdict
from gatefield.lab.needs import at_least, exactly, holding, lacking

SOURCE = "paper 004, experiment 8, figure 10"
SECOND = 2
"""A step of finite length adds terms of second order in the rate to the error, up to about this many times its square."""
SIMILAR = 0.1
"""By how much errors may differ that count as similar."""
ROUNDING = 1e-12
"""At d = 2 the first K/d is 1 in each run, and its variance and the error of that are rounding."""
DEPTHS = (2, 4, 6, 8, 10)
RUNS = 400
TABLE = {
    "first": ("e_1²/e_0²", (".8100", ".8085", ".8087", ".8171", ".8131")),
    "tenth": ("e_10²/e_0²", (".1027", ".0799", ".0671", ".0647", ".0560")),
    "grown": ("K/d before update 60", ("1.402", "1.961", "2.418", "2.822", "3.227")),
}
"""Means of 400 runs of an independently written program, w = 100."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    return [*_later(record), _first(record), _kernel_grows(record), *_spread(record), _conserved(record), _table(record)]


def _values(record: xr.Dataset, what: str) -> xr.DataArray:
    if what == "grown":
        return record.kernel.sel(step=59, method="nearest")
    return record.squared_error.sel(step={"first": 1, "tenth": 10}[what])


def _by_depth(record: xr.Dataset, values: xr.DataArray) -> list[tuple[str, float, float]]:
    """Place, mean over runs, and so many standard errors as count."""
    mean, error = mean_and_error(values.transpose("depth", "run"), "run")
    return [(f"d = {d}", m, CLEAR * e) for d, m, e in zip(record.depth.values, mean, error, strict=True)]


def _first(record: xr.Dataset) -> Verdict:
    rate = record.attrs["rate"]
    ideal, slack = (1 - rate) ** 2, SECOND * rate**2
    rows = {
        at: Verdict.within("", ideal, mean, atol=slack, error=error, of="part of the squared error that is left")
        for at, mean, error in _by_depth(record, _values(record, "first"))
    }
    return Verdict.each(
        f"the first step leaves {ideal:.4g} of the squared error of a deep linear network at every depth",
        rows,
        kind="claim",
        source=SOURCE,
        note=f"(1 - rate K/d)^2; the tolerance is {SECOND} rate^2, what a finite step adds; without the factor 1/2 in the loss "
        f"it would be {(1 - 2 * rate) ** 2:.2f}",
    )


def _later(record: xr.Dataset) -> list[Verdict]:
    ideal, depths = (1 - record.attrs["rate"]) ** 20, record.depth.values
    places = _by_depth(record, _values(record, "tenth"))
    (_, first, off), (_, last, other) = places[0], places[-1]
    ends = f"{last:.3f} of the squared error is left after 10 steps at d = {depths[-1]}, {first:.3f} at d = {depths[0]}"
    return [
        Verdict.within(
            "the error of a deep linear network falls alike at every depth",
            1.0,
            last / first,
            rtol=SIMILAR,
            error=last / first * np.hypot(off / first, other / last),
            of=f"e_10²/e_0² at d = {depths[-1]} over that at d = {depths[0]}",
            kind="claim",
            source=SOURCE,
            note=f"the error is {CLEAR} standard errors, {record.sizes['run']} runs",
            found=f"depth hardly changes how fast linear networks learn: {ends}",
            otherwise=f"deeper linear networks learn {'faster' if last < first else 'more slowly'}: {ends}",
        ),
        Verdict.each(
            f"the error of a deep linear network falls faster than by {(1 - record.attrs['rate']) ** 2:.4g} in each step",
            {at: Verdict.below("", ideal, mean, error=error, of="e_10²/e_0²") for at, mean, error in places},
            note=f"against {ideal:.4f} after 10 steps with the kernel of the start; errors are {CLEAR} standard errors",
        ),
    ]


def _kernel_grows(record: xr.Dataset) -> Verdict:
    """At the end K/d is above its first mean, 1, and larger at each depth than at the one before."""
    places, rows, below = _by_depth(record, record.kernel.isel(step=-1)), {}, (1.0, 0.0)
    for at, mean, error in places:
        rows[at] = Verdict.above("", below[0], mean, error=np.hypot(error, below[1]), of="mean of K/d at the end")
        below = mean, error
    return Verdict.each(
        "the kernel of a deep linear network grows over training, the more the deeper the network is",
        rows,
        note=f"after {int(record.step[-1])} steps; at the first depth above 1, then above that of the depth before",
    )


def _spread(record: xr.Dataset) -> list[Verdict]:
    """Mean and variance of K/d before training."""
    start, depths = record.kernel.isel(step=0).transpose("depth", "run").values, record.depth.values.tolist()
    found, error = moments(start)
    variance, exact = found[:, 1], record.exact_deviation.values**2
    each = ", ".join(f"{a:.4f} ({b:.4f})" for a, b in zip(np.sqrt(variance), np.sqrt(exact), strict=True))
    return [
        beside_exact(
            "before training K/d of deep linear networks is 1 on average at every depth", start, dict.fromkeys(depths, 1.0)
        ),
        all_near(
            "before training the variance of K/d of deep linear networks is the exact one",
            abs(variance - exact) / (error[:, 1] + ROUNDING),
            note=f"standard deviation, sampled (exact), at d = {depths}: {each}",
        ),
    ]


def end_at_two(record: xr.Dataset) -> xr.DataArray:
    """Where K/2 of each run ends at d = 2 if steps are small: they conserve K² - 4y², and K/2 starts from 1."""
    return np.sqrt(2 - record.start.sel(depth=2) ** 2)


def _conserved(record: xr.Dataset) -> Verdict:
    """Each step changes K² - 4y² by the factor (1 - (rate e/2)²)²; the sum of e² is at most e_0²/(1 - (1 - rate)²)."""
    claim = "at d = 2 the kernel K/2 of a linear network ends at sqrt(2 - y_0²), as descent in small steps does"
    if why := lacking(holding("depths", [2], record.depth.values)):
        return Verdict.not_judged(claim, why)
    rate, one = record.attrs["rate"], record.sel(depth=2)
    ratio = (one.kernel.isel(step=-1) / end_at_two(record)).values
    lost = (rate / 2) ** 2 * float(((one.start - 1) ** 2).max()) / (1 - (1 - rate) ** 2)
    return Verdict.within(
        claim,
        1.0,
        ratio[np.argmax(abs(ratio - 1))],
        rtol=lost,
        of="K/2 at the end over sqrt(2 - y_0²), of the run that is furthest off,",
        note=f"y_0: output before training; the tolerance is what steps of rate {rate:g} can lose; mean ratio "
        f"{ratio.mean():.4f}",
    )


def _table(record: xr.Dataset) -> Verdict:
    """Beside an independently written program, where the setting is the same."""
    claim = "errors and kernels of deep linear networks agree with those of an independently written program"
    kept = [d for d in DEPTHS if d in record.depth]
    setting = exactly("width", 100, record.attrs["width"]), exactly("rate", 0.1, record.attrs["rate"])
    depths = None if kept else holding("depths", DEPTHS, record.depth.values)
    if why := lacking(*setting, at_least("steps", 59, int(record.step[-1])), depths):
        return Verdict.not_judged(claim, why, kind="regression")
    rows = {}
    for what, (name, row) in TABLE.items():
        table = {d: value for d, value in zip(DEPTHS, row, strict=True) if d in kept}
        rows[name] = beside_table("", _values(record, what).sel(depth=kept).transpose("depth", "run").values, table, RUNS)
    return Verdict.each(claim, rows, kind="regression", note=f"at {len(kept)} depths")
