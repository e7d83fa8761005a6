"""Second moments of a Gaussian variable squashed by the error function: the arcsine law."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.precision import exact, real

_SMALL = 0.1  # below, kappa < 0.02 and five terms of the series give double precision; above, the angle loses no digit
_ASIN = (1.0, 1 / 6, 3 / 40, 15 / 336, 105 / 3456)  # asin(x)/x in powers of x^2


@exact
def gain_variance(gain: Real[ArrayLike, "*gains"]) -> Float[Exact, "*gains"]:
    r"""Variance of erf(g Z) for a standard normal Z.

    $$Z(g)^2 = \frac{2}{\pi} \arcsin\kappa, \qquad \kappa = \frac{2g^2}{1 + 2g^2}$$

    with $g$ the gain; 0 at $g = 0$ and 1 at $g = \infty$.

    **Arguments**

    - `gain`: zero or more, `inf` allowed.

    **Returns** the variance; float64 NumPy unless traced.

    >>> print(round(float(gain_variance(3.0)) ** 0.5, 12))
    0.890245171824

    **Source:** note 003, equation 7, with the normalisation written out.
    """
    gain = real(checks.gain(gain))
    small, kappa, ratio = _small(gain)
    return (2 / np.pi) * jnp.where(small, kappa * ratio, _angle(jnp.ones_like(gain), _inverse(gain)))


@exact
def gain_deviation(gain: Real[ArrayLike, "*gains"]) -> Float[Exact, "*gains"]:
    r"""Standard deviation of erf(g Z) for a standard normal Z.

    $$Z(g) = \sqrt{\tfrac{2}{\pi} \arcsin\kappa}, \qquad \kappa = \frac{2g^2}{1 + 2g^2}$$

    with $g$ the gain; it tends to $2g/\sqrt\pi$ as $g \to 0$, without loss of precision and with that slope.

    **Arguments**

    - `gain`: zero or more, `inf` allowed.

    **Returns** the standard deviation; float64 NumPy unless traced.

    >>> print(gain_deviation(1e-100), gain_deviation(float("inf")))
    1.1283791670955126e-100 1.0

    **Source:** note 003, equation 7, with the normalisation written out.
    """
    gain = real(checks.gain(gain))
    small, _, ratio = _small(gain)
    near = jnp.where(small, gain, 0.0)
    near = near * jnp.sqrt((4 / np.pi) * ratio / (1 + 2 * near**2))
    return jnp.where(small, near, jnp.sqrt((2 / np.pi) * _angle(jnp.ones_like(gain), _inverse(gain))))


@exact
def arcsine_covariance(rho: Real[ArrayLike, "*#shape"], gain: Real[ArrayLike, "*#shape"]) -> Float[Exact, "*shape"]:
    r"""Correlation of erf(g Z_1) and erf(g Z_2) for standard normal Z_1, Z_2 of correlation rho.

    $$S(\rho) = \frac{\arcsin(\kappa\rho)}{\arcsin\kappa}, \qquad \kappa = \frac{2g^2}{1 + 2g^2}$$

    with $g$ the gain; it is $\rho$ at $g = 0$ and $(2/\pi)\arcsin\rho$ at $g = \infty$. Both limits are exact, nothing
    cancels near them or near $\rho = \pm 1$, and derivatives in $\rho$ and $g$ are never NaN (0 stands for an infinite one).

    **Arguments**

    - `rho`: correlations in [-1, 1].
    - `gain`: zero or more, `inf` allowed; broadcast against `rho`.

    **Returns** the correlations; float64 NumPy unless traced.

    >>> print(round(float(arcsine_covariance(0.3, 3.0)), 14))
    0.23148831413602

    **Source:** note 003, equation 7, with the normalisation written out.
    """
    rho, gain = jnp.broadcast_arrays(real(checks.correlation("rho", rho)), real(checks.gain(gain)))
    small, kappa, ratio = _small(gain)
    near = rho * _asin_ratio((kappa * rho) ** 2) / ratio
    inverse = _inverse(gain)
    return jnp.where(small, near, _angle(rho, inverse) / _angle(jnp.ones_like(rho), inverse))


@jax.jit
def _small(gain: Array) -> tuple[Array, Array, Array]:
    """Where the gain is small, and there kappa and asin(kappa)/kappa."""
    small = gain < _SMALL
    gain = jnp.where(small, gain, 0.0)
    kappa = 2 * gain**2 / (1 + 2 * gain**2)
    return small, kappa, _asin_ratio(kappa**2)


def _inverse(gain: Array) -> Array:
    """1/g where the gain is not small, which is 0 at infinity."""
    return 1 / jnp.where(gain < _SMALL, 1.0, gain)


def _asin_ratio(square: Array) -> Array:
    """asin(x)/x as a series in x^2, to double precision for x < 0.02."""
    return jnp.polyval(jnp.asarray(_ASIN[::-1], dtype=square.dtype), square)


@jax.jit
def _angle(rho: Array, inverse: Array) -> Array:
    """asin(kappa rho) by its tangent, with 1 - kappa^2 rho^2 free of cancellation."""
    square = inverse**2 * (inverse**2 + 4) + 4 * (1 - rho) * (1 + rho)
    edge = square <= 0
    tangent = jnp.arctan2(2 * rho, jnp.sqrt(jnp.where(edge, 1.0, square)))
    return jnp.where(edge, jnp.sign(rho) * (np.pi / 2), tangent)
