r"""Elliptical data $x = R\,C^{1/2}u$ with covariance C: the drift has the Gaussian form, with another constant."""

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jaxtyping import ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact, Field, FieldLike, Labels, MatrixLike
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real, scaled
from gatefield.data import Elliptical, Gaussian, Source, Task
from gatefield.data.laws import GaussianRadial, Radial, as_radial
from gatefield.theory.drift.direction import direction
from gatefield.theory.inputs import check_field, covariance, field, labels, spectrum
from gatefield.theory.relu.geometry import safe_sqrt
from gatefield.theory.relu.modes import variances
from gatefield.theory.tasks import plain_labels, two_classes, two_spectra

__all__ = ["constant", "drift", "steady_amplitude", "velocity"]


@exact
def constant(radial: Radial | str, n: int) -> Float[Exact, "*runs"]:
    r"""The constant c of the drift $f(w) = c\,Cw/\sqrt{w^\top C w}$ of elliptical data with covariance C.

    $$c = \tfrac12 E|T| = \frac12\,\frac{E R}{\sqrt{E R^2}}\,\frac{\sqrt n\,\Gamma(n/2)}{\sqrt\pi\,\Gamma((n+1)/2)}$$

    with T a marginal scaled to unit variance and R the radius. For a Gaussian vector times $\sqrt V$ it is
    $E\sqrt V/\sqrt{2\pi E V}$, whatever n. It is at most 1/2; of a Gaussian $1/\sqrt{2\pi}$, of Laplace $1/(2\sqrt2)$, of
    Student t with 3 degrees of freedom $1/\pi$. If C is to be a scatter matrix S instead, with covariance v S, the constant
    is $\sqrt v$ times as large.

    **Arguments**

    - `radial`: a law of the radius, such as `StudentT(5.0)`, or its name, such as "student:5".
    - `n`: number of sites.

    **Returns** c; float64 NumPy unless traced.

    >>> round(float(constant("sphere", 5)), 6)
    0.419263

    **Source:** note 003, section 2; "scales like x^(-1/2)" made exact.
    """
    n = checks.count("n", n)
    sphere = math.sqrt(n / math.pi) * math.exp(math.lgamma(n / 2) - math.lgamma((n + 1) / 2))
    return real(as_radial(radial).mean_ratio(n)) * sphere / 2


@given(w=field, cov=covariance)
@exact
def drift(w: FieldLike, cov: MatrixLike, radial: Radial | str) -> Field:
    r"""Drift $E[1(\langle w,x\rangle>0)\,x] = c\,Cw/\sqrt{w^\top C w}$ of elliptical data.

    **Arguments**

    - `w`: a field, not zero.
    - `cov`: the covariance C.
    - `radial`: a law of the radius or its name, which gives the `constant` c.

    **Returns** the drift, 0 where $\langle w,x\rangle$ is always 0; float64 NumPy unless traced. Under `jit` a zero field gives
    0, and NaN gives NaN.

    >>> import numpy as np
    >>> drift([2.0, 0.0], np.eye(2), "gaussian").round(4)
    array([0.3989, 0.    ])

    **Source:** note 003, section 2.
    """
    w, cov = scaled(real(w)), real(cov)
    check_field(w, cov)
    return real(constant(radial, w.shape[-1])) * direction(w, cov)


@given(w=field, cov1=covariance, cov0=covariance, labels=labels)
@exact
def velocity(
    w: FieldLike,
    cov1: MatrixLike | Task,
    cov0: MatrixLike | None = None,
    radial: Radial | str | None = None,
    labels: Labels | None = None,
) -> Field:
    r"""Velocity of one ReLU neuron on two elliptical classes.

    $$\tau\frac{dw}{dt} = \sum_c p_c\big[y_c f_c(w) - \tfrac12 C_c w\big]$$

    with $f_c$ the `drift` of class c, $y_c$ its label and $p_c$ its share. It is minus the gradient of half the mean squared
    error.

    **Arguments**

    - `w`: the neuron's field (n,), not zero.
    - `cov1`, `cov0`: covariances (n, n) of classes of equal shares; or one `Task` of two elliptical sources in place of all
      that follows, with its labels and shares and the law of the radius of each class.
    - `radial`: the law of the radius of both classes, as in `drift`.
    - `labels`: the pair (y1, y0), (1, 0) if not given.

    **Returns** the velocity (n,); float64 NumPy unless traced.

    >>> import numpy as np
    >>> velocity([1.0, 0.0], np.eye(2), np.eye(2), "gaussian").round(4)
    array([-0.3005,  0.    ])
    >>> from gatefield.data import Elliptical, Task
    >>> velocity([1.0, 0.0], Task(Elliptical(2, 0.1, "laplace"), Elliptical(2, 0.1, "sphere"))).round(4) + 0.0
    array([-0.3232,  0.    ])

    **Source:** note 003, equations 4 and 6, with the factors of half the mean squared error.
    """
    radials = _radials(cov1, radial)
    cov1, cov0, (y1, y0), (p, q) = two_classes(cov1, cov0, labels, any_law=True)
    w = real(w)
    pull = p * y1 * real(drift(w, cov1, radials[0])) + q * y0 * real(drift(w, cov0, radials[1]))
    return pull - (q * cov0 + p * cov1) @ w / 2


@given(lam1=spectrum, lam0=spectrum)
@exact
def steady_amplitude(
    lam1: Real[ArrayLike, "*#shape"] | Sequence | Task,
    lam0: Real[ArrayLike, "*#shape"] | Sequence | None = None,
    radial: Radial | str | None = None,
    n: int | None = None,
) -> Float[Exact, "*shape"]:
    r"""Length of the field of one neuron in the steady state of a mode with variances $\lambda_1$, $\lambda_0$ in the classes.

    $$|u| = \frac{2c\sqrt{\lambda_1}}{\lambda_0+\lambda_1}$$

    for labels (1, 0), with c the `constant`. All active modes share $\lambda_1/(\lambda_0+\lambda_1)$, and the state is stable
    only if that is the largest of all modes.

    **Arguments**

    - `lam1`, `lam0`: eigenvalues of the covariances; they broadcast. Or one `Task` of two elliptical sources on a ring in place
      of all arguments; its modes are those of frequencies 0 to n-1.
    - `radial`, `n`: as in `constant`.

    **Returns** the length, 0 without variance in the positive class; float64 NumPy unless traced.

    >>> round(float(steady_amplitude(2.2, 1.45, "gaussian", 4)), 10)
    0.3242339875

    **Source:** note 002, equation 25, corrected, and note 003, section 2.
    """
    radials, n = _radials(lam1, radial), lam1.n if isinstance(lam1, Task) else n
    if n is None:
        raise UserError("The number of sites n is missing; write steady_amplitude(lam1, lam0, radial, n), or give one Task.")
    lam1, lam0 = variances(*plain_labels(two_spectra(lam1, lam0, any_law=True))[:2])
    total = lam0 + lam1
    return 2 * real(constant(radials[0], n)) * safe_sqrt(lam1) / jnp.where(total == 0, 1.0, total)


def _radials(task: Any, radial: Radial | str | None) -> tuple[Radial | str, Radial | str]:
    """The laws of the radius of both classes, from a task or as given."""
    if not isinstance(task, Task):
        if radial is None:
            raise UserError("The law of the radius is missing; write radial='laplace', for instance, or give one Task.")
        return radial, radial
    if radial is not None:
        raise UserError("A task gives the laws of the radius too; leave radial out.")
    return _radial(task.positive), _radial(task.negative)


def _radial(source: Source) -> Radial:
    match source:
        case Elliptical():
            return source.radial
        case Gaussian():
            return GaussianRadial()
    raise UserError(
        f"{type(source).__name__} data are not known to be elliptical; take Elliptical or Gaussian sources, or see "
        "theory.neuron.velocity."
    )
