"""Sets of gates on the corners of a small cube: all of them, or as many as are drawn; half-spaces; and what they explain."""

from itertools import combinations_with_replacement
from math import comb
from typing import Any, NamedTuple

import jax
import numpy as np
from scipy import stats

from gatefield.data import ring_correlation
from gatefield.experiments.matrices import off_diagonal
from gatefield.theory.gated_linear import Posterior, listed_moments, posterior
from gatefield.theory.hypercube import corners, pattern_law

LARGEST = 3
"""Half-spaces of up to five sites have directions of whole numbers from -3 to 3: there are 14, 104 and 1882."""
NULL = 1e-12
"""Eigenvalues of A below this times the largest count as zero."""
SAME = 1e-9
"""Weights off the diagonal that differ by less are equal."""
CHUNK = 1 << 13
"""Sets of gates whose matrices are held at once."""


class Measured(NamedTuple):
    """What sets of gates explain, and how diagonal their precision matrices A^+ are; one entry for each set."""

    explained: np.ndarray
    entries: np.ndarray
    """Share of the norm of A^+ that is off its diagonal."""
    blocks: np.ndarray
    """Share that couples different gates: off the n x n blocks along the diagonal."""
    regular: np.ndarray
    """Whether A has an inverse."""


def law(n: int, xi1: float, xi0: float) -> Posterior:
    """Signs of Gaussian fields with two length scales on a ring: how likely each corner is, and its mean label."""
    rings = [np.array([np.roll(ring_correlation(n, xi), k) for k in range(n)]) for xi in (xi1, xi0)]
    chances = [np.maximum(pattern_law(ring), 0.0) for ring in rings]
    return posterior(*(chance / chance.sum() for chance in chances))


def count(choices: int, K: int) -> int:
    """How many sets of K of these there are, with repetitions, their order aside."""
    return comb(choices + K - 1, K)


def combined(gates: np.ndarray, K: int) -> np.ndarray:
    """All sets (sets, corners, K) of K of these gates (gates, corners), their order aside."""
    places = np.array(list(combinations_with_replacement(range(len(gates)), K)))
    return np.moveaxis(gates[places], 1, 2)


def every_gate(size: int) -> np.ndarray:
    """All functions of `size` corners to 0 and 1, (gates, corners)."""
    return ((np.arange(2**size)[:, None] >> np.arange(size)) & 1).astype(np.int8)


def drawn(size: int, K: int, sets: int, key: Any) -> np.ndarray:
    """So many sets of K gates, each gate open at each corner by the toss of a coin."""
    return np.asarray(jax.random.bernoulli(key, shape=(sets, size, K))).astype(np.int8)


def half_spaces(n: int) -> np.ndarray:
    """All half-spaces through 0 whose plane meets no corner, (gates, corners)."""
    grid = np.meshgrid(*[np.arange(-LARGEST, LARGEST + 1)] * n, indexing="ij")
    sums = np.stack(grid, axis=-1).reshape(-1, n) @ corners(n).T
    return np.unique(sums[np.all(sums != 0, axis=1)] > 0, axis=0).astype(np.int8)


def measured(gates: np.ndarray, n: int, data: Posterior) -> Measured:
    """Of sets of gates (sets, corners, K)."""
    parts = [_measured(gates[first : first + CHUNK], n, data) for first in range(0, len(gates), CHUNK)]
    return Measured(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _measured(gates: np.ndarray, n: int, data: Posterior) -> Measured:
    A, b = listed_moments(gates, corners(n), *data)
    rates, basis = np.linalg.eigh(A)
    kept = rates > NULL * rates[:, -1:]
    inverse = np.where(kept, 1 / np.where(kept, rates, 1.0), 0.0)
    precision = (basis * inverse[:, None]) @ np.swapaxes(basis, 1, 2)
    along = np.einsum("spq,sp->sq", basis, b)
    worth = np.sum(inverse * along**2, axis=1)
    return Measured(worth, off_diagonal(precision), off_diagonal(precision, block=n), np.asarray(kept.all(1)))


def best_half_spaces(n: int, K: int, data: Posterior, most: int) -> float:
    """What the best K half-spaces explain, or NaN if there are more than `most` sets of them.

    The first may be turned, mirrored and flipped at will with all others, which changes nothing of what they explain.
    """
    gates = half_spaces(n)
    first = representatives(gates, n)
    if len(first) * count(len(gates), K - 1) > most:
        return float("nan")
    others = combined(gates, K - 1) if K > 1 else np.zeros((1, 2**n, 0), np.int8)
    lead = np.repeat(first, len(others), axis=0)[:, :, None]
    return float(measured(np.concatenate([lead, np.tile(others, (len(first), 1, 1))], axis=2), n, data).explained.max())


def representatives(gates: np.ndarray, n: int) -> np.ndarray:
    """One of each family of gates (gates, corners) that turns, mirrors and the sign of all inputs map onto each other."""
    digits = 1 << np.arange(2**n, dtype=np.int64)
    codes = np.stack([gates[:, image].astype(np.int64) @ digits for image in symmetries(n)])
    return gates[codes[0] == codes.min(axis=0)]


def symmetries(n: int) -> np.ndarray:
    """Where turns, mirrors and the sign of all inputs put each corner, (symmetries, corners); the first leaves all in place."""
    points = corners(n)
    moved = [sign * np.roll(side, k, axis=1) for sign in (1, -1) for side in (points, points[:, ::-1]) for k in range(n)]
    return np.array([((1 - image) / 2).astype(int) @ (1 << np.arange(n)) for image in moved])


def rank_correlation(one: np.ndarray, two: np.ndarray) -> float:
    """Between two lists; NaN if one of them is the same everywhere."""
    if len(one) < 2 or np.ptp(one) < SAME or np.ptp(two) < SAME:
        return float("nan")
    return float(np.corrcoef(stats.rankdata(one.round(12)), stats.rankdata(two.round(12)))[0, 1])
