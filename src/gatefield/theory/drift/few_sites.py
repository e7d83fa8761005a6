"""The drift's Jacobian for squashed Gaussian fields where one or two sites decide the gate: in closed form, by quadrature."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import erf, erfinv
from jaxtyping import Array

from gatefield.core.precision import real
from gatefield.data import Squashed
from gatefield.theory.drift.arrays import Field, Matrix
from gatefield.theory.squash import REACH, Squash, panels_between, squash

_EVENLY = np.linspace(0, REACH, 49)
_BENDS = np.array([0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0])
"""Edges of panels: in standard deviations, and in widths of erf(g t)."""
_LONGEST = 100.0
"""How much further than REACH panels go, for equal weights close to the gain from which on the integral is infinite."""
_EQUAL = 1e-9
"""Weights closer than this, relative to their size, count as equal."""


def one_site_jacobian(squashed: Squashed, w: Field) -> Matrix:
    r"""The Jacobian where w has one entry, at site i: $x_i = 0$ is $z_i = 0$, and given that z is Gaussian.

    $$J_{jk} = \frac{1}{\sqrt2\,\pi g Z(g)\,|w_i|}\arcsin\frac{c_{jk}}{\sqrt{(c_{jj}+\frac1{2g^2})(c_{kk}+\frac1{2g^2})}},
    \qquad c_{jk} = \rho_{jk} - \rho_{ij}\rho_{ik}$$

    The arcsine is taken as an arctangent, which loses no digits near 1.
    """
    s, rho, site = squash(real(squashed.gain)), real(squashed.correlation), jnp.argmax(jnp.abs(w))
    c = rho - jnp.outer(rho[site], rho[site])
    own, flat = jnp.maximum(jnp.diagonal(c), 0.0), 1 / (2 * s.gain**2)
    rest = jnp.maximum(jnp.outer(own, own) - c**2, 0.0)
    angle = jnp.arctan2(c, jnp.sqrt(flat * (flat + own[:, None] + own[None]) + rest))
    angle = angle.at[site].set(0.0).at[:, site].set(0.0)  # x_i = 0 there
    value = angle / (np.sqrt(2) * np.pi * s.gain * s.deviation) / jnp.abs(w[site])
    return jnp.where(jnp.isinf(real(squashed.gain)), 0.0, value)


@jax.jit
def two_site_jacobian(squashed: Squashed, w: Field) -> Matrix:
    r"""The Jacobian of two sites, by one integral along the curve on which $\langle w,x\rangle = 0$.

    With $w_1$ the weight of larger size, $r = |w_2/w_1|$ and $u(t) = \operatorname{erf}^{-1}(r\operatorname{erf}(gt))/g$, the
    place of $z_1$ that balances $z_2 = t$,

    $$J = \frac{2}{|w_1|}\int_0^\infty p(-\sigma u(t), t)\,\frac{X(t)^2}{X'(u(t))}\,dt\;
    \begin{pmatrix} r^2 & -\sigma r \\ -\sigma r & 1 \end{pmatrix}$$

    with p the density of z and $\sigma$ the sign of $w_1w_2$. For weights of equal size it is infinite if
    $g^2(1-\sigma\rho) \ge 1$: the drift is continuous there, but infinitely steep.
    """
    s, rho = squash(real(squashed.gain)), real(squashed.correlation)[0, 1]
    swap = jnp.abs(w[0]) < jnp.abs(w[1])
    large, small = jnp.where(swap, w[::-1], w)
    size, sign = jnp.abs(large), jnp.where(small * large < 0, -1.0, 1.0)
    ratio = jnp.abs(small) / size
    shape = jnp.array([[ratio**2, -sign * ratio], [-sign * ratio, 1.0]])
    value = 2 / size * _along_the_curve(ratio, sign * rho, s) * jnp.where(swap, shape[::-1, ::-1], shape)
    return jnp.where(jnp.isinf(real(squashed.gain)), 0.0, value)


def _along_the_curve(ratio: Array, rho: Array, s: Squash) -> Array:
    equal = ratio > 1 - _EQUAL
    below = jnp.where(equal, 0.5, ratio)
    left = 1 - s.gain**2 * (1 - rho)  # what the density leaves of its decay along the curve of equal weights
    reach = jnp.where(equal & (left > 0), jnp.minimum(jax.lax.rsqrt(jnp.where(left > 0, left, 1.0)), _LONGEST), 1.0)
    edges = jnp.sort(jnp.concatenate([jnp.minimum(real(_BENDS) / s.gain, REACH), reach * real(_EVENLY)]))
    t, weight = panels_between(edges)
    x = erf(s.gain * t)
    u = jnp.where(equal, t, jnp.minimum(erfinv(below * x) / s.gain, t))
    square = jnp.maximum((1 - rho) * (1 + rho), float(jnp.finfo(rho.dtype).tiny))
    density = jnp.exp((s.gain * u) ** 2 - (u**2 + 2 * rho * u * t + t**2) / (2 * square)) / (2 * np.pi * jnp.sqrt(square))
    value = jnp.sum(weight * density * x**2) / (s.deviation**2 * s.slope)
    return jnp.where(equal & (left <= 0), jnp.inf, value)
