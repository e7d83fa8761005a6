"""Error-function units at the start: the flow near zero fields, and the bias of a single neuron."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import erf
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact, Labels, Scalar, ScalarLike
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.data import Task
from gatefield.theory.erf.expectations import unit_mean, unit_slope
from gatefield.theory.erf.inputs import per_unit
from gatefield.theory.inputs import label_pair, some, spectrum
from gatefield.theory.inputs import labels as a_pair
from gatefield.theory.tasks import two_spectra

Modes = Real[ArrayLike, " modes"] | Sequence


@given(b=some, lam1=spectrum, lam0=spectrum, labels=a_pair, output_bias=checks.number)
@exact
def linear_rates(
    b: Real[ArrayLike, " K"] | Sequence,
    lam1: Modes | Task,
    lam0: Modes | None = None,
    labels: Labels | None = None,
    *,
    output_bias: ScalarLike = 0.0,
    readout: Real[ArrayLike, "*#K"] | Sequence | None = None,
) -> Float[Exact, "modes K K"]:
    r"""The matrix M of each Fourier mode in the flow of small fields, $\tau\,du_j/dt = \sum_k M_{jk}u_k$.

    $$M_{jk} = -a_jv_j\Big\{\sqrt{\tfrac2\pi}\,b_j\sum_c p_c(y_c-b_2-m)\lambda_c\,\delta_{jk}
    + \tfrac2\pi\sum_c p_c\lambda_c\,a_kv_k\Big\}$$

    with $v = e^{-b^2/2}$, $m = \sum_k a_k\operatorname{erf}(b_k/\sqrt2)$, the output at zero fields, $b_2$ the output bias and
    $p_c$ the class shares. Only covariances enter, so it holds for any law of mean zero with these spectra, Gaussian or not.
    With $m = b_2 = 0$ and labels (1, -1), units of negative bias amplify modes with $\lambda_1>\lambda_0$, units of positive
    bias the others.

    **Arguments**

    - `b`: hidden biases (K,).
    - `lam1`, `lam0`: eigenvalues of the covariances of classes of equal shares, mode by mode; or one `Task` of two sources on a
      ring in place of both, with its labels and shares.
    - `labels`: the pair (y1, y0), (1, 0) if not given.
    - `output_bias`: $b_2$.
    - `readout`: output weights a, 1/K each unless given.

    **Returns** one matrix (K, K) for each mode; float64 NumPy unless traced.

    >>> rates = linear_rates([-1.0, 1.0], [3.0, 0.5], [1.0, 1.5], labels=(1.0, -1.0))
    >>> print(rates[:, [0, 1], [0, 1]].round(4))  # how each unit alone grows, mode by mode
    [[ 0.1249 -0.3591]
     [-0.1795  0.0624]]

    **Source:** section 3 of note 002 asks why there are two populations of units; the linear stage is an answer it does not
    have.
    """
    classes = two_spectra(lam1, lam0, labels, any_law=True)
    _check_rates(b, classes.positive, classes.negative, readout)
    lams, targets, shares = classes._replace(positive=real(classes.positive), negative=real(classes.negative)).stacked()
    b = real(b)
    a = jnp.broadcast_to(real(1 / b.size if readout is None else readout), b.shape)
    return _linear_rates(b, a, lams, targets - real(output_bias), shares)


def _check_rates(b: Any, lam1: Any, lam0: Any, readout: Any) -> None:
    if np.ndim(b) != 1:
        raise UserError(f"b must hold one bias for each unit, but has shape {np.shape(b)}; give a list of them.")
    checks.finite("b", b)
    for name, value in (("lam1", lam1), ("lam0", lam0)):
        checks.finite(name, value)
    if np.ndim(lam1) != 1 or np.shape(lam1) != np.shape(lam0):
        shapes = f"{np.shape(lam1)} and {np.shape(lam0)}"
        raise UserError(f"lam1 and lam0 must hold one eigenvalue for each mode, but have shapes {shapes}; give both alike.")
    per_unit("readout", 1.0 if readout is None else readout, np.size(b))


@jax.jit
def _linear_rates(
    b: Float[Array, " K"],
    a: Float[Array, " K"],
    lams: Float[Array, "2 modes"],
    targets: Float[Array, "2"],
    shares: Float[Array, "2"],
) -> Float[Array, "modes K K"]:
    v = jnp.exp(-(b**2) / 2)
    excess = shares * (targets - a @ erf(b / np.sqrt(2)))
    pull = np.sqrt(2 / np.pi) * b * (excess[0] * lams[0] + excess[1] * lams[1])[:, None]
    shared = (2 / np.pi) * (shares[0] * lams[0] + shares[1] * lams[1])[:, None, None] * (a * v)
    return -(a * v)[:, None] * (pull[..., None] * jnp.eye(b.size) + shared)


@given(b=checks.number, s1=checks.number, s0=checks.number, labels=a_pair, output_bias=checks.number)
@exact
def bias_velocity(
    b: ScalarLike, s1: ScalarLike, s0: ScalarLike, labels: Labels = (1.0, 0.0), *, output_bias: ScalarLike = 0.0
) -> Scalar:
    r"""Velocity of the bias of a single neuron, from the powers $s_c = w^\top C_c w$ of its input in the two classes.

    $$\tau\frac{db}{dt} = \sum_c \tfrac12 H_c\Big(y_c - b_2 - \operatorname{erf}\frac{b}{\sqrt{2(1+s_c)(1+2s_c)}}\Big), \qquad
    H_c = \sqrt{\tfrac2\pi}\,\frac{e^{-b^2/(2(1+s_c))}}{\sqrt{1+s_c}}$$

    At $b = b_2 = 0$ it is $1/\sqrt{2\pi(1+s_1)} > 0$ for labels (1, 0), and for labels (1, -1)
    $[(1+s_1)^{-1/2}-(1+s_0)^{-1/2}]/\sqrt{2\pi}$: the bias moves against the sign of $s_1 - s_0$.

    **Arguments**

    - `b`: bias.
    - `s1`, `s0`: powers.
    - `labels`: the pair (y1, y0).
    - `output_bias`: $b_2$.

    **Returns** the velocity of the bias; float64 NumPy unless traced.

    >>> print(round(float(bias_velocity(0.0, 0.8, 0.35, labels=(1.0, -1.0))), 9))
    -0.046000827

    **Source:** note 002, equations 42 and 43, for erf(h/sqrt 2) instead of erf(h).
    """
    for name, power in (("s1", s1), ("s0", s0)):
        checks.real(name, power, "zero or more: a power w'Cw", lambda x: x >= 0)
    y1, y0 = label_pair(labels)
    targets = jnp.stack([real(y1), real(y0)]) - real(output_bias)
    return _bias_velocity(real(b), jnp.stack([real(s1), real(s0)]), targets)


@jax.jit
def _bias_velocity(b: Float[Array, ""], s: Float[Array, "2"], targets: Float[Array, "2"]) -> Float[Array, ""]:
    return jnp.sum(unit_slope(b, s) * (targets - unit_mean(b / (1 + s), s / (1 + s)))) / 2
