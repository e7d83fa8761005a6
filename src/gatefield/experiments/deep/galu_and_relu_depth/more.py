"""The second figure of `galu-and-relu-depth`: figure 4 of the paper as it is printed there, for two laws of weights."""

from typing import Any

import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.experiments.deep.galu_and_relu_depth.verdicts import WORDS, half_share
from gatefield.plot import WIDTH, letter, say_setting, shades

LEAST = 1e-6
"""Of the trace: what is smaller is not shown."""


def draw_more(record: xr.Dataset) -> Figure:
    """A column for each network and law: sums of eigenvalues, and errors."""
    figure = Figure(figsize=(WIDTH, 5.6))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    panels = body.subplots(2, 4, sharey="row")
    colours = dict(zip(record.depth.values.tolist(), shades(record.sizes["depth"], "plasma", (0.0, 0.8)), strict=True))
    cases = [(net, law) for law in record.law.values for net in record.net.values]
    for column, (net, law) in zip(panels.T, cases, strict=True):
        _column(column, record.sel(net=net, law=law), colours)
        column[0].set_title(_case(net, law), loc="left")
    panels[0, 0].set(ylabel="share of the k smallest\neigenvalues in the trace", yscale="log", ylim=(LEAST, 2.0))
    _name_half(panels[0], record, cases)
    _name_singular(panels[0], record, cases)
    _name_ends(panels[-1], record, cases)
    panels[-1, 0].set(ylabel="error |e|/|e$_0$|")
    low = panels[-1, 0].get_ylim()[0]
    panels[-1, 0].set_ylim(max(0.0, low - 0.3 * (1 - low)), 1.03)  # room for the numbers below the curves
    letter(panels[:, 0], [_case(*cases[0]), "errors: K fixed (●), descent (○)"])
    depths = [Line2D([], [], color=c, label=f"d = {d}") for d, c in colours.items()]
    limit = Line2D([], [], color="0.3", linestyle="--", linewidth=1.0, label="wide networks")
    moving = Line2D([], [], color="0.3", linestyle=":", label="descent")
    body.legend(handles=[*depths, limit, moving], loc="outside lower center", ncols=len(colours) + 2, fontsize=8)
    here = record.attrs
    size = f"{here['samples']} points of a square", f"width {here['width']}"
    runs = f"(a) means, (b) medians of {record.sizes['run']} runs", f"descent: of {record.sizes['trained_run']}"
    say_setting(figure, *size, *runs, "weights ±σ or normal", "K: tangent kernel", "numbers in (a): the lower half")
    return figure


def _case(net: str, law: str) -> str:
    return f"{net}, {WORDS[str(law)].removesuffix(' weights')}"


def _name_half(panels: Any, record: xr.Dataset, cases: list[tuple[str, str]]) -> None:
    """What the smaller half of the eigenvalues has, of the least and the largest depth: for GaLU numbers of the headline."""
    half, look = record.sizes["k"] // 2, {"textcoords": "offset points", "fontsize": 8}
    for axes, (net, law) in zip(panels, cases, strict=True):
        bold: Any = {"fontweight": "bold"} if (net, law) == ("GaLU", str(record.law.values[-1])) else {}
        axes.axvline(half, color="0.7", linewidth=0.8, linestyle=":", zorder=0)
        for d, away in ((int(record.depth[0]), (4, -4)), (int(record.depth[-1]), (-4, 7))):
            share = half_share(record, law, d, net)
            if share / 100 < LEAST:
                continue
            axes.plot(half, share / 100, "o", color="black", markersize=4, zorder=5)
            place: Any = {"ha": "left", "va": "top"} if away[0] > 0 else {"ha": "right", "va": "bottom"}
            axes.annotate(f"{share:.1g} %", (half, share / 100), away, **look, **place, **bold)


def _name_singular(panels: Any, record: xr.Dataset, cases: list[tuple[str, str]]) -> None:
    """Where K has next to no eigenvalues: how many, in the middle, at the least depth."""
    first = record.isel(depth=0)
    for axes, (net, law) in zip(panels, cases, strict=True):
        rank = float(first["rank"].sel(net=net, law=law).median())
        if rank < record.sizes["k"] / 4:
            words = f"d = {int(first.depth)}: all\nbut {rank:.0f} are 0"
            axes.text(0.86, 0.03, words, transform=axes.transAxes, fontsize=7, ha="right", linespacing=1.1)


def _name_ends(panels: Any, record: xr.Dataset, cases: list[tuple[str, str]]) -> None:
    """Where errors end at the largest depth: with K fixed (filled), and by descent (open)."""
    deep = record.isel(depth=-1, step=-1)
    for axes, (net, law) in zip(panels, cases, strict=True):
        one = deep.sel(net=net, law=law)
        fixed, descent = float(one.recursion.median("run")), float(one.descent.median("trained_run"))
        ends: Any = {"color": "black", "markersize": 4.5, "zorder": 5, "clip_on": False}
        axes.plot(int(deep.step), fixed, "o", **ends)
        axes.plot(int(deep.step), descent, "o", markerfacecolor="white", **ends)
        bold: Any = {"fontweight": "bold"} if (net, law) == ("GaLU", record.law.values[-1]) else {}
        words = f"d = {int(deep.depth)}:\n● {fixed:.2f}\n○ {descent:.2f}"
        axes.text(0.03, 0.05, words, transform=axes.transAxes, fontsize=8, **bold)


def _column(column: Any, one: xr.Dataset, colours: dict[int, str]) -> None:
    """Sums of eigenvalues and errors of one network and law, a line for each depth."""
    for d, colour in colours.items():
        column[0].plot(one.k, one.sums.sel(depth=d), color=colour, linewidth=1.1)
        if d in (int(one.depth[0]), int(one.depth[-1])):
            column[0].plot(one.k, one.sums_wide.sel(depth=d), "--", color=colour, linewidth=0.9)
        column[0].set_xlabel("k", labelpad=1)
        column[-1].plot(one.step, one.recursion.sel(depth=d).median("run"), color=colour, linewidth=1.1)
        column[-1].plot(one.step, one.descent.sel(depth=d).median("trained_run"), ":", color=colour, linewidth=1.1)
    column[-1].set_xlabel("step", labelpad=1)
