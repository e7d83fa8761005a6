"""Kinds of parameters that experiments share, each with its check."""

from itertools import pairwise
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ValidationInfo

from gatefield.core import checks
from gatefield.core.errors import UserError


def _count(value: int, info: ValidationInfo) -> int:
    return checks.count(str(info.field_name), value)


def _gain(value: float, info: ValidationInfo) -> float:
    rule = "zero or more ('inf' is allowed)"
    return float(checks.real(str(info.field_name), value, rule, lambda x: x >= 0))


def _length_scale(value: float, info: ValidationInfo) -> float:
    return float(checks.length_scale(value, str(info.field_name)))


def _rate(value: float, info: ValidationInfo) -> float:
    return float(checks.positive(str(info.field_name), value))


def _excess(value: float, info: ValidationInfo) -> float:
    return float(checks.real(str(info.field_name), value, "zero or more and finite", lambda x: (x >= 0) & (x < float("inf"))))


def _seed(value: int, info: ValidationInfo) -> int:
    if not 0 <= value < 2**32:
        raise UserError(f"{info.field_name} must be a whole number from 0 to {2**32 - 1}, but is {value}; give such a number.")
    return value


def listed(value: Any) -> Any:
    """One number stands for a list of one."""
    return (value,) if isinstance(value, int | float) else value


def _increasing(values: tuple[float, ...], info: ValidationInfo) -> tuple[float, ...]:
    if not values or any(a >= b for a, b in pairwise(values)):
        raise UserError(
            f"{info.field_name} must be one or more increasing numbers, but are {list(values) or 'none'}; "
            f"write for instance {info.field_name}=0.5,1,3."
        )
    return values


Count = Annotated[int, AfterValidator(_count)]
Gain = Annotated[float, AfterValidator(_gain)]
LengthScale = Annotated[float, AfterValidator(_length_scale)]
Rate = Annotated[float, AfterValidator(_rate)]
Seed = Annotated[int, AfterValidator(_seed)]
Gains = Annotated[tuple[Gain, ...], BeforeValidator(listed), AfterValidator(_increasing)]
Rates = Annotated[tuple[Rate, ...], BeforeValidator(listed), AfterValidator(_increasing)]
Excesses = Annotated[
    tuple[Annotated[float, AfterValidator(_excess)], ...], BeforeValidator(listed), AfterValidator(_increasing)
]
"""By how much gates reach above 1."""
