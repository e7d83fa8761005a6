"""The figure of `steady-modes`."""

from typing import Any

import xarray as xr
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

HALO: Any = {"linewidth": 1.8, "path_effects": [withStroke(linewidth=4.0, foreground="white")]}
"""Lines that are seen on dark and on light ground."""


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(10.5, 8.6))
    panels = figure.subplots(3, record.sizes["pair"], sharex=True, sharey="row", squeeze=False)
    for column, pair in enumerate(record.pair.values):
        one = record.sel(pair=pair)
        _share_panel(panels[0, column], one)
        _count_panel(panels[1, column], one)
        _size_panel(panels[2, column], one)
        panels[0, column].set_title(f"ξ1, ξ0 = {pair} sites")
        panels[2, column].set_xlabel("time (τ)")
        for axes in panels[:, column]:
            note_time, scale = record.attrs["note_time"], float(one.time_scale)
            axes.axvline(note_time, color="k", linestyle="--", label="the note's training time", **HALO)
            axes.axvline(scale, color="C1", linestyle=":", label="slowest time scale, theory", **HALO)
    labels = ["(a) share of energy, one start", "(b) frequencies in the field", "(c) size of the field, |w|"]
    for axes, label in zip(panels[:, 0], labels, strict=True):
        axes.set_ylabel(label)
    panels[2, 0].set_ylim(0, 1.1 * float(record.amplitude_printed.max()))
    figure.colorbar(_colours(record), ax=panels[0], label="frequency (cycles per ring)", ticks=record.frequency.values[::5])
    named = {label: handle for axes in panels[1:, 0] for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(named.values(), named.keys(), loc="outside lower center", ncols=3)
    return figure


def _colours(record: xr.Dataset) -> ScalarMappable:
    """A colour for each frequency."""
    return ScalarMappable(Normalize(0, record.sizes["frequency"] - 1), "cividis")


def _share_panel(axes: Any, one: xr.Dataset) -> None:
    """Shares of the frequencies over time, for the first start, stacked."""
    colours = _colours(one).to_rgba(one.frequency.values)
    for area in axes.stackplot(one.time, one.share.isel(start=0).T.values, colors=colours):
        area.set(edgecolor="face", linewidth=0.3)
    axes.set(xscale="log", ylim=(0, 1), xlim=(1.0, float(one.time[-1])))


def _count_panel(axes: Any, one: xr.Dataset) -> None:
    for start in one.frequencies.transpose("start", "time").values:
        axes.plot(one.time, start, color="C0", alpha=0.35, linewidth=0.8)
    axes.plot(one.time, one.frequencies.median("start"), color="C0", label="flow, exact (thick in (b): median; thin: starts)")
    sgd = one.sgd_frequencies.where(one.sgd_time >= 1, drop=True)
    for i, run in enumerate(sgd.transpose("trained", "sgd_time").values):
        axes.plot(sgd.sgd_time, run, "o", color="C4", markersize=2.5, label=None if i else "SGD")
    axes.axhline(1.0, color="0.6", linewidth=0.8, zorder=0)
    axes.set(yscale="log", yticks=[1, 2, 5, 10], yticklabels=["1", "2", "5", "10"])
    axes.minorticks_off()


def _size_panel(axes: Any, one: xr.Dataset) -> None:
    for start in one["size"].transpose("start", "time").values:
        axes.plot(one.time, start, color="C0", alpha=0.35, linewidth=0.8)
    axes.axhline(float(one.amplitude), color="C2", linewidth=1.4, label="survivor's amplitude")
    axes.axhline(float(one.amplitude_printed), color="C3", linewidth=1.6, linestyle="-.", label="equation 25 as printed")
