"""Values in types that JSON knows."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

_PLAIN = frozenset({int, str, bool, type(None)})


def plain(value: Any, most: int | None = None) -> Any:
    """The value in types that JSON knows: numbers, texts, lists and tables.

    Infinite numbers and NaN become words that `float` reads. A module is a table of its class and fields; a function is its
    name. An array of more than `most` numbers, if that is given, is its shape.

    >>> plain({"gain": np.float64("inf"), "labels": (1, 0)})
    {'gain': 'Infinity', 'labels': [1, 0]}
    >>> from gatefield.data import Gaussian
    >>> plain(Gaussian(40, xi=2.0))
    {'class': 'Gaussian', 'n': 40, 'xi': 2.0, 'boundary': 'ring'}
    """
    if type(value) in _PLAIN or (type(value) is float and math.isfinite(value)):
        return value
    if isinstance(value, list | tuple) and _all_plain(value):  # first, since they are long
        return list(value)
    match value:
        case np.ndarray() | np.generic() | jax.Array():
            array = np.asarray(value)
            return plain(array.tolist()) if most is None or array.size <= most else f"array of shape {array.shape}"
        case Mapping():
            return {str(key): plain(item, most) for key, item in value.items()}
        case list() | tuple():
            return [plain(item, most) for item in value]
        case float() if math.isnan(value):
            return "NaN"
        case float() if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        case bool() | int() | float() | str():  # of a class derived from these
            return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: plain(getattr(value, field.name), most) for field in dataclasses.fields(value)}
        return {"class": type(value).__name__, **fields}
    name = getattr(value, "__qualname__", str(value))
    return type(value).__name__ if " at 0x" in name else name  # an address in memory says nothing


def _all_plain(values: list[Any] | tuple[Any, ...]) -> bool:
    types = set(map(type, values))
    return types <= _PLAIN or (types == {float} and all(map(math.isfinite, values)))
