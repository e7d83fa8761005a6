"""One scale for all fields, so that measures which do not depend on it neither overflow nor underflow."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Num


def scaled(w: Num[Array, "*shape"], axis: int = -1) -> Num[Array, "*shape"]:
    """Fields times a power of two, so that the largest entry along the axis lies between 1/2 and 1.

    No digit is lost and none depends on the scale. The power is applied in two halves, since the whole may lie outside the
    range of the float type. It counts as a constant in derivatives, which is right for what does not depend on scale. A field
    of zeros or of no entries stays, and so does one of numbers so small that the device counts them as zero (below 2.2e-308 in
    float64, 1.2e-38 in float32).
    """
    if not w.size or not w.ndim:
        return w
    size = jax.lax.stop_gradient(jnp.maximum(jnp.abs(jnp.real(w)), jnp.abs(jnp.imag(w))))
    _, exponent = jnp.frexp(jnp.max(size, axis=axis, keepdims=True))
    half = exponent // 2
    one = jnp.ones((), size.dtype)
    return w * jnp.ldexp(one, -half) * jnp.ldexp(one, half - exponent)
