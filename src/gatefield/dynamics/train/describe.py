"""Sources, tasks and networks in words, for the attributes of a record."""

import json
from typing import Any

import jax
import numpy as np

from gatefield.core.runs import has_run_axis
from gatefield.core.text.plain import plain

MOST = 16
"""Arrays of more numbers are described by their shape."""


def describe(module: Any) -> str:
    """A module's class and fields as JSON.

    >>> from gatefield.data import Gaussian
    >>> describe(Gaussian(40, xi=2.0))
    '{"class": "Gaussian", "n": 40, "xi": 2.0, "boundary": "ring"}'
    """
    return json.dumps(plain(module, MOST))


def run_parameters(task: Any) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
    """The numbers of a task that differ from run to run, as coordinates: name -> (("run",), values)."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(task)
    batched = jax.tree.leaves(has_run_axis(task))
    named = [("_".join(key.name for key in path if hasattr(key, "name")), value) for path, value in leaves]
    return {name: (("run",), np.asarray(a)) for (name, a), runs in zip(named, batched, strict=True) if runs and np.ndim(a) == 1}
