"""Weights as integers, without loss, so that ties are decided by arithmetic and not by rounding."""

import math
import numbers
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from jax import Array

from gatefield.core.errors import UserError
from gatefield.theory.hypercube import inputs

_MOST_BITS = 61  # a sum of two numbers of that width fits int64
_WORD = 50  # wider sums are kept in words of that width, so that thousands of them add up without overflow


class Scaled(NamedTuple):
    """Weights as integers times one unit; `whole` tells that they were integers, so that results are integers too."""

    values: tuple[int, ...]
    unit: Fraction
    whole: bool

    def back(self, value: int) -> int | float:
        """A number of units in the scale of the weights, rounded once if it is no integer."""
        scaled = value * self.unit
        return int(scaled) if self.whole else rounded(scaled)


def rounded(value: Fraction) -> float:
    """The nearest float64."""
    try:
        return float(value)
    except OverflowError:
        raise UserError("The result exceeds the largest float64, 1.8e308; divide the weights by their largest.") from None


def scaled(w: Any) -> Scaled:
    """Each float64 is an integer times a power of 2; the smallest such power, and a common divisor, make the unit.

    >>> scaled([0.5, 1.25])
    Scaled(values=(2, 5), unit=Fraction(1, 4), whole=False)
    """
    inputs.field(w)
    entries = np.asarray(w if hasattr(w, "dtype") else np.array(w, dtype=object)).tolist()  # NumPy would round large integers
    entries = [value.item() if isinstance(value, np.generic | np.ndarray | Array) else value for value in entries]
    whole = all(isinstance(value, numbers.Integral) for value in entries)
    fractions = [Fraction(value) for value in entries]
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


def ordered_sums(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Integers a, b in place of the signed sums of two parts, such that a + b has the sign of the sum of both.

    They are the sums where these fit 61 bits. Wider sums are kept in words of 50 bits, sorted together with the negatives of
    the first part's, and replaced by their ranks.
    """
    if sum(map(abs, first + second)).bit_length() <= _MOST_BITS:
        return sign_sums(list(first)), sign_sums(list(second))
    words = -(-sum(map(abs, first + second)).bit_length() // _WORD)
    keys = np.concatenate([_in_words([-v for v in first], words), _in_words(second, words)], axis=1)
    order = np.lexsort(keys)
    new = np.any(np.diff(keys[:, order], axis=1) != 0, axis=0)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.concatenate([[0], np.cumsum(new)])
    return -ranks[: 2 ** len(first)], ranks[2 ** len(first) :]


def _in_words(values: Sequence[int], words: int) -> np.ndarray:
    """Signed sums of the values in words of 50 bits, the lowest first; all but the highest are not negative."""
    parts = []
    carry = np.zeros(1, dtype=np.int64)
    for word in range(words):
        sums = sign_sums([(1 if v > 0 else -1) * (abs(v) >> word * _WORD & (1 << _WORD) - 1) for v in values]) + carry
        carry = sums >> _WORD if word < words - 1 else carry
        parts.append(sums - (carry << _WORD) if word < words - 1 else sums)
    return np.stack(parts)
