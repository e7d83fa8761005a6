"""The figure of `tiling`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.tiling import places
from gatefield.plot import WIDTH, gain_text, letter, say_setting, shades

TOGETHER, ALONE = {"color": "C0", "marker": "o"}, {"color": "C1", "marker": "s", "markerfacecolor": "white"}
"""How committees look, and the same units each alone."""


def draw(record: xr.Dataset) -> Figure:
    """Fields of a small and of a large committee, and of its units alone; spacing, distances and parting below."""
    figure = Figure(figsize=(WIDTH, 5.6))
    panels = cast(Any, figure.subplots(2, 3, height_ratios=[1.0, 1.2]))
    sizes = {int(K): record.sel(units=K).isel(unit=slice(int(K))) for K in record.units.values}
    gain = float(record.gain.values[int(np.argmin(np.abs(np.minimum(record.gain.values, 100.0) - 3)))])
    few, many = (sizes[K].sel(gain=gain).isel(pair=0) for K in (min(sizes), max(sizes)))
    for axes, fields in zip(panels[0], (few.field, many.field, many.alone_field), strict=True):
        _fields(axes, fields)
    panels[0, 0].set_ylabel("final weights, each\nto its maximum")
    _spacing_panel(panels[1, 0], sizes)
    _distance_panel(panels[1, 1], sizes)
    _parting_panel(panels[1, 2], sizes, gain)
    titles = [
        f"{min(sizes)} units together",
        f"{max(sizes)} units together",
        f"the same {max(sizes)}, each alone",
        "spread of the peaks",
        f"pairs among {max(sizes)} units",
        "units that start alike",
    ]
    letter(panels, titles)
    say_setting(
        figure,
        f"n = {record.attrs['n']}",
        f"(a-c, f) gain {gain_text(gain)} and length scales {many.pair.item()}",
        "(d, e) all gains and length scales",
        f"{record.attrs['steps'] * record.attrs['learning_rate']:g} K² τ",
        f"{record.sizes['seed']} seeds",
        "bars: 95 % intervals over committees",
        "(f) medians",
    )
    return figure


def _fields(axes: Any, fields: xr.DataArray) -> None:
    """All units of the first seed, those of either sign in their colour."""
    axes.axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
    for w in fields.values:
        peak = int(np.abs(w).argmax())
        color, style, marker = ("C0", "-", "v") if w[peak] > 0 else ("C1", "--", "^")
        axes.plot(fields.position, w / np.abs(w).max(), style, color=color, linewidth=1.0)
        axes.plot(peak, 1.14 * np.sign(w[peak]), marker, color=color, markersize=4)
    axes.set(ylim=(-1.3, 1.3), yticks=[-1, 0, 1], xlabel="position (site)")


def _spacing_panel(axes: Any, sizes: dict[int, xr.Dataset]) -> None:
    """The sum of squared gaps over that of random places, by size of committee; where equal gaps would be."""
    at = np.arange(len(sizes))
    for shift, which, look, name in ((-0.1, places.TOGETHER, TOGETHER, "together"), (0.1, places.ALONE, ALONE, "alone")):
        found = [places.spread(places.place_sets(one, which, by_sign=False), one.attrs["n"]) for one in sizes.values()]
        mean, low, high = np.array([one[0] if one else (np.nan,) * 3 for one in found]).T
        axes.errorbar(at + shift, mean, [mean - low, high - mean], linestyle="", capsize=3, label=name, **look)
    even = [1 / K / places.expected_spacing(K, one.attrs["n"]) for K, one in sizes.items()]
    axes.plot(at, even, "_", color="k", markersize=16, markeredgewidth=1.6, label="equal")
    axes.axhline(1.0, color="0.4", linewidth=1.0, linestyle=":", label="random")
    axes.set_xticks(at, [str(K) for K in sizes])
    axes.set(xlabel="units K of the committee", ylabel="squared gaps, over\nthose of random places")
    axes.set(xlim=(-0.5, len(at) - 0.5), ylim=(0, 1.45 * max(1.2, axes.get_ylim()[1])))
    axes.legend(loc="upper left", fontsize=7, ncols=2, columnspacing=0.8, handlelength=1.0)


def _distance_panel(axes: Any, sizes: dict[int, xr.Dataset]) -> None:
    """How far apart pairs of peaks are in committees of the largest size, over what chance has."""
    one = sizes[max(sizes)]
    n = one.attrs["n"]
    lags = np.arange(n // 2 + 1)
    chance = np.where((lags == 0) | (2 * lags == n), 1, 2) / n
    for which, look, name in ((places.TOGETHER, TOGETHER, "together"), (places.ALONE, ALONE, "each alone")):
        found = places.pair_distances(one, which)
        share = np.bincount(found, minlength=len(lags)) / max(1, len(found))
        axes.plot(lags, share / chance, markersize=4, linewidth=1.2, label=name, **look)
    axes.axhline(1.0, color="0.4", linewidth=1.0, linestyle=":")
    axes.set(xlabel="distance of two peaks (site)", ylabel="pairs, over those\nof random places")
    axes.set_ylim(0, 1.35 * axes.get_ylim()[1])
    axes.legend(loc="upper right", fontsize=7, ncols=2, columnspacing=0.8)


def _parting_panel(axes: Any, sizes: dict[int, xr.Dataset], gain: float) -> None:
    """The mean cosine between units that start alike, and the least it can be: median over seeds, first length scales."""
    looks = zip(shades(len(sizes), "cividis", (0.0, 0.8)), "osD^vPX*" * len(sizes), strict=False)
    for (K, one), (color, marker) in zip(sizes.items(), looks, strict=False):
        path = one.parting_cosine.isel(pair=0).sel(gain=gain).median("seed")
        axes.plot(one.time, path, "-", color=color, marker=marker, markevery=0.2, markersize=4, label=f"K = {K}")
        axes.axhline(-1 / (K - 1), color=color, linewidth=1.0, linestyle="--", zorder=0)
    axes.axhline(0.5, color="0.4", linewidth=1.0, linestyle=":")
    axes.set(xlabel="time (K² τ)", ylabel="mean cosine between units", ylim=(-1.08, 1.08))
    axes.legend(loc="upper right", fontsize=7)
