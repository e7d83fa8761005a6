"""The figure of `galu-and-relu-depth`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.core.intervals import FAR
from gatefield.plot import COLOURS, THEORY, WIDTH, legend_below, letter, say_setting, shades

LOOKS: dict[str, tuple[str, str, Any]] = {"GaLU": (COLOURS[0], "o", "-"), "ReLU": (COLOURS[4], "s", "--")}
"""Colour and marker of each network, and the dash of its theory."""
LAWS = {"signs": "±σ", "gaussian": "normal"}
GATES = {"GaLU": "GaLU (another's gates)", "ReLU": "ReLU (own gates)"}
LEAST = 1e-6
"""Eigenvalues as small a part of the trace as this are not shown."""
NEAR = 1.1
"""A limit that is no more times larger than this is not called larger."""


def draw(record: xr.Dataset) -> Figure:
    """What goes with depth, errors and how alike samples are first; spectra of both networks below."""
    figure = Figure(figsize=(WIDTH, 8.4))
    body, below = cast(Any, figure.subfigures(2, 1, height_ratios=[2.35, 1.15]))
    (descent, alike), (recursion, spread) = upper = body.subplots(2, 2, height_ratios=[1.3, 1.0])
    galu, relu = below.subplots(1, 2)
    panels = [*upper.ravel(), galu, relu]
    for axes, net in ((galu, "GaLU"), (relu, "ReLU")):
        _spectra(axes, record.sel(net=net, law="gaussian"))
    legend_below(below, galu)
    relu.sharey(galu)
    descent.sharey(recursion)
    late = record.isel(step=-1)
    after = f"error after {int(late.step)} steps"
    curves = (
        (alike, record.likeness, "mean cosine in K"),
        (recursion, late.recursion, after),
        (descent, late.descent.rename(trained_run="run"), after),
        (spread, record.spread, "trace / largest\neigenvalue of K"),
    )
    for axes, values, name in curves:
        _against_depth(axes, np.minimum(values, FAR))
        axes.set(xlabel="depth d", ylabel=name)
    for axes, what in ((alike, "likeness_wide"), (spread, "spread_wide")):
        for net, (_, _, dash) in LOOKS.items():
            limit = record[what].sel(net=net, law="gaussian").mean("run")
            axes.plot(record.depth, limit, **{**THEORY, "linestyle": dash, "linewidth": 1.1})
    alike.set_ylim(bottom=0)
    recursion.set_ylim(top=1.03)
    for axes, values in ((alike, record.likeness), (recursion, late.recursion), (descent, late.descent)):
        _name_deepest(axes, np.minimum(values.rename(trained_run="run") if "trained_run" in values.dims else values, FAR))
    faster, moving, limit = _endings(late)
    tops = [_top_text(record.sel(net=net, law="gaussian")) for net in ("GaLU", "ReLU")]
    letter(panels, [moving, "own gates: samples more alike", faster, limit, *tops])
    body.legend(handles=_legend(), loc="outside lower center", ncols=3, fontsize=7.5, columnspacing=1.2)
    here = record.attrs
    size = f"{here['samples']} points of a square", f"width {here['width']} units", f"{record.sizes['run']} runs"
    trained = f"{record.sizes['trained_run']} of them trained for {int(record.step[-1])} steps"
    who = "K: tangent kernel of the first weights", "weights ±σ or normal", "σ² = 2/width"
    marks = "marks: median", "bars: middle 68 % of runs", "black: wide networks"
    say_setting(figure, *size, trained, *who, *marks, "numbers, black lines and (e, f): normal weights")
    return figure


def _endings(late: xr.Dataset) -> list[str]:
    """Titles of the lower row: who is faster at the largest depth by medians of normal weights, and how far the limit is."""
    deep = late.isel(depth=-1).sel(law="gaussian")
    fixed = deep.recursion.median("run")
    moving = np.minimum(deep.descent, FAR).median("trained_run")
    faster = "GaLU" if moving.sel(net="GaLU") < moving.sel(net="ReLU") else "ReLU"
    gaps = [float(one.sel(net="ReLU") - one.sel(net="GaLU")) for one in (fixed, moving)]
    way = "shrinks" if abs(gaps[0]) < abs(gaps[1]) else "grows"
    kept = f"first K kept: the gap {way} ({gaps[0]:.2f}, in (a) {gaps[1]:.2f})".replace("-", "−")
    galu, relu = (float(deep.spread.median("run").sel(net=net)) for net in ("GaLU", "ReLU"))
    ratio = float(deep.spread_wide.mean("run").sel(net="GaLU")) / galu
    below = f"{ratio:.1f}× below its limit" if ratio > NEAR else "as its wide limit"
    return [kept, f"gradient descent: {faster} is faster", f"GaLU {galu:.1f}, {below}; ReLU {relu:.1f}"]


def _top_text(one: xr.Dataset) -> str:
    """The share of the largest eigenvalue in the trace, at the least depth and the largest."""
    first, last = (100 * float(np.diff(one.sums.isel(depth=at), prepend=0.0)[-1]) for at in (0, -1))
    return f"{one.net.item()}: largest from {first:.0f} to {last:.0f} % of trace"


def _name_deepest(axes: Any, values: xr.DataArray) -> None:
    """The medians of normal weights at the largest depth, in numbers beside their marks."""
    for i, (net, (colour, _, _)) in enumerate(LOOKS.items()):
        middle = float(values.isel(depth=-1).sel(net=net, law="gaussian").median("run"))
        place = float(values.depth[-1]) + 0.5 * i - 0.12, middle
        axes.annotate(f"{middle:.2f}", place, (6 + i, 0), textcoords="offset points", va="center", fontsize=8, color=colour,
                      fontweight="bold", annotation_clip=False)  # fmt: skip


def _spectra(axes: Any, one: xr.Dataset) -> None:
    """The share of each eigenvalue in the trace, largest first; in black that of wide networks, for the ends of depth."""
    place, depths = np.arange(1, one.sizes["k"] + 1), one.depth.values
    for d, dash in {depths[0]: ":", depths[-1]: "-"}.items():
        look = {**THEORY, "linestyle": dash, "linewidth": 1.1, "label": f"wide, d = {d}", "zorder": 3}
        axes.plot(place, _shares(one.sums_wide.sel(depth=d)), **look)
    for d, colour in zip(depths, shades(len(depths), "plasma", (0.0, 0.85)), strict=True):
        axes.plot(place, _shares(one.sums.sel(depth=d)), color=colour, label=f"d = {d}")
    axes.set(xscale="log", yscale="log", xlabel="eigenvalue, largest first", ylabel="share of the trace", ylim=(LEAST, 1.5))


def _shares(sums: xr.DataArray) -> np.ndarray:
    """Each eigenvalue, largest first, from sums of the smallest; NaN where there is next to nothing."""
    shares = np.diff(sums, prepend=0.0)[::-1]
    return np.where(shares > LEAST, shares, np.nan)


def _against_depth(axes: Any, values: xr.DataArray) -> None:
    """Median and middle 68 % of runs: filled for weights ±σ, open for normal ones."""
    for i, (net, (colour, marker, _)) in enumerate(LOOKS.items()):
        for j, (law, fill) in enumerate((("signs", colour), ("gaussian", "white"))):
            middle, low, high = values.sel(net=net, law=law).quantile([0.5, 0.16, 0.84], "run").values
            axes.errorbar(values.depth + 0.5 * i + 0.25 * j - 0.37, middle, [middle - low, high - middle], linestyle="none",
                          marker=marker, color=colour, markerfacecolor=fill, markersize=4, elinewidth=0.9)  # fmt: skip
    axes.set_xticks(values.depth.values)


def _legend() -> list[Line2D]:
    marks = [
        Line2D([], [], linestyle="none", marker=marker, color=colour, markerfacecolor=fill, markersize=5,
               label=f"{GATES[net]}, {LAWS[law]}")
        for net, (colour, marker, _) in LOOKS.items() for law, fill in (("signs", colour), ("gaussian", "white"))
    ]  # fmt: skip
    limits = [Line2D([], [], color="black", linestyle=dash, label=f"{net}, wide limit") for net, (_, _, dash) in LOOKS.items()]
    return [marks[0], marks[1], marks[2], marks[3], *limits]
