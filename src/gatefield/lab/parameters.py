"""From a preset and what the user typed to checked parameters, and back to the command."""

import shlex
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import pydantic
from pydantic.fields import FieldInfo

from gatefield.core.errors import UserError, unknown_name
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
    given = overrides if isinstance(overrides, Mapping) else dict(_split(text) for text in overrides)
    values = {**experiment.presets[preset], **_read(experiment.Parameters, given)}
    try:
        return experiment.Parameters(**values)
    except pydantic.ValidationError as error:
        raise _one_sentence(error, experiment.Parameters) from None


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
    for read in (lambda: tomllib.loads(f"value = {text}")["value"], lambda: float(text)):
        try:
            return read()
        except ValueError:
            continue
    if text.startswith("[") and text.endswith("]"):
        return [parsed(item) for item in text[1:-1].split(",")]
    return [parsed(item) for item in text.split(",") if item.strip()] if "," in text else text


def _split(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UserError(f"A setting is written name=value, but '{text}' has no '='; write for instance {name.strip()}=3.")
    return name.strip().replace("-", "_"), value


def _read(model: type[Parameters], given: Mapping[str, Any]) -> dict[str, Any]:
    for name in given:
        if name not in model.model_fields:
            raise unknown_name("parameter", name, model.model_fields)
    return {name: _fitting(model.model_fields[name], value) for name, value in given.items()}


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


def _one_sentence(error: pydantic.ValidationError, model: type[Parameters]) -> UserError:
    """The first thing that is wrong."""
    first = error.errors()[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, UserError):
        return cause
    name, given, rule = ".".join(map(str, first["loc"])), first["input"], first["msg"]
    match first["type"]:
        case "missing":
            return UserError(f"{name} has no default value; give it one by --set {name}=VALUE.")
        case "too_short":
            least, length = (first.get("ctx", {}).get(key) for key in ("min_length", "actual_length"))
            return UserError(
                f"{name} must have at least {least} value{'s' * (least != 1)}, but has {length}{_instead(model, first)}."
            )
        case "tuple_type":
            return UserError(f"{name} must be a list, but is {given!r}; write for instance {name}=1,2.")
    if rule.startswith("Input should be "):
        return UserError(f"{name} must be {rule.removeprefix('Input should be ')}, but is {given!r}{_instead(model, first)}.")
    what = f"{name} = {given!r} is" if name else "These parameters together are"
    rule = rule.removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return UserError(f"{what} not allowed: {rule}; give other values.")


def _instead(model: type[Parameters], wrong: Any) -> str:
    """The default of what is wrong, as a thing to write instead."""
    field = model.model_fields[str(wrong["loc"][0])]
    if field.is_required():
        return ""
    return f"; write for instance {wrong['loc'][0]}={written(field.get_default(call_default_factory=True))}"
