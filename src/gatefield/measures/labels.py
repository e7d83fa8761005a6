"""Labels in, labels out: a measure is written on arrays, and `labelled` lets it take an `xarray.DataArray` as well."""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, overload

import jax
import numpy as np
import xarray as xr

from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
L = TypeVar("L", covariant=True)

Label = tuple[str, str] | tuple[str, str, str]
"""Name and long name of a result, and its units if it has any."""
LAST_TWO = "the last two"
"""Stands for the last two dimensions of the first labelled argument, as those of a kernel."""


class Labelled(Protocol, Generic[P, R, L]):
    """A measure of arrays (`P` to `R`) that gives `L` where it is called with a `DataArray`."""

    @overload
    def __call__(self, first: xr.DataArray, /, *args: Any, dim: str | Sequence[str] = ..., **kwargs: Any) -> L: ...
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


@overload
def labelled(label: Label, /, **options: Any) -> Callable[[Callable[P, R]], Labelled[P, R, xr.DataArray]]: ...
@overload
def labelled(
    first: Label, second: Label, /, *labels: Label, **options: Any
) -> Callable[[Callable[P, R]], Labelled[P, R, tuple[xr.DataArray, ...]]]: ...
def labelled(
    *labels: Label,
    dim: str | Sequence[str] = "position",
    out: Sequence[str] | None = (),
    join: str = "exact",
    **fixed: Any,
) -> Callable[[Callable[P, R]], Any]:
    """Let a measure of arrays take labelled ones, and label what it gives: one `DataArray`, or a tuple of several.

    The measure finds the dimensions that it consumes as the last axes of its arrays, as if there were no labels. The others
    stay, with their coordinates. Arguments without labels are handed on as they are.

    **Arguments**

    - `labels`: one for each result.
    - `dim`: the dimensions that are consumed, unless the caller names others by the argument `dim`.
    - `out`: the new dimensions of each result; None if it has those that were consumed.
    - `join`: what if coordinates differ between arguments, as in `xarray.apply_ufunc`.
    - `fixed`: arguments of the measure where it is called with labels.

    >>> @labelled(("total", "sum over sites", "mV"))
    ... def total(w):
    ...     return np.sum(w, axis=-1)
    >>> fields = xr.DataArray([[1.0, 2.0], [3.0, 4.0]], dims=("position", "seed"), coords={"seed": [7, 8]})
    >>> total(fields).sel(seed=8).item(), total(fields).attrs, total([1.0, 2.0]).item()
    (6.0, {'long_name': 'sum over sites', 'units': 'mV'}, 3.0)
    """
    default = dim

    def decorate(function: Callable[P, R]) -> Any:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def measure(*args: Any, dim: str | Sequence[str] = default, **kwargs: Any) -> Any:
            given = {**dict(zip(signature.parameters, args, strict=False)), **kwargs}
            _no_dataset(given)
            arrays = {name: value for name, value in given.items() if isinstance(value, xr.DataArray)}
            if not arrays:
                return function(*args, **kwargs)
            rest = {**fixed, **{name: value for name, value in given.items() if name not in arrays}}
            consumed = _dims(dim, next(iter(arrays.values())))
            found = _apply(function, arrays, rest, consumed, consumed if out is None else out, len(labels), join)
            named = tuple(_named(one, label) for one, label in zip(found, labels, strict=True))
            return named[0] if len(labels) == 1 else named

        keyword = inspect.Parameter("dim", inspect.Parameter.KEYWORD_ONLY, default=default, annotation=str | Sequence[str])
        measure.__signature__ = signature.replace(parameters=[*signature.parameters.values(), keyword])  # type: ignore
        return measure

    return decorate


def _apply(
    function: Callable[..., Any],
    arrays: Mapping[str, xr.DataArray],
    rest: Mapping[str, Any],
    consumed: Sequence[str],
    out: Sequence[str],
    results: int,
    join: Any,
) -> tuple[xr.DataArray, ...]:
    """The function of the arrays behind labels; results as NumPy arrays, since xarray would keep those of JAX as they are."""
    try:
        found = xr.apply_ufunc(
            lambda *values: jax.tree.map(np.asarray, function(**dict(zip(arrays, values, strict=True)), **rest)),
            *arrays.values(),
            input_core_dims=[[name for name in consumed if name in array.dims] for array in arrays.values()],
            output_core_dims=[list(out)] * results,
            join=join,
            keep_attrs=False,
        )
    except xr.AlignmentError as error:
        raise UserError(f"{' and '.join(arrays)} do not fit each other; select the same from both ({error}).") from None
    found = found if isinstance(found, tuple) else (found,)
    return tuple(_like(one, next(iter(arrays.values()))) for one in found)


def _like(array: xr.DataArray, first: xr.DataArray) -> xr.DataArray:
    """With the order of dimensions and the coordinates of the first argument, as far as it has them."""
    kept = {name: coord for name, coord in first.coords.items() if set(coord.dims) <= set(array.dims)}
    order = [name for name in first.dims if name in array.dims]
    return array.assign_coords(kept).transpose(*order, ...)


def _dims(dim: str | Sequence[str], array: xr.DataArray) -> list[str]:
    """The dimensions that are consumed, all of which the array must have."""
    dims = [str(name) for name in array.dims]
    if dim == LAST_TWO:
        return dims[-2:]
    if not isinstance(dim, str) and not (isinstance(dim, Sequence) and all(isinstance(name, str) for name in dim)):
        known = f"write dim='{dims[-1] if dims else 'site'}'"
        raise UserError(f"dim must be the name of a dimension, but is {quoted(dim)}; {known}.")
    consumed = [dim] if isinstance(dim, str) else list(dim)
    for name in consumed:
        if name not in dims:
            raise UserError(
                f"This measure reads along the dimension '{name}', but the array has the dimensions ({', '.join(dims)}); "
                f"say which one it is to read, such as dim='{dims[-1] if dims else 'site'}'."
            )
    return consumed


def _no_dataset(given: Mapping[str, Any]) -> None:
    for name, value in given.items():
        if isinstance(value, xr.Dataset):
            names = [str(one) for one in value.data_vars]
            raise UserError(
                f"{name} must be one array, but is a Dataset with the variables {', '.join(names) or 'none'}; "
                f"give one of them, such as {name}={'record.' + names[0] if names else 'its array'}."
            )


def _named(array: xr.DataArray, label: Label) -> xr.DataArray:
    return array.rename(label[0]).assign_attrs(dict(zip(("long_name", "units"), label[1:], strict=False)))
