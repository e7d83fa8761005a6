"""Gaussian vectors of one common factor: the probability of a sign pattern is one integral, a reference for other methods."""

import itertools

import numpy as np
from scipy.special import log_ndtr

NODES = 400
"""Of the trapezoidal rule on [-9, 9]: it converges faster than any power, and is at rounding long before."""


def correlation(loads: np.ndarray) -> np.ndarray:
    """That of z_i = a_i u + sqrt(1 - a_i^2) e_i."""
    corr = np.outer(loads, loads)
    np.fill_diagonal(corr, 1.0)
    return corr


def chance(loads: np.ndarray, pattern: np.ndarray) -> float:
    """P(sign z = x), the integral over the common factor."""
    u = np.linspace(-9, 9, NODES + 1)
    slopes = pattern * loads / np.sqrt(1 - loads**2)
    density = np.exp(-(u**2) / 2 + log_ndtr(np.outer(u, slopes)).sum(1)) / np.sqrt(2 * np.pi)
    return float(density.sum() * (u[1] - u[0]))


def drift(w: np.ndarray, loads: np.ndarray) -> np.ndarray:
    """The drift of the signs."""
    half = (np.array((1.0, *rest)) for rest in itertools.product((-1.0, 1.0), repeat=len(w) - 1))
    return sum((chance(loads, x) * np.sign(w @ x) * x for x in half), start=np.zeros(len(w)))
