"""The figures of `gate-influence`."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from scipy.special import erf

from gatefield.experiments.cube import fields as cube
from gatefield.experiments.cube.gate_influence.verdicts import HIGH, LOW, beside, between, crowd_law, decided, shown, steps
from gatefield.plot import THEORY, WIDTH, letter, say_setting

BINS = np.linspace(0.0, 1.0, 21)
"""Of influence; the limits of what is in between are among them."""


def draw(record: xr.Dataset) -> Figure:
    figure = Figure(figsize=(WIDTH, 6.5))
    panels: Any = figure.subplots(2, 2, height_ratios=[1.25, 1.0])
    _scatter(panels[0, 0], record, "uniform", "influence, all corners alike")
    _leader_panel(panels[0, 1], record)
    shades = [_histogram(axes, record, law) for axes, law in zip(panels[1], ("uniform", "own"), strict=True)]
    panels[1, 1].set_yticklabels([])
    figure.colorbar(shades[-1], ax=list(panels[1]), label="share of sites", pad=0.01)
    for axes in panels[0]:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, fontsize=7.5)
    low, high = steps(record)
    titles = (
        "influence by the weight,\nall corners alike",
        f"one weight grows {high / low:.2g}-fold\nfrom ignored to followed",
        "all corners alike; right: sites\nof a field half followed",
        "the same on inputs with\nthe data's law",
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
    _point_at_neighbours(panels, record)
    letter(
        panels,
        (
            "influence on the data's law: a site\ngoes with its neighbours, too",
            "chance that turning one site\nalone turns the gate",
        ),
    )
    _say(figure, record)
    return figure


def _say(figure: Figure, record: xr.Dataset) -> None:
    scales = record.attrs.get("length_scales", [])
    say_setting(
        figure,
        f"n = {record.sizes['position']}",
        f"trained for {cube.trained_for(record)}",
        f"{cube.family(record, cube.TRAINED['long']).sizes['field']} seeds",
        f"{record.sizes['crowd']} crowds (band: their range)",
        f"half followed (grey): influence {LOW} to {HIGH}",
        "falling by r: sizes 1, r, r², …",
        "ξ = (positive, negative class)" if len(scales) else "",
    )


def _point_at_neighbours(panels: Any, record: xr.Dataset) -> None:
    """An arrow in each panel at a neighbour of a site that decides."""
    alone = decided(record)
    if not alone.sizes["field"]:
        return
    peaks = alone.uniform.argmax("position").values
    for axes, name in zip(panels, ("own", "turns"), strict=True):
        place = float(beside(alone.share, peaks)[-1]), float(beside(alone[name], peaks)[-1])
        look: Any = {"fontsize": 7.5, "va": "center", "arrowprops": {"arrowstyle": "->", "color": "0.2"}, "zorder": 6}
        axes.annotate(
            f"beside a site that\ndecides: {place[1]:.2f}", place, (0.3, 0.75) if place[1] > 0.3 else (0.56, 0.22), **look
        )


def _name(record: xr.Dataset, family: str) -> str:
    """A family as it is read, with the pair of length scales on which it was trained if the record has it."""
    for order, name in cube.TRAINED.items():
        if family == name and len(record.attrs.get("length_scales", [])):
            return f"trained {cube.trained_on(record, order)}"
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
            label=_name(record, name),
            **styles[name],
        )
    if law == "uniform":
        s = np.linspace(0, 1, 200, endpoint=False)
        axes.plot(s, crowd_law(s), **THEORY, linewidth=1.0, label="theory: one among many", zorder=1)
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
        bold = "bold" if name in (cube.RANDOM, cube.TRAINED["long"]) else "normal"  # those of the headline
        axes.text(1.02, at + 0.5, f"{count:.2g}", va="center", fontsize=8, fontweight=bold)
    axes.set_yticks(np.arange(len(names)) + 0.5, [_name(record, name) for name in names])
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
    for size in steps(record):
        axes.axvline(size, color="0.4", linewidth=0.8, linestyle=":", zorder=1)
    ticks = [t for t in (0.05, 0.1, 0.2, 0.5, 1, 2, 5) if lead[0] <= t <= lead[-1]]
    axes.minorticks_off()
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.set(xlabel="s = its size over the length of the others", ylabel="influence, all corners alike")
