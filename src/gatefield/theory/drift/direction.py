"""The direction of the drift, for fields whose length does not matter."""

import jax.numpy as jnp

from gatefield.theory.drift.arrays import Field, Matrix


def direction(w: Field, cov: Matrix) -> Field:
    r"""$Cw/\sqrt{w^\top C w}$ for a field that is `scaled`; 0, with derivative 0, where the root is 0, and NaN for NaN."""
    image = jnp.matmul(cov, w, precision="highest")
    square = jnp.matmul(w, image, precision="highest")
    flat = square <= 0  # false for NaN, which stays NaN
    return jnp.where(flat, 0.0, image / jnp.sqrt(jnp.where(flat, 1.0, square)))
