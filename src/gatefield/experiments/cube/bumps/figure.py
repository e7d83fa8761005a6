"""The figure of `bumps`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

SHOWN = {"single": "(a) one bump", "balanced": "(b) two equal bumps", "imbalanced": "(c) bumps 2 and 1",
         "three voting": "(d) bumps 2.5, 2, 1"}  # fmt: skip
NAMES = {
    "edge": "neighbours, α at the edge",
    "middle": "neighbours, α in the middle",
    "apart": "3 and 2 sites apart",
    "far": "a third of the ring apart",
}
KINDS = ("#0072B2", "#B9D9EC", "#D55E00")
WORDS = (
    "f = C e/2 of the largest entry alone",
    "majority; f is still largest at the largest entry",
    "majority; f is as large or larger elsewhere",
)

TIES: dict[str, Any] = {"color": "#F0E442", "linewidth": 1.2, "linestyle": "--"}


def draw(record: xr.Dataset) -> Figure:
    figure = Figure(figsize=(11.5, 9.6))
    top, middle, bottom = cast(Any, figure.subfigures(3, 1, height_ratios=[1.0, 1.18, 0.95]))
    profiles = top.subplots(1, len(SHOWN), sharey=True)
    for axes, (case, title) in zip(profiles, SHOWN.items(), strict=True):
        _profile(axes, record.sel(case=case), record.sites.sel(layout="apart").values, title)
    profiles[0].set_ylabel("f(w)")
    profiles[-1].legend(loc="upper right")
    maps = middle.subplots(1, 3, sharey=True)
    for axes, layout, letter in zip(maps, ("edge", "middle", "apart"), "efg", strict=True):
        _map(axes, record.sel(layout=layout), f"({letter}) {NAMES[layout]}")
    maps[0].set_ylabel("β")
    patches = [Patch(color=color, label=word) for color, word in zip(KINDS, WORDS, strict=True)]
    ties = Line2D([], [], **TIES, label="ties: α = β ± 1, α + β = 1")
    middle.legend(handles=[*patches, ties], loc="outside lower center", ncols=2)
    left, right = bottom.subplots(1, 2)
    _lead_panel(left, record)
    _shares_panel(right, record)
    return figure


def _profile(axes: Any, one: xr.Dataset, sites: np.ndarray, title: str) -> None:
    n, centre = one.sizes["position"], int(sites[0])
    lags = np.arange(-min(4, n // 3), min(9, n - n // 3))
    at = (centre + lags) % n
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.plot(lags, one.printed[at], "--", color="C1", label="as printed")
    axes.plot(lags, one.corrected[at], "-", color="C2", linewidth=1.2, label="corrected")
    axes.plot(lags, one.drift[at], "o", color="C0", markersize=5, label="exact")
    axes.set(xlabel="site, from the largest bump", title=title, ylim=(-0.05, 1.3), yticks=[0, 0.25, 0.5, 1.0])
    axes.set_xticks(lags[::2])


def _map(axes: Any, one: xr.Dataset, title: str) -> None:
    kind = np.where(one.one_site, 0, np.where(one.picked, 1, 2)).T
    high = float(one.alpha[-1] + one.alpha[0])
    axes.pcolormesh(one.alpha, one.beta, kind, cmap=ListedColormap(KINDS), vmin=-0.5, vmax=2.5, rasterized=True)
    for alpha, beta in (([1.0, high], [0.0, high - 1]), ([0.0, high - 1], [1.0, high]), ([0.0, 1.0], [1.0, 0.0])):
        axes.plot(alpha, beta, **TIES)
    axes.plot([1.0, high, high], [1.0, high, 1.0], "-", color="k", linewidth=1.3)
    axes.plot([1.0, high], [1.0, 1.0], "-", color="k", linewidth=1.3)
    axes.text(0.62 * high, 0.3 * high, r"$\alpha > \beta > 1$", color="white", fontsize="small")
    axes.set(xlabel="α", title=title, xlim=(0.0, high), ylim=(0.0, high), aspect="equal")


def _lead_panel(axes: Any, record: xr.Dataset) -> None:
    axes.axhline(0.0, color="0.4", linewidth=1.0, linestyle=":")
    for color, mark, layout in zip(("C1", "C0", "C2", "C3"), "so^D", record.layout.values, strict=True):
        one, first = record.vote.sel(layout=layout), int(record.sites.sel(layout=layout)[0])
        others = one.drop_isel(position=first).max("position")
        axes.plot(record.xi, one.isel(position=first) - others, f"{mark}-", color=color, markersize=4, label=NAMES[layout])
    axes.plot(record.xi, record.lone_lead, "--", color="k", linewidth=1.0, label="one bump alone")
    axes.set(
        xlabel="length scale of the data (sites)",
        ylabel="f at the largest entry\nless the largest f elsewhere",
        title="(h) what the largest entry of a vote gains",
        ylim=(-0.4, 1.1),
        yticks=[-0.4, -0.2, 0, 0.2, 0.4],
    )
    axes.legend(loc="upper right", ncols=2)


def _shares_panel(axes: Any, record: xr.Dataset) -> None:
    one = record.vote.sel(layout="apart").isel(position=record.sites.sel(layout="apart").values)
    for color, mark, place, label in zip(
        ("C0", "C1", "C2"), "os^", range(3), ("largest, i", "second, j", "third, k"), strict=True
    ):
        axes.plot(record.xi, one[:, place], f"{mark}-", color=color, markersize=4, label=label)
    axes.axhline(0.25, color="0.4", linewidth=1.0, linestyle=":")
    axes.set(
        xlabel="length scale of the data (sites)",
        ylabel="f at the three bumps",
        title="(i) a vote of bumps 3 and 2 sites apart",
        ylim=(0.15, 0.55),
    )
    axes.legend(loc="upper left")
