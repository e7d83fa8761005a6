"""The figure of `steady-modes`."""

from typing import Any

import xarray as xr
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from gatefield.plot import DATA, PRINTED, SEQUENTIAL, THEORY, WIDTH, legend_below, letter, say_setting

HALO: Any = [withStroke(linewidth=2.4, foreground="white")]
"""Around lines and words that are seen on dark and on light ground."""
FLOW: Any = {"color": "0.55", "linewidth": 0.6}
"""Of single starts."""
DOTS: Any = {**DATA, "color": "C0", "markersize": 2.5}


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(WIDTH, 6.5))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    panels = body.subplots(3, record.sizes["pair"], sharex=True, sharey="row", squeeze=False)
    for column, pair in enumerate(record.pair.values):
        one = record.sel(pair=pair)
        _share_panel(panels[0, column], one)
        _count_panel(panels[1, column], one)
        _size_panel(panels[2, column], one)
        panels[0, column].set_title(_left(one), loc="left")
        panels[2, column].set_xlabel("time (τ)")
        _times(panels[:, column], record.attrs["note_time"], float(one.time_scale), float(record.time[-1]))
    letter(panels[:, 0], [_left(record.isel(pair=0)), _counts(record), _sizes(record)])
    for axes, label in zip(panels[:, 0], ["share of the energy", "participation ratio", "size |w|"], strict=True):
        axes.set_ylabel(label)
    legend_below(body, panels[1, 0])
    _name_lines(panels[2, 0], record.isel(pair=0))
    panels[2, 0].set_ylim(0, 1.35 * float(record.amplitude_printed.max()))
    ticks = record.frequency.values[:: max(1, record.sizes["frequency"] // 4)]
    body.colorbar(_colours(record), ax=panels[0], label="frequency\n(cycles per ring)", ticks=ticks, pad=0.02)
    starts = f"exact flow from {record.sizes['start']} starts (one of them in (a)), SGD from {record.sizes['trained']} of them"
    say_setting(
        figure,
        f"n = {2 * (record.sizes['frequency'] - 1)}",
        "Gaussian data, time in τ",
        "ξ: length scales of positive and negative class",
        "k: frequency",
        "participation ratio: 1 over the sum of squared shares",
        "dashed: training time of the note",
        "dotted: time scale of the last frequency to die out",
        starts,
    )
    return figure


def _left(one: xr.Dataset) -> str:
    """Which frequency has most of the energy in the end."""
    return f"ξ = {one.pair.item()}: k = {int(one.share.isel(start=0, time=-1).argmax('frequency'))} is left"


def _counts(record: xr.Dataset) -> str:
    early, time = record.frequencies.sel(time=record.attrs["note_time"]).median("start"), record.attrs["note_time"]
    return f"frequencies left: {float(early.min()):.2g} to {float(early.max()):.2g} after {time:g} τ, medians over starts"


def _sizes(record: xr.Dataset) -> str:
    """How near the fields end to their steady state."""
    off = float(abs(record["size"].isel(time=-1) / record.amplitude - 1).max())
    return f"size of the field: it ends within {100 * off + 0.05:.1f} % of the steady state"


def _times(column: Any, note_time: float, slow: float, last: float) -> None:
    """Lines at the note's training time and at the slowest time scale of the theory, with their names in the lowest panel."""
    for row, axes in enumerate(column):
        halo = {} if row else {"path_effects": HALO}
        axes.axvline(note_time, color="k", linestyle="--", linewidth=1.2, zorder=1 if row else 3, **halo)
        axes.axvline(slow, color="k", linestyle=":", linewidth=1.4, zorder=1 if row else 3, **halo)
    words: Any = {"va": "top", "fontsize": 8, "transform": column[2].get_xaxis_transform()}
    column[2].text(0.85 * note_time, 0.98, f"{note_time:g} τ", ha="right", **words)
    early = slow**2 < last
    column[2].text((1.2 if early else 0.85) * slow, 0.98, f"{slow:,.0f} τ", ha="left" if early else "right", **words)


def _colours(record: xr.Dataset) -> ScalarMappable:
    """A colour for each frequency."""
    return ScalarMappable(Normalize(0, record.sizes["frequency"] - 1), SEQUENTIAL)


def _share_panel(axes: Any, one: xr.Dataset) -> None:
    """Shares of the frequencies over time, for the first start, stacked."""
    colours = _colours(one).to_rgba(one.frequency.values)
    for area in axes.stackplot(one.time, one.share.isel(start=0).T.values, colors=colours):
        area.set(edgecolor="face", linewidth=0.3)
    axes.set(xscale="log", ylim=(0, 1), xlim=(1.0, float(one.time[-1])))


def _count_panel(axes: Any, one: xr.Dataset) -> None:
    for start in one.frequencies.transpose("start", "time").values:
        axes.plot(one.time, start, **FLOW)
    axes.plot(one.time, one.frequencies.median("start"), **THEORY, label="flow")
    axes.plot([], [], **FLOW, label="single starts")
    _sgd(axes, one, "sgd_frequencies", "SGD")
    _say_count(axes, one)
    axes.set(yscale="log", yticks=[1, 2, 5, 10], yticklabels=["1", "2", "5", "10"])
    axes.minorticks_off()


def _say_count(axes: Any, one: xr.Dataset) -> None:
    """The number of the title: the median over starts after the note's training time."""
    time = one.attrs["note_time"]
    early = float(one.frequencies.sel(time=time).median("start"))
    look: Any = {"textcoords": "offset points", "fontsize": 8, "path_effects": HALO, "zorder": 4}
    axes.annotate(f"{early:.2g}", (time, early), (5, 2), **look)
    axes.plot([time], [early], "D", color="k", markersize=3.5, zorder=4)


def _sgd(axes: Any, one: xr.Dataset, name: str, label: str | None = None) -> None:
    """What a training had at each record, for all that were trained."""
    if name not in one:
        return
    seen = one[name].where(one.sgd_time >= 1, drop=True)
    for i, run in enumerate(seen.transpose("trained", "sgd_time").values):
        axes.plot(seen.sgd_time, run, **DOTS, label=None if i else label)


def _size_panel(axes: Any, one: xr.Dataset) -> None:
    for start in one["size"].transpose("start", "time").values:
        axes.plot(one.time, start, **FLOW)
    steady, printed = float(one.amplitude), float(one.amplitude_printed)
    axes.axhline(steady, **{**THEORY, "linestyle": "-."}, linewidth=1.0, label="steady state")
    axes.axhline(printed, **PRINTED, label="equation 25 of note 002")
    _sgd(axes, one, "sgd_size")


def _name_lines(axes: Any, one: xr.Dataset) -> None:
    """What the two levels of the size are."""
    words: Any = {"ha": "right", "fontsize": 8, "textcoords": "offset points"}
    last = float(one.time[-1])
    axes.annotate("steady state", (last, float(one.amplitude)), (0, -2), va="top", **words)
    axes.annotate("eq. 25 of note 002", (last, float(one.amplitude_printed)), (0, 2), va="bottom", color="C1", **words)
