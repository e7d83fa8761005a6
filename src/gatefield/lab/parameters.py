"""From a preset and what the user typed to checked parameters, and back to the command."""

import shlex
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import pydantic
from pydantic.fields import FieldInfo

from gatefield.core.errors import UserError, unknown_name
from gatefield.core.text.quoted import quoted
from gatefield.lab.experiment import Experiment, Parameters


def resolve(
    experiment: Experiment,
    preset: str = "quick",
    overrides: Mapping[str, Any] | Sequence[str] = (),
) -> Any:
    """The parameters of an experiment: its defaults, changed by a preset, changed by the user.

    **Arguments**

    - `experiment`: whose parameters they are.
    - `preset`: the name of one of its presets.
    - `overrides`: either name -> value, or texts `"name=value"`; a value given as text is read as a number, `inf`, `true`,
      `none`, a list `2,1` or `[2,1]`, or else as the text itself.

    **Returns** the experiment's `Parameters`, checked.

    >>> from gatefield import experiments
    >>> resolve(experiments.get("localization"), "quick", ["seeds=8", "gains=0.01,inf"]).gains
    (0.01, inf)
    """
    if preset not in experiment.presets:
        raise unknown_name("preset", preset, experiment.presets)
    given = overrides if isinstance(overrides, Mapping) else _settings(overrides)
    values = {**experiment.presets[preset], **_read(experiment.Parameters, given)}
    try:
        return experiment.Parameters(**values)
    except pydantic.ValidationError as error:
        raise one_sentence(error, experiment.Parameters) from None


def command(experiment: str, parameters: Mapping[str, Any]) -> str:
    """What to type for an experiment, named or in a file, with exactly these parameters, whatever its presets are by then.

    >>> command("my_study.py", {"gain": float("inf"), "bias": True})
    'gatefield run my_study.py --set gain=inf --set bias=true'
    """
    settings = [f"--set {shlex.quote(f'{name}={written(value)}')}" for name, value in parameters.items()]
    return " ".join(["gatefield run", shlex.quote(experiment), *settings])


def written(value: Any) -> str:
    """A value as `resolve` reads it.

    >>> written((2, float("inf"))), written(None), written("relu")
    ('[2,inf]', 'none', 'relu')
    """
    match value:
        case None:
            return "none"
        case bool():
            return str(value).lower()
        case list() | tuple():
            return f"[{','.join(written(item) for item in value)}]"
    return str(value)


def parsed(text: str) -> Any:
    """What a text stands for.

    >>> [parsed(text) for text in ["3", "1e-3", "inf", "true", "2,1", "[relu, erf]", "half", "none"]]
    [3, 0.001, inf, True, [2, 1], ['relu', 'erf'], 'half', None]
    """
    text = text.strip()
    if text.lower() in ("none", "null"):
        return None
    for read in (_toml, float):
        try:
            return read(text)
        except (ValueError, RecursionError):  # brackets may be nested deeper than Python counts
            continue
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    if bare == text and "," not in text:
        return text
    return [parsed(item) if "[" not in item else item for item in bare.split(",") if item.strip()]


def _toml(text: str) -> Any:
    """Numbers, texts, true, false, and lists of them, as TOML has them; no dates, tables and remarks."""
    values = tomllib.loads(f"values = [{text}]")["values"]  # a remark would hide the last bracket
    if not text or not _is_plain(values):
        raise ValueError
    return values[0] if len(values) == 1 and not text.endswith(",") else values


def _is_plain(value: Any) -> bool:
    return all(map(_is_plain, value)) if isinstance(value, list) else isinstance(value, bool | int | float | str)


def _settings(texts: Sequence[str]) -> dict[str, str]:
    """Name -> value of texts `"name=value"`, each name once."""
    given: dict[str, str] = {}
    for name, value in map(_split, texts):
        if name in given:
            raise UserError(f"{name} is given twice, as {quoted(given[name])} and {quoted(value)}: leave one of them out.")
        given[name] = value
    return given


def _split(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        way_out = f"{text}=3" if text.isidentifier() else "gain=3"
        raise UserError(f"A setting is written name=value, but {quoted(text)} has no '='; write for instance {way_out}.")
    return name.strip().replace("-", "_"), value


def _read(model: type[Parameters], given: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in given.items():
        if name not in model.model_fields:
            raise unknown_name("parameter", name, model.model_fields)
        if isinstance(value, str) and len(value.splitlines()) > 1:
            raise UserError(f"{name} must be written in one line, but is {quoted(value)}; leave the line break out.")
        if isinstance(value, str) and _is_beyond(value) and _takes_numbers(model.model_fields[name]):
            raise UserError(
                f"{name} must be less than 1e308, but is a number of {len(value.strip())} digits; give a smaller one."
            )
    return {name: _fitting(model.model_fields[name], value) for name, value in given.items()}


def _is_beyond(text: str) -> bool:
    """Whether a text is a whole number that no float holds, and that would be read as infinite."""
    digits = text.strip().lstrip("+-").replace("_", "")
    return digits.isdecimal() and float(digits) == float("inf")


def _takes_numbers(field: FieldInfo) -> bool:
    return _is_valid(pydantic.TypeAdapter(field.annotation or Any), 10)


def _fitting(field: FieldInfo, value: Any) -> Any:
    """What a text stands for, or the text itself where only that is of the parameter's type."""
    if not isinstance(value, str):
        return value
    meant = parsed(value)
    kind: pydantic.TypeAdapter[Any] = pydantic.TypeAdapter(field.annotation or Any)
    return meant if _is_valid(kind, meant) or not _is_valid(kind, value) else value


def _is_valid(kind: pydantic.TypeAdapter, value: Any) -> bool:
    try:
        kind.validate_python(value)
    except pydantic.ValidationError:
        return False
    return True


_RULES = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number",
    "int_from_float": "a whole number",
    "finite_number": "a finite number",
    "float_type": "a number",
    "float_parsing": "a number",
    "string_type": "a text",
    "tuple_type": "a list",
    "none_required": "none",
    "literal_error": "{expected}",
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
}
"""What pydantic finds wrong -> what has to be, in our words."""


def one_sentence(error: pydantic.ValidationError, model: type[Parameters]) -> UserError:
    """The first thing that is wrong."""
    first = error.errors()[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, UserError):
        return cause
    if not first["loc"]:
        return UserError(f"These parameters together are not allowed: {_said(first)}; change one of them.")
    field, *places = first["loc"]
    name = "".join([str(field), *(f"[{place}]" for place in places if isinstance(place, int))])
    given, instead = quoted(first["input"]), _instead(model, str(field))
    if first["type"] == "missing" and not places:
        return UserError(f"{name} has no default value; give it one by --set {name}=VALUE.")
    if first["type"] in ("missing", "too_short", "too_long"):
        return UserError(f"{field} must have {_length(first)}{instead}.")
    rules = dict.fromkeys(_rule(one) for one in error.errors() if one["loc"][:1] == (field,) and one["input"] is first["input"])
    if "" in rules:
        return UserError(f"{name} = {given} is not allowed: {_said(first)}{instead}.")
    return UserError(f"{name} must be {' or '.join(rules)}, but is {given}{instead}.")


def _rule(wrong: Any) -> str:
    """What has to be; empty where the experiment itself says what is wrong."""
    return _RULES.get(wrong["type"], "").format(**wrong.get("ctx", {}))


def _said(wrong: Any) -> str:
    return quoted(wrong["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, "))[1:-1]


def _length(wrong: Any) -> str:
    """How many values there have to be."""
    about = wrong.get("ctx", {})
    for key, words in (("min_length", "at least"), ("max_length", "at most")):
        if key in about:
            has = about.get("actual_length")
            return f"{words} {about[key]} value{'s' * (about[key] != 1)}, but has {'more' if has is None else has}"
    return "more values"


def _instead(model: type[Parameters], name: str) -> str:
    """The default of what is wrong, as a thing to write instead."""
    field = model.model_fields.get(name)
    if field is None or field.is_required():
        return ""
    text = written(field.get_default(call_default_factory=True))
    return f"; write for instance {name}={text}" if text else f"; leave {name} out"
