"""The figures of the experiment on gated linear networks."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.gates.gated_linear.verdicts import noise
from gatefield.experiments.gates.setting import scales, seeds
from gatefield.plot import COLOURS, PRINTED, WIDTH, field_row, gain_text, letter, say_setting

TITLES = {
    "single": "single gate",
    "general": "general: gates cross",
    "exclusive": "exclusive: opposites",
    "redundant": "redundant: same twice",
    "scheduled": "scheduled: one switch",
    "moving": "moving gate",
}
DOTS = 14
"""How many records of SGD are shown, evenly on the logarithmic axis of time."""
MARKS, DASHES = "os^D", ("-", "--", ":", "-.")


def draw(record: xr.Dataset) -> Figure:
    """The loss over time for each kind of gates, SGD on the exact path; time 0 is left out."""
    figure = Figure(figsize=(WIDTH, 5.2))
    panels = cast(Any, figure.subplots(2, 3, sharey=True))
    for axes, case in zip(panels.ravel(), record.case.values, strict=True):
        _loss_panel(axes, _known(record.sel(case=case)))
    panels[0, 0].set_ylim(bottom=0)
    for axes in panels[:, 0]:
        axes.set_ylabel("loss")
    for axes in panels[1]:
        axes.set_xlabel("time (τ)")
    panels[1, 2].legend(*panels[0, 0].get_legend_handles_labels(), loc="upper right", fontsize=7.5)
    letter(panels, [TITLES[str(case)] for case in record.case.values])
    _say(figure, record, "dots: first seed")
    return figure


def more(record: xr.Dataset) -> Figure:
    """How far SGD and the printed solution are from the exact path, and the final weights."""
    figure = Figure(figsize=(WIDTH, 6.6))
    grid = figure.add_gridspec(3, 3, height_ratios=[1.0, 1.0, 0.7])
    panels = np.array([[figure.add_subplot(grid[row, column]) for column in range(3)] for row in (0, 1)])
    positive = record.distance.values[record.distance.values > 1e-9]
    for axes, case in zip(panels.ravel(), record.case.values, strict=True):
        _distance_panel(axes, _known(record.sel(case=case)), noise(record))
        axes.set(ylim=(0.5 * np.nanmin(positive), 3.0))
    for axes in panels[:, 0]:
        axes.set_ylabel("relative distance")
    for axes in panels[1]:
        axes.set_xlabel("time (τ)")
    panels[0, 0].legend(*panels[0, 1].get_legend_handles_labels(), loc="upper left", fontsize=7)
    row = figure.add_subplot(grid[2, :])
    _final_fields(row, record)
    titles = [TITLES[str(case)] for case in record.case.values]
    letter([*panels.ravel(), row], [*titles, "final weights of each unit, scaled: SGD (dots) and exact (line)"])
    _say(figure, record, "a line for each seed")
    return figure


def _known(one: xr.Dataset) -> xr.Dataset:
    """At the gains at which the case was run."""
    return one.sel(gain=[g for g in one.gain.values if bool(one.loss.sel(gain=g).notnull().any())])


def _say(figure: Any, record: xr.Dataset, *words: str) -> None:
    end, batch = float(record.time[-1]), int(record.attrs["batch_size"])
    sizes = f"n = {record.sizes['position']}", scales(record), f"{end:g} τ", seeds(record.sizes["seed"])
    say_setting(figure, *sizes, f"batches of {batch:,}", *words)


def _name(gain: float) -> str:
    return "Gaussian data" if gain == 0 else f"gain {gain_text(float(gain))}"


def _loss_panel(axes: Any, one: xr.Dataset) -> None:
    some = np.unique(np.geomspace(1, one.sizes["step"] - 1, DOTS).round().astype(int))
    for i, gain in enumerate(one.gain.values):
        run = one.sel(gain=gain).isel(seed=0)
        look = {"color": COLOURS[i % 2], "marker": MARKS[i % 4], "markersize": 4, "linestyle": "none"}
        axes.plot(one.time[some], run.loss[some], label=f"SGD, {_name(gain)}", **look)
        axes.plot(one.time[1:], run.exact_loss[1:], DASHES[i % 4], color="black", linewidth=1.1, label=f"exact, {_name(gain)}")
    axes.set(xscale="log")


def _distance_panel(axes: Any, one: xr.Dataset, bound: float) -> None:
    for i, gain in enumerate(one.gain.values):
        runs = one.distance.sel(gain=gain).transpose("seed", "step").values
        for s, run in enumerate(runs):
            label = None if s else f"SGD, {_name(gain)}"
            axes.plot(one.time[1:], run[1:], ("-", "-.")[i % 2], color=COLOURS[(0, 5)[i % 2]], linewidth=0.9, label=label)
    printed = one.printed_distance.isel(gain=0, seed=0)[1:]
    if float(printed.max()) > 0:
        axes.plot(one.time[1:], printed.where(printed > 0), **PRINTED, linewidth=1.4, label="as printed, without 1/K")
    axes.axhline(bound, color="0.6", linestyle=":", linewidth=1.0, label="what the noise allows")
    axes.set(xscale="log", yscale="log")


def _final_fields(axes: Any, record: xr.Dataset) -> None:
    """The first seed on Gaussian data."""
    trained, exact, names = [], [], []
    for case in record.case.values:
        first = record.sel(case=case).isel(gain=0).dropna("unit", how="all", subset=["final"])
        trained += list(first.final.values)
        exact += list(first.exact_final.values)
        names += [f"{case}\n{unit + 1}" if first.sizes["unit"] > 1 else str(case) for unit in range(first.sizes["unit"])]
    field_row(axes, trained, names, "o", color=COLOURS[0], markersize=1.5)
    field_row(axes, exact, names, color="black", linewidth=0.8)
    axes.tick_params(axis="x", labelsize=6.5)
