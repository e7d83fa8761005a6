"""Kinds of parameters that experiments share, each with its check."""

from typing import Annotated, Any

from pydantic import AfterValidator

from gatefield import _checks


def _count(value: int) -> int:
    return _checks.count("it", value)


def _gain(value: float) -> float:
    return float(_checks.gain(value, "it"))


def _length_scale(value: float) -> float:
    return float(_checks.length_scale(value, "it"))


def _rate(value: float) -> float:
    return float(_checks.positive("it", value))


def _filled(values: tuple[Any, ...]) -> tuple[Any, ...]:
    if not values:
        raise ValueError("it must hold at least one value, but is empty")
    return values


Count = Annotated[int, AfterValidator(_count)]
Gain = Annotated[float, AfterValidator(_gain)]
LengthScale = Annotated[float, AfterValidator(_length_scale)]
Rate = Annotated[float, AfterValidator(_rate)]
Gains = Annotated[tuple[Gain, ...], AfterValidator(_filled)]
