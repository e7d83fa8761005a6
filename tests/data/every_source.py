"""Every source, made of a length scale and a number in [0, 1], which both may carry a run axis. A new source is one line."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield.data import Elliptical, Finite, Gaussian, GaussianClone, Hypercube, Ising, Marginal, NonlinearGP, SinglePulse
from gatefield.data.laws import Algebraic, Shell, StudentT

N = 7


def exponential(u):
    return -jnp.log1p(-u)


def finite_law(shape):
    """Three points and one that never comes, of one run or of many."""
    rows = np.array([[1.0] * N, [-1.0] * 3 + [0.5] * (N - 3), [2.0, 0.0] * (N // 2) + [0.0], [9.0] * N])
    stack = jnp.stack if isinstance(shape, jax.core.Tracer) else np.stack  # which keeps plain numbers in float64
    chances = stack([shape / 2, (1 - shape) / 2, 0 * shape + 0.5, 0 * shape], axis=-1)
    return np.broadcast_to(rows, (*np.shape(shape), 4, N)), chances


SOURCES = {
    "gaussian": lambda xi, shape: Gaussian(N, xi),
    "gaussian line": lambda xi, shape: Gaussian(N, xi, boundary="line"),
    "nonlinear": lambda xi, shape: NonlinearGP(N, xi, 3 * shape),
    "hypercube": lambda xi, shape: Hypercube(N, xi),
    "laplace line": lambda xi, shape: Marginal(N, xi, "laplace", boundary="line"),
    "algebraic": lambda xi, shape: Marginal(N, xi, Algebraic(6 + 4 * shape)),
    "exponential": lambda xi, shape: Marginal(N, xi, exponential),
    "ising": lambda xi, shape: Ising(N, 4 * shape - 2),
    "ising line": lambda xi, shape: Ising(N, 4 * shape - 2, boundary="line"),
    "pulse": lambda xi, shape: SinglePulse(N, (2, 5)),
    "flipped pulse": lambda xi, shape: SinglePulse(N, (1, 2), complement=True, centre=True),
    "finite, on a line": lambda xi, shape: Finite(*finite_law(shape)),
    "student": lambda xi, shape: Elliptical(N, xi, StudentT(9 + 20 * shape)),
    "laplace radius line": lambda xi, shape: Elliptical(N, xi, "laplace", boundary="line"),
    "sphere": lambda xi, shape: Elliptical(N, xi, "sphere"),
    "shell": lambda xi, shape: Elliptical(N, xi, Shell(0.1 + shape)),
    "clone": lambda xi, shape: GaussianClone(NonlinearGP(N, xi, 3 * shape)),
    "pulse clone": lambda xi, shape: GaussianClone(SinglePulse(N, (2, 5))),
}

AGAIN = {"gaussian line", "laplace radius line", "shell", "clone"}
"""Every part of these stands in another one as well."""

every_source = pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in AGAIN)) for n in SOURCES])


def one(name):
    return SOURCES[name](1.3, 0.6)
