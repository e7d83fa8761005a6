"""What `kernel-concentration` says of each claim."""

from typing import Any

import numpy as np
import xarray as xr

from gatefield.experiments.deep.means import all_near
from gatefield.experiments.needs import Need, holding, lacking
from gatefield.lab import Verdict

SOURCE = "paper 004, theorem 2.3"
LINEAR = {"linear": (1.0, "2(d-1)(d-2)(2d-3)/(3w)"), "linear, normal": (3.0, "2d(d-1)(2d-1)/(3w)")}
"""E theta^4/sigma^4 of the weights, and the variance on the diagonal to first order in 1/w."""
NOTHING = 1e-12
"""A variance that is rounding."""
FIRST, NEAR = 0.05, 0.1
"""The first order is looked at where d^3 < NEAR w; what comes beyond it, about d/w of it, is there far below FIRST."""
CUBE, INVERSE = 0.3, 0.01
"""How far slopes are off their limits at the depths and widths at hand: in depth by 4.5/d, in width by d/w."""
GROWS = 0.2
"""A ratio grows if its slope in depth is above this; the printed bound is a whole power of d too small."""
ERROR = 1e-9
"""The least relative error of a sampled moment, so that those without any spread, as a variance of zero, can be compared."""
BOUNDED = ("linear", "gated")
BESIDE = "off the diagonal the variance of K/d falls with depth"
DEEPEST = 20
"""Up to where entries off the diagonal are looked at: the depths of experiment 1."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    return [*_sampled(record), *_zero(record), *_orders(record), *_slopes(record), _beside(record)]


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


def _sampled(record: xr.Dataset) -> list[Verdict]:
    out = []
    for moment in record.moment.values:
        one = record.sel(moment=moment)
        parts = [
            [one[f"{name}_{what}"].values.ravel() for name in ("depths", "widths")] for what in ("found", "exact", "error")
        ]
        found, exact, error = (np.concatenate(part) for part in parts)
        distances = abs(found - exact) / np.maximum(error, ERROR * np.maximum(abs(exact), 1.0))
        claim = f"the exact {moment} of K is that of {record.attrs['draws']} sampled networks, on and off the diagonal"
        note = "linear networks with +-sigma and normal weights, and random gates with mu = 1/2"
        out.append(all_near(claim, distances, note=note))
    return out


def _zero(record: xr.Dataset) -> list[Verdict]:
    claim = "d = 2, weights +-sigma: diagonal entries of a linear network do not vary at all"
    if why := lacking(holding("sampled_depths", [2], record.sampled_depth.values)):
        return [Verdict.not_judged(claim, why)]
    pick = {"entry": "diagonal", "moment": "variance", "sampled_depth": 2}
    exact, found = (record[f"depths_{what}"].sel(pick) for what in ("exact", "found"))
    return [
        Verdict.below(
            claim,
            NOTHING,
            abs(found.sel(case="linear")),
            predicted=exact.sel(case="linear"),
            of="their variance over sampled networks",
            note=f"so it is at d = 2 only; with normal weights the variance is {float(found.sel(case='linear, normal')):.3g}",
        )
    ]


def _orders(record: xr.Dataset) -> list[Verdict]:
    out, width, deep = [], int(record.width[-1]), _deep(record)
    near = deep**3 < NEAR * width
    claims = {case: f"{case}: Var K(s,s) is {formula} to first order in 1/w" for case, (_, formula) in LINEAR.items()}
    if not near.any():
        more = {"depths": sorted({*record.depth.values.tolist(), 4}), "widths": [*record.width.values.tolist(), 100_000]}
        why = lacking(Need(f"a depth d above 2 with d^3 < {NEAR:g} w", f"none at w = {width}", more))
        return [Verdict.not_judged(claim, why) for claim in claims.values()]
    for case, (kurtosis, _) in LINEAR.items():
        ratio = diagonal(record, case).sel(depth=deep).isel(width=-1).values * width / leading_order(deep, kurtosis)
        out.append(
            Verdict.within(
                claims[case],
                1.0,
                ratio[near][np.argmax(abs(ratio[near] - 1))],
                rtol=FIRST,
                of=f"the ratio that is furthest off, of all depths with d^3 < {NEAR:g} w at w = {width},",
                note=f"beyond first order at d = {deep[-1]}: ratio {ratio[-1]:.2f}",
            )
        )
    return out


def _slopes(record: xr.Dataset) -> list[Verdict]:
    deep, widths = _deep(record), record.width.values[-2:]
    claims = "linear: Var K(s,s) goes as d^3 in deep, wide networks", "linear: Var K(s,s) goes as 1/w"
    if len(deep) < 2:
        more = {"depths": sorted({*record.depth.values.tolist(), 4, 8})}
        why, bounds = lacking(Need("two depths above 2", str(len(deep)), more)), map(_bound_claim, BOUNDED)
        rest = [Verdict.not_judged(claim, why, kind="claim", source=SOURCE) for claim in bounds]
        return [*(Verdict.not_judged(claim, why) for claim in claims), *rest]
    at = diagonal(record, "linear").sel(depth=deep)
    slopes = np.diff(np.log(at.isel(width=-1).values)) / np.diff(np.log(deep))
    (falls,) = np.diff(np.log(at.values[0, -2:])) / np.diff(np.log(widths))
    return [
        Verdict.within(
            claims[0],
            3.0,
            slopes[-1],
            atol=CUBE,
            of=f"slope in depth at w = {widths[-1]}, between the two largest depths,",
            note="slopes from depth to depth: " + ", ".join(f"{s:.2f}" for s in slopes),
        ),
        Verdict.within(
            claims[1],
            -1.0,
            falls,
            atol=INVERSE,
            of=f"slope in width at d = {deep[0]}, between the two largest widths,",
        ),
        *(_bound(record, case) for case in BOUNDED),
    ]


def _bound_claim(case: str) -> str:
    return f"{case}: Var K(s,s) is at most a constant times max(d^2/w, d^3/w^2)"


def _bound(record: xr.Dataset, case: str) -> Verdict:
    """The printed bound holds if some constant serves all depths and widths: then the ratio does not grow."""
    depth, width = _deep(record).astype(float), float(record.width[-1])
    ratio = diagonal(record, case).sel(depth=depth).isel(width=-1).values / printed_bound(depth, width)
    return Verdict.below(
        _bound_claim(case),
        GROWS,
        np.log(ratio[-1] / ratio[0]) / np.log(depth[-1] / depth[0]),
        predicted=0.0,
        of=f"slope of the ratio to it in depth at w = {width:g}",
        kind="claim",
        source=SOURCE,
        note="ratio by depth: " + ", ".join(f"{d:g}: {r:.3g}" for d, r in zip(depth, ratio, strict=True)),
    )


def _beside(record: xr.Dataset) -> Verdict:
    width = 500 if 500 in record.width else int(record.width[0])
    variance = record.exact.sel(case="gated", entry="beside", moment="variance", width=width)
    spread = (np.sqrt(variance) / record.depth).where(record.depth <= DEEPEST, drop=True)
    depths, values, claim = spread.depth.values, spread.values, f"gated, w = {width}: {BESIDE}"
    if len(depths) < 2:
        more = {"depths": sorted({*record.depth.values.tolist(), 2, 4, 8, DEEPEST})}
        return Verdict.not_judged(claim, lacking(Need(f"two depths up to {DEEPEST}", str(len(depths)), more)))
    return Verdict.below(
        f"{claim}, up to d = {depths[-1]}",
        values[0],
        values[-1],
        of=f"standard deviation at d = {depths[-1]}",
        note="standard deviation by depth: " + ", ".join(f"{d}: {s:.4f}" for d, s in zip(depths, values, strict=True)),
    ).and_below(0.0, np.diff(values).max(initial=-np.inf), of="its largest change from one depth to the next")


def _deep(record: xr.Dataset) -> np.ndarray:
    """Depths above 2, where +-sigma leaves a variance."""
    return record.depth.values[record.depth.values > 2]
