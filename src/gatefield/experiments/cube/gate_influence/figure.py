"""The figure of `gate-influence`."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from scipy.special import erf

from gatefield.experiments.cube import fields as cube
from gatefield.experiments.cube.gate_influence.verdicts import HIGH, LOW

PANELS = {
    "uniform": ("(a) all corners alike", "influence"),
    "own": ("(b) the data's law", r"influence $2\,|f_j|$"),
    "turns": ("(c) the data's law: turning one site", "chance that the gate turns"),
}


def draw(record: xr.Dataset) -> Figure:
    figure = Figure(figsize=(11.0, 9.4))
    panels: Any = figure.subplots(2, 2)
    for axes, (law, words) in zip(panels.flat, PANELS.items(), strict=False):
        _scatter(axes, record, law, *words)
    _leader_panel(panels[1, 1], record)
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return figure


def _band(axes: Any) -> None:
    axes.axhspan(LOW, HIGH, color="0.93", zorder=0)
    axes.set_ylim(-0.03, 1.05)


def _scatter(axes: Any, record: xr.Dataset, law: str, title: str, label: str) -> None:
    _band(axes)
    for name, style in cube.styles(record).items():
        if name in cube.SETTLED.values():  # they would hide the trained fields
            continue
        one = cube.family(record, name)
        few = name.startswith("geometric")
        axes.plot(one.share.values.ravel(), one[law].values.ravel(), linestyle="", markersize=6.5 if few else 4.0,
                  markeredgecolor="w", markeredgewidth=0.3, zorder=3 if few else 2, label=name, **style)  # fmt: skip
    if law == "uniform":
        s = np.linspace(0, 1, 200, endpoint=False)
        axes.plot(s, np.sqrt(2 / np.pi) * s, "-", color="0.3", linewidth=1.0, label=r"$\sqrt{2/\pi}\,|w_j|/|w|$, weights alike")
        axes.plot(s, erf(s / np.sqrt(2 * (1 - s**2))), "--", color="0.3", linewidth=1.0, label="one weight and a crowd")
        axes.text(0.99, (LOW + HIGH) / 2, "in between", rotation=90, ha="right", va="center", color="0.4", fontsize="small")
    axes.set(xlabel=r"size of the weight, $|w_j|/|w|$", ylabel=label, title=title, xlim=(-0.02, 1.02))


def _leader_panel(axes: Any, record: xr.Dataset) -> None:
    _band(axes)
    lead = record["lead"].values
    fine = np.geomspace(lead[0], lead[-1], 200)
    for values, color, mark, label in [
        (record.leader, "C0", "o", "the weight that grows"),
        (record.follower, "C1", "s", "largest of the others"),
    ]:
        axes.plot(lead, values.mean("crowd"), mark, color=color, markersize=4.5, label=label)
        axes.fill_between(lead, values.min("crowd"), values.max("crowd"), color=color, alpha=0.2, linewidth=0)
    axes.semilogx(fine, erf(fine / np.sqrt(2)), "--", color="0.3", linewidth=1.0, label=r"erf$(s/\sqrt{2})$")
    ticks = [t for t in (0.05, 0.1, 0.2, 0.5, 1, 2, 5) if lead[0] <= t <= lead[-1]]
    axes.minorticks_off()
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.set(xlabel="s = size of one weight over the length of the others", ylabel="influence, all corners alike",
             title="(d) one weight grows from a random crowd")  # fmt: skip
    axes.legend(loc="upper left")
