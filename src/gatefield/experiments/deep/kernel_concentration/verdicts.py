"""What `kernel-concentration` says of each claim."""

from typing import Any

import numpy as np
import xarray as xr

from gatefield.experiments.deep.means import all_near
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, lacking

SOURCE = "paper 004, theorem 2.3"
LINEAR = {"linear": (1.0, "2(d-1)(d-2)(2d-3)/(3w)"), "linear, normal": (3.0, "2d(d-1)(2d-1)/(3w)")}
"""E theta^4/sigma^4 of the weights, and the variance on the diagonal to first order in 1/w."""
NEAR = 0.1
"""The first order in 1/w is looked at where d^3 < NEAR w. What comes beyond it is at most of the order d^2/w of it."""
SLOPE = 4.5
"""The slope of (d-1)(d-2)(2d-3) in log d is 3 + SLOPE/d to first order in 1/d."""
GROWS = 0.2
"""A ratio grows if its slope in depth is above this; the printed bound is a whole power of d too small."""
ERROR = 1e-9
"""The least relative error of a sampled moment, so that those without any spread, as a variance of zero, can be compared."""
BOUNDED = ("linear", "gated")
FIRST = "the variance of diagonal entries of a linear network is, to first order in 1/w, " + " and ".join(
    f"{formula} with {weights}" for (_, formula), weights in zip(LINEAR.values(), ("weights ±σ", "normal weights"), strict=True)
)
BOUND = "the variance of diagonal entries of K is at most a constant times max(d^2/w, d^3/w^2)"
DEEPEST = 20
"""Up to where entries off the diagonal are looked at: the depths of experiment 1."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    return [*_slopes(record), _orders(record), _sampled(record), _beside(record)]


def printed_bound(depth: np.ndarray, width: np.ndarray | float) -> np.ndarray:
    """max(d^2/w, d^3/w^2): the bound of theorem 2.3 for sigma^2 of the order of 1/w, without its constant.

    >>> printed_bound(np.array([10.0, 10.0]), np.array([100.0, 5.0])).tolist()
    [1.0, 40.0]
    """
    return np.maximum(depth**2 / width, depth**3 / width**2)


def leading_order(depth: Any, kurtosis: float) -> Any:
    """w Var K(s,s) of a linear network as w grows: 2(d-1)(d-2)(2d-3)/3 for +-sigma, 2d(d-1)(2d-1)/3 for normal weights.

    >>> leading_order(np.array([2, 3]), 1.0).tolist(), leading_order(np.array([2]), 3.0).tolist()
    ([0.0, 4.0], [4.0])
    """
    d = np.asarray(depth, float)
    return 2 * (d - 1) * (d - 2) * (2 * d - 3) / 3 if kurtosis == 1.0 else 2 * d * (d - 1) * (2 * d - 1) / 3


def diagonal(record: xr.Dataset, case: str) -> xr.DataArray:
    """Exact variance of a diagonal entry (depth, width)."""
    return record.exact.sel(case=case, entry="diagonal", moment="variance").transpose("depth", "width")


def _sampled(record: xr.Dataset) -> Verdict:
    rows = {}
    for moment in record.moment.values:
        one = record.sel(moment=moment)
        parts = [
            [one[f"{name}_{what}"].values.ravel() for name in ("depths", "widths")] for what in ("found", "exact", "error")
        ]
        found, exact, error = (np.concatenate(part) for part in parts)
        rows[str(moment)] = all_near("", abs(found - exact) / np.maximum(error, ERROR * np.maximum(abs(exact), 1.0)))
    claim = "the exact mean and variance of entries of K are those of sampled networks, on and off the diagonal"
    note = f"{record.attrs['draws']} networks; linear ones with ±σ and normal weights, and random gates with mu = 1/2"
    return Verdict.each(claim, rows, note=note)


def _orders(record: xr.Dataset) -> Verdict:
    width, deep = int(record.width[-1]), deeper_than_two(record)
    near, claim = deep**3 < NEAR * width, FIRST
    if not near.any():
        more = {"depths": sorted({*record.depth.values.tolist(), 4}), "widths": [*record.width.values.tolist(), 100_000]}
        why = lacking(Need(f"a depth d above 2 with d^3 < {NEAR:g} w", f"none at w = {width}", more))
        return Verdict.not_judged(claim, why)
    rows, slack = {}, float(deep[near][-1]) ** 2 / width
    for case, (kurtosis, _) in LINEAR.items():
        ratio = (diagonal(record, case).sel(depth=deep).isel(width=-1).values * width / leading_order(deep, kurtosis))[near]
        of = f"exact variance over that, of the depth up to {deep[near][-1]} that is furthest off,"
        rows[case] = Verdict.within("", 1.0, ratio[np.argmax(abs(ratio - 1))], rtol=slack, of=of)
    return Verdict.each(claim, rows, note=f"w = {width}, depths with d^3 < {NEAR:g} w; the tolerance is d^2/w")


def _slopes(record: xr.Dataset) -> list[Verdict]:
    deep, widths = deeper_than_two(record), record.width.values[-2:]
    claims = (
        "the variance of diagonal entries of a linear network grows as d^3 in deep, wide networks",
        "the variance of diagonal entries of a linear network falls as 1/w",
    )
    if len(deep) < 2:
        more = {"depths": sorted({*record.depth.values.tolist(), 4, 8})}
        why = lacking(Need("two depths above 2", str(len(deep)), more))
        bound = Verdict.not_judged(BOUND, why, kind="claim", source=SOURCE)
        return [bound, *(Verdict.not_judged(claim, why) for claim in claims)]
    at = diagonal(record, "linear").sel(depth=deep)
    slopes = np.diff(np.log(at.isel(width=-1).values)) / np.diff(np.log(deep))
    (falls,) = np.diff(np.log(at.values[0, -2:])) / np.diff(np.log(widths))
    return [
        _bound(record),
        Verdict.within(
            claims[0],
            3.0,
            slopes[-1],
            atol=SLOPE / deep[-2],
            of=f"slope in log d at w = {widths[-1]}, from d = {deep[-2]} to {deep[-1]},",
            note=f"exact numbers; the tolerance is {SLOPE}/d, by which the slope of the first order differs from 3",
        ),
        Verdict.within(
            claims[1],
            -1.0,
            falls,
            atol=deep[0] ** 2 / widths[0],
            of=f"slope in log w at d = {deep[0]}, from w = {widths[0]} to {widths[1]},",
            note="exact numbers; the tolerance is d^2/w, what comes beyond first order",
        ),
    ]


def _bound(record: xr.Dataset) -> Verdict:
    """The printed bound holds if some constant serves all depths and widths: then the ratio does not grow."""
    depth, width, rows, grown = deeper_than_two(record).astype(float), float(record.width[-1]), {}, {}
    for case in BOUNDED:
        ratio = diagonal(record, case).sel(depth=depth).isel(width=-1).values / printed_bound(depth, width)
        slope, grown[case] = np.log(ratio[-1] / ratio[0]) / np.log(depth[-1] / depth[0]), ratio[-1] / ratio[0]
        rows[case] = Verdict.below("", GROWS, slope, predicted=0.0, of="slope of variance over max(d²/w, d³/w²) in log d")
    ends = f"from d = {depth[0]:g} to {depth[-1]:g}"
    growth = f"{grown['linear']:.3g}-fold {ends} (linear, w = {width:,.0f})"
    return Verdict.each(
        BOUND,
        rows,
        kind="claim",
        source=SOURCE,
        note=f"w = {width:g}, {ends}; the ratio to the bound must not grow, and its slope would be 1 for d³/w",
        found=f"the kernel's variance stays within a constant times the printed bound {ends}",
        otherwise=f"the kernel's variance outgrows the printed bound, {growth}",
    )


def _beside(record: xr.Dataset) -> Verdict:
    width = 500 if 500 in record.width else int(record.width[0])
    variance = record.exact.sel(case="gated", entry="beside", moment="variance", width=width)
    spread = (np.sqrt(variance) / record.depth).where(record.depth <= DEEPEST, drop=True)
    depths, values = spread.depth.values, spread.values
    claim = (
        f"off the diagonal the standard deviation of K/d of gated networks falls with depth, up to d = {DEEPEST} (w = {width})"
    )
    if len(depths) < 2:
        more = {"depths": sorted({*record.depth.values.tolist(), 2, 4, 8, DEEPEST})}
        return Verdict.not_judged(claim, lacking(Need(f"two depths up to {DEEPEST}", str(len(depths)), more)))
    rows = {
        f"d = {depths[k]} after {depths[k - 1]}": Verdict.below("", values[k - 1], values[k], of="standard deviation")
        for k in range(1, len(depths))
    }
    return Verdict.each(claim, rows, note="exact numbers")


def deeper_than_two(record: xr.Dataset) -> np.ndarray:
    """Depths above 2, where +-sigma leaves a variance."""
    return record.depth.values[record.depth.values > 2]
