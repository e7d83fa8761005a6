"""Keys made from keys, as `jax.random` makes them, on a GPU without kernels of their own.

There each `fold_in` and each `split` of `jax.random` is a kernel, which for a small batch takes a good part of a step.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Integer, Key, PRNGKeyArray, UInt32

from gatefield.data.numerics.normals import threefry


def fold_in(key: PRNGKeyArray, number: Integer[Array, ""]) -> PRNGKeyArray:
    """`jax.random.fold_in(key, number)`."""
    return _folded(key, number) if _apart(key) else jax.random.fold_in(key, number)


def split(key: PRNGKeyArray, count: int) -> Key[Array, " count"]:
    """`jax.random.split(key, count)`."""
    return _split(key, count) if _apart(key) else jax.random.split(key, count)


def _apart(key: PRNGKeyArray) -> bool:
    """Whether `jax.random` would launch a kernel for it, and it is a key of Threefry split as JAX does by default."""
    usual = jax.config.jax_threefry_partitionable and str(jax.random.key_impl(key)) == "threefry2x32"  # pyright: ignore
    return usual and jax.default_backend() == "gpu"


def _folded(key: PRNGKeyArray, number: Array) -> PRNGKeyArray:
    return _block(key, jnp.zeros((), np.uint32), jnp.asarray(number).astype(np.uint32))


def _split(key: PRNGKeyArray, count: int) -> Key[Array, " count"]:
    counter = jnp.arange(count, dtype=np.uint32)
    words = jax.random.key_data(_block(key, jnp.zeros_like(counter), counter))
    return jax.random.wrap_key_data(jax.lax.optimization_barrier(words))  # or each normal number would make its key anew


def _block(key: PRNGKeyArray, high: UInt32[Array, "..."], low: UInt32[Array, "..."]) -> Key[Array, "..."]:
    """The keys whose words are the blocks with these counters."""
    words = jax.random.key_data(key)
    return jax.random.wrap_key_data(jnp.stack(threefry(words[0], words[1], high, low), axis=-1))
