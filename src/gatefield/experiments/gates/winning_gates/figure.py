"""The figure of `winning-gates`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.gates.winning_gates.sets import LEARNED, PAIRS, SEARCHED
from gatefield.plot import dots_by_seed, gain_text, small_field

SHOWN = {
    "± flat": ("C0", "-"),
    "± delta": ("C5", "-"),
    "± Nyquist": ("0.5", "-"),
    "redundant flat": ("C1", "--"),
    "lowest modes": ("C4", "--"),
    "random": ("C3", ":"),
    LEARNED: ("C2", "-"),
    SEARCHED: ("k", "-"),
}
"""Sets whose loss curve and spectrum are drawn, with colour and style."""
PLACES = {
    "± flat": (-6, 8, "right"),
    "± delta": (9, 4, "left"),
    "± Nyquist": (0, 12, "center"),
    "redundant flat": (-2, -13, "left"),
    "lowest modes": (-8, -4, "right"),
    "random": (4, -12, "left"),
    LEARNED: (9, 9, "left"),
    SEARCHED: (9, 0, "left"),
}
"""Where their names stand beside their marks."""


def draw(record: xr.Dataset) -> Figure:
    """The race above; what winners and trained gates explain in the middle; their directions below."""
    figure = Figure(figsize=(11.5, 14.5))
    top, middle, bottom = cast(Any, figure.subfigures(3, 1, height_ratios=[2.0, 0.95, 1.3]))
    (loss, race), (rates, spectra) = top.subplots(2, 2)
    at = record.isel(race_units=0, gain=0)
    setting = f"K = {int(at.race_units)}, gain {gain_text(float(at.gain))}"
    _loss_panel(loss, at, f"(a) exact loss, {setting}")
    _race_panel(race, at, f"(b) fast against good, {setting}")
    _rate_panel(rates, record.isel(race_units=0), "(c) explained by each set")
    _spectrum_panel(spectra, at, f"(d) eigenvalues of A, {setting}")
    panels = middle.subplots(1, record.sizes["gain"], sharey=True, squeeze=False)[0]
    for axes, letter, gain in zip(panels, "efghij", record.gain.values, strict=False):
        _winner_panel(axes, record.sel(gain=gain), f"({letter}) gain {gain_text(gain)}")
    panels[0].set_ylabel(r"explained $b^\top A^+ b$")
    panels[0].legend(loc="upper left", fontsize=8)
    _directions(bottom, record)
    return figure


def _loss_panel(axes: Any, at: xr.Dataset, title: str) -> None:
    for name, (color, style) in SHOWN.items():
        axes.plot(at.time[1:], at.loss.sel(set=name)[1:], style, color=color, label=name)
    axes.set(xscale="log", xlabel=r"time ($\tau$)", ylabel="loss", title=title, xlim=(0.02, 1e3))
    axes.legend(loc="lower left", fontsize=8)


def _race_panel(axes: Any, at: xr.Dataset, title: str) -> None:
    """Every set by half time and by what it explains; those of panel (a) by name."""
    kept = at.where((at.explained > 0) & np.isfinite(at.half_time), drop=True)
    for name in kept["set"].values:
        x, y = float(kept.half_time.sel(set=name)), float(kept.explained.sel(set=name))
        mark = "^" if name in PAIRS else "s" if name.startswith("redundant") else "o"
        if name not in SHOWN:
            axes.plot(x, y, mark, color="0.75", markersize=5, zorder=1)
            continue
        color, across, up, side = SHOWN[name][0], *PLACES[name]
        axes.plot(x, y, mark, color=color, markersize=7)
        axes.annotate(name, (x, y), (across, up), textcoords="offset points", fontsize=8.5, color=color, ha=side, va="center")
    axes.plot([], [], "^", color="0.5", label="pairs of opposites")
    axes.plot([], [], "s", color="0.5", label="redundant")
    axes.plot([], [], "o", color="0.5", label="others")
    axes.legend(loc="center right", fontsize=8)
    axes.set(xscale="log", xlabel=r"half time ($\tau$)", ylabel=r"explained $b^\top A^+ b$", title=title)
    axes.set_xlim(0.6 * float(kept.half_time.min()), 2.5 * float(kept.half_time.max()))
    axes.set_ylim(-0.02, 1.1 * float(kept.explained.max()))


def _rate_panel(axes: Any, one: xr.Dataset, title: str) -> None:
    """What each set explains at each gain."""
    names = one["set"].values
    for i, gain in enumerate(one.gain.values):
        values = one.explained.sel(gain=gain)
        shift = 0.22 * (i - (one.sizes["gain"] - 1) / 2)
        axes.plot(
            values, np.arange(len(names)) + shift, "os^D"[i % 4], color=f"C{i}", markersize=5, label=f"gain {gain_text(gain)}"
        )
    axes.set_yticks(np.arange(len(names)), names, fontsize=8)
    axes.invert_yaxis()
    axes.grid(axis="y", color="0.92", linewidth=0.8)
    axes.set(xlabel=r"explained $b^\top A^+ b$", title=f"{title}, K = {int(one.race_units)}")
    axes.legend(loc="upper right", fontsize=8)


def _spectrum_panel(axes: Any, at: xr.Dataset, title: str) -> None:
    for name, (color, style) in SHOWN.items():
        values = at.spectrum.sel(set=name).dropna("mode").values
        width = 4.0 if name == "± flat" else 1.6
        axes.plot(np.arange(1, len(values) + 1), np.maximum(values, 1e-9), style, color=color, linewidth=width, label=name)
    axes.set(xlabel="mode, largest first", ylabel="eigenvalue", title=title, yscale="log", ylim=(1e-3, None))
    axes.legend(loc="lower left", fontsize=8)


def _winner_panel(axes: Any, at: xr.Dataset, title: str) -> None:
    """What the winner, trained gates, the ReLU networks themselves and the best tiling explain, by number of gates."""
    places = np.arange(at.sizes["units"])
    axes.plot(places, at.winner, "k-o", label="search")
    axes.plot(places, at.trained.max("seed"), "--", color="C2", label="gates of ReLU, best seed")
    dots_by_seed(axes, places, at.trained, "units", "C2")
    axes.plot(places, at.relu.max("seed"), ":s", color="C0", markersize=4, label="ReLU network itself")
    axes.axhline(float(at.tiling), color="C1", linewidth=1.2, linestyle="-.", label="best tiling")
    axes.set_xticks(places, [str(K) for K in at.units.values])
    axes.set(xlabel="number of gates K", title=title)


def _directions(figure: Any, record: xr.Dataset) -> None:
    """Two gates of the winner, each with the variance of what it sees; and two fields of the best trained committee."""
    K = 2 if 2 in record.units else int(record.units.values[-1])
    shown = range(min(K, 2))
    cell = record.sel(units=K)
    panels = figure.subplots(record.sizes["gain"], 3 * len(shown), sharex="col", squeeze=False)
    for row, gain in zip(panels, record.gain.values, strict=True):
        at = cell.sel(gain=gain)
        for k in shown:
            direction, variance, trained = row[k], row[len(shown) + k], row[2 * len(shown) + k]
            small_field(direction, at.winner_directions.isel(unit=k), color="k", linewidth=1.3)
            small_field(trained, at.trained_fields.isel(unit=k), color="C2", linewidth=1.3)
            for name, style in (("positive", "-"), ("negative", "--")):
                variance.plot(at.frequency, at.winner_variance.sel({"class": name}).isel(unit=k), style, label=name)
            variance.set(ylim=(0, None))
        row[0].set_ylabel(f"gain {gain_text(gain)}")
    for k in shown:
        for column, words in enumerate(("search: gate", "what it sees: gate", "ReLU: unit")):
            panels[0, column * len(shown) + k].set_title(f"{words} {k + 1}", fontsize=9)
            panels[-1, column * len(shown) + k].set_xlabel("frequency" if column == 1 else "position (site)")
    panels[0, len(shown)].legend(title="class", fontsize=8, title_fontsize=8)
    title = (
        f"K = {K}: directions to their own maximum, share of the variance of <v, x> by frequency, and the best trained fields"
    )
    figure.suptitle(title, x=0.02, ha="left", fontsize=11)
