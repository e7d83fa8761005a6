"""The figure of `tiling`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.tiling import places
from gatefield.plot import gain_text, shades

LOOKS = {True: ("C0", "o", "units of one sign"), False: ("0.35", "s", "all units")}
"""Colour, marker and name of peaks of one sign (True) and of all."""


def draw(record: xr.Dataset) -> Figure:
    """Fields of one committee beside the same units alone; spacing, shared places and parting below."""
    figure = Figure(figsize=(10.0, 7.6))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.0, 1.1]))
    _fields(top, record)
    spacing, distances, parting = bottom.subplots(1, 3)
    sizes = {int(K): record.sel(units=K).isel(unit=slice(int(K))) for K in record.units.values}
    _spacing_panel(spacing, sizes)
    _distance_panel(distances, sizes)
    _parting_panel(parting, sizes)
    return figure


def _fields(figure: Any, record: xr.Dataset) -> None:
    """All units of the first seed of the largest committee, at the gain nearest to 3, together and alone."""
    K = int(record.units.values[-1])
    gain = float(record.gain.values[int(np.argmin(np.abs(np.minimum(record.gain.values, 100.0) - 3)))])
    one = record.sel(units=K, gain=gain).isel(pair=0, unit=slice(K))
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    words = f"{K} units, gain {gain_text(gain)}, ξ = {one.pair.item()}"
    for axes, name, title in zip(panels, ("field", "alone_field"), ("(a) together", "(b) each alone"), strict=True):
        axes.axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
        for unit, color in zip(range(K), shades(K), strict=True):
            w = one[name].values[unit]
            axes.plot(one.position, w / np.abs(w).max(), color=color, linewidth=1.3)
            peak = int(np.abs(w).argmax())
            axes.plot(peak, 1.12 * np.sign(w[peak]), "v" if w[peak] > 0 else "^", color=color, markersize=6)
        axes.set(title=f"{title}: {words}", xlabel="position (site)", ylim=(-1.25, 1.25))
    panels[0].set_ylabel("final fields, each to its maximum\n(marks: peaks)")


def _spacing_panel(axes: Any, sizes: dict[int, xr.Dataset]) -> None:
    """The sum of squared gaps over that of random places, by size of committee, together and alone."""
    at = np.arange(len(sizes))
    for shift, by_sign in ((-0.06, True), (0.06, False)):
        color, marker, name = LOOKS[by_sign]
        for which, face, words in ((places.TOGETHER, color, "together"), (places.ALONE, "white", "alone")):
            found = [places.spread(places.place_sets(one, which, by_sign=by_sign), one.attrs["n"]) for one in sizes.values()]
            mean, low, high = np.array([one[0] if one else (np.nan,) * 3 for one in found]).T
            move = shift + (0.18 if which else -0.18)
            axes.errorbar(
                at + move,
                mean,
                [mean - low, high - mean],
                fmt=marker,
                color=color,
                markerfacecolor=face,
                capsize=2,
                label=f"{name}, {words}",
            )
    axes.axhline(1.0, color="k", linewidth=1.0, linestyle=":")
    axes.set_xticks(at, [str(K) for K in sizes])
    axes.set(xlabel="units K", ylabel="squared gaps / those of random places", title="(c) how even? (1: chance)")
    axes.set(xlim=(-0.5, len(at) - 0.5), ylim=(0, None))
    axes.legend(loc="lower left", fontsize=8)


def _distance_panel(axes: Any, sizes: dict[int, xr.Dataset]) -> None:
    """How far apart pairs of peaks are in committees of the largest size, over what chance has."""
    K, one = list(sizes.items())[-1]
    n = one.attrs["n"]
    edges = np.arange(n // 2 + 1)
    chance = np.where((edges == 0) | (2 * edges == n), 1, 2) / n
    for same, color, marker, name in ((True, "C0", "o", "one sign"), (False, "C1", "^", "opposite signs")):
        counts = places.pair_distances(one, same_sign=same)
        share = np.bincount(counts, minlength=len(edges)) / max(1, len(counts))
        axes.plot(edges, share / chance, marker=marker, color=color, markersize=4, linewidth=1.2, label=name)
    axes.axhline(1.0, color="k", linewidth=1.0, linestyle=":")
    axes.set(xlabel="distance of two peaks (site)", ylabel="pairs / those of random places", ylim=(0, None))
    axes.set_title(f"(d) pairs of units, K = {K}")
    axes.legend(loc="upper right", fontsize=8)


def _parting_panel(axes: Any, sizes: dict[int, xr.Dataset]) -> None:
    """The mean cosine between units that start alike: median over seeds, first pair of length scales."""
    for (K, one), style in zip(sizes.items(), ("-", "--", "-.", ":") * len(sizes), strict=False):
        paths = one.cosine.sel(start="alike").isel(pair=0).median("seed")
        for gain, color in zip(one.gain.values, shades(one.sizes["gain"], "cividis", (0.0, 0.85)), strict=True):
            label = f"K = {K}, gain {gain_text(float(gain))}"
            axes.plot(one.time[1:], paths.sel(gain=gain)[1:], style, color=color, label=label)
    axes.axhline(0.5, color="k", linewidth=1.0, linestyle=":")
    axes.set(xscale="log", xlabel=r"time ($K^2\tau$)", ylabel="mean cosine between units", title="(e) units that start alike")
    axes.legend(loc="lower left", fontsize=8)
