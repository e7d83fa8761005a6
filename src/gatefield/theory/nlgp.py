"""The nonlinear Gaussian process x = erf(g z)/Z(g): its moments in closed form, or by one quadrature."""

import functools
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import erf
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.precision import exact, real
from gatefield.data.numerics import arcsine_covariance, gain_deviation, gain_variance
from gatefield.theory.drift.pair import pair_drift as pair_drift
from gatefield.theory.inputs import check_broadcast, some
from gatefield.theory.squash import normal_panels, sag, squash

__all__ = ["covariance", "excess_kurtosis", "half_gate_mean", "pair_drift", "variance"]

Values = Float[Exact, "*shape"]
ValuesLike = Real[ArrayLike, "*#shape"] | Sequence

_SMALL_GAIN = 0.3
"""Below it the excess kurtosis is small against 3, and the Gaussian part is taken off under the integral."""


@given(gain=some)
@functools.wraps(gain_variance)
def variance(gain: Real[ArrayLike, "*#shape"]) -> Values:
    return gain_variance(gain)


@given(rho=some, gain=some)
@functools.wraps(arcsine_covariance)
def covariance(rho: Real[ArrayLike, "*#shape"], gain: Real[ArrayLike, "*#shape"]) -> Values:
    check_broadcast(rho=rho, gain=gain)
    return arcsine_covariance(rho, gain)


@given(rho=some, gain=some)
@exact
def half_gate_mean(rho: ValuesLike, gain: ValuesLike) -> Values:
    r"""Mean of $x_j$ where $x_i$ is positive, $E[1(x_i>0)\,x_j]$, for a latent correlation $\rho$ of the two sites.

    $$\frac{\arcsin(\sqrt\kappa\,\rho)}{\pi Z(g)} = \frac1{\pi Z(g)}\arctan\frac{\rho}{\sqrt{1/(2g^2) + 1 - \rho^2}},
    \qquad \kappa = \frac{2g^2}{1+2g^2}$$

    The input-output covariance of the gate $1(x_i>0)$ is P(Y=1) times it. At gain 0 it is $\rho/\sqrt{2\pi}$, at gain infinity
    $\arcsin(\rho)/\pi$. The second form is the one computed: nothing cancels as $\rho \to \pm 1$ or $g \to \infty$, and
    derivatives are never NaN (0 stands for an infinite one).

    **Arguments**

    - `rho`: correlations in [-1, 1].
    - `gain`: zero or more, `inf` allowed; broadcast against `rho`.

    **Returns** the means; float64 NumPy unless traced.

    >>> round(float(half_gate_mean(1.0, 1.0)), 10)
    0.4461459915

    **Source:** note 002, equations 71 to 74, with the prefactor corrected; note 001, equation 7.
    """
    check_broadcast(rho=rho, gain=gain)
    return _half_gate_mean(real(checks.correlation("rho", rho)), real(checks.gain(gain)))


@jax.jit
def _half_gate_mean(rho: Array, gain: Array) -> Array:
    rho, gain = jnp.broadcast_arrays(rho, gain)
    small = gain < 1e-8  # where 1/g^2 would swamp all else, and rho/sqrt(2 pi) is right to rounding
    safe = jnp.where(small, 1.0, gain)
    square = (1 / safe) ** 2 / 2 + (1 - rho) * (1 + rho)
    edge = square <= 0
    tangent = jnp.arctan2(rho, jnp.sqrt(jnp.where(edge, 1.0, square)))
    angle = jnp.where(edge, jnp.sign(rho) * (np.pi / 2), tangent)
    return jnp.where(small, rho / np.sqrt(2 * np.pi), angle / (np.pi * real(gain_deviation(safe))))


@given(gain=some)
@exact
def excess_kurtosis(gain: ValuesLike) -> Values:
    r"""Excess kurtosis of one site, $\kappa_4(g) = E[\operatorname{erf}(gZ)^4]/Z(g)^4 - 3$ for a standard normal Z.

    It is $-8g^2$ for small gains and -2 at gain infinity. The fourth moment has no closed form; Gauss-Legendre panels give
    it. Below g = 0.3 the Gaussian part is taken off under the integral, so that small gains lose no precision: with
    $\operatorname{erf}(gz) = \tfrac{2}{\sqrt\pi} g z e(z)$ and $d = E[z^2(e^2-1)]$,

    $$\kappa_4 = \frac{E[(e^2-1)\,(z^4(1+e^2) - 6z^2)] - 3d^2}{(1+d)^2}$$

    The relative error is below 1e-13 for all gains above 1e-100 (measured against 40 digits).

    **Arguments**

    - `gain`: zero or more, `inf` allowed.

    **Returns** the excess kurtosis; float64 NumPy unless traced.

    >>> import numpy as np
    >>> print(excess_kurtosis(np.array([0.3, 1.0, 3.0, 100.0])).round(5))
    [-0.50009 -1.44016 -1.83401 -1.99552]

    **Source:** no note prints it; the table of the notes' data section.
    """
    return _kurtosis(real(checks.gain(gain)))


@jax.jit
def _kurtosis(gain: Array) -> Array:
    small = gain < _SMALL_GAIN
    return jnp.where(small, _near_gaussian(jnp.where(small, gain, 0.1)), _direct(jnp.where(small, 1.0, gain)))


def _near_gaussian(gain: Array) -> Array:
    z, weight = normal_panels(jnp.full_like(gain, 12.0))
    delta = sag((gain[..., None] * z) ** 2)
    e = 1 - delta
    square = -delta * (1 + e)  # e^2 - 1
    first = 2 * jnp.sum(weight * square * (z**4 * (1 + e**2) - 6 * z**2), axis=-1)
    d = 2 * jnp.sum(weight * square * z**2, axis=-1)
    return (first - 3 * d**2) / (1 + d) ** 2


def _direct(gain: Array) -> Array:
    s = squash(gain)
    z, weight = normal_panels(s.top)
    fourth = 2 * (jnp.sum(weight * erf(s.gain[..., None] * z) ** 4, axis=-1) + s.tail)
    return fourth / s.deviation**4 - 3
