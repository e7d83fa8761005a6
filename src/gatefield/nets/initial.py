"""Initial receptive fields: by the name of a rule, by a rule of the user's own, or given.

A rule takes `(key, units, n, scale)` and gives fields of shape (units, n). To add a name: a function and a line in `INITIAL`.
"""

from collections.abc import Callable, Mapping
from typing import Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.arrays import Numbers, ScalarLike
from gatefield.core.errors import UserError
from gatefield.core.keys import Keys, as_key
from gatefield.core.tracing.functions import shape_of


def xavier(key: PRNGKeyArray, units: int, n: int, scale: float) -> Float[Array, "units n"]:
    """Xavier normal: independent N(0, scale^2 * 2 / (n + units))."""
    return scale * jnp.sqrt(2.0 / (n + units)) * jax.random.normal(key, (units, n))


def normal(key: PRNGKeyArray, units: int, n: int, scale: float) -> Float[Array, "units n"]:
    """Independent N(0, scale^2)."""
    return scale * jax.random.normal(key, (units, n))


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


Rule = Callable[[PRNGKeyArray, int, int, float], Array]
InitialName = Literal["xavier", "scaled-xavier", "normal", "basis", "positive", "zero"]
INITIAL: Mapping[InitialName, Rule] = {
    "xavier": xavier,
    "scaled-xavier": xavier,
    "normal": normal,
    "basis": basis,
    "positive": positive,
    "zero": zero,
}


def initial_fields(
    init: InitialName | Rule | Numbers, key: Keys | None, K: int, n: int, scale: ScalarLike
) -> Float[Array, "*runs K n"]:
    """Fields made by a rule, one set for each key, or the given ones times the scale."""
    factor = checks.scalar("init_scale", checks.finite("init_scale", scale))
    if isinstance(init, str) or callable(init):
        return _by_rule(init, key, K, n, factor)
    fields = jnp.asarray(checks.finite("init", init), float)
    if fields.shape[-2:] != (K, n) or fields.ndim > 3 or not fields.size:
        raise UserError(f"Given fields must have shape (K, n) = ({K}, {n}), or (runs, {K}, {n}), but have {fields.shape}.")
    return factor * fields


def _by_rule(init: str | Rule, key: Keys | None, K: int, n: int, scale: float) -> Float[Array, "*runs K n"]:
    rule = INITIAL[checks.choice("init", init, INITIAL)] if isinstance(init, str) else init
    if key is None:
        name = init if isinstance(init, str) else getattr(init, "__name__", "init")
        raise UserError(f"Initial fields by the rule '{name}' need a key; give one, such as key=jax.random.key(0).")
    wanted = f"init must be a function (key, units, n, scale) that gives shape ({K}, {n})"
    shape = shape_of(wanted, lambda k: rule(k, K, n, scale), jax.random.key(0))
    if shape != (K, n):
        raise UserError(f"{wanted}, but gives {shape}.")
    return jnp.vectorize(lambda k: rule(k, K, n, scale), signature="()->(k,n)")(as_key(key))
