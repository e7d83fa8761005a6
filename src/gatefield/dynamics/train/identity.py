"""Which run is this? Equal fingerprints mean equal numbers."""

import functools
import hashlib
import re
from types import CodeType, FunctionType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def fingerprint(*parts: Any) -> str:
    """A SHA-256 over all arrays, settings and structure of the given trees; functions count by their code and what they hold.

    >>> fingerprint({"a": 1.0}) == fingerprint({"a": 1.0}), fingerprint({"a": 1.0}) == fingerprint({"a": 2.0})
    (True, False)
    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 2)
    False
    """
    leaves, structure = jax.tree.flatten(parts)
    digest = hashlib.sha256(_plain(structure).encode())
    functions = [
        value for value in jax.tree.leaves(_settings(structure)) if isinstance(value, FunctionType | functools.partial)
    ]
    for leaf in (*leaves, *functions):
        digest.update(_bytes(leaf))
    return digest.hexdigest()


def _settings(structure: Any) -> list[Any]:
    """The static fields of all modules in a tree; its text names functions among them, but not what they do."""
    data = structure.node_data()
    return [*(() if data is None else (data[1],)), *(_settings(child) for child in structure.children())]


def _bytes(leaf: Any) -> bytes:
    if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    if isinstance(leaf, jax.Array | np.ndarray | np.generic):
        array = np.asarray(leaf)
        return f"{array.dtype}{array.shape}".encode() + array.tobytes()
    if isinstance(leaf, functools.partial):
        return _bytes(leaf.func) + fingerprint(leaf.args, leaf.keywords).encode()
    if isinstance(leaf, FunctionType):
        held = [cell.cell_contents for cell in leaf.__closure__ or ()]
        return (
            f"{leaf.__module__}.{leaf.__qualname__}".encode()
            + _code(leaf.__code__)
            + fingerprint(leaf.__defaults__, held).encode()
        )
    return _plain(leaf).encode()


def _code(code: CodeType) -> bytes:
    """What a function does: its instructions, names and constants, those of inner functions too."""
    inner = [_code(c) if isinstance(c, CodeType) else _plain(c).encode() for c in code.co_consts]
    return code.co_code + " ".join(code.co_names).encode() + b"".join(inner)


def _plain(value: Any) -> str:
    """A text for `value` without memory addresses, which differ from one process to the next."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))
