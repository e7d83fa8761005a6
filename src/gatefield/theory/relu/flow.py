"""Gradient flow and loss of a ReLU committee on two Gaussian classes."""

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Fields, FieldsLike, Labels, Matrix, MatrixLike, Scalar, ScalarLike
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.data import Task
from gatefield.theory.inputs import check_directions, check_sites, covariance, fields, labels
from gatefield.theory.relu.expectations import directed
from gatefield.theory.relu.geometry import geometry, overlap
from gatefield.theory.tasks import two_classes

Readout = Float[Array, " K"]
ReadoutLike = Real[ArrayLike, " K"] | Sequence

_known = given(W=fields, cov1=covariance, cov0=covariance, labels=labels, readout=checks.vector, output_bias=checks.number)


@_known
@exact
def velocity(
    W: FieldsLike,
    cov1: MatrixLike | Task,
    cov0: MatrixLike | None = None,
    labels: Labels | None = None,
    *,
    readout: ReadoutLike | None = None,
    output_bias: ScalarLike = 0.0,
) -> Fields:
    r"""Velocity $\tau\,dw_j/dt = -\partial L/\partial w_j$ of a ReLU committee on two Gaussian classes.

    $$\tau\frac{dw_j}{dt} = a_j\sum_c p_c\Big\{(y_c-b)\,E_c[1_j x] - \sum_k a_k\,E_c[1_j\,\mathrm{relu}_k\,x]\Big\}$$

    with $E_c[1_j x]$ = `gate_mean` and $E_c[1_j \mathrm{relu}_k x]$ = `pair_mean` under the covariance of class c,
    labels $y_c$, class shares $p_c$, output weights $a_k$ (1/K for the mean) and output bias $b$.

    **Arguments**

    - `W`: fields (K, n), none of them zero.
    - `cov1`, `cov0`: covariances (n, n) of the positive and the negative class, of equal shares; or one `Task` in place of
      both, of Gaussian sources, with its labels and shares (for others take their `GaussianClone`).
    - `labels`: the pair (y1, y0), (1, 0) if not given.
    - `readout`: output weights (K,), the mean over units if not given.
    - `output_bias`: b.

    **Returns** the velocity (K, n); float64 NumPy unless traced. Under `jit` the row of a zero field is NaN.

    >>> import numpy as np
    >>> velocity(np.array([[1.0, 0.0]]), np.eye(2), np.eye(2)).round(4)
    array([[-0.3005,  0.    ]])
    >>> from gatefield.data import Gaussian, Task
    >>> velocity(np.ones((1, 2)), Task(Gaussian(2, xi=0.5), Gaussian(2, xi=0.1))).round(4)
    array([[-0.3656, -0.3656]])

    **Source:** note 002, equations 4, 5 and 19 to 21; the factor 1/K and the terms between neurons are corrected.
    """
    problem = _problem(W, cov1, cov0, labels, readout, output_bias)
    check_directions(problem.W, dict(zip(("cov1", "cov0"), problem.covs, strict=True)))
    return _velocity(problem)


@_known
@exact
def loss(
    W: FieldsLike,
    cov1: MatrixLike | Task,
    cov0: MatrixLike | None = None,
    labels: Labels | None = None,
    *,
    readout: ReadoutLike | None = None,
    output_bias: ScalarLike = 0.0,
) -> Scalar:
    r"""Half of the mean squared error of a ReLU committee on two Gaussian classes.

    $$L = \tfrac12\sum_c p_c\Big[\sum_{jk}a_j a_k\,E_c[\mathrm{relu}_j\mathrm{relu}_k]
    - 2(y_c-b)\sum_j a_j\frac{|w_j|_c}{\sqrt{2\pi}} + (y_c-b)^2\Big]$$

    with $E_c[\mathrm{relu}_j\mathrm{relu}_k]$ = `kernel` under the covariance of class c, labels $y_c$, class shares $p_c$,
    output weights $a_k$ (1/K for the mean) and output bias $b$.

    **Arguments**

    - `W`: fields (K, n); a zero field is a silent unit.
    - `cov1`, `cov0`: covariances (n, n) of two classes of equal shares, or one `Task` of Gaussian sources in place of both.
    - `labels`: the pair (y1, y0), (1, 0) if not given.
    - `readout`: output weights (K,), the mean over units if not given.
    - `output_bias`: b.

    **Returns** the loss; float64 NumPy unless traced.

    >>> import numpy as np
    >>> round(float(loss(np.array([[1.0, 0.0]]), np.eye(2), np.eye(2))), 6)
    0.300529

    **Source:** the loss of note 002, equation 3, in closed form.
    """
    return _loss(_problem(W, cov1, cov0, labels, readout, output_bias))


class _Problem(NamedTuple):
    W: Fields
    covs: Float[Array, "2 n n"]
    targets: Float[Array, "2"]
    """y_c - b."""
    readout: Readout
    shares: Float[Array, "2"]


def _problem(W, cov1, cov0, labels, readout, output_bias) -> _Problem:
    """All that velocity and loss need, with shapes checked."""
    classes = two_classes(cov1, cov0, labels)
    W = real(W)
    check_sites(W, classes.positive, classes.negative)
    K = W.shape[0]
    weights = jnp.full(K, 1 / K, W.dtype) if readout is None else real(readout)
    if weights.shape != (K,):
        raise UserError(f"readout must hold one output weight for each of the {K} fields, but has shape {weights.shape}.")
    covs, targets, shares = classes.stacked()
    return _Problem(W, covs, targets - real(output_bias), weights, shares)


@jax.jit
def _velocity(problem: _Problem) -> Fields:
    pulls = jax.vmap(_pull, in_axes=(None, 0, 0, None))(*problem[:4])
    return problem.readout[:, None] * jnp.sum(problem.shares[:, None, None] * pulls, axis=0)


@jax.jit
def _loss(problem: _Problem) -> Scalar:
    return problem.shares @ jax.vmap(_class_loss, in_axes=(None, 0, 0, None))(*problem[:4])


def _pull(W: Fields, cov: Matrix, target: Scalar, readout: Readout) -> Fields:
    """What one class contributes to the velocity, before the unit's own output weight: all pairs of units at once."""
    seen = geometry(W, cov)
    outputs = readout * seen.lengths
    own = jnp.sqrt(2 * jnp.pi) * target - jnp.matmul(seen.sines, outputs, precision="highest")
    others = jnp.matmul(seen.wedges * outputs, seen.images, precision="highest")
    return (own[:, None] * directed(seen.lengths, seen.images) - others) / (2 * jnp.pi)


def _class_loss(W: Fields, cov: Matrix, target: Scalar, readout: Readout) -> Scalar:
    seen = geometry(W, cov)
    outputs = readout * seen.lengths
    square = outputs @ overlap(seen.sines, seen.cosines) @ outputs / (2 * jnp.pi)
    return 0.5 * (square - 2 * target * outputs.sum() / jnp.sqrt(2 * jnp.pi) + target**2)
