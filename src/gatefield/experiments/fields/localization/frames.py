"""The same neuron, one gain after another: what it sees, and the field it ends with."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.localization.figure import LOOKS, RANGES, sample, upright
from gatefield.plot import WIDTH, gain_text


def frames(record: xr.Dataset) -> dict[str, Figure]:
    """For each gain, one input of either class above, and below the field of one seed in both orders."""
    return {f"gain {gain_text(float(gain))}": _frame(record, g, float(gain)) for g, gain in enumerate(record.gain.values)}


def _frame(record: xr.Dataset, g: int, gain: float) -> Figure:
    drawn = Figure(figsize=(WIDTH, 3.1))
    panels = drawn.subplots(2, 2, sharex=True)
    for which, (axes, xi) in enumerate(zip(panels[0], record.attrs["length_scales"], strict=True)):
        axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
        axes.step(range(record.sizes["position"]), sample(record, which, gain), where="mid", color="0.25")
        limit = 1.5 if gain > 1 else 3.2
        axes.set(ylim=(-limit, limit), yticks=[])
        axes.set_title(f"an input of length scale {xi:g}", loc="left")
    for axes, order in zip(panels[1], RANGES, strict=True):
        _field(axes, record.sel(order=order).isel(gain=g, seed=0, step=-1, unit=0), order)
    for axes in panels[1]:
        axes.set_xlabel("position (site)")
    return drawn


def _field(axes: Any, end: xr.Dataset, order: str) -> None:
    colour, marker, _ = LOOKS[order]
    field = upright(np.asarray(end.fields.values))
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.plot(field, "-", color=colour, linewidth=1.2)
    axes.plot(field, marker, color=colour, markersize=3, markeredgewidth=0)
    axes.set(ylim=(-1.15, 1.15), yticks=[])
    axes.set_title(f"trained, {RANGES[order]}: IPR {float(end.ipr):.2f}", loc="left")
