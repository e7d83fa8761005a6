"""Weights as integers, without loss, so that ties are decided by arithmetic and not by rounding."""

import math
import numbers
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from gatefield.theory import _hypercube_checks as checks


class Scaled(NamedTuple):
    """Weights as integers times one unit; `whole` tells that they were integers, so that results are integers too."""

    values: tuple[int, ...]
    unit: Fraction
    whole: bool

    def back(self, value: int) -> int | float:
        """A number of units in the scale of the weights, rounded once if it is no integer."""
        scaled = value * self.unit
        return int(scaled) if self.whole else float(scaled)


def scaled(w: Any) -> Scaled:
    """Each float64 is an integer times a power of 2; the smallest such power, and a common divisor, make the unit.

    >>> scaled([0.5, 1.25])
    Scaled(values=(2, 5), unit=Fraction(1, 4), whole=False)
    """
    checks.field(w)
    whole = all(isinstance(value, numbers.Integral) for value in np.asarray(w).tolist())
    fractions = [Fraction(value) for value in np.asarray(w).tolist()]
    below = math.lcm(*(f.denominator for f in fractions))
    values = [int(f * below) for f in fractions]
    common = math.gcd(*values)
    return Scaled(tuple(v // common for v in values), Fraction(common, below), whole)


def sign_sums(values: np.ndarray | list[int]) -> np.ndarray:
    """All sums of the values with signs, those with sign -1 being the binary digits of the place."""
    sums = np.zeros(1, dtype=np.int64)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return sums
