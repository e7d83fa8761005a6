"""The figure of `gaussian-committee`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.gaussian_committee.verdicts import exponents, farthest
from gatefield.plot import DATA, PRINTED, THEORY, WIDTH, end_labels, legend_below, letter, say_setting, shades

PERCENT = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
"""Where ticks may stand."""
MARKERS = "os^Dv"
LARGEST, SMALLER = 7.0, 1.7
"""Size of the open marks of the first committee, and by how much those of the next are smaller: they lie inside."""
ROOM = 3
"""How far the axis of (a) goes above the highest line."""


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(WIDTH, 5.6))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.45, 1.0]))
    left, right = top.subplots(1, 2)
    _distance_panel(left, record)
    _batch_panel(right, record)
    legend_below(top, left, ncols=5, columnspacing=1.4, handlelength=1.6)
    rows = bottom.subplots(1, record.sizes["committee"], squeeze=False)[0]
    for axes, K, look in zip(rows, record.committee.values, _looks(record), strict=True):
        _field_panel(axes, record.sel(committee=K), look)
        axes.set_title(f"K = {K}", loc="left")
    rows[0].set_ylabel("weight − start")
    titles = [
        f"SGD keeps to the flow, up to {farthest(record):.2g} %",
        _falls(record),
        f"way of one unit, K = {record.committee.values[0]}",
    ]
    letter([left, right, rows[0]], titles)
    time, seeds = f"{float(record.time[-1]):g} τ", f"{record.sizes['seed']} seeds"
    largest = f"title, (a), (c): batches of {int(record.batch_size.max()):,}"
    say_setting(
        figure,
        f"n = {record.sizes['position']}",
        *_scales(record),
        time,
        seeds,
        largest,
        "(a) medians over seeds",
        "(c) one unit of one seed, black: flow",
        "way: distance that the flow goes in all this time",
        "noise alone: in the colour of K, a bound, as the flow pulls back",
    )
    return figure


def _falls(record: xr.Dataset) -> str:
    """How the distance falls with the batch size, in words."""
    if record.sizes["batch_size"] < 2:
        return "distance at one batch size, every seed"
    return f"exponent {exponents(record.distance.max('step')).mean():.2f}; of noise alone −0.5".replace("-", "−")


def _scales(record: xr.Dataset) -> list[str]:
    scales = record.attrs.get("length_scales")
    return [] if scales is None else ["length scales {:g} and {:g} sites".format(*scales)]


def _looks(record: xr.Dataset) -> list[dict[str, Any]]:
    """Of committees, by their size."""
    colours = shades(record.sizes["committee"], between=(0.0, 0.8))
    sizes = [max(3.0, LARGEST - SMALLER * i) for i in range(len(colours))]
    marks = zip(colours, sizes, strict=True)
    open_marks = {"markerfacecolor": "none", "markeredgewidth": 1.1}
    return [
        {**DATA, "color": colour, "marker": MARKERS[i % 5], "markersize": size, **open_marks}
        for i, (colour, size) in enumerate(marks)
    ]


def _distance_panel(axes: Any, record: xr.Dataset) -> None:
    """As parts of the whole way of the flow: SGD from the flow, its noise, and SGD from the flow as printed."""
    late = record.sel(batch_size=int(record.batch_size.max()))
    way, size = late.travelled.isel(step=-1), late.sizes["step"]
    late = late.isel(step=slice(1, None))
    off, noise, printed = (
        100 * (late[name] / way).median("seed") for name in ("distance", "noise_distance", "printed_distance")
    )
    few = np.arange(size - 2, -1, -max(1, size // 12))[::-1]
    for K, look in zip(record.committee.values, _looks(record), strict=True):
        axes.plot(late.time[few], off.sel(committee=K).isel(step=few), **look, label=f"K = {K}")
        axes.plot(late.time, noise.sel(committee=K), color=look["color"], linewidth=1.0, zorder=1)
        axes.plot(late.time, printed.sel(committee=K), **PRINTED, linewidth=1.0, zorder=1)
    axes.plot([], [], color="0.3", linewidth=1.0, label="noise alone (upper bound)")
    axes.plot([], [], **PRINTED, linewidth=1.0, label="from the flow as printed")
    axes.set(xlabel="time (τ)", ylabel="distance (% of the whole way)", yscale="log")
    low, high = float(min(off.min(), noise.min())), float(printed.max())
    axes.set_ylim(0.5 * low, ROOM * high)
    _mark(axes, record, beside=True)
    decades = 10.0 ** np.arange(np.ceil(np.log10(0.5 * low)), np.floor(np.log10(ROOM * high)) + 1)
    axes.set_yticks(decades, [f"{value:,.0f}" if value >= 1 else f"{value:g}" for value in decades])
    names = [f"K = {K}" for K in record.committee.values]
    end_labels(axes, printed.isel(step=-1).values.tolist(), names, [PRINTED["color"]] * len(names))


def _mark(axes: Any, record: xr.Dataset, *, beside: bool = False) -> None:
    """A line at the distance that the title tells, which is written on its left end, or beside its right one."""
    far = farthest(record)
    axes.axhline(far, color="0.4", linewidth=1.0, linestyle=":", zorder=0)
    place: Any = {"xytext": (3, 0), "va": "center"} if beside else {"xytext": (2, 2), "va": "bottom"}
    place |= {"textcoords": "offset points", "fontsize": 8, "color": "0.3", "annotation_clip": False}
    axes.annotate(f"{far:.2g} %", (float(beside), far), xycoords=("axes fraction", "data"), **place)


def _batch_panel(axes: Any, record: xr.Dataset) -> None:
    """The largest distance on the way by batch size, every seed, over the whole way of the flow."""
    sizes, way = record.batch_size.values.astype(float), record.travelled.isel(step=-1)
    worst, walk = 100 * record.distance.max("step") / way, 100 * record.noise_distance.max("step") / way
    for i, (K, look) in enumerate(zip(record.committee.values, _looks(record), strict=True)):
        shift = 1.13 ** (i - (record.sizes["committee"] - 1) / 2)
        for seed in worst.sel(committee=K).transpose("seed", "batch_size").values:
            axes.plot(shift * sizes, seed, **{**look, "markersize": 4.5})
        axes.plot(shift * sizes, walk.sel(committee=K).median("seed"), color=look["color"], linewidth=1.0, zorder=1)
    _mark(axes, record)
    high, low = float(max(worst.max(), walk.max())), float(worst.min())
    axes.set(xlabel="batch size", ylabel="largest distance (% of the way)", xscale="log", yscale="log")
    axes.set(xlim=(0.55 * sizes.min(), 1.5 * sizes.max()), ylim=(0.6 * low, 1.7 * high))
    axes.minorticks_off()
    axes.set_xticks(sizes, [f"{int(size):,}" for size in sizes])
    marks = [mark for mark in PERCENT if 0.6 * low < mark < 1.7 * high]
    axes.set_yticks(marks, [f"{mark:g}" for mark in marks])


def _field_panel(axes: Any, one: xr.Dataset, look: dict[str, Any]) -> None:
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    first = one.sel(unit=0)
    flow, trained = first.flow_final - first.start, first.final - first.start
    axes.plot(one.position, flow, **THEORY, linewidth=1.0, label="flow")
    axes.plot(one.position, trained, **{**look, "markersize": 3.5}, label="SGD")
    axes.set(xlabel="position (site)")
    axes.set_ylim(top=1.5 * max(float(flow.max()), float(trained.max()), 1e-9))
