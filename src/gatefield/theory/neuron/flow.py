"""Gradient flow and loss of one ReLU neuron on any two sources that are symmetric about zero."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import PRNGKeyArray

from gatefield.core import checks
from gatefield.core.arrays import Field, FieldLike, Labels, MatrixLike, Scalar
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.core.text.quoted import quoted
from gatefield.core.tracing.functions import values_of
from gatefield.data import Task
from gatefield.theory.drift.drift import drift as drift_of
from gatefield.theory.inputs import check_field, check_sites, covariance, field, labels, one_key
from gatefield.theory.tasks import TwoClasses, two_classes

Drift = Callable[[Any], Any]
"""A function of a field (n,) that gives the drift (n,) of one class."""
_RULE = "drift{} must be a function that gives the drift (n,) of a field"


def _drift(name: str, drift: Any) -> None:
    if not callable(drift) and not isinstance(drift, Task):
        raise UserError(
            f"{name} must be a function of a field or a Task, but is {quoted(drift)}; write lambda w: relu.gate_mean(w, cov)."
        )


_known = given(
    w=field, drift1=_drift, cov1=covariance, cov0=covariance, labels=labels, drift0=_drift, samples=checks.count, key=one_key
)


@_known
@exact
def velocity(
    w: FieldLike,
    drift1: Drift | Task,
    cov1: MatrixLike | None = None,
    cov0: MatrixLike | None = None,
    labels: Labels | None = None,
    drift0: Drift | None = None,
    *,
    method: str = "auto",
    key: PRNGKeyArray | None = None,
    samples: int = 262_144,
) -> Field:
    r"""Velocity $\tau\,dw/dt = -\partial L/\partial w$ of one ReLU neuron on two classes, each symmetric about zero.

    $$\tau\frac{dw}{dt} = \sum_c p_c\big[y_c f_c(w)-\tfrac12 S_c w\big], \qquad f_c(w) = E_c[1(\langle w,x\rangle>0)\,x]$$

    with labels $y_c$, class shares $p_c$, drifts $f_c$ and covariances $S_c$ of the inputs. Only the drift knows more of the
    law than its covariance, because $E_c[1(\langle w,x\rangle>0)\,xx^\top] = S_c/2$ for every law that is symmetric about zero.
    For labels (1, 0) in equal shares the steady states are the fixed points of $w \mapsto 2(S_0+S_1)^{-1}f_1(w)$, the limit of
    a gated linear unit whose gate is that of w.

    **Arguments**

    - `w`: field (n,), not zero.
    - `drift1`, `drift0`: functions of a field that give the drift (n,) of each class, such as
      `lambda w: relu.gate_mean(w, cov1)`; `drift0` is needed unless y0 = 0. Or one `Task` in place of all that follows, with
      its labels and shares: exact where the `drift` of its sources is.
    - `cov1`, `cov0`: covariances (n, n) of classes of equal shares.
    - `labels`: the pair (y1, y0), (1, 0) if not given.
    - `method`, `key`, `samples`: with a task, how to find the drifts, as for `theory.drift`.

    **Returns** the velocity (n,); float64 NumPy unless traced.

    >>> import numpy as np
    >>> from gatefield.theory import relu
    >>> velocity([1.0, 0.0], lambda w: relu.gate_mean(w, np.eye(2)), np.eye(2), np.eye(2)).round(4)
    array([-0.3005,  0.    ])
    >>> from gatefield.data import Hypercube, Task
    >>> velocity([1.0, 0.0, 0.0], Task(Hypercube(3, xi=0.1), Hypercube(3, xi=0.1))).round(4) + 0.0
    array([-0.25,  0.  ,  0.  ])

    **Source:** note 002, equation 19, with equation 14 for every symmetric law.
    """
    problem = _problem(drift1, cov1, cov0, labels, drift0, (method, key, samples))
    check_field(real(w), problem.classes.positive, problem.classes.negative)
    terms = _terms(w, problem)
    return terms.drift - 0.5 * terms.image


@_known
@exact
def loss(
    w: FieldLike,
    drift1: Drift | Task,
    cov1: MatrixLike | None = None,
    cov0: MatrixLike | None = None,
    labels: Labels | None = None,
    drift0: Drift | None = None,
    *,
    method: str = "auto",
    key: PRNGKeyArray | None = None,
    samples: int = 262_144,
) -> Scalar:
    r"""Half of the mean squared error of one ReLU neuron on two classes, each symmetric about zero.

    $$L = \tfrac12\sum_c p_c\big[\tfrac12 w^\top S_c w-2y_c\,w^\top f_c(w)+y_c^2\big]$$

    with labels $y_c$, class shares $p_c$, drifts $f_c(w) = E_c[1(\langle w,x\rangle>0)\,x]$ and covariances $S_c$ of the
    inputs.

    **Arguments**

    - `w`: field (n,), not zero.
    - `drift1`, `drift0`: functions of a field that give the drift (n,) of each class, or one `Task` in place of all that
      follows, as for `velocity`.
    - `cov1`, `cov0`: covariances (n, n) of classes of equal shares.
    - `labels`: the pair (y1, y0), (1, 0) if not given.
    - `method`, `key`, `samples`: with a task, how to find the drifts, as for `theory.drift`.

    **Returns** the loss; float64 NumPy unless traced.

    >>> import numpy as np
    >>> from gatefield.theory import relu
    >>> round(float(loss([1.0, 0.0], lambda w: relu.gate_mean(w, np.eye(2)), np.eye(2), np.eye(2))), 6)
    0.300529

    **Source:** the loss of note 002, equation 3, for one neuron.
    """
    terms = _terms(w, _problem(drift1, cov1, cov0, labels, drift0, (method, key, samples)))
    return 0.5 * terms.power - jnp.vdot(terms.w, terms.drift) + 0.25 * jnp.vdot(terms.w, terms.image)


class _Problem(NamedTuple):
    drift1: Drift
    drift0: Drift | None
    classes: TwoClasses


def _problem(drift1, cov1, cov0, labels, drift0, sampling) -> _Problem:
    """Both drifts, covariances and labels, from a task or as they are given."""
    if not isinstance(drift1, Task):
        return _Problem(drift1, drift0, two_classes(cov1, cov0, labels))
    task, (method, key, samples) = drift1, sampling
    beside = [part for part in (cov1, cov0, drift0) if part is not None]
    classes = two_classes(task, beside or None, labels, any_law=True)
    for source in (task.positive, task.negative):
        if not source.symmetric:
            raise UserError(
                f"This flow is for classes symmetric about 0, which {type(source).__name__} data are not known to be; "
                "train with a large batch, such as batch_size=10_000."
            )
    keys = (None, None) if key is None else jax.random.split(key)
    drifts = [
        partial(drift_of, source, method=method, key=k, samples=samples)
        for source, k in zip((task.positive, task.negative), keys, strict=True)
    ]
    y0 = classes.labels[1]
    return _Problem(drifts[0], drifts[1] if isinstance(y0, Tracer) or y0 != 0 else None, classes)


def _value(name: int, drift: Drift, w: Any) -> Field:
    """The drift of one class; that of a source says by itself what it lacks."""
    of_source = isinstance(drift, partial) and drift.func is drift_of
    return drift(w) if of_source else values_of(_RULE.format(name), drift, w)


class _Terms(NamedTuple):
    w: Field
    drift: Field
    """Sum over classes of p_c y_c f_c(w)."""
    image: Field
    """Sum over classes of p_c S_c w."""
    power: Scalar
    """Sum over classes of p_c y_c^2."""


def _terms(w: Any, problem: _Problem) -> _Terms:
    drift1, drift0, (cov1, cov0, (y1, y0), (p, q)) = problem
    w = real(w)
    check_sites(w, cov1, cov0)
    drift = p * real(y1) * _value(1, drift1, w)
    if drift0 is not None:
        drift = drift + q * real(y0) * _value(0, drift0, w)
    elif isinstance(y0, Tracer) or y0 != 0:
        raise UserError(f"With label y0 = {y0} the negative class has a drift too; give it as drift0.")
    if drift.shape != w.shape:
        raise UserError(f"w and its drift must both have shape (n,), but have shapes {w.shape} and {drift.shape}.")
    return _Terms(w, drift, (q * cov0 + p * cov1) @ w, p * real(y1) ** 2 + q * real(y0) ** 2)
