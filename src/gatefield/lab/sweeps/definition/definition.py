"""What a sweep is, as a TOML file says it."""

import functools
import inspect
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pydantic

from gatefield import measures
from gatefield.core.errors import UserError, unknown_name
from gatefield.core.text.quoted import quoted
from gatefield.lab.store.disk import as_path, reading
from gatefield.lab.sweeps.cluster.options import read_options
from gatefield.lab.sweeps.definition.points import Points

Keep = Literal["history", "fields"]
KEEP: tuple[Keep, ...] = ("history", "fields")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


class Definition(pydantic.BaseModel):
    """A sweep: its name, what is swept, over which axes, and what is kept of each point.

    What is swept is an experiment (`experiment`, `preset`, `set`), or a plain training (`training`). `measures` names functions
    of `gatefield.measures` that are taken of the trained fields; `keep` may have "history", the loss at the recorded steps, and
    "fields", the trained fields. `cluster` says how jobs of a cluster are asked for, and nothing about results.
    """

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    name: str
    experiment: str = ""
    preset: str = "quick"
    set: dict[str, Any] = {}
    training: dict[str, Any] | None = None
    axes: dict[str, Any]
    keep: tuple[Keep, ...] = ()
    measures: tuple[str, ...] | None = None
    cluster: dict[str, Any] = {}


def read_definition(given: Mapping[str, Any], where: str = "The sweep") -> Definition:
    """A definition from a table, checked as far as it can be without what is swept; `where` begins the sentence if not.

    >>> read_definition({"name": "small", "experiment": "localization", "axes": {"seed": 3}}).preset
    'quick'
    """
    for key in given:
        if key not in Definition.model_fields:
            raise unknown_name("entry of a sweep", key, Definition.model_fields)
    for key in ("name", "axes"):
        if key not in given:
            raise UserError(f"{where} has no '{key}': write for instance {_EXAMPLES[key]}.")
    for key, value in given.items():
        _check_kind(key, value, where)
    definition = Definition.model_validate(dict(given))
    _check_swept(definition, where)
    Points(definition.axes)
    return definition


_EXAMPLES = {"name": 'name = "gain-and-range"', "axes": "gain = [0.5, 1.0, 3.0] under [axes]"}


def _check_kind(key: str, value: Any, where: str) -> None:
    if key in ("set", "training", "axes", "cluster"):
        if not isinstance(value, Mapping):
            raise UserError(f"'{key}' of a sweep must be a table, but is {quoted(value)}: write it under [{key}].")
        if key == "cluster":
            read_options(value)
    elif key in ("keep", "measures"):
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise UserError(f"'{key}' of a sweep must be a list of names, but is {quoted(value)}.")
        for item in value if key == "keep" else ():
            if item not in KEEP:
                raise unknown_name("thing to keep", item, KEEP)
        for item in value if key == "measures" else ():
            check_measure(item)
    elif not isinstance(value, str):
        raise UserError(f"'{key}' of a sweep must be a text, but is {quoted(value)}.")
    elif key == "name" and not _NAME.fullmatch(value):
        raise UserError(
            f"The name of a sweep must be small letters and digits with hyphens between them, such as gain-and-range, but is "
            f"{quoted(value)}."
        )


def _check_swept(definition: Definition, where: str) -> None:
    if bool(definition.experiment) == (definition.training is not None):
        has = "both" if definition.experiment else "neither"
        raise UserError(f"{where} must have either 'experiment' or the table 'training', but has {has}: say what is swept.")
    if definition.training is not None and (definition.set or definition.preset != "quick"):
        raise UserError(
            f"{where} is of a training, to which 'set' and 'preset' do not belong: write its settings under [training]."
        )
    if definition.experiment and (definition.keep or definition.measures):
        raise UserError(f"{where} is of an experiment, whose record is kept as it is: leave 'keep' and 'measures' out.")


def check_measure(name: str) -> None:
    """See that there is a measure of fields of that name."""
    if name not in field_measures():
        raise unknown_name("measure of fields", name, field_measures())


@functools.cache
def field_measures() -> dict[str, Any]:
    """The measures of `gatefield.measures` that take fields and nothing else.

    >>> "ipr" in field_measures(), "gate_stability" in field_measures()
    (True, False)
    """
    found = {name: getattr(measures, name) for name in measures.__all__ if name not in _NO_NUMBERS}
    functions = {name: value for name, value in found.items() if callable(value) and not isinstance(value, type)}
    return {name: value for name, value in functions.items() if _takes_fields(inspect.signature(value).parameters)}


_NO_NUMBERS = ("analytic_signal", "gabor_fit")
"""Measures of fields that give no real numbers over labels: complex fields, and a fit with all that belongs to it."""


def _takes_fields(parameters: Mapping[str, Any]) -> bool:
    needed = [name for name, one in parameters.items() if one.default is one.empty]
    return needed == ["w"] and "dim" in parameters


def read_toml(path: str | Path) -> dict[str, Any]:
    """What a TOML file says."""
    path = as_path("path", path)
    with reading(path):
        if not path.is_file():
            raise UserError(f"There is no file '{path}': give the path of a TOML file that says what to sweep.")
        content = path.read_bytes()
    try:
        return tomllib.loads(content.decode("utf-8-sig"))  # some editors begin with a mark of the encoding
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"The file '{path}' is not TOML ({quoted(str(error))[1:-1]}): put that right.") from None
