"""What `linear-depth` says of each claim."""

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.core.intervals import LEVEL, against_table
from gatefield.lab.verdict import Verdict

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
    ideal = (1 - record.attrs["rate"]) ** 2
    values = _values(record, "first").transpose("depth", "run").values
    found = against_table(values, [f"{ideal:.12f}"] * len(values), 10**9)
    loose = values.mean(1)
    return Verdict.judged(
        f"the first step leaves {ideal:.4g} of the squared error at every depth",
        ideal,
        float(loose[np.argmax(abs(loose - ideal))]),
        "mean over runs within 0.02 at every depth",
        bool((abs(loose - ideal) < 0.02).all()),
        f"it is (1 - 0.1 K/d)^2, convex in K, so a spread of K adds a little; largest distance {found.distance:.1f} standard "
        "errors. Without the factor 1/2 in the loss it would be "
        f"{(1 - 2 * record.attrs['rate']) ** 2:.2f}",
    )


def _later(record: xr.Dataset) -> list[Verdict]:
    ideal = (1 - record.attrs["rate"]) ** 20
    values = _values(record, "tenth")
    mean, error = values.mean("run").values, (values.std("run", ddof=1) / np.sqrt(record.sizes["run"])).values
    depths = record.depth.values
    note = f"mean e_10^2/e_0^2 at d = {depths.tolist()}: " + ", ".join(f"{value:.4f}" for value in mean)
    return [
        Verdict.judged(
            f"later the error falls faster than the ideal rate (e_10^2/e_0^2 below {ideal:.4f})",
            ideal,
            float(mean.max()),
            "mean at every depth below it by 3 standard errors",
            bool((mean + 3 * error < ideal).all()),
            note,
        ),
        Verdict.judged(
            "irrespective of the depth the error dynamics is similar",
            1.0,
            float(mean[-1] / mean[0]),
            f"e_10^2/e_0^2 at d = {depths[-1]} over that at d = {depths[0]} within 10 % of 1",
            abs(float(mean[-1] / mean[0]) - 1) < 0.1,
            note,
        ),
    ]


def _kernel_grows(record: xr.Dataset) -> Verdict:
    grown = record.kernel.isel(step=-1).mean("run").values
    return Verdict.judged(
        "K grows over training, the more the deeper the network is",
        float(grown[0]),
        float(grown[-1]),
        "mean K/d at the end above 1 and larger at each depth than at the one before",
        bool(grown[0] > 1 and (np.diff(grown) > 0).all()),
        f"after {int(record.step[-1])} steps at d = {record.depth.values.tolist()}: " + ", ".join(f"{g:.3f}" for g in grown),
    )


def _spread(record: xr.Dataset) -> list[Verdict]:
    """Mean and variance of K/d before training; the error of a variance from the sample's fourth moment."""
    start = record.kernel.isel(step=0).transpose("depth", "run").values
    runs, exact = start.shape[1], record.exact_deviation.values**2
    found = against_table(start, ["1.000000000000"] * len(start), 10**9)
    apart = start - start.mean(1, keepdims=True)
    variance = apart.var(1, ddof=1)
    error = np.sqrt(np.maximum((apart**4).mean(1) - variance**2, 0) / runs) + 1e-12
    distance = abs(variance - exact) / error
    limit = float(stats.norm.ppf(1 - LEVEL / (2 * len(start))))
    each = ", ".join(f"{np.sqrt(v):.4f} ({np.sqrt(e):.4f})" for v, e in zip(variance, exact, strict=True))
    return [
        Verdict.judged(
            "before training K/d is 1 on average at every depth",
            0.0,
            found.distance,
            f"largest distance in standard errors below {found.limit:.1f}",
            found.holds,
            f"{runs} runs; with d = 2 and weights +-sigma it is 1 in each of them",
        ),
        Verdict.judged(
            "before training the variance of K/d is the exact one",
            0.0,
            float(distance.max()),
            f"largest distance in standard errors below {limit:.1f}",
            bool((distance < limit).all()),
            f"standard deviation, sampled (exact), at d = {record.depth.values.tolist()}: {each}",
        ),
    ]


def _conserved(record: xr.Dataset) -> list[Verdict]:
    """At d = 2 slow descent conserves K^2 - 4 y^2, so that K/2 ends at sqrt(2 - y_0^2) where it starts from 1."""
    if 2 not in record.depth:
        return []
    one = record.sel(depth=2)
    ratio = one.kernel.isel(step=-1) / np.sqrt(2 - one.start**2)
    worst = float(ratio[int(abs(ratio - 1).argmax("run"))])
    return [
        Verdict.judged(
            "d = 2: K/2 ends near sqrt(2 - y_0^2), which descent with small steps conserves",
            1.0,
            worst,
            "ratio within 5 % in every run (steps are not small)",
            abs(worst - 1) < 0.05,
            f"y_0 the output before training; mean ratio {float(ratio.mean()):.4f}",
        )
    ]


def _table(record: xr.Dataset) -> list[Verdict]:
    """Against an independent computation, where the setting is the same."""
    kept = [d for d in DEPTHS if d in record.depth]
    if (record.attrs["width"], record.attrs["rate"], int(record.step[-1]) >= 59) != (100, 0.1, True) or not kept:
        return []
    out = []
    for what, (name, row) in TABLE.items():
        printed = [value for d, value in zip(DEPTHS, row, strict=True) if d in kept]
        values = _values(record, what).sel(depth=kept).transpose("depth", "run").values
        found = against_table(values, printed, RUNS)
        out.append(
            Verdict.judged(
                f"{name} agrees with an independent computation at {len(kept)} depths",
                0.0,
                found.distance,
                f"largest difference of means, in standard errors, below {found.limit:.1f} (Student's t, {LEVEL:.1%})",
                found.holds,
                f"largest at d = {kept[found.at]}: mean {values[found.at].mean():.4g}, {values.shape[1]} runs; the other "
                f"computation {printed[found.at]}",
            )
        )
    return out
