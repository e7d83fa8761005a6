"""The axes of a sweep: which parameters each one sets, and to what, at each of its places."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pydantic

from gatefield.core import checks
from gatefield.core.errors import UserError, unknown_name
from gatefield.core.text.quoted import quoted
from gatefield.lab.parameters import written

MOST = 10**7
"""More places along one axis are a mistake: their list alone would fill memory."""
LARGEST, WHOLE = 1e300, 2**53
"""The largest end of a range, so that one minus the other is a number, and of one of integers, which a float holds exactly."""
_NAME = re.compile(r"\w[\w-]*(\.\w[\w-]*)*")
_WAYS = {
    "values": ("values",),
    "rows": ("rows", "sets"),
    "range": ("from", "to", "count"),
    "random": ("random", "low", "high", "count"),
}
"""The ways to write an axis as a table -> what each of them needs."""
_EXAMPLE = "[0.5, 1.0, 3.0], 8, {from = 0.1, to = 10.0, count = 9, scale = 'log'}"


@dataclasses.dataclass(frozen=True)
class Axis:
    """One axis: `settings` has for each parameter that it sets the value at each place, `places` what the axis shows there."""

    name: str
    settings: Mapping[str, Sequence[Any]]
    places: np.ndarray

    def __len__(self) -> int:
        return len(self.places)

    def at(self, place: int) -> dict[str, Any]:
        """What is set at one place."""
        return {parameter: values[place] for parameter, values in self.settings.items()}


class Table(pydantic.BaseModel):
    """An axis that is written as a table, in one of four ways: `values`, `rows`, a range, or random draws."""

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    values: list[Any] | None = None
    rows: list[list[Any]] | None = None
    start: float | int | None = pydantic.Field(None, alias="from")
    stop: float | int | None = pydantic.Field(None, alias="to")
    random: Literal["uniform", "log-uniform", "integers"] | None = None
    low: float | int | None = None
    high: float | int | None = None
    count: int | None = None
    seed: int = 0
    scale: Literal["linear", "log"] = "linear"
    sets: list[str] | None = None


def read_axis(name: str, given: Any) -> Axis:
    """An axis as it is written: a list, a count, or a table.

    **Arguments**

    - `name`: what the axis is called; the parameter that it sets, unless the table says by `sets` which others.
    - `given`: a list of values; a whole number m for 0, ..., m-1; `{from, to, count, scale}`; `{random, low, high, count,
      seed}`; `{values, sets}`; or `{rows, sets}`, where each row has a value for each parameter.

    **Returns** the axis.

    >>> axis = read_axis("gain", {"from": 0.1, "to": 10.0, "count": 3, "scale": "log", "sets": ["positive.gain"]})
    >>> axis.places.tolist(), list(axis.settings)
    ([0.1, 1.0, 10.0], ['positive.gain'])
    >>> read_axis("pair", {"sets": ["xi1", "xi2"], "rows": [[2.0, 1.0], [1.0, 2.0]]}).at(1)
    {'xi1': 1.0, 'xi2': 2.0}
    """
    _check_names([name])
    if isinstance(given, Mapping):
        table = _table(name, given)
        sets = _sets(name, table)
        _check_names(sets)
        if table.rows is not None:
            return _zipped(name, sets, table.rows)
        values = _values(name, table)
    else:
        sets, values = [name], _plain_values(name, given)
    return Axis(name, dict.fromkeys(sets, values), _places(name, values))


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        if not _NAME.fullmatch(name):
            raise UserError(
                f"An axis and what it sets are named by letters, digits and dots, such as positive.gain, but it is "
                f"{quoted(name)}."
            )


def _plain_values(name: str, given: Any) -> list[Any]:
    if isinstance(given, int) and not isinstance(given, bool):
        return list(range(checks.count(f"The count of the axis '{name}'", given, most=MOST)))
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, list | tuple) or not given:
        raise UserError(f"The axis '{name}' must be a list, a count or a table, such as {_EXAMPLE}, but is {quoted(given)}.")
    return list(given)


def _table(name: str, given: Mapping[str, Any]) -> Table:
    known = [field.alias or key for key, field in Table.model_fields.items()]
    for key in given:
        if key not in known:
            raise unknown_name(f"entry of the axis '{name}'", key, known)
    try:
        table = Table.model_validate(dict(given), strict=True)
    except pydantic.ValidationError as error:
        wrong = error.errors()[0]
        where = next((part for part in wrong["loc"] if isinstance(part, str)), "")
        raise UserError(
            f"'{where}' of the axis '{name}' is {quoted(wrong['input'])}, which cannot be read ({_said(wrong)}): "
            f"write the axis for instance as {_EXAMPLE}."
        ) from None
    _check_way(name, given)
    return table


def _said(wrong: Any) -> str:
    text = str(wrong["msg"])
    return text[:1].lower() + text[1:]


def _check_way(name: str, given: Mapping[str, Any]) -> None:
    """See that the table is written in one of the ways, and has all that this way needs."""
    ways = [way for way, needs in _WAYS.items() if needs[0] in given]
    if len(ways) != 1:
        found = " and ".join(f"'{_WAYS[way][0]}'" for way in ways) or "none of them"
        raise UserError(
            f"The axis '{name}' must have one of 'values', 'rows', 'from' and 'random', but has {found}: write it for instance "
            f"as {_EXAMPLE}."
        )
    missing = [key for key in _WAYS[ways[0]] if key not in given]
    if missing:
        raise UserError(f"The axis '{name}' has '{_WAYS[ways[0]][0]}' but no '{missing[0]}': give both.")
    allowed = {*_WAYS[ways[0]], "sets", *{"range": ["scale"], "random": ["seed"]}.get(ways[0], [])}
    for key in given:
        if key not in allowed:
            raise UserError(f"The axis '{name}' has '{_WAYS[ways[0]][0]}', which does not go with '{key}': leave '{key}' out.")


def _sets(name: str, table: Table) -> list[str]:
    sets = [name] if table.sets is None else table.sets
    if not sets or len(set(sets)) != len(sets):
        raise UserError(
            f"'sets' of the axis '{name}' must name different parameters, one or more, but is {quoted(table.sets)}."
        )
    return sets


def _values(name: str, table: Table) -> list[Any]:
    if table.values is not None:
        return _plain_values(name, table.values)
    count = checks.count(f"'count' of the axis '{name}'", table.count, most=MOST)
    if table.random is not None:
        return _drawn(name, table, count)
    low, high = _ends(name, table.start, table.stop, positive=table.scale == "log")
    spaced = np.geomspace if table.scale == "log" else np.linspace
    values = spaced(low, high, count).tolist()
    whole = isinstance(table.start, int) and isinstance(table.stop, int) and all(value == round(value) for value in values)
    return [round(value) for value in values] if whole else values


def _drawn(name: str, table: Table, count: int) -> list[Any]:
    """Values at random, the same for the same seed."""
    low, high = _ends(name, table.low, table.high, positive=table.random == "log-uniform")
    rng = np.random.default_rng(checks.count(f"'seed' of the axis '{name}'", table.seed, least=0))
    if table.random == "uniform":
        return rng.uniform(low, high, count).tolist()
    if table.random == "log-uniform":
        return np.exp(rng.uniform(np.log(low), np.log(high), count)).tolist()
    least, most = table.low, table.high
    if not (isinstance(least, int) and isinstance(most, int)) or max(-low, high) > WHOLE or count > most - least + 1:
        raise UserError(
            f"The axis '{name}' must draw its {count} integers, all different, from whole numbers 'low' to 'high' of at most "
            f"2**53, but these are {least} and {most}: change them, or lower 'count'."
        )
    return (least + rng.choice(most - least + 1, count, replace=False)).tolist()


def _ends(name: str, low: float | int | None, high: float | int | None, *, positive: bool) -> tuple[float, float]:
    first, last = low or 0, high or 0
    if not -LARGEST <= first < last <= LARGEST or (positive and first <= 0):
        rule = "two positive numbers" if positive else "two numbers"
        raise UserError(
            f"The ends of the axis '{name}' must be {rule} of at most {LARGEST:g}, the smaller first, but are {quoted(low)} "
            f"and {quoted(high)}."
        )
    return float(first), float(last)


def _zipped(name: str, sets: Sequence[str], rows: Sequence[Sequence[Any]]) -> Axis:
    """Several parameters that go together, row by row; the axis itself counts the rows."""
    if not rows or any(len(row) != len(sets) for row in rows):
        raise UserError(
            f"'rows' of the axis '{name}' must have a value for each of {', '.join(sets)} in each row, but are {quoted(rows)}."
        )
    columns = {parameter: list(column) for parameter, column in zip(sets, zip(*rows, strict=True), strict=True)}
    return Axis(name, columns, np.arange(len(rows)))


def _places(name: str, values: Sequence[Any]) -> np.ndarray:
    """What labels the places: the values themselves if they are numbers, else as they are written."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        try:
            numbers = np.asarray(values, float if any(isinstance(value, float) for value in values) else np.int64)
        except OverflowError:
            raise UserError(
                f"The values of the axis '{name}' must be numbers of 64 bits, but one is larger: {quoted(values)}."
            ) from None
        if np.isnan(numbers).any():
            raise UserError(f"The values of the axis '{name}' must be numbers, but one is NaN: leave it out.")
        return numbers
    return np.asarray([value if isinstance(value, str) else written(value) for value in values])
