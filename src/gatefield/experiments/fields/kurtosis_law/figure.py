"""The figure of `kurtosis-law`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.experiments.fields.kurtosis_law.laws import family
from gatefield.experiments.fields.kurtosis_law.rules import GAUSSIAN, edge, final, localized, margins, path_ipr, share_right
from gatefield.plot import shades

ORDER_COLOURS = {"long": "C0", "short": "C1", "equal": "C2"}
ORDER_NAMES = {"long": "longer range positive", "short": "shorter range positive", "equal": "same range in both"}
MARKERS = {"gain": "o", "uniform": "s", "laplace": "D", "algebraic": "^", "levels": "v", "ising": "P", "pulse": "X"}
AXES = {
    "kurtosis": ("excess kurtosis of a site", 0.0),
    "sharpness": ("sharpness of a site (line: 2/π)", GAUSSIAN),
    "depth": ("one-site score over wave score", 1.0),
    "path": ("IPR where the score ceases to rise", None),
}
"""What stands along the axis of each rule, and its edge."""


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(12.0, 8.8))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.0, 1.0]))
    panels = top.subplots(1, 4, sharey=True)
    for axes, rule, letter in zip(panels, AXES, "abcd", strict=True):
        _rule_panel(axes, record, rule, letter)
    panels[0].set_ylabel("IPR of the final field, median over seeds")
    *paths, key = bottom.subplots(1, 4, width_ratios=[1.0, 1.0, 1.0, 0.75])
    for axes, order, letter in zip(paths, ORDER_NAMES, "efg", strict=True):
        _path_panel(axes, record.sel(order=order), f"({letter}) {ORDER_NAMES[order]}")
    paths[0].set_ylabel("score c²/D over that of the best wave")
    key.axis("off")
    key.legend(handles=_legend(record), loc="center left", borderaxespad=0.0)
    return figure


def places(record: xr.Dataset, rule: str) -> xr.DataArray:
    """Where each law and order stands along the axis of a rule."""
    if rule == "depth":
        return record.site_score / record.wave_score
    return path_ipr(record) if rule == "path" else xr.zeros_like(record.site_score) + record[rule]


def _rule_panel(axes: Any, record: xr.Dataset, rule: str, letter: str) -> None:
    at, values, least = places(record, rule), final(record).median("seed"), edge(record)
    for law in record.law.values:
        for order, colour in ORDER_COLOURS.items():
            one = {"law": law, "order": order}
            axes.plot(
                float(at.sel(one)), float(values.sel(one)), MARKERS[family(law)[0]], color=colour, markersize=8, alpha=0.75
            )
    words, side = AXES[rule]
    axes.axvline(least if side is None else side, color="k", linewidth=1.0)
    axes.axhline(least, color="0.4", linewidth=1.0, linestyle=":")
    right = share_right(margins(record)[rule], localized(record))
    axes.set(xlabel=words, ylim=(0, 1.05), title=f"({letter}) {rule}: right in {right * values.size:.0f} of {values.size}")
    if rule == "kurtosis":
        axes.invert_xaxis()  # localization to the right in every panel
    if rule == "path":
        axes.set_xscale("log")


def _path_panel(axes: Any, record: xr.Dataset, title: str) -> None:
    """How the score changes as the best wave condenses, for each law; the sharper laws in lighter shades."""
    ordered = record.sortby("sharpness")
    for law, shade in zip(ordered.law.values, shades(ordered.sizes["law"]), strict=True):
        one = ordered.sel(law=law)
        axes.plot(
            np.append(one.wave_ipr, one.packet_ipr),
            np.append(1.0, one.packet_score / one.wave_score),
            color=shade,
            marker=MARKERS[family(law)[0]],
            markersize=4,
            linewidth=1.2,
            label=law,
        )
    axes.axhline(1.0, color="k", linewidth=1.0)
    axes.set(xlabel="IPR of the packet", title=title, xscale="log")


def _legend(record: xr.Dataset) -> list[Line2D]:
    """Colours of the orders, marks of the laws, and the shades of single laws."""
    out = [
        Line2D([], [], color=ORDER_COLOURS[order], marker="o", linestyle="none", label=ORDER_NAMES[order])
        for order in ORDER_NAMES
    ]
    ordered = record.sortby("sharpness")
    for law, shade in zip(ordered.law.values, shades(ordered.sizes["law"]), strict=True):
        out.append(Line2D([], [], color=shade, marker=MARKERS[family(law)[0]], label=law))
    return out
