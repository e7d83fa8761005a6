"""Initial receptive fields by name.

Each rule takes `(key, units, n, scale)` and gives fields of shape (units, n). To add one: a function and a line in `INITIAL`.
"""

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.keys import as_key


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


def zero(key: PRNGKeyArray, units: int, n: int, scale: float) -> Float[Array, "units n"]:
    """All zero; a ReLU unit never leaves it, a gated linear one does. The key is not used."""
    return jnp.zeros((units, n))


INITIAL: Mapping[str, Callable[[PRNGKeyArray, int, int, float], Array]] = {
    "xavier": xavier,
    "scaled-xavier": xavier,
    "basis": basis,
    "positive": positive,
    "zero": zero,
}


def initial_fields(init: Any, key: PRNGKeyArray | None, K: int, n: int, scale: float) -> Float[Array, "*runs K n"]:
    """Fields made by a named rule, one set for each key, or the given ones."""
    scale = checks.scalar("init_scale", checks.finite("init_scale", scale))
    key = None if key is None else as_key(key)
    if isinstance(init, str):
        rule = INITIAL[checks.choice("init", init, INITIAL)]
        if key is None:
            raise UserError(f"Initial fields by the rule '{init}' need a key; give one, such as key=jax.random.key(0).")
        return jnp.vectorize(lambda k: rule(k, K, n, scale), signature="()->(k,n)")(key)
    fields = jnp.asarray(checks.finite("init", init), float)
    if fields.shape[-2:] != (K, n) or fields.ndim > 3:
        raise UserError(f"Given fields must have shape (K, n) = ({K}, {n}), or (runs, {K}, {n}), but have {fields.shape}.")
    return scale * fields
