"""Error-function units at the start: the flow near zero fields, and the bias of a single neuron."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.scipy.special import erf
from jaxtyping import Array, ArrayLike, Float

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.precision import real
from gatefield.theory.erf.compiled import compiled
from gatefield.theory.erf.expectations import unit_mean, unit_slope
from gatefield.theory.erf.inputs import checked, number, per_unit
from gatefield.theory.inputs import label_pair

Labels = tuple[float, float]
Scalar = Float[Array, ""]
ScalarLike = Float[ArrayLike, ""]


def _rates_input(b: Any, lam1: Any, lam0: Any, labels: Any = (1.0, 0.0), *, b2: Any = 0.0, readout: Any = None) -> None:
    if np.ndim(b) != 1:
        raise UserError(f"b must hold one bias for each unit, but has shape {np.shape(b)}; give a list of them.")
    for name, value in (("lam1", lam1), ("lam0", lam0)):
        checks.finite(name, value)
    if np.ndim(lam1) != 1 or np.shape(lam1) != np.shape(lam0):
        shapes = f"{np.shape(lam1)} and {np.shape(lam0)}"
        raise UserError(f"lam1 and lam0 must hold one eigenvalue for each mode, but have shapes {shapes}; give both alike.")
    per_unit("b", b, len(b))
    per_unit("readout", 1.0 if readout is None else readout, len(b))
    number("b2", b2)
    label_pair(labels)


def _bias_input(b: Any, s1: Any, s0: Any, labels: Any = (1.0, 0.0), *, b2: Any = 0.0) -> None:
    for name, value in (("b", b), ("s1", s1), ("s0", s0), ("b2", b2)):
        number(name, value)
    for name, power in (("s1", s1), ("s0", s0)):
        checks.real(name, power, "zero or more: a power w'Cw", lambda x: x >= 0)
    label_pair(labels)


@checked(_rates_input)
@compiled
def linear_rates(
    b: Float[ArrayLike, " K"],
    lam1: Float[ArrayLike, " modes"],
    lam0: Float[ArrayLike, " modes"],
    labels: Labels = (1.0, 0.0),
    *,
    b2: ScalarLike = 0.0,
    readout: Float[ArrayLike, "*#K"] | None = None,
) -> Float[Array, "modes K K"]:
    r"""The matrix M of each Fourier mode in the flow of small fields, $\tau\,du_j/dt = \sum_k M_{jk}u_k$.

    $$M_{jk} = -a_jv_j\Big\{\sqrt{\tfrac2\pi}\,b_j\,\tfrac12\big[(y_1-b_2-m)\lambda_1+(y_0-b_2-m)\lambda_0\big]\,\delta_{jk}
    + \tfrac2\pi\,\tfrac{\lambda_1+\lambda_0}2\,a_kv_k\Big\}$$

    with $v = e^{-b^2/2}$ and $m = \sum_k a_k\operatorname{erf}(b_k/\sqrt2)$, the output at zero fields. Only covariances enter,
    so it holds for any law of mean zero with these spectra, Gaussian or not. With m = b2 = 0 and labels (1, -1), units of
    negative bias amplify modes with $\lambda_1>\lambda_0$, units of positive bias the others.

    **Arguments:** `b`: hidden biases. `lam1`, `lam0`: eigenvalues of the class covariances, mode by mode. `labels`: (y1, y0).
    `b2`: output bias. `readout`: output weights a, 1/K each unless given.

    **Returns:** one K x K matrix for each mode.

    >>> rates = linear_rates([-1.0, 1.0], [3.0, 0.5], [1.0, 1.5], labels=(1.0, -1.0))
    >>> print(rates[:, [0, 1], [0, 1]].round(4))  # how each unit alone grows, mode by mode
    [[ 0.1249 -0.3591]
     [-0.1795  0.0624]]

    Source: section 3 of note 002 asks why there are two populations of units; the linear stage is an answer it does not have.
    """
    b, lam1, lam0 = real(b), real(lam1), real(lam0)
    a = jnp.broadcast_to(real(1 / b.size if readout is None else readout), b.shape)
    v = jnp.exp(-(b**2) / 2)
    rest = [real(y) - real(b2) - a @ erf(b / np.sqrt(2)) for y in labels]
    pull = np.sqrt(2 / np.pi) * b * ((rest[0] * lam1 + rest[1] * lam0) / 2)[:, None]
    shared = (2 / np.pi) * ((lam1 + lam0) / 2)[:, None, None] * (a * v)
    return -(a * v)[:, None] * (pull[..., None] * jnp.eye(b.size) + shared)


@checked(_bias_input)
@compiled
def bias_velocity(
    b: ScalarLike, s1: ScalarLike, s0: ScalarLike, labels: Labels = (1.0, 0.0), *, b2: ScalarLike = 0.0
) -> Scalar:
    r"""Velocity of the bias of a single neuron, from the powers $s_c = w^\top C_c w$ of its input in the two classes.

    $$\tau\frac{db}{dt} = \sum_c \tfrac12 H_c\Big(y_c - b_2 - \operatorname{erf}\frac{b}{\sqrt{2(1+s_c)(1+2s_c)}}\Big), \qquad
    H_c = \sqrt{\tfrac2\pi}\,\frac{e^{-b^2/(2(1+s_c))}}{\sqrt{1+s_c}}$$

    At b = b2 = 0 it is $1/\sqrt{2\pi(1+s_1)} > 0$ for labels (1, 0), and for labels (1, -1)
    $[(1+s_1)^{-1/2}-(1+s_0)^{-1/2}]/\sqrt{2\pi}$: the bias moves against the sign of $s_1 - s_0$.

    **Arguments:** `b`: bias. `s1`, `s0`: powers. `labels`: (y1, y0). `b2`: output bias.

    >>> print(round(float(bias_velocity(0.0, 0.8, 0.35, labels=(1.0, -1.0))), 9))
    -0.046000827

    Source: note 002, equations 42 and 43, for erf(h/sqrt 2) instead of erf(h).
    """
    b = real(b)

    def pull(s: Array, target: Array) -> Array:
        return unit_slope(b, s) * (target - unit_mean(b / (1 + s), s / (1 + s))) / 2

    return pull(real(s1), real(labels[0]) - real(b2)) + pull(real(s0), real(labels[1]) - real(b2))
