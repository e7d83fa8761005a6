"""The ids of many points: those of `run_id`, without a table for each point."""

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gatefield.lab.store.format import RECORD_FORMAT
from gatefield.lab.store.json import canonical
from gatefield.lab.sweeps.definition.points import Points
from gatefield.lab.sweeps.definition.tables import placed

_NOTHING: Mapping[str, Any] = {}
_HOLE = re.compile(r'"\\u0000(\d+)"')
DIGITS = 12


def point_ids(
    name: str,
    parameters: Mapping[str, Any],
    points: Points,
    value: Callable[[str, Any], Any] = lambda parameter, given: given,
    within: str = "",
    without: Mapping[str, Any] = _NOTHING,
) -> np.ndarray:
    """For each point `run_id(name, parameters)` with the parameters of that point: the text that is hashed is made once, with
    a hole for each parameter that the axes set.

    **Arguments**

    - `parameters`: those of any point.
    - `value`: what stands in the parameters for a value of an axis.
    - `within`: the dotted name of the table in which the parameters of the axes stand, if not at the top.
    - `without`: parameters that are left out where they have these values.

    >>> from gatefield.lab.store.store import run_id
    >>> ids = point_ids("study", {"gain": 0.0, "n": 40}, Points({"gain": [1.0, 3.0]}))
    >>> ids.tolist() == [run_id("study", {"gain": gain, "n": 40}) for gain in (1.0, 3.0)]
    True
    >>> ids = point_ids("study", {"n": 40}, Points({"pairs": [False, True]}), without={"pairs": False})
    >>> ids.tolist() == [run_id("study", {"n": 40}), run_id("study", {"n": 40, "pairs": True})]
    True
    """
    for hole, parameter in enumerate(points.parameters):
        parameters = placed(parameters, f"{within}.{parameter}" if within else parameter, f"\0{hole}")
    text = canonical({"experiment": name, "format": RECORD_FORMAT, "parameters": parameters})
    around: dict[str, tuple[str, str]] = {}
    for hole, parameter in enumerate(points.parameters):
        if parameter in without:  # the hole takes in the name, with the comma before it, or after it if it is the first one
            whole = f'"{parameter}":"\\u0000{hole}"'
            before, after = (",", "") if f",{whole}" in text else ("", ",")
            text = text.replace(f"{before}{whole}{after}", f'"\\u0000{hole}"')
            around[parameter] = f'{before}"{parameter}":', after
    texts = _HOLE.split(text)  # text, number of a hole, text, ...

    def written(parameter: str, given: Any) -> str:
        if parameter in without and given == without[parameter]:
            return ""
        before, after = around.get(parameter, ("", ""))
        return f"{before}{canonical(value(parameter, given))}{after}"

    columns = _written(points, written)
    filled = [columns[int(part)] if odd % 2 else None for odd, part in enumerate(texts)]
    parts = [texts[at] if column is None else column for at, column in enumerate(filled)]
    return np.asarray([_id(parts, number) for number in range(len(points))], f"U{DIGITS}")


def _id(parts: list[Any], number: int) -> str:
    text = "".join(part if isinstance(part, str) else part[0][part[1][number]] for part in parts)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _written(points: Points, written: Callable[[str, Any], str]) -> list[tuple[list[str], list[int]]]:
    """For each parameter the texts of its values along the axis, and which of them each point has."""
    places = points.places(np.arange(len(points)))
    return [
        ([written(parameter, given) for given in values], places[name].tolist())
        for name, axis in points.axes.items()
        for parameter, values in axis.settings.items()
    ]
