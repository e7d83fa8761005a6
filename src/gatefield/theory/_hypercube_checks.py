"""Checks of what users hand to the functions about the hypercube."""

from typing import Any

import numpy as np
from jax.core import Tracer

from gatefield import _checks
from gatefield._errors import UserError

_ROUNDING = 1e-8


def correlation(corr: Any, name: str = "corr") -> int:
    """The number of sites of a correlation matrix: square, symmetric, with unit diagonal and no negative eigenvalue."""
    shape = np.shape(corr)
    if len(shape) != 2 or shape[0] != shape[1] or not shape[0]:
        raise UserError(f"{name} must be a correlation matrix (n, n), but has shape {shape}; give such a matrix.")
    if not isinstance(corr, Tracer):
        matrix = np.asarray(_checks.finite(name, corr), dtype=np.float64)
        if np.abs(np.diag(matrix) - 1).max() > _ROUNDING:
            raise UserError(
                f"{name} must have ones on its diagonal, but has {np.diag(matrix).min():g}; divide by the variances."
            )
        if np.abs(matrix - matrix.T).max() > _ROUNDING:
            raise UserError(f"{name} must be symmetric, but is not; give (corr + corr.T)/2.")
        least = float(np.linalg.eigvalsh(matrix)[0])
        if least < -_ROUNDING * len(matrix):
            raise UserError(f"{name} must have no negative eigenvalue, but has {least:.3g}; use a wrapped kernel on a ring.")
    return shape[0]


def field(w: Any, sites: int | None = None) -> int:
    """The number of entries of a finite vector that is not zero everywhere."""
    shape = np.shape(w)
    if len(shape) != 1 or not shape[0] or (sites is not None and shape[0] != sites):
        rule = "a vector" if sites is None else f"one entry for each of the {sites} sites"
        raise UserError(f"w must have {rule}, but has shape {shape}; give such a field.")
    if not isinstance(w, Tracer):
        if np.asarray(w).dtype != object:
            _checks.finite("w", w)
        if not np.any(np.asarray(w) != 0):
            raise UserError("w must not be zero everywhere, because its gate would be open nowhere; give another field.")
    return shape[0]


def signs(pattern: Any, sites: int) -> None:
    """A pattern of signs, one for each site."""
    if np.shape(pattern) != (sites,):
        raise UserError(
            f"pattern must have one sign for each of the {sites} sites, but has shape {np.shape(pattern)}; give such a pattern."
        )
    if not isinstance(pattern, Tracer):
        _checks.real("pattern", pattern, "1 or -1 at each site", lambda x: np.abs(x) == 1)
