"""A measure over two axes as a map, or over one as dots: for sweeps, whose values lie anywhere along their axes."""

from typing import Any

import numpy as np
import xarray as xr

from gatefield.plot.scales import gain_text
from gatefield.plot.style import COLOURS, SEQUENTIAL

TICKS = 12
"""Places along an axis that can be named without their names running into each other."""
NOTHING = "0.88"
"""The grey of a place without a value: no shade of the colour map."""


def value_map(axes: Any, values: xr.DataArray) -> Any:
    """A map of values over two dimensions, the first upwards; places stand side by side, as they are listed.

    **Arguments**

    - `values`: (y, x), with coordinates that name the places; NaN leaves a place grey.

    **Returns** the coloured mesh, for a colour bar.
    """
    y, x = (str(dim) for dim in values.dims)
    axes.set_facecolor(NOTHING)
    mesh = axes.pcolormesh(np.ma.masked_invalid(values.values), cmap=SEQUENTIAL)
    _name_places(axes.xaxis, values[x].values)
    _name_places(axes.yaxis, values[y].values)
    axes.set(xlabel=_label(values[x]), ylabel=_label(values[y]))
    return mesh


def values_along(axes: Any, values: xr.DataArray) -> None:
    """Values along the last dimension: a dot for each, over a line through their medians."""
    x = str(values.dims[-1])
    places = np.arange(values.sizes[x]) + 0.5
    each = values.values.reshape(-1, len(places))
    for row in each:
        axes.plot(places, row, "o", color=COLOURS[0], markersize=3, alpha=0.45, markeredgewidth=0)
    axes.plot(places, median(values, [str(dim) for dim in values.dims[:-1]]).values, color=COLOURS[0])
    _name_places(axes.xaxis, values[x].values)
    axes.set(xlabel=_label(values[x]), xlim=(0, len(places)))


def median(values: xr.DataArray, dims: list[str]) -> xr.DataArray:
    """The median over dimensions of what is there; NaN where nothing is.

    >>> median(xr.DataArray([[1.0, np.nan], [3.0, np.nan]], dims=("seed", "gain")), ["seed"]).values
    array([ 2., nan])
    """
    if not dims:
        return values
    there = values.notnull().any(dims)
    return values.fillna(np.inf).where(there, 0.0).pipe(_median_of_finite, dims).where(there)


def _median_of_finite(values: xr.DataArray, dims: list[str]) -> xr.DataArray:
    """Infinity stands for what is not there; NumPy's own median of such warns where nothing is."""
    return values.where(np.isfinite(values)).median(dims, skipna=True)


def _name_places(axis: Any, names: Any) -> None:
    every = -(-len(names) // TICKS)
    texts = [gain_text(float(name)) if isinstance(name, int | float | np.number) else str(name) for name in names]
    texts = [f"{float(text):.3g}" if _is_number(text) else text for text in texts]
    axis.set_ticks(np.arange(len(names))[::every] + 0.5, texts[::every])


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _label(coordinate: xr.DataArray) -> str:
    units = coordinate.attrs.get("units")
    return f"{coordinate.name} ({units})" if units else str(coordinate.name)
