"""The figures of `bumps`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from gatefield.experiments.cube.bumps.cases import CASES
from gatefield.experiments.cube.bumps.verdicts import LAYOUTS
from gatefield.plot import COLOURS, DATA, PRINTED, THEORY, WIDTH, end_labels, legend_below, letter, say_setting, shades

SHOWN = {"single": "one bump: half as printed", "balanced": "two equal: a quarter each",
         "three voting": "2.5, 2, 1: no bump is picked"}  # fmt: skip
MAPS = {"edge": "neighbours, α at an end", "middle": "neighbours, α between", "apart": "3 and 2 sites apart"}
PRINTED_IN = "as printed: in note 003, equations"
KINDS = ("#0072B2", "#B9D9EC", "#D55E00")
WORDS = (
    "drift of the largest bump alone: it is picked",
    "majority of three signs, largest bump picked",
    "majority of three signs, another site picked or tied",
)
TIES: dict[str, Any] = {"color": "#F0E442", "linewidth": 1.6, "linestyle": "--"}
NOTE: dict[str, Any] = {"color": "k", "linewidth": 1.3}


def draw(record: xr.Dataset) -> Figure:
    figure = Figure(figsize=(WIDTH, 6.3))
    top, bottom, key = cast(Any, figure.subfigures(3, 1, height_ratios=[1.0, 1.32, 0.26]))
    profiles = top.subplots(1, len(SHOWN), sharey=True)
    for axes, case in zip(profiles, SHOWN, strict=True):
        _profile(axes, record.sel(case=case), record.sites.sel(layout="apart").values)
    profiles[0].set_ylabel("drift f(w)")
    legend_below(top, profiles[0], ncols=3)
    maps = bottom.subplots(1, len(MAPS), sharey=True)
    for axes, layout in zip(maps, MAPS, strict=True):
        _map(axes, record.sel(layout=layout))
    maps[0].set_ylabel("size β of the second bump")
    patches = [Patch(color=color, label=word) for color, word in zip(KINDS, WORDS, strict=True)]
    case = CASES["three voting"].sizes
    maps[-1].plot(case[0], case[1], "*", color="w", markeredgecolor="k", markersize=10, zorder=5)
    marks = [
        Line2D([], [], **TIES, label="one size is the sum of the other two"),
        Line2D([], [], **NOTE, label="triangle: sizes α > β > 1 of the note"),
        Line2D([], [], marker="*", linestyle="none", color="w", markeredgecolor="k", markersize=9, label="sizes of (c)"),
    ]
    key.legend(handles=[*patches, *marks], loc="center", ncols=2)
    shares = [
        f"{MAPS[layout]}:\nα picked in {100 * _picked(record.sel(layout=layout)):.0f} % of the triangle" for layout in MAPS
    ]
    letter([*profiles, *maps], [*SHOWN.values(), *shares])
    _say(
        figure,
        record,
        f"picked: its drift is larger than all others, (d, e, f): the third bump has size 1, {PRINTED_IN} 8 to 12",
    )
    return figure


def _picked(one: xr.Dataset) -> float:
    """In what part of the note's sizes the drift is largest at the largest bump."""
    inside = (one.alpha > one.beta) & (one.beta > 1)
    return float((one.picked & inside).sum() / inside.sum())


def draw_more(record: xr.Dataset) -> Figure:
    figure = Figure(figsize=(WIDTH, 6.0))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.45, 1.0]))
    panels: Any = [*top.subplots(1, 2), bottom.subplots()]
    sites = record.sites.sel(layout="apart").values
    _shares_panel(panels[0], record)
    _lead_panel(panels[1], record)
    _profile(panels[2], record.sel(case="imbalanced"), sites, "exact: 2, 1")
    more, lags = record.sel(case="three leading"), panels[2].lines[-1].get_xdata()
    hollow: Any = {**DATA, "marker": "s", "markersize": 7, "color": COLOURS[2], "markerfacecolor": "none"}
    panels[2].plot(lags, more.drift[(int(sites[0]) + lags) % more.sizes["position"]], **hollow, label="exact: 4, 2, 1")
    panels[2].set_ylabel("drift f(w)")
    legend_below(top, panels[1], ncols=3, title="in (b)", title_fontsize=8)
    legend_below(bottom, panels[2])
    titles = (
        _shares_words(record),
        "the largest less the rest;\nbelow 0: another gains more",
        "no vote: bumps 2, 1 and 4, 2, 1, the same drift",
    )
    letter(panels, titles)
    vote = "vote: no bump above the sum of the others, so that the gate is the majority of three signs"
    scale = f"(c): length scale {record.attrs['length_scale']:g}, {PRINTED_IN} 10 and 12"
    _say(figure, record, "(a, b): sizes 1.5, 1.25, 1, which vote", vote, scale)
    return figure


def _say(figure: Figure, record: xr.Dataset, *words: str) -> None:
    scale = f"length scale {record.attrs['length_scale']:g}" if len(words) == 1 else ""
    say_setting(figure, f"ring of n = {record.sizes['position']}", scale, *words, "exact: no sampling, no training")


def _profile(axes: Any, one: xr.Dataset, sites: np.ndarray, label: str = "exact") -> None:
    n, centre = one.sizes["position"], int(sites[0])
    lags = np.arange(-min(4, n // 3), min(9, n - n // 3))
    at = (centre + lags) % n
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.plot(lags, one.printed[at], **PRINTED, label="as printed")
    axes.plot(lags, one.corrected[at], **THEORY, linewidth=1.2, label="corrected")
    axes.plot(lags, one.drift[at], **DATA, color=COLOURS[0], markersize=4, label=label)
    axes.set(xlabel="site, from the largest bump", ylim=(-0.05, 1.3), yticks=[0, 0.25, 0.5, 0.75, 1.0, 1.25])
    axes.set_xticks([lag for lag in lags if lag % 4 == 0])


def _map(axes: Any, one: xr.Dataset) -> None:
    kind = np.where(one.one_site, 0, np.where(one.picked, 1, 2)).T
    high = float(one.alpha[-1] + one.alpha[0])
    axes.pcolormesh(one.alpha, one.beta, kind, cmap=ListedColormap(KINDS), vmin=-0.5, vmax=2.5, rasterized=True)
    for alpha, beta in (([1.0, high], [0.0, high - 1]), ([0.0, high - 1], [1.0, high]), ([0.0, 1.0], [1.0, 0.0])):
        axes.plot(alpha, beta, **TIES)
    axes.plot([1.0, high, high, 1.0], [1.0, high, 1.0, 1.0], "-", **NOTE)
    axes.text(0.8 * high, 0.32 * high, "α > β + 1", color="white", fontsize=8, ha="center")
    axes.text(0.2 * high, 0.8 * high, "β > α + 1", color="white", fontsize=8, ha="center")
    axes.set(xlabel="size α of the first bump", xlim=(0.0, high), ylim=(0.0, high), aspect="equal")
    axes.set_xticks(range(int(high) + 1))
    axes.set_yticks(range(int(high) + 1))


def _lead_panel(axes: Any, record: xr.Dataset) -> None:
    axes.axhline(0.0, color="0.4", linewidth=1.0, linestyle=":")
    for color, mark, layout in zip(("C4", "C0", "C2", "C3"), "so^D", record.layout.values, strict=True):
        one, first = record.vote.sel(layout=layout), int(record.sites.sel(layout=layout)[0])
        others = one.drop_isel(position=first).max("position")
        axes.plot(record.xi, one.isel(position=first) - others, f"{mark}-", color=color, markersize=4, label=LAYOUTS[layout])
    axes.plot(record.xi, record.lone_lead, **THEORY, linewidth=1.0, label="one bump alone")
    axes.set(
        xlabel="length scale of the data (sites)",
        ylabel="drift at the largest\nless largest elsewhere",
        ylim=(-0.3, 0.55),
    )


def _shares_words(record: xr.Dataset) -> str:
    """Which of three bumps gain most and least at the largest length scale."""
    last = record.vote.sel(layout="apart").isel(position=record.sites.sel(layout="apart").values, xi=-1).values
    names = ("largest", "second", "third")
    most, least = int(last.argmax()), int(last.argmin())
    first = f"3 and 2 sites apart: the {names[most]} bump gains\nmost ({last[most]:.2f})"
    return f"{first}, the {names[least]} least ({last[least]:.2f})"


def _shares_panel(axes: Any, record: xr.Dataset) -> None:
    one = record.vote.sel(layout="apart").isel(position=record.sites.sel(layout="apart").values)
    colours = shades(3, "magma", (0.15, 0.72))
    for color, mark, place in zip(colours, "os^", range(3), strict=True):
        axes.plot(record.xi, one[:, place], f"{mark}-", color=color, markersize=5)
    axes.axhline(0.25, color="0.4", linewidth=1.0, linestyle=":")
    middle = float(record.xi[0] + record.xi[-1]) / 2
    axes.annotate(
        "0.25 without correlations", (middle, 0.25), (6, 2), textcoords="offset points", ha="center", fontsize=7, color="0.3"
    )
    axes.set(xlabel="length scale of the data (sites)", ylabel="drift f(w) at the bump", ylim=(0.15, 0.55))
    ends = one[-1].values.tolist()
    words = [f"{name}\n{end:.2f}" for name, end in zip(("largest", "second", "third"), ends, strict=True)]
    end_labels(axes, ends, words, colours)
