"""Means and variances over runs, and verdicts on them beside numbers that they should be."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import stats

from gatefield.core.intervals import FAR, LEVEL, against_table
from gatefield.lab import Verdict

CLEAR = 3
"""Standard errors by which two means must differ to count as different: by chance once in 370 times."""
EXACT = 10**9
"""As many runs as a number without an error of its own counts as."""
DIGITS = 12
"""Decimals of such a number in a table; its rounding is then far below any spread over runs."""


def moments(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance along the last axis, and their standard errors, the latter's from the fourth moment.

    >>> found, error = moments(np.array([1.0, 2.0, 3.0, 6.0]))
    >>> found.round(3), error.round(3)
    (array([3.   , 4.667]), array([1.08 , 0.825]))
    """
    mean, count = values.mean(-1), values.shape[-1]
    variance, fourth = values.var(-1, ddof=1), ((values - mean[..., None]) ** 4).mean(-1)
    errors = np.sqrt(variance / count), np.sqrt(np.maximum(fourth - variance**2, 0.0) / count)
    return np.stack([mean, variance], -1), np.stack(errors, -1)


def beside_table(claim: str, values: np.ndarray, table: Mapping[int, str], runs: int) -> Verdict:
    """Means of (depth, run) beside those that another program printed, from `runs` runs, depth -> number."""
    found = against_table(values, list(table.values()), runs)
    depth, there = list(table)[found.at], values[found.at]
    return Verdict.below(
        claim,
        found.limit,
        found.distance,
        predicted=0.0,
        or_equal=True,
        of=f"largest difference of means in standard errors (Student's t, {LEVEL:.1%})",
        kind="regression",
        note=f"largest at d = {depth}: mean {there.mean():.4g}, sd of a run {there.std(ddof=1):.2g}, {len(there)} runs; the "
        f"other program {table[depth]}, {runs} runs",
    )


def beside_logs(claim: str, values: np.ndarray, table: Mapping[int, str], runs: int) -> Verdict:
    """Logarithms of such means, with one relative spread for all depths: few runs of each depth then say enough together."""
    values = np.minimum(values, FAR)
    mean, printed = values.mean(1), np.array([float(text) for text in table.values()])
    half = np.array([0.5 * 10.0 ** -len(text.partition(".")[2]) for text in table.values()])
    beyond = np.maximum(0.0, np.abs(np.log(mean / printed)) - half / printed)
    spread = np.sqrt(np.mean((values.std(1, ddof=1) / mean) ** 2))
    distance = beyond / (spread * np.sqrt(1 / values.shape[1] + 1 / runs))
    limit = stats.t.ppf(1 - LEVEL / (2 * len(values)), len(values) * (values.shape[1] - 1))
    at = int(np.argmax(distance))
    return Verdict.below(
        claim,
        limit,
        distance[at],
        predicted=0.0,
        or_equal=True,
        of=f"largest difference of log means in standard errors (Student's t, {LEVEL:.1%})",
        kind="regression",
        note=f"largest at d = {list(table)[at]}: mean {mean[at]:.4g}, {values.shape[1]} runs; the other program "
        f"{list(table.values())[at]}, {runs} runs",
    )


def beside_exact(claim: str, values: np.ndarray, exact: Mapping[int, float], **words: Any) -> Verdict:
    """Means of (depth, run) beside exact numbers, depth -> number."""
    found = against_table(values, [f"{value:.{DIGITS}f}" for value in exact.values()], EXACT)
    note = f"{values.shape[1]} runs, {len(values)} depths; largest at d = {list(exact)[found.at]}"
    of = f"largest distance from it in standard errors (Student's t, {LEVEL:.1%})"
    return Verdict.below(claim, found.limit, found.distance, predicted=0.0, or_equal=True, of=of, note=note, **words)


def all_near(claim: str, distances: np.ndarray, **words: Any) -> Verdict:
    """Whether distances in standard errors are all those of a normal law, at `LEVEL` for all of them together."""
    limit = stats.norm.ppf(1 - LEVEL / (2 * distances.size))
    of = f"largest of {distances.size} distances in standard errors"
    return Verdict.below(claim, limit, distances.max(), predicted=0.0, of=of, **words)
