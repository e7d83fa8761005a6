"""Averages and flows of units s(h) = erf(h/sqrt 2) without closed forms: quadrature, sampling, Runge-Kutta steps."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.special import erf

from gatefield.ledger.routes import rings, squashed
from gatefield.ledger.routes.calculus import runge_kutta
from gatefield.ledger.routes.gaussian import hermite_mean

Pair = tuple[float, float]


def unit(h: np.ndarray | float) -> Any:
    return erf(h / np.sqrt(2))


def slope(h: np.ndarray | float) -> Any:
    return np.sqrt(2 / np.pi) * np.exp(-(h**2) / 2)


def loss(W: np.ndarray, b: np.ndarray, b2: float, covs: Sequence[np.ndarray], labels: Pair) -> float:
    """Half of the mean squared error of the mean readout, by quadrature over the inputs of the units."""

    def square(y: float) -> Callable[..., np.ndarray]:
        return lambda *h: (unit(np.array(h) + b[:, None]).mean(0) + b2 - y) ** 2

    return sum(hermite_mean(square(y), W, cov) / 4 for y, cov in zip(labels, covs, strict=True))


def expected_bias(W: np.ndarray, b: np.ndarray, covs: Sequence[np.ndarray], labels: Pair) -> float:
    """E[(y - yhat) s'(h_1)]: what note 002 prints for db_1/dt."""

    def term(y: float) -> Callable[..., np.ndarray]:
        return lambda *h: (y - unit(np.array(h) + b[:, None]).mean(0)) * slope(h[0] + b[0])

    return sum(hermite_mean(term(y), W, cov) / 2 for y, cov in zip(labels, covs, strict=True))


def single_bias(b: float, s1: float, s0: float, labels: Pair = (1.0, 0.0), scale: float = 1 / np.sqrt(2)) -> float:
    """The bias velocity of a single neuron erf(scale h)."""

    def term(s: float, y: float) -> float:
        def inside(h: np.ndarray) -> np.ndarray:
            u = scale * (h + b)
            return (y - erf(u)) * scale * (2 / np.sqrt(np.pi)) * np.exp(-(u**2))

        return hermite_mean(inside, np.ones((1, 1)), np.array([[s]])) / 2

    return term(s1, labels[0]) + term(s0, labels[1])


def sampled_loss(
    W: np.ndarray, b: np.ndarray, b2: float, covs: Sequence[np.ndarray], labels: Pair, size: int = 100_000
) -> tuple[float, float]:
    """The loss of the mean readout over samples of both classes, and its standard error."""
    rng = np.random.default_rng(7)
    draws = [rng.normal(size=(size, len(cov))) @ np.linalg.cholesky(cov).T for cov in covs]
    parts = [(unit(x @ W.T + b).mean(1) + b2 - y) ** 2 / 2 for x, y in zip(draws, labels, strict=True)]
    return float(np.mean(parts)), float(np.sqrt(sum(part.var() / size for part in parts)) / 2)


def mode_loss(u: Sequence[float], b: np.ndarray, lams: Pair, labels: Pair) -> float:
    """The loss of units that see one Fourier mode of amplitude u each: their inputs are u times one Gaussian variable."""

    def square(y: float) -> Callable[[np.ndarray], np.ndarray]:
        return lambda z: (unit(np.outer(u, z) + b[:, None]).mean(0) - y) ** 2

    pairs = zip(labels, lams, strict=True)
    return sum(hermite_mean(square(y), np.ones((1, 1)), np.array([[lam]])) / 4 for y, lam in pairs)


def collapse(n: int, xis: Pair, labels: Pair, *, time: float = 400.0, step: float = 0.25) -> float:
    """The loss that a single neuron on Gaussian rings reaches from a Xavier start, by Runge-Kutta steps in Fourier space."""
    lams = [np.fft.fft(rings.wrapped(n, xi)).real for xi in xis]
    nodes, weights = np.polynomial.hermite_e.hermegauss(24)
    weights = weights / weights.sum()

    def velocity(state: np.ndarray) -> np.ndarray:
        u, change = state[1:], np.zeros_like(state)
        for lam, y in zip(lams, labels, strict=True):
            size = np.sqrt(lam @ u**2) + 1e-300
            h = size * nodes + state[0]
            term = weights * (y - unit(h)) * slope(h) / 2
            change += np.append(term.sum(), (term @ nodes) * lam * u / size)
        return change

    start = np.append(0.0, np.random.default_rng(1).normal(size=n) * np.sqrt(2 / (n + 1)))
    *_, end = runge_kutta(velocity, start, step, round(time / step))
    errors = [unit(np.sqrt(lam @ end[1:] ** 2) * nodes + end[0]) - y for lam, y in zip(lams, labels, strict=True)]
    return float(sum(weights @ error**2 for error in errors) / 4)


def squashed_velocity(
    b: np.ndarray, n: int, xis: Pair, gain: float, mode: int, *, amplitude: float = 0.02, size: int = 100_000
) -> tuple[float, float]:
    """Velocity of the first unit per amplitude where all units carry the same small cosine, labels (1, -1), on squashed fields.

    Each sample comes with its mirror image, which the law allows. Returns the mean and its standard error.
    """
    rng, wave = np.random.default_rng(11), np.cos(2 * np.pi * mode * np.arange(n) / n)
    wave, terms = wave / np.linalg.norm(wave), []
    for xi, y in zip(xis, (1.0, -1.0), strict=True):
        root = np.sqrt(np.fft.fft(rings.wrapped(n, xi)).real)
        latent = np.fft.ifft(np.fft.fft(rng.normal(size=(size, n))) * root).real
        along, term = erf(gain * latent) @ wave / squashed.deviation(gain), np.zeros(size)
        for side in (along, -along):
            h = amplitude * side[:, None] + b
            term += (y - unit(h).mean(1)) * slope(h[:, 0]) / len(b) * side / (2 * amplitude)
        terms.append(term)
    return float(np.mean(terms)), float(np.sqrt(sum(term.var() / size for term in terms)) / 2)
