"""Signs of a Gaussian vector by SciPy: its multivariate normal distribution function, pattern by pattern."""

import itertools

import numpy as np
from scipy import stats


def orthant(corr: np.ndarray, seed: int = 0) -> float:
    """The probability that all entries are positive."""
    n = len(corr)
    return float(stats.multivariate_normal.cdf(np.zeros(n), cov=corr, rng=np.random.default_rng(seed)))  # pyright: ignore[reportArgumentType]


def drift(w: np.ndarray, corr: np.ndarray) -> np.ndarray:
    """The drift of signs: half of the patterns do, since p(-x) = p(x)."""
    half = (np.array((1.0, *rest)) for rest in itertools.product((-1.0, 1.0), repeat=len(w) - 1))
    return sum((orthant(corr * np.outer(x, x)) * np.sign(w @ x) * x for x in half), start=np.zeros(len(w)))
