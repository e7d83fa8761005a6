"""The figure of `f-along-training`."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments._f_along_training_verdicts import LOOSE
from gatefield.experiments._panels import gain_text
from gatefield.experiments._same_field import aligned

ROWS = {
    "head_size": f"entries that decide\nthe gate but for {LOOSE:.0%}",
    "gaussian_distance": "distance of f from\nthe Gaussian form",
    "site_distance": "distance of f from\nthe form of one site",
}


def draw(record: xr.Dataset) -> Figure:
    """One column for each pair: heads, distances, final fields."""
    figure = Figure(figsize=(11.5, 10.5))
    panels = figure.subplots(4, record.sizes["pair"], squeeze=False, sharey="row")
    for column, pair in zip(panels.T, record.pair.values, strict=True):
        one = record.sel(pair=pair)
        for axes, name in zip(column, ROWS, strict=False):
            _curves(axes, one[name].sel(share=LOOSE) if name == "head_size" else one[name])
        column[0].set(title=rf"$\xi$ = {pair}", yscale="log")
        column[0].set_yticks([t for t in (1, 2, 5, 10, 20, 40) if t <= record.sizes["position"]])
        column[0].yaxis.set_major_formatter("{x:g}")
        column[0].minorticks_off()
        column[2].set_xlabel(r"time ($\tau$)")
        _ends(column[3], one)
    for axes, text in zip(panels[:, 0], [*ROWS.values(), "final field,\nscaled to 1"], strict=True):
        axes.set_ylabel(text)
    for axes in panels[1:3, 0]:
        axes.set_ylim(bottom=0)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=record.sizes["gain"])
    return figure


def _curves(axes: Any, values: xr.DataArray) -> None:
    """Medians over seeds with quartiles, by gain."""
    time = values.time.values
    for g, gain in enumerate(values.gain.values):
        low, middle, high = values.sel(gain=gain).quantile([0.25, 0.5, 0.75], "seed").transpose("quantile", "step").values
        axes.fill_between(time, low, high, color=f"C{g}", alpha=0.15, linewidth=0)
        axes.plot(time, middle, color=f"C{g}", label=f"gain {gain_text(gain)}")
    axes.set_xscale("symlog", linthresh=float(time[1]))
    axes.set_xlim(0, time[-1])
    ticks = [0.0, *(t for t in 10.0 ** np.arange(-1, 4) if 2 * time[1] <= t <= time[-1])]
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.minorticks_off()


def _ends(axes: Any, one: xr.Dataset) -> None:
    """Final fields of the first seed at the lowest and the highest gain, peaks in the middle."""
    n = one.sizes["position"]
    axes.axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
    for g in dict.fromkeys((0, one.sizes["gain"] - 1)):
        axes.plot(np.arange(n) - n // 2, aligned(one.end.isel(gain=g, seed=0).values.astype(float)), color=f"C{g}")
    axes.set(xlabel="position from the peak (site)", ylim=(-1.1, 1.1))
