"""The figure of `galu-and-relu-depth`."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.core.intervals import FAR
from gatefield.experiments.deep.galu_and_relu_depth.verdicts import WORDS, table_row
from gatefield.plot import shades

SUMS = {
    "plain_sums": "sum of the k smallest\neigenvalues of K",
    "sums": "share of the k smallest\neigenvalues in the trace",
}


def draw(record: xr.Dataset) -> Figure:
    """A column for each network and law: its spectrum and its errors; below, what goes with depth."""
    rows = [name for name in SUMS if name in record]  # records of before have no sums of plain eigenvalues
    figure = Figure(figsize=(12.5, 3.2 * (2 + len(rows))))
    parts: Any = figure.subfigures(2, 1, height_ratios=[1.0 + len(rows), 1.0])
    upper, lower = parts
    panels: Any = upper.subplots(len(rows) + 1, 4, sharey="row")
    letters, colours = iter("abcdefg"), dict(zip(record.depth.values.tolist(), shades(record.sizes["depth"]), strict=True))
    cases = [(net, law) for law in record.law.values for net in record.net.values]
    for column, (net, law) in zip(panels.T, cases, strict=True):
        _column(column, record.sel(net=net, law=law), rows, colours)
        column[0].set_title(f"{net}, {WORDS[str(law)]}")
    for axes, name in zip(panels[:, 0], rows, strict=False):
        axes.set_ylabel(f"({next(letters)}) {SUMS[name]}")
    panels[-1, 0].set(ylabel=f"({next(letters)}) error |e|/|e$_0$|", ylim=(0, 1.03))
    depths = [Line2D([], [], color=c, label=f"d = {d}") for d, c in colours.items()]
    limit = Line2D([], [], color="0.3", linestyle="--", linewidth=1.0, label="limit of\nlarge width")
    panels[0, -1].legend(handles=[*depths, limit], loc="upper left", bbox_to_anchor=(1.0, 1.0))
    kinds: Any = (("recursion,\nK fixed (mean)", "-"), ("gradient\ndescent (median)", ":"))
    lines = [Line2D([], [], color="0.3", linestyle=style, label=label) for label, style in kinds]
    panels[-1, -1].legend(handles=lines, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    _depth_panels(lower.subplots(1, 4), record, letters)
    words = "dots and bars: median and middle 68 % of runs; crosses: means of an independent computation, +-sigma; "
    lower.supxlabel(f"{words}black: limit of large width, normal weights", fontsize="medium")
    return figure


def _column(column: Any, one: xr.Dataset, rows: list[str], colours: dict[int, str]) -> None:
    """Sums of eigenvalues and errors of one network and law, a line for each depth."""
    for d, colour in colours.items():
        for axes, name in zip(column, rows, strict=False):
            axes.plot(one.k, one[name].sel(depth=d), color=colour)
            if name == "sums":
                axes.plot(one.k, one.sums_wide.sel(depth=d), "--", color=colour, linewidth=1.0)
            axes.set_xlabel("k")
        column[-1].plot(one.step, one.recursion.sel(depth=d).mean("run"), color=colour)
        column[-1].plot(one.step, one.descent.sel(depth=d).median("trained_run"), ":", color=colour)
    column[-1].set_xlabel("step")


def _depth_panels(panels: Any, record: xr.Dataset, letters: Iterator[str]) -> None:
    late = record.isel(step=-1)
    curves = (
        (late.recursion, f"error after {int(late.step)} steps,\nrecursion"),
        (late.descent.rename(trained_run="run"), f"error after {int(late.step)} steps,\ndescent"),
        (record.spread, "trace of K over\nlargest eigenvalue"),
        (record.likeness, "mean cosine of\ntwo samples in K"),
    )
    for axes, (values, title) in zip(panels, curves, strict=True):
        values = np.minimum(values, FAR)
        for i, net in enumerate(record.net.values):
            for law, style, fill in (("signs", "-", f"C{i}"), ("gaussian", "--", "white")):
                one = values.sel(net=net, law=law)
                label = f"{net}, {WORDS[law]}"
                middle, low, high = one.quantile([0.5, 0.16, 0.84], "run").values
                axes.errorbar(record.depth + 0.25 * i - 0.12, middle, [middle - low, high - middle], fmt="o", linestyle=style,
                              color=f"C{i}", markerfacecolor=fill, markersize=4.5, linewidth=1.2, label=label)  # fmt: skip
        axes.set(xlabel="depth d", title=f"({next(letters)}) {title}")
        axes.set_xticks(record.depth.values)
    for i, net in enumerate(record.net.values):
        for axes, what in ((panels[0], "recursion"), (panels[2], "spread")):
            row = {d: float(value) for d, value in table_row(record, str(net), what).items()}
            axes.plot(list(row), list(row.values()), "x", color=f"C{i}", markersize=8, markeredgewidth=1.4, zorder=5)
    _limits(panels[2:], record)
    if table_row(record, "GaLU"):
        panels[3].plot([], [], "x", color="0.3", label="independent\ncomputation")
    panels[3].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _limits(panels: Any, record: xr.Dataset) -> None:
    """Theory for wide networks with normal weights; that of +-sigma is near it."""
    for net, style in (("GaLU", "-"), ("ReLU", "--")):
        for axes, what in zip(panels, ("spread_wide", "likeness_wide"), strict=True):
            limit = record[what].sel(net=net, law="gaussian").mean("run")
            axes.plot(record.depth, limit, style, color="black", linewidth=1.0, zorder=1, label=f"{net}, wide limit")
