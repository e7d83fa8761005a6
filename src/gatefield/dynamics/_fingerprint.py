"""Which run is this? Equal fingerprints mean equal numbers."""

import hashlib
import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def fingerprint(*parts: Any) -> str:
    """A SHA-256 over all arrays, settings and structure of the given trees; functions count by their full name.

    >>> fingerprint({"a": 1.0}) == fingerprint({"a": 1.0}), fingerprint({"a": 1.0}) == fingerprint({"a": 2.0})
    (True, False)
    """
    leaves, structure = jax.tree.flatten(parts)
    digest = hashlib.sha256(_named(structure).encode())
    for leaf in leaves:
        digest.update(_leaf_bytes(leaf))
    return digest.hexdigest()


def _leaf_bytes(leaf: Any) -> bytes:
    if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    if isinstance(leaf, jax.Array | np.ndarray | np.generic):
        array = np.asarray(leaf)
        return f"{array.dtype}{array.shape}".encode() + array.tobytes()
    return _named(leaf).encode()


def _named(value: Any) -> str:
    """A text for `value` without memory addresses, which differ from one process to the next."""
    name = getattr(value, "__qualname__", None)
    return f"{value.__module__}.{name}" if name else re.sub(r" at 0x[0-9a-f]+", "", str(value))
