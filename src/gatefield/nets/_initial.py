"""Initial receptive fields by name.

Each rule takes `(key, units, n, scale)` and gives fields of shape (units, n). To add one: a function and a line in `INITIAL`.
"""

from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray


def xavier(key: PRNGKeyArray, units: int, n: int, scale: float) -> Float[Array, "units n"]:
    """Xavier normal: independent N(0, scale^2 * 2 / (n + units))."""
    return scale * jnp.sqrt(2.0 / (n + units)) * jax.random.normal(key, (units, n))


def basis(key: PRNGKeyArray, units: int, n: int, scale: float) -> Float[Array, "units n"]:
    """Basis vectors `scale * e_i`, their sites spread evenly over the ring; the key is not used."""
    sites = jnp.arange(units) * n // units
    return scale * jax.nn.one_hot(sites, n)


def positive(key: PRNGKeyArray, units: int, n: int, scale: float) -> Float[Array, "units n"]:
    """Mostly positive: Xavier magnitudes, each entry positive with probability 0.9."""
    size_key, sign_key = jax.random.split(key)
    signs = jnp.where(jax.random.bernoulli(sign_key, 0.9, (units, n)), 1.0, -1.0)
    return signs * jnp.abs(xavier(size_key, units, n, scale))


INITIAL: Mapping[str, Callable[[PRNGKeyArray, int, int, float], Array]] = {
    "xavier": xavier,
    "scaled-xavier": xavier,
    "basis": basis,
    "positive": positive,
}
