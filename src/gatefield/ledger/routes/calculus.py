"""Derivatives by central differences, and Runge-Kutta steps."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

_WEIGHTS = {2: (1 / 2,), 4: (2 / 3, -1 / 12), 6: (3 / 4, -3 / 20, 1 / 60)}


def derivative(function: Callable[[float], Any], step: float = 1e-2, order: int = 6) -> Any:
    """f'(0) by central differences of order 2, 4 or 6; f may be an array."""
    return sum(c * (function(m * step) - function(-m * step)) for m, c in enumerate(_WEIGHTS[order], start=1)) / step


def jacobian(function: Callable[[np.ndarray], Any], w: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Derivatives of a function of a field, one column for each site."""
    return np.stack([derivative(lambda e, one=one: function(w + e * one), step, order=2) for one in np.eye(len(w))], axis=-1)


def slopes(function: Callable[[list[np.ndarray]], Any], params: Sequence[np.ndarray], step: float = 1e-5) -> np.ndarray:
    """Derivatives of `function(params)`, (samples, ...), by all entries of all arrays: (samples, entries, ...)."""

    def moved(k: int, at: tuple[int, ...], e: float) -> np.ndarray:
        copies = [p.copy() for p in params]
        copies[k][at] += e
        return np.asarray(function(copies))

    entries = ((k, at) for k, p in enumerate(params) for at in np.ndindex(p.shape))
    return np.stack([(moved(k, at, step) - moved(k, at, -step)) / (2 * step) for k, at in entries], axis=1)


def gram(function: Callable[[list[np.ndarray]], Any], params: Sequence[np.ndarray]) -> np.ndarray:
    """The tangent kernel of a function of several arrays: products of its slopes, summed over its outputs."""
    found = slopes(function, params)
    rows = found.reshape(len(found), -1)
    return rows @ rows.T


def runge_kutta(velocity: Callable[[np.ndarray], Any], state: np.ndarray, step: float, steps: int) -> Iterator[np.ndarray]:
    """States before each of the steps, and after the last."""
    for _ in range(steps):
        yield state
        one = velocity(state)
        two = velocity(state + step / 2 * one)
        three = velocity(state + step / 2 * two)
        state = state + step / 6 * (one + 2 * two + 2 * three + velocity(state + step * three))
    yield state
