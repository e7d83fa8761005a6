"""The figure of `sub-networks`."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.deep.sub_networks.memory import KINDS
from gatefield.experiments.deep.sub_networks.simulate import TAU
from gatefield.experiments.deep.sub_networks.verdicts import BETA
from gatefield.plot import WIDTH, letter, say_setting, shades

KEPT = {"all": ("k", "-", ""), "active": ("C0", "-", "o"), "rest": ("C1", "--", "s"), "random": ("C2", ":", "^")}
READINGS = {
    "safe": ("C1", "s", r"$|dG/d\theta| > \tau_S$, rest active (paper)"),
    "between": ("C4", "^", "between, rest active"),
    "between, any rest": ("C0", "o", "between, any rest"),
}
"""Colour, marker and words of each reading of sensitive paths."""

WORDS = {"active": r"active ($> \tau_A$)", "between": "between", "shut": r"shut ($< 1 + \epsilon - \tau_A$)"}


def draw(record: xr.Dataset) -> Figure:
    """Which gates there are, what they carry, and what they know."""
    figure = Figure(figsize=(WIDTH, 7.0))
    panels: Any = figure.subplots(2, 2)
    one = record.isel(beta=int(np.argmin(abs(np.log(record.beta.values / BETA)))))
    beta = rf"$\beta$ = {float(one.beta):g}"
    _kinds_panel(panels[0, 0], record.sel(threshold=TAU, method="nearest"))
    _part_panel(panels[0, 1], one)
    _carried_panel(panels[1, 0], record)
    _memory_panel(panels[1, 1], record, one)
    letter(panels, ["kinds of gates", f"what paths carry, {beta}", "by gates, no threshold", f"some gates alone, {beta}"])
    say_setting(
        figure, *_setting(record), f"lines: mean, bands: range of {record.sizes['seed']} seeds", rf"$\tau_A$ = {TAU:g} in (a)"
    )
    return figure


def draw_more(record: xr.Dataset) -> Figure:
    """Which gates stay, and how large equation 6 is on paths."""
    figure = Figure(figsize=(WIDTH, 3.9))
    panels: Any = figure.subplots(1, 2)
    one = record.isel(beta=int(np.argmin(abs(np.log(record.beta.values / BETA)))))
    at = one.sel(threshold=TAU, method="nearest")
    _overlap_panel(panels[0], at)
    _slope_panel(panels[1], at)
    letter(panels, ["which gates stay", "equation 6 along paths"])
    seeds = f"lines: mean, bands: range of {record.sizes['seed']} seeds"
    say_setting(figure, *_setting(record), seeds, rf"$\tau_A$ = {TAU:g}", rf"$\beta$ = {float(one.beta):g}")
    return figure


def _setting(record: xr.Dataset) -> list[str]:
    data = {"digits": "digits 4 and 7 of MNIST", "signs": "sign of a product of two inputs"}[record.attrs["data"]]
    return [f"soft GaLU, depth {record.attrs['depth']}, width {record.attrs['width']}", data]


def _line(axes: Any, x: Any, values: xr.DataArray, color: str, label: str = "", **look: Any) -> None:
    """Mean over seeds and their range."""
    axes.plot(x, values.mean("seed"), color=color, label=label, **{"markersize": 4.5, "linewidth": 1.5, **look})
    axes.fill_between(x, values.min("seed"), values.max("seed"), color=color, alpha=0.2, linewidth=0)


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
            axes.bar(place, share, bottom=low, color=color, width=0.8, label="" if place else WORDS[kind])
            low += share
        found = 100 * float(at.sensitive.sel(beta=beta).isel(step=step).mean())
        axes.text(place, 102, f"{found:.2g}", ha="center", fontsize=8, color="C1")
        names.append(rf"$\beta$={beta:g}" + ("\nstart" if step == 0 else "\nend"))
    axes.set_xticks(range(len(names)), names, fontsize=7)
    axes.text(-0.4, 110, r"% with $|dG/d\theta| > \tau_S$:", fontsize=8, color="C1")
    axes.set(ylabel="share of gates (%)", ylim=(0, 120))
    axes.set_yticks([0, 50, 100])
    spacing: Any = {"columnspacing": 1.0, "handlelength": 1.2}
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, fontsize=7.5, **spacing)


def _part_panel(axes: Any, one: xr.Dataset) -> None:
    for name, (color, mark, words) in READINGS.items():
        _line(axes, one.threshold, 100 * one.trace_part.sel(reading=name).mean("step"), color, words, marker=mark)
    axes.axhline(50, color="0.6", linewidth=0.9, linestyle=":")
    axes.set(xlabel=r"threshold of active gates $\tau_A$", ylabel="part of the trace of $K^a$ (%)", ylim=(-3, None))
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), fontsize=7.5, title="gate that moves", title_fontsize=7.5)


def _carried_panel(axes: Any, record: xr.Dataset) -> None:
    for beta, color in zip(record.beta.values, shades(record.sizes["beta"], "viridis", (0.0, 0.75)), strict=True):
        for step, style in ((0, "--"), (-1, "-")):
            values = 100 * record.carried.sel(beta=beta).isel(step=step)
            label = rf"$\beta$ = {beta:g}" if step else ""
            axes.plot(100 * record.ranked, values.mean("seed"), style, color=color, label=label)
    axes.plot([0, 100], [0, 100], color="0.8", linewidth=1, zorder=0)
    axes.axhline(90, color="0.6", linewidth=0.9, linestyle=":")
    axes.plot([], [], "--", color="0.4", label="at the start")
    axes.set(xlabel="share of gates, steepest first (%)", ylabel="part of the trace of $K^a$ (%)")
    axes.legend(loc="lower right", fontsize=7.5)


def _memory_panel(axes: Any, record: xr.Dataset, one: xr.Dataset) -> None:
    """At one steepness with all that is kept; at the others, thin, with the active gates."""
    for beta in record.beta.values[record.beta.values != float(one.beta)]:
        values = 100 * record.kept_accuracy.sel(split="training", kept="active", beta=beta).mean("seed")
        axes.plot(one.threshold, values, "-", color="C0", linewidth=0.8)
        words: Any = {"textcoords": "offset points", "fontsize": 8, "color": "C0", "va": "center", "annotation_clip": False}
        axes.annotate(rf"$\beta$ = {beta:g}", (float(one.threshold[-1]), float(values[-1])), (4, 0), **words)
    for name, (color, style, mark) in KEPT.items():
        values = 100 * one.kept_accuracy.sel(split="training", kept=name)
        _line(axes, one.threshold, values, color, name, linestyle=style, marker=mark)
    axes.axhline(50, color="0.6", linewidth=0.9, linestyle=":")
    axes.set(xlabel=r"threshold of active gates $\tau_A$", ylabel="training accuracy (%)")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=4, fontsize=7.5, columnspacing=0.9)


def _overlap_panel(axes: Any, at: xr.Dataset) -> None:
    for name, color, mark in (("active", "C0", "o"), ("between", "C4", "^")):
        _line(axes, at.epoch, 100 * at.overlap.sel(set=name), color, name, marker=mark)
        axes.plot(at.epoch, 100 * at.overlap_chance.sel(set=name).mean("seed"), ":", color=color, label=f"{name}, by chance")
    axes.set(xlabel="epoch", ylabel="overlap with the end (%)", ylim=(0, 103))
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=2, fontsize=8)


def _slope_panel(axes: Any, at: xr.Dataset) -> None:
    for name, color, style, mark in (("all", "k", "-", ""), ("active", "C0", "-", "o"), ("sensitive", "C4", "--", "^")):
        _line(axes, at.epoch, at.path_slope.sel(paths=name), color, f"{name} paths", linestyle=style, marker=mark)
    axes.set(xlabel="epoch", ylabel=r"r.m.s. of $|\partial A/\partial\theta|$", ylim=(0, None))
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=3, fontsize=8)
