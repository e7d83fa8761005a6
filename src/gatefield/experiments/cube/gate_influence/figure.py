"""The figures of `gate-influence`."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from scipy.special import erf

from gatefield.experiments.cube import fields as cube
from gatefield.experiments.cube.gate_influence.verdicts import HIGH, LOW, between, crowd_law, shown
from gatefield.plot import THEORY, WIDTH, letter, say_setting

BINS = np.linspace(0.0, 1.0, 21)
"""Of influence; the limits of what is in between are among them."""


def draw(record: xr.Dataset) -> Figure:
    figure = Figure(figsize=(WIDTH, 6.0))
    panels: Any = figure.subplots(2, 2, height_ratios=[1.25, 1.0])
    _scatter(panels[0, 0], record, "uniform", "influence, all corners alike")
    _leader_panel(panels[0, 1], record)
    shades = [_histogram(axes, record, law) for axes, law in zip(panels[1], ("uniform", "own"), strict=True)]
    panels[1, 1].set_yticklabels([])
    figure.colorbar(shades[-1], ax=list(panels[1]), label="share of sites", pad=0.01)
    for axes in panels[0]:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, fontsize=7.5)
    titles = (
        "influence grows with the weight",
        "one weight grows: no step",
        "all corners alike",
        "the data's law",
    )
    letter(panels, titles)
    _say(figure, record)
    return figure


def draw_more(record: xr.Dataset) -> Figure:
    figure = Figure(figsize=(WIDTH, 3.9))
    panels: Any = figure.subplots(1, 2, sharey=True)
    _scatter(panels[0], record, "own", "influence, or chance to turn the gate")
    _scatter(panels[1], record, "turns", "")
    panels[1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    letter(panels, ("influence on the data's law", "turning one site alone"))
    _say(figure, record)
    return figure


def _say(figure: Figure, record: xr.Dataset) -> None:
    scales = record.attrs.get("length_scales", [])
    say_setting(
        figure,
        f"n = {record.sizes['position']}",
        "length scales " + " and ".join(f"{xi:g}" for xi in scales) if len(scales) else "",
        f"trained for {record.attrs['steps'] * float(np.max(record.attrs['learning_rate'])):g} τ",
        f"{cube.family(record, cube.TRAINED['long']).sizes['field']} seeds",
        f"{record.sizes['crowd']} crowds (band: their range)",
        f"grey: in between, {LOW} to {HIGH}",
    )


def _name(family: str) -> str:
    return family.replace("geometric", "falling by")


def _band(axes: Any) -> None:
    axes.axhspan(LOW, HIGH, color="0.93", zorder=0)
    axes.set_ylim(-0.03, 1.05)


def _scatter(axes: Any, record: xr.Dataset, law: str, label: str) -> None:
    _band(axes)
    styles = cube.styles(record)
    for name in shown(record):
        one, few = cube.family(record, name), name.startswith("geometric")
        axes.plot(
            one.share.values.ravel(),
            one[law].values.ravel(),
            linestyle="",
            markersize=5.5 if few else 3.5,
            markeredgecolor="w",
            markeredgewidth=0.3,
            zorder=3 if few else 2,
            label=_name(name),
            **styles[name],
        )
    if law == "uniform":
        s = np.linspace(0, 1, 200, endpoint=False)
        axes.plot(s, crowd_law(s), **THEORY, linewidth=1.0, label="one among many", zorder=1)
    axes.set(xlabel=r"size of the weight, $|w_j|/|w|$", ylabel=label, xlim=(-0.02, 1.02))


def _histogram(axes: Any, record: xr.Dataset, law: str) -> Any:
    """Of the influences of each family, a row each; beside it how many sites of a field are in between."""
    names, n = shown(record), record.sizes["position"]
    shares = [np.histogram(cube.family(record, name)[law].values, BINS)[0] for name in names]
    rows = np.array([counts / counts.sum() for counts in shares])
    least = 1 / (n * max(cube.family(record, name).sizes["field"] for name in names))
    norm = LogNorm(least, 1.0)
    image = axes.pcolormesh(BINS, np.arange(len(names) + 1), np.ma.masked_equal(rows, 0), cmap="Blues", norm=norm)
    for edge in (LOW, HIGH):
        axes.axvline(edge, color="0.4", linewidth=0.8, linestyle=":")
    for at, name in enumerate(names):
        count = between(cube.family(record, name)[law])
        axes.text(1.02, at + 0.5, f"{count:.3g}", va="center", fontsize=8)
    axes.text(1.02, -0.1, "in between", va="bottom", ha="center", fontsize=7.5, color="0.3")
    axes.set_yticks(np.arange(len(names)) + 0.5, [_name(name) for name in names])
    axes.set(xlabel="influence", xlim=(0, 1), ylim=(len(names), 0))
    return image


def _leader_panel(axes: Any, record: xr.Dataset) -> None:
    _band(axes)
    lead = record["lead"].values
    fine = np.geomspace(lead[0], lead[-1], 200)
    for values, color, mark, label in [
        (record.leader, "C0", "o", "the weight that grows"),
        (record.follower, "C1", "s", "largest of the others"),
    ]:
        axes.plot(lead, values.mean("crowd"), mark, color=color, markersize=4, label=label)
        axes.fill_between(lead, values.min("crowd"), values.max("crowd"), color=color, alpha=0.2, linewidth=0)
    axes.semilogx(fine, erf(fine / np.sqrt(2)), **THEORY, linewidth=1.0, label=r"erf$(s/\sqrt{2})$", zorder=1)
    ticks = [t for t in (0.05, 0.1, 0.2, 0.5, 1, 2, 5) if lead[0] <= t <= lead[-1]]
    axes.minorticks_off()
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.set(xlabel="s = its size over the length of the others", ylabel="influence, all corners alike")
