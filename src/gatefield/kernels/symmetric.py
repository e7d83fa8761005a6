"""The kernel of a set of samples with itself on an accelerator, by half of its products."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gatefield.kernels.features import Features, cut, kernel, strips

STRIPS = 8
"""With so many strips of rows up to the diagonal, 9/16 of all products are made; more strips are too narrow for a GPU."""
LEAST = 4096
"""Samples from which on it is worth while."""


def square(parts: Features) -> Any:
    """Sum over the layers of the product of both Grams, of all samples with each other."""
    samples = len(parts.forward[0])
    if isinstance(parts.forward[0], np.ndarray) or samples < LEAST:
        return kernel(parts, parts)
    return by_halves(-(-samples // STRIPS), parts)


@functools.partial(jax.jit, static_argnums=0)
def by_halves(height: int, parts: Features) -> jax.Array:
    """Strips of rows up to the diagonal, each with its mirror image."""
    samples = len(parts.forward[0])
    matrix = jnp.empty((samples, samples), parts.forward[0].dtype)
    for rows, columns in strips(samples, height):
        strip = kernel(cut(parts, rows), cut(parts, columns))
        matrix = matrix.at[rows, columns].set(strip)
        if rows.start:
            matrix = matrix.at[: rows.start, rows].set(strip[:, : rows.start].T)
    return matrix
