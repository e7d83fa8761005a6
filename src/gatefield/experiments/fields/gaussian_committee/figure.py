"""The figure of `gaussian-committee`."""

from typing import Any, cast

import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.gaussian_committee.verdicts import TOLERANCE

PERCENT = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
"""Where ticks may stand."""


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(10.0, 7.2))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.25, 1.0]))
    left, right = top.subplots(1, 2)
    _distance_panel(left, record)
    _batch_panel(right, record)
    rows = bottom.subplots(1, record.sizes["committee"], squeeze=False)[0]
    for axes, letter, K in zip(rows, "cdefghijkl", record.committee.values, strict=False):
        _field_panel(axes, record.sel(committee=K), f"({letter}) K = {K}: one field at t = {float(record.time[-1]):g}")
    rows[0].set_ylabel("weight")
    rows[0].legend(loc="upper right", ncols=3, columnspacing=1.0, handlelength=1.4)
    return figure


def _distance_panel(axes: Any, record: xr.Dataset) -> None:
    largest = int(record.batch_size.max())
    late = record.isel(step=slice(1, None))
    for i, K in enumerate(record.committee.values):
        one = late.sel(committee=K)
        seeds = one.distance.sel(batch_size=largest)
        axes.fill_between(one.time, seeds.min("seed"), seeds.max("seed"), color=f"C{i}", alpha=0.25, linewidth=0)
        axes.plot(one.time, seeds.median("seed"), color=f"C{i}", label=f"K = {K}: SGD, batch {largest:,}")
        axes.plot(one.time, one.step_distance.median("seed"), ":", color=f"C{i}", linewidth=1.2)
        axes.plot(one.time, one.printed_distance.median("seed"), "--", color=f"C{i}", linewidth=1.0)
    axes.plot([], [], "--", color="0.4", linewidth=1.0, label="SGD from the flow as printed")
    axes.plot([], [], ":", color="0.4", linewidth=1.2, label="exact gradient, same steps")
    axes.axhline(TOLERANCE, color="0.6", linewidth=0.8, zorder=0)
    axes.text(float(record.time[-1]), TOLERANCE, f"{100 * TOLERANCE:g} %", ha="right", va="bottom", color="0.4", fontsize=9)
    low = float(late.step_distance.median("seed").isel(step=-1).min())
    axes.set(
        xlabel=r"time ($\tau$)",
        ylabel="|w - w_flow| / |w_flow|",
        title="(a) distance from the flow",
        yscale="log",
        ylim=(0.5 * low, 40.0),
    )
    axes.legend(loc="upper left", ncols=2, columnspacing=1.0, fontsize=8)


def _batch_panel(axes: Any, record: xr.Dataset) -> None:
    worst, sizes = record.distance.max("step"), record.batch_size.values.astype(float)
    for i, K in enumerate(record.committee.values):
        one = worst.sel(committee=K)
        for seed in one.transpose("seed", "batch_size").values:
            axes.plot(sizes, seed, "o", color=f"C{i}", markersize=3.5, alpha=0.5, markeredgewidth=0)
        axes.plot(sizes, one.median("seed"), "o", color=f"C{i}", label=f"K = {K}")
        axes.plot(sizes, record.noise_distance.sel(committee=K).max("step").median("seed"), "-", color=f"C{i}", linewidth=1.0)
    axes.plot([], [], "-", color="0.4", linewidth=1.0, label="random walk of the noise")
    high, low = float(worst.max()), float(worst.min())
    axes.set(
        xlabel="batch size",
        ylabel="largest distance on the way",
        title="(b) distance by batch size",
        xscale="log",
        yscale="log",
        xlim=(0.7 * sizes.min(), 1.4 * sizes.max()),
        ylim=(0.6 * low, 8 * high),
    )
    axes.minorticks_off()
    axes.set_xticks(sizes, [f"{int(size):,}" for size in sizes])
    marks = [mark for mark in PERCENT if 0.6 * low < mark / 100 < 3 * high]
    axes.set_yticks([mark / 100 for mark in marks], [f"{mark:g} %" for mark in marks])
    axes.legend(loc="upper right", ncols=2)


def _field_panel(axes: Any, one: xr.Dataset, title: str) -> None:
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    first = one.sel(unit=0)
    axes.plot(one.position, first.start, "--", color="0.55", linewidth=1.0, label="start")
    axes.plot(one.position, first.flow_final, "-", color="C1", linewidth=1.3, label="flow")
    axes.plot(one.position, first.final, "o", color="C0", markersize=3.5, label="SGD")
    axes.set(xlabel="position (site)", title=title)
    axes.set_ylim(top=1.45 * float(max(first.start.max(), first.final.max())))
