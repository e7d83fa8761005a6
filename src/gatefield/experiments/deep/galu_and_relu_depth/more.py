"""The second figure of `galu-and-relu-depth`: figure 4 of the paper as it is printed there, for two laws of weights."""

from typing import Any

import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.experiments.deep.galu_and_relu_depth.verdicts import WORDS
from gatefield.plot import WIDTH, letter, say_setting, shades

SUMS = {"plain_sums": "sum of k smallest\neigenvalues of K", "sums": "their share in\nthe trace"}
TITLES = {"plain_sums": "", "sums": "the same sums, over the trace"}
LEAST = 1e-6
"""Of the largest sum: what is smaller is not shown."""


def draw_more(record: xr.Dataset) -> Figure:
    """A column for each network and law: sums of eigenvalues, and errors."""
    rows = [name for name in SUMS if name in record]  # records of before have no sums of plain eigenvalues
    figure = Figure(figsize=(WIDTH, 1.8 * (1 + len(rows)) + 0.8))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    panels = body.subplots(len(rows) + 1, 4, sharey="row")
    colours = dict(zip(record.depth.values.tolist(), shades(record.sizes["depth"], "plasma", (0.0, 0.85)), strict=True))
    cases = [(net, law) for law in record.law.values for net in record.net.values]
    for column, (net, law) in zip(panels.T, cases, strict=True):
        _column(column, record.sel(net=net, law=law), rows, colours)
        column[0].set_title(f"{net}, {WORDS[str(law)]}", loc="left")
    for axes, name in zip(panels[:, 0], rows, strict=False):
        most = float(record[name].max())
        axes.set(ylabel=SUMS[name], yscale="log", ylim=(LEAST * most, 2 * most))
    panels[-1, 0].set(ylabel="error |e|/|e$_0$|")
    panels[-1, 0].set_ylim(top=1.03)
    first = f"{cases[0][0]}, {WORDS[str(cases[0][1])]}"
    letter(panels[:, 0], [first, *[TITLES[name] for name in rows[1:]], "errors: K fixed (lines), and by descent (dotted)"])
    depths = [Line2D([], [], color=c, label=f"d = {d}") for d, c in colours.items()]
    limit = Line2D([], [], color="0.3", linestyle="--", linewidth=1.0, label="wide limit")
    moving = Line2D([], [], color="0.3", linestyle=":", label="descent")
    body.legend(handles=[*depths, limit, moving], loc="outside lower center", ncols=len(colours) + 2, fontsize=8)
    here = record.attrs
    size = f"{here['samples']} points of a square", f"width {here['width']}"
    say_setting(
        figure, *size, f"means of {record.sizes['run']} runs", f"descent: medians of {record.sizes['trained_run']} runs"
    )
    return figure


def _column(column: Any, one: xr.Dataset, rows: list[str], colours: dict[int, str]) -> None:
    """Sums of eigenvalues and errors of one network and law, a line for each depth."""
    for d, colour in colours.items():
        for axes, name in zip(column, rows, strict=False):
            axes.plot(one.k, one[name].sel(depth=d), color=colour, linewidth=1.1)
            if name == "sums":
                axes.plot(one.k, one.sums_wide.sel(depth=d), "--", color=colour, linewidth=0.9)
            axes.set_xlabel("k", labelpad=1)
        column[-1].plot(one.step, one.recursion.sel(depth=d).mean("run"), color=colour, linewidth=1.1)
        column[-1].plot(one.step, one.descent.sel(depth=d).median("trained_run"), ":", color=colour, linewidth=1.1)
    column[-1].set_xlabel("step", labelpad=1)
