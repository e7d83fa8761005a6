"""Checks of fields, covariances and labels.

Values that are not known yet (under `jit`, `vmap` or `grad`) pass unchecked.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jax.core import Tracer

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.errors import UserError

_ROUNDING = 1e-6
"""How far, relative to its entries, a covariance may be from symmetric and positive: rounding in single precision."""


def check_shapes(W: Exact, *covs: Exact, name: str = "W") -> None:
    """Fields (K, n), and covariances (n, n) that are finite and symmetric."""
    if W.ndim != 2 or 0 in W.shape:
        raise UserError(f"{name} must have shape (K, n), one row for each field, but has shape {W.shape}.")
    for cov in covs:
        _check_covariance(cov, W.shape[1])


def check_field(w: Exact, *covs: Exact) -> None:
    """One field (n,), finite and not zero, and covariances (n, n) in whose metric its length is not negative."""
    if w.ndim != 1 or not w.size:
        raise UserError(f"w must be a field of shape (n,), but has shape {w.shape}.")
    check_shapes(w[None], *covs)
    if isinstance(w, Tracer):
        return
    field = np.asarray(checks.finite("w", w), dtype=np.float64)[None]
    _refuse(np.abs(field).max(axis=1) == 0, ("w",), "zero")
    for cov in covs:
        if not isinstance(cov, Tracer):
            _positive_powers(field, np.asarray(cov, dtype=np.float64))


def check_directions(W: Exact, covs: Mapping[str, Exact], names: tuple[str, ...] | None = None) -> None:
    """No field is zero, or zero in the metric of a covariance up to rounding: else its gate has no direction.

    Where values are not known yet, the result is NaN instead.
    """
    if any(isinstance(array, Tracer) for array in (W, *covs.values())):
        return
    fields = np.asarray(checks.finite("a field", W), dtype=np.float64)
    peaks = np.abs(fields).max(axis=1)
    called = names or tuple(f"field {j}" for j in range(len(fields)))
    _refuse(peaks == 0, called, "zero")
    for cov, values in covs.items():
        matrix = np.asarray(values, dtype=np.float64)
        square, bound = _positive_powers(fields / peaks[:, None], matrix)
        noise = len(matrix) * np.finfo(float).eps * bound
        _refuse(square <= noise, called, f"zero in the metric of {cov} (w'Cw = 0)")


def label_pair(labels: Any) -> tuple[Any, Any]:
    """The labels (y1, y0): two finite numbers."""
    try:
        y1, y0 = labels
    except (TypeError, ValueError):
        raise UserError(f"labels must be the pair (y1, y0), but are {labels!r}; give two numbers.") from None
    for y in (y1, y0):
        checks.finite("each of the labels", y)
        if np.ndim(y):
            raise UserError(f"labels must be the pair (y1, y0) of numbers, but one has shape {np.shape(y)}; give two numbers.")
    return y1, y0


def _check_covariance(cov: Exact, n: int) -> None:
    if cov.shape != (n, n):
        raise UserError(f"For fields of {n} sites a covariance must have shape ({n}, {n}), but one has {cov.shape}.")
    if isinstance(cov, Tracer):
        return
    matrix = np.asarray(checks.finite("a covariance", cov), dtype=np.float64)
    skew, least = np.abs(matrix - matrix.T).max(), np.diagonal(matrix).min()
    if skew > _ROUNDING * np.abs(matrix).max():
        raise UserError(
            f"A covariance must be symmetric, but two mirrored entries differ by {skew:g}; write (cov + cov.T) / 2."
        )
    if least < 0:
        raise UserError(
            f"A covariance must be positive, but has a variance of {least:g} on its diagonal; compute it as x.T @ x / len(x)."
        )


def _positive_powers(fields: np.ndarray, matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """w'Cw of each field, none of them negative, and the same with all entries made positive, for the size of rounding."""
    square = np.einsum("ji,ik,jk->j", fields, matrix, fields)
    bound = np.einsum("ji,ik,jk->j", abs(fields), abs(matrix), abs(fields))
    if np.any(square < -_ROUNDING * bound):
        raise UserError(
            f"A covariance must be positive, but w'Cw = {square.min():g} for a field; compute it as x.T @ x / len(x)."
        )
    return square, bound


def _refuse(wrong: np.ndarray, called: tuple[str, ...], what: str) -> None:
    if wrong.any():
        name = called[int(np.argmax(wrong))]
        raise UserError(f"{name} is {what}: its gate has no direction; start it elsewhere or leave it out.")
