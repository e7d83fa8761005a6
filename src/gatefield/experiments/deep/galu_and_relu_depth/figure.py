"""The figure of `galu-and-relu-depth`."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.core.intervals import FAR
from gatefield.experiments.deep.galu_and_relu_depth.verdicts import WORDS
from gatefield.plot import COLOURS, THEORY, WIDTH, letter, say_setting, shades

LOOKS: dict[str, tuple[str, str, Any]] = {"GaLU": (COLOURS[0], "o", "-"), "ReLU": (COLOURS[4], "s", "--")}
"""Colour and marker of each network, and the dash of its theory."""
LEAST = 1e-6
"""Eigenvalues as small a part of the trace as this are not shown."""


def draw(record: xr.Dataset) -> Figure:
    """Spectra of both networks and how alike samples are above; what goes with depth below."""
    figure = Figure(figsize=(WIDTH, 5.6))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    panels = body.subplots(2, 3)
    (galu, relu, alike), (recursion, descent, spread) = panels
    for axes, net in ((galu, "GaLU"), (relu, "ReLU")):
        _spectra(axes, record.sel(net=net, law="gaussian"))
    galu.legend(fontsize=7, loc="lower left", handlelength=1.2)
    relu.sharey(galu)
    late = record.isel(step=-1)
    after = f"error after {int(late.step)} steps"
    curves = (
        (alike, record.likeness, "mean cosine in K"),
        (recursion, late.recursion, after),
        (descent, late.descent.rename(trained_run="run"), after),
        (spread, record.spread, "trace / largest eigenvalue"),
    )
    for axes, values, name in curves:
        _against_depth(axes, np.minimum(values, FAR))
        axes.set(xlabel="depth d", ylabel=name)
    for axes, what in ((alike, "likeness_wide"), (spread, "spread_wide")):
        for net, (_, _, dash) in LOOKS.items():
            limit = record[what].sel(net=net, law="gaussian").mean("run")
            axes.plot(record.depth, limit, **{**THEORY, "linestyle": dash, "linewidth": 1.1})
    alike.set_ylim(bottom=0)
    recursion.set_ylim(0, 1.03)
    descent.set_ylim(0, 1.03)
    titles = ["GaLU: depth flattens it", "ReLU: less so", "samples more alike", "K fixed: GaLU gains", "gradient descent",
              "beside theory"]  # fmt: skip
    letter(panels, titles)
    body.legend(handles=_legend(), loc="outside lower center", ncols=3, fontsize=8)
    here = record.attrs
    size = f"{here['samples']} points of a square", f"width {here['width']}", f"{record.sizes['run']} runs"
    trained = f"{record.sizes['trained_run']} of them trained"
    say_setting(
        figure, *size, trained, "dots: median, bars: middle 68 % of runs", "black: limit of large width, normal weights"
    )
    return figure


def _spectra(axes: Any, one: xr.Dataset) -> None:
    """The share of each eigenvalue in the trace, largest first; in black that of wide networks."""
    place = np.arange(1, one.sizes["k"] + 1)
    for d, colour in zip(one.depth.values, shades(one.sizes["depth"], "plasma", (0.0, 0.85)), strict=True):
        for name, look in (("sums_wide", {**THEORY, "linewidth": 0.8}), ("sums", {"color": colour, "label": f"d = {d}"})):
            shares = np.diff(one[name].sel(depth=d), prepend=0.0)[::-1]
            axes.plot(place, np.where(shares > LEAST, shares, np.nan), **look)
    axes.set(xscale="log", yscale="log", xlabel="eigenvalue, largest first", ylabel="share of the trace", ylim=(LEAST, 1.5))


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
               label=f"{net}, {WORDS[law]}")
        for net, (colour, marker, _) in LOOKS.items() for law, fill in (("signs", colour), ("gaussian", "white"))
    ]  # fmt: skip
    limits = [Line2D([], [], color="black", linestyle=dash, label=f"{net}, wide limit") for net, (_, _, dash) in LOOKS.items()]
    return [marks[0], marks[1], marks[2], marks[3], *limits]
