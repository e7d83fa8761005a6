"""The figures of `winning-gates`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.gates.setting import seeds
from gatefield.experiments.gates.winning_gates.sets import LEARNED, NAMES, PAIRS, SEARCHED
from gatefield.experiments.gates.winning_gates.verdicts import worst_trained
from gatefield.experiments.orders import scales_text
from gatefield.measures import ipr
from gatefield.plot import (
    COLOURS,
    WIDTH,
    dots_by_seed,
    end_labels,
    field_row,
    gain_text,
    legend_below,
    letter,
    say_setting,
    shades,
)

SEARCH, RELU = COLOURS[0], COLOURS[1]
SHOWN = {
    LEARNED: (RELU, "-", 4.0),
    "± flat": ("black", "--", 1.2),
    "redundant flat": (COLOURS[2], "-.", 1.4),
    SEARCHED: (SEARCH, "-", 1.6),
}
"""Sets whose loss curve and spectrum are drawn, with colour, dash and width; the learned ones lie below ± flat."""
MOST = 3
"""Gains that have a panel."""


def draw(record: xr.Dataset) -> Figure:
    """What winners and trained gates explain; every set by what it explains and how fast; the winner's gates."""
    gains = _gains(record)
    figure = Figure(figsize=(WIDTH, 8.2))
    top, middle, bottom = cast(Any, figure.subfigures(3, 1, height_ratios=[1.15, 1.3, 0.65]))
    winners = top.subplots(1, len(gains), squeeze=False, sharey=True)[0]
    for axes, gain in zip(winners, gains, strict=True):
        _winner_panel(axes, record.sel(gain=gain))
        axes.set_ylim(0, 1.1 * float(record.winner.max()))
    _name_numbers(dict(zip(gains.tolist(), winners, strict=True)), record)
    winners[0].set_ylabel("label power explained")
    legend_below(top, winners[0])
    good, shared = middle.subplots(1, 2)
    _sets_panel(good, record.isel(race_units=0, gain=0))
    K = 2 if 2 in record.units else int(record.units.values[-1])
    _overlap_panel(shared, record.sel(units=K))
    legend_below(middle, shared)
    row = bottom.subplots()
    _directions(row, record.sel(units=K, gain=gains), K)
    at = record.isel(race_units=0, gain=0)
    for axes, gain in zip(winners, gains, strict=True):
        axes.set_title(_least_words(record, gain))
    several, some = "both" if K == 2 else "several", record.sel(units=K)
    opened = 100 * (1 - some.one_open.mean("class"))
    titles = [
        _least_words(record, gains[0]),
        f"K = {int(at.race_units)}, gain {gain_text(float(at.gain))}: {_best_words(at)}",
        f"K = {K}: {float(opened.min()):.0f} to {float(opened.max()):.0f} % of inputs\n"
        f"open {several} or none of the best gates",
    ]
    letter([winners[0], good, shared, row], [*titles, _seen_words(some)])
    _say(figure, record, "heads of (a): the least part of the best that training reaches")
    return figure


def more(record: xr.Dataset) -> Figure:
    """The race in full: losses, spectra, and all sets at all gains."""
    at = record.isel(race_units=0, gain=0)
    figure = Figure(figsize=(WIDTH, 6.8))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.0, 1.6]))
    loss, spectra = top.subplots(1, 2)
    _loss_panel(loss, at)
    _spectrum_panel(spectra, at)
    race = record.isel(race_units=0)
    order = np.argsort(at.half_time.where(at.explained > 0, np.inf).values, kind="stable")
    times, sets = bottom.subplots(1, 2)
    _times_panel(times, at.isel(set=order))
    _gains_panel(sets, race.isel(set=order))
    legend_below(bottom, sets)
    place = f"K = {int(at.race_units)}, gain {gain_text(float(at.gain))}"
    pairs, low = at.half_time.sel(set=list(PAIRS)), at.loss.isel(time=-1).sel(set=list(SHOWN))
    least = str(low["set"].values[int(low.argmin("set"))])
    fast = float(at.explained[int(at.half_time.where(at.explained > 0, np.inf).argmin("set"))])
    titles = [
        f"those {NAMES.get(least, least)} end lowest\n({place}, exact)",
        "spectrum of A, colours as in (a):\n" + ("one for all ± pairs" if int(at.race_units) == 2 else place),
        f"time to half of what each explains:\n± pairs differ {float(pairs.max() / pairs.min()):.2g}-fold",
        f"the fastest explains {fast:.3f},\nthe best {float(at.explained.max()):.3f} (gain {gain_text(float(at.gain))})",
    ]
    letter([loss, spectra, times, sets], titles)
    _say(figure, record, "A: covariance of the gated inputs, which sets the speed of each mode")
    return figure


def _gains(record: xr.Dataset) -> np.ndarray:
    """The gains that have a panel: the first, the last, and one between."""
    places = np.unique(np.linspace(0, record.sizes["gain"] - 1, MOST).round().astype(int))
    return record.gain.values[places]


def _least_words(record: xr.Dataset, gain: float) -> str:
    """At one gain, the least part of the best that training reaches with any number of gates."""
    at = record.sel(gain=gain)
    least = float((at.trained.max("seed") / at.winner).min())
    return f"gain {gain_text(gain)}: trained {'≥' if least < 0.995 else 'reach'} {100 * least:.0f} %"


def _best_words(at: xr.Dataset) -> str:
    """The set that explains the most, and by how much more than the next."""
    values = at.explained.sortby(at.explained, ascending=False)
    first, second = (NAMES.get(str(name), str(name)) for name in values["set"].values[:2])
    return f"those {first}\nexplain {float(values[0] / values[1]):.2g} times the next ({second})"


def _seen_words(some: xr.Dataset) -> str:
    """How localized at the highest gain the best gates and trained fields are."""
    last = some.isel(gain=-1)
    best, trained = (float(np.nanmedian(ipr(fields.values))) for fields in (last.winner_directions, last.trained_fields))
    where = f"gain {gain_text(float(last.gain))}"
    return f"best gates (search, blue) have IPR {best:.2f} at {where}, fields of trained ReLU (orange) {trained:.2f}"


def _say(figure: Any, record: xr.Dataset, *more: str) -> None:
    time = record.attrs["steps"] * record.attrs["learning_rate"]
    words = (
        f"n = {record.attrs['n']}",
        scales_text(record.attrs),
        seeds(record.sizes["seed"]),
        f"ReLU trained for {time:,.0f} K τ",
    )
    power, pairs = "label power: 1/2 in all", "±: a gate and its opposite"
    names = "redundant: copies of one gate", "lowest modes, Nyquist: of the Fourier basis"
    judged = f"judged exactly at gain 0, else on {record.attrs['samples']:,} samples of each class"
    say_setting(figure, *words, power, pairs, *names, *more, judged)


def _winner_panel(axes: Any, at: xr.Dataset) -> None:
    """What the winner, trained gates and the best tiling explain, by number of gates."""
    places = np.arange(at.sizes["units"])
    look = {"color": SEARCH, "markersize": 5, "capsize": 2}
    axes.errorbar(places, at.winner, 2 * at.winner_error, fmt="o-", label="best gates (search)", **look)
    axes.plot(places, at.trained.max("seed"), "s--", color=RELU, markersize=4, label="gates of trained ReLU")
    dots_by_seed(axes, places, at.trained, "units", RELU)
    axes.axhline(float(at.tiling), color="0.35", linewidth=1.2, linestyle=":", label="best tiling (two gates)")
    axes.set_xticks(places, [str(K) for K in at.units.values])
    axes.set(xlabel="number of gates K", xlim=(-0.3, len(places) - 0.7))


def _name_numbers(winners: dict[float, Any], record: xr.Dataset) -> None:
    """The numbers of the title: winner and tiling of two gates at the first gain, and where training is furthest behind."""
    first, units = record.isel(gain=0), record.units.values.tolist()
    look: Any = {"textcoords": "offset points", "fontsize": 7.5}
    if 2 in units:
        axes, place, winner = winners[float(first.gain)], units.index(2), float(first.winner.sel(units=2))
        axes.annotate(f"{winner:.3f}", (place, winner), (-6, 4), ha="right", color=SEARCH, **look)
        axes.annotate(f"{float(first.tiling):.3f}", (-0.25, float(first.tiling)), (0, 3), color="0.25", **look)
    at, least = worst_trained(record)
    for gain, axes in winners.items():
        for place, K in enumerate(units):
            if at == f"gain {gain_text(gain)}, K = {K}":
                best = float(record.trained.sel(units=K, gain=gain).max())
                axes.annotate(f"{100 * least:.0f} %", (place, best), (2, -12), ha="center", color=RELU, **look)


def _sets_panel(axes: Any, at: xr.Dataset) -> None:
    """What every set that learns at all explains, the best on top."""
    kept = at.where((at.explained > 0) & np.isfinite(at.half_time), drop=True).sortby("explained")
    places = np.arange(kept.sizes["set"])
    for name, color, marker in ((LEARNED, RELU, "s"), (SEARCHED, SEARCH, "o"), ("", "0.45", "D")):
        mine = kept["set"].values == name if name else ~np.isin(kept["set"].values, [LEARNED, SEARCHED])
        axes.plot(kept.explained.values[mine], places[mine], marker, color=color, markersize=5 if name else 4)
    names = [NAMES.get(name, name) for name in kept["set"].values]
    axes.set_yticks(places, names, fontsize=7.5)
    axes.grid(axis="y", color="0.92", linewidth=0.8)
    axes.set(xlabel="label power explained in the end", xlim=(-0.01, None))


def _overlap_panel(axes: Any, at: xr.Dataset) -> None:
    """The share of inputs that open none or several of the gates; a tiling has none of them."""
    places = np.arange(at.sizes["gain"])
    best, trained = 1 - at.one_open.mean("class"), 1 - at.trained_one_open
    axes.plot(places, best, "o", color=SEARCH, markersize=5, label="best gates (search)")
    axes.plot(places, trained.median("seed"), "s", color=RELU, markersize=4, label="gates of trained ReLU, median")
    dots_by_seed(axes, places, trained, "gain", RELU)
    axes.axhline(0.0, color="0.35", linewidth=1.2, linestyle=":", label="any tiling")
    axes.set_xticks(places, [gain_text(gain) for gain in at.gain.values])
    axes.set(xlabel="gain", ylabel="share of inputs", xlim=(-0.5, places[-1] + 0.5))
    axes.set_ylim(-0.05 * (top := max(0.1, float(best.max()), float(trained.max()))), 1.1 * top)
    between = places[-1] - 0.5 if len(places) > 1 else -0.48
    axes.text(between, 0.005, "any tiling: 0", fontsize=8, va="bottom", ha="center", color="0.35")


def _directions(axes: Any, cells: xr.Dataset, K: int) -> None:
    """For each gain two gates of the winner, then two fields of the best trained committee."""
    shown = range(min(K, 2))
    fields, names, marks = [], [], []
    for gain in cells.gain.values:
        at = cells.sel(gain=gain)
        for source, word in ((at.winner_directions, "search"), (at.trained_fields, "ReLU")):
            fields += [source.isel(unit=k).values for k in shown]
            names += [word for _ in shown]
            marks += [word] * len(shown)
    fields, empty = np.array(fields), np.full(len(fields[0]), np.nan)
    for word, color in (("search", SEARCH), ("ReLU", RELU)):
        rows = [field if mark == word else empty for field, mark in zip(fields, marks, strict=True)]
        field_row(axes, rows, names, color=color, linewidth=0.7)
    each = 2 * len(shown)
    centres = axes.get_xticks().reshape(-1, each).mean(1)
    axes.set_xticks(centres, [f"gain {gain_text(gain)}: best gates, then trained" for gain in cells.gain.values], fontsize=8)


def _loss_panel(axes: Any, at: xr.Dataset) -> None:
    for name, (color, style, width) in SHOWN.items():
        look = {"color": color, "linewidth": width, "alpha": 0.5 if width > 3 else 1.0}
        axes.plot(at.time[1:], at.loss.sel(set=name)[1:], style, label=NAMES.get(name, name), **look)
    axes.set(xscale="log", xlabel="time (τ)", ylabel="loss", xlim=(0.02, 1e3))
    axes.set_ylim(bottom=0)
    looks = {NAMES.get(name, name): (float(at.loss.sel(set=name)[-1]), look[0]) for name, look in SHOWN.items()}
    end_labels(axes, [end for end, _ in looks.values()], list(looks), [color for _, color in looks.values()])


def _spectrum_panel(axes: Any, at: xr.Dataset) -> None:
    for name, (color, style, width) in SHOWN.items():
        values = at.spectrum.sel(set=name).dropna("mode").values
        look = {"color": color, "linewidth": width, "alpha": 0.5 if width > 3 else 1.0}
        axes.plot(np.arange(1, len(values) + 1), np.maximum(values, 1e-9), style, **look)
    axes.set(xlabel="mode, largest first", ylabel="eigenvalue (as in (a))", yscale="log", ylim=(1e-3, None))


def _times_panel(axes: Any, at: xr.Dataset) -> None:
    """The half time of every set, and by which factor the pairs of opposites differ."""
    names = at["set"].values
    for mine, color, marker in ((np.isin(names, PAIRS), "black", "D"), (~np.isin(names, PAIRS), "0.45", "o")):
        axes.plot(at.half_time.values[mine], np.flatnonzero(mine), marker, color=color, markersize=4.5)
    pairs = at.half_time.sel(set=list(PAIRS))
    fast, slow = float(pairs.min()), float(pairs.max())
    if np.isfinite(slow):
        row = names.tolist().index(str(pairs["set"].values[int(pairs.argmax("set"))]))
        arrow: Any = {"arrowprops": {"arrowstyle": "|-|,widthA=0.3,widthB=0.3", "shrinkA": 0, "shrinkB": 4}}
        axes.annotate("", (slow, row), (fast, row), **arrow)
        middle, look = float(np.sqrt(fast * slow)), {"textcoords": "offset points", "ha": "center", "fontsize": 7.5}
        axes.annotate(f"{slow / fast:.2g}-fold (± pairs)", (middle, row), (0, 4), **look)
    axes.annotate("fastest", (float(at.half_time[0]), 0), (7, 0), textcoords="offset points", va="center", fontsize=7.5)
    axes.set_yticks(np.arange(len(names)), [NAMES.get(name, name) for name in names], fontsize=7.5)
    axes.invert_yaxis()
    axes.grid(axis="y", color="0.92", linewidth=0.8)
    axes.set(xlabel="half time (τ)", xscale="log", ylim=(len(names) - 0.5, -0.7))


def _gains_panel(axes: Any, one: xr.Dataset) -> None:
    """What each set explains at each gain."""
    names = one["set"].values
    for i, (gain, color) in enumerate(zip(one.gain.values, shades(one.sizes["gain"], "viridis", (0.0, 0.8)), strict=True)):
        shift = 0.22 * (i - (one.sizes["gain"] - 1) / 2)
        look = {"color": color, "markersize": 4.5, "label": f"gain {gain_text(gain)}"}
        axes.plot(one.explained.sel(gain=gain), np.arange(len(names)) + shift, "os^D"[i % 4], **look)
    _name_explained(axes, one.isel(gain=0), -0.22 * (one.sizes["gain"] - 1) / 2)
    axes.set_yticks(np.arange(len(names)), [])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", color="0.92", linewidth=0.8)
    axes.set(xlabel="label power explained in the end", xlim=(-0.01, 1.25 * float(one.explained.max())))
    axes.set_ylim(len(names) - 0.5, -0.7)


def _name_explained(axes: Any, at: xr.Dataset, shift: float) -> None:
    """The numbers of the title: the set that learns fastest, and the one that explains the most."""
    fast = int(at.half_time.where(at.explained > 0, np.inf).argmin("set"))
    for place, words in ((fast, "fastest: "), (int(at.explained.argmax("set")), "")):
        value = float(at.explained[place])
        look: Any = {"textcoords": "offset points", "fontsize": 7.5, "va": "center"}
        axes.annotate(f"{words}{value:.3f}", (value, place + shift), (8, 2), **look)
