"""Averages of error-function units found without closed forms: by quadrature, differences, sampling and integration in time.

Plain NumPy and SciPy: nothing here uses the formulas it is held against.
"""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import erf

Covariances = tuple[np.ndarray, np.ndarray]
Labels = tuple[float, float]


def unit(h: np.ndarray) -> np.ndarray:
    return erf(h / np.sqrt(2))


def slope(h: np.ndarray) -> np.ndarray:
    return np.sqrt(2 / np.pi) * np.exp(-(h**2) / 2)


def gaussian_mean(function: Callable[..., np.ndarray], directions: Sequence[np.ndarray], cov: np.ndarray) -> float:
    """E function(d_1.x, d_2.x, ...) for x ~ N(0, C), by Gauss-Hermite quadrature along each direction."""
    rows = np.array(directions)
    nodes, weights = np.polynomial.hermite_e.hermegauss(48 if len(rows) < 3 else 32)
    root = np.linalg.cholesky(rows @ cov @ rows.T)
    grid = np.array(np.meshgrid(*[nodes] * len(rows), indexing="ij")).reshape(len(rows), -1)
    mass = np.prod(np.meshgrid(*[weights] * len(rows), indexing="ij"), axis=0).ravel()
    return float(function(*(root @ grid)) @ mass / mass.sum())


def loss(W: np.ndarray, b: np.ndarray, b2: float, covs: Covariances, labels: Labels) -> float:
    """Half of the mean squared error of the mean readout, by quadrature over the inputs of the units."""

    def square(y: float) -> Callable[..., np.ndarray]:
        return lambda *h: (unit(np.array(h) + b[:, None]).mean(0) + b2 - y) ** 2

    return sum(gaussian_mean(square(y), list(W), cov) / 4 for y, cov in zip(labels, covs, strict=True))


def derivative(function: Callable[[float], float], step: float = 3e-3) -> float:
    """f'(0) by a five-point central difference."""
    near, far = function(step) - function(-step), function(2 * step) - function(-2 * step)
    return (8 * near - far) / (12 * step)


def mixed_derivative(function: Callable[[float, float], float], step: float = 1e-2) -> float:
    """d^2 f/dx dy at 0 by five-point central differences."""
    return derivative(lambda x: derivative(lambda y: function(x, y), step), step)


def single_bias(b: float, s1: float, s0: float, labels: Labels, scale: float = 1 / np.sqrt(2)) -> float:
    """The bias velocity of a single neuron erf(scale h), by quadrature."""

    def pull(s: float, y: float) -> float:
        def inside(h: np.ndarray) -> np.ndarray:
            u = scale * (h + b)
            return (y - erf(u)) * scale * (2 / np.sqrt(np.pi)) * np.exp(-(u**2))

        return gaussian_mean(inside, [np.ones(1)], np.array([[s]])) / 2

    return pull(s1, labels[0]) + pull(s0, labels[1])


def sampled_loss(
    W: np.ndarray, b: np.ndarray, b2: float, covs: Covariances, labels: Labels, size: int = 100_000
) -> tuple[float, float]:
    """The loss of the mean readout over samples of both classes, and its standard error."""
    rng = np.random.default_rng(7)
    draws = [rng.normal(size=(size, len(cov))) @ np.linalg.cholesky(cov).T for cov in covs]
    parts = [(unit(x @ W.T + b).mean(1) + b2 - y) ** 2 / 2 for x, y in zip(draws, labels, strict=True)]
    return float(np.mean(parts)), float(np.sqrt(sum(part.var() / size for part in parts)) / 2)


def mode_loss(u: Sequence[float], b: np.ndarray, lams: tuple[float, float], labels: Labels) -> float:
    """The loss of units that see one Fourier mode of amplitude u each: their inputs are u times one Gaussian variable."""

    def square(y: float) -> Callable[[np.ndarray], np.ndarray]:
        return lambda z: (unit(np.outer(u, z) + b[:, None]).mean(0) - y) ** 2

    one = [np.ones(1)]
    return sum(gaussian_mean(square(y), one, np.array([[lam]])) / 4 for y, lam in zip(labels, lams, strict=True))


def collapse(n: int, xis: tuple[float, float], labels: Labels, *, time: float = 400.0, step: float = 0.25) -> float:
    """The loss that a single neuron on Gaussian rings reaches from a Xavier start, by Runge-Kutta steps in Fourier space."""
    lams = [np.fft.fft(ring_row(n, xi)).real for xi in xis]
    nodes, weights = np.polynomial.hermite_e.hermegauss(24)
    weights = weights / weights.sum()

    def velocity(state: np.ndarray) -> np.ndarray:
        u, change = state[1:], np.zeros_like(state)
        for lam, y in zip(lams, labels, strict=True):
            size = np.sqrt(lam @ u**2) + 1e-300
            h = size * nodes + state[0]
            pull = weights * (y - unit(h)) * slope(h) / 2
            change += np.append(pull.sum(), (pull @ nodes) * lam * u / size)
        return change

    state = np.append(0.0, np.random.default_rng(1).normal(size=n) * np.sqrt(2 / (n + 1)))
    for _ in range(round(time / step)):
        one = velocity(state)
        two = velocity(state + step / 2 * one)
        three = velocity(state + step / 2 * two)
        state = state + step / 6 * (one + 2 * two + 2 * three + velocity(state + step * three))
    errors = [unit(np.sqrt(lam @ state[1:] ** 2) * nodes + state[0]) - y for lam, y in zip(lams, labels, strict=True)]
    return float(sum(weights @ error**2 for error in errors) / 4)


def ring_row(n: int, xi: float) -> np.ndarray:
    """Correlation of a Gaussian field on a ring with the site at lag 0, ..., n-1."""
    row = np.exp(-(((np.arange(n) + n * np.arange(-4, 5)[:, None]) / xi) ** 2)).sum(0)
    return row / row[0]


def nlgp_spectrum(n: int, xi: float, gain: float) -> np.ndarray:
    """Eigenvalues of the covariance of the nonlinear Gaussian process on a ring."""
    kappa = 2 * gain**2 / (1 + 2 * gain**2)
    return np.fft.fft(np.arcsin(kappa * ring_row(n, xi)) / np.arcsin(kappa)).real


def nlgp_pull(
    b: np.ndarray, n: int, xis: tuple[float, float], gain: float, mode: int, *, amplitude: float = 0.02, size: int = 100_000
) -> tuple[float, float]:
    """Velocity of the first unit per amplitude where all units carry the same small cosine, labels (1, -1), by sampling.

    Each sample comes with its mirror image, which the law allows. Returns the mean and its standard error.
    """
    rng, wave = np.random.default_rng(11), np.cos(2 * np.pi * mode * np.arange(n) / n)
    wave, deviation = wave / np.linalg.norm(wave), np.sqrt(2 / np.pi * np.arcsin(2 * gain**2 / (1 + 2 * gain**2)))
    pulls = []
    for xi, y in zip(xis, (1.0, -1.0), strict=True):
        latent = np.fft.ifft(np.fft.fft(rng.normal(size=(size, n))) * np.sqrt(np.fft.fft(ring_row(n, xi)).real)).real
        along = erf(gain * latent) @ wave / deviation
        pull = np.zeros(size)
        for side in (along, -along):
            h = amplitude * side[:, None] + b
            pull += (y - unit(h).mean(1)) * slope(h[:, 0]) / len(b) * side / (2 * amplitude)
        pulls.append(pull)
    return float(np.mean(pulls)), float(np.sqrt(sum(pull.var() / size for pull in pulls)) / 2)
