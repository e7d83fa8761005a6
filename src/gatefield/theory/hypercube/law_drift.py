"""The drift of signs as a sum over the corners of the cube."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from gatefield.core.precision import real
from gatefield.core.ties import side
from gatefield.data.numerics import corners
from gatefield.theory.drift.many import each_field
from gatefield.theory.hypercube.law import law
from gatefield.theory.listed import gated_mean

Fields = Float[Array, "*fields n"]


def law_drift(w: Fields, corr: Any) -> tuple[Fields, Fields]:
    """The drift of signs with this latent correlation for each field, and a bound of its error at each site."""
    known, points = law(corr), real(corners(w.shape[-1]))
    return each_field(lambda one: _gated(one, points, known.chances, known.errors), w)


@jax.jit
def _gated(
    w: Float[Array, " n"], points: Array, chances: Array, errors: Array
) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    value = gated_mean(side(points, w[None])[:, 0] / 2, points, chances)
    return value, jnp.full_like(value, 0.5) * jnp.linalg.norm(errors)
