"""The figures of `kurtosis-law`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from gatefield.experiments.fields.kurtosis_law.laws import family
from gatefield.experiments.fields.kurtosis_law.rules import GAUSSIAN, edge, final, localized, margins, path_ipr, share_right
from gatefield.plot import WIDTH, letter, say_setting, shades

ORDERS = {"long": ("C0", "o"), "short": ("C1", "s"), "equal": ("C2", "^")}
"""Colour and marker of each order of the ranges."""
ORDER_NAMES = {"long": "longer range positive", "short": "shorter range positive", "equal": "same range in both"}
MARKERS = {"gain": "o", "uniform": "s", "laplace": "D", "algebraic": "^", "levels": "v", "ising": "P", "pulse": "X"}
AXES = {
    "kurtosis": ("negative kurtosis", "excess kurtosis of a site (rule: below 0)", 0.0),
    "sharpness": ("sharper than a Gaussian", "sharpness (E|x|)²/E x² of a site (rule: above 2/π)", GAUSSIAN),
    "depth": ("one site beats every wave", "one-site score over wave score (rule: above 1)", 1.0),
    "path": ("score rises all the way", "IPR where the score stops rising (rule: above 6/n)", None),
}
"""What each rule says, what stands along its axis, and its edge."""


def figure(record: xr.Dataset) -> Figure:
    """Each rule against what training gives."""
    figure = Figure(figsize=(WIDTH, 6.4))
    (body,) = cast(Any, figure.subfigures(1, 1, squeeze=False)).ravel()  # keeps the legend off the setting below
    panels = body.subplots(2, 2, sharey=True)
    titles = [_rule_panel(axes, record, rule) for axes, rule in zip(panels.ravel(), AXES, strict=True)]
    letter(panels, titles)
    for axes in panels[:, 0]:
        axes.set_ylabel("IPR of the final field")
    body.legend(handles=_orders(), loc="outside lower center", ncols=4)
    _say(figure, record, "marks: medians over seeds")
    return figure


def more(record: xr.Dataset) -> Figure:
    """How the score changes on the way from a wave to one site."""
    figure = Figure(figsize=(WIDTH, 6.4))
    panels = cast(Any, figure.subplots(2, 2)).ravel()
    for axes, order in zip(panels, ORDER_NAMES, strict=False):
        _path_panel(axes, record.sel(order=order))
    letter(panels[:3], ORDER_NAMES.values())
    for axes in panels[:3:2]:
        axes.set_ylabel("score c²/D, over that\nof the best wave")
    panels[3].axis("off")
    panels[3].legend(handles=_laws(record), loc="center", ncols=2, title="laws, the sharper the lighter")
    _say(figure, record)
    return figure


def _say(figure: Figure, record: xr.Dataset, *words: str) -> None:
    count = record.sizes["law"]
    time = f"{float(record.time[-1]):g} τ"
    say_setting(figure, f"n = {record.sizes['position']}", f"{count} laws", time, f"{record.sizes['seed']} seeds", *words)


def places(record: xr.Dataset, rule: str) -> xr.DataArray:
    """Where each law and order stands along the axis of a rule."""
    if rule == "depth":
        return record.site_score / record.wave_score
    return path_ipr(record) if rule == "path" else xr.zeros_like(record.site_score) + record[rule]


def _rule_panel(axes: Any, record: xr.Dataset, rule: str) -> str:
    """What a rule says along the axis, what training gives upwards; where they disagree it is grey. The title of the panel."""
    at, values, least = places(record, rule), final(record).median("seed"), edge(record)
    for law in record.law.values:
        for order, (colour, marker) in ORDERS.items():
            one = {"law": law, "order": order}
            look = {"color": colour, "marker": marker, "markersize": 6, "alpha": 0.75}
            axes.plot(float(at.sel(one)), float(values.sel(one)), **look)
    name, words, side = AXES[rule]
    if rule == "path":
        axes.set_xscale("log")
    _grey(axes, least if side is None else side, least, localizing_right=rule != "kurtosis")
    right = share_right(margins(record)[rule], localized(record))
    axes.set(xlabel=words, ylim=(0, 1.05))
    if rule == "kurtosis":
        axes.invert_xaxis()  # localization to the right in every panel
    return f"{name}: right in {right * values.size:.0f} of {values.size}"


def _grey(axes: Any, side: float, least: float, *, localizing_right: bool) -> None:
    """The two quarters in which a rule is wrong."""
    low, high = axes.get_xlim()
    low, high = min(low, side), max(high, side)
    no, yes = ((low, side), (side, high)) if localizing_right else ((side, high), (low, side))
    axes.fill_between(no, least, 1.05, color="0.9", linewidth=0, zorder=0)
    axes.fill_between(yes, 0.0, least, color="0.9", linewidth=0, zorder=0)
    axes.set_xlim(low, high)


def _path_panel(axes: Any, record: xr.Dataset) -> None:
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
    axes.axhline(1.0, color="0.4", linewidth=1.0, linestyle=":")
    axes.set(xlabel="IPR of the packet (left: wave, right: one site)", xscale="log")


def _orders() -> list[Any]:
    """The looks of the orders, and of what is wrong."""
    out: list[Any] = [
        Line2D([], [], color=colour, marker=marker, linestyle="none", label=ORDER_NAMES[order])
        for order, (colour, marker) in ORDERS.items()
    ]
    return [*out, Patch(color="0.9", label="rule is wrong")]


def _laws(record: xr.Dataset) -> list[Line2D]:
    """The looks of the laws."""
    ordered = record.sortby("sharpness")
    looks = zip(ordered.law.values, shades(ordered.sizes["law"]), strict=True)
    return [Line2D([], [], color=shade, marker=MARKERS[family(law)[0]], markersize=4, label=law) for law, shade in looks]
