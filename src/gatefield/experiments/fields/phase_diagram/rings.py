"""Rings of several sizes along the cuts: the second figure."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.phase_diagram.boundary import falls, from_gain, inside
from gatefield.experiments.fields.phase_diagram.figure import GAINS, TIMES, setting
from gatefield.experiments.localized import LOCALIZED
from gatefield.plot import WIDTH, finite_join, gain_places, gain_text, letter, say_setting, shades


def more(record: xr.Dataset) -> Figure:
    """Rings of several sizes along the cuts."""
    drawn = Figure(figsize=(WIDTH, 0.9 + 2.1 * record.sizes["cut"]))
    panels = drawn.subplots(record.sizes["cut"], 3, sharex=True, squeeze=False)
    times, power = [f"{float(time):,.0f} τ" for time in record.time], falls(record.cut_ipr)
    for row, cut in zip(panels, record.cut.values.tolist(), strict=True):
        for k, axes in enumerate(row[:2]):
            _sizes(axes, record, record.cut_ipr.sel(cut=cut).isel(when=k))
        _powers(row[2], record, power.sel(cut=cut))
        for axes in row:
            _equal_losses(axes, record, cut)
            axes.set_xlabel("gain" if row is panels[-1] else "")
        row[0].set_ylabel("IPR")
    for axes in panels[0, [0, 2]]:
        axes.legend(loc="upper left", handlelength=1.2, borderaxespad=0.2)
    letter(panels.ravel(), [f"ratio {cut:g}, {words}" for cut in record.cut.values for words in (*times, "fall with n")])
    say_setting(
        drawn,
        *setting(record)[1:],
        f"of n/{record.sizes['position']} times as many on other rings",
        "medians over seeds",
        "dotted level: localized from there on",
        "dashed: equal losses",
    )
    return drawn


def _sizes(axes: Any, record: xr.Dataset, ipr: xr.DataArray) -> None:
    """The median IPR over the gain, a shade for each size of the ring."""
    for shade, size in zip(shades(record.sizes["size"]), record["size"].values, strict=True):
        places, values = finite_join(record.cut_gain.values, ipr.sel(size=size).median("seed").values)
        axes.plot(places, values, "o-", color=shade, markersize=3, linewidth=1.0, label=f"n = {size}")
    axes.axhline(LOCALIZED, color="0.5", linewidth=0.8, linestyle=":")
    axes.set_ylim(0, 1.03)
    _few_gains(axes, record.cut_gain.values)


def _powers(axes: Any, record: xr.Dataset, power: xr.DataArray) -> None:
    """The power by which the IPR falls with the size, at both times."""
    for k, (colour, marker) in enumerate(TIMES):
        places, values = finite_join(record.cut_gain.values, power.isel(when=k).values)
        axes.plot(places, values, marker, color=colour, markersize=4, label=f"{float(record.time[k]):,.0f} τ")
    for level in (0.0, 1.0):
        axes.axhline(level, color="0.5", linewidth=0.8, linestyle=":")
    axes.set(ylim=(-0.3, 1.5), ylabel="power of 1/n")
    _few_gains(axes, record.cut_gain.values)


def _equal_losses(axes: Any, record: xr.Dataset, cut: float) -> None:
    """A dashed line at the gain at which one site and the best wave have the same loss, at the ratio nearest to the cut."""
    one, gains = record.sel(ratio=cut, method="nearest"), record.cut_gain.values
    line = from_gain(one.wave_loss - one.site_loss, 0.0, record.gain.values)
    if inside(line, record.gain.values) and inside(line, gains):
        finite = np.isfinite(gains)
        at = np.interp(np.log(line), np.log(gains[finite]), gain_places(gains)[finite])
        axes.axvline(at, color="black", linestyle="--", linewidth=1.0)


def _few_gains(axes: Any, gains: np.ndarray) -> None:
    """Names at the gains nearest to round numbers, and at infinity."""
    places = gain_places(gains)
    finite = np.flatnonzero(np.isfinite(gains))
    ticks = [gain for gain in GAINS if gains[0] <= gain <= gains[finite].max(initial=0.0)]
    at = [float(np.interp(np.log(gain), np.log(gains[finite]), places[finite])) for gain in ticks]
    infinite = np.flatnonzero(np.isinf(gains))
    axes.set_xticks([*at, *places[infinite]], [gain_text(gain) for gain in (*ticks, *gains[infinite])])
