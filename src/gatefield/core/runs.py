"""The run axis: how one module stands for many runs at once.

An array of a module may carry a leading run axis: a gain axis in a source, a seed axis in a network. Each field says how many
dimensions its array has without that axis (`leaf(ndim)`; 0 for fields that do not say), so that one in excess is the run axis.
"""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import DictKey, GetAttrKey, SequenceKey

from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted


def leaf(ndim: int, **kwargs: Any) -> Any:
    """A module field that holds an array of `ndim` dimensions for one run."""
    return eqx.field(metadata={"ndim": ndim}, **kwargs)


def run_axes(tree: Any) -> Any:
    """The `in_axes` for `jax.vmap`: 0 for arrays with a run axis, None for those without.

    >>> import numpy as np
    >>> run_axes({"gain": np.ones(3), "xi": np.ones(())})
    {'gain': 0, 'xi': None}
    """
    return map_run_axes(lambda value, axis: axis, tree)


def has_run_axis(tree: Any) -> Any:
    """A tree of the same shape, True for arrays with a run axis."""
    return map_run_axes(lambda value, axis: axis == 0, tree)


def spread(tree: Any, runs: int) -> Any:
    """The tree with a run axis on every array; what is shared between runs is copied for each."""

    def copy(value: Any, axis: int | None) -> Any:
        shape = np.shape(value) if axis == 0 else (runs, *np.shape(value))
        return jnp.array(jnp.broadcast_to(value, shape)) if eqx.is_array(value) else value

    return map_run_axes(copy, tree)


def one_run(tree: Any, run: int) -> Any:
    """The tree, such as a network with a run axis, as one of its runs has it; runs are counted from 0.

    >>> import numpy as np
    >>> one_run({"gain": np.array([1.0, 3.0]), "xi": np.array(2.0)}, 1)
    {'gain': np.float64(3.0), 'xi': array(2.)}
    """
    runs = run_count(tree) or 1
    if isinstance(run, bool) or not isinstance(run, int | np.integer) or not 0 <= run < runs:
        raise UserError(
            f"run must be one of the {runs} runs, counted from 0, but is {quoted(run)}; write run={runs - 1} for the last."
        )
    return map_run_axes(lambda value, axis: value if axis is None else value[run], tree)


def run_count(tree: Any) -> int | None:
    """How many runs a module stands for, or None if no array has a run axis."""
    paths, _ = jax.tree_util.tree_flatten_with_path(tree)
    lengths = {path: np.shape(value)[0] for path, value in paths if _axis(tree, path, value) == 0}
    empty = next((path for path, length in lengths.items() if not length), None)
    if empty is not None:
        raise UserError(
            f"A run axis must have one or more runs, but that of {_name(empty)} has none; give a number, or one for each run."
        )
    counts = set(lengths.values())
    if len(counts) > 1:
        raise UserError(
            f"All run axes must have the same length, but there are lengths {sorted(counts)}; broadcast them to one."
        )
    return counts.pop() if counts else None


def undeclared(module: Any) -> str:
    """What to say, if anything, of the first array whose field has no `leaf`, so that an axis of it counts as runs."""
    paths, _ = jax.tree_util.tree_flatten_with_path(module)
    fields = getattr(type(module), "__dataclass_fields__", {})
    for path, value in paths:
        name = getattr(path[0], "name", None) if len(path) == 1 else None
        if name in fields and "ndim" not in fields[name].metadata and eqx.is_array(value) and np.ndim(value):
            return (
                f"; {name} of shape {np.shape(value)} counts as one number for each of {len(value)} runs: an array of one "
                f"run is declared by {name}: jax.Array = gatefield.leaf({np.ndim(value)})"
            )
    return ""


def map_run_axes(function: Callable[[Any, int | None], Any], tree: Any) -> Any:
    """`function(leaf, its run axis)` for every leaf."""
    paths, structure = jax.tree_util.tree_flatten_with_path(tree)
    return jax.tree.unflatten(structure, [function(value, _axis(tree, path, value)) for path, value in paths])


def _ndim(tree: Any, path: tuple) -> int:
    """The dimensions of one run's array at `path`, as stated by the last module field on the way."""
    ndim = 0
    for key in path:
        match key:
            case GetAttrKey():
                fields = getattr(type(tree), "__dataclass_fields__", {})
                ndim = fields[key.name].metadata.get("ndim", 0) if key.name in fields else 0
                tree = getattr(tree, key.name)
            case SequenceKey():
                tree = tree[key.idx]
            case DictKey():
                tree = tree[key.key]
    return ndim


def _name(path: tuple) -> str:
    """The fields on the way to an array, as they are written: positive.xi."""
    return ".".join(key.name for key in path if isinstance(key, GetAttrKey)) or "an array"


def _axis(tree: Any, path: tuple, value: Any) -> int | None:
    if not eqx.is_array(value):
        return None
    ndim = _ndim(tree, path)
    extra = np.ndim(value) - ndim
    if extra not in (0, 1):
        raise UserError(
            f"{_name(path)} must have {ndim} dimensions, or {ndim + 1} with a run axis, but has shape {np.shape(value)}; "
            f"fields that hold arrays are declared with gatefield.leaf(dimensions)."
        )
    return 0 if extra else None
