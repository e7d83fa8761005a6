"""What measures ask of fields and kernels: real numbers of the right dimensions. NaN passes where the result can be NaN."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted


def fields(name: str, w: Any) -> None:
    """One field (n,), or many (..., n)."""
    _sites(name, checks.shape(name, w))


def complex_fields(name: str, w: Any) -> None:
    """The same, of complex numbers too."""
    if isinstance(w, np.ndarray | jax.Array) and jnp.iscomplexobj(w):
        checks.unlost(name, w)
        _sites(name, w.shape)
    else:
        fields(name, w)


def known_fields(name: str, w: Any) -> None:
    """The same without NaN."""
    fields(name, w)
    known(name, w)


def finite_fields(name: str, w: Any) -> None:
    """The same without NaN and infinities."""
    fields(name, w)
    checks.finite(name, w)


def known(name: str, value: Any) -> None:
    """Numbers of any shape without NaN, for results that have none."""
    checks.real(name, value, "a number, as a position, a count or a choice is never NaN", lambda x: ~np.isnan(x))


def masks(name: str, value: Any) -> None:
    """Gates (samples, width) of each layer without NaN."""
    if not isinstance(value, list | tuple | np.ndarray | jax.Array) or not len(value):
        raise UserError(f"{name} must be a list with one array for each layer, but is {quoted(value)}; write {name}=[...].")
    for at, gates in enumerate(value, 1):
        sizes = checks.shape(f"{name} of layer {at}", gates)
        if len(sizes) != 2 or sizes[0] != np.shape(value[0])[0]:
            raise UserError(f"{name} of layer {at} must have the shape (samples, width), but has {sizes}; stack the samples.")
        known(f"{name} of layer {at}", gates)


def timed_masks(name: str, value: Any) -> None:
    """The same with axes in front, such as seeds or times: (..., samples, width) of each layer."""
    if not isinstance(value, list | tuple | np.ndarray | jax.Array) or not len(value):
        raise UserError(f"{name} must be a list with one array for each layer, but is {quoted(value)}; write {name}=[...].")
    for at, gates in enumerate(value, 1):
        sizes = checks.shape(f"{name} of layer {at}", gates)
        if len(sizes) < 2 or 0 in sizes:
            raise UserError(
                f"{name} of layer {at} must have the shape (..., samples, width), but has {sizes}; stack the samples."
            )
        known(f"{name} of layer {at}", gates)


def kernel(name: str, K: Any) -> None:
    """Kernels (..., samples, samples)."""
    checks.kernel(name, K)


def sound(K: Array) -> Bool[Array, "*batch"]:
    """Which kernels have no NaN and are not infinite."""
    return jnp.isfinite(K).all((-2, -1))


def _sites(name: str, sizes: tuple[int, ...]) -> None:
    if not sizes or not sizes[-1]:
        raise UserError(f"{name} must have shape (n,) or (..., n), but has shape {sizes}; give one number for each site.")
