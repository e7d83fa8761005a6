"""Means over runs against means that someone else found with other runs."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

LEVEL = 0.001
"""Chance that a comparison of means of the same law fails, over all of its places together."""

FAR = 1e6
"""What a run counts that has diverged."""


class Comparison(NamedTuple):
    """The place where two rows of means differ most, in standard errors of the difference."""

    at: int
    distance: float
    limit: float

    @property
    def holds(self) -> bool:
        return self.distance <= self.limit


def compare(values: np.ndarray, table: Sequence[str], table_runs: int) -> Comparison:
    """Two or more runs (place, run) against printed means (place,) of `table_runs` runs with the same spread.

    What rounding explains does not count, and a printed "<b" asks for a mean below b. The limit is Student's t at
    `LEVEL`, shared by all places.

    >>> values = np.array([[1.0, 1.2, 0.8], [2.0, 2.1, 1.9]])
    >>> compare(values, ["1.0", "2.5"], 3).at
    1
    """
    runs = values.shape[1]
    values = np.minimum(values, FAR)
    error = values.std(1, ddof=1) * np.sqrt(1 / runs + 1 / table_runs)
    away = [_away(mean, printed) for mean, printed in zip(values.mean(1), table, strict=True)]
    distance = np.asarray(away) / np.maximum(error, 1e-12)
    limit = stats.t.ppf(1 - LEVEL / (2 * len(values)), runs - 1)
    at = int(np.argmax(distance))
    return Comparison(at, float(distance[at]), float(limit))


def _away(mean: float, printed: str) -> float:
    """Distance beyond what rounding of the printed number explains."""
    if printed.startswith("<"):
        return max(0.0, mean - float(printed[1:]))
    mantissa, _, exponent = printed.partition("e")
    half = 0.5 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return max(0.0, abs(mean - float(printed)) - half)
