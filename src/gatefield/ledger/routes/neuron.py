"""One ReLU neuron on Gaussian or elliptical classes, labels (1, 0): its equation as solvers follow it, its steady states."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate, stats

from gatefield.ledger.routes import rings
from gatefield.ledger.routes.calculus import jacobian

GAUSSIAN = 1 / math.sqrt(2 * math.pi)
"""E relu(w.x) over |w|, for Gaussian data."""


def start(n: int) -> np.ndarray:
    """A random field of the usual size."""
    return np.random.default_rng(5).normal(size=n) * math.sqrt(2 / (n + 1))


def velocity(w: np.ndarray, cov1: np.ndarray, cov0: np.ndarray, constant: float = GAUSSIAN) -> np.ndarray:
    """dw/dt, as equation 20 of note 002 has it for Gaussian data."""
    image = cov1 @ w
    return constant / 2 * image / math.sqrt(w @ image) - (cov0 @ w + image) / 4


def loss(w: np.ndarray, cov1: np.ndarray, cov0: np.ndarray, constant: float = GAUSSIAN) -> float:
    """Half of the mean squared error, from E relu = constant |w| and E relu^2 = |w|^2/2."""
    size1, size0 = float(w @ cov1 @ w), float(w @ cov0 @ w)
    return 0.25 * (size1 / 2 - 2 * constant * math.sqrt(size1) + 1 + size0 / 2)


def follow(
    w: np.ndarray,
    cov1: np.ndarray,
    cov0: np.ndarray,
    times: float | np.ndarray,
    constant: float = GAUSSIAN,
    rtol: float = 1e-10,
) -> np.ndarray:
    """The field at that time, or at those times, by Runge-Kutta steps of `velocity`; implicit ones if the time is long."""
    times = np.atleast_1d(times)
    method, atol = "Radau" if times[-1] > 100 else "DOP853", min(1e-12, rtol * 1e-4)
    found = integrate.solve_ivp(
        lambda t, w: velocity(w, cov1, cov0, constant), (0.0, times[-1]), w, method, times, rtol=rtol, atol=atol
    )
    return found.y.T if len(times) > 1 else found.y[:, -1]


def on_ring(w: np.ndarray, xi1: float, xi0: float, time: float = 400.0, constant: float = GAUSSIAN) -> np.ndarray:
    """Where a neuron on a ring stands at a late time."""
    return follow(w, rings.ring(len(w), xi1), rings.ring(len(w), xi0), time, constant)


def mode_path(w: np.ndarray, xi1: float, xi0: float, times: np.ndarray) -> np.ndarray:
    """The flow on Gaussian rings, solved mode by mode, with one scalar equation for ds/dt = 1/r."""
    basis, one, zero = rings.basis(len(w)), rings.variances(len(w), xi1), rings.variances(len(w), xi0)

    def modes(t: Any, s: np.ndarray) -> np.ndarray:
        return (basis.T @ w) * np.exp(-(one + zero) * t / 4 + np.sqrt(2 / np.pi) * one * s / 4)

    path = integrate.solve_ivp(
        lambda t, s: [(one @ modes(t, s) ** 2) ** -0.5], times[[0, -1]], [0.0], t_eval=times, rtol=1e-10, atol=1e-12
    )
    return modes(times[:, None], path.y[0][:, None]) @ basis.T


def growth(w: np.ndarray, cov1: np.ndarray, cov0: np.ndarray) -> np.ndarray:
    """The symmetric part of the Jacobian of `velocity`, by central differences."""
    matrix = jacobian(lambda v: velocity(v, cov1, cov0), w, 1e-5 * float(np.linalg.norm(w)))
    return (matrix + matrix.T) / 2


def unstable(w: np.ndarray, cov1: np.ndarray, cov0: np.ndarray) -> int:
    """How many directions grow at a steady state."""
    return int(np.sum(np.linalg.eigvalsh(growth(w, cov1, cov0)) > 1e-7))


def mean_size(density: Callable[[float], float], edge: float = np.inf) -> tuple[float, float]:
    """E relu(T) = E|T|/2 for a symmetric density of unit variance, with the error of the quadrature."""
    value, error = integrate.quad(lambda t: t * density(t), 0, edge, epsabs=1e-12, epsrel=1e-11, limit=500)
    return value, max(error, 1e-10)


def normal_size() -> tuple[float, float]:
    return mean_size(lambda t: math.exp(-t * t / 2) / math.sqrt(2 * math.pi))


def student_size(df: float) -> tuple[float, float]:
    scale = math.sqrt(df / (df - 2))
    return mean_size(lambda t: scale * float(stats.t.pdf(scale * t, df)))


def laplace_size() -> tuple[float, float]:
    return mean_size(lambda t: math.exp(-math.sqrt(2) * t) / math.sqrt(2))


def sphere_size() -> tuple[float, float]:
    """A coordinate of a point on a sphere in five dimensions has density proportional to 1 - t^2/5."""
    return mean_size(lambda t: 3 / (4 * math.sqrt(5)) * (1 - t**2 / 5), math.sqrt(5))
