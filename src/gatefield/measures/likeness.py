"""Whether two fields are the same, in place or up to a shift and a sign."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int, Real
from scipy.optimize import linear_sum_assignment

from gatefield.core import checks
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.measures.inputs import fields as some_fields
from gatefield.measures.inputs import finite_fields
from gatefield.measures.labels import labelled

FieldsLike = Real[np.ndarray, "*#batch n"] | Sequence


@labelled(("cosine", "cosine of the angle between two fields"))
@given(a=some_fields, b=some_fields)
def cosine(a: FieldsLike, b: FieldsLike) -> Float[np.ndarray, "..."]:
    r"""The cosine of the angle between two fields (host).

    $$\frac{\langle a,b\rangle}{|a|\,|b|}$$

    **Arguments**

    - `a`, `b`: fields (..., n) whose leading axes broadcast; or `DataArray`s with the same coordinates.
    - `dim`: the dimension of a `DataArray` that holds the sites.

    **Returns** the cosine of each pair; 0 if one of the two is 0.

    >>> float(cosine([1.0, 0.0], [0.0, 2.0]))
    0.0
    """
    a, b = _pair(a, b)
    return np.asarray(np.sum(a * b, axis=-1) / _sizes(a, b))


@labelled(("shifted_cosine", "largest cosine of two fields over all shifts"))
@given(a=some_fields, b=some_fields)
def shifted_cosine(a: FieldsLike, b: FieldsLike) -> Float[np.ndarray, "..."]:
    r"""The largest absolute cosine over all shifts around the ring: 1 if two fields are the same up to shift and sign (host).

    $$\max_s \frac{|\sum_j a_{j+s}\,b_j|}{|a|\,|b|}$$

    **Arguments**

    - `a`, `b`: fields (..., n) whose leading axes broadcast; or `DataArray`s with the same coordinates.
    - `dim`: the dimension of a `DataArray` that holds the sites.

    **Returns** the largest cosine of each pair; 0 if one of the two is 0.

    >>> round(float(shifted_cosine([0.0, 1.0, 0.0, 0.5], [-0.5, 0.0, -1.0, 0.0])), 6)
    1.0
    """
    a, b = _pair(a, b)
    products = np.fft.ifft(np.fft.fft(a) * np.fft.fft(b).conj()).real
    return np.asarray(np.abs(products).max(-1) / _sizes(a, b))


@given(fields=finite_fields, least=checks.number)
def groups(fields: Real[np.ndarray, "fields n"] | Sequence, least: float) -> Int[np.ndarray, " fields"]:
    """A number for each field, the same for those that are the same up to a shift and a sign (host).

    Fields come in order: each joins the group whose first member has the largest `shifted_cosine` with it, if that is `least`
    or more, and else begins a group of its own.

    **Arguments**

    - `fields`: (fields, n).
    - `least`: from which `shifted_cosine` on two fields count as the same.

    **Returns** the number of each field's group, counted from 0 in the order in which groups begin.

    >>> groups([[1.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.0, -1.0, 0.0]], 0.99).tolist()
    [0, 1, 0]
    """
    fields = _rows("fields", np.asarray(fields))
    out, firsts = np.full(len(fields), -1), []
    for i, field in enumerate(fields):
        near = shifted_cosine(np.asarray(firsts), field) if firsts else np.zeros(0)
        if len(near) and near.max() >= least:
            out[i] = int(near.argmax())
        else:
            out[i] = len(firsts)
            firsts.append(field)
    return out


@given(field=some_fields)
def aligned(field: Real[np.ndarray, " n"] | Sequence) -> Real[np.ndarray, " n"]:
    """The field shifted such that its largest entry stands in the middle, and is 1 (host).

    **Arguments**

    - `field`: (n,), not zero everywhere.

    **Returns** the shifted field; what was the largest entry is at n // 2.

    >>> aligned([0.0, 1.0, 2.0, 4.0]).tolist()
    [0.25, 0.5, 1.0, 0.0]
    """
    field = _rows("field", np.asarray(field), 1)
    if not np.any(field):
        raise UserError("field must not be zero everywhere, because it has no largest entry; leave it out.")
    peak = int(np.argmax(np.abs(field)))
    return np.roll(field / field[peak], len(field) // 2 - peak)


@given(a=some_fields, b=some_fields)
def best_match(a: Real[np.ndarray, "K n"] | Sequence, b: Real[np.ndarray, "K n"] | Sequence) -> float:
    """The mean cosine of the fields of two networks, over the pairing of their units that makes it largest (host).

    **Arguments**

    - `a`, `b`: fields (K, n).

    **Returns** the mean of the K cosines: 1 if both have the same fields in any order, up to positive factors.

    >>> import numpy as np
    >>> round(best_match(np.eye(3), np.eye(3)[::-1]), 6)
    1.0
    """
    a, b = _rows("a", np.asarray(a)), _rows("b", np.asarray(b))
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return float("nan")
    table = cosine(a[:, None], b[None])
    rows, columns = linear_sum_assignment(-table)
    return float(table[rows, columns].mean())


def _pair(a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both as arrays, whose shapes broadcast."""
    a, b = np.asarray(a), np.asarray(b)
    try:
        np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
        fits = a.shape[-1] == b.shape[-1]
    except ValueError:
        fits = False
    if not fits:
        raise UserError(f"a and b must be fields of the same sites, but have shapes {a.shape} and {b.shape}; cut one of them.")
    return a, b


def _rows(name: str, array: np.ndarray, ndim: int = 2) -> np.ndarray:
    if array.ndim != ndim:
        rule = "(fields, n)" if ndim == 2 else "(n,)"
        raise UserError(f"{name} must have shape {rule}, but has shape {array.shape}; take those of one run at one step.")
    return array


def _sizes(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The product of the norms, 1 where it is 0."""
    size = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return np.where(size == 0, 1.0, size)
