"""Nested tables of plain values, as TOML and JSON have them, and dotted names of what is in them."""

from collections.abc import Mapping
from typing import Any

_WORDS = {"Infinity": float("inf"), "-Infinity": float("-inf"), "NaN": float("nan")}
"""How JSON files of the store spell what JSON has no numbers for."""


def placed(table: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    """The table with another value at a dotted name; tables on the way are made if they are not there.

    >>> placed({"positive": {"xi": 2.0, "gain": 1.0}}, "positive.gain", 3.0)
    {'positive': {'xi': 2.0, 'gain': 3.0}}
    """
    first, dot, rest = name.partition(".")
    inner = table.get(first)
    return {**table, first: placed(inner if isinstance(inner, Mapping) else {}, rest, value) if dot else value}


def reread(value: Any) -> Any:
    """What a JSON file of the store says, with infinite numbers as numbers.

    >>> reread({"gain": ["Infinity", 3.0]})
    {'gain': [inf, 3.0]}
    """
    if isinstance(value, Mapping):
        return {name: reread(item) for name, item in value.items()}
    if isinstance(value, list):
        return [reread(item) for item in value]
    return _WORDS.get(value, value) if isinstance(value, str) else value


def one_kind_of_number(value: Any) -> Any:
    """The value with all numbers as floats, for comparing: 2 and 2.0 are the same length scale.

    >>> one_kind_of_number({"xi": 2, "labels": (1, 0), "bias": True})
    {'xi': 2.0, 'labels': [1.0, 0.0], 'bias': True}
    """
    if isinstance(value, Mapping):
        return {name: one_kind_of_number(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [one_kind_of_number(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
