"""The drift of two sites of the nonlinear Gaussian process, by one-dimensional quadrature."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import erf, erfc, erfinv
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact, ScalarLike
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.theory.inputs import check_field, field, one_correlation, one_gain
from gatefield.theory.squash import REACH, Squash, normal_density, panels, panels_between, squash

_FIXED = np.array([0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0])
_SHARES = np.array([1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2])
"""Further edges of panels: in standard deviations, and as shares of the range."""


@given(w=field, rho=one_correlation, gain=one_gain)
@exact
def pair_drift(w: Real[ArrayLike, "2"] | Sequence, rho: ScalarLike, gain: ScalarLike) -> Float[Exact, "2"]:
    r"""Drift $f(w) = E[1(\langle w,x\rangle \ge 0)\,x]$ for two sites $x_i = \operatorname{erf}(g z_i)/Z(g)$.

    Let $w_1$ be the weight of larger size, $r = |w_2/w_1|$, $q = \rho\operatorname{sign}(w_1 w_2)$, $s^2 = 2(1-\rho^2)$ and
    $u(t) = \operatorname{erf}^{-1}(r \operatorname{erf}(g t))/g$, the place of $z_1$ that balances $z_2 = t$. Then

    $$f_2 = \operatorname{sign}(w_2) \int_0^\infty \varphi(t)\, X(t) \operatorname{erf}\frac{q t + u(t)}{s}\,dt$$
    $$f_1 = \operatorname{sign}(w_1)\Big[\int_0^\infty \varphi(u)\, X(u) \operatorname{erf}\frac{t + q\,u}{s}\,du
    + \int_{u(\infty)}^\infty \varphi X\,du\Big]$$

    with $X(t) = \operatorname{erf}(gt)/Z(g)$; the integral over u runs along t, where it is smooth. At $\rho = \pm1$ the
    error functions are signs, and f is $\arctan(\sqrt2 g)/(\pi Z(g))$ in size at both sites, or 0 if the two weights cancel.
    The error is below 1e-10, and below 1e-8 if the weights differ by less than a millionth in size.

    **Arguments**

    - `w`: two weights, not both zero.
    - `rho`: latent correlation in [-1, 1]; what rounding puts beyond counts as -1 or 1.
    - `gain`: zero or more, `inf` allowed.

    **Returns** f(w); float64 NumPy unless traced.

    >>> pair_drift([1.0, 0.5], 0.6, 1.0).round(8)
    array([0.42647067, 0.32241479])

    **Source:** note 003, equation 5, for the data of its equation 7.
    """
    w = real(w)
    check_field(w)
    if w.shape != (2,):
        raise UserError(f"w must be a field of two sites, but has shape {w.shape}; use theory.drift for more of them.")
    return _pair_drift(w, real(checks.correlation("rho", rho)), real(checks.gain(gain)))


@jax.jit
def _pair_drift(w: Array, rho: Array, gain: Array) -> Array:
    s = squash(gain)
    swap = jnp.abs(w[0]) < jnp.abs(w[1])
    large, small = jnp.where(swap, w[::-1], w)
    ratio = jnp.abs(small) / jnp.where(large == 0, 1.0, jnp.abs(large))
    sign = jnp.where(small < 0, -1.0, 1.0) * jnp.sign(large)
    first, second = _integrals(ratio, rho * sign, s)
    value = jnp.stack([jnp.sign(large) * first, jnp.where(small < 0, -1.0, 1.0) * second])
    return jnp.where(swap, value[::-1], value)


def _integrals(ratio: Array, rho: Array, s: Squash) -> tuple[Array, Array]:
    """f_1 and f_2 for positive weights of that ratio, the first being the larger."""
    width = _width(rho)

    def x(z: Array) -> Array:
        return erf(s.gain * z) / s.deviation

    scales = width / jnp.stack([jnp.abs(rho) + 0.1, jnp.abs(rho + ratio)])
    t, weight = panels_between(_edges(real(REACH), s.top, scales, real(_FIXED)))
    u, _ = _balance(ratio, t, s.gain)
    second = jnp.sum(weight * normal_density(t) * x(t) * erf((rho * t + u) / (np.sqrt(2) * width)))
    end = _end(ratio, s.gain)
    t, weight = panels_between(_edges(end, s.top, width / (1 + rho * ratio)[None], end * real(_SHARES)))
    u, speed = _balance(ratio, t, s.gain)
    along = jnp.sum(weight * speed * normal_density(u) * x(u) * erf((t + rho * u) / (np.sqrt(2) * width)))
    return along + _beyond(ratio, s), second


def _width(rho: Array) -> Array:
    """The width sqrt(1 - rho^2) of a smooth step; at |rho| = 1 far below rounding but not 0, so that there are slopes."""
    square = (1 - rho) * (1 + rho)
    return jnp.sqrt(jnp.where(square < 0, 0.0, square) + float(jnp.finfo(rho.dtype).eps) ** 3)


def _edges(end: Array, top: Array, scales: Array, others: Array) -> Array:
    """Panel edges from 0 to `end`, with cuts where x saturates and at some multiples of the widths of smooth steps.

    The integral does not depend on these multiples: they need no derivative, and may be infinite.
    """
    steps = jnp.outer(jax.lax.stop_gradient(scales), real([1.0, 3.0, 9.0])).ravel()
    cuts = jnp.concatenate([jnp.stack([0 * top, top / 4, top / 2, top, end]), steps, others])
    return jnp.sort(jnp.minimum(cuts, end))


def _balance(ratio: Array, t: Array, gain: Array) -> tuple[Array, Array]:
    """u(t) and its derivative; for equal weights they are t and 1."""
    equal, ratio = _unequal(ratio)
    u = jnp.minimum(erfinv(ratio * erf(gain * t)) / gain, t)
    return jnp.where(equal, t, u), jnp.where(equal, 1.0, ratio * jnp.exp(gain**2 * (u - t) * (u + t)))


def _end(ratio: Array, gain: Array) -> Array:
    """The t beyond which u no longer changes or the normal density of u is nothing."""
    equal, ratio = _unequal(ratio)
    share = erf(REACH * gain) / jnp.where(ratio > 0, ratio, 1.0)
    reached = erfinv(jnp.where(share < 1, share, 0.0)) / gain
    return jnp.where(equal, REACH, jnp.where(share < 1, jnp.minimum(6 / gain, reached), 6 / gain))


def _beyond(ratio: Array, s: Squash) -> Array:
    """The integral of the normal density times X from u(infinity) on."""
    equal, ratio = _unequal(ratio)
    start = jnp.where(equal, REACH, jnp.minimum(erfinv(ratio) / s.gain, REACH))
    flat = jnp.maximum(start, s.top)
    z, weight = panels(start, (start + flat) / 2, flat)
    inside = jnp.sum(weight * normal_density(z) * erf(s.gain * z))
    return (inside + erfc(flat / np.sqrt(2)) / 2) / s.deviation


def _unequal(ratio: Array) -> tuple[Array, Array]:
    """Whether the weights are equal, and a ratio below 1."""
    equal = ratio > 1 - max(1e-12, 4 * float(jnp.finfo(ratio.dtype).eps))
    return equal, jnp.where(equal, 0.5, ratio)
