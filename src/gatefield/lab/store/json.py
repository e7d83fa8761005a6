"""Values as JSON that every reader takes: no NaN or infinity as bare words, no NumPy types."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gatefield.lab.store.disk import replace_file


def plain(value: Any) -> Any:
    """The value in types that JSON knows; infinite numbers and NaN become words that `float` reads.

    >>> plain({"gain": np.float64("inf"), "labels": (1, 0)})
    {'gain': 'Infinity', 'labels': [1, 0]}
    """
    match value:
        case np.ndarray() | np.generic():
            return plain(value.tolist())
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case float() if math.isnan(value):
            return "NaN"
        case float() if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        case None | bool() | int() | float() | str():
            return value
    return str(value)


def attributes(attrs: Mapping[Any, Any]) -> dict[str, Any]:
    """Attributes that zarr and netCDF both keep: numbers, texts and flat lists; anything else becomes JSON text.

    >>> attributes({"bias": True, "labels": (1.0, 0.0), "gate": None})
    {'bias': 1, 'labels': [1.0, 0.0], 'gate': 'null'}
    """
    return {str(name): _attribute(plain(value)) for name, value in attrs.items()}


def _attribute(value: Any) -> Any:
    match value:
        case bool():
            return int(value)
        case int() | float() | str():
            return value
        case list() if len({type(item) for item in value}) == 1 and isinstance(value[0], int | float | str):
            return value
    return json.dumps(value)


def canonical(value: Any) -> str:
    """The one JSON text of a value: sorted keys, no spaces, ASCII.

    >>> canonical({"b": [1.0, float("inf")], "a": 2})
    '{"a":2,"b":[1.0,"Infinity"]}'
    """
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def write_json(path: Path, value: Any) -> None:
    """Put a value at `path` in one step."""
    replace_file(path, _text(value))


def update_json(path: Path, value: Any) -> None:
    """The same, unless it is there already: who only reads a store leaves it as it is."""
    if not path.is_file() or path.read_bytes() != _text(value):
        write_json(path, value)


def _text(value: Any) -> bytes:
    return (json.dumps(plain(value), indent=2, allow_nan=False) + "\n").encode()
