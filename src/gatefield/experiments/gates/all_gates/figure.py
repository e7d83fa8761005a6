"""The figure of `all-gates`."""

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

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
    """What the best of each family explain above; how diagonal A^+ is, and the best gates themselves, below."""
    units, letters = record.units.values.tolist(), iter("abcdefgh")
    rows = record.sizes["pair"] * record.sizes["size"]
    figure, height = Figure(figsize=(10.5, 7.2 + 0.18 * rows)), 1.0 + 0.12 * rows
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[height, 1.6]))
    first = top.subplots(1, len(units), sharey=True, squeeze=False)[0]
    for axes, K in zip(first, units, strict=True):
        _family_panel(axes, record.sel(units=K), f"({next(letters)}) {_gates(K)}")
    top.legend(*first[-1].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    few = [K for K in units if K <= 2] or units[:1]
    shown = [(K, part) for K in few for part in CLOUDS if K > 1 or part == "entries"]
    last = bottom.subplots(1, len(shown) + 1, squeeze=False, width_ratios=[1.0] * len(shown) + [0.9])[0]
    for axes, (K, part) in zip(last[:-1], shown, strict=True):
        _cloud_panel(axes, _listed(record, K), part, letters)
    _gates_panel(last[-1], record.isel(pair=0, size=0).sel(units=max(few)), letters)
    return figure


def _family_panel(axes: Any, one: xr.Dataset, title: str) -> None:
    """What the best of each family explain, one row for each law; a hollow star where the search was stopped."""
    cells = [(pair, n) for pair in one.pair.values for n in one["size"].values]
    for name, (mark, color, shift, words) in FAMILIES.items():
        if int(one.units) == 1 and name in ("tiling", "exclusive"):  # of one gate these say nothing
            continue
        for row, (pair, n) in enumerate(cells):
            at = one.sel(pair=pair, size=n)
            face = "none" if name == "best" and float(at.upper - at.best) > 1e-9 else color
            share, size = 100 * float(at[name] / at.bayes), 11 if name == "best" else 6
            label = f"best of {words}" if row == 0 else None
            axes.plot(share, row + shift, mark, color=color, markerfacecolor=face, markersize=size, label=label)
    top = 50.0 if int(one.units) == 1 else 100.0
    axes.axvline(top, color="0.4", linestyle=":", linewidth=1.2, label="Bayes bound, half of it for one gate")
    axes.set_yticks(range(len(cells)), [f"ξ = {pair}; n = {n}" for pair, n in cells])
    axes.set_ylim(len(cells) - 0.5, -0.5)
    axes.grid(axis="y", color="0.92", linewidth=0.8)
    axes.set(xlabel=SHARE, title=title)


def _gates(K: int) -> str:
    return ("one gate", "two gates", "three gates")[K - 1]


def _listed(record: xr.Dataset, K: int) -> xr.Dataset:
    """The first law on the largest cube whose gates are all listed, or on the smallest."""
    one = record.isel(pair=0).sel(units=K)
    return one.isel(size=max(np.flatnonzero(one.every.values > 0), default=0))


def _cloud_panel(axes: Any, one: xr.Dataset, part: str, letters: Iterator[str]) -> None:
    """What sets of gates explain against how much of A^+ is off its diagonal; the best set, and the most diagonal."""
    scale = 100 / float(one.bayes)
    axes.plot(one[f"shown_{part}"], scale * one.shown_explained, ".", color="0.6", markersize=2, alpha=0.5, rasterized=True)
    axes.plot(
        one[f"least_{part}"], scale * one[f"least_{part}_explained"], "D", color="C1", markersize=6, label="most diagonal"
    )
    axes.plot(one[f"own_{part}"], scale * one.best, "*", color="k", markersize=12, label="best")
    rank = float(one[f"rank_{part}"])
    axes.set(xlabel=f"share of $A^+$ {CLOUDS[part]}", ylabel=SHARE, xlim=(-0.04, 1.0))
    axes.set_ylim(-0.03 * scale * float(one.best), 1.32 * scale * float(one.best))
    name = f"({next(letters)}) n = {int(one['size'])}, K = {int(one.units)}"
    axes.set_title(f"{name}: rank\ncorrelation {f'{rank:+.2f}'.replace('-', '−')}", fontsize=10)
    axes.legend(loc="upper left", fontsize=8, ncols=2, columnspacing=0.8, handletextpad=0.1)


def _gates_panel(axes: Any, one: xr.Dataset, letters: Iterator[str]) -> None:
    """The best gates, corner by corner, the mean label falling."""
    n, K = int(one["size"]), int(one.units)
    order = np.argsort(-one.means.values[: 2**n], kind="stable")
    points, gates = corners(n)[order], one.best_gates.values[: 2**n, :K][order]
    for row, (point, opened, mean) in enumerate(zip(points, gates, one.means.values[order], strict=True)):
        for site, sign in enumerate(point):
            axes.plot(site, row, "o", color="0.3", markerfacecolor="0.3" if sign > 0 else "none", markersize=6)
        for k in np.flatnonzero(opened > 0):
            axes.plot(n + 0.5 + k, row, "s", color=f"C{2 * k}", markersize=9)
        axes.text(n + K + 0.4, row, f"{mean:.2f}", va="center", fontsize=8)
    places = [(n - 1) / 2, *(n + 0.5 + k for k in range(K)), n + K + 0.9]
    axes.set_xticks(places, ["input\n● +1, ○ −1", *(f"g{k + 1}" for k in range(K)), "E[y|x]"])
    axes.set(xlim=(-0.6, n + K + 1.8), ylim=(2**n - 0.4, -0.6), yticks=[])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(f"({next(letters)}) best gates: where open,\nn = {n}, ξ = {one.pair.item()}", fontsize=10)
