"""What the ledgers of squashed fields and of the closure compare with: quadrature, sampling, and the equations as printed.

Nothing here uses the library's closed forms.
"""

import functools
import math

import numpy as np
from scipy.special import erf, ndtr

from gatefield.ledger.formula import Estimate

QUADRATURE = "Gauss-Legendre quadrature"
PLANE = "Gauss-Legendre quadrature in the plane of both sites"


def panels(edges: np.ndarray, count: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss-Legendre panels between the edges."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    low, width = edges[:-1, None], np.diff(edges)[:, None]
    return (low + width * (1 + nodes) / 2).ravel(), (width * weights / 2).ravel()


@functools.cache
def normal(gain: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of the normal law, fine where erf(gain z) bends and cut at 0."""
    edges = {0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 12.0, *(k / gain for k in (0.5, 1, 2, 4, 6) if k < 12 * gain)}
    z, weight = panels(np.array(sorted({*edges, *(-edge for edge in edges)})))
    return z, weight * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)


def mean(function, gain: float) -> float:
    """E function(Z) for a standard normal Z; it may jump at 0."""
    z, weight = normal(gain)
    return float(weight @ function(z))


def plane_mean(function, rho: float, gain: float) -> float:
    """E function(Z_1, Z_2) for standard normal variables of correlation rho; it may jump at Z_1 = 0."""
    z, weight = normal(gain)
    rest, rest_weight = panels(np.linspace(-10, 10, 61), 10)
    rest_weight = rest_weight * np.exp(-(rest**2) / 2) / math.sqrt(2 * math.pi)
    second = rho * z[:, None] + math.sqrt(1 - rho**2) * rest
    return float(weight @ function(z[:, None], second) @ rest_weight)


def deviation(gain: float) -> float:
    return math.sqrt(mean(lambda z: erf(gain * z) ** 2, gain))


def covariance(rho: float, gain: float) -> float:
    """Correlation of two squashed sites."""
    if abs(rho) == 1:
        return rho
    return plane_mean(lambda a, b: erf(gain * a) * erf(gain * b), rho, gain) / deviation(gain) ** 2


def half_gate(rho: float, gain: float) -> float:
    """E[1(Z_1 > 0) erf(g Z_2)]."""
    return plane_mean(lambda a, b: (a > 0) * erf(gain * b), rho, gain)


def kurtosis(gain: float) -> Estimate:
    second, fourth = (mean(lambda z, k=k: erf(gain * z) ** k, gain) for k in (2, 4))
    return Estimate(fourth / second**2 - 3, 1e-10, QUADRATURE)


def wrapped(n: int, xi: float) -> np.ndarray:
    """The correlation of a ring of n sites with one of them, by its sum over windings."""
    lag = np.arange(n)[:, None] + n * np.arange(-8, 9)
    row = np.exp(-((lag / xi) ** 2)).sum(axis=1)
    return row / row[0]


def circulant(row: np.ndarray) -> np.ndarray:
    return np.array([np.roll(row, k) for k in range(len(row))])


@functools.cache
def squashed_ring(n: int, xi: float, gain: float) -> np.ndarray:
    """Covariance of the squashed field on a ring, by quadrature for each lag."""
    lags = [covariance(float(rho), gain) for rho in wrapped(n, xi)[: n // 2 + 1]]
    return circulant(np.array([lags[min(k, n - k)] for k in range(n)]))


def squashed_samples(cov: np.ndarray, gain: float, size: int, seed: int = 0) -> np.ndarray:
    """Samples of the squashed field of that latent correlation."""
    z = np.random.default_rng(seed).multivariate_normal(np.zeros(len(cov)), cov, size=size, method="eigh")
    return erf(gain * z) / deviation(gain)


def sampled(values: np.ndarray, how: str = "samples") -> Estimate:
    """The mean of the values, with four standard errors allowed."""
    return Estimate(
        float(values.mean()), float(values.std() / math.sqrt(len(values))), f"{len(values)} {how}", standard_errors=4.0
    )


def least_eigenvalue(n: int, xi: float) -> float:
    """Smallest eigenvalue of exp(-d^2/xi^2) with d the distance on a ring, in extended precision."""
    lag = np.arange(n, dtype=np.longdouble)
    row = np.exp(-((np.minimum(lag, n - lag) / np.longdouble(xi)) ** 2))
    pi = np.longdouble("3.14159265358979323846264338327950288")
    angles = 2 * pi * (np.outer(np.arange(n), np.arange(n)) % n).astype(np.longdouble) / n
    return float((np.cos(angles) @ row).min())


def psd_threshold(n: int) -> Estimate:
    """The largest length scale at which that kernel is still a covariance, by bisection."""
    low, high = 2.0, 5.0
    while high - low > 1e-7:
        middle = (low + high) / 2
        low, high = (middle, high) if least_eigenvalue(n, middle) >= 0 else (low, middle)
    return Estimate(low, 2e-6, "bisection of the smallest eigenvalue, in extended precision")


def equation_8(gain: float, rho_ik: float, rho_il: float, rho_kl: float) -> float:
    """Equations 8 to 13 of note 001 as printed; sigma_1, which is not defined there, is read as sigma."""
    variance = 1 - (rho_il**2 - 2 * rho_ik * rho_il * rho_kl + rho_kl**2) / (1 - rho_ik**2)
    c = gain / math.sqrt(1 + 2 * gain**2 * variance)
    a_i = (rho_kl - rho_il * rho_ik) / (1 - rho_ik**2) * c
    a_k = (rho_il - rho_kl * rho_ik) / (1 - rho_ik**2) * c
    return math.atan(math.sqrt(2) * (rho_ik + a_i) / math.sqrt(1 + 2 * a_k**2 * variance)) / math.pi


def arctangent(gain: float, rho: float) -> float:
    """The arctangent of equation 7 of note 001 and equation 73 of note 002."""
    return math.atan(rho / math.sqrt(1 / (2 * gain**2) + 1 - rho**2))


def distance_to_circulant(matrix: np.ndarray) -> float:
    """Relative distance to the nearest circulant matrix, whose entries are means along wrapped diagonals."""
    n = len(matrix)
    lags = (np.arange(n)[:, None] - np.arange(n)) % n
    means = np.array([matrix[lags == lag].mean() for lag in range(n)])
    return float(np.linalg.norm(matrix - means[lags]) / np.linalg.norm(matrix))


def amplifier(a: float, gain: float) -> float:
    """E[X Phi(cX)]."""
    scale, c = deviation(gain), a / math.sqrt(1 - a * a)
    return mean(lambda z: erf(gain * z) / scale * ndtr(c * erf(gain * z) / scale), gain)


def lift(a: float, gain: float) -> float:
    """By how much the amplifier exceeds its slope at 0, relative to it."""
    return amplifier(a, gain) * math.sqrt(2 * math.pi) / a - 1


def closure_slopes(w: np.ndarray, cov: np.ndarray, gain: float) -> np.ndarray:
    """Derivatives of the closure: phi'(a_i) (C_ij - a_i a_j)/|w|, with phi' by central differences."""
    length = math.sqrt(w @ cov @ w)
    a = cov @ w / length
    slopes = np.array([(amplifier(x + 1e-4, gain) - amplifier(x - 1e-4, gain)) / 2e-4 for x in a])
    return slopes[:, None] * (cov - np.outer(a, a)) / length


def asymmetry(matrix: np.ndarray) -> float:
    return float(np.linalg.norm(matrix - matrix.T) / np.linalg.norm(matrix))
