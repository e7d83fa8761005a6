"""The first figure of `kurtosis-law`: what four rules say against what training gives."""

import json
from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from gatefield.experiments.fields.kurtosis_law.laws import law_text
from gatefield.experiments.fields.kurtosis_law.rules import GAUSSIAN, edge, final, localized, margins, path_ipr
from gatefield.plot import WIDTH, letter, say_setting

ORDERS = {"long": ("C0", "o"), "short": ("C1", "s"), "equal": ("C2", "^")}
"""Colour and marker of each order of the ranges."""
SIGNS = {"long": "●", "short": "■", "equal": "▲"}
"""Their markers, in words."""
ORDER_NAMES = {"long": "longer range positive", "short": "shorter range positive", "equal": "same range in both"}
AXES = {
    "kurtosis": ("negative kurtosis", "excess kurtosis of a site, axis reversed (rule: below 0)", 0.0),
    "sharpness": ("sharper than a Gaussian", "sharpness (E|x|)²/E x² of a site (rule: above 2/π)", GAUSSIAN),
    "depth": ("one site beats every wave", "one-site score over wave score (rule: above 1)", 1.0),
    "path": ("IPR where the score stops", "IPR where the score stops rising (rule: above 6/n)", None),
}
"""What each rule says, what stands along its axis, and its edge."""
TOP = 1.05
"""Of the axis of the IPR; above it stands how often a rule is wrong."""
SCORE = (
    "score: c²/D, which training raises, c²: sharpness of the input h of the neuron in the positive class, D = 1 + E₀h²/E₁h²"
)
FEW = 6
"""Up to so many cases in which the last rule is wrong are named."""


def figure(record: xr.Dataset) -> Figure:
    """Each rule against what training gives."""
    figure = Figure(figsize=(WIDTH, 6.6))
    (body,) = cast(Any, figure.subfigures(1, 1, squeeze=False)).ravel()  # keeps the legend off the setting below
    panels = body.subplots(2, 2, sharey=True)
    titles = [_rule_panel(axes, record, rule) for axes, rule in zip(panels.ravel(), AXES, strict=True)]
    letter(panels, titles)
    for axes in panels[:, 0]:
        axes.set_ylabel("IPR of the final field")
    body.legend(handles=_orders(), loc="outside lower center", ncols=4)
    say_setting(figure, *setting(record), "marks: medians over seeds", f"localized: IPR above 6/n = {edge(record):.3g}", SCORE)
    return figure


def setting(record: xr.Dataset) -> list[str]:
    """What both figures depend on."""
    sizes = f"n = {record.sizes['position']}", f"{record.sizes['law']} laws"
    return [*sizes, _ranges(record), f"{float(record.time[-1]):g} τ", f"{record.sizes['seed']} seeds"]


def _ranges(record: xr.Dataset) -> str:
    """The longer and the shorter range; records that were kept name their parameters."""
    known = json.loads(record.attrs.get("parameters", "{}"))
    if not known:
        return ""
    couplings = f"Ising: couplings {known['coupling_long']:g} and {known['coupling_short']:g}"
    widths = [f"{low} to {high}" for low, high in (known["wide"], known["narrow"])]
    others = {"ising": couplings, "pulse": f"pulses: {' and '.join(widths)} sites"}
    there = "; ".join(words for law, words in others.items() if law in record.law.values)
    lengths = f"length scales {known['xi_long']:g} and {known['xi_short']:g}"
    return f"{lengths} ({there})" if there else lengths


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
    wrong = (margins(record)[rule] > 0) != localized(record)
    axes.set(xlabel=words, ylim=(0, 1.18), yticks=np.linspace(0, 1, 6))
    if rule == "kurtosis":
        axes.invert_xaxis()  # localization to the right in every panel
    _count_wrong(axes, wrong)
    if rule == "path" and int(wrong.sum()) <= FEW:
        _name_wrong(axes, wrong, at, values)
    return f"{name}: wrong in {int(wrong.sum())} of {wrong.size}"


def _count_wrong(axes: Any, wrong: xr.DataArray) -> None:
    """Above the marks, how many of each order are in the grey."""
    look: Any = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": 8}
    axes.text(0.02, 1.115, "wrong:", color="0.3", **look)
    for k, (order, sign) in enumerate(SIGNS.items()):
        axes.text(0.16 + 0.13 * k, 1.115, f"{sign} {int(wrong.sel(order=order).sum())}", color=ORDERS[order][0], **look)


def _name_wrong(axes: Any, wrong: xr.DataArray, at: xr.DataArray, values: xr.DataArray) -> None:
    """The law beside each mark for which a rule is wrong, in two heights, so that neighbours do not touch."""
    cases = [
        {"law": law, "order": order} for order in SIGNS for law in wrong.law.values if bool(wrong.sel(law=law, order=order))
    ]
    cases.sort(key=lambda one: float(at.sel(one)))
    for k, one in enumerate(cases):
        place, ends = (float(at.sel(one)), float(values.sel(one))), k >= len(cases) / 2
        look: Any = {"color": ORDERS[one["order"]][0], "fontsize": 7, "ha": "right" if ends else "left", "va": "bottom"}
        line = {
            "arrowstyle": "-",
            "color": look["color"],
            "linewidth": 0.6,
            "shrinkA": 0,
            "shrinkB": 3,
            "relpos": (float(ends), 0),
        }
        height = max(place[1] + 0.05, 0.2 + 0.07 * (k % 2))  # above the lower grey
        axes.annotate(law_text(str(one["law"])), place, (place[0], height), arrowprops=line, **look)


def _grey(axes: Any, side: float, least: float, *, localizing_right: bool) -> None:
    """The two quarters in which a rule is wrong."""
    low, high = axes.get_xlim()
    low, high = min(low, side), max(high, side)
    no, yes = ((low, side), (side, high)) if localizing_right else ((side, high), (low, side))
    axes.fill_between(no, least, TOP, color="0.9", linewidth=0, zorder=0)
    axes.fill_between(yes, 0.0, least, color="0.9", linewidth=0, zorder=0)
    axes.set_xlim(low, high)


def _orders() -> list[Any]:
    """The looks of the orders, and of what is wrong."""
    out: list[Any] = [
        Line2D([], [], color=colour, marker=marker, linestyle="none", label=ORDER_NAMES[order])
        for order, (colour, marker) in ORDERS.items()
    ]
    return [*out, Patch(color="0.9", label="rule is wrong")]
