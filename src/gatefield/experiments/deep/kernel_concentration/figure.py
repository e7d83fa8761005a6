"""The figure of `kernel-concentration`."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.experiments.deep.kernel_concentration.verdicts import (
    DEEPEST,
    deeper_than_two,
    diagonal,
    leading_order,
    printed_bound,
)
from gatefield.plot import COLOURS, PRINTED, THEORY, WIDTH, letter, plain_log_scale, say_setting, shades

LOOKS: dict[str, tuple[str, str, str, Any]] = {
    "linear": ("linear, ±σ", COLOURS[0], "o", "-"),
    "linear, normal": ("linear, normal", COLOURS[4], "s", "--"),
    "gated": ("gated, ±σ", COLOURS[2], "^", "-."),
}
"""Words, colour and marker of each case, and the dash of its exact line."""
MOST = 3e3
"""Where the axis of the variance over the printed bound ends."""


def draw(record: xr.Dataset) -> Figure:
    figure = Figure(figsize=(WIDTH, 6.2))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    panels = body.subplots(2, 2)
    _along_panel(panels[0, 0], record, "depth")
    _along_panel(panels[0, 1], record, "width")
    _bound_panel(panels[1, 0], record)
    _beside_panel(panels[1, 1], record)
    letter(
        panels, ["diagonal entries spread as d³", "and as 1/w", "the printed bound is outgrown", "off the diagonal depth helps"]
    )
    body.legend(handles=_legend(), loc="outside lower center", ncols=3, fontsize=8)
    here = record.attrs
    fixed = f"(a) w = {here['width_of_depths']}", f"(b) d = {here['depth_of_widths']}"
    say_setting(
        figure,
        *fixed,
        f"dots: {here['draws']:,} sampled networks ± standard error",
        "lines: exact",
        "K: tangent kernel of samples s and s'",
        "(c, d) colours: widths as in (d)",
        f"(d) ▲: sampled, w = {here['width_of_depths']}",
        "(c) black: w = ∞",
        "printed: paper 004, theorem 2.3",
    )
    return figure


def _legend() -> list[Line2D]:
    cases = [
        Line2D([], [], color="black", linestyle=dash, marker=marker, markerfacecolor=colour, markeredgecolor=colour,
               markersize=5, linewidth=1.1, label=words)
        for words, colour, marker, dash in LOOKS.values()
    ]  # fmt: skip
    first = Line2D([], [], color="0.55", linestyle=":", label="linear, ±σ, first order in 1/w")
    printed: Any = PRINTED
    return [*cases, Line2D([], [], **printed, label="max(d²/w, d³/w²), printed"), first]


def _along_panel(axes: Any, record: xr.Dataset, along: str) -> None:
    """Variance on the diagonal against depth or width: exact, sampled, first order and the printed bound."""
    name, fixed = (f"{along}s", record.attrs["width_of_depths" if along == "depth" else "depth_of_widths"])
    at = record[f"sampled_{along}"].values.astype(float)
    for case, (_, colour, marker, dash) in LOOKS.items():
        pick = {"case": case, "entry": "diagonal", "moment": "variance"}
        exact, found, error = (record[f"{name}_{what}"].sel(pick).values for what in ("exact", "found", "error"))
        shown = exact > 1e-12
        axes.plot(at[shown], exact[shown], **{**THEORY, "linestyle": dash, "linewidth": 1.0})
        axes.errorbar(at[shown], found[shown], error[shown], linestyle="none", marker=marker, color=colour, markersize=4.5)
    depth, width = (at, np.full(len(at), float(fixed))) if along == "depth" else (np.full(len(at), float(fixed)), at)
    first = leading_order(depth, 1.0) / width
    axes.plot(at[first > 0], first[first > 0], ":", color="0.55", zorder=1)
    axes.plot(at, printed_bound(depth, width), **PRINTED)
    axes.set(xscale="log", yscale="log", ylabel="variance of K(s,s)", xlabel=f"{along} {along[0]}")
    axes.minorticks_off()
    axes.set_xticks(at, [f"{value:g}" for value in at])


def _bound_panel(axes: Any, record: xr.Dataset) -> None:
    widths, depth = record.width.values, record.depth.values[record.depth.values > 2]
    axes.plot(depth, leading_order(depth, 1.0) / depth**2.0, **THEORY, linewidth=1.0, zorder=5, label="w = ∞")
    for width, colour in zip(widths, shades(len(widths)), strict=True):
        values = diagonal(record, "linear").sel(width=width).values
        ratio = values / printed_bound(record.depth.values.astype(float), float(width))
        shown = ratio > 0
        last: Any = {"linewidth": 3.5, "zorder": 4} if width == widths[-1] else {}  # the one of the headline, on top
        axes.loglog(record.depth.values[shown], ratio[shown], color=colour, label=f"w = {width:,}", **last)
    ends = deeper_than_two(record)[[0, -1]].astype(float)
    growth = diagonal(record, "linear").sel(width=widths[-1], depth=ends).values / printed_bound(ends, float(widths[-1]))
    axes.plot(ends, growth, "o", color="black", markersize=4, zorder=6)
    words: Any = {"textcoords": "offset points", "fontsize": 8}
    axes.annotate(f"{growth[0]:.2g}", (ends[0], growth[0]), (6, -4), **words)
    axes.annotate(
        f"{growth[1]:.3g}\n(× {growth[1] / growth[0]:.3g})", (ends[1], growth[1]), (-2, -9), ha="right", va="top", **words
    )
    axes.axhline(1.0, **PRINTED)
    axes.set(xlabel="depth d", ylabel="linear: variance / printed bound", ylim=(0.3, MOST))
    plain_log_scale(axes, "x")
    last, least = record.depth.values[-1:].astype(float), float(widths[0])
    top = float((diagonal(record, "linear").sel(width=widths[0]).values[-1:] / printed_bound(last, least))[0])
    beside: Any = {"color": shades(len(widths))[0], "ha": "right", "va": "center"}
    axes.annotate(f"w = {widths[0]:,}", (float(last[0]), min(top, MOST)), (-6, 0), **beside, **words)


def _beside_panel(axes: Any, record: xr.Dataset) -> None:
    shown = record.sel(depth=record.depth <= DEEPEST)
    for width, colour in zip(record.width.values, shades(record.sizes["width"]), strict=True):
        pick = {"case": "gated", "entry": "beside", "moment": "variance", "width": width}
        values = np.sqrt(shown.exact.sel(pick)) / shown.depth
        axes.semilogy(shown.depth, values, color=colour)
        look: Any = {"textcoords": "offset points", "va": "center", "fontsize": 7, "annotation_clip": False}
        axes.annotate(f"{width:,}", (float(shown.depth[-1]), float(values[-1])), (5, 0), **look)
    pick = {"case": "gated", "entry": "beside", "moment": "variance"}
    kept = record.sampled_depth.values <= DEEPEST
    found = np.sqrt(record.depths_found.sel(pick).values[kept]) / record.sampled_depth.values[kept]
    _, colour, marker, _ = LOOKS["gated"]
    label = f"sampled, w = {record.attrs['width_of_depths']}"
    axes.plot(record.sampled_depth.values[kept], found, marker, color=colour, markersize=4.5, label=label)
    axes.set(xlabel="depth d", ylabel="gated: deviation of K(s,s')/d")
    axes.set_xticks([d for d in (2, 4, 8, 12, 16, 20) if d in shown.depth])
