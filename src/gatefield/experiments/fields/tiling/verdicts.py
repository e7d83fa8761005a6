"""What the record of `tiling` says of each claim."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import Interval, mean_interval
from gatefield.experiments.fields.tiling import places
from gatefield.experiments.needs import command_line, lacking, lasting, undecided
from gatefield.lab import Verdict
from gatefield.measures import SpacingTest
from gatefield.plot import gain_text

ENOUGH = 200.0
"""Time in K² tau after which units have found their places."""
CHANCE = 0.01
"""Level of the test whether units that are trained alone lie as chance has it."""
MOSTLY = 0.5
"""More than this share of units is most of them."""
APART = 0.5
"""Units have parted if the mean cosine of their fields is below this."""
CANCELS = 0.2
"""Fields cancel if the square of their sum is less than this part of what it is for independent fields."""
TILES = "note 003, section 1: symmetry breaking and tiling"
Found = Mapping[int, Interval]


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """Evenness for each size of committee; the other claims by the size that speaks least for them, all sizes in the note."""
    sizes = {int(K): _of(record, int(K)) for K in record.units.values}
    even = [claim(K, one) for K, one in sizes.items() for claim in (_even, _shared)]
    claims = (_cancel, _yields, _stays, _start_decides, _alone_random, _parting)
    return undecided(lacking(lasting(record, ENOUGH)), *even, *(claim(sizes) for claim in claims))


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


def _even(K: int, one: xr.Dataset) -> Verdict:
    claim, n = f"{K} units: peaks are spread more evenly over the ring than places drawn at random", one.attrs["n"]
    found = places.spread(places.place_sets(one, by_sign=False), n)
    if not found:
        return _unknown(claim, "has two units that count")
    (ratio, low, high), test = found
    groups = {"one sign": (places.TOGETHER, True), "the same units alone": (places.ALONE, False)}
    others = {name: places.spread(places.place_sets(one, which, by_sign=sign), n) for name, (which, sign) in groups.items()}
    each = "; ".join(f"{name} {_spread(*other)}" for name, other in others.items() if other)
    return Verdict.below(
        claim,
        1.0,
        ratio,
        error=_finite(max(high - ratio, ratio - low)),
        of="sum of squared gaps over that of random places",
        kind="claim",
        source=TILES,
        note=f"mean over committees, its 95 % interval, and the exact one-sided p of all together: {_spread(found[0], test)}; "
        f"equal gaps {1 / K / places.expected_spacing(K, n):.3f}; {each}",
    )


def _spread(interval: Interval, test: SpacingTest) -> str:
    return f"{interval.mean:.3f} ({interval.low:.3f} to {interval.high:.3f}, p {test.even:.2g})"


def _shared(K: int, one: xr.Dataset) -> Verdict:
    claim = f"{K} units: two units share a place less often than chance has it"
    found = places.shared(one)
    if not found:
        return _unknown(claim, "has two units that count")
    chance = places.random_share(one.attrs["n"])
    others = {f"pairs of {signs} sign": places.shared(one, signs=signs) for signs in ("same", "opposite")}
    others["the same units alone"] = places.shared(one, places.ALONE)
    return Verdict.below(
        claim,
        chance,
        found.mean,
        error=_finite(max(found.high - found.mean, found.mean - found.low)),
        of=f"share of pairs within {places.NEAR} site",
        kind="claim",
        source=TILES,
        note=f"chance {chance:.3g}; all pairs {_interval(found)}; "
        + "; ".join(f"{name} {_interval(other)}" for name, other in others.items() if other),
    )


def _cancel(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    """On data symmetric about 0 the linear part of the output, half of the sum of all fields, can only do harm."""
    found = {K: mean_interval(one.sum_share.mean(("pair", "gain")).values) for K, one in sizes.items()}
    K, mean, half = _weakest(found, below=True)
    return Verdict.below(
        "the fields of a committee cancel: their sum is short",
        CANCELS,
        mean,
        predicted=0.0,
        error=_finite(half),
        of=f"square of the sum over the sum of squares, 1 for independent fields, K = {K},",
        note=f"over seeds: {_each(found)}. ReLU(h) = |h|/2 + h/2, and labels do not depend on the sign of inputs: what the sum "
        "of all fields adds to the output only does harm",
    )


def _yields(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    claim = "a unit leaves the place it takes alone more often if another unit would take that place too"
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
        f"{places.CLOSE} sites",
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
    chance, alone = places.random_share(next(iter(sizes.values())).attrs["n"]), _sizes(sizes, _alone_predicted)
    turns = ", ".join(f"K = {size}: {places.circular_correlation(sizes[size]):.2f}" for size in found)
    return Verdict.above(
        claim,
        MOSTLY,
        mean,
        error=_finite(half),
        of=f"share within {places.NEAR} site, K = {K},",
        source="note 002, section 4.2",
        note=f"{_each(found)}; chance {chance:.3g}; the same units alone {_each(alone)}. Circular correlation of both places "
        f"in committees: {turns}",
    )


def _alone_predicted(one: xr.Dataset) -> Interval | None:
    return places.predicted(one, places.ALONE)


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
    ends = {K: one.parting_cosine.isel(step=-1).median("seed") for K, one in sizes.items()}
    K = max(ends, key=lambda size: float(ends[size].max()))
    first = next(iter(sizes.values())).attrs["difference"]
    return Verdict.below(
        "units that start alike part: the symmetry between them breaks",
        APART,
        ends[K].max(),
        of=f"largest median over seeds of the last mean cosine, over length scales, gains and sizes (here K = {K}),",
        kind="claim",
        source=TILES,
        note=f"starts differ by {first:g} of their length, and are trained for {_last(sizes):.3g} K² tau. Median time "
        f"until the mean cosine is below {APART:g}, in K² tau (and in tau): "
        + "; ".join(f"K = {size}: {_times(size, one)}" for size, one in sizes.items()),
    )


def _last(sizes: Mapping[int, xr.Dataset]) -> float:
    return float(next(iter(sizes.values())).time[-1])


def _times(K: int, one: xr.Dataset) -> str:
    times = places.parting_times(one)
    middle = np.quantile(times.values, 0.5, axis=times.dims.index("seed"), method="higher")  # some are infinite
    by_gain = {gain_text(float(g)): middle[:, i] for i, g in enumerate(times.gain.values)}
    return ", ".join(f"gain {gain} {_range(values)} ({_range(values * K**2)})" for gain, values in by_gain.items())


def _range(values: np.ndarray) -> str:
    low, high = (_time(float(value)) for value in (values.min(), values.max()))
    return low if low == high else f"{low} to {high}"


def _time(value: float) -> str:
    return "never" if math.isinf(value) else f"{value:.3g}"


def _interval(one: Interval) -> str:
    return f"{one.mean:.3f} ({one.low:.3f} to {one.high:.3f})"


def _each(found: Found) -> str:
    return ", ".join(f"K = {K}: {_interval(one)}" for K, one in found.items())


def _finite(half: float) -> float:
    """An error that a verdict can take; infinite for what one seed alone says."""
    return float(half) if not math.isnan(half) else math.inf
