"""What the record of `tiling` says of each claim."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import Interval
from gatefield.experiments.fields.tiling import places
from gatefield.experiments.needs import command_line, lacking, lasting, undecided
from gatefield.lab import Verdict
from gatefield.plot import gain_text

ENOUGH = 200.0
"""Time in K² tau after which units have found their places."""
CHANCE = 0.01
"""Level of the test whether units that are trained alone lie as chance has it."""
MOSTLY = 0.5
"""More than this share of units is most of them."""
APART = 0.5
"""Units have parted if the mean cosine of their fields is below this."""
TILES = "note 003, section 1: symmetry breaking and tiling"
Found = Mapping[int, Interval]


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """Each claim, judged by the size of committee that speaks least for it; the others are in its note."""
    sizes = {int(K): _of(record, int(K)) for K in record.units.values}
    why = lacking(lasting(record, ENOUGH))
    claims = (_even_one_sign, _even_all, _shared_same, _opposites, _yields, _stays, _start_decides, _alone_random, _parting)
    return undecided(why, *(claim(sizes) for claim in claims))


def _of(record: xr.Dataset, K: int) -> xr.Dataset:
    """What belongs to one size of committee."""
    return record.sel(units=K).isel(unit=slice(K))


def _sizes(sizes: Mapping[int, xr.Dataset], measure: Callable[[xr.Dataset], Any]) -> dict[int, Any]:
    """The measure of each size that has one."""
    found = {K: measure(one) for K, one in sizes.items()}
    return {K: value for K, value in found.items() if value is not None}


def _unknown(claim: str, what: str, kind: Any = "claim") -> Verdict:
    """No committee has what the claim is about."""
    why = f"no committee {what}; run with {command_line(n=40, units=[4, 8], gains=[1.0, 3.0], seeds=8)}"
    return Verdict.not_judged(claim, why, kind=kind, source=TILES)


def _weakest(found: Found, *, below: bool) -> tuple[int, float, float]:
    """The size whose interval reaches furthest to the wrong side: with its mean and how far it reaches."""
    K = max(found, key=lambda K: found[K].high) if below else min(found, key=lambda K: found[K].low)
    return K, found[K].mean, found[K].high - found[K].mean if below else found[K].mean - found[K].low


def _even_one_sign(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    return _even(sizes, by_sign=True, of="peaks of units of one sign")


def _even_all(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    return _even(sizes, by_sign=False, of="peaks of all units, whatever their sign,")


def _even(sizes: Mapping[int, xr.Dataset], *, by_sign: bool, of: str) -> Verdict:
    claim = f"{of} are spread more evenly over the ring than places drawn at random"
    found = _sizes(sizes, lambda one: places.spread(places.place_sets(one, by_sign=by_sign), one.attrs["n"]))
    if not found:
        return _unknown(claim, "has two such units that are localized")
    K, ratio, half = _weakest({K: interval for K, (interval, _) in found.items()}, below=True)
    each = "; ".join(
        f"K = {size}: {interval.mean:.3f} ± {interval.high - interval.mean:.3f}, exact p {test.even:.2g}"
        for size, (interval, test) in found.items()
    )
    return Verdict.below(
        claim,
        1.0,
        ratio,
        error=_finite(half),
        of=f"sum of squared gaps over that of random places, K = {K},",
        kind="claim",
        source=TILES,
        note=f"mean over committees with its 95 % interval, and the exact one-sided test of all together: {each}",
    )


def _shared_same(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    claim = "two units of one sign share a place less often than chance has it"
    found = _sizes(sizes, lambda one: places.shared(one, same_sign=True))
    if not found:
        return _unknown(claim, "has two units of one sign that are localized")
    chance = places.random_share(next(iter(sizes.values())).attrs["n"])
    K, mean, half = _weakest(found, below=True)
    alone = _sizes(sizes, lambda one: places.shared(one, places.ALONE, same_sign=True))
    return Verdict.below(
        claim,
        chance,
        mean,
        error=_finite(half),
        of=f"share of pairs within {places.NEAR} site, K = {K},",
        kind="claim",
        source=TILES,
        note=f"{_each(found)}; the same starts alone {_each(alone)}; chance {chance:.3g}",
    )


def _opposites(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    claim = "units of opposite sign share a place more often than units of one sign"
    pairs = {K: (places.shared(one, same_sign=True), places.shared(one, same_sign=False)) for K, one in sizes.items()}
    found = {K: _difference(two, one) for K, (one, two) in pairs.items() if one and two}
    if not found:
        return _unknown(claim, "has localized units of both signs", "prediction")
    K, mean, half = _weakest(found, below=False)
    opposite: Any = {K: pairs[K][1] for K in found}
    chance = places.random_share(next(iter(sizes.values())).attrs["n"])
    return Verdict.above(
        claim,
        0.0,
        mean,
        error=_finite(half),
        of=f"share of opposite pairs less that of equal ones, K = {K},",
        note=f"gates of opposite fields at one site are never open together. Opposite pairs: {_each(opposite)}; "
        f"chance {chance:.3g}",
    )


def _yields(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    claim = "a unit leaves the place it takes alone more often if another unit of its sign would take that place too"
    found = _sizes(sizes, places.yielding)
    if not found:
        return _unknown(claim, "has localized units of which some would contend for a place", "prediction")
    K, mean, half = _weakest(found, below=False)
    return Verdict.above(
        claim,
        0.0,
        mean,
        error=_finite(half),
        of=f"share that stays, uncontested less contested, K = {K},",
        note=f"difference by size: {_each(found)}. Contested: alone, another unit of the committee ends within "
        f"{places.CLOSE} sites with the same sign",
    )


def _stays(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    found = _sizes(sizes, places.staying)
    claim = "most units of a committee go where the same start goes alone"
    if not found:
        return _unknown(claim, "has units that are localized together and alone", "prediction")
    K, mean, half = _weakest(found, below=False)
    return Verdict.above(
        claim,
        MOSTLY,
        mean,
        error=_finite(half),
        of=f"share within {places.NEAR} site and with the same sign, K = {K},",
        note=f"{_each(found)}. Alone: without the other units, on the same inputs",
    )


def _start_decides(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    claim = "the start decides: most units peak where their start, filtered by the positive class's covariance, has its peak"
    found = _sizes(sizes, places.predicted)
    if not found:
        return _unknown(claim, "has a localized unit", "prediction")
    K, mean, half = _weakest(found, below=False)
    turns = ", ".join(f"K = {size}: {places.circular_correlation(sizes[size]):.2f}" for size in found)
    return Verdict.above(
        claim,
        MOSTLY,
        mean,
        error=_finite(half),
        of=f"share within {places.NEAR} site, K = {K},",
        source="note 002, section 4.2",
        note=f"{_each(found)}. Circular correlation of both places: {turns}",
    )


def _alone_random(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    claim = "trained alone, the same starts lie as places drawn at random do"
    n = next(iter(sizes.values())).attrs["n"]
    tests = _sizes(sizes, lambda one: places.spread(places.place_sets(one, places.ALONE, by_sign=False), n))
    if not tests:
        return _unknown(claim, "has two units that are localized alone", "control")
    p = {K: min(1.0, 2 * min(test.even, test.uneven)) for K, (_, test) in tests.items()}
    K = min(p, key=lambda size: p[size])
    each = ", ".join(f"K = {size}: {p[size]:.2g}" for size in p)
    return Verdict.test(
        claim,
        tests[K][1].expected,
        tests[K][1].spacing,
        min(1.0, p[K] * len(p)),
        level=CHANCE,
        by=f"exact test of the sum of squared gaps, two-sided, smallest of {len(p)} sizes times their number",
        kind="control",
        note=f"two-sided p of each size {each}",
    )


def _parting(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    """Symmetry breaking; the note has the times."""
    ends = {K: one.cosine.sel(start="alike").isel(step=-1).median("seed") for K, one in sizes.items()}
    K = max(ends, key=lambda size: float(ends[size].max()))
    first = next(iter(sizes.values())).attrs["difference"]
    return Verdict.below(
        "units that start alike part: the symmetry between them breaks",
        APART,
        ends[K].max(),
        of=f"largest median over seeds of the final mean cosine, over length scales, gains and sizes (here K = {K}),",
        kind="claim",
        source=TILES,
        note=f"starts differ by {first:g} of their length. Median time until the mean cosine is below {APART:g}, in K² tau: "
        + "; ".join(f"K = {size}: {_times(one)}" for size, one in sizes.items()),
    )


def _times(one: xr.Dataset) -> str:
    times = places.parting_times(one)
    middle = np.quantile(times.values, 0.5, axis=times.dims.index("seed"), method="higher")  # some are infinite
    by_gain = {gain_text(float(g)): middle[:, i] for i, g in enumerate(times.gain.values)}
    return ", ".join(f"gain {gain} {_range(values)}" for gain, values in by_gain.items())


def _range(values: np.ndarray) -> str:
    low, high = (_time(float(value)) for value in (values.min(), values.max()))
    return low if low == high else f"{low} to {high}"


def _time(value: float) -> str:
    return "never" if math.isinf(value) else f"{value:.3g}"


def _difference(one: Interval, two: Interval) -> Interval:
    """Of two shares, with the errors added as those of independent numbers."""
    half = math.hypot(one.high - one.mean, two.high - two.mean)
    return Interval(one.mean - two.mean, one.mean - two.mean - half, one.mean - two.mean + half)


def _each(found: Found) -> str:
    return ", ".join(f"K = {K}: {one.mean:.3f} ({one.low:.3f} to {one.high:.3f})" for K, one in found.items())


def _finite(half: float) -> float:
    """An error that a verdict can take; infinite for what one seed alone says."""
    return float(half) if not math.isnan(half) else math.inf
