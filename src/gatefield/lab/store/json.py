"""Values as JSON that every reader takes: no NaN or infinity as bare words, no NumPy types."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gatefield.core.text.plain import plain
from gatefield.lab.store.disk import replace_file


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
    return (_indented(plain(value)) + "\n").encode()


def _indented(value: Any, margin: str = "\n") -> str:
    """As `json.dumps` does it with indent=2, which takes ten times as long for a list of many numbers."""
    within = margin + "  "
    match value:
        case dict() if value:
            items = (f"{json.dumps(name)}: {_indented(item, within)}" for name, item in value.items())
            return "{" + within + f",{within}".join(items) + margin + "}"
        case list() if value and not any(isinstance(item, dict | list) for item in value):
            return "[" + within + json.dumps(value, separators=(f",{within}", ": "), allow_nan=False)[1:-1] + margin + "]"
        case list() if value:
            return "[" + within + f",{within}".join(_indented(item, within) for item in value) + margin + "]"
    return json.dumps(value, allow_nan=False)
