"""The figure of `all-gates`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

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
SHARE = "explained (% of the Bayes bound)"


def draw(record: xr.Dataset) -> Figure:
    """What the best of each family explain; how diagonal A^+ is; and the best gates themselves."""
    units = record.units.values.tolist()
    rows = record.sizes["pair"] * record.sizes["size"]
    top = 1.0 + 0.17 * rows
    figure = Figure(figsize=(WIDTH, top + 5.6))
    blocks = cast(Any, figure.subfigures(3, 1, height_ratios=[top, 2.3, 1.9]))
    first = blocks[0].subplots(1, len(units), sharey=True, squeeze=False)[0]
    for axes, K in zip(first, units, strict=True):
        _family_panel(axes, record.sel(units=K))
    blocks[0].legend(*first[-1].get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize=7, columnspacing=1.0)
    few = [K for K in units if K <= 2] or units[:1]
    shown = [(K, part) for K in few for part in CLOUDS if K > 1 or part == "entries"]
    clouds = blocks[1].subplots(1, len(shown), squeeze=False)[0]
    titles = [_cloud_panel(axes, _listed(record, K), part) for axes, (K, part) in zip(clouds, shown, strict=True)]
    clouds[0].set_ylabel(SHARE)
    gates, at = blocks[2].subplots(), record.isel(pair=0, size=0).sel(units=max(few))
    _gates_panel(gates, at)
    last = f"where the best gates are open, n = {int(at['size'])}, ξ = {at.pair.item()}"
    letter([*first, *clouds, gates], [*(_gates(K) for K in units), *titles, last])
    listed = int(record.listed.max())
    say_setting(
        figure, "exact laws of signs of Gaussian fields on a ring of n sites", f"up to {listed:,} sets of gates compared"
    )
    return figure


def _family_panel(axes: Any, one: xr.Dataset) -> None:
    """What the best of each family explain, one row for each law; a hollow star where the search was stopped."""
    cells = [(pair, n) for pair in one.pair.values for n in one["size"].values]
    for name, (mark, color, shift, words) in FAMILIES.items():
        if int(one.units) == 1 and name in ("tiling", "exclusive"):  # of one gate these say nothing
            continue
        for row, (pair, n) in enumerate(cells):
            at = one.sel(pair=pair, size=n)
            face = "none" if name == "best" and float(at.upper - at.best) > 1e-9 else color
            share, size = 100 * float(at[name] / at.bayes), 9 if name == "best" else 4.5
            label = f"best of {words}" if row == 0 else None
            axes.plot(share, row + shift, mark, color=color, markerfacecolor=face, markersize=size, label=label)
    top = 50.0 if int(one.units) == 1 else 100.0
    axes.axvline(top, color="0.4", linestyle=":", linewidth=1.2, label="bound")
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
    axes.plot(one[f"shown_{part}"], scale * one.shown_explained, ".", color="0.6", markersize=2, alpha=0.5, rasterized=True)
    least = one[f"least_{part}"], scale * one[f"least_{part}_explained"]
    axes.plot(*least, "D", color="C1", markersize=5, label="most diagonal")
    axes.plot(one[f"own_{part}"], scale * one.best, "*", color="k", markersize=10, label="best")
    rank = f"{float(one[f'rank_{part}']):+.2f}".replace("-", "−")
    axes.set(xlabel=f"share of $A^+$ {CLOUDS[part]}", xlim=(-0.04, 1.0))
    axes.set_ylim(-0.03 * scale * float(one.best), 1.4 * scale * float(one.best))
    axes.legend(loc="upper left", fontsize=7, ncols=2, columnspacing=0.8, handletextpad=0.1)
    return f"n = {int(one['size'])}, K = {int(one.units)}: rank {rank}"


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
