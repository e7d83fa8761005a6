"""The figure of `sub-networks`."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.deep.sub_networks.gates import MOST
from gatefield.experiments.deep.sub_networks.memory import KINDS
from gatefield.experiments.deep.sub_networks.simulate import TAU
from gatefield.experiments.deep.sub_networks.verdicts import BETA, slope_ratio
from gatefield.plot import WIDTH, legend_below, letter, say_setting, shades

KEPT = {"all": ("0.5", "-", "D"), "active": ("C0", "-", "o"), "rest": ("C3", "--", "X"), "random": ("C2", ":", "v")}
"""Colour, dash and marker of what is kept."""
KEPT_WORDS = {"all": "all gates", "active": "active", "rest": "all but the active", "random": "as many at random"}
READINGS = {
    "safe": ("C1", "s", r"steep ($|dG/d\theta| > \tau_S$), rest active"),
    "between": ("C4", "^", "between, rest active"),
    "between, any rest": ("C5", "D", "between, any rest"),
}
"""Colour, marker and words of each reading of sensitive paths."""

SAME = 0.5
"""Percentage points: lines nearer than this lie on each other."""
HERE: Any = {"color": "0.6", "linewidth": 0.9, "linestyle": "--", "zorder": 0}
"""The line at the threshold of the claims."""
SYMBOLS = (
    r"$\beta$: steepness of the gates",
    "$K^a$: kernel by which gates learn",
    r"$dG/d\theta$: slope of a gate in a weight",
    r"$\tau_S$: least slope that no active gate exceeds",
)
"""What stands in the first figure without a name of its own."""
WORDS = {"active": r"active ($> \tau_A$)", "between": "between", "shut": r"shut ($< {top:g} - \tau_A$)"}


def draw(record: xr.Dataset) -> Figure:
    """Which gates there are, what they carry, and what they know."""
    figure = Figure(figsize=(WIDTH, 7.6))
    panels, name_all = _four(figure, (1.3, 1.0))
    one = record.isel(beta=int(np.argmin(abs(np.log(record.beta.values / BETA)))))
    _part_panel(panels[0, 0], record, one)
    _memory_panel(panels[0, 1], record, one)
    _kinds_panel(panels[1, 0], record.sel(threshold=TAU, method="nearest"))
    _carried_panel(panels[1, 1], record)
    name_all(2, 2, 2, 3)
    letter(panels, _titles(record.sel(threshold=TAU, method="nearest"), one, one.sel(threshold=TAU, method="nearest")))
    spread = f"lines: mean, bands and bars: range of {record.sizes['seed']} seeds"
    where = _together(rf"$\tau_A$ = {TAU:g}") + " in (c) and at the broken lines"
    say_setting(figure, *_setting(record), spread, where, *SYMBOLS)
    return figure


def _four(figure: Figure, heights: tuple[float, float]) -> tuple[np.ndarray, Callable[..., None]]:
    """Two rows of panels, and what puts below each what it names, in so many columns, of as many lines as its neighbour has."""
    parts = np.array([cast(Any, row).subfigures(1, 2) for row in cast(Any, figure.subfigures(2, 1, height_ratios=heights))])
    panels = np.array([[part.subplots() for part in row] for row in parts])

    def name_all(*columns: int) -> None:
        for part, axes, count in zip(parts.ravel(), panels.ravel(), columns, strict=True):
            legend_below(part, axes, ncols=count, fontsize=7.5, columnspacing=0.9, handlelength=1.6)

    return panels, name_all


def _titles(record: xr.Dataset, one: xr.Dataset, at: xr.Dataset) -> list[str]:
    """What each panel has at the steepness and the threshold of the claims."""
    beta = rf"$\beta$ = {float(one.beta):g}"
    safe = 100 * float(at.trace_part.sel(reading="safe").mean())
    needed = 100 * float(one.needed.isel(step=-1).mean())
    known = 100 * float(at.kept_accuracy.sel(split="training", kept="active").mean())
    return [
        f"one steep, rest active: {safe:.2g} %, {beta}",
        f"active alone: {known:.1f} % right, {beta}",
        _kinds_words(record),
        f"{needed:.0f} % of the gates carry {100 * MOST:.0f} %, {beta}",
    ]


def _kinds_words(at: xr.Dataset) -> str:
    """How few gates are steep, at whatever steepness and time."""
    shares = 100 * at.sensitive.isel(step=[0, -1]).mean([str(dim) for dim in at.sensitive.dims if dim not in ("beta", "step")])
    return f"{float(shares.min()):.2g} to {float(shares.max()):.2g} % of the gates are steep"


def draw_more(record: xr.Dataset) -> Figure:
    """Which gates stay, how large equation 6 is on paths, where gates lie, and what a lower threshold would do."""
    figure = Figure(figsize=(WIDTH, 7.2))
    panels, name_all = _four(figure, (1.0, 1.0))
    one = record.isel(beta=int(np.argmin(abs(np.log(record.beta.values / BETA)))))
    at = one.sel(threshold=TAU, method="nearest")
    _overlap_panel(panels[0, 0], at)
    _slope_panel(panels[0, 1], at)
    _layers_panel(panels[1, 0], at)
    _lower_panel(panels[1, 1], at)
    name_all(2, 2, 2, 2)
    letter(panels, _more_titles(at))
    seeds = f"lines: mean, bands: range of {record.sizes['seed']} seeds"
    here = rf"$\tau_A$ = {TAU:g}", rf"$\beta$ = {float(one.beta):g}"
    say_setting(figure, *_setting(record), seeds, *map(_together, here), "active: above τ$_A$",
                "between: not active, not shut", "A: product of the gates G of a path", "θ: the gates' weights",
                "$K^a$: kernel of θ", SYMBOLS[-1])  # fmt: skip
    return figure


def _more_titles(at: xr.Dataset) -> list[str]:
    """What each panel of the second figure has."""
    part = float(slope_ratio(at, "sensitive").mean())
    low, high = (100 * float(end) for end in _least_and_largest(at.sensitive))
    stay, move = (100 * float(at.overlap.sel(set=name).isel(step=0).mean()) for name in ("active", "between"))
    least = at.isel(factor=0)
    both, whole = _active_of_sensitive(least), 100 * float(least.loose_sensitive.mean())
    return [
        f"start and end share {stay:.0f} % of active\ngates, {move:.0f} % of those between",
        f"active paths have a slope, {part:.2f} of that\nof paths with one gate between",
        f"{low:.2g} to {high:.2g} % of the gates of a layer\nare sensitive at $\\tau_S$",
        f"at {float(least.factor):g} $\\tau_S$, {whole:.0f} % are sensitive,\n{both:.0f} % of them active",
    ]


def _active_of_sensitive(at: xr.Dataset) -> float:
    """How many percent of the gates above one threshold are active too, mean over seeds and records."""
    return 100 * float((at.loose_both / at.loose_sensitive.clip(1e-12)).mean())


def _least_and_largest(shares: xr.DataArray) -> tuple[xr.DataArray, xr.DataArray]:
    """The least and the largest share of a layer: means over seeds and records."""
    by_layer = shares.mean(("seed", "step"))
    return by_layer.min(), by_layer.max()


def _together(words: str) -> str:
    """Words between which a line does not break."""
    return words.replace(" ", "\xa0")


def _setting(record: xr.Dataset) -> list[str]:
    data = {"digits": "digits 4 and 7 of MNIST", "signs": "sign of a product of two inputs"}[record.attrs["data"]]
    return [
        f"soft GaLU, depth {record.attrs['depth']}, width {record.attrs['width']}",
        data,
        f"{float(record.epoch[-1]):.0f} epochs",
    ]


def _line(axes: Any, x: Any, values: xr.DataArray, color: str, label: str = "", band: bool = True, **look: Any) -> None:
    """Mean over seeds and their range."""
    axes.plot(x, values.mean("seed"), color=color, label=label, **{"markersize": 4.5, "linewidth": 1.5, **look})
    if band:
        axes.fill_between(x, values.min("seed"), values.max("seed"), color=color, alpha=0.2, linewidth=0)


def _bars(axes: Any, x: Any, values: xr.DataArray, color: str) -> None:
    """The range over seeds as thin bars."""
    axes.vlines(x, values.min("seed"), values.max("seed"), color=color, linewidth=0.9)


def _other_betas(axes: Any, values: xr.DataArray, one: xr.Dataset, color: str, whole: xr.DataArray | None = None) -> None:
    """The mean over seeds at all other steepnesses, thin, with their names at the end; it is said if they are as `whole`."""
    words: Any = {"textcoords": "offset points", "fontsize": 8, "color": color, "va": "center", "annotation_clip": False}
    for beta in values.beta.values[values.beta.values != float(one.beta)]:
        mean = values.sel(beta=beta).mean("seed")
        axes.plot(one.threshold, mean, "-", color=color, linewidth=0.8)
        hidden = whole is not None and float(abs(mean - whole.sel(beta=beta).mean("seed")).max()) < SAME
        name = rf"$\beta$ = {beta:g}" + (":\nas all" if hidden else "")
        axes.annotate(name, (float(one.threshold[-1]), float(mean[-1])), (4, 0), **words)


def _others(record: xr.Dataset, one: xr.Dataset) -> str:
    """The other steepnesses, in words."""
    return r"$\beta$ = " + " and ".join(f"{beta:g}" for beta in record.beta.values if beta != float(one.beta))


def _at_tau(axes: Any, values: xr.DataArray, color: str, away: tuple[int, int], digits: int) -> None:
    """The mean over seeds at the threshold of the claims, in percent, beside its mark."""
    here = values.sel(threshold=TAU, method="nearest")
    look: Any = {"arrowstyle": "-", "linewidth": 0.6, "color": color, "shrinkB": 2}
    words: Any = {"textcoords": "offset points", "fontsize": 9, "color": color, "fontweight": "bold", "arrowprops": look}
    axes.annotate(f"{float(here.mean()):.{digits}g} %", (float(here.threshold), float(here.mean())), away, ha="right", **words)


def _level(axes: Any, y: float, name: str, x: float, ha: Any = "left", va: Any = "bottom") -> None:
    """A dotted line at a height with a meaning, and its name at x."""
    axes.axhline(y, color="0.6", linewidth=0.9, linestyle=":", zorder=0)
    axes.text(x, y, name, fontsize=7.5, color="0.4", ha=ha, va=va)


def _kinds_panel(axes: Any, at: xr.Dataset) -> None:
    """Shares of gates at the start and in the end, for each steepness."""
    middle = at.between.mean("layer")
    on = at.active.mean("layer")
    each = dict(zip(KINDS, (on, middle, 1 - on - middle), strict=True))
    names = []
    for place, (beta, step) in enumerate((beta, step) for beta in at.beta.values for step in (0, -1)):
        low = 0.0
        for kind, color in zip(KINDS, ("C0", "C4", "0.85"), strict=True):
            share = 100 * float(each[kind].sel(beta=beta).isel(step=step).mean())
            axes.bar(
                place,
                share,
                bottom=low,
                color=color,
                width=0.8,
                label="" if place else WORDS[kind].format(top=1 + at.attrs["eps"]),
            )
            low += share
        found = 100 * float(at.sensitive.sel(beta=beta).isel(step=step).mean())
        axes.text(place, 102, f"{found:.2g}", ha="center", fontsize=8, color="C1")
        names.append(rf"$\beta$={beta:g}" + ("\nstart" if step == 0 else "\nend"))
    axes.set_xticks(range(len(names)), names, fontsize=7)
    axes.text(-0.4, 110, r"% steep ($|dG/d\theta| > \tau_S$):", fontsize=8, color="C1")
    axes.set(ylabel="share of gates (%)", ylim=(0, 120))
    axes.set_yticks([0, 50, 100])


def _part_panel(axes: Any, record: xr.Dataset, one: xr.Dataset) -> None:
    """At one steepness by each reading; at the others, thin, by that of the paper."""
    _other_betas(axes, 100 * record.trace_part.sel(reading="safe").mean("step"), one, READINGS["safe"][0])
    for name, (color, mark, words) in READINGS.items():
        _line(axes, one.threshold, 100 * one.trace_part.sel(reading=name).mean("step"), color, words, marker=mark)
    axes.plot([], [], color=READINGS["safe"][0], linewidth=0.8, label=f"the first reading, {_others(record, one)}")
    _at_tau(axes, 100 * one.trace_part.sel(reading="safe").mean("step"), READINGS["safe"][0], (-9, 15), 2)
    _level(axes, 50.0, "half", float(one.threshold[0]))
    axes.axvline(TAU, **HERE)
    axes.set(xlabel=r"threshold of active gates $\tau_A$", ylabel="part of the trace of $K^a$ (%)", ylim=(-3, None))


def _carried_panel(axes: Any, record: xr.Dataset) -> None:
    for beta, color in zip(record.beta.values, shades(record.sizes["beta"], "viridis", (0.0, 0.75)), strict=True):
        for step, style in ((0, "--"), (-1, "-")):
            values = 100 * record.carried.sel(beta=beta).isel(step=step)
            label = rf"$\beta$ = {beta:g}" if step else ""
            axes.plot(100 * record.ranked, values.mean("seed"), style, color=color, label=label)
    _level(axes, 100 * MOST, f"{100 * MOST:.0f} %", 100.0, "right", "top")
    axes.plot([0, 100], [0, 100], color="0.8", linewidth=1, zorder=0, label="all gates alike")
    axes.plot([], [], "--", color="0.4", label="at the start")
    axes.set(xlabel="share of gates, steepest first (%)", ylabel="part of the trace of $K^a$ (%)")


def _memory_panel(axes: Any, record: xr.Dataset, one: xr.Dataset) -> None:
    """At one steepness with all that is kept; at the others, thin, with the active gates."""
    _other_betas(axes, 100 * record.kept_accuracy.sel(split="training", kept="active"), one, KEPT["active"][0],
                 100 * record.kept_accuracy.sel(split="training", kept="all"))  # fmt: skip
    for name, (color, style, mark) in KEPT.items():
        values = 100 * one.kept_accuracy.sel(split="training", kept=name)
        if name in ("rest", "random"):  # their ranges overlap: bars side by side
            _bars(axes, one.threshold + (0.006 if name == "random" else -0.006), values, color)
        _line(
            axes, one.threshold, values, color, KEPT_WORDS[name], linestyle=style, marker=mark, band=name in ("all", "active")
        )
    axes.plot([], [], color=KEPT["active"][0], linewidth=0.8, label=f"active, {_others(record, one)}")
    _at_tau(axes, 100 * one.kept_accuracy.sel(split="training", kept="active"), KEPT["active"][0], (-9, -26), 3)
    _level(axes, 50.0, "chance", float(one.threshold[0]), "left", "top")
    axes.axvline(TAU, **HERE)
    axes.set(xlabel=r"threshold of active gates $\tau_A$", ylabel="training accuracy (%)")


def _overlap_panel(axes: Any, at: xr.Dataset) -> None:
    for name, color, mark in (("active", "C0", "o"), ("between", "C4", "^")):
        _line(axes, at.epoch, 100 * at.overlap.sel(set=name), color, name, marker=mark)
        axes.plot(at.epoch, 100 * at.overlap_chance.sel(set=name).mean("seed"), ":", color=color, label=f"{name}, by chance")
        first = 100 * float(at.overlap.sel(set=name).isel(step=0).mean())
        look: Any = {"textcoords": "offset points", "fontsize": 9, "va": "center", "color": color, "fontweight": "bold"}
        axes.annotate(f"{first:.0f} %", (float(at.epoch[0]), first), (5, -13), **look)
    axes.set(xlabel="epoch", ylabel="overlap with the end (%)", ylim=(0, 103))


def _slope_panel(axes: Any, at: xr.Dataset) -> None:
    for name, color, style, mark, words in (
        ("sensitive", "C4", "--", "^", "one gate between, rest active"),
        ("active", "C0", "-", "o", "all gates active"),
        ("all", "0.5", "-", "D", "all paths"),
    ):
        _line(axes, at.epoch, at.path_slope.sel(paths=name), color, words, linestyle=style, marker=mark)
    whole, part = (float(at.path_slope.sel(paths=name).mean()) for name in ("sensitive", "active"))
    middle = float(at.epoch[0] + at.epoch[-1]) / 2
    look: Any = {"arrowstyle": "->", "color": "black", "linewidth": 1.0, "shrinkA": 4, "shrinkB": 4}
    axes.annotate("", (middle, part), (middle, whole), arrowprops=look)
    times = f"× {float(slope_ratio(at, 'sensitive').mean()):.2f}"
    axes.annotate(times, (middle, (whole + part) / 2), (4, 0), textcoords="offset points", va="center", fontsize=9)
    axes.set(xlabel="epoch", ylabel=r"slope, r.m.s. of $|\partial A/\partial\theta|$", ylim=(0, None))


def _layers_panel(axes: Any, at: xr.Dataset) -> None:
    """The share of gates of each kind in each layer, mean over all records."""
    for name, color, mark, words in (
        ("active", "C0", "o", "active"),
        ("between", "C4", "^", "between"),
        ("sensitive", "C1", "s", r"sensitive: $|dG/d\theta| > \tau_S$"),
    ):
        _line(axes, at.layer, 100 * at[name].mean("step"), color, words, marker=mark)
    axes.set(xlabel="layer", ylabel="share of gates (%)", ylim=(-3, None), xticks=at.layer.values)


def _lower_panel(axes: Any, at: xr.Dataset) -> None:
    """What is sensitive, active too, and carried, if the threshold is lowered below the safe one; mean over all records."""
    for name, color, style, mark, words in (
        ("loose_sensitive", "C1", "-", "s", "sensitive gates"),
        ("loose_both", "C0", "--", "o", "sensitive and active"),
        ("loose_part", "0.5", ":", "D", "part of the trace of $K^a$"),
    ):
        _line(axes, at.factor, 100 * at[name].mean("step"), color, words, linestyle=style, marker=mark)
    axes.set_xscale("log")
    _active_arrow(axes, at.isel(factor=0))
    axes.set(xlabel=r"lowered threshold, in units of $\tau_S$", ylabel="share of gates, or of trace (%)", ylim=(-3, None))


def _active_arrow(axes: Any, least: xr.Dataset) -> None:
    """At the lowest threshold, from the sensitive gates to those that are active too, and what part these are."""
    factor, (whole, part) = float(least.factor), (100 * float(least[name].mean()) for name in ("loose_sensitive", "loose_both"))
    look: Any = {"arrowstyle": "->", "color": "black", "linewidth": 1.0, "shrinkA": 5, "shrinkB": 5}
    axes.annotate("", (factor, part), (factor, whole), arrowprops=look)
    words = f"{_active_of_sensitive(least):.0f} % of these\nare active"
    axes.annotate(words, (factor, (whole + part) / 2), (5, 0), textcoords="offset points", va="center", fontsize=8)
