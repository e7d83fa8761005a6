"""Maps of what a sweep found."""

import json
from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.core.errors import UserError, unknown_name
from gatefield.core.text.words import joined
from gatefield.lab import Beside
from gatefield.plot import WIDTH, entitle, median, say_setting, style, value_map, values_along

LABELS = {"ipr": "inverse participation ratio", "loss": "loss", "seconds": "time of a point", "status": "status"}
SAMPLES = ("unit", "run", "seed")
"""Dimensions over which a median tells something: several of the same thing."""


def draw_sweep(found: xr.Dataset, measure: str, axes: Sequence[str]) -> Figure:
    """A measure over one or two axes of a sweep, its median over all others.

    **Arguments**

    - `found`: what the sweep has found so far, from `gatefield.lab.open_sweep`.
    - `measure`: a variable of it.
    - `axes`: the axis to the right, and the one upwards if there are two.

    **Returns** the figure.
    """
    values = _values(found, measure, axes)
    with style():
        figure = Figure(figsize=(WIDTH, 4.2))
        panel = figure.subplots()
        label = _label(measure, values)
        if len(axes) == 2:
            others = [str(dim) for dim in values.dims if dim not in axes]
            shown = median(values, others).transpose(axes[1], axes[0])
            figure.colorbar(value_map(panel, shown), ax=panel, label=label)
        else:
            others = [str(dim) for dim in values.dims if dim not in axes]
            values_along(panel, values.transpose(..., axes[0]))
            panel.set_ylabel(label)
        entitle(figure, f"{measure} over {' and '.join(axes)}")
        say_setting(figure, str(found.attrs.get("sweep", "")), *_fixed(found), *_setting(values, others, len(axes)))
    return figure


def _values(found: xr.Dataset, measure: str, axes: Sequence[str]) -> xr.DataArray:
    check_measure(measure, _beside(found))
    values = found[measure]
    for axis in axes:
        if axis not in values.dims:
            raise unknown_name(f"axis of {measure}", axis, map(str, values.dims))
    if not 1 <= len(axes) <= 2 or len(set(axes)) != len(axes):
        raise UserError(
            f"A measure is drawn over one axis or two different ones, but {len(axes)} are named: {', '.join(axes)}."
        )
    return values.load()


def check_measure(measure: str, beside: Beside) -> None:
    """See that a measure can be drawn over axes: that it is there, and has but samples beside them."""
    if _is_profile(beside.get(measure, {})):
        dims = f"the dimension{'s' * (len(beside[measure]) > 1)} {joined(list(beside[measure]))}"
        numbers = [name for name, sizes in beside.items() if not _is_profile(sizes)]
        like = next((name for name in ("ipr", "loss", *numbers) if name in numbers), "another")
        draw = f"draw a measure of it, such as {like}" if "position" in beside[measure] else f"draw another, such as {like}"
        raise UserError(f"{measure} has {dims} beside the axes; {draw}.")
    if measure not in beside:
        raise unknown_name("measure of the sweep", measure, (name for name in beside if not _is_profile(beside[name])))


def _is_profile(sizes: Mapping[str, int]) -> bool:
    return any(size > 1 for dim, size in sizes.items() if dim not in SAMPLES)


def _beside(found: xr.Dataset) -> Beside:
    axes = found.attrs.get("axes", ())
    return {
        str(name): {str(dim): size for dim, size in one.sizes.items() if dim not in axes}
        for name, one in found.data_vars.items()
    }


def _label(measure: str, values: xr.DataArray) -> str:
    name, units = LABELS.get(measure) or str(values.attrs.get("long_name", measure)), values.attrs.get("units")
    return f"{name} ({units})" if units else name


def _setting(values: xr.DataArray, others: Sequence[str], axes: int) -> list[str]:
    """What the picture does not show: what medians are over, and how much is missing."""
    over = ", ".join(f"{dim} ({values.sizes[dim]})" for dim in others if values.sizes[dim] > 1)
    missing = int(np.isnan(values.values).sum())
    words = [f"median over {over}" if over and axes == 2 else f"dots: each {over}, line: median" if over else ""]
    grey = ", grey where none is there" if axes == 2 else ""
    return [*words, f"{missing} of {values.size} values missing{grey}" if missing else "all values there"]


def _fixed(found: xr.Dataset) -> list[str]:
    """What the trainings of all points share, of what most readers ask for."""
    swept, axes = json.loads(str(found.attrs.get("swept", "{}"))), set(map(str, found.coords))
    table = {
        f"{part}.{name}": value for part, inner in swept.items() if isinstance(inner, dict) for name, value in inner.items()
    }
    wanted = {
        "positive.n": "n",
        "network.K": "K",
        "steps": "steps",
        "batch_size": "batch size",
        "learning_rate": "learning rate",
    }
    known = {name: {**swept, **table}.get(name) for name in wanted if name not in axes}
    return [f"{wanted[name]} = {value:,}" for name, value in known.items() if isinstance(value, int | float)]


def first_map(found: xr.Dataset) -> Figure | None:
    """The map of the first measure over the first two axes; None where nothing is to be drawn yet."""
    axes = [str(dim) for dim, size in found.sizes.items() if size > 1 and dim in found.attrs.get("axes", found.sizes)]
    beside = _beside(found)
    drawn = [name for name in ("ipr", *beside) if name in beside and not _is_profile(beside[name])]
    measures = [name for name in drawn if set(axes[:2]) <= set(found[name].dims)]
    if not axes or not measures or bool(found[measures[0]].isnull().all()):
        return None
    return draw_sweep(found, measures[0], axes[:2])
