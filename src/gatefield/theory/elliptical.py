r"""Elliptical data $x = R\,C^{1/2}u$ with covariance C: the drift has the Gaussian form, with another constant."""

import math

import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from gatefield.core import checks
from gatefield.core.precision import exact, real
from gatefield.core.scaling import scaled
from gatefield.data.laws import Radial, as_radial
from gatefield.theory.drift.direction import direction
from gatefield.theory.inputs import check_field, label_pair
from gatefield.theory.relu.geometry import safe_sqrt
from gatefield.theory.relu.modes import variances

__all__ = ["constant", "drift", "steady_amplitude", "velocity"]

Field = Float[Array, " n"]
FieldLike = Float[ArrayLike, " n"]
MatrixLike = Float[ArrayLike, "n n"]


@exact
def constant(radial: Radial | str, n: int) -> Float[Array, "*runs"]:
    r"""The constant c of the drift $f(w) = c\,Cw/\sqrt{w^\top C w}$ of elliptical data with covariance C.

    $$c = \tfrac12 E|T| = \frac12\,\frac{E R}{\sqrt{E R^2}}\,\frac{\sqrt n\,\Gamma(n/2)}{\sqrt\pi\,\Gamma((n+1)/2)}$$

    with T a marginal scaled to unit variance and R the radius. For a Gaussian vector times $\sqrt V$ it is
    $E\sqrt V/\sqrt{2\pi E V}$, whatever n. It is at most 1/2; of a Gaussian $1/\sqrt{2\pi}$, of Laplace $1/(2\sqrt2)$, of
    Student t with 3 degrees of freedom $1/\pi$. If C is to be a scatter matrix S instead, with covariance v S, the constant
    is $\sqrt v$ times as large.

    **Arguments:** `radial`: a law of the radius, such as `StudentT(5.0)`, or its name, such as "student:5". `n`: number of
    sites.

    **Returns:** c; float64 NumPy unless traced.

    >>> round(float(constant("sphere", 5)), 6)
    0.419263

    **Source:** note 003, section 2; "scales like x^(-1/2)" made exact.
    """
    n = checks.count("n", n)
    sphere = math.sqrt(n / math.pi) * math.exp(math.lgamma(n / 2) - math.lgamma((n + 1) / 2))
    return real(as_radial(radial).mean_ratio(n)) * sphere / 2


@exact
def drift(w: FieldLike, cov: MatrixLike, radial: Radial | str) -> Field:
    r"""Drift $E[1(\langle w,x\rangle>0)\,x] = c\,Cw/\sqrt{w^\top C w}$ of elliptical data.

    **Arguments:** `w`: a field, not zero. `cov`: the covariance C. `radial`: a law of the radius or its name, which gives the
    `constant` c.

    **Returns:** the drift, 0 where $\langle w,x\rangle$ is always 0; float64 NumPy unless traced. Under `jit` a zero field
    gives 0, and NaN gives NaN.

    >>> import numpy as np
    >>> drift([2.0, 0.0], np.eye(2), "gaussian").round(4)
    array([0.3989, 0.    ])

    **Source:** note 003, section 2.
    """
    w, cov = scaled(real(w)), real(cov)
    check_field(w, cov)
    return real(constant(radial, w.shape[-1])) * direction(w, cov)


@exact
def velocity(
    w: FieldLike, cov1: MatrixLike, cov0: MatrixLike, radial: Radial | str, labels: tuple[float, float] = (1.0, 0.0)
) -> Field:
    r"""Velocity of one ReLU neuron on two balanced elliptical classes with the same law of the radius.

    $$\tau\frac{dw}{dt} = \tfrac12\big(y_1 f_1(w) + y_0 f_0(w)\big) - \tfrac14(C_0+C_1)w$$

    with $f_c$ the `drift` of class c. It is minus the gradient of half the mean squared error.

    **Arguments:** `w`: the neuron's field, not zero. `cov1`, `cov0`: covariances of the classes. `radial`: as in `drift`.
    `labels`: the pair (y1, y0).

    **Returns:** the velocity; float64 NumPy unless traced.

    >>> import numpy as np
    >>> velocity([1.0, 0.0], np.eye(2), np.eye(2), "gaussian").round(4)
    array([-0.3005,  0.    ])

    **Source:** note 003, equations 4 and 6, with the factors of half the mean squared error.
    """
    w, cov1, cov0 = real(w), real(cov1), real(cov0)
    y1, y0 = label_pair(labels)
    pull = y1 * real(drift(w, cov1, radial)) + y0 * real(drift(w, cov0, radial))
    return pull / 2 - (cov0 + cov1) @ w / 4


@exact
def steady_amplitude(
    lam1: Float[ArrayLike, "*#shape"], lam0: Float[ArrayLike, "*#shape"], radial: Radial | str, n: int
) -> Float[Array, "*shape"]:
    r"""Length of the field of one neuron at rest on a mode with eigenvalues $\lambda_1$, $\lambda_0$ in the two classes.

    $$|u| = \frac{2c\sqrt{\lambda_1}}{\lambda_0+\lambda_1}$$

    for labels (1, 0), with c the `constant`. All active modes share $\lambda_1/(\lambda_0+\lambda_1)$, and the state is stable
    only if that is the largest of all modes.

    **Arguments:** `lam1`, `lam0`: eigenvalues of the covariances; they broadcast. `radial`, `n`: as in `constant`.

    **Returns:** the length, 0 without variance in the positive class; float64 NumPy unless traced.

    >>> round(float(steady_amplitude(2.2, 1.45, "gaussian", 4)), 10)
    0.3242339875

    **Source:** note 002, equation 25, corrected, and note 003, section 2.
    """
    lam1, lam0 = variances(lam1, lam0)
    total = lam0 + lam1
    return 2 * real(constant(radial, n)) * safe_sqrt(lam1) / jnp.where(total == 0, 1.0, total)
