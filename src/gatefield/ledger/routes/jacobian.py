"""How the drift of a squashed Gaussian field changes with the gate: by quadrature in the plane, and by differences."""

import math

import numpy as np
from scipy.integrate import quad
from scipy.special import erf, erfinv, ndtr

from gatefield.ledger.routes.calculus import derivative
from gatefield.ledger.routes.squashed import deviation, plane_mean


def behind_one_site(corr: np.ndarray, gain: float, j: int, k: int) -> float:
    """E[delta(x_0) x_j x_k]: the density of x_0 at 0, times the mean of x_j x_k where z_0 = 0."""
    c = corr - np.outer(corr[0], corr[0])
    own = np.sqrt(np.diag(c))
    mean = plane_mean(lambda a, b: erf(gain * own[j] * a) * erf(gain * own[k] * b), c[j, k] / (own[j] * own[k]), gain)
    scale = deviation(gain)
    return mean / scale**2 / math.sqrt(2 * math.pi) * scale * math.sqrt(math.pi) / (2 * gain)


def pair_drift(w: np.ndarray, rho: float, gain: float) -> float:
    """E[1(w.x > 0) x_2] of two sites, the first weight positive and larger: z_1 integrated out, given z_2."""

    def integrand(z: float) -> float:
        edge = -erfinv(w[1] / w[0] * erf(gain * z)) / gain  # where the gate opens
        return math.exp(-z * z / 2) * erf(gain * z) * ndtr((rho * z - edge) / math.sqrt(1 - rho**2))

    parts = [quad(integrand, *ends, epsabs=1e-14, epsrel=1e-13)[0] for ends in [(-10, -1), (-1, 0), (0, 1), (1, 10)]]
    return sum(parts) / math.sqrt(2 * math.pi) / deviation(gain)


def pair_slope(w: np.ndarray, rho: float, gain: float) -> float:
    """The change of the second entry of the drift with the second weight."""
    return float(derivative(lambda e: pair_drift(w + np.array([0.0, e]), rho, gain), 1e-3, order=4))


def three_sites(w: np.ndarray, corr: np.ndarray, gain: float, points: int = 301) -> np.ndarray:
    """E[delta(w.x) x x'] of three sites, the first weight being larger than the others together.

    On a grid over z_2 and z_3 each pair has one z_1 at which w.x = 0; the trapezoidal rule is accurate far beyond 1e-6 for a
    smooth function that has died away at the borders.
    """
    line = np.linspace(-7, 7, points)
    z2, z3 = np.meshgrid(line, line)
    z1 = -erfinv((w[1] * erf(gain * z2) + w[2] * erf(gain * z3)) / w[0]) / gain
    z = np.stack([z1, z2, z3], -1)
    x, scale = erf(gain * z) / deviation(gain), deviation(gain)
    density = np.exp(-np.einsum("...i,ij,...j", z, np.linalg.inv(corr), z) / 2) / np.sqrt(np.linalg.det(2 * np.pi * corr))
    steep = abs(w[0]) * 2 * gain / math.sqrt(math.pi) * np.exp(-((gain * z1) ** 2)) / scale
    return np.einsum("ab,abi,abj->ij", density / steep, x, x) * (line[1] - line[0]) ** 2
