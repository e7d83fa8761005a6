"""What `kernel-concentration` says of each claim."""

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.core.intervals import LEVEL
from gatefield.lab.verdict import Verdict


def verdicts(record: xr.Dataset) -> list[Verdict]:
    return [*_sampled(record), _zero(record), *_orders(record), *_bound(record), _beside(record)]


def printed_bound(depth: np.ndarray, width: np.ndarray | float) -> np.ndarray:
    """max(d^2/w, d^3/w^2): the bound of theorem 2.3 for sigma^2 of the order of 1/w, without its constant.

    >>> printed_bound(np.array([10.0, 10.0]), np.array([100.0, 5.0])).tolist()
    [1.0, 40.0]
    """
    return np.maximum(depth**2 / width, depth**3 / width**2)


def leading_order(depth: np.ndarray, kurtosis: float) -> np.ndarray:
    """w Var K(s,s) of a linear network as w grows: 2(d-1)(d-2)(2d-3)/3 for +-sigma, 2d(d-1)(2d-1)/3 for normal weights.

    >>> leading_order(np.array([2, 3]), 1.0).tolist(), leading_order(np.array([2]), 3.0).tolist()
    ([0.0, 4.0], [4.0])
    """
    d = np.asarray(depth, float)
    return 2 * (d - 1) * (d - 2) * (2 * d - 3) / 3 if kurtosis == 1.0 else 2 * d * (d - 1) * (2 * d - 1) / 3


def diagonal(record: xr.Dataset, case: str) -> xr.DataArray:
    """Exact variance of a diagonal entry (depth, width)."""
    return record.exact.sel(case=case, entry="diagonal", moment="variance").transpose("depth", "width")


def _sampled(record: xr.Dataset) -> list[Verdict]:
    out = []
    for moment in record.moment.values:
        parts = [[record[f"{name}_{what}"].sel(moment=moment).values.ravel() for name in ("depths", "widths")]
                 for what in ("found", "exact", "error")]  # fmt: skip
        found, exact, error = (np.concatenate(part) for part in parts)
        distance = abs(found - exact) / np.maximum(error, 1e-9 * np.maximum(abs(exact), 1.0))
        limit = float(stats.norm.ppf(1 - LEVEL / (2 * len(found))))
        out.append(
            Verdict.judged(
                f"the exact {moment} of K is that of {record.attrs['draws']} sampled networks, on and off the diagonal",
                0.0,
                float(distance.max()),
                f"largest of {len(found)} distances, in standard errors, below {limit:.1f}",
                bool(distance.max() < limit),
                "linear networks with +-sigma and normal weights, and random gates with mu = 1/2",
            )
        )
    return out


def _zero(record: xr.Dataset) -> Verdict:
    pick = {"entry": "diagonal", "moment": "variance"}
    exact, found = (record[f"depths_{what}"].sel(pick).isel(sampled_depth=0) for what in ("exact", "found"))
    depth, largest = int(exact.sampled_depth), float(abs(found.sel(case="linear")))
    return Verdict.judged(
        f"d = {depth}, weights +-sigma: diagonal entries of a linear network do not vary at all",
        float(exact.sel(case="linear")),
        largest,
        "largest variance below 1e-12",
        largest < 1e-12,
        f"so it is at d = 2 only; with normal weights the variance is {float(found.sel(case='linear, normal')):.3g}",
    )


def _orders(record: xr.Dataset) -> list[Verdict]:
    out = []
    depth, width = record.depth.values, record.width.values
    for case, kurtosis, formula in (
        ("linear", 1.0, "2(d-1)(d-2)(2d-3)/(3w)"),
        ("linear, normal", 3.0, "2d(d-1)(2d-1)/(3w)"),
    ):
        deep = depth[depth > 2]
        ratio = diagonal(record, case).sel(depth=deep).isel(width=-1).values * width[-1] / leading_order(deep, kurtosis)
        near = deep**3 < 0.1 * width[-1]
        worst = float(ratio[near][np.argmax(abs(ratio[near] - 1))])
        out.append(
            Verdict.judged(
                f"{case}: Var K(s,s) is {formula} to first order in 1/w",
                1.0,
                worst,
                f"ratio within 5 % at w = {width[-1]} for all depths with d^3 < w/10",
                abs(worst - 1) < 0.05,
                f"beyond first order at d = {deep[-1]}: ratio {ratio[-1]:.2f}",
            )
        )
    at = diagonal(record, "linear").sel(depth=depth[depth > 2])
    slopes = np.diff(np.log(at.isel(width=-1))) / np.diff(np.log(at.depth.values))
    falls = np.diff(np.log(at.values[0, -2:])) / np.diff(np.log(width[-2:]))
    return [
        *out,
        Verdict.judged(
            "linear: Var K(s,s) goes as d^3 in deep, wide networks",
            3.0,
            float(slopes[-1]),
            f"slope in depth at w = {width[-1]}, between the two largest depths, within 0.3",
            abs(float(slopes[-1]) - 3) < 0.3,
            "slopes from depth to depth: " + ", ".join(f"{s:.2f}" for s in slopes),
        ),
        Verdict.judged(
            "linear: Var K(s,s) goes as 1/w",
            -1.0,
            float(falls[0]),
            f"slope in width at d = {int(at.depth[0])}, between the two largest widths, within 0.01",
            abs(float(falls[0]) + 1) < 0.01,
        ),
    ]


def _bound(record: xr.Dataset) -> list[Verdict]:
    """The printed bound holds if some constant serves all depths and widths: then the ratio does not grow."""
    out = []
    depth = record.depth.values[record.depth.values > 2].astype(float)
    for case in ("linear", "gated"):
        at = diagonal(record, case).sel(depth=depth)
        ratio = at.isel(width=-1).values / printed_bound(depth, float(record.width[-1]))
        growth = float(np.log(ratio[-1] / ratio[0]) / np.log(depth[-1] / depth[0]))
        each = ", ".join(f"{d:g}: {r:.3g}" for d, r in zip(depth, ratio, strict=True))
        out.append(
            Verdict.judged(
                f"{case}: Var K(s,s) is at most a constant times max(d^2/w, d^3/w^2)",
                0.0,
                growth,
                f"the ratio to it does not grow with depth (slope below 0.2, w = {int(record.width[-1])})",
                growth < 0.2,
                f"ratio by depth: {each}",
            )
        )
    return out


def _beside(record: xr.Dataset) -> Verdict:
    variance = record.exact.sel(case="gated", entry="beside", moment="variance")
    width = 500 if 500 in record.width else int(record.width[0])
    spread = np.sqrt(variance.sel(width=width)) / record.depth
    spread = spread.where(record.depth <= 20, drop=True)
    each = ", ".join(f"{int(d)}: {float(s):.4f}" for d, s in zip(spread.depth, spread, strict=True))
    return Verdict.judged(
        f"gated, w = {width}: off the diagonal the variance of K/d falls with depth",
        float(spread[0]),
        float(spread[-1]),
        "standard deviation smaller at each depth than at the one before, up to d = 20",
        bool((np.diff(spread) < 0).all()),
        f"standard deviation by depth: {each}",
    )
