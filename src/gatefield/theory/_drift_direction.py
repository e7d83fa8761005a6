"""Fields whose length does not matter, brought to a common length."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

Field = Float[Array, " n"]
Matrix = Float[Array, "n n"]


def scaled(w: Field) -> Field:
    """w over a power of two near its largest entry: exact, and squares of it neither overflow nor vanish.

    The power has derivative 0, so this is for functions that do not depend on the length of w. A field that is zero or not
    finite stays as it is.
    """
    peak = jax.lax.stop_gradient(jnp.max(jnp.abs(w), initial=0.0)) / 2
    power = jax.lax.reduce_precision(peak, exponent_bits=jnp.finfo(w.dtype).nexp, mantissa_bits=0)
    return w / jnp.where((power > 0) & jnp.isfinite(power), power, 1.0)


def direction(w: Field, cov: Matrix) -> Field:
    r"""$Cw/\sqrt{w^\top C w}$ for a field that is `scaled`; 0, with derivative 0, where the root is 0, and NaN for NaN."""
    pull = jnp.matmul(cov, w, precision="highest")
    square = jnp.matmul(w, pull, precision="highest")
    flat = square <= 0  # false for NaN, which stays NaN
    return jnp.where(flat, 0.0, pull / jnp.sqrt(jnp.where(flat, 1.0, square)))
