"""Kinds of parameters, each with its check: the types of the fields of an experiment's `Parameters`.

>>> from gatefield.lab import Parameters, kinds
>>> class MyParameters(Parameters):
...     n: kinds.Count = 40
...     gains: kinds.Gains = (0.0, 3.0)
>>> MyParameters(gains=2).gains
(2.0,)
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted


def listed(value: Any) -> Any:
    """One number stands for a list of one."""
    return (value,) if isinstance(value, int | float) else value


def increasing(rule: str, example: str, *, least: int = 1) -> AfterValidator:
    """The check of a list whose numbers grow; `rule` and `example` are for its sentence."""

    def check(values: tuple[Any, ...], info: Any) -> tuple[Any, ...]:
        if len(values) < least or any(a >= b for a, b in pairwise(values)):
            name = info.field_name
            given = quoted(list(values)) if values else "none"
            raise UserError(f"{name} must be {rule}, but are {given}; write for instance {name}={example}.")
        return values

    return AfterValidator(check)


def _check(of: Callable[[str, Any], Any]) -> AfterValidator:
    """A check of `gatefield.core.checks`, which takes the name of what it looks at."""
    return AfterValidator(lambda value, info: of(str(info.field_name), value))


def _gain(name: str, value: float) -> float:
    return float(checks.real(name, value, "zero or more ('inf' is allowed)", lambda x: x >= 0))


def _excess(name: str, value: float) -> float:
    return float(checks.real(name, value, "zero or more and finite", lambda x: (x >= 0) & (x < float("inf"))))


def _seed(name: str, value: int) -> int:
    if not 0 <= value < 2**32:
        raise UserError(
            f"{name} must be a whole number from 0 to {2**32 - 1}, but is {quoted(value)}; write for instance {name}=0."
        )
    return value


Count = Annotated[int, _check(checks.count)]
"""A whole number of at least 1."""
Several = Annotated[Count, Field(ge=2)]
"""A whole number of at least 2."""
Depth = Several
"""Layers of weights, at least 2: with one there is nothing to gate."""
Seed = Annotated[int, _check(_seed)]
"""Where random numbers start."""
Gain = Annotated[float, _check(_gain)]
"""How strongly a field is squashed: zero or more, `inf` allowed."""
LengthScale = Annotated[float, _check(lambda name, value: float(checks.length_scale(value, name)))]
"""A length along the ring in sites, positive and finite."""
Rate = Annotated[float, _check(lambda name, value: float(checks.positive(name, value)))]
"""A learning rate, a steepness: positive and finite."""

_NUMBERS = increasing("one or more increasing numbers", "0.5,1,3")
_SIZES = increasing("two or more increasing whole numbers", "4,8", least=2)

Gains = Annotated[tuple[Gain, ...], BeforeValidator(listed), _NUMBERS]
"""Increasing gains; one number stands for a list of one."""
Rates = Annotated[tuple[Rate, ...], BeforeValidator(listed), _NUMBERS]
"""Increasing rates; one number stands for a list of one."""
Excesses = Annotated[tuple[Annotated[float, _check(_excess)], ...], BeforeValidator(listed), _NUMBERS]
"""By how much gates reach above 1, increasing; one number stands for a list of one."""
Depths = Annotated[tuple[Depth, ...], _SIZES]
"""Two or more increasing depths."""
Widths = Annotated[tuple[Count, ...], _SIZES]
"""Two or more increasing widths."""

__all__ = [
    "Count",
    "Depth",
    "Depths",
    "Excesses",
    "Gain",
    "Gains",
    "LengthScale",
    "Rate",
    "Rates",
    "Seed",
    "Several",
    "Widths",
    "increasing",
    "listed",
]
