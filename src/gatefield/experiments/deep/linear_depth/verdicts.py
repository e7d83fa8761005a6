"""What `linear-depth` says of each claim."""

import numpy as np
import xarray as xr

from gatefield.experiments.deep.means import CLEAR, all_near, beside_exact, beside_table, mean_and_error, moments
from gatefield.experiments.needs import at_least, exactly, holding, lacking
from gatefield.lab import Verdict

SOURCE = "paper 004, experiment 8, figure 10"
FIRST = 0.02
"""Of the first step, (1 - 0.1 K/d)^2: the spread of K adds 0.01 Var(K/d), up to 0.001; 200 runs leave 0.004."""
SIMILAR = 0.1
"""By how much errors may differ that count as similar."""
CONSERVED = 0.05
"""Slow descent conserves K^2 - 4 y^2; steps of this size do so to a few per cent."""
ROUNDING = 1e-12
"""At d = 2 the first K/d is 1 in each run, and its variance and the error of that are rounding."""
DEPTHS = (2, 4, 6, 8, 10)
RUNS = 400
TABLE = {
    "first": ("e_1^2/e_0^2", (".8100", ".8085", ".8087", ".8171", ".8131")),
    "tenth": ("e_10^2/e_0^2", (".1027", ".0799", ".0671", ".0647", ".0560")),
    "grown": ("K/d before update 60", ("1.402", "1.961", "2.418", "2.822", "3.227")),
}
"""Means of 400 runs of an independent computation, w = 100."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    return [_first(record), *_later(record), _kernel_grows(record), *_spread(record), *_conserved(record), *_table(record)]


def _values(record: xr.Dataset, what: str) -> xr.DataArray:
    if what == "grown":
        return record.kernel.sel(step=59, method="nearest")
    return record.squared_error.sel(step={"first": 1, "tenth": 10}[what])


def _first(record: xr.Dataset) -> Verdict:
    rate = record.attrs["rate"]
    ideal, means = (1 - rate) ** 2, _values(record, "first").mean("run").values
    return Verdict.within(
        f"the first step leaves {ideal:.4g} of the squared error at every depth",
        ideal,
        means[np.argmax(abs(means - ideal))],
        atol=FIRST,
        of="the mean over runs that is furthest off",
        kind="claim",
        source=SOURCE,
        note=f"it is (1 - {rate:g} K/d)^2; without the factor 1/2 in the loss it would be {(1 - 2 * rate) ** 2:.2f}",
    )


def _later(record: xr.Dataset) -> list[Verdict]:
    ideal, depths = (1 - record.attrs["rate"]) ** 20, record.depth.values
    mean, error = mean_and_error(_values(record, "tenth").transpose("depth", "run"), "run")
    note = f"mean e_10^2/e_0^2 at d = {depths.tolist()}: " + ", ".join(f"{value:.4f}" for value in mean)
    return [
        Verdict.below(
            f"later the error falls faster than the ideal rate (e_10^2/e_0^2 below {ideal:.4f})",
            ideal,
            mean.max(),
            of="largest mean of a depth",
            note=note,
        ).and_below(ideal, (mean + CLEAR * error).max(), of=f"largest mean plus {CLEAR} standard errors"),
        Verdict.within(
            "irrespective of the depth the error dynamics is similar",
            1.0,
            mean[-1] / mean[0],
            rtol=SIMILAR,
            of=f"e_10^2/e_0^2 at d = {depths[-1]} over that at d = {depths[0]}",
            kind="claim",
            source=SOURCE,
            note=note,
        ),
    ]


def _kernel_grows(record: xr.Dataset) -> Verdict:
    grown, depths = record.kernel.isel(step=-1).mean("run").values, record.depth.values
    verdict = Verdict.above(
        "K grows over training, the more the deeper the network is",
        grown[0],
        grown[-1],
        of=f"mean K/d at the end at d = {depths[-1]}",
        note=f"after {int(record.step[-1])} steps at d = {depths.tolist()}: " + ", ".join(f"{g:.3f}" for g in grown),
    )
    verdict = verdict.and_above(1.0, grown[0], of=f"that at d = {depths[0]}")
    return verdict.and_above(0.0, np.diff(grown).min(), of="its least change from one depth to the next")


def _spread(record: xr.Dataset) -> list[Verdict]:
    """Mean and variance of K/d before training."""
    start, depths = record.kernel.isel(step=0).transpose("depth", "run").values, record.depth.values.tolist()
    found, error = moments(start)
    variance, exact = found[:, 1], record.exact_deviation.values**2
    each = ", ".join(f"{a:.4f} ({b:.4f})" for a, b in zip(np.sqrt(variance), np.sqrt(exact), strict=True))
    return [
        beside_exact("before training K/d is 1 on average at every depth", start, dict.fromkeys(depths, 1.0)),
        all_near(
            "before training the variance of K/d is the exact one",
            abs(variance - exact) / (error[:, 1] + ROUNDING),
            note=f"standard deviation, sampled (exact), at d = {depths}: {each}",
        ),
    ]


def _conserved(record: xr.Dataset) -> list[Verdict]:
    """At d = 2 slow descent conserves K^2 - 4 y^2, so that K/2 ends at sqrt(2 - y_0^2) where it starts from 1."""
    claim = "d = 2: K/2 ends near sqrt(2 - y_0^2), which descent with small steps conserves"
    if why := lacking(holding("depths", [2], record.depth.values)):
        return [Verdict.not_judged(claim, why)]
    one = record.sel(depth=2)
    ratio = (one.kernel.isel(step=-1) / np.sqrt(2 - one.start**2)).values
    return [
        Verdict.within(
            claim,
            1.0,
            ratio[np.argmax(abs(ratio - 1))],
            rtol=CONSERVED,
            of="the ratio of a run that is furthest off",
            note=f"y_0 the output before training; mean ratio {ratio.mean():.4f}",
        )
    ]


def _table(record: xr.Dataset) -> list[Verdict]:
    """Against an independent computation, where the setting is the same."""
    kept = [d for d in DEPTHS if d in record.depth]
    setting = exactly("width", 100, record.attrs["width"]), exactly("rate", 0.1, record.attrs["rate"])
    depths = None if kept else holding("depths", DEPTHS, record.depth.values)
    if why := lacking(*setting, at_least("steps", 59, int(record.step[-1])), depths):
        claims = [f"{name} agrees with an independent computation" for name, _ in TABLE.values()]
        return [Verdict.not_judged(claim, why, kind="regression") for claim in claims]
    out = []
    for what, (name, row) in TABLE.items():
        table = {d: value for d, value in zip(DEPTHS, row, strict=True) if d in kept}
        values = _values(record, what).sel(depth=kept).transpose("depth", "run").values
        out.append(beside_table(f"{name} agrees with an independent computation at {len(kept)} depths", values, table, RUNS))
    return out
