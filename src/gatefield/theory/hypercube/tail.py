r"""The normal law cut off from below, also far in its tail where its probability underflows."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import ndtri
from jaxtyping import Array, Float
from scipy.special import erfcx

_MIDDLE = 4.0  # maps t in (0, inf) to (-1, 1); the polynomial below then has equal errors on both sides
_DEGREE = 18  # relative error 1e-13
_FAR = 3.0  # beyond, Q(low) times u loses digits in the inverse of Q
_NEAR_ZERO = 0.1  # below, a series is more precise than Newton steps
_INVERSION = 6  # Newton steps to four digits, from a start that is right far out
_REFINEMENTS = 2  # Newton steps from a start that is off by 1 % at most: relative error 1e-9, far below that of sampling


def _fit() -> np.ndarray:
    """Coefficients of (1 + t) exp(t^2/2) Q(t) for t > 0, a polynomial in (t - _MIDDLE)/(t + _MIDDLE), highest first."""

    def values(v: Any) -> Any:
        t = _MIDDLE * (1 + v) / (1 - v)
        return (1 + t) * erfcx(t / np.sqrt(2)) / 2

    chebyshev = np.polynomial.chebyshev.chebinterpolate(values, _DEGREE)
    return np.polynomial.chebyshev.cheb2poly(chebyshev)[::-1]


_FIT = _fit()


def scaled_tail(t: Float[Array, "..."]) -> Float[Array, "..."]:
    r"""$e^{t^2/2} Q(t)$ for t > 0, with Q(t) the probability that a normal number exceeds t."""
    return jnp.polyval(jnp.asarray(_FIT, t.dtype), (t - _MIDDLE) / (t + _MIDDLE), unroll=_DEGREE) / (1 + t)


def log_tail(t: Float[Array, "..."]) -> Float[Array, "..."]:
    """log Q(t)."""
    return log_scaled_tail(t) - jnp.maximum(t, 0.0) ** 2 / 2


def log_scaled_tail(t: Float[Array, "..."]) -> Float[Array, "..."]:
    """log Q(t), plus t^2/2 if t > 0."""
    size = jnp.abs(t)
    scaled = scaled_tail(size)
    inside = jnp.where(t > 0, 0.0, scaled * jnp.exp(-(size**2) / 2))
    return jnp.where(t > 0, jnp.log(scaled), jnp.log1p(-inside))


def hazard(t: Float[Array, "..."]) -> Float[Array, "..."]:
    """The normal density at t over Q(t)."""
    size = jnp.abs(t)
    scaled, bell = scaled_tail(size), jnp.exp(-(size**2) / 2)
    return jnp.where(t > 0, 1 / scaled, bell / (1 - jnp.where(t > 0, 0.0, scaled * bell))) / np.sqrt(2 * np.pi)


@jax.custom_jvp
def cut_draw(low: Float[Array, " points"], u: Float[Array, " points"]) -> tuple[Float[Array, " points"], ...]:
    """Normal numbers t > low with Q(t) = u Q(low), and t - low, exact also where both are far in the tail."""
    eps, far = float(jnp.finfo(u.dtype).epsneg), low > _FAR
    near = -ndtri(jnp.minimum(u * jnp.exp(log_tail(low)), 1 - eps))
    some = functools.partial(_excess, jnp.maximum(low, _FAR), -jnp.log(u))
    over = jax.lax.cond(jnp.any(far), some, lambda: jnp.zeros_like(low))
    return jnp.where(far, low + over, near), jnp.where(far, over, jnp.maximum(near - low, 0.0))


@cut_draw.defjvp
def _cut_draw_slope(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    low, u = primals
    t, over = cut_draw(low, u)
    slope = hazard(low) / jnp.maximum(hazard(t), jnp.finfo(t.dtype).tiny)
    return (t, over), (slope * tangents[0], (slope - 1) * tangents[0])


def _excess(low: Float[Array, " points"], depth: Float[Array, " points"]) -> Float[Array, " points"]:
    """The d with log Q(low + d) = log Q(low) - depth, for low > 0, by Newton steps from a hazard that grows by d."""
    first = scaled_tail(low)
    rate = 1 / (np.sqrt(2 * np.pi) * first)
    over = 2 * depth / (rate + jnp.sqrt(rate**2 + 2 * depth))
    for _ in range(_REFINEMENTS):
        here = scaled_tail(low + over)
        miss = jnp.log(here / first) - over * (low + over / 2) + depth
        over = jnp.maximum(over + np.sqrt(2 * np.pi) * here * miss, 0.0)
    return over


def uncut_mean(s: Float[Array, "..."]) -> Float[Array, "..."]:
    """The b for which a normal number of mean b, cut off at 0, has mean s, to four digits: a series near 0, else Newton."""
    small = jnp.minimum(s, _NEAR_ZERO)
    wide = jnp.maximum(s, _NEAR_ZERO)

    def step(_: Any, b: Array) -> Array:
        rate = hazard(-b)
        return b - (b + rate - wide) / (1 - rate * (b + rate))

    b = jax.lax.fori_loop(0, _INVERSION, step, wide - 1 / wide)
    return jnp.where(s < _NEAR_ZERO, -1 / small + 2 * small - 2 * small**3, b)
