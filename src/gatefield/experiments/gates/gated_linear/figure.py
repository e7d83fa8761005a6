"""The figure of the experiment on gated linear networks."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.gates.gated_linear.simulate import PAIRS
from gatefield.plot import gain_text

TITLES = {
    "single": "single gate",
    "general": "general: crossing",
    "exclusive": "exclusive: opposite",
    "redundant": "redundant: twice",
    "scheduled": "scheduled: one switch",
    "moving": "moving gate",
}
DOTS = 14
"""How many records of SGD are shown, evenly on the logarithmic axis of time."""


def draw(record: xr.Dataset) -> Figure:
    """Loss curves over final fields, one column for each case, and the distances below; time 0 is left out."""
    figure = Figure(figsize=(12.5, 8.2))
    grid = cast(Any, figure.subplots(3, record.sizes["case"], height_ratios=[1.2, 1.0, 1.0]))
    for column, case in enumerate(record.case.values):
        one = record.sel(case=case)
        one = one.sel(gain=[g for g in one.gain.values if bool(one.loss.sel(gain=g).notnull().any())])
        _loss_panel(grid[0, column], one, f"({'abcdefgh'[column]}) {TITLES[str(case)]}")
        _field_panel(grid[1, column], one)
        _distance_panel(grid[2, column], one, record)
    for row, label in zip(grid, ("loss", "final weight, Gaussian", "|w - w exact| / |w exact|"), strict=True):
        row[0].set_ylabel(label)
    grid[0, 0].legend(loc="lower left", fontsize=8)
    grid[1, 1].legend(loc="upper left", fontsize=8, handlelength=1.2)
    return figure


def _loss_panel(axes: Any, one: xr.Dataset, title: str) -> None:
    some = np.unique(np.geomspace(1, one.sizes["step"] - 1, DOTS).round().astype(int))
    for i, gain in enumerate(one.gain.values):
        run = one.sel(gain=gain).isel(seed=0)
        name = "Gaussian" if gain == 0 else f"gain {gain_text(float(gain))}"
        axes.plot(one.time[1:], run.exact_loss[1:], "-", color=f"C{i}", label=f"{name}: exact")
        axes.plot(one.time[some], run.loss[some], "o", color=f"C{i}", markersize=3.5, label=f"{name}: SGD")
    axes.set_title(title, fontsize=10)
    axes.set(xscale="log", ylim=(0, None))


def _field_panel(axes: Any, one: xr.Dataset) -> None:
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    first = one.isel(gain=0).dropna("unit", how="all", subset=["final"])
    for unit in range(first.sizes["unit"]):
        axes.plot(one.position, first.exact_final[unit], "-", color=f"C{unit + 2}", linewidth=1.2, label=f"unit {unit + 1}")
        axes.plot(one.position, first.final[unit], "os"[unit], color=f"C{unit + 2}", markersize=2.5)
    axes.set_xlabel("position (site)")
    high, low = float(first.exact_final.max()), float(first.exact_final.min())
    axes.set_ylim(low - 0.1 * (high - low), high + 0.35 * (high - low))


def _distance_panel(axes: Any, one: xr.Dataset, record: xr.Dataset) -> None:
    for i, gain in enumerate(one.gain.values):
        seeds = one.distance.sel(gain=gain).transpose("step", "seed")
        axes.plot(one.time[1:], seeds[1:], "-", color=f"C{i}", linewidth=0.9, alpha=0.8)
    if str(one.case.values) in PAIRS:
        printed = one.printed_distance.isel(gain=0, seed=0)[1:]
        axes.plot(one.time[1:], printed, "--", color="0.4", linewidth=1.0)
        axes.text(float(one.time[-1]), float(printed[-1]), "printed ", ha="right", va="bottom", fontsize=8, color="0.35")
    positive = record.distance.values[record.distance.values > 1e-9]
    axes.set(xscale="log", yscale="log", xlabel=r"time ($\tau$)", ylim=(0.5 * np.nanmin(positive), 3.0))
