"""PRNG keys, as users hand them in."""

import contextlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key, UInt32

from gatefield.core.arrays import Exact
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted

Keys = Key[Array, "..."] | UInt32[Exact, "... _"]
"""One key, or one for each run, as users have them: typed, or raw key data."""


def as_key(key: Any, *, runs: bool = True) -> Key[Array, "..."]:
    """A typed key, or if `runs` allows it one for each run; raw `uint32` key data is wrapped.

    >>> import jax
    >>> as_key(jax.random.PRNGKey(0)).shape
    ()
    """
    if getattr(key, "dtype", None) == np.uint32 and np.ndim(key) >= 1:
        with contextlib.suppress(TypeError, ValueError):  # numbers that are no key
            key = jax.random.wrap_key_data(jnp.asarray(key))
    if isinstance(key, jax.Array) and jnp.issubdtype(key.dtype, jax.dtypes.prng_key):
        if key.ndim > runs or not key.size:
            rule = "one key, or one for each run" if runs else "one key"
            raise UserError(f"key must be {rule}, but has shape {key.shape}; write key=jax.random.key(0).")
        return key
    raise UserError(f"key must be a JAX PRNG key, but is {quoted(key)}; make one with jax.random.key(0).")
