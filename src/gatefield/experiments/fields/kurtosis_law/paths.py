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
NAMES = {True: "SGD localizes the field", False: "SGD leaves it spread"}


def more(record: xr.Dataset) -> Figure:
    """How the score changes on the way from a wave to one site."""
    figure = Figure(figsize=(WIDTH, 4.4))
    (body,) = cast(Any, figure.subfigures(1, 1, squeeze=False)).ravel()
    panels = body.subplots(1, 3, sharey=True)
    titles = [_path_panel(axes, record.sel(order=order)) for axes, order in zip(panels, ORDER_NAMES, strict=True)]
    letter(panels, titles)
    low, high = panels[0].get_ylim()
    panels[0].set_ylim(low - 0.1 * (high - low), high)  # for the names
    panels[0].set_ylabel("score c²/D, over that\nof the best wave")
    body.legend(handles=_looks(), loc="outside lower center", ncols=3)
    say_setting(
        figure,
        *setting(record),
        "score c²/D: what training raises (c² is the sharpness of the neuron's input in the positive class, D = 1 + E₀h²/E₁h²)",
        "a line for each law",
        "marks: where it stops rising",
        "black lines: rises and stays spread, or the other way round",
    )
    return figure


def _path_panel(axes: Any, record: xr.Dataset) -> str:
    """The score of each law over that of its best wave, and where it stops rising. The title of the panel."""
    found, rises = localized(record), margins(record).path > 0
    axes.axvspan(0.01, edge(record), color="0.93", linewidth=0, zorder=0)
    axes.axhline(1.0, color="0.4", linewidth=1.0, linestyle=":")
    for law in record.law.values[np.argsort(found.values, kind="stable")]:
        _path(axes, record.sel(law=law), LOOKS[bool(found.sel(law=law))], wrong=bool((found != rises).sel(law=law)))
    axes.set(xlabel="IPR of the packet\n(left: wave, right: one site)", xscale="log", xlim=(0.02, 6.0))  # room for names
    axes.set_xticks([0.03, 0.1, 0.3, 1.0], ["0.03", "0.1", "0.3", "1"])
    axes.xaxis.set_minor_formatter(NullFormatter())
    _name_ends(axes, record.isel(law=(found != rises).values))
    return f"{ORDER_NAMES[str(record.order.values)]}:\n{_rise_text(rises, found)}"


def _rise_text(rises: xr.DataArray, found: xr.DataArray) -> str:
    """How often the score rises, where fields localize and where they do not."""
    yes, no = (f"{int((rises & which).sum())} of {int(which.sum())}" for which in (found, ~found))
    if not found.any():
        return f"none localizes,\nrises for {no}"
    return f"rises for {yes} that localize,\n{no} that do not" if not found.all() else f"all localize,\nrises for {yes}"


def _name_ends(axes: Any, wrong: xr.Dataset) -> None:
    """The names of laws at the right ends of their lines, higher and lower in turn, so that neighbours do not touch."""
    ends = (wrong.packet_score / wrong.wave_score).isel(width=-1).values
    for k, i in enumerate(np.argsort(-ends)):
        place, name = (float(wrong.packet_ipr.isel(law=i, width=-1)), ends[i]), law_text(str(wrong.law.values[i]))
        beside = (7, -5 if k % 2 else 5)
        axes.annotate(
            name, place, beside, textcoords="offset points", va="center", fontsize=7.5, zorder=4, bbox={"color": "w", "pad": 0}
        )


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
    return [*lines, Patch(color="0.93", label="IPR up to 6/n")]
