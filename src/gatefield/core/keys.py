"""PRNG keys, as users hand them in."""

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


def as_key(key: Any) -> Key[Array, "..."]:
    """A typed key, or an array of them; raw `uint32` key data is wrapped.

    >>> import jax
    >>> as_key(jax.random.PRNGKey(0)).shape
    ()
    """
    if isinstance(key, jax.Array) and jnp.issubdtype(key.dtype, jax.dtypes.prng_key):
        return key
    if getattr(key, "dtype", None) == np.uint32 and np.ndim(key) >= 1:
        return jax.random.wrap_key_data(jnp.asarray(key))
    raise UserError(f"key must be a JAX PRNG key, but is {quoted(key)}; make one with jax.random.key(0).")
