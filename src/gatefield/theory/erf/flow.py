"""Gradient flow and loss of a committee of error-function units with biases, on two Gaussian classes."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Fields, FieldsLike, Labels, Matrix, MatrixLike, Scalar, ScalarLike
from gatefield.core.checks import given
from gatefield.core.precision import exact, real
from gatefield.data import Task
from gatefield.theory.erf.expectations import unit_kernel, unit_mean, unit_slope
from gatefield.theory.erf.inputs import per_unit
from gatefield.theory.erf.tilt import tilted, units
from gatefield.theory.inputs import check_sites, covariance, fields, labels
from gatefield.theory.tasks import two_classes

Units = Float[Array, " K"]
UnitsLike = Real[ArrayLike, "*#K"] | Sequence

_known = given(W=fields, output_bias=checks.number, cov1=covariance, cov0=covariance, labels=labels)


@_known
@exact
def velocity(
    W: FieldsLike,
    b: UnitsLike,
    output_bias: ScalarLike,
    cov1: MatrixLike | Task,
    cov0: MatrixLike | None = None,
    labels: Labels | None = None,
    *,
    readout: UnitsLike | None = None,
) -> tuple[Fields, Units, Scalar]:
    r"""Minus the gradient of the loss of $\hat y = \sum_k a_k s(h_k) + b_2$ on two Gaussian classes.

    $$\tau\frac{dw_j}{dt} = a_j \sum_c p_c\Big\{(y_c-b_2)\,E_c[s'_j x] - \sum_k a_k E_c[s_k s'_j x]\Big\}, \qquad
    \tau\frac{db_2}{dt} = \sum_c p_c\Big(y_c - b_2 - \sum_k a_k E_c\,s_k\Big)$$

    and $\tau\,db_j/dt$ as $\tau\,dw_j/dt$ without x. Here $s(h) = \operatorname{erf}(h/\sqrt2)$,
    $h_k = \langle w_k,x\rangle + b_k$, class c has the label $y_c$ and the share $p_c$, and the expectations in it are
    `slope_input_mean`, `product_slope_input_mean`, `slope_mean`, `product_slope_mean` and `mean`.

    **Arguments**

    - `W`: fields (K, n).
    - `b`: hidden biases, one for each unit or one for all.
    - `output_bias`: $b_2$.
    - `cov1`, `cov0`: covariances (n, n) of the positive and the negative class, of equal shares; or one `Task` in place of
      both, of Gaussian sources, with its labels and shares (for others take their `GaussianClone`).
    - `labels`: the pair (y1, y0), (1, 0) if not given.
    - `readout`: output weights a, 1/K each unless given.

    **Returns** the velocities of the fields (K, n), of the hidden biases (K,) and of the output bias; float64 NumPy unless
    traced.

    >>> import numpy as np
    >>> dW, db, change = velocity(np.zeros((2, 3)), np.zeros(2), 0.0, np.eye(3), np.eye(3))
    >>> print(abs(dW).max(), db.round(6), change)
    0.0 [0.199471 0.199471] 0.5

    **Source:** section 3 of note 002: the bias is corrected (1/K, label term, shift of the mean), the fields are added.
    """
    return _velocity(_problem(W, b, output_bias, cov1, cov0, labels, readout))


@_known
@exact
def loss(
    W: FieldsLike,
    b: UnitsLike,
    output_bias: ScalarLike,
    cov1: MatrixLike | Task,
    cov0: MatrixLike | None = None,
    labels: Labels | None = None,
    *,
    readout: UnitsLike | None = None,
) -> Scalar:
    r"""Half of the mean squared error of $\hat y = \sum_k a_k s(h_k) + b_2$ on two Gaussian classes.

    $$L = \tfrac12\sum_c p_c\Big[\sum_{jk}a_ja_k E_c[s_js_k] - 2(y_c-b_2)\sum_k a_k E_c\,s_k + (y_c-b_2)^2\Big]$$

    with $E_c[s_js_k]$ = `kernel` and $E_c\,s_k$ = `mean`.

    **Arguments**

    - `W`, `b`, `output_bias`: fields (K, n), hidden biases and the output bias, as for `velocity`.
    - `cov1`, `cov0`: covariances (n, n) of two classes of equal shares, or one `Task` of Gaussian sources in place of both.
    - `labels`: the pair (y1, y0), (1, 0) if not given.
    - `readout`: output weights a, 1/K each unless given.

    **Returns** the loss; float64 NumPy unless traced.

    >>> import numpy as np
    >>> print(float(loss(np.zeros((1, 3)), [0.0], 0.5, np.eye(3), np.eye(3))))
    0.125

    **Source:** equation 3 of note 002 for the network of its section 3; the closed form is not in the note.
    """
    return _loss(_problem(W, b, output_bias, cov1, cov0, labels, readout))


class _Problem(NamedTuple):
    W: Fields
    b: Units
    readout: Units
    covs: Float[Array, "2 n n"]
    targets: Float[Array, "2"]
    """y_c - b_2."""
    shares: Float[Array, "2"]


def _problem(W, b, output_bias, cov1, cov0, labels, readout) -> _Problem:
    """All that velocity and loss need, with shapes checked."""
    classes = two_classes(cov1, cov0, labels)
    W = real(W)
    check_sites(W, classes.positive, classes.negative)
    K = len(W)
    per_unit("b", b, K)
    per_unit("readout", 1.0 if readout is None else readout, K)
    covs, targets, shares = classes.stacked()
    a = jnp.broadcast_to(real(1 / K if readout is None else readout), (K,))
    return _Problem(W, jnp.broadcast_to(real(b), (K,)), a, covs, targets - real(output_bias), shares)


@jax.jit
def _velocity(problem: _Problem) -> tuple[Fields, Units, Scalar]:
    return _class_mean(_pull, problem)


@jax.jit
def _loss(problem: _Problem) -> Scalar:
    return _class_mean(_class_loss, problem)


def _class_mean(function: Callable, problem: _Problem) -> Any:
    """The mean over both classes of function(W, b, a, cov, target)."""
    W, b, a, covs, targets, shares = problem
    each = jax.vmap(lambda cov, target: function(W, b, a, cov, target))(covs, targets)
    return jax.tree.map(lambda part: jnp.sum(shares.reshape(2, *[1] * (part.ndim - 1)) * part, axis=0), each)


def _pull(W: Fields, b: Units, a: Units, cov: Matrix, target: Scalar) -> tuple[Fields, Units, Scalar]:
    """What one class contributes to the velocities; row j, column k of a matrix belongs to s_k s'_j."""
    each = units(W, b, cov)
    tilt = tilted(each, each)
    weights = a * unit_slope(tilt.mean, tilt.variance)
    error = target - jnp.sum(a * unit_mean(tilt.mean, tilt.variance), axis=1)
    along = b * error / (1 + each.powers) + jnp.sum(weights * tilt.keep, axis=1)
    aside = jnp.einsum("jk,jki->ji", weights, tilt.rest, precision="highest")
    rate = a * unit_slope(b, each.powers)
    dW = -rate[:, None] * jnp.matmul(along[:, None] * W + aside, cov, precision="highest")
    return dW, rate * error, target - jnp.sum(a * unit_mean(b, each.powers))


def _class_loss(W: Fields, b: Units, a: Units, cov: Matrix, target: Scalar) -> Scalar:
    gram = jnp.matmul(jnp.matmul(W, cov, precision="highest"), W.T, precision="highest")
    power = jnp.diagonal(gram)
    square = jnp.sum(a[:, None] * a * unit_kernel(b[:, None], power[:, None], gram, b, power))
    return (square - 2 * target * jnp.sum(a * unit_mean(b, power)) + target**2) / 2
