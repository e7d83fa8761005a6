"""Rings of several sizes along the cuts: the second figure."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.experiments.fields.phase_diagram.boundary import falls, from_gain, inside
from gatefield.experiments.fields.phase_diagram.figure import GAINS, TIMES
from gatefield.experiments.fields.phase_diagram.sizes import rings_localized
from gatefield.measures import LOCALIZED
from gatefield.plot import WIDTH, finite_join, gain_places, gain_text, letter, say_setting, shades

EQUAL: dict[str, Any] = {"color": "black", "linestyle": "--", "linewidth": 1.0}
MARKERS = "osD^v"
"""Of the sizes, the larger the smaller, so that none hides another."""


def more(record: xr.Dataset) -> Figure:
    """Rings of several sizes along the cuts."""
    drawn = Figure(figsize=(WIDTH, 1.3 + 2.3 * record.sizes["cut"]))
    (body,) = cast(Any, drawn.subfigures(1, 1, squeeze=False)).ravel()
    panels = body.subplots(record.sizes["cut"], 2, squeeze=False)
    power, titles = falls(record.cut_ipr), list[str]()
    for row, cut in zip(panels, record.cut.values.tolist(), strict=True):
        _sizes(row[0], record, record.cut_ipr.sel(cut=cut).isel(when=1))
        titles.append(f"ratio {cut:g}: {_localized_text(record, cut, 1)}")
        _powers(row[1], record, power.sel(cut=cut))
        titles.append(f"ratio {cut:g}: {_power_text(power.sel(cut=cut).isel(when=1))}")
        for axes in row:
            _equal_losses(axes, record, cut)
            axes.set_xlabel("gain")
        row[0].set_ylabel(f"IPR after {float(record.time[1]):,.0f} τ")
    looks = [panels[0, k].get_legend_handles_labels() for k in (0, 1)]
    handles, names = ([*one, *other] for one, other in zip(*looks, strict=True))
    handles, names = [*handles, Line2D([], [], **EQUAL)], [*names, "one site and best wave: equal loss"]
    body.legend(handles, names, loc="outside lower center", ncols=6, columnspacing=1.0, handletextpad=0.4)
    letter(panels.ravel(), titles)
    mean, batch = float(record.attrs["mean_length"]), int(record.attrs["batch_size"])
    say_setting(
        drawn,
        f"geometric mean of the length scales {mean:.3g}",
        f"medians over {record.sizes['seed']} seeds",
        f"{int(record.attrs['steps']):,} batches of {batch / record.sizes['position']:.4g} inputs for each site",
        f"dotted: localized from {LOCALIZED:g} on",
        "ratio: length scale of the positive class over that of the negative one",
        "heads: p at the later time",
    )
    return drawn


def _localized_text(record: xr.Dataset, cut: float, k: int) -> str:
    """On which rings fields are localized at the largest gain."""
    there, gain = rings_localized(record, cut, k), gain_text(float(record.cut_gain[-1]))
    few = f"n = {', '.join(map(str, there))}" if there else "no ring"
    return f"gain {gain} localized on {'all rings' if len(there) == record.sizes['size'] else few}"


def _power_text(power: xr.DataArray) -> str:
    """The power of late fields; one ring alone has none."""
    middle = round(float(power.median()), 2) + 0.0
    return "fall with n" if np.isnan(middle) else f"median over gains p = {middle:.2f}".replace("-", "−")


def _sizes(axes: Any, record: xr.Dataset, ipr: xr.DataArray) -> None:
    """The median IPR over the gain, a shade for each size of the ring."""
    for i, (shade, size) in enumerate(zip(shades(record.sizes["size"]), record["size"].values, strict=True)):
        places, values = finite_join(record.cut_gain.values, ipr.sel(size=size).median("seed").values)
        look: Any = {"marker": MARKERS[i % 5], "markersize": max(2.5, 7.5 - 1.7 * i), "linewidth": 1.0}
        axes.plot(places, values, color=shade, label=f"n = {size}", **look)
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
    low, high = float(power.fillna(0).min()), float(power.fillna(0).max())
    axes.set(ylim=(min(-0.3, low - 0.1), max(1.5, high + 0.1)), ylabel="p of IPR ∝ $n^{-p}$\n(0: stays, 1: spread)")
    _few_gains(axes, record.cut_gain.values)


def _equal_losses(axes: Any, record: xr.Dataset, cut: float) -> None:
    """A dashed line at the gain at which one site and the best wave have the same loss, at the ratio nearest to the cut."""
    one, gains = record.sel(ratio=cut, method="nearest"), record.cut_gain.values
    line = from_gain(one.wave_loss - one.site_loss, 0.0, record.gain.values)
    if inside(line, record.gain.values) and inside(line, gains):
        finite = np.isfinite(gains)
        at = np.interp(np.log(line), np.log(gains[finite]), gain_places(gains)[finite])
        axes.axvline(at, **EQUAL)


def _few_gains(axes: Any, gains: np.ndarray) -> None:
    """Names at the gains nearest to round numbers, and at infinity."""
    places = gain_places(gains)
    finite = np.flatnonzero(np.isfinite(gains))
    ticks = [gain for gain in GAINS if gains[0] <= gain <= gains[finite].max(initial=0.0)]
    at = [float(np.interp(np.log(gain), np.log(gains[finite]), places[finite])) for gain in ticks]
    infinite = np.flatnonzero(np.isinf(gains))
    axes.set_xticks([*at, *places[infinite]], [gain_text(gain) for gain in (*ticks, *gains[infinite])])
