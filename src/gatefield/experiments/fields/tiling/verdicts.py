"""What the record of `tiling` says of each claim."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import Interval, mean_interval
from gatefield.experiments.fields.tiling import places
from gatefield.lab import Verdict
from gatefield.lab.needs import command_line, lacking, lasting, undecided

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
BySize = Mapping[int, Interval]


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """Each claim at each size of committee."""
    sizes = {int(K): _of(record, int(K)) for K in record.units.values}
    claims = (_even, _shared, _cancel, _yields, _stays, _start_decides, _alone_random, _parting)
    return undecided(lacking(lasting(record, ENOUGH)), *(claim(sizes) for claim in claims))


def _of(record: xr.Dataset, K: int) -> xr.Dataset:
    """What belongs to one size of committee."""
    return record.sel(units=K).isel(unit=slice(K))


def _sizes(sizes: Mapping[int, xr.Dataset], measure: Callable[[xr.Dataset], Any]) -> dict[int, Any]:
    """The measure of each size that has one."""
    found = {K: measure(one) for K, one in sizes.items()}
    return {K: value for K, value in found.items() if value is not None}


def _unknown(claim: str, what: str, kind: Any = "claim", **said: str) -> Verdict:
    """No committee has what the claim is about."""
    why = f"no committee {what}; run with {command_line(n=40, units=[4, 8], gains=[1.0, 3.0], seeds=8)}"
    return Verdict.not_judged(claim, why, kind=kind, source=TILES, **said)


def _error(found: Interval) -> float:
    """The longer side of an interval; infinite for what one seed alone says."""
    half = max(found.high - found.mean, found.mean - found.low)
    return math.inf if math.isnan(half) else float(half)


def _rows(found: BySize, side: Callable[..., Verdict], bound: float, of: str, **words: Any) -> dict[str, Verdict]:
    """Each size beside one bound, with the 95 % interval as its error."""
    return {f"K = {K}": side("", bound, one.mean, error=_error(one), of=of, **words) for K, one in found.items()}


def _even(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    claim = "the peaks of a committee's fields are spread more evenly over the ring than places drawn at random"
    found = {K: one[0] for K, one in _spreads(sizes, places.TOGETHER).items()}
    if not found:
        return _unknown(claim, "has two units that count", found="peaks are more even than chance", otherwise="they are not")
    alone = {K: one[0] for K, one in _spreads(sizes, places.ALONE).items()}
    rows = _rows(found, Verdict.below, 1.0, "sum of squared gaps over that of random places")
    yes, no = ({K: one for K, one in found.items() if rows[f"K = {K}"].holds is holds} for holds in (True, False))
    gaps = f"(squared gaps {_span([one.mean for one in (yes or no).values()], '.2f')} of random)"
    return Verdict.each(
        claim,
        rows,
        kind="claim",
        source=TILES,
        note=f"errors: 95 % intervals over committees; the same units, each alone: {_each(alone)}",
        found=f"committees of {_names(yes)} tile the ring {gaps}",
        otherwise=f"committees of {_names(yes)}, not {_names(no)}, tile the ring {gaps}"
        if yes
        else f"committees of {_names(no)} do not tile the ring {gaps}",
    )


def _names(found: Mapping[int, Any]) -> str:
    """Sizes as one says them: 2, 4 and 8."""
    *first, last = map(str, found) if found else [""]
    return f"{', '.join(first)} and {last}" if first else last


def _span(values: Sequence[float], digits: str) -> str:
    """From the least to the largest."""
    low, high = (format(value, digits) for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def _spreads(sizes: Mapping[int, xr.Dataset], which: Any) -> dict[int, Any]:
    return _sizes(sizes, lambda one: places.spread(places.place_sets(one, which, by_sign=False), one.attrs["n"]))


def _shared(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    claim = "two units of a committee share a place less often than chance has it"
    found = _sizes(sizes, places.shared)
    if not found:
        return _unknown(claim, "has two units that count")
    chance = places.random_share(next(iter(sizes.values())).attrs["n"])
    opposite = _sizes(sizes, lambda one: places.shared(one, signs="opposite"))
    return Verdict.each(
        claim,
        _rows(found, Verdict.below, chance, f"share of pairs within {places.NEAR} site"),
        kind="claim",
        source=TILES,
        note=f"errors: 95 % intervals; pairs of opposite sign alone: {_means(opposite)}",
    )


def _cancel(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    """On data symmetric about 0 the linear part of the output, half of the sum of all fields, can only do harm."""
    found = {K: mean_interval(one.sum_share.mean(("pair", "gain")).values) for K, one in sizes.items()}
    return Verdict.each(
        "the fields of a committee cancel, so that their sum is short",
        _rows(found, Verdict.below, CANCELS, "square of the sum over the sum of squares", predicted=0.0),
        note="1 for independent fields. ReLU(h) = |h|/2 + h/2, and labels do not depend on the sign of inputs, so that the "
        "linear part does harm only",
    )


def _yields(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    claim = "a unit leaves the place it takes alone more often if another unit would take that place too"
    found = _sizes(sizes, places.yielding)
    if not found:
        return _unknown(claim, "has localized units of which some would contend for a place", "prediction")
    rows = _rows(found, Verdict.above, 0.0, "share that stays, uncontested less contested")
    note = f"contested: alone, another unit of the committee ends within {places.CLOSE} sites; errors: 95 % intervals"
    return Verdict.each(claim, rows, note=note)


def _stays(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    found = _sizes(sizes, places.staying)
    claim = "most units of a committee go where the same start goes alone"
    if not found:
        return _unknown(claim, "has units that are localized together and alone", "prediction")
    rows = _rows(found, Verdict.above, MOSTLY, f"share within {places.NEAR} site and with the same sign")
    shares = f"{_span([100 * one.mean for one in found.values()], '.0f')} %"
    return Verdict.each(
        claim,
        rows,
        note="alone: without the other units, on the same inputs; errors: 95 % intervals",
        found=f"most units ({shares}) go where they go alone",
        otherwise=f"{shares} of units go where they go alone",
    )


def _start_decides(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    claim = "most units of a committee peak where their start, filtered by the positive class's covariance, has its peak"
    found = _sizes(sizes, places.predicted)
    if not found:
        return _unknown(claim, "has a localized unit", "prediction")
    chance, alone = places.random_share(next(iter(sizes.values())).attrs["n"]), _sizes(sizes, _alone_predicted)
    return Verdict.each(
        claim,
        _rows(found, Verdict.above, MOSTLY, f"share within {places.NEAR} site"),
        source="note 002, section 4.2",
        note=f"chance {chance:.3g}; errors: 95 % intervals; the same units, each alone: {_means(alone)}",
    )


def _alone_predicted(one: xr.Dataset) -> Interval | None:
    return places.predicted(one, places.ALONE)


def _alone_random(sizes: Mapping[int, xr.Dataset]) -> Verdict:
    claim = "units that are trained alone from the same starts lie as places drawn at random do"
    tests = _spreads(sizes, places.ALONE)
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
    ends = {K: float(one.parting_cosine.isel(step=-1).median("seed").max()) for K, one in sizes.items()}
    first = next(iter(sizes.values())).attrs["difference"]
    of = "largest median over seeds of the last mean cosine, over length scales and gains,"
    said = f"units whose starts differ by {first:g} of their length part within {_last(sizes):.3g} K² τ"
    parted = _names({K: None for K, end in ends.items() if end < APART})
    beside = f"their mean cosine falls below {APART:g}"
    return Verdict.each(
        f"units whose starts differ by {first:g} of their length part within {_last(sizes):.3g} K² τ",
        {f"K = {K}": Verdict.below("", APART, end, of=of) for K, end in ends.items()},
        kind="claim",
        source=TILES,
        note=f"median times until the mean cosine is below {APART:g}, in K² τ: "
        + ", ".join(f"K = {size}: {_times(one)}" for size, one in sizes.items()),
        more_found=f"{said}: {beside} in committees of {parted}",
        more_otherwise=f"not all {said}: {beside} in committees of {parted or 'no size'}",
    )


def _last(sizes: Mapping[int, xr.Dataset]) -> float:
    return float(next(iter(sizes.values())).time[-1])


def _times(one: xr.Dataset) -> str:
    times = places.parting_times(one)
    middle = np.quantile(times.values, 0.5, axis=times.dims.index("seed"), method="higher")  # some are infinite
    low, high = (_time(float(value)) for value in (middle.min(), middle.max()))
    return low if low == high else f"{low} to {high}"


def _time(value: float) -> str:
    return "never" if math.isinf(value) else f"{value:.3g}"


def _each(found: BySize) -> str:
    return ", ".join(f"K = {K}: {one.mean:.2f} ({one.low:.2f} to {one.high:.2f})" for K, one in found.items())


def _means(found: BySize) -> str:
    return ", ".join(f"K = {K}: {one.mean:.2f}" for K, one in found.items()) or "none"
