"""Gradient flow of a ReLU committee on two Gaussian classes, and of a single neuron mode by mode."""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from gatefield._precision import exact, real
from gatefield.theory._relu_expectations import gate_mean, kernel, norm, pair_mean

Fields = Float[Array, "K n"]
FieldsLike = Float[ArrayLike, "K n"]
Matrix = Float[Array, "n n"]
MatrixLike = Float[ArrayLike, "n n"]
Labels = tuple[float, float]


@exact
@jax.jit
def velocity(W: FieldsLike, cov1: MatrixLike, cov0: MatrixLike, labels: Labels = (1.0, 0.0)) -> Fields:
    r"""Velocity $\tau\,dw_j/dt = -\partial L/\partial w_j$ of a mean-readout ReLU committee on two balanced Gaussian classes.

    $$K\tau\frac{dw_j}{dt} = \sum_c \tfrac12\Big\{y_c\,E_c[1_j x] - \tfrac1K\sum_k E_c[1_j\,\mathrm{relu}_k\,x]\Big\}$$

    with $E_c[1_j x]$ = `gate_mean` and $E_c[1_j \mathrm{relu}_k x]$ = `pair_mean` under the covariance of class c.

    >>> import numpy as np
    >>> velocity(np.array([[1.0, 0.0]]), np.eye(2), np.eye(2)).round(4)
    array([[-0.3005,  0.    ]])

    Source: note 002, equations 4, 5 and 19 to 21; the factor 1/K and the terms between neurons are corrected.
    """
    W = real(W)
    return sum(0.5 * _pull(W, real(cov), label) for cov, label in zip((cov1, cov0), labels, strict=True))  # pyright: ignore


@exact
@jax.jit
def loss(W: FieldsLike, cov1: MatrixLike, cov0: MatrixLike, labels: Labels = (1.0, 0.0)) -> Float[Array, ""]:
    r"""Half of the mean squared error of a mean-readout ReLU committee on two balanced Gaussian classes.

    $$L = \tfrac12\sum_c\tfrac12\Big[\tfrac1{K^2}\sum_{jk}E_c[\mathrm{relu}_j\mathrm{relu}_k]
    - \tfrac{2y_c}{K}\sum_j\frac{|w_j|_c}{\sqrt{2\pi}} + y_c^2\Big]$$

    >>> import numpy as np
    >>> round(float(loss(np.array([[1.0, 0.0]]), np.eye(2), np.eye(2))), 6)
    0.300529
    """
    W = real(W)
    return sum(0.5 * _class_loss(W, real(cov), label) for cov, label in zip((cov1, cov0), labels, strict=True))  # pyright: ignore


def _pull(W: Fields, cov: Matrix, label: float) -> Fields:
    """What one class contributes to the velocity."""
    K = W.shape[0]
    opened = jax.vmap(partial(gate_mean, cov=cov))(W)
    pairs = jax.vmap(lambda w: jax.vmap(lambda v: pair_mean(w, v, cov))(W).sum(0))(W)
    return (label * opened - pairs / K) / K


def _class_loss(W: Fields, cov: Matrix, label: float) -> Float[Array, ""]:
    K = W.shape[0]
    square = jax.vmap(lambda w: jax.vmap(lambda v: kernel(w, v, cov))(W))(W).sum() / K**2
    mean = jax.vmap(partial(norm, cov=cov))(W).sum() / (K * jnp.sqrt(2 * jnp.pi))
    return 0.5 * (square - 2 * label * mean + label**2)
