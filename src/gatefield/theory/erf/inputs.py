"""Checks of what is handed to the functions of error-function units, before they are compiled."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.theory.inputs import check_shapes

P = ParamSpec("P")
R = TypeVar("R")


def checked(check: Callable[P, None]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Call `check` with the same arguments first; it raises a `UserError` or does nothing."""

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            check(*args, **kwargs)
            return function(*args, **kwargs)

        return wrapper

    return wrap


def one_unit(w: Any, b: Any, cov: Any) -> None:
    """A field (n,), a bias and a covariance (n, n)."""
    _field("w", w, cov)
    number("b", b)


def two_units(w_j: Any, b_j: Any, w_k: Any, b_k: Any, cov: Any) -> None:
    """Two fields (n,), two biases and a covariance (n, n)."""
    for name, w, b in (("j", w_j, b_j), ("k", w_k, b_k)):
        _field(f"w_{name}", w, cov)
        number(f"b_{name}", b)


def per_unit(name: str, value: Any, units: int) -> None:
    """One finite number for each unit, or one for all."""
    checks.finite(name, value)
    if np.shape(value) not in ((), (1,), (units,)):
        raise UserError(f"{name} must be one number, or one for each of the {units} units, but has shape {np.shape(value)}.")


def number(name: str, value: Any) -> None:
    """One finite number."""
    checks.finite(name, value)
    if np.shape(value) != ():
        raise UserError(f"{name} must be one number, but has shape {np.shape(value)}; use jax.vmap for several.")


def _field(name: str, w: Any, cov: Any) -> None:
    w = _array(checks.finite(name, w))
    if w.ndim != 1:
        raise UserError(f"{name} must be a field of shape (n,), but has shape {w.shape}; use jax.vmap for several.")
    check_shapes(w[None], _array(cov))


def _array(value: Any) -> Any:
    """What has no shape yet as a float64 array; no JAX array is made here, where x64 may be off."""
    return value if hasattr(value, "shape") else np.asarray(value, dtype=np.float64)
