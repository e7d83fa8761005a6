"""Sources, tasks and networks in words, for the attributes of a record."""

import dataclasses
import json
from typing import Any

import equinox as eqx
import jax
import numpy as np

from gatefield.core.runs import has_run_axis

MOST = 16
"""Arrays of more numbers are described by their shape."""


def describe(module: Any) -> str:
    """A module's class and fields as JSON.

    >>> from gatefield.data import Gaussian
    >>> describe(Gaussian(40, xi=2.0))
    '{"class": "Gaussian", "n": 40, "xi": 2.0, "boundary": "ring"}'
    """
    return json.dumps(_plain(module))


def run_parameters(task: Any) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
    """The numbers of a task that differ from run to run, as coordinates: name -> (("run",), values)."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(task)
    batched = jax.tree.leaves(has_run_axis(task))
    named = [("_".join(key.name for key in path if hasattr(key, "name")), value) for path, value in leaves]
    return {name: (("run",), np.asarray(a)) for (name, a), runs in zip(named, batched, strict=True) if runs and np.ndim(a) == 1}


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        fields = {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {"class": type(value).__name__, **fields}
    if eqx.is_array(value):
        array = np.asarray(value)
        return array.tolist() if array.size <= MOST else f"array of shape {array.shape}"
    if isinstance(value, bool | int | float | str | None):
        return value
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return getattr(value, "__qualname__", type(value).__name__)
