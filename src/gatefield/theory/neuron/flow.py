"""Gradient flow and loss of one ReLU neuron on any two sources that are symmetric about zero."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax.core import Tracer

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.theory.inputs import check_field, check_shapes, label_pair
from gatefield.theory.relu.geometry import Field, FieldLike, Labels, MatrixLike, Scalar

Drift = Callable[[Field], Any]


@exact
def velocity(
    w: FieldLike,
    drift1: Drift,
    cov1: MatrixLike,
    cov0: MatrixLike,
    labels: Labels = (1.0, 0.0),
    drift0: Drift | None = None,
) -> Field:
    r"""Velocity $\tau\,dw/dt = -\partial L/\partial w$ of one ReLU neuron on two balanced classes, each symmetric about zero.

    $$\tau\frac{dw}{dt} = \sum_c\tfrac12\big[y_c f_c(w)-\tfrac12 S_c w\big], \qquad f_c(w) = E_c[1(\langle w,x\rangle>0)\,x]$$

    with labels $y_c$, drifts $f_c$ and covariances $S_c$ of the inputs. Only the drift knows more of the law than its
    covariance, because $E_c[1(\langle w,x\rangle>0)\,xx^\top] = S_c/2$ for every law that is symmetric about zero. For labels
    (1, 0) the rests are the fixed points of $w \mapsto 2(S_0+S_1)^{-1}f_1(w)$, the limit of a gated linear unit whose gate is
    that of w.

    **Arguments:** `w`: field (n,), not zero. `drift1`, `drift0`: functions of a field that give the drift (n,) of each class,
    such as `lambda w: relu.gate_mean(w, cov1)`; `drift0` is needed unless y0 = 0. `cov1`, `cov0`: covariances (n, n).
    `labels`: the pair (y1, y0).

    **Returns:** the velocity (n,); float64 NumPy unless traced.

    >>> import numpy as np
    >>> from gatefield.theory import relu
    >>> velocity([1.0, 0.0], lambda w: relu.gate_mean(w, np.eye(2)), np.eye(2), np.eye(2)).round(4)
    array([-0.3005,  0.    ])

    **Source:** note 002, equation 19, with equation 14 for every symmetric law.
    """
    check_field(real(w), real(cov1), real(cov0))
    terms = _terms(w, drift1, cov1, cov0, labels, drift0)
    return 0.5 * terms.drift - 0.25 * terms.image


@exact
def loss(
    w: FieldLike,
    drift1: Drift,
    cov1: MatrixLike,
    cov0: MatrixLike,
    labels: Labels = (1.0, 0.0),
    drift0: Drift | None = None,
) -> Scalar:
    r"""Half of the mean squared error of one ReLU neuron on two balanced classes, each symmetric about zero.

    $$L = \tfrac12\sum_c\tfrac12\big[\tfrac12 w^\top S_c w-2y_c\,w^\top f_c(w)+y_c^2\big]$$

    with labels $y_c$, drifts $f_c(w) = E_c[1(\langle w,x\rangle>0)\,x]$ and covariances $S_c$ of the inputs.

    **Arguments:** as for `velocity`.

    **Returns:** the loss; float64 NumPy unless traced.

    >>> import numpy as np
    >>> from gatefield.theory import relu
    >>> round(float(loss([1.0, 0.0], lambda w: relu.gate_mean(w, np.eye(2)), np.eye(2), np.eye(2))), 6)
    0.300529

    **Source:** the loss of note 002, equation 3, for one neuron.
    """
    terms = _terms(w, drift1, cov1, cov0, labels, drift0)
    return 0.25 * terms.power - 0.5 * jnp.vdot(terms.w, terms.drift) + 0.125 * jnp.vdot(terms.w, terms.image)


class _Terms(NamedTuple):
    w: Field
    drift: Field
    """Sum over classes of y_c f_c(w)."""
    image: Field
    """Sum over classes of S_c w."""
    power: Scalar
    """Sum over classes of y_c^2."""


def _terms(w, drift1, cov1, cov0, labels, drift0) -> _Terms:
    w, cov1, cov0 = real(checks.finite("w", w)), real(cov1), real(cov0)
    check_shapes(jnp.atleast_2d(w), cov1, cov0, name="w")
    y1, y0 = label_pair(labels)
    drift = real(y1) * real(drift1(w))
    if drift0 is not None:
        drift = drift + real(y0) * real(drift0(w))
    elif isinstance(y0, Tracer) or y0 != 0:
        raise UserError(f"With label y0 = {y0} the negative class has a drift too; give it as drift0.")
    if w.ndim != 1 or drift.shape != w.shape:
        raise UserError(f"w and its drift must both have shape (n,), but have shapes {w.shape} and {drift.shape}.")
    return _Terms(w, drift, (cov0 + cov1) @ w, real(y1) ** 2 + real(y0) ** 2)
