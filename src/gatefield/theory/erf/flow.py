"""Gradient flow and loss of a committee of error-function units with biases, on two Gaussian classes."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from gatefield.core.precision import real
from gatefield.theory.erf.compiled import compiled
from gatefield.theory.erf.expectations import unit_kernel, unit_mean, unit_slope
from gatefield.theory.erf.inputs import checked, committee
from gatefield.theory.erf.tilt import tilted, units

Fields = Float[Array, "K n"]
FieldsLike = Float[ArrayLike, "K n"]
Units = Float[Array, " K"]
UnitsLike = Float[ArrayLike, "*#K"]
Matrix = Float[Array, "n n"]
MatrixLike = Float[ArrayLike, "n n"]
Scalar = Float[Array, ""]
ScalarLike = Float[ArrayLike, ""]
Labels = tuple[float, float]


@checked(committee)
@compiled
def velocity(
    W: FieldsLike,
    b: UnitsLike,
    b2: ScalarLike,
    cov1: MatrixLike,
    cov0: MatrixLike,
    labels: Labels = (1.0, 0.0),
    *,
    readout: UnitsLike | None = None,
) -> tuple[Fields, Units, Scalar]:
    r"""Minus the gradient of the loss of $\hat y = \sum_k a_k s(h_k) + b_2$ on two balanced Gaussian classes.

    $$\tau\frac{dw_j}{dt} = a_j \sum_c \tfrac12\Big\{(y_c-b_2)\,E_c[s'_j x] - \sum_k a_k E_c[s_k s'_j x]\Big\}, \qquad
    \tau\frac{db_2}{dt} = \sum_c \tfrac12\Big(y_c - b_2 - \sum_k a_k E_c\,s_k\Big)$$

    and $\tau\,db_j/dt$ as $\tau\,dw_j/dt$ without x. Here $s(h) = \operatorname{erf}(h/\sqrt2)$,
    $h_k = \langle w_k,x\rangle + b_k$, and the expectations in class c are `slope_input_mean`, `product_slope_input_mean`,
    `slope_mean`, `product_slope_mean` and `mean`.

    **Arguments:** `W`: fields. `b`: hidden biases, one for each unit or one for all. `b2`: output bias. `cov1`, `cov0`: class
    covariances. `labels`: (y1, y0). `readout`: output weights a, 1/K each unless given.

    **Returns:** velocities of the fields, of the hidden biases and of the output bias.

    >>> import numpy as np
    >>> dW, db, db2 = velocity(np.zeros((2, 3)), np.zeros(2), 0.0, np.eye(3), np.eye(3))
    >>> print(abs(dW).max(), db.round(6), db2)
    0.0 [0.199471 0.199471] 0.5

    Source: section 3 of note 002: the bias is corrected (1/K, label term, shift of the mean), the fields are added.
    """
    return _class_mean(_pull, W, b, readout, cov1, cov0, real(labels) - real(b2))


@checked(committee)
@compiled
def loss(
    W: FieldsLike,
    b: UnitsLike,
    b2: ScalarLike,
    cov1: MatrixLike,
    cov0: MatrixLike,
    labels: Labels = (1.0, 0.0),
    *,
    readout: UnitsLike | None = None,
) -> Scalar:
    r"""Half of the mean squared error of $\hat y = \sum_k a_k s(h_k) + b_2$ on two balanced Gaussian classes.

    $$L = \tfrac12\sum_c\tfrac12\Big[\sum_{jk}a_ja_k E_c[s_js_k] - 2(y_c-b_2)\sum_k a_k E_c\,s_k + (y_c-b_2)^2\Big]$$

    with $E_c[s_js_k]$ = `kernel` and $E_c\,s_k$ = `mean`.

    **Arguments:** as for `velocity`.

    >>> import numpy as np
    >>> print(float(loss(np.zeros((1, 3)), [0.0], 0.5, np.eye(3), np.eye(3))))
    0.125

    Source: equation 3 of note 002 for the network of its section 3; the closed form is not in the note.
    """
    return _class_mean(_class_loss, W, b, readout, cov1, cov0, real(labels) - real(b2))


def _class_mean(
    function: Callable,
    W: FieldsLike,
    b: UnitsLike,
    readout: UnitsLike | None,
    cov1: MatrixLike,
    cov0: MatrixLike,
    targets: Float[Array, "2"],
) -> Any:
    """The mean over both classes of function(W, b, a, cov, target)."""
    W = real(W)
    shape = (len(W),)
    a = jnp.broadcast_to(real(1 / len(W) if readout is None else readout), shape)
    b = jnp.broadcast_to(real(b), shape)
    each = jax.vmap(lambda cov, target: function(W, b, a, cov, target))
    return jax.tree.map(lambda part: part.mean(0), each(jnp.stack([real(cov1), real(cov0)]), targets))


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
