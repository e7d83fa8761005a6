"""Compiled functions of plain numbers and arrays."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import jax

from gatefield.core.precision import exact, real

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """`exact` and compiled; all arguments become arrays of the default float type first, None stays None.

    Python numbers and NumPy ones then share one compilation, and no NumPy array of another precision enters a caller's trace:
    JAX mixes up the precisions of one that is traced both with and without x64.
    """
    inner = jax.jit(function)

    @exact
    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        return inner(*map(_array, args), **{name: _array(value) for name, value in kwargs.items()})

    return wrapper


def _array(value: Any) -> jax.Array | None:
    return None if value is None else real(value)
