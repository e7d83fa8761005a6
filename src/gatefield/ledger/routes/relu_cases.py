"""What the ledger of the ReLU units checks: fields, covariances, laws on the cube, rings; and what note 002 prints."""

import itertools
import math

import numpy as np
from scipy.linalg import circulant

from gatefield.data import fourier_basis, ring_spectrum
from gatefield.ledger.formula import Estimate
from gatefield.ledger.routes import relu_estimates as estimates
from gatefield.theory import neuron, relu

COV1, COV0 = circulant([1.0, 0.5, 0.2, 0.5]), circulant([1.0, 0.2, 0.05, 0.2])
COVS = (COV1, COV0)
W = np.array([[0.5, -0.3, 0.8, 0.1], [-0.2, 0.9, 0.4, -0.6], [0.7, 0.2, -0.5, 0.3]])
READOUT = np.array([0.7, -0.4, 1.3])
OUTWARD = np.array([0.3, -0.2, 0.4, 0.7])
PM1 = (1.0, -1.0)
CUBE = np.array(list(itertools.product([-1.0, 1.0], repeat=4)))

QUADRATURE = "Gauss-Legendre quadrature over the plane of both fields"
DIFFERENCES = "central differences of a loss found by quadrature"
STEPS = "Runge-Kutta steps of equation 20"


def quadrature(value: float) -> Estimate:
    return Estimate(float(value), 1e-10, QUADRATURE)


def descent(j: int, labels: tuple[float, float] = (1.0, 0.0), fields: np.ndarray = W, **options) -> Estimate:
    """The velocity of field j along a fixed direction: minus the change of the loss."""
    move = np.eye(len(fields))[j][:, None] * OUTWARD
    change = estimates.derivative(lambda e: estimates.loss(fields + e * move, COVS, labels, **options))
    return Estimate(-change, 1e-9, DIFFERENCES)


def sampled_loss(samples: int = 200_000) -> Estimate:
    """The loss for labels (1, -1) on random inputs."""
    rng, errors = np.random.default_rng(0), []
    for cov, label in zip(COVS, PM1, strict=True):
        x = rng.multivariate_normal(np.zeros(4), cov, size=samples)
        errors.append(0.5 * (np.maximum(x @ W.T, 0).mean(1) - label) ** 2)
    error = math.sqrt(sum(part.var() / samples for part in errors)) / 2
    return Estimate(float(np.mean(errors)), error, f"{2 * samples} samples", standard_errors=4.0)


def cube_law(coupling: float) -> np.ndarray:
    """A law on the cube, symmetric about zero: neighbours on a ring of four agree or disagree."""
    weights = np.exp(coupling * np.sum(CUBE * np.roll(CUBE, 1, axis=1), axis=1))
    return weights / weights.sum()


def cube_cov(law: np.ndarray) -> np.ndarray:
    return CUBE.T @ (law[:, None] * CUBE)


def cube_velocity() -> float:
    """The velocity of one neuron for labels (1, -1), from the drifts of two laws on the cube."""
    laws = cube_law(0.6), cube_law(-0.2)
    drift1, drift0 = (lambda w, law=law: law @ ((CUBE @ np.asarray(w) > 0)[:, None] * CUBE) for law in laws)
    moved = neuron.velocity(W[0], drift1, cube_cov(laws[0]), cube_cov(laws[1]), PM1, drift0)
    return float(moved @ OUTWARD)


def cube_descent() -> Estimate:
    def enumerated(e: float) -> float:
        outputs = np.maximum(CUBE @ (W[0] + e * OUTWARD), 0)
        return sum(0.25 * law @ (outputs - y) ** 2 for law, y in zip((cube_law(0.6), cube_law(-0.2)), PM1, strict=True))

    return Estimate(-estimates.derivative(enumerated), 1e-10, "central differences of a loss found by enumeration")


def modes(n: int, xi: float) -> np.ndarray:
    """Variances on a ring, in the order of `fourier_basis`."""
    return np.asarray(ring_spectrum(n, xi))[(np.arange(n) + 1) // 2]


def basis(n: int) -> np.ndarray:
    return np.asarray(fourier_basis(n))


def wrapped(n: int, xi: float) -> np.ndarray:
    """The correlation of a ring of n sites, by its sum over windings."""
    lags = np.arange(n)[:, None] + n * np.arange(-20, 21)
    row = np.exp(-((lags / xi) ** 2)).sum(1)
    return circulant(row / row[0])


def start(n: int) -> np.ndarray:
    """A random field of the usual size."""
    return np.random.default_rng(5).normal(size=n) * math.sqrt(2 / (n + 1))


def rest(w0: np.ndarray, xi1: float, xi0: float, time: float = 400.0) -> np.ndarray:
    """Where a neuron on a ring stands at a late time."""
    n = len(w0)
    return estimates.follow(w0, wrapped(n, xi1), wrapped(n, xi0), time)


def frequency(w: np.ndarray) -> int:
    """The strongest frequency of a field."""
    return int(np.argmax(np.abs(np.fft.rfft(w))))


def participation(w: np.ndarray) -> float:
    """How many frequencies carry a field: (sum p)^2 / sum p^2 of their powers p."""
    powers = np.bincount((np.arange(len(w)) + 1) // 2, (basis(len(w)).T @ w) ** 2)
    return float(powers.sum() ** 2 / (powers**2).sum())


def path(n: int, xi1: float, xi0: float, time: float) -> np.ndarray:
    """The library's exact path of a neuron from `start`, as a field."""
    return basis(n) @ np.asarray(relu.single_path(basis(n).T @ start(n), modes(n, xi1), modes(n, xi0), time))


def equation_5(j: int) -> float:
    """Printed: half the mean of class 1 where the gate is open, minus the mean output times input, without 1/K in front."""
    pairs = [sum(relu.pair_mean(W[j], w, cov) for cov in COVS) / 2 for w in W]
    return float((relu.gate_mean(W[j], COV1) / 2 - sum(pairs) / len(W)) @ OUTWARD)


def equation_18(w: np.ndarray, v: np.ndarray, cov: np.ndarray) -> float:
    """Printed: the coefficient of the first field."""
    r11, rkk, r1k = w @ cov @ w, v @ cov @ v, w @ cov @ v
    g = r1k / math.sqrt(r11 * rkk)
    first = (g**2 - rkk / r11) / (2 * math.pi * (1 - g**2)) * math.acos(g)
    second = (2 * rkk / r11 - g**2) / (4 * (1 - g**2))
    third = (1 / (g * r11) - 1 / math.sqrt(r11 * rkk)) / (2 * math.pi * math.sqrt(1 - g**2))
    return float(first + second + third)
