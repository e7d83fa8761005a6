"""Means over seeds and shares of units with their errors and intervals, and means beside those of a printed table."""

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import xarray as xr
from scipy import stats


class Interval(NamedTuple):
    """A mean over seeds, or a share, and its interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} (95 % interval over seeds {self.low:.3f} to {self.high:.3f})"


def standard_error(values: Any) -> float:
    r"""The standard error of the mean of independent values, $s/\sqrt{n}$ with $s^2 = \sum_i (x_i - \bar x)^2/(n - 1)$.

    **Arguments**

    - `values`: one for each seed or run; of paired runs, such as two networks with the same seeds, their differences.

    **Returns** the error; infinite for less than two values, which tell none.

    >>> standard_error([1.0, 2.0, 3.0, 6.0]).__round__(3), standard_error([1.0])
    (1.08, inf)
    """
    found = np.asarray(values).ravel()
    return float(found.std(ddof=1)) / math.sqrt(found.size) if found.size > 1 else math.inf


def median_error(values: Any) -> float:
    r"""Two standard errors of a median of normal values, $2\sqrt{\pi/2}\,s/\sqrt{n}$; infinite for less than two.

    **Arguments**

    - `values`: one for each seed or run.

    **Returns** the error: two standard errors of the mean, times $\sqrt{\pi/2}$.

    >>> median_error([0.5, 0.7, 0.9]).__round__(4)
    0.2894
    """
    found = np.asarray(values, float).ravel()
    return 2 * math.sqrt(math.pi / 2) * float(found.std(ddof=1)) / math.sqrt(found.size) if found.size > 1 else math.inf


def mean_and_error(values: xr.DataArray, over: str) -> tuple[np.ndarray, np.ndarray]:
    """The mean over an axis, and its standard error at each place of the others."""
    return values.mean(over).values, (values.std(over, ddof=1) / np.sqrt(values.sizes[over])).values


def mean_interval(values: np.ndarray, level: float = 0.95, *, one_sided: bool = False) -> Interval:
    """The mean of independent values and Student's interval for it; less than two values have none.

    **Arguments**

    - `values`: one for each seed or run.
    - `level`: the probability that the interval holds the mean.
    - `one_sided`: each end by itself bounds the mean with that probability, not both together.

    >>> round(mean_interval(np.array([1.0, 2.0, 3.0])).low, 3), mean_interval(np.array([1.0])).high
    (-0.484, inf)
    """
    values = np.asarray(values, float)
    if len(values) < 2:
        return Interval(float(values.mean()) if len(values) else 0.0, -np.inf, np.inf)
    half = stats.t.ppf(level if one_sided else (1 + level) / 2, len(values) - 1) * stats.sem(values)
    mean = float(values.mean())
    return Interval(mean, mean - float(half), mean + float(half))


def largest_by_chance(count: int, chance: float = 0.01) -> float:
    """How many standard errors the largest of `count` normal deviations exceeds with at most this chance, however they go
    together.

    >>> round(largest_by_chance(1), 2), round(largest_by_chance(1000), 2)
    (2.58, 4.42)
    """
    return float(stats.norm.isf(chance / (2 * count)))


def share(holds: xr.DataArray, among: xr.DataArray | None = None) -> Interval:
    """How often `holds` is true `among` the units that count: a share for each seed, then mean and Student's t interval.

    Seeds without any unit that counts are left out; without any at all, the share is 0 and so is the interval.

    >>> import xarray as xr
    >>> print(share(xr.DataArray([[True, True], [True, False]], dims=("seed", "unit"))))
    0.750 (95 % interval over seeds 0.000 to 1.000)
    """
    counts = xr.ones_like(holds, dtype=bool) if among is None else among
    others = [dim for dim in holds.dims if dim != "seed"]
    total = counts.sum(others).values
    parts = (holds & counts).sum(others).values[total > 0] / total[total > 0]
    if not len(parts):
        return Interval(0.0, 0.0, 0.0)
    mean, low, high = mean_interval(parts)
    return Interval(mean, max(0.0, low), min(1.0, high))


def proportion(hits: int, total: int, *, method: Literal["wilson", "exact"] = "wilson") -> Interval:
    """The share of hits among independent trials, with Wilson's interval or the exact one of Clopper and Pearson.

    >>> print(proportion(9, 10))
    0.900 (95 % interval over seeds 0.596 to 0.982)
    """
    if not total:
        return Interval(0.0, 0.0, 1.0)
    found = stats.binomtest(hits, total)
    low, high = found.proportion_ci(method=method)
    return Interval(float(found.statistic), float(low), float(high))


LEVEL = 0.001
"""Chance that a comparison of means of the same law with a table fails, over all of its places together."""

FAR = 1e6
"""What a run counts that has diverged: finite, so that means and spreads are numbers, and beyond all that a table prints."""


class Comparison(NamedTuple):
    """The place where two rows of means differ most, in standard errors of the difference."""

    at: int
    distance: float
    limit: float

    @property
    def holds(self) -> bool:
        return self.distance <= self.limit


def against_table(values: np.ndarray, table: Sequence[str], table_runs: int) -> Comparison:
    """Two or more runs (place, run) beside printed means (place,) of `table_runs` runs with the same spread.

    What rounding of the printed number explains does not count, and a printed "<b" asks for a mean below b. The limit is
    Student's t at `LEVEL`, shared by all places.

    >>> values = np.array([[1.0, 1.2, 0.8], [2.0, 2.1, 1.9]])
    >>> against_table(values, ["1.0", "2.5"], 3).at
    1
    """
    runs = values.shape[1]
    values = np.minimum(values, FAR)
    error = values.std(1, ddof=1) * np.sqrt(1 / runs + 1 / table_runs)
    beyond = [_beyond_rounding(mean, printed) for mean, printed in zip(values.mean(1), table, strict=True)]
    distance = np.asarray(beyond) / np.maximum(error, 1e-12)
    limit = stats.t.ppf(1 - LEVEL / (2 * len(values)), runs - 1)
    at = int(np.argmax(distance))
    return Comparison(at, float(distance[at]), float(limit))


def _beyond_rounding(mean: float, printed: str) -> float:
    """Distance beyond what rounding of the printed number explains."""
    if printed.startswith("<"):
        return max(0.0, mean - float(printed[1:]))
    mantissa, _, exponent = printed.partition("e")
    half = 0.5 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return max(0.0, abs(mean - float(printed)) - half)
