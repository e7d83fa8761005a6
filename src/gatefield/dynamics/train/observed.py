"""Whether what a training is to observe can be recorded."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.core.tracing.functions import shape_of

_RULE = "observe must be a dict, name -> (dimension names, function of the network)"
_EXAMPLE = "write for instance observe={'total': ((), lambda net: net.fields.sum())}"
COORDS = ("run", "step", "time", "seed", "learning_rate", "train_key", "evaluation_key", "word", "status")
"""What every record holds beside what is observed."""


class Observed(NamedTuple):
    """One quantity to observe: its dimension names, its function of one run's network, and the shape of what that gives."""

    dims: tuple[str, ...]
    function: Callable[[Any], Any]
    shape: tuple[int, ...]


def check_observed(observe: Any, net: Any) -> dict[str, Observed]:
    """What to observe beside the network's own observables; `net` is that of one run."""
    if observe is not None and not isinstance(observe, Mapping):
        raise UserError(f"{_RULE}, but is {quoted(observe)}; {_EXAMPLE}.")
    return {name: _observed(name, value, net) for name, value in (observe or {}).items()}


def _observed(name: Any, value: Any, net: Any) -> Observed:
    if not isinstance(name, str) or not re.fullmatch(r"\w[\w .-]*", name):
        raise UserError(
            f"observe must name what is recorded by letters and digits, but has the name {quoted(name)}; {_EXAMPLE}."
        )
    if not isinstance(value, Sequence) or len(value) != 2 or not are_names(value[0]) or not callable(value[1]):
        raise UserError(f"{_RULE}, but '{name}' is {quoted(value)}; {_EXAMPLE}.")
    shape = shape_of(f"'{name}' in observe must be a function of the network", value[1], net)
    return Observed(tuple(value[0]), value[1], shape)


Dims = dict[str, tuple[str, ...]]
Shapes = Mapping[str, tuple[int, ...]]


def check_record(dims: Dims, shapes: Shapes, observed: Mapping[str, Observed], coords: Iterable[str]) -> Dims:
    """The dimension names of all that is recorded, if no name is used twice and dimensions of one name have one size.

    `dims` and `shapes` are those of what is recorded anyway, and `coords` the names of its further coordinates.
    """
    coords = {*COORDS, *coords}
    taken = {*coords, *shapes, *(dim for names in dims.values() for dim in names)}
    for name in taken & set(observed):
        raise UserError(f"observe must not use the name '{name}', which is recorded anyway; choose another name.")
    dims, shapes = dims | {name: one.dims for name, one in observed.items()}, {**shapes, **_shapes(observed)}
    sizes: dict[str, int] = {}
    for name, shape in shapes.items():
        wrong = [dim for dim in dims[name] if dim in {*shapes, *coords} or dims[name].count(dim) > 1]
        if wrong:
            raise UserError(f"'{name}' has the dimension '{wrong[0]}', whose name is taken; choose another name for it.")
        if len(dims[name]) != len(shape):
            raise UserError(f"'{name}' has {len(shape)} dimensions, but the names given are {dims[name]}; name each dimension.")
        for dim, size in zip(dims[name], shape, strict=True):
            if sizes.setdefault(dim, size) != size:
                raise UserError(
                    f"'{name}' has {size} entries along '{dim}', which has {sizes[dim]} elsewhere; choose another name for it."
                )
    return dims


def _shapes(observed: Mapping[str, Observed]) -> dict[str, tuple[int, ...]]:
    return {name: one.shape for name, one in observed.items()}


def are_names(dims: Any) -> bool:
    """Whether these are names of dimensions: a sequence of texts."""
    return isinstance(dims, Sequence) and not isinstance(dims, str) and all(isinstance(dim, str) for dim in dims)
