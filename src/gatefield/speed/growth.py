"""How cost grows: times along one size, and the slope of their logarithms."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pydantic

from gatefield.speed.contest import Contestant
from gatefield.speed.rounds import Spread, digits, rounds


@dataclass(frozen=True)
class Ladder:
    """One kind of work at growing sizes."""

    name: str
    along: str
    """What grows."""
    unit: str
    sizes: Sequence[int]
    at: Callable[[int], Contestant]
    """Who does the work of one size."""
    expected: float
    why: str
    """Which part of the work has the expected exponent."""


class Growth(pydantic.BaseModel, frozen=True):
    """What came of it: times per unit in milliseconds, and the exponent that fits them, with its standard error."""

    kind: Literal["growth"] = "growth"
    name: str
    along: str
    unit: str
    sizes: list[int]
    ms: list[Spread]
    exponent: float
    error: float
    expected: float
    why: str
    load: float


def grow(ladder: Ladder, repeats: int, rng: np.random.Generator) -> Growth:
    """Time the work at every size, sizes in an order drawn anew for each round, and fit the exponent."""
    steps = {str(size): ladder.at(size) for size in ladder.sizes}
    found = rounds({name: one.call for name, one in steps.items()}, repeats, rng, lambda name, result: None)
    ms = [1e3 * found.wall[name] / one.amount for name, one in steps.items()]
    exponent, error = slope(ladder.sizes, [float(np.median(values)) for values in ms])
    return Growth(
        name=ladder.name,
        along=ladder.along,
        unit=ladder.unit,
        sizes=list(ladder.sizes),
        ms=[Spread.of(values) for values in ms],
        exponent=digits(exponent),
        error=digits(error),
        expected=ladder.expected,
        why=ladder.why,
        load=round(os.getloadavg()[0], 1),
    )


def slope(sizes: Sequence[int | float], times: Sequence[float]) -> tuple[float, float]:
    """The slope of log time over log size by least squares, and its standard error from what the line leaves.

    >>> exponent, error = slope([10, 20, 40], [3.0, 12.0, 48.0])
    >>> round(exponent, 12), error < 1e-12
    (2.0, True)
    """
    x, y = np.log(sizes), np.log(times)
    x = x - x.mean()
    found = float(x @ y / (x @ x))
    left = y - y.mean() - found * x
    return found, float(np.sqrt(left @ left / max(len(x) - 2, 1) / (x @ x)))
