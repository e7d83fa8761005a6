r"""Integrals over a squashed normal variable $x = \operatorname{erf}(gz)/Z(g)$, for all gains from 0 to infinity.

Where $gz > 6$, x is constant to double precision and the normal tail is known, so that Gauss-Legendre panels are needed on
$0 \le z \le \min(6/g, 12)$ only. There $x = m z (1 - \delta(g^2 z^2))$ with the slope $m = 2g/(\sqrt\pi Z(g))$ and
$\delta(q) = 1 - \tfrac{\sqrt\pi}2 \operatorname{erf}(\sqrt q)/\sqrt q$, which is smooth in q and free of cancellation.
"""

import math
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax.scipy.special import erf, erfc
from jaxtyping import Array, Float

from gatefield.core.precision import real
from gatefield.data.numerics import gain_deviation

NODES = 32
"""Of each panel; the integrands are smooth on it, so that more change nothing in double precision."""
_LEAST_GAIN, _MOST_GAIN = 1e-9, 1e15
REACH = 12.0
"""Beyond so many standard deviations the normal density is below 1e-31."""
_TERMS = 18
"""The last one is below 1e-17 at q = 1, where the series ends."""
_SERIES = tuple((-1) ** (k + 1) / (math.factorial(k) * (2 * k + 1)) for k in range(1, _TERMS + 1))


class Squash(NamedTuple):
    """What the integrals need of a gain: the gain itself within its range, Z(g), m, the end of the panels, the tail beyond."""

    gain: Array
    deviation: Array
    slope: Array
    top: Array
    tail: Array


def squash(gain: Array) -> Squash:
    """Gains below 1e-9 and above 1e15 count as these; what they leave out is below 1e-15 relative to x."""
    gain = jnp.where(gain < _LEAST_GAIN, _LEAST_GAIN, jnp.where(gain > _MOST_GAIN, _MOST_GAIN, gain))
    deviation = real(gain_deviation(gain))
    top = jnp.minimum(6 / gain, REACH)
    return Squash(gain, deviation, 2 / np.sqrt(np.pi) * gain / deviation, top, erfc(top / np.sqrt(2)) / 2)


def sag(q: Array) -> Array:
    r"""$\delta(q) = 1 - \tfrac{\sqrt\pi}2 \operatorname{erf}(\sqrt q)/\sqrt q$: how far erf falls below its slope at 0."""
    small = q < 1
    near = q * jnp.polyval(jnp.asarray(_SERIES[::-1], dtype=q.dtype), jnp.where(small, q, 0.0))
    root = jnp.sqrt(jnp.where(small, 1.0, q))
    return jnp.where(small, near, 1 - np.sqrt(np.pi) / 2 * erf(root) / root)


def panels(*edges: Array) -> tuple[Float[Array, "*shape nodes"], Float[Array, "*shape nodes"]]:
    """Nodes and weights of Gauss-Legendre panels between the edges, along a new last axis."""
    return panels_between(jnp.stack(edges, axis=-1))


def panels_between(edges: Float[Array, "*shape edges"]) -> tuple[Float[Array, "*shape nodes"], Float[Array, "*shape nodes"]]:
    """As `panels`, with the edges along the last axis."""
    nodes, weights = (real(values) for values in np.polynomial.legendre.leggauss(NODES))
    low, width = edges[..., :-1, None], jnp.diff(edges, axis=-1)[..., None]
    points, weights = low + width * (1 + nodes) / 2, width * weights / 2
    return points.reshape(*edges.shape[:-1], -1), weights.reshape(*edges.shape[:-1], -1)


def normal_panels(top: Array) -> tuple[Float[Array, "*shape nodes"], Float[Array, "*shape nodes"]]:
    """Nodes z on [0, top], and weights that include the normal density."""
    z, weight = panels(jnp.zeros_like(top), top / 2, top)
    return z, weight * normal_density(z)


def normal_density(z: Array) -> Array:
    return jnp.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
