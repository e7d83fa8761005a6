"""The figure of `tiling`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.tiling import places
from gatefield.plot import gain_text, shades

TOGETHER, ALONE = {"color": "C0", "marker": "o"}, {"color": "C1", "marker": "s", "markerfacecolor": "white"}
"""How committees look, and the same units each alone."""


def draw(record: xr.Dataset) -> Figure:
    """Fields of a small and of a large committee, and of its units alone; spacing, distances and parting below."""
    figure = Figure(figsize=(10.5, 7.2))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.0, 1.15]))
    sizes = {int(K): record.sel(units=K).isel(unit=slice(int(K))) for K in record.units.values}
    gain = float(record.gain.values[int(np.argmin(np.abs(np.minimum(record.gain.values, 100.0) - 3)))])
    few, many = (sizes[K].sel(gain=gain).isel(pair=0) for K in (min(sizes), max(sizes)))
    panels = top.subplots(1, 3, sharex=True, sharey=True)
    _fields(panels[0], few.field, "(a) together")
    _fields(panels[1], many.field, "(b) together")
    _fields(panels[2], many.alone_field, "(c) each alone")
    panels[0].set_ylabel("final fields, each to its\nmaximum (marks: peaks)")
    top.supxlabel(
        f"position (site); gain {gain_text(gain)}, length scales {many.pair.item()}, same starts in (b) and (c)", fontsize=9
    )
    spacing, distances, parting = bottom.subplots(1, 3)
    _spacing_panel(spacing, sizes)
    _distance_panel(distances, sizes)
    _parting_panel(parting, sizes, gain)
    words = "all length scales and gains; bars: 95 % interval over committees"
    bottom.supxlabel(
        f"n = {record.attrs['n']}, {record.sizes['seed']} seeds; (d, e) {words}; (f) medians, dashed: -1/(K - 1)", fontsize=9
    )
    return figure


def _fields(axes: Any, fields: xr.DataArray, title: str) -> None:
    """All units of the first seed."""
    K = fields.sizes["unit"]
    axes.axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
    for w, color in zip(fields.values, shades(K), strict=True):
        peak = int(np.abs(w).argmax())
        axes.plot(fields.position, w / np.abs(w).max(), color=color, linewidth=1.3)
        axes.plot(peak, 1.12 * np.sign(w[peak]), "v" if w[peak] > 0 else "^", color=color, markersize=6)
    axes.set(title=f"{title}, K = {K}", ylim=(-1.25, 1.25), yticks=[-1, 0, 1])


def _spacing_panel(axes: Any, sizes: dict[int, xr.Dataset]) -> None:
    """The sum of squared gaps over that of random places, by size of committee; where equal gaps would be."""
    at = np.arange(len(sizes))
    for shift, which, look, name in ((-0.1, places.TOGETHER, TOGETHER, "together"), (0.1, places.ALONE, ALONE, "each alone")):
        found = [places.spread(places.place_sets(one, which, by_sign=False), one.attrs["n"]) for one in sizes.values()]
        mean, low, high = np.array([one[0] if one else (np.nan,) * 3 for one in found]).T
        axes.errorbar(at + shift, mean, [mean - low, high - mean], linestyle="", capsize=3, label=name, **look)
    even = [1 / K / places.expected_spacing(K, one.attrs["n"]) for K, one in sizes.items()]
    axes.plot(at, even, "_", color="k", markersize=26, markeredgewidth=1.6, label="equal gaps")
    axes.axhline(1.0, color="0.4", linewidth=1.0, linestyle=":", label="places at random")
    axes.set_xticks(at, [str(K) for K in sizes])
    axes.set(xlabel="units K", ylabel="squared gaps / those of random places", title="(d) spread of the peaks")
    axes.set(xlim=(-0.5, len(at) - 0.5), ylim=(0, None))
    axes.legend(loc="lower left", fontsize=8)


def _distance_panel(axes: Any, sizes: dict[int, xr.Dataset]) -> None:
    """How far apart pairs of peaks are in committees of the largest size, over what chance has."""
    K, one = max(sizes), sizes[max(sizes)]
    n = one.attrs["n"]
    lags = np.arange(n // 2 + 1)
    chance = np.where((lags == 0) | (2 * lags == n), 1, 2) / n
    for which, look, name in ((places.TOGETHER, TOGETHER, "together"), (places.ALONE, ALONE, "each alone")):
        found = places.pair_distances(one, which)
        share = np.bincount(found, minlength=len(lags)) / max(1, len(found))
        axes.plot(lags, share / chance, markersize=4, linewidth=1.2, label=name, **look)
    axes.axhline(1.0, color="0.4", linewidth=1.0, linestyle=":")
    axes.set(xlabel="distance of two peaks (site)", ylabel="pairs / those of random places", ylim=(0, None))
    axes.set_title(f"(e) pairs of units, K = {K}")
    axes.legend(loc="best", fontsize=8)


def _parting_panel(axes: Any, sizes: dict[int, xr.Dataset], gain: float) -> None:
    """The mean cosine between units that start alike, and the least it can be: median over seeds, first length scales."""
    for (K, one), color in zip(sizes.items(), shades(len(sizes), "cividis", (0.0, 0.8)), strict=True):
        path = one.parting_cosine.isel(pair=0).sel(gain=gain).median("seed")
        axes.plot(one.time, path, "-", color=color, label=f"K = {K}")
        axes.axhline(-1 / (K - 1), color=color, linewidth=1.0, linestyle="--", zorder=0)
    axes.axhline(0.5, color="0.4", linewidth=1.0, linestyle=":")
    axes.set(xlabel=r"time ($K^2\tau$)", ylabel="mean cosine between units", ylim=(-1.08, 1.08))
    axes.set_title(f"(f) units that start alike, gain {gain_text(gain)}")
    axes.legend(loc="upper right", fontsize=8)
