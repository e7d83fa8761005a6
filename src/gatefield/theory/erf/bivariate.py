"""The bivariate normal distribution function, differentiable and without loss of precision at any correlation."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import erf
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.precision import real
from gatefield.theory.erf.compiled import compiled
from gatefield.theory.inputs import bound, check_broadcast
from gatefield.theory.squash import normal_density

Values = Float[Exact, "*shape"]
ValuesLike = Real[ArrayLike, "*#shape"] | Sequence

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)  # over slopes up to 1 the rule is then exact to rounding
_REACH = 40.0  # beyond it the normal tail is 0 in double precision
_FAR = 1e18  # stands for infinity; its square fits into single precision


@given(a=bound, b=bound, r=checks.correlation)
@compiled
def bivariate_cdf(a: ValuesLike, b: ValuesLike, r: ValuesLike) -> Values:
    r"""Distribution function of two standard normal variables X, Y of correlation r.

    $$\Phi_2(a,b;r) = P(X<a,\,Y<b) = \tfrac14\big(1+\operatorname{erf}\tfrac{a}{\sqrt2}+\operatorname{erf}\tfrac{b}{\sqrt2}
    + \sigma(a,b;r)\big)$$

    with $\sigma$ = `sign_product_mean`. The absolute error is a few units of rounding for all arguments. Derivatives are never
    NaN: at r = 1 and r = -1 they are the one-sided limits, with 0 for the infinite one (in r, where a = b or a = -b).

    **Arguments**

    - `a`, `b`: bounds, infinite ones allowed.
    - `r`: correlation in [-1, 1]. They broadcast.

    **Returns** the probabilities; float64 NumPy unless traced.

    >>> print(round(float(bivariate_cdf(0.0, 0.0, 0.5)), 12), float(bivariate_cdf(0.0, 1.0, 1.0)))
    0.333333333333 0.5

    **Source:** Owen's decomposition into right triangles, Ann. Math. Stat. 27 (1956) 1075.
    """
    check_broadcast(a=a, b=b, r=r)
    a, b, r = _ready(a, b, r)
    return (1 + _size(a) + _size(b) + _sign_product_mean(a, b, r)) / 4


@compiled
def sign_product_mean(a: ValuesLike, b: ValuesLike, r: ValuesLike) -> Values:
    r"""Mean product of two thresholded normal variables, E[sign(a - X) sign(b - Y)], for a correlation r of X and Y.

    $$\sigma(a,b;r) = \tfrac2\pi\arcsin r + 4V\Big(a,\frac{b-ra}{\sqrt{1-r^2}}\Big)
    + 4V\Big(b,\frac{a-rb}{\sqrt{1-r^2}}\Big)$$

    with $V(h,q)$ the standard normal mass of the triangle (0, 0), (h, 0), (h, q), odd in h and in q.

    **Arguments**

    - `a`, `b`: thresholds, infinite ones allowed.
    - `r`: correlation in [-1, 1]. They broadcast.

    **Returns** the mean products; float64 NumPy unless traced.

    >>> print(round(float(sign_product_mean(0.0, 0.0, 0.5)), 12))
    0.333333333333

    **Source:** as `bivariate_cdf`; the arcsine law at a = b = 0.
    """
    return _sign_product_mean(*_ready(a, b, r))


def _ready(a: ValuesLike, b: ValuesLike, r: ValuesLike) -> list[Array]:
    """Arrays of one shape, infinite bounds replaced by finite ones of the same probability."""
    a, b = jnp.clip(real(a), -_REACH, _REACH), jnp.clip(real(b), -_REACH, _REACH)
    return jnp.broadcast_arrays(a, b, jnp.clip(real(r), -1.0, 1.0))


@jax.custom_jvp
def _sign_product_mean(a: Array, b: Array, r: Array) -> Array:
    angle = jnp.arctan2(r, jnp.sqrt((1 - r) * (1 + r)))
    return (2 / np.pi) * angle + 4 * _triangle(a, _height(a, b, r)) + 4 * _triangle(b, _height(b, a, r))


@_sign_product_mean.defjvp
def _slope(primals: tuple[Array, Array, Array], tangents: tuple[Array, Array, Array]) -> tuple[Array, Array]:
    (a, b, r), (da, db, dr) = primals, tangents
    height = _height(a, b, r)
    in_a = 2 * normal_density(a) * _size(height)
    in_b = 2 * normal_density(b) * _size(_height(b, a, r))
    edge, root = _root(r)
    in_r = jnp.where(edge, 0.0, 4 * normal_density(a) * normal_density(height) / root)
    return _sign_product_mean(a, b, r), in_a * da + in_b * db + in_r * dr


def _triangle(h: Array, q: Array) -> Array:
    """Standard normal mass of the triangle (0, 0), (h, 0), (h, q), odd in h and in q.

    It is the integral of (1 - exp(-h^2 (1 + x^2)/2))/(2 pi (1 + x^2)) from 0 to q/h. Where |q| > |h|, the rest of the rectangle
    is integrated, so that |x| is at most 1 and the fixed rule converges to rounding.
    """
    swap = jnp.abs(q) > jnp.abs(h)
    long, short = jnp.where(swap, q, h), jnp.where(swap, h, q)
    slope = short / jnp.where(long == 0, 1.0, long)
    growth = 1 + (slope[..., None] * real(1 + _NODES) / 2) ** 2
    mass = -jnp.expm1(-(long[..., None] ** 2) * growth / 2) / growth
    below = slope * (mass @ real(_WEIGHTS)) / (4 * np.pi)
    return jnp.where(swap, _size(h) * _size(q) / 4 - below, below)


def _height(a: Array, b: Array, r: Array) -> Array:
    """(b - r a)/sqrt(1 - r^2), infinite or 0 at r = 1 and -1, without cancellation near them."""
    edge, root = _root(r)
    side = jnp.where(r < 0, -1.0, 1.0)
    gap = (b - side * a) + (side - r) * a
    return jnp.where(edge, _FAR * jnp.sign(gap), gap / root)


def _root(r: Array) -> tuple[Array, Array]:
    """Whether |r| = 1, and sqrt(1 - r^2), there replaced by 1."""
    square = (1 - r) * (1 + r)
    edge = square <= 0
    return edge, jnp.sqrt(jnp.where(edge, 1.0, square))


def _size(x: Array) -> Array:
    """P(|X| < x) with the sign of x."""
    return erf(x / np.sqrt(2.0))
