"""Checks of what users hand in. Each returns the value in the form the package keeps it, or raises a `UserError`.

Under `jit` and `vmap` a value is not known yet; such values pass unchecked.
"""

import operator
from collections.abc import Callable, Iterable
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from gatefield.core.errors import UserError, unknown_name

_EXAMPLES = {"learning_rate": 0.01, "rtol": 1e-6, "atol": 1e-9, "steady_tol": 1e-8, "tolerance": 1e-9}
_EXAMPLES |= {"n": 40, "steps": 1000, "batch_size": 100, "size": 100}
"""What a message proposes where the usual size is known."""
_PLAIN = (2.0, 0.5, 3.0, 1.0)
"""What a message proposes for other numbers: the first of these that keeps the rule."""


def real(name: str, value: Any, rule: str, holds: Callable[[np.ndarray], Any]) -> Any:
    """A number or an array of numbers for which `holds` is true everywhere; NaN never passes.

    Kept as float64 NumPy array, so that no precision is lost before it meets a device; JAX arrays are kept as they are.
    """
    if isinstance(value, Tracer):
        return value
    try:
        array = np.asarray(_numbers(np.asarray(value)), dtype=np.float64)
    except (TypeError, ValueError):
        raise UserError(f"{name} must be {rule}, but is {value!r}, which is not a number.") from None
    wrong = np.asarray(np.isnan(array) | ~np.asarray(holds(array)))
    if wrong.any():
        raise UserError(f"{name} must be {rule}, but is {array[wrong].flat[0]:g}; {_way_out(name, wrong, holds)}.")
    return value if isinstance(value, jax.Array) else array


def _numbers(array: np.ndarray) -> np.ndarray:
    """The same array, unless it has texts or None in it, which NumPy would read as numbers or as NaN."""
    if array.dtype.kind in "US" or (array.dtype.kind == "O" and any(entry is None for entry in array.flat)):
        raise TypeError
    return array


def _way_out(name: str, wrong: np.ndarray, holds: Callable[[np.ndarray], Any]) -> str:
    """What to write instead of one number, or where in an array the first wrong one is."""
    if wrong.ndim:
        place = np.argwhere(wrong)[0].tolist()
        return f"change its value at {place}" + f" and {wrong.sum() - 1} more" * bool(wrong.sum() > 1)
    example = next((x for x in (_EXAMPLES.get(name, _PLAIN[0]), *_PLAIN) if np.all(holds(np.asarray(x)))), None)
    return "choose another" if example is None else _write(name, example)


def _write(name: str, example: int | float) -> str:
    return f"write for instance {name}={example:g}" if name.isidentifier() else f"{example:g} would do"


def length_scale(value: Any, name: str = "xi") -> Any:
    return real(name, value, "a positive, finite length scale in sites", lambda x: (x > 0) & np.isfinite(x))


def gain(value: Any, name: str = "gain") -> Any:
    return real(name, value, "zero or more ('inf' is the hypercube)", lambda x: x >= 0)


def correlation(name: str, value: Any) -> Any:
    """Correlations in [-1, 1]; what rounding puts beyond counts as -1 or 1."""
    if isinstance(value, Tracer):
        return value
    slack = 1e-6 if getattr(value, "dtype", None) == np.float32 else 5e-7
    real(name, value, "a correlation between -1 and 1", lambda x: np.abs(x) <= 1 + slack)
    return np.clip(np.asarray(value, dtype=np.float64), -1.0, 1.0)


def finite(name: str, value: Any) -> Any:
    return real(name, value, "finite", np.isfinite)


def positive(name: str, value: Any) -> Any:
    return real(name, value, "positive and finite", lambda x: (x > 0) & np.isfinite(x))


def proportion(value: Any, name: str = "proportion") -> float:
    """The share of the positive class."""
    return scalar(name, real(name, value, "strictly between 0 and 1", lambda x: (x > 0) & (x < 1)))


def scalar(name: str, value: Any) -> float:
    """One number, not an array of them."""
    if np.ndim(value):
        raise UserError(f"{name} must be one number, but has shape {np.shape(value)}; give one for all runs.")
    return float(value)


def count(name: str, value: Any, *, least: int = 1) -> int:
    """A whole number, at least `least`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < least:
        way_out = _write(name, max(least, _EXAMPLES.get(name, least)))
        shown = repr(value) if number is None else value
        raise UserError(f"{name} must be a whole number of at least {least}, but is {shown}; {way_out}.")
    return number


def choice(kind: str, value: Any, options: Iterable[str]) -> str:
    """One of the names in `options`."""
    options = list(options)
    if value not in options:
        raise unknown_name(kind, value, options)
    return value
