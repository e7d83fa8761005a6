"""Checks of what users hand to the functions about the hypercube."""

import numbers
from typing import Any

import numpy as np
from jax.core import Tracer

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted

_ROUNDING = 1e-8  # users' correlations come from float32 or from rounded text; kernels that are wrong differ by far more


def shape(name: str, value: Any) -> tuple[int, ...]:
    """The shape of an array of real numbers; ragged lists, text and complex numbers have none."""
    if isinstance(value, Tracer):
        return checks.traced(name, value).shape
    try:
        array = np.asarray(value)
    except ValueError:
        raise UserError(f"{name} must be an array of real numbers, but its rows differ in length; make them equal.") from None
    except TypeError:
        way_out = "write for instance [1.0, 0.5]"
        raise UserError(f"{name} must be an array of real numbers, but is {quoted(value)}; {way_out}.") from None
    if array.dtype.kind not in "biufO":
        way_out = f"np.real({name})" if array.dtype.kind == "c" else "numbers, such as [1.0, 0.5]"
        raise UserError(f"{name} must be an array of real numbers, but has type {array.dtype}; write {way_out}.")
    return array.shape


def correlation(corr: Any, name: str = "corr") -> int:
    """The number of sites of a correlation matrix: square, symmetric, with unit diagonal and no negative eigenvalue."""
    sizes = shape(name, corr)
    if len(sizes) != 2 or sizes[0] != sizes[1] or not sizes[0]:
        raise UserError(
            f"{name} must be a correlation matrix (n, n), but has shape {sizes}; give one row and one column for each site."
        )
    if not isinstance(corr, Tracer):
        matrix = np.asarray(checks.finite(name, corr), dtype=np.float64)
        if np.abs(np.diag(matrix) - 1).max() > _ROUNDING:
            raise UserError(
                f"{name} must have ones on its diagonal, but has {np.diag(matrix).min():g}; divide by the variances."
            )
        if np.abs(matrix - matrix.T).max() > _ROUNDING:
            raise UserError(f"{name} must be symmetric, but is not; give (corr + corr.T)/2.")
        least = float(np.linalg.eigvalsh(matrix)[0])
        if least < -_ROUNDING * len(matrix):
            raise UserError(f"{name} must have no negative eigenvalue, but has {least:.3g}; use a wrapped kernel on a ring.")
    return sizes[0]


def covariances(cov1: Any, cov0: Any, sites: int | None = None) -> int:
    """The number of sites of two covariances of the same."""
    sizes = shape("cov1", cov1)
    n = (sizes[-1] if sizes else 0) if sites is None else sites
    for name, cov in (("cov1", cov1), ("cov0", cov0)):
        if not n or shape(name, cov) != (n, n):
            raise UserError(
                f"{name} must be a covariance ({n}, {n}), but has shape {shape(name, cov)}; give both classes the same sites."
            )
        checks.covariance(name, cov)
    return n


def points(name: str, x: Any, sites: int) -> int:
    """The number of rows of finite points."""
    sizes = shape(name, x)
    if len(sizes) != 2 or sizes[1] != sites or not sizes[0]:
        raise UserError(
            f"{name} must have one row of {sites} sites per point, but has shape {sizes}; put points along the first axis."
        )
    checks.finite(name, x)
    return sizes[0]


def chances(value: Any, count: int) -> None:
    """Probabilities, one for each of `count` points; None stands for equal ones."""
    if value is None:
        return
    if shape("chances", value) != (count,):
        raise UserError(
            f"chances must have one entry for each of the {count} points, but has shape {shape('chances', value)}; "
            "give one probability per row of the points."
        )
    checks.real("chances", value, "zero or more and finite", lambda p: (p >= -1e-9) & np.isfinite(p))


def site(value: Any, sites: int) -> Any:
    """The number of a site, from 0."""
    if isinstance(value, Tracer):
        return value
    number = checks.count("site", value, least=0)
    if number >= sites:
        raise UserError(f"site must be from 0 to {sites - 1}, but is {number}; sites are counted from 0.")
    return number


def field(w: Any) -> int:
    """The number of entries of a finite vector that is not zero everywhere."""
    sizes = shape("w", w)
    if len(sizes) != 1 or not sizes[0]:
        raise UserError(f"w must be a vector, but has shape {sizes}; give one weight for each site.")
    _not_zero(w)
    return sizes[0]


def fields(w: Any, sites: int) -> None:
    """One field or many (..., sites), finite and none of them zero everywhere."""
    sizes = shape("w", w)
    if sizes[-1:] != (sites,):
        raise UserError(
            f"w must have one entry for each of the {sites} sites, but has shape {sizes}; "
            f"give it the shape ({sites},), or (..., {sites}) for many fields."
        )
    _not_zero(w)


def _not_zero(w: Any) -> None:
    if isinstance(w, Tracer):
        return
    _numbers(w)
    if not np.any(np.asarray(w) != 0, axis=-1).all():
        raise UserError(
            f"w must not be zero everywhere, because its gate would be open nowhere; write for instance np.ones({np.shape(w)})."
        )


def _numbers(w: Any) -> None:
    """Finite numbers; integers and fractions may be of any size."""
    array = np.asarray(w)
    if array.dtype != object:
        checks.finite("w", w)
        return
    for value in array.ravel().tolist():
        if not isinstance(value, numbers.Rational):
            checks.finite("w", value)


def signs(pattern: Any, sites: int) -> None:
    """A pattern of signs, one for each site."""
    if shape("pattern", pattern) != (sites,):
        raise UserError(
            f"pattern must have one sign for each of the {sites} sites, but has shape {np.shape(pattern)}; "
            f"write for instance pattern=[1] * {sites}."
        )
    if not isinstance(pattern, Tracer):
        checks.real("pattern", pattern, "1 or -1 at each site", lambda x: np.abs(x) == 1)
