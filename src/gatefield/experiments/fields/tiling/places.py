"""What places of peaks say: how evenly they are spread, how often two units share one, and which units moved."""

import math

import numpy as np
import xarray as xr

from gatefield.core.intervals import Interval, mean_interval, proportion
from gatefield.measures import SpacingTest, circular_distance, peak_spacing, peak_spacing_law, peak_spacing_test

NEAR = 1
"""Two places are the same if they are at most so many sites apart: fields reach their neighbours."""
CLOSE = 2
"""Two units would contend for a place if, alone, they go so near to each other."""
PEAKED = 3
"""A unit counts if its inverse participation ratio (IPR) is above this over n, that of a random field."""
TOGETHER, ALONE = "", "alone_"


def localized(one: xr.Dataset, which: str = TOGETHER) -> xr.DataArray:
    """Which units of committees of one size count: those that exist and are localized at the end."""
    return one[f"{which}ipr"] > PEAKED / one.attrs["n"]


def place_sets(one: xr.Dataset, which: str = TOGETHER, *, by_sign: bool) -> list[np.ndarray]:
    """The peaks of each committee, or those of one sign; sets with at least two."""
    site, sign, counted = (
        values.transpose("pair", "gain", "seed", "unit").values.reshape(-1, one.sizes["unit"])
        for values in (one[f"{which}site"], one[f"{which}sign"], localized(one, which))
    )
    groups = [counted & (sign > 0), counted & (sign < 0)] if by_sign else [counted]
    sets = [row[kept] for group in groups for row, kept in zip(site, group, strict=True)]
    return [places for places in sets if len(places) > 1]


def spread(sets: list[np.ndarray], n: int) -> tuple[Interval, SpacingTest] | None:
    """The spacing over that of random places, mean over sets with Student's interval, and the exact test; None without sets."""
    if not sets:
        return None
    ratios = [float(peak_spacing(places, n)) / expected_spacing(len(places), n) for places in sets]
    return mean_interval(np.array(ratios)), peak_spacing_test(sets, n)


def expected_spacing(K: int, n: int) -> float:
    """The mean spacing of K places drawn at random."""
    law = peak_spacing_law(K, n)
    return float(np.arange(len(law)) @ law) / n**2


def random_share(n: int) -> float:
    """How often two places drawn at random are the same."""
    return min(1.0, (2 * NEAR + 1) / n)


def staying_by_chance(n: int) -> float:
    """The share of units that would stay if places and signs were drawn at random.

    >>> staying_by_chance(40)
    0.0375
    """
    return random_share(n) / 2


def shared(one: xr.Dataset, which: str = TOGETHER, *, signs: str = "any") -> Interval | None:
    """The share of pairs of units that have the same place; signs "any", "same" or "opposite"."""
    apart, among = _pairs(one, which, signs)
    return seed_share(apart <= NEAR, among)


def twins(one: xr.Dataset) -> Interval | None:
    """The share of pairs of units that have the same place, with opposite signs."""
    apart, among = _pairs(one, TOGETHER, "any")
    _, opposite = _pairs(one, TOGETHER, "opposite")
    return seed_share((apart <= NEAR) & opposite, among)


def pair_distances(one: xr.Dataset, which: str = TOGETHER) -> np.ndarray:
    """How far apart the peaks of pairs of units are, all committees together."""
    apart, among = _pairs(one, which, "any")
    return apart.values[among.transpose(*apart.dims).values].astype(int)


def moved(one: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray, xr.DataArray]:
    """Which units stay where they go alone, which would contend for their place with another unit, and which count."""
    counted = localized(one) & localized(one, ALONE)
    stays = (_distance(one.site, one.alone_site, one) <= NEAR) & (one.sign == one.alone_sign)
    other = one.alone_site.drop_vars("unit").rename(unit="other")
    there = localized(one, ALONE).drop_vars("unit").rename(unit="other") & (
        one.unit != xr.DataArray(one.unit.values, dims="other")
    )
    contested = ((_distance(one.alone_site, other, one) <= CLOSE) & there).any("other")
    return stays, contested, counted


def yielding(one: xr.Dataset) -> Interval | None:
    """How much less often units stay whose place is contested than others: mean over seeds with both, Student's interval."""
    stays, contested, counted = moved(one)
    free, pressed = (_by_seed(stays, counted & group) for group in (~contested, contested))
    both = np.isfinite(free) & np.isfinite(pressed)
    return mean_interval((free - pressed)[both]) if both.sum() > 1 else None


def staying(one: xr.Dataset) -> Interval | None:
    """The share of units that stay where they go alone."""
    stays, _, counted = moved(one)
    return seed_share(stays, counted)


def predicted(one: xr.Dataset, which: str = TOGETHER) -> Interval | None:
    """The share of units whose peak is where their filtered start has its own."""
    return seed_share(_distance(one[f"{which}site"], one.start_site, one) <= NEAR, localized(one, which))


def circular_correlation(one: xr.Dataset) -> float:
    """The mean of cos(2 pi d/n), with d the way from the peak of the filtered start to the final one: 1 if all coincide."""
    turn = np.cos(2 * np.pi * (one.site - one.start_site) / one.attrs["n"])
    return float(turn.where(localized(one)).mean())


def parting_time(time: np.ndarray, cosines: np.ndarray) -> float:
    """The first time at which the mean cosine is below one half, between two records on a straight line; infinite if never.

    >>> parting_time(np.array([0.0, 1.0, 2.0]), np.array([1.0, 0.75, 0.25]))
    1.5
    """
    below = np.flatnonzero(cosines < 0.5)
    if not len(below) or below[0] == 0:
        return math.inf if not len(below) else float(time[0])
    at = int(below[0])
    part = (cosines[at - 1] - 0.5) / (cosines[at - 1] - cosines[at])
    return float(time[at - 1] + part * (time[at] - time[at - 1]))


def parting_times(one: xr.Dataset) -> xr.DataArray:
    """When units that start alike part, in K² tau, for each pair of length scales, gain and seed."""
    paths = one.parting_cosine.transpose("pair", "gain", "seed", "step")
    found = [parting_time(one.time.values, path) for path in paths.values.reshape(-1, paths.sizes["step"])]
    return paths.isel(step=0, drop=True).copy(data=np.reshape(found, paths.shape[:-1]))


def _distance(a: xr.DataArray, b: xr.DataArray, one: xr.Dataset) -> xr.DataArray:
    """NaN, which is near to nothing, where a unit does not exist."""
    lag = abs(a - b)
    return xr.where(lag.isnull(), np.nan, circular_distance(a.fillna(0), b.fillna(0), one.attrs["n"]))


def _pairs(one: xr.Dataset, which: str, signs: str) -> tuple[xr.DataArray, xr.DataArray]:
    """The distance of each pair of units, and whether it counts."""
    (site, other), (sign, opposite), (counted, also) = (
        _duos(values) for values in (one[f"{which}site"], one[f"{which}sign"], localized(one, which))
    )
    kinds = {"any": True, "same": sign == opposite, "opposite": sign == -opposite}
    return _distance(site, other, one), counted & also & kinds[signs]


def _duos(values: xr.DataArray) -> tuple[xr.DataArray, xr.DataArray]:
    """The values of the first and of the second unit of each pair of units."""
    first, second = np.triu_indices(values.sizes["unit"], 1)
    one, two = (values.isel(unit=xr.DataArray(at, dims="duo")).drop_vars("unit") for at in (first, second))
    return one, two


def seed_share(holds: xr.DataArray, among: xr.DataArray) -> Interval | None:
    """How often it holds among those that count: a share for each seed, their mean and Student's interval; None without any.

    Where all seeds have one share, as if none ever holds, they have no spread; then the interval is that of independent trials.
    """
    parts = _by_seed(holds, among)
    parts = parts[np.isfinite(parts)]
    if not len(parts):
        return None
    if np.ptp(parts) == 0:
        return proportion(int((holds & among).sum()), int(among.sum()), method="exact")
    mean, low, high = mean_interval(parts)
    return Interval(mean, max(0.0, low), min(1.0, high))


def _by_seed(holds: xr.DataArray, among: xr.DataArray) -> np.ndarray:
    """The share of units for which it holds, for each seed; NaN without any."""
    others = [dim for dim in holds.dims if dim != "seed"]
    total = among.sum(others)
    return ((holds & among).sum(others) / total.where(total > 0)).values
