"""The figure of `depth-spectrum`: what depth does to the spectrum and to training."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.experiments.deep.depth_spectrum.verdicts import (
    AFTER,
    DEPTHS,
    edge,
    headline_errors,
    ideal,
    ideal_ratio,
    log_conditions,
)
from gatefield.plot import THEORY, WIDTH, letter, say_setting, shades

FLOOR = 1e-6
"""Where logarithmic axes end: float32 cannot tell smaller errors from none."""
MARKERS = "osD^v"
"""Of the widths, in their order."""


def draw(record: xr.Dataset) -> Figure:
    """Spectra above, errors below; theory is that of the mean kernel."""
    figure = Figure(figsize=(WIDTH, 5.6))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    panels = body.subplots(2, 3)
    (smallest, plain, scaled), (recursion, descent, courses) = panels
    low, high = ideal(record.depth.values, record.attrs["samples"], record.attrs["mu"])
    conditions: Any = [np.exp(values) for values in log_conditions(record)]
    _against_depth(smallest, record.smallest, record)
    smallest.plot(record.depth, low, **THEORY)
    _edge_mark(smallest, record)
    smallest.set(ylabel="smallest eigenvalue of K/d", ylim=(-0.03, 1.06))
    for axes, values in ((plain, conditions[0]), (scaled, conditions[1])):
        _against_depth(axes, values, record)
        axes.plot(record.depth, high / low, **THEORY)
        axes.set(yscale="log", ylim=(0.8, 2e3))
    plain.set_ylabel("condition number of K")
    scaled.set_ylabel("same, diagonal scaled to 1")
    _errors(recursion, descent, record)
    _courses(courses, record)
    for axes in (smallest, plain, scaled, recursion, descent):
        axes.set_xlabel("depth d")
    titles = ["depth helps, then hurts", "so does the condition", "a unit diagonal cures it", "errors follow (K fixed)",
              "descent is faster still", f"errors, w = {record.width.values[-1]}"]  # fmt: skip
    letter(panels, titles)
    body.legend(handles=_legend(record), loc="outside lower center", ncols=5, fontsize=8)
    _say(figure, record, "dots: median of runs, bars: middle 68 %", "numbers and dashes in (d): means")
    return figure


def _say(figure: Any, record: xr.Dataset, *words: str) -> None:
    here = record.attrs
    size = (
        f"{here['samples']} samples",
        f"gates open with probability {here['mu']:g}",
        f"rate {here['rate']:g}/largest eigenvalue",
        f"{int(record.step[-1])} steps",
    )
    say_setting(figure, *size, f"{record.sizes['run']} runs, {record.sizes['trained_run']} of them trained", *words)


def styles(record: xr.Dataset) -> dict[int, dict[str, Any]]:
    """Colour and marker of each width."""
    widths = record.width.values.tolist()
    colours = shades(len(widths), "viridis", (0.0, 0.78))
    return {w: {"color": c, "marker": MARKERS[i % len(MARKERS)]} for i, (w, c) in enumerate(zip(widths, colours, strict=True))}


def _legend(record: xr.Dataset) -> list[Line2D]:
    marks = [Line2D([], [], linestyle="none", markersize=4, label=f"w = {w}", **look) for w, look in styles(record).items()]
    theory: Any = THEORY
    short: Any = {**THEORY, "linewidth": 3.0}
    return [*marks, Line2D([], [], label="mean kernel", **theory), Line2D([], [], label="random matrices, d = 2", **short)]


def _against_depth(axes: Any, values: xr.DataArray, record: xr.Dataset, run: str = "run") -> None:
    """Median over runs and their middle 68 %, side by side for the widths."""
    depth = values["depth" if run == "run" else "trained_depth"].values
    for i, (width, look) in enumerate(styles(record).items()):
        middle, low, high = values.sel(width=width).quantile([0.5, 0.16, 0.84], run).values
        axes.errorbar(depth + 0.16 * (i - 1), middle, [middle - low, high - middle], linestyle="none", markersize=3,
                      elinewidth=0.9, **look)  # fmt: skip


def _edge_mark(axes: Any, record: xr.Dataset) -> None:
    """The exact place of the smallest eigenvalue at d = 2, where theory knows it for one network, too."""
    samples, width = record.attrs["samples"], int(record.width[-1])
    if 2 in record.depth and samples < width:
        place, _ = edge(samples, width, record.attrs["mu"])
        axes.plot([1.2, 2.8], [place, place], linewidth=3.0, zorder=1, **THEORY)


def _errors(recursion: Any, descent: Any, record: xr.Dataset) -> None:
    late = record.sel(step=AFTER, method="nearest")
    samples, mu, rate = (record.attrs[name] for name in ("samples", "mu", "rate"))
    _against_depth(recursion, late.recursion.clip(FLOOR), record)
    _against_depth(descent, late.descent.clip(FLOOR), record, "trained_run")
    expected = ideal_ratio(record.depth.values, samples, mu, rate, int(late.step))
    _name_errors(recursion, record)
    for axes in (recursion, descent):
        axes.plot(record.depth, expected, **THEORY)
        axes.set(yscale="log", ylim=(FLOOR / 1.5, 2.0), ylabel=f"error after {int(late.step)} steps")


def _name_errors(axes: Any, record: xr.Dataset) -> None:
    """The means of the headline: the widest networks at the least depth, the best and the largest."""
    look: Any = {"textcoords": "offset points", "fontsize": 8, "fontweight": "bold", "ha": "center", "va": "top"}
    for d, error in headline_errors(record).items():
        axes.plot(d + 0.16, error, "_", color="black", markersize=8, zorder=6)
        axes.annotate(f"{error:.2g}", (d + 0.16, error), (8 if error > 0.5 else 0, -7), **look)


def _courses(axes: Any, record: xr.Dataset) -> None:
    """Errors of the widest networks over time, at a few depths."""
    wide = record.isel(width=-1)
    chosen = [d for d in (2, 8, 20) if d in record.depth] or record.depth.values[[0, -1]].tolist()
    for d, colour in zip(chosen, shades(len(chosen), "plasma", (0.0, 0.72)), strict=True):
        axes.semilogy(wide.step, wide.recursion.sel(depth=d).median("run"), color=colour, label=f"d = {d}")
        if d in wide.trained_depth:
            axes.plot(wide.step, wide.descent.sel(trained_depth=d).median("trained_run"), ":", color=colour)
    axes.plot([], [], ":", color="0.3", label="descent")
    axes.set(xlabel="step", ylabel="error", ylim=(FLOOR / 1.5, 2.0))
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=7, handlelength=1.0, borderaxespad=0.2)


def shown_depths(record: xr.Dataset) -> list[int]:
    """The depths of the paper's figures, as far as the record has them."""
    return [d for d in DEPTHS if d in record.depth] or record.depth.values.tolist()
