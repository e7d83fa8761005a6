"""The second figure of `depth-spectrum`: figures 1 to 3 of the paper as they are printed there, for three widths."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.experiments.deep.depth_spectrum.figure import FLOOR, shown_depths, styles
from gatefield.experiments.deep.depth_spectrum.verdicts import half_gaps, ideal, ideal_ratio
from gatefield.plot import THEORY, WIDTH, letter, say_setting, shades

SUMS = {"sums": "sum of k smallest\neigenvalues of K/d", "relative_sums": "same, over the\nlargest eigenvalue"}


def draw_more(record: xr.Dataset) -> Figure:
    """A column for the mean kernel and one for each width: spectra, the same over the largest eigenvalue, errors; entries."""
    rows = [name for name in SUMS if name in record]  # records of before have no sums over the largest eigenvalue
    figure = Figure(figsize=(WIDTH, 1.75 * (2 + len(rows)) + 0.8))
    parts: Any = figure.subfigures(2, 1, height_ratios=[1.0 + len(rows), 1.0])
    panels = parts[0].subplots(len(rows) + 1, 1 + record.sizes["width"], squeeze=False)
    shown = shown_depths(record)
    colours = dict(zip(shown, shades(len(shown), "plasma", (0.0, 0.9)), strict=True))
    for name, axes in zip(rows, panels, strict=False):
        _spectra(axes, record, name, colours)
    _errors(panels[-1], record, colours)
    for row, name in zip(panels, [*rows, "errors"], strict=True):
        _one_scale(row if name != "relative_sums" else row[:0])  # narrow networks have a small part of the ideal sums
    for axes, title, gap in zip(panels[0, 1:], record.width.values, half_gaps(record), strict=True):
        axes.set_title(f"w = {title}: off by {gap:.2g}", loc="left")
    for axes in panels[0]:
        axes.axvline(record.attrs["samples"] // 2, color="0.6", linestyle=":", linewidth=0.9, zorder=0)
    entries = parts[1].subplots(1, 2)
    _entries(entries, record)
    firsts = [*panels[:, 0], *entries]
    words = {"sums": "mean kernel", "relative_sums": "the same, scaled", "errors": "errors"}
    letter(firsts, [*[words[name] for name in [*rows, "errors"]], "diagonal entries", "entries beside them"])
    styles = [Line2D([], [], color=c, label=f"d = {d}") for d, c in colours.items()]
    panels[0, -1].legend(handles=styles, loc="upper left", bbox_to_anchor=(1.0, 1.05), fontsize=7, handlelength=1.2)
    say_setting(
        figure,
        f"{record.attrs['samples']} samples",
        f"gates open with probability {record.attrs['mu']:g}",
        f"means of {record.sizes['run']} runs",
        f"off: at the dotted line (k = {record.attrs['samples'] // 2}), mean over depths",
        "dotted curves: gradient descent",
        "bars: standard deviation of one run",
    )
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
        row[0].plot(record.k, sums / high if name == "relative_sums" else sums, color=colour, linewidth=1.1)
        for axes, width in zip(row[1:], record.width.values, strict=True):
            axes.plot(record.k, record[name].sel(width=width, depth=d), color=colour, linewidth=1.1)
    for axes in row:
        axes.set_xlabel("k", labelpad=1)
    row[0].set_ylabel(SUMS[name])


def _errors(row: Any, record: xr.Dataset, colours: dict[int, str]) -> None:
    samples, mu, rate = (record.attrs[name] for name in ("samples", "mu", "rate"))
    for d, colour in colours.items():
        expected = ideal_ratio(np.array(d), samples, mu, rate, record.step.values)
        row[0].semilogy(record.step, expected, color=colour, linewidth=1.1)
        for axes, width in zip(row[1:], record.width.values, strict=True):
            one = record.sel(width=width)
            axes.semilogy(one.step, one.recursion.sel(depth=d).mean("run"), color=colour, linewidth=1.1)
            if d in one.trained_depth:
                axes.plot(one.step, one.descent.sel(trained_depth=d).mean("trained_run"), ":", color=colour, linewidth=1.1)
    for axes in row:
        axes.set_xlabel("step", labelpad=1)
    row[0].set_ylim(max(FLOOR, 0.5 * float(record.recursion.min())), 1.3)
    row[0].set_ylabel("error |e|/|e$_0$|")


def _entries(panels: Any, record: xr.Dataset) -> None:
    depth = record.depth.values
    curves = (("diagonal", np.ones(len(depth)), "K(1,1)/d"), ("beside", record.attrs["mu"] ** (depth - 1.0), "K(1,2)/d"))
    for axes, (what, expected, name) in zip(panels, curves, strict=True):
        for i, (width, look) in enumerate(styles(record).items()):
            values = record[what].sel(width=width)
            axes.errorbar(depth + 0.16 * (i - 1), values.mean("run"), values.std("run", ddof=1), linestyle="none",
                          markersize=3, elinewidth=0.9, label=f"w = {width}", **look)  # fmt: skip
        axes.plot(depth, expected, linewidth=1.1, label="mean kernel", **THEORY)
        axes.set(xlabel="depth d", ylabel=name)
    panels[1].legend(fontsize=7)
