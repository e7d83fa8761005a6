"""The second figure of `kurtosis-law`: the score on the way from a wave to one site."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import NullFormatter

from gatefield.experiments.fields.kurtosis_law.figure import ORDER_NAMES, setting
from gatefield.experiments.fields.kurtosis_law.laws import law_text
from gatefield.experiments.fields.kurtosis_law.rules import edge, localized, margins, path_ipr
from gatefield.plot import WIDTH, letter, say_setting

LOOKS: dict[bool, dict[str, Any]] = {
    True: {"color": "C1", "linestyle": "-", "marker": "o"},
    False: {"color": "C0", "linestyle": "--", "marker": "s", "markerfacecolor": "white"},
}
"""Of laws on which SGD localizes the field, and of others."""
HIGH = 1.1
"""A score, over that of the best wave, above which a law ends high."""
NAMES = {True: "SGD localizes the field", False: "SGD leaves it spread"}


def more(record: xr.Dataset) -> Figure:
    """How the score changes on the way from a wave to one site."""
    figure = Figure(figsize=(WIDTH, 4.6))
    (body,) = cast(Any, figure.subfigures(1, 1, squeeze=False)).ravel()
    panels = body.subplots(1, 3, sharey=True)
    titles = [_path_panel(axes, record.sel(order=order)) for axes, order in zip(panels, ORDER_NAMES, strict=True)]
    letter(panels, titles)
    low, high = panels[0].get_ylim()
    panels[0].set_ylim(low - 0.12 * (high - low), high + 0.12 * (high - low))  # for the names
    for axes, order in zip(panels, ORDER_NAMES, strict=True):
        _name_ends(axes, record.sel(order=order))
    panels[0].set_ylabel("score c²/D, over that\nof the best wave")
    body.legend(handles=_looks(), loc="outside lower center", ncols=4, columnspacing=1.2)
    say_setting(
        figure,
        *setting(record),
        "score c²/D of a field w: c² = (E₁|h|)²/E₁h², D = 1 + E₀h²/E₁h², h = w·x, E₁ and E₀ means over the two classes",
        "packet: the best wave under a bell; a line for each law, a mark where its score stops rising",
    )
    return figure


def _path_panel(axes: Any, record: xr.Dataset) -> str:
    """The score of each law over that of its best wave, and where it stops rising. The title of the panel."""
    found, rises = localized(record), margins(record).path > 0
    axes.axvspan(0.01, edge(record), color="0.93", linewidth=0, zorder=0)
    axes.axhline(1.0, color="0.4", linewidth=1.0, linestyle=":")
    for law in record.law.values[np.argsort(found.values, kind="stable")]:
        _path(axes, record.sel(law=law), LOOKS[bool(found.sel(law=law))], wrong=bool((found != rises).sel(law=law)))
    axes.set(xlabel="IPR of the packet\n(left: wave, right: one site)", xscale="log", xlim=(0.02, 1.25))
    axes.set_xticks([0.03, 0.1, 0.3, 1.0], ["0.03", "0.1", "0.3", "1"])
    axes.xaxis.set_minor_formatter(NullFormatter())
    return f"{ORDER_NAMES[str(record.order.values)]}:\n{_rise_text(rises, found)}"


def _rise_text(rises: xr.DataArray, found: xr.DataArray) -> str:
    """How often the score rises, where fields localize and where they do not."""
    yes, no = (f"{int((rises & which).sum())} of {int(which.sum())}" for which in (found, ~found))
    if not found.any():
        return f"none localizes,\nrises for {no}"
    return f"rises for {yes} that localize,\n{no} that do not" if not found.all() else f"all localize,\nrises for {yes}"


def _name_ends(axes: Any, one: xr.Dataset) -> None:
    """Names at the left, above for high ends and below for others, of laws against the rule and of those that rise too late."""
    found, rises = localized(one), margins(one).path > 0
    ends = (one.packet_score / one.wave_score).isel(width=-1)
    late = ~rises & ~found & (ends > HIGH)
    named = [i for i in np.argsort(-ends.values) if bool(late[i] | (found[i] != rises[i]))]
    high, low = ([i for i in named if bool(ends[i] > HIGH) == above] for above in (True, False))
    heights = [*(0.96 - 0.06 * k for k in range(len(high))), *(0.04 + 0.06 * k for k in reversed(range(len(low))))]
    for i, height in zip([*high, *low], heights, strict=True):
        name = law_text(str(one.law.values[i]))
        look: Any = {"fontsize": 7.5, "va": "center", "ha": "right", "color": LOOKS[False]["color"] if late[i] else "black"}
        line = {"arrowstyle": "-", "color": look["color"], "linewidth": 0.6, "shrinkA": 1, "shrinkB": 2, "relpos": (1, 0.5)}
        place = float(one.packet_ipr.isel(law=i, width=-1)), float(ends[i])
        words = f"{name}: falls first" if late[i] else name
        axes.annotate(words, place, (0.56, height), textcoords=axes.transAxes, arrowprops=line, zorder=4, **look)


def _path(axes: Any, one: xr.Dataset, look: dict[str, Any], *, wrong: bool) -> None:
    """The score of one law, and a mark where it stops rising."""
    ipr, score = np.append(one.wave_ipr, one.packet_ipr), np.append(1.0, one.packet_score / one.wave_score)
    line: Any = {"color": "black", "linewidth": 1.6} if wrong else {"color": look["color"], "linestyle": look["linestyle"]}
    axes.plot(ipr, score, **{"linewidth": 0.9, **line}, label=str(one.law.values))
    top = int(np.argmin(np.abs(ipr - float(path_ipr(one)))))
    axes.plot(ipr[top], score[top], **{**look, "linestyle": ""}, markersize=5, zorder=3)


def _looks() -> list[Any]:
    """What the looks of lines and marks say, and the grey."""
    lines = [Line2D([], [], markersize=5, label=NAMES[found], **look) for found, look in LOOKS.items()]
    against = Line2D([], [], color="black", linewidth=1.6, label="against the rule")
    return [*lines, against, Patch(color="0.93", label="IPR up to 6/n")]
