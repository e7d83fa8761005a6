"""What the ledger of the drift compares with: a law on the cube, Gaussian laws by quadrature, and equations as printed."""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy import integrate, stats

from gatefield.ledger.formula import Estimate
from gatefield.ledger.routes.closure_cases import circulant, panels, sampled, wrapped

ENUMERATION = "enumeration of the cube"
POLAR = "quadrature over the plane of a site and the field"

FIELD = np.array([0.9, -0.37, 0.21, 1.3, -0.55, 0.4])
CUBE = np.array(list(itertools.product([-1.0, 1.0], repeat=6)))
J1, J0 = 0.6, 0.2


def ring_law(coupling: float) -> np.ndarray:
    """Probabilities of the corners under a nearest-neighbour coupling on the ring."""
    weights = np.exp(coupling * np.sum(CUBE * np.roll(CUBE, 1, axis=1), axis=1))
    return weights / weights.sum()


def cube_drift(w: np.ndarray, coupling: float = J1) -> np.ndarray:
    return ring_law(coupling) @ ((CUBE @ w > 0)[:, None] * CUBE)


def cube_cov(coupling: float) -> np.ndarray:
    return CUBE.T @ (ring_law(coupling)[:, None] * CUBE)


def cube_output(w: np.ndarray) -> float:
    """E relu(w.x)."""
    return float(ring_law(J1) @ np.maximum(CUBE @ w, 0))


def cube_loss(w: np.ndarray) -> float:
    """Half of the mean squared error of one neuron for labels (1, 0)."""
    output = np.maximum(CUBE @ w, 0)
    return float(0.25 * (ring_law(J1) @ (output - 1) ** 2 + ring_law(J0) @ output**2))


def derivative(function, w: np.ndarray, site: int, step: float = 1e-4) -> float:
    """Central difference, exact up to rounding for functions of degree two between kinks."""
    move = step * np.eye(len(w))[site]
    return (function(w + move) - function(w - move)) / (2 * step)


def gated_image() -> Estimate:
    """The first entry of E[1(w.x > 0) x x'] w."""
    field = CUBE @ FIELD
    return Estimate(float(ring_law(J1) @ ((field > 0) * field * CUBE[:, 0])), 1e-13, ENUMERATION)


SKEW_FIELD = (Fraction(7, 10), Fraction(-31, 100), Fraction(1, 2))


def skew_image() -> float:
    """The first entry of E[1(w.x > 0) x x'] w for independent x that are 2 with probability 1/3, else -1."""
    total = Fraction(0)
    for x in itertools.product((2, -1), repeat=3):
        field = sum(a * b for a, b in zip(SKEW_FIELD, x, strict=True))
        if field > 0:
            total += field * x[0] * Fraction(2 ** x.count(-1), 27)
    return float(total)


def sampled_skew_image(size: int = 400_000) -> Estimate:
    x = np.where(np.random.default_rng(0).random((size, 3)) < 1 / 3, 2.0, -1.0)
    field = x @ np.array(SKEW_FIELD, dtype=float)
    return sampled(np.maximum(field, 0) * x[:, 0])


def polar_drift(w: np.ndarray, cov: np.ndarray) -> np.ndarray:
    """E[1(w.x > 0) x] of a Gaussian: for each site, an integral over half a turn in the plane of the site and the field."""
    turn, weight = panels(np.linspace(-np.pi / 2, np.pi / 2, 5))
    length, pull = math.sqrt(w @ cov @ w), cov @ w
    along = pull / length
    across = np.sqrt(np.maximum(np.diag(cov) - along**2, 0.0))
    mean_radius = math.sqrt(math.pi / 2)
    return mean_radius * (weight @ (np.outer(np.cos(turn), along) + np.outer(np.sin(turn), across))) / (2 * np.pi)


STRETCH = np.diag([2.0, 1.0])
TURN = np.array([[math.cos(0.7), -math.sin(0.7)], [math.sin(0.7), math.cos(0.7)]])
SYMMETRY = STRETCH @ TURN @ np.linalg.inv(STRETCH)
STRETCHED, TILTED = STRETCH @ STRETCH, np.array([1.0, 0.3])


def mean_size(density, edge: float = np.inf) -> Estimate:
    """Half of E|T| for a symmetric density of unit variance."""
    value, error = integrate.quad(lambda t: t * density(t), 0, edge, epsabs=1e-12, epsrel=1e-11, limit=400)
    return Estimate(value, max(error, 1e-10), "quadrature over the marginal density")


def student_size(df: float) -> Estimate:
    scale = math.sqrt(df / (df - 2))
    return mean_size(lambda t: scale * stats.t.pdf(scale * t, df))


def laplace_size() -> Estimate:
    return mean_size(lambda t: math.exp(-math.sqrt(2) * t) / math.sqrt(2))


def sphere_size() -> Estimate:
    """A coordinate of a point on a sphere in five dimensions has density proportional to 1 - t^2/5."""
    return mean_size(lambda t: 3 / (4 * math.sqrt(5)) * (1 - t**2 / 5), math.sqrt(5))


RING1, RING0 = circulant(wrapped(6, 1.5)), circulant(wrapped(6, 0.8))


def laplace_descent(site: int) -> Estimate:
    """Minus the derivative of half the mean squared error on Laplace data, with E relu = |w| E|T|/2."""

    def loss(w: np.ndarray) -> float:
        size1, size0 = float(w @ RING1 @ w), float(w @ RING0 @ w)
        return 0.25 * (size1 / 2 - 2 * laplace_size().value * math.sqrt(size1) + 1 + size0 / 2)

    return Estimate(-derivative(loss, FIELD, site), 1e-7, "central differences of the loss, its mean output by quadrature")


def rest(xi1: float, xi0: float, n: int, constant: float, steps: int = 6000) -> Estimate:
    """Length of the field at which the flow of one neuron comes to rest, by Runge-Kutta steps from a random start."""
    cov1, cov0 = circulant(wrapped(n, xi1)), circulant(wrapped(n, xi0))

    def velocity(w: np.ndarray) -> np.ndarray:
        pull = cov1 @ w
        return constant / 2 * pull / math.sqrt(w @ pull) - (cov0 @ w + pull) / 4

    w, dt = np.random.default_rng(0).normal(size=n) / 4, 1.0
    for _ in range(steps):
        a = velocity(w)
        b = velocity(w + dt / 2 * a)
        c = velocity(w + dt / 2 * b)
        w = w + dt / 6 * (a + 2 * b + 2 * c + velocity(w + dt * c))
    return Estimate(float(np.linalg.norm(w)), 1e-6, f"{steps} Runge-Kutta steps from a random start")


def change_along_itself() -> Estimate:
    """How much the drift changes when the field grows, by central differences of a quadrature."""
    step = 1e-4
    change = (polar_drift((1 + step) * FIELD, RING1) - polar_drift((1 - step) * FIELD, RING1)) / (2 * step)
    return Estimate(float(np.abs(change).max()), 1e-10, f"central differences, {POLAR}")
