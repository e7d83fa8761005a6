"""Kinds of parameters that experiments share, each with its check."""

from typing import Annotated, Any

from pydantic import AfterValidator, ValidationInfo

from gatefield import _checks
from gatefield._errors import UserError


def _count(value: int, info: ValidationInfo) -> int:
    return _checks.count(str(info.field_name), value)


def _gain(value: float, info: ValidationInfo) -> float:
    return float(_checks.gain(value, str(info.field_name)))


def _length_scale(value: float, info: ValidationInfo) -> float:
    return float(_checks.length_scale(value, str(info.field_name)))


def _rate(value: float, info: ValidationInfo) -> float:
    return float(_checks.positive(str(info.field_name), value))


def _filled(values: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
    if not values:
        raise UserError(f"{info.field_name} must hold at least one value, but is empty; give one or more.")
    return values


Count = Annotated[int, AfterValidator(_count)]
Gain = Annotated[float, AfterValidator(_gain)]
LengthScale = Annotated[float, AfterValidator(_length_scale)]
Rate = Annotated[float, AfterValidator(_rate)]
Gains = Annotated[tuple[Gain, ...], AfterValidator(_filled)]
