"""Lengths and angles of fields in the metric of a covariance.

For x ~ N(0, C) all that matters of fields w_j are their lengths |w_j| = sqrt(w_j'C w_j) and the angles between them,
cos theta_jk = w_j'C w_k/(|w_j||w_k|). The sine is the length of what is left of one unit field after its part along the other
is taken away, which stays accurate where 1 - cos^2 would cancel. Two gates are open together on a wedge of angle pi - theta;
kept in place of theta, it is good to rounding for nearly parallel fields, and to a small relative error for nearly opposite
ones.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gatefield.core.arrays import Fields, Matrix
from gatefield.core.errors import UserError
from gatefield.core.precision import real
from gatefield.theory.inputs import check_sites

_SMALL = 0.2
"""Angles below it, in radians, take the series: its sixth term is then below 1e-15 of the first."""
_EXCESS = (1 / 3, -1 / 30, 1 / 840, -1 / 45_360, 1 / 3_991_680)
"""sin a - a cos a = a^3 (1/3 - a^2/30 + a^4/840 - ...)."""


class Geometry(NamedTuple):
    """What one Gaussian class knows of K fields."""

    lengths: Float[Array, " K"]
    """|w_j|."""
    units: Fields
    """w_j/|w_j|, zero for a zero field."""
    images: Fields
    """C w_j/|w_j|, zero for a zero field."""
    sines: Float[Array, "K K"]
    cosines: Float[Array, "K K"]
    wedges: Float[Array, "K K"]
    """pi - theta_jk in [0, pi], exactly pi for j = k."""


def geometry(W: Fields, cov: Matrix) -> Geometry:
    """Lengths and angles of the rows of W in the metric of `cov`; derivatives are never NaN.

    A zero field has length 0, and angle theta = 0 to every field.
    """
    scale = jax.lax.stop_gradient(jnp.max(jnp.abs(W), axis=1))
    scaled = W / jnp.where(scale == 0, 1.0, scale)[:, None]
    image = jnp.matmul(scaled, cov, precision="highest")
    length = safe_sqrt(jnp.sum(scaled * image, axis=1))
    positive = length != 0  # true for NaN, which stays NaN
    inverse = jnp.where(positive, 1 / jnp.where(positive, length, 1.0), 0.0)[:, None]
    units, images = scaled * inverse, image * inverse
    apart = positive[:, None] & positive & ~np.eye(len(W), dtype=bool)
    sines, cosines = _sines_and_cosines(units, images, apart)
    return Geometry(scale * length, units, images, sines, cosines, jnp.arctan2(sines, -cosines))


def _sines_and_cosines(units: Fields, images: Fields, apart: Array) -> tuple[Array, Array]:
    """For all pairs that are `apart`; 0 and 1 for the others. A sine below rounding is 0."""
    cosines = jnp.where(apart, jnp.matmul(units, images.T, precision="highest"), 1.0)
    rests = units[None] - cosines[..., None] * units[:, None]
    squares = jnp.sum(rests * (images[None] - cosines[..., None] * images[:, None]), axis=-1)
    noise = jnp.finfo(units.dtype).eps ** 2
    return safe_sqrt(jnp.where(apart & ~(squares <= noise), squares, 0.0)), cosines


def overlap(sine: Array, cosine: Array) -> Array:
    """sin theta + (pi - theta) cos theta, without cancellation near theta = pi, and with two derivatives near 0 and pi.

    It is the excess sin alpha - alpha cos alpha of the acute angle alpha, plus pi cos theta if theta is acute itself.
    """
    acute = jnp.arctan2(sine, jnp.abs(cosine))
    small = acute < _SMALL
    near = jnp.where(small, acute, 0.0)
    series = near**3 * jnp.polyval(jnp.asarray(_EXCESS[::-1], dtype=acute.dtype), near**2)
    excess = jnp.where(small, series, sine - acute * jnp.abs(cosine))
    return excess + jnp.pi * jnp.maximum(cosine, 0.0)


def safe_sqrt(square: Array) -> Array:
    """The square root where it is positive, else 0 with derivative 0; NaN for NaN."""
    flat = square <= 0  # false for NaN, which stays NaN
    return jnp.where(flat, 0.0, jnp.sqrt(jnp.where(flat, 1.0, square)))


def pair(w: Any, v: Any, cov: Any) -> tuple[Fields, Matrix]:
    """Two fields as the rows of one array, and their covariance, with shapes checked."""
    w, v, cov = real(w), real(v), real(cov)
    if v.shape != w.shape:
        raise UserError(f"v must be a field of shape (n,), like w, but has shape {v.shape} and w has {w.shape}; cut one.")
    check_sites(w, cov)
    return jnp.stack([w, v]), cov
