"""The figures of `tiling`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter

from gatefield.experiments.fields.tiling import places
from gatefield.experiments.fields.tiling.verdicts import APART, MOSTLY
from gatefield.plot import WIDTH, gain_text, legend_below, letter, say_setting, shades

TOGETHER, ALONE = {"color": "C2", "marker": "o"}, {"color": "0.45", "marker": "s", "markerfacecolor": "white"}
"""How committees look, and the same units each alone."""
SIGNS = {1: ("C0", "-", "v", "largest weight positive"), -1: ("C1", "--", "^", "largest weight negative")}
"""Colour, dash and mark of fields of either sign, and what that means."""
NEARLY = 0.1
"""How far a mean cosine may be from its least value to count as that."""
LEVEL = 1.96
"""Standard deviations within which 95 % of normal values are."""


def draw(record: xr.Dataset) -> Figure:
    """Fields of a small and of a large committee, and of its units alone; spacing, distances and who stays below."""
    figure = Figure(figsize=(WIDTH, 5.8))
    above, below = cast(Any, figure.subfigures(2, 1, height_ratios=[1.0, 1.4]))
    panels = np.array([above.subplots(1, 3, sharey=True), below.subplots(1, 3)])
    sizes = {int(K): record.sel(units=K).isel(unit=slice(int(K))) for K in record.units.values}
    gain = _gain(record)
    few, many = (sizes[K].sel(gain=gain).isel(pair=0) for K in (min(sizes), max(sizes)))
    for axes, fields in zip(panels[0], (few.field, many.field, many.alone_field), strict=True):
        _fields(axes, fields)
    panels[0, 0].set_ylabel("final weights, each\nto its maximum")
    _spacing_panel(panels[1, 0], sizes)
    _distance_panel(panels[1, 1], sizes)
    _staying_panel(panels[1, 2], sizes)
    letter(panels, _titles(sizes))
    looks: Any = SIGNS.values()
    signs = [Line2D([], [], color=c, linestyle=s, marker=m, markersize=4, label=name) for c, s, m, name in looks]
    above.legend(handles=signs, loc="outside lower center", ncols=2)
    handles, labels = panels[1, 0].get_legend_handles_labels()
    below.legend(handles, labels, loc="outside lower center", ncols=4)
    say_setting(
        figure,
        f"n = {record.attrs['n']}",
        f"(a-c) gain {gain_text(gain)} and length scales {many.pair.item()}",
        f"(d-f) gains {', '.join(map(gain_text, record.gain.values))} and length scales {'; '.join(record.pair.values)}",
        f"{record.attrs['steps'] * record.attrs['learning_rate']:g} K² τ",
        f"{record.sizes['pair'] * record.sizes['gain'] * record.sizes['seed']} committees of each size",
        f"{record.sizes['seed']} seeds",
        "bars: 95 % intervals, (d) over committees, (f) over seeds",
        "(e) band: 95 % of random places",
    )
    return figure


def more(record: xr.Dataset) -> Figure:
    """How units that start nearly alike part."""
    figure = Figure(figsize=(WIDTH, 3.6))
    sizes, gain = {int(K): record.sel(units=K).isel(unit=slice(int(K))) for K in record.units.values}, _gain(record)
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    axes = body.subplots()
    _parting_panel(axes, sizes, gain)
    legend_below(body, axes)
    axes.set_title(_parted_text(sizes, gain), loc="left")
    say_setting(
        figure,
        f"n = {record.attrs['n']}",
        f"gain {gain_text(gain)} and length scales {record.pair.values[0]}",
        f"starts differ by {record.attrs['difference']:g} of their length",
        f"medians over {record.sizes['seed']} seeds",
    )
    return figure


def _parted_text(sizes: dict[int, xr.Dataset], gain: float) -> str:
    """Whether the mean cosines end at their least possible values."""
    ends = {K: one.parting_cosine.isel(pair=0, step=-1).sel(gain=gain).median("seed") for K, one in sizes.items()}
    least = all(float(end) + 1 / (K - 1) < NEARLY for K, end in ends.items())
    return "they end at the least cosine that is possible (dashed)" if least else "their mean cosine over time"


def _gain(record: xr.Dataset) -> float:
    """The one nearest to 3, of which examples are shown."""
    return float(record.gain.values[int(np.argmin(np.abs(np.minimum(record.gain.values, 100.0) - 3)))])


def _titles(sizes: dict[int, xr.Dataset]) -> list[str]:
    """What each panel shows, with its number where it has one."""
    few, many = min(sizes), max(sizes)
    pairs, sets = places.shared(sizes[many]), places.place_sets(sizes[many], by_sign=False)
    found = places.spread(sets, sizes[many].attrs["n"])
    stay = [100 * one.mean for one in map(places.staying, sizes.values()) if one]
    return [
        _together(sizes[few], few),
        f"{many} units together",
        f"the same {many}, each alone",
        f"{many} units: {found[0].mean:.2f} of random" if found else "spread of the peaks",
        f"{many} units: {100 * pairs.mean:.0f} % within {places.NEAR} site" if pairs else f"pairs among {many} units",
        f"{_span(stay)} % of units" if stay else "units that go as alone",
    ]


def _span(values: list[float]) -> str:
    low, high = f"{min(values):.0f}", f"{max(values):.0f}"
    return low if low == high else f"{low} to {high}"


def _together(one: xr.Dataset, K: int) -> str:
    """Whether a small committee is pairs of one place and opposite signs."""
    twins = places.twins(one)
    return f"{K} units: one place, two signs" if K == 2 and twins and twins.mean > 0.5 else f"{K} units together"


def _fields(axes: Any, fields: xr.DataArray) -> None:
    """All units of the first seed, those of either sign in their colour."""
    axes.axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
    for w in fields.values:
        peak = int(np.abs(w).argmax())
        color, style, marker, _ = SIGNS[1 if w[peak] > 0 else -1]
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
    axes.plot(at, even, "_", color="k", markersize=16, markeredgewidth=1.6, label="equal gaps")
    axes.axhline(1.0, color="0.4", linewidth=1.0, linestyle=":", label="random places")
    for y, word, side in ((0.98, "above 1: clumped", "top"), (0.03, "below 1: even", "bottom")):
        axes.text(0.98, y, word, fontsize=7.5, color="0.4", ha="right", va=side, transform=axes.transAxes)
    axes.set_xticks(at, [str(K) for K in sizes])
    axes.set(xlabel="units K of the committee", ylabel="squared gaps, over\nthose of random places")
    axes.set(xlim=(-0.5, len(at) - 0.5), ylim=(0, max(1.2, 1.05 * axes.get_ylim()[1])))


def _staying_panel(axes: Any, sizes: dict[int, xr.Dataset]) -> None:
    """The share of units that go where they go alone, by size of committee; what chance has, and what most would be."""
    at, found = np.arange(len(sizes)), [places.staying(one) for one in sizes.values()]
    mean, low, high = np.array([one or (np.nan,) * 3 for one in found], float).T
    axes.errorbar(at, mean, [mean - low, high - mean], linestyle="", capsize=3, **TOGETHER)
    chance = places.staying_by_chance(next(iter(sizes.values())).attrs["n"])
    for level, name in ((chance, f"chance: {100 * chance:.3g} %"), (MOSTLY, "half: 50 %")):
        axes.axhline(level, color="0.4", linewidth=1.0, linestyle=":", zorder=0)
        axes.text(len(at) - 0.55, level + 0.012, name, fontsize=7.5, color="0.4", ha="right")
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    axes.set_xticks(at, [str(K) for K in sizes])
    axes.set(xlim=(-0.5, len(at) - 0.5), ylim=(0, max(0.6, 1.05 * axes.get_ylim()[1])))
    axes.set(xlabel="units K of the committee", ylabel="share that goes\nwhere it goes alone")


def _distance_panel(axes: Any, sizes: dict[int, xr.Dataset]) -> None:
    """How far apart pairs of peaks are in committees of the largest size, over what chance has."""
    one = sizes[max(sizes)]
    n = one.attrs["n"]
    lags = np.arange(n // 2 + 1)
    chance = np.where((lags == 0) | (2 * lags == n), 1, 2) / n
    pairs = max(1, len(places.pair_distances(one)))
    scatter = LEVEL * np.sqrt((1 - chance) / (chance * pairs))  # distances of random places are independent, pair by pair
    axes.fill_between(lags, np.maximum(0, 1 - scatter), 1 + scatter, color="0.9", linewidth=0, zorder=0)
    for which, look, name in ((places.TOGETHER, TOGETHER, "together"), (places.ALONE, ALONE, "each alone")):
        found = places.pair_distances(one, which)
        share = np.bincount(found, minlength=len(lags)) / max(1, len(found))
        axes.plot(lags, share / chance, markersize=4, linewidth=1.2, label=name, **look)
    axes.axhline(1.0, color="0.4", linewidth=1.0, linestyle=":")
    axes.set(xlabel="distance of two peaks (site)", ylabel="pairs, over those\nof random places")
    axes.set_ylim(bottom=0)


def _parting_panel(axes: Any, sizes: dict[int, xr.Dataset], gain: float) -> None:
    """The mean cosine between units that start alike, and the least it can be: median over seeds, first length scales."""
    looks = zip(shades(len(sizes), "cividis", (0.0, 0.8)), "osD^vPX*" * len(sizes), strict=False)
    for (K, one), (color, marker) in zip(sizes.items(), looks, strict=False):
        path = one.parting_cosine.isel(pair=0).sel(gain=gain).median("seed")
        axes.plot(one.time, path, "-", color=color, marker=marker, markevery=0.2, markersize=4, label=f"K = {K}")
        axes.axhline(-1 / (K - 1), color=color, linewidth=1.0, linestyle="--", zorder=0)
    axes.plot([], [], "--", color="0.4", linewidth=1.0, label="least: −1/(K − 1)")
    axes.axhline(APART, color="0.4", linewidth=1.0, linestyle=":", zorder=0)
    axes.text(float(next(iter(sizes.values())).time[-1]), APART - 0.03, "parted", fontsize=7, color="0.4", ha="right", va="top")
    axes.set(xlabel="time (K² τ)", ylabel="mean cosine of units", ylim=(-1.08, 1.08), yticks=[-1, -0.5, 0, 0.5, 1])
