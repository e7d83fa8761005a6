"""Squashed Gaussian fields erf(g Z)/deviation: moments by quadrature in one and two variables, samples, the closure, and how
the drift changes with the gate."""

import functools
import itertools
import math
from collections.abc import Callable

import numpy as np
from scipy.integrate import quad
from scipy.linalg import circulant
from scipy.special import erf, erfinv, ndtr

from gatefield.ledger.routes import rings
from gatefield.ledger.routes.calculus import derivative
from gatefield.ledger.routes.gaussian import panels


@functools.cache
def normal(gain: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of the normal law, fine where erf(gain z) bends and cut at 0."""
    edges = {0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 12.0, *(k / gain for k in (0.5, 1, 2, 4, 6) if k < 12 * gain)}
    z, weight = panels(np.array(sorted({*edges, *(-edge for edge in edges)})))
    return z, weight * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)


def mean(function: Callable[[np.ndarray], np.ndarray], gain: float) -> float:
    """E function(Z) for a standard normal Z; it may bend where erf(gain Z) does, and jump at 0."""
    z, weight = normal(gain)
    return float(weight @ function(z))


def plane_mean(function: Callable[[np.ndarray, np.ndarray], np.ndarray], rho: float, gain: float) -> float:
    """E function(Z_1, Z_2) for standard normal variables of correlation rho; it may jump at Z_1 = 0."""
    z, weight = normal(gain)
    rest, rest_weight = panels(np.linspace(-10, 10, 61), 10)
    rest_weight = rest_weight * np.exp(-(rest**2) / 2) / math.sqrt(2 * math.pi)
    second = rho * z[:, None] + math.sqrt(1 - rho**2) * rest
    return float(weight @ function(z[:, None], second) @ rest_weight)


@functools.cache
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


def kurtosis(gain: float) -> float:
    """Excess kurtosis of a site."""
    second, fourth = (mean(lambda z, k=k: erf(gain * z) ** k, gain) for k in (2, 4))
    return fourth / second**2 - 3


@functools.cache
def ring(n: int, xi: float, gain: float) -> np.ndarray:
    """Covariance of the squashed field on a ring, by quadrature for each lag."""
    lags = [covariance(float(rho), gain) for rho in rings.wrapped(n, xi)[: n // 2 + 1]]
    return circulant([lags[min(k, n - k)] for k in range(n)])


def samples(cov: np.ndarray, gain: float, size: int, seed: int = 0) -> np.ndarray:
    """Samples of the squashed field of that latent correlation."""
    z = np.random.default_rng(seed).multivariate_normal(np.zeros(len(cov)), cov, size=size, method="eigh")
    return erf(gain * z) / deviation(gain)


def one_site_limit(n: int, gain: float) -> np.ndarray:
    """2 (C_0 + C_1)^-1 f_1, where a linear unit behind the gate of one site ends; xi = (2, 1), by elimination."""
    here = mean(lambda z: (z > 0) * erf(gain * z), gain)
    drive = [here, *(half_gate(float(rho), gain) for rho in rings.wrapped(n, 2.0)[1:])]
    return np.linalg.solve(ring(n, 2.0, gain) + ring(n, 1.0, gain), 2 * np.array(drive) / deviation(gain))


def arctangent(gain: float, rho: float) -> float:
    """The arctangent of equation 7 of note 001 and equation 73 of note 002."""
    return math.atan(rho / math.sqrt(1 / (2 * gain**2) + 1 - rho**2))


def equation_8(gain: float, rho_ik: float, rho_il: float, rho_kl: float) -> float:
    """Equations 8 to 13 of note 001 as printed; sigma_1, which is not defined there, is read as sigma."""
    variance = 1 - (rho_il**2 - 2 * rho_ik * rho_il * rho_kl + rho_kl**2) / (1 - rho_ik**2)
    c = gain / math.sqrt(1 + 2 * gain**2 * variance)
    a_i = (rho_kl - rho_il * rho_ik) / (1 - rho_ik**2) * c
    a_k = (rho_il - rho_kl * rho_ik) / (1 - rho_ik**2) * c
    return math.atan(math.sqrt(2) * (rho_ik + a_i) / math.sqrt(1 + 2 * a_k**2 * variance)) / math.pi


def amplifier(a: float, gain: float) -> float:
    """E[X Phi(cX)] with c = a/sqrt(1 - a^2), which is E[|X| erf(c|X|/sqrt 2)]/2, cut where either function bends."""
    scale, c = deviation(gain), a / math.sqrt((1 - a) * (1 + a))
    steep = abs(c) * 2 * gain / (math.sqrt(math.pi) * scale)

    def integrand(z: float) -> float:
        x = erf(gain * z) / scale
        return math.exp(-z * z / 2) / math.sqrt(2 * math.pi) * x * erf(c * x / math.sqrt(2))

    bends = {min(k / bend, 12.0) for k in (1, 3, 9) for bend in (steep, gain) if bend}
    cuts = itertools.pairwise(sorted(bends | {0.0, 1.0, 4.0, 12.0}))
    return sum(quad(integrand, *ends, epsabs=1e-17, epsrel=1e-13)[0] for ends in cuts)


def lift(a: float, gain: float) -> float:
    """By how much the amplifier exceeds its slope at 0, relative to it."""
    return amplifier(a, gain) * math.sqrt(2 * math.pi) / a - 1


def closure_slopes(w: np.ndarray, cov: np.ndarray, gain: float) -> np.ndarray:
    """Derivatives of the closure: phi'(a_i) (C_ij - a_i a_j)/|w|, with phi' by central differences."""
    length = math.sqrt(w @ cov @ w)
    a = cov @ w / length
    steep = np.array([derivative(lambda e, x=x: amplifier(x + e, gain), 1e-4, order=2) for x in a])
    return steep[:, None] * (cov - np.outer(a, a)) / length


def closure_error(w: np.ndarray, xi: float, gain: float, size: int = 400_000) -> tuple[float, float]:
    """Relative error of the closure against samples of the drift, and the length of their noise relative to the drift."""
    n = len(w)
    x, cov = samples(rings.ring(n, xi), gain, size), ring(n, xi, gain)
    half = 0.5 * x * np.sign(x @ w)[:, None]
    near = np.array([amplifier(float(a), gain) for a in cov @ w / math.sqrt(w @ cov @ w)])
    value, noise = half.mean(0), float(np.linalg.norm(half.std(0))) / math.sqrt(size)
    return float(np.linalg.norm(near - value) / np.linalg.norm(value)), noise / float(np.linalg.norm(value))


def asymmetry(matrix: np.ndarray) -> float:
    return float(np.linalg.norm(matrix - matrix.T) / np.linalg.norm(matrix))


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
