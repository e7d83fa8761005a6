"""The figure of `all-gates`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.experiments.gates.all_gates.verdicts import GOES_WITH
from gatefield.plot import COLOURS, WIDTH, letter, say_setting
from gatefield.theory.hypercube import corners

FAMILIES = {
    "half_spaces": ("s", "C1", 0.2, "half-spaces"),
    "tiling": ("^", "C4", -0.2, "gates that tile"),
    "exclusive": ("v", "C0", 0.0, "exclusive gates"),
    "best": ("*", "k", 0.0, "all gates"),
}
"""Marker, colour, shift along the row and words of each family of gates; the best of all is drawn last."""
CLOUDS = {"entries": "off the diagonal", "blocks": "between gates"}
PROVEN = 1e-9
"""A search came to its end if nothing can explain more than this beyond the best it found."""
STOPPED: Any = {"marker": "*", "color": "k", "markerfacecolor": "none", "markersize": 9, "linestyle": "none"}
SHARE = "explained (% of the Bayes bound)"


def draw(record: xr.Dataset) -> Figure:
    """What the best of each family explain; how little that has to do with A^+; and the best gates themselves."""
    units = record.units.values.tolist()
    rows = record.sizes["pair"] * record.sizes["size"]
    top = 1.0 + 0.17 * rows
    figure = Figure(figsize=(WIDTH, top + 3.2))
    blocks = cast(Any, figure.subfigures(2, 1, height_ratios=[top, 2.6]))
    first = blocks[0].subplots(1, len(units), sharey=True, squeeze=False)[0]
    for axes, K in zip(first, units, strict=True):
        _family_panel(axes, record.sel(units=K))
    handles, labels = first[-1].get_legend_handles_labels()
    if bool((record.upper - record.best > PROVEN).any()):
        handles, labels = [*handles, Line2D([], [], **STOPPED)], [*labels, "search stopped"]
    blocks[0].legend(handles, labels, loc="outside lower center", ncols=6, fontsize=7, columnspacing=1.0, handletextpad=0.3)
    K = max(_few(units))
    cloud, gates = blocks[1].subplots(1, 2, width_ratios=[1.0, 1.6])
    one, at = _listed(record, K), record.isel(pair=0, size=0).sel(units=K)
    _cloud_panel(cloud, one, "entries")
    cloud.set_ylabel("explained (%)")
    _gates_panel(gates, at)
    blocks[1].legend(*cloud.get_legend_handles_labels(), loc="outside lower left", ncols=3, fontsize=7, handletextpad=0.3)
    letter(
        [*first, cloud, gates], [*(_gates(K) for K in units), _diagonal_title(one), f"where the best are open ({_gates(K)})"]
    )
    sizes = dict.fromkeys((int(one["size"]), int(at["size"])))
    _say(figure, record, f"(c, d): n = {' and '.join(map(str, sizes))}, ξ = {at.pair.item()}".replace(" = ", "\u00a0=\u00a0"))
    return figure


def draw_more(record: xr.Dataset) -> Figure:
    """What sets of gates explain against how diagonal A^+ is, for one gate and for two."""
    shown = [(K, part) for K in _few(record.units.values.tolist()) for part in CLOUDS if K > 1 or part == "entries"]
    figure = Figure(figsize=(WIDTH, 3.2))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    clouds = body.subplots(1, len(shown), squeeze=False)[0]
    titles = [_cloud_panel(axes, _listed(record, K), part) for axes, (K, part) in zip(clouds, shown, strict=True)]
    clouds[0].set_ylabel(SHARE)
    body.legend(*clouds[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=7)
    letter(clouds, titles)
    _say(figure, record)
    return figure


def _say(figure: Figure, record: xr.Dataset, *words: str) -> None:
    law = "exact laws of signs of Gaussian fields on a ring of n sites"
    say_setting(figure, law, f"up to {int(record.listed.max()):,} sets of gates compared", *words)


def _few(units: list[int]) -> list[int]:
    """The numbers of gates whose sets are shown one by one."""
    return [K for K in units if K <= 2] or units[:1]


def _diagonal_title(one: xr.Dataset) -> str:
    """Whether sets explain more the more diagonal their precision matrix is."""
    rank, K = float(one.rank_entries), _gates(int(one.units))
    if not np.isfinite(rank):
        return f"{K}: diagonal or not"
    found = "more diagonal\nexplains more" if rank < GOES_WITH else "more diagonal\nis not better"
    return f"{K}: {found} (rank {_signed(rank)})"


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _family_panel(axes: Any, one: xr.Dataset) -> None:
    """What the best of each family explain, one row for each law; a hollow star where the search was stopped."""
    cells = [(pair, n) for pair in one.pair.values for n in one["size"].values]
    for name, (mark, color, shift, words) in FAMILIES.items():
        if int(one.units) == 1 and name in ("tiling", "exclusive"):  # of one gate these say nothing
            continue
        for row, (pair, n) in enumerate(cells):
            at = one.sel(pair=pair, size=n)
            face = "none" if name == "best" and float(at.upper - at.best) > PROVEN else color
            share, size = 100 * float(at[name] / at.bayes), 9 if name == "best" else 4.5
            label = f"best of {words}" if row == 0 else None
            axes.plot(share, row + shift, mark, color=color, markerfacecolor=face, markersize=size, label=label)
    top = 50.0 if int(one.units) == 1 else 100.0
    axes.axvline(top, color="0.4", linestyle=":", linewidth=1.2, zorder=0, label="bound")
    axes.set_yticks(range(len(cells)), [f"ξ = {pair}; n = {n}" for pair, n in cells], fontsize=7)
    axes.set_ylim(len(cells) - 0.5, -0.5)
    axes.grid(axis="y", color="0.92", linewidth=0.8)
    axes.set(xlabel=SHARE)


def _gates(K: int) -> str:
    return ("one gate", "two gates", "three gates")[K - 1]


def _listed(record: xr.Dataset, K: int) -> xr.Dataset:
    """The first law on the largest cube whose gates are all listed, or on the smallest."""
    one = record.isel(pair=0).sel(units=K)
    return one.isel(size=max(np.flatnonzero(one.every.values > 0), default=0))


def _cloud_panel(axes: Any, one: xr.Dataset, part: str) -> str:
    """What sets of gates explain against how much of A^+ is off its diagonal; the best set, and the most diagonal."""
    scale = 100 / float(one.bayes)
    axes.plot(
        one[f"shown_{part}"],
        scale * one.shown_explained,
        ".",
        color="0.6",
        markersize=2,
        alpha=0.5,
        rasterized=True,
        label="a set",
    )
    least = one[f"least_{part}"], scale * one[f"least_{part}_explained"]
    axes.plot(*least, "D", color="C1", markersize=5, label="most diagonal")
    axes.plot(one[f"own_{part}"], scale * one.best, "*", color="k", markersize=10, label="best")
    axes.set(xlabel=f"share of $A^+$ {CLOUDS[part]}", xlim=(-0.04, 1.0))
    axes.set(ylim=(-3, 104))
    return f"n = {int(one['size'])}, K = {int(one.units)}: rank {_signed(float(one[f'rank_{part}']))}"


def _gates_panel(axes: Any, one: xr.Dataset) -> None:
    """The best gates, corner by corner, the mean label falling to the right."""
    n, K = int(one["size"]), int(one.units)
    order = np.argsort(-one.means.values[: 2**n], kind="stable")
    points, gates = corners(n)[order], one.best_gates.values[: 2**n, :K][order]
    for column, (point, opened, mean) in enumerate(zip(points, gates, one.means.values[order], strict=True)):
        for site, sign in enumerate(point):
            axes.plot(column, site, "o", color="0.3", markerfacecolor="0.3" if sign > 0 else "none", markersize=5)
        for k in np.flatnonzero(opened > 0):
            axes.plot(column, n + 0.5 + k, "s", color=COLOURS[(0, 4, 2)[k % 3]], markersize=8)
        axes.text(column, n + K + 0.6, f"{mean:.2f}", ha="center", va="center", fontsize=7)
    places = [(n - 1) / 2, *(n + 0.5 + k for k in range(K)), n + K + 0.6]
    axes.set_yticks(places, ["input: ● +1, ○ −1", *(f"gate {k + 1} open" for k in range(K)), "mean label E[y|x]"])
    axes.set(ylim=(n + K + 1.1, -0.6), xlim=(-0.6, 2**n - 0.4), xticks=[])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
