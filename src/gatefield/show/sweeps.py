"""Sweeps, shown: how far one is, and maps of what it found."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from rich.console import Console

from gatefield.core.errors import UserError, unknown_name
from gatefield.core.text.words import seconds
from gatefield.lab import SweepState
from gatefield.plot import WIDTH, entitle, median, say_setting, style, value_map, values_along
from gatefield.show.terminal import print_line

LABELS = {"ipr": "inverse participation ratio", "loss": "loss", "seconds": "time of a point (s)", "status": "status"}


def show_state(state: SweepState, console: Console) -> None:
    """How far a sweep is: counts of points, time left, and the first error of each kind."""
    print_line(f"{state.name}: {state_words(state)}", console)
    for text, count in state.errors.items():
        print_line(f"  {count} {'point' if count == 1 else 'points'} failed: {text}", console)


def state_words(state: SweepState) -> str:
    """The counts of a sweep in a line."""
    axes = " x ".join(f"{name} {size}" for name, size in state.axes.items())
    counts = [f"{state.done} done", f"{state.running} running", f"{state.failed} failed", f"{state.left} left"]
    time = "" if state.seconds_left is None or not state.left + state.running else f", about {seconds(state.seconds_left)} left"
    return f"{state.points} points ({axes}), {', '.join(counts)}{time}"


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
        say_setting(figure, str(found.attrs.get("sweep", "")), *_setting(values, others, len(axes)))
    return figure


def _values(found: xr.Dataset, measure: str, axes: Sequence[str]) -> xr.DataArray:
    if measure not in found.data_vars:
        raise unknown_name("measure of the sweep", measure, map(str, found.data_vars))
    values = found[measure]
    for axis in axes:
        if axis not in values.dims:
            raise unknown_name(f"axis of {measure}", axis, map(str, values.dims))
    if not 1 <= len(axes) <= 2 or len(set(axes)) != len(axes):
        raise UserError(
            f"A measure is drawn over one axis or two different ones, but {len(axes)} are named: {', '.join(axes)}."
        )
    return values.load()


def _label(measure: str, values: xr.DataArray) -> str:
    name = LABELS.get(measure, values.attrs.get("long_name", measure))
    units = values.attrs.get("units")
    return f"{name} ({units})" if units and f"({units})" not in name else name


def _setting(values: xr.DataArray, others: Sequence[str], axes: int) -> list[str]:
    """What the picture does not show: what medians are over, and how much is missing."""
    over = ", ".join(f"{values.sizes[dim]} of {dim}" for dim in others if values.sizes[dim] > 1)
    missing = int(np.isnan(values.values).sum())
    words = [f"median over {over}" if over and axes == 2 else f"dots: {over}, line: median" if over else ""]
    grey = ", grey where none is there" if axes == 2 else ""
    return [*words, f"{missing} of {values.size} values missing{grey}" if missing else "all values there"]


def first_map(found: xr.Dataset) -> Figure | None:
    """The map of the first measure over the first two axes; None where nothing is to be drawn yet."""
    axes = [str(dim) for dim, size in found.sizes.items() if size > 1 and dim in found.attrs.get("axes", found.sizes)]
    measures = [
        name for name in ("ipr", *map(str, found.data_vars)) if name in found and set(axes[:2]) <= set(found[name].dims)
    ]
    if not axes or not measures or bool(found[measures[0]].isnull().all()):
        return None
    return draw_sweep(found, measures[0], axes[:2])
