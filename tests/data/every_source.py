"""Every source, made of a length scale and a number in [0, 1], which both may carry a run axis. A new source is one line."""

import jax.numpy as jnp

from gatefield.data import Elliptical, Gaussian, GaussianClone, Hypercube, Ising, Marginal, NonlinearGP, SinglePulse
from gatefield.data.laws import Algebraic, Shell, StudentT

N = 7


def exponential(u):
    return -jnp.log1p(-u)


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
    "student": lambda xi, shape: Elliptical(N, xi, StudentT(9 + 20 * shape)),
    "laplace radius line": lambda xi, shape: Elliptical(N, xi, "laplace", boundary="line"),
    "sphere": lambda xi, shape: Elliptical(N, xi, "sphere"),
    "shell": lambda xi, shape: Elliptical(N, xi, Shell(0.1 + shape)),
    "clone": lambda xi, shape: GaussianClone(NonlinearGP(N, xi, 3 * shape)),
    "pulse clone": lambda xi, shape: GaussianClone(SinglePulse(N, (2, 5))),
}


def one(name):
    return SOURCES[name](1.3, 0.6)
