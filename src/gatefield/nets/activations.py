"""Activation functions by name."""

from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
from jax.scipy.special import erf
from jaxtyping import Array, Float


def erf_unit(h: Float[Array, "..."]) -> Float[Array, "..."]:
    """erf(h / sqrt 2), the activation whose Gaussian averages have closed forms."""
    return erf(h / jnp.sqrt(2.0).astype(h.dtype))


ACTIVATIONS: Mapping[str, Callable[[Array], Array]] = {
    "relu": jax.nn.relu,
    "erf": erf_unit,
    "sigmoid": jax.nn.sigmoid,
    "linear": lambda h: h,
}
