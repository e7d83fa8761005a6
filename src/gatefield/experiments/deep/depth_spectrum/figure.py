"""The figure of `depth-spectrum`."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.experiments.deep.depth_spectrum.verdicts import AFTER, DEPTHS, NAMES, ideal, ideal_ratio, table_row
from gatefield.plot import shades

FLOOR = 1e-6
"""Where logarithmic axes end: float32 cannot tell smaller errors from none."""
SUMS = {
    "sums": "sum of the k smallest\neigenvalues of K/d",
    "relative_sums": "sum of the k smallest\neigenvalues over the largest",
}


def draw(record: xr.Dataset) -> Figure:
    """Spectra and errors, a column for the mean kernel and one for each width; below, what goes with depth."""
    rows = [name for name in SUMS if name in record]  # records of before have no sums over the largest eigenvalue
    figure = Figure(figsize=(3.1 * max(1 + record.sizes["width"], 4), 3.33 * (2 + len(rows))))
    parts: Any = figure.subfigures(2, 1, height_ratios=[1.0 + len(rows), 1.05])
    panels = parts[0].subplots(len(rows) + 1, 1 + record.sizes["width"])
    for row, name in zip(panels, [*rows, "errors"], strict=True):
        _one_scale(row if name != "relative_sums" else row[:0])  # narrow networks have a small part of the ideal sums
    shown = [d for d in DEPTHS if d in record.depth] or record.depth.values.tolist()
    colours = dict(zip(shown, shades(len(shown)), strict=True))
    letters = iter("abcdefg")
    for name, axes in zip(rows, panels, strict=False):
        _spectra(axes, record, name, colours)
        axes[0].set_ylabel(f"({next(letters)}) {SUMS[name]}")
    _errors(panels[-1], record, colours)
    panels[-1, 0].set_ylabel(f"({next(letters)}) error |e|/|e$_0$|")
    styles = [Line2D([], [], color=c, label=f"d = {d}") for d, c in colours.items()]
    panels[0, -1].legend(handles=styles, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    _depth_panels(parts[1].subplots(1, 4), record, letters)
    parts[1].supxlabel("bars: standard deviation of one run; crosses: means of an independent computation", fontsize="medium")
    return figure


def _one_scale(row: Any) -> None:
    for axes in row[1:]:
        axes.sharey(row[0])
        axes.tick_params(labelleft=False)


def _spectra(row: Any, record: xr.Dataset, name: str, colours: dict[int, str]) -> None:
    """Sums of the k smallest eigenvalues: of the mean kernel, then of each width."""
    samples, mu = (record.attrs[key] for key in ("samples", "mu"))
    for d, colour in colours.items():
        low, high = ideal(np.array(d), samples, mu)
        sums = np.cumsum(np.append(np.full(samples - 1, low), high))
        row[0].plot(record.k, sums / high if name == "relative_sums" else sums, color=colour)
        for axes, width in zip(row[1:], record.width.values, strict=True):
            axes.plot(record.k, record[name].sel(width=width, depth=d), color=colour)
    for axes, title in zip(row, _titles(record), strict=True):
        axes.set(xlabel="k", title=title)


def _errors(row: Any, record: xr.Dataset, colours: dict[int, str]) -> None:
    samples, mu, rate = (record.attrs[name] for name in ("samples", "mu", "rate"))
    for d, colour in colours.items():
        row[0].semilogy(record.step, ideal_ratio(np.array(d), samples, mu, rate, record.step.values), color=colour)
    for axes, width in zip(row[1:], record.width.values, strict=True):
        _error_panel(axes, record.sel(width=width), colours)
    for axes, title in zip(row, _titles(record), strict=True):
        axes.set(xlabel="step", title=title)
    row[0].set_ylim(max(FLOOR, 0.5 * float(record.recursion.min())), 1.3)
    kinds: Any = [("recursion,\nK fixed", "-"), ("gradient\ndescent", ":")]
    handles = [Line2D([], [], color="0.3", linestyle=style, label=label) for label, style in kinds]
    row[-1].legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _titles(record: xr.Dataset) -> list[str]:
    return ["mean kernel (ideal)", *(f"w = {width}" for width in record.width.values)]


def _error_panel(axes: Any, one: xr.Dataset, colours: dict[int, str]) -> None:
    for d, colour in colours.items():
        axes.semilogy(one.step, one.recursion.sel(depth=d).mean("run"), color=colour)
        if d in one.trained_depth:
            axes.plot(one.step, one.descent.sel(trained_depth=d).mean("trained_run"), ":", color=colour)


def _depth_panels(panels: Any, record: xr.Dataset, letters: Iterator[str]) -> None:
    depth, (samples, mu) = record.depth.values, (record.attrs[name] for name in ("samples", "mu"))
    low, _ = ideal(depth, samples, mu)
    curves = (
        ("diagonal", np.ones(len(depth)), "K(1,1)/d"),
        ("beside", mu ** (depth - 1.0), "K(1,2)/d"),
        ("smallest", low, "smallest eigenvalue of K/d"),
    )
    for axes, (what, expected, title) in zip(panels, curves, strict=False):
        for i, width in enumerate(record.width.values):
            values = record[what].sel(width=width)
            axes.errorbar(depth + 0.12 * (i - 1), values.mean("run"), values.std("run", ddof=1), fmt="o-", markersize=3,
                          linewidth=1.0, color=f"C{i}", label=f"w = {width}")  # fmt: skip
            _crosses(axes, record, int(width), what, f"C{i}")
        axes.plot(depth, expected, "k--", linewidth=1.2, label="mean kernel")
        axes.set(xlabel="depth d", title=f"({next(letters)}) {title}")
    panels[2].set_ylim(-0.03, 1.08)
    _last_panel(panels[3], record, next(letters))
    panels[3].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _last_panel(axes: Any, record: xr.Dataset, letter: str) -> None:
    late = record.sel(step=AFTER, method="nearest")
    samples, mu, rate = (record.attrs[name] for name in ("samples", "mu", "rate"))
    for i, width in enumerate(record.width.values):
        one = late.sel(width=width)
        axes.semilogy(one.depth, one.recursion.mean("run"), "-", color=f"C{i}", label=f"w = {width},\nrecursion")
        values = np.maximum(one.descent.mean("trained_run"), FLOOR)
        axes.plot(one.trained_depth, values, "s:", markersize=4, linewidth=1.0, color=f"C{i}", label="descent")
        _crosses(axes, record, int(width), "recursion", f"C{i}")
        _crosses(axes, record, int(width), "descent", f"C{i}")
    expected = ideal_ratio(record.depth.values, samples, mu, rate, int(late.step))
    axes.plot(record.depth, expected, "k--", linewidth=1.2, label="mean kernel")
    axes.plot([], [], "x", color="0.3", label="independent\ncomputation")
    axes.set(xlabel="depth d", title=f"({letter}) |e|/|e$_0$| after {int(late.step)} steps", ylim=(FLOOR / 1.5, 1.5))


def _crosses(axes: Any, record: xr.Dataset, width: int, what: str, colour: str) -> None:
    """Means of the independent computation; an upper bound is left out."""
    row = table_row(record, width, what) if what in NAMES else {}
    kept = {d: float(value) for d, value in row.items() if not value.startswith("<")}
    axes.plot(list(kept), list(kept.values()), "x", color=colour, markersize=7, markeredgewidth=1.3, zorder=5)
