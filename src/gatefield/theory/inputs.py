"""Checks of fields, covariances and labels.

The first part are rules for `checks.given`: one argument each, before it becomes an array. Then come checks of what belongs
together. Values that are not known yet (under `jit`, `vmap` or `grad`) pass unchecked, but for their shape.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.errors import UserError
from gatefield.core.keys import as_key
from gatefield.core.text.quoted import quoted
from gatefield.data import AbstractTask, Source


def field(name: str, w: Any) -> None:
    """One field (n,), finite."""
    sizes = checks.shape(name, w, f"{name} must be a field of shape (n,)")
    if len(sizes) != 1 or not sizes[0]:
        one = len(sizes) == 2 and sizes[0] == 1
        way_out = f"give its only row, {name}[0]" if one else "use jax.vmap for several"
        raise UserError(f"{name} must be a field of shape (n,), but has shape {sizes}; {way_out}.")
    checks.finite(name, w)


def fields(name: str, W: Any) -> None:
    """Fields (K, n), finite."""
    _fields(name, W, 2, "(K, n), one row for each field")


def sets(name: str, V: Any) -> None:
    """Sets of fields (sets, K, n), finite."""
    _fields(name, V, 3, "(sets, K, n), one set of fields after the other")


def some(name: str, value: Any) -> None:
    """Numbers of any shape, at least one; which they are is not looked at."""
    if 0 in checks.shape(name, value):
        raise UserError(
            f"{name} must hold at least one number, but has shape {np.shape(value)}; write for instance {name}=[1.0]."
        )


def values(name: str, value: Any) -> None:
    """Finite numbers of any shape, at least one."""
    some(name, value)
    checks.finite(name, value)


def bound(name: str, value: Any) -> None:
    """Numbers of any shape, at least one; they may be infinite."""
    some(name, value)
    checks.real(name, value, "a number or infinite", lambda x: ~np.isnan(x))


def one_gain(name: str, gain: Any) -> None:
    """One gain, zero or more; it may be infinite."""
    if checks.shape(name, gain):
        raise UserError(f"{name} must be one number, but has shape {np.shape(gain)}; use jax.vmap for several.")
    checks.gain(gain, name)


def one_correlation(name: str, rho: Any) -> None:
    """One correlation in [-1, 1]."""
    checks.correlation(name, rho)
    checks.number(name, rho)


def covariance(name: str, cov: Any) -> None:
    """A covariance (n, n), or a task in its place."""
    if not isinstance(cov, AbstractTask):
        checks.covariance(name, cov)


def spectrum(name: str, lam: Any) -> None:
    """Variances of modes, of any shape, or a task in their place."""
    if not isinstance(lam, AbstractTask):
        some(name, lam)


def labels(name: str, pair: Any) -> None:
    label_pair(pair)


def label_pair(labels: Any) -> tuple[Any, Any]:
    """The labels (y1, y0): two finite numbers."""
    try:
        if isinstance(labels, set | dict | Iterator):  # they have no order, or can be read only once
            raise TypeError
        y1, y0 = labels
    except (TypeError, ValueError):
        raise UserError(f"labels must be the pair (y1, y0), but are {quoted(labels)}; write labels=(1.0, 0.0).") from None
    for y in (y1, y0):
        checks.finite("each of the labels", y)
        if np.ndim(y):
            raise UserError(
                f"labels must be the pair (y1, y0) of numbers, but one has shape {np.shape(y)}; write labels=(1.0, 0.0)."
            )
    return y1, y0


def one_key(name: str, key: Any) -> None:
    """One PRNG key."""
    count = as_key(key).shape
    if count:
        raise UserError(f"{name} must be one key, but there are {count}; give one of them, such as {name}[0].")


def source(name: str, value: Any) -> None:
    """A source of inputs."""
    if not isinstance(value, Source):
        raise UserError(f"{name} must be a source, such as Hypercube(40, xi=2.0), but is {quoted(value)}.")


def symmetric_class(name: str, value: Any) -> None:
    """A class of inputs as `theory.classes` has them."""
    if isinstance(value, type) or not hasattr(value, "moments") or not hasattr(value, "drift"):
        raise UserError(f"{name} must be a class of inputs, such as GaussianClass(cov), but is {quoted(value)}.")


def check_broadcast(**values: Any) -> None:
    """Arguments whose shapes broadcast."""
    shapes = [np.shape(value) for value in values.values()]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        names, found = " and ".join(values), " and ".join(map(str, shapes))
        raise UserError(f"{names} must have one shape or broadcast, but have {found}; give as many of each, or one.") from None


def check_sites(w: Any, *covs: Any) -> None:
    """Covariances (n, n) for fields (..., n)."""
    n = np.shape(w)[-1]
    for cov in covs:
        if np.shape(cov) != (n, n):
            raise UserError(
                f"For fields of {n} sites a covariance, or that of a task's source, must have shape ({n}, {n}), but one has "
                f"{np.shape(cov)}; give fields and inputs the same n."
            )


def check_field(w: Exact, *covs: Exact) -> None:
    """One field that is not zero, and its covariances."""
    check_sites(w, *covs)
    if not isinstance(w, Tracer):
        _refuse(np.abs(np.asarray(w)).max(keepdims=True) == 0, ("w",), "zero")


def check_directions(W: Exact, covs: Mapping[str, Exact], names: tuple[str, ...] | None = None) -> None:
    """No field is zero, or zero in the metric of a covariance up to rounding: else its gate has no direction.

    Where values are not known yet, the result is NaN instead.
    """
    if any(isinstance(array, Tracer) for array in (W, *covs.values())):
        return
    rows = np.asarray(W, dtype=np.float64)
    peaks = np.abs(rows).max(axis=1)
    called = names or tuple(f"field {j}" for j in range(len(rows)))
    _refuse(peaks == 0, called, "zero")
    for cov, entries in covs.items():
        matrix = np.asarray(entries, dtype=np.float64)
        square, bound = _powers(rows / peaks[:, None], matrix)
        noise = len(matrix) * np.finfo(float).eps * bound
        _refuse(square <= noise, called, f"zero in the metric of {cov} (w'Cw = 0)")


def unless_nan(value: Array, given: Array, instead: Any = np.nan) -> Array:
    """The value, or NaN where an entry of what was given is NaN: for formulas that do not read all of it."""
    return jnp.where(jnp.isnan(given).any(), instead, value)


def _fields(name: str, W: Any, ndim: int, rule: str) -> None:
    sizes = checks.shape(name, W, f"{name} must have shape {rule}")
    if len(sizes) != ndim or 0 in sizes:
        raise UserError(f"{name} must have shape {rule}, but has shape {sizes}.")
    checks.finite(name, W)


def _powers(rows: np.ndarray, matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """w'Cw of each field, and the same with all entries made positive, for the size of rounding."""
    square = np.einsum("ji,ik,jk->j", rows, matrix, rows)
    return square, np.einsum("ji,ik,jk->j", abs(rows), abs(matrix), abs(rows))


def _refuse(wrong: np.ndarray, called: tuple[str, ...], what: str) -> None:
    if wrong.any():
        name = called[int(np.argmax(wrong))]
        raise UserError(f"{name} is {what}: its gate has no direction; start it elsewhere or leave it out.")
