"""The figures of `gates-to-relu`."""

from collections.abc import Callable
from itertools import cycle
from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.gates.gates_to_relu.verdicts import (
    EARLY,
    KNOWN,
    SQUASHED,
    known_times,
    loss_as_early,
    shares_of_loss,
    times_as_early,
    unit_name,
)
from gatefield.experiments.gates.setting import seeds
from gatefield.plot import COLOURS, PRINTED, THEORY, WIDTH, gain_text, legend_below, letter, plain_log_scale, say_setting

RELU = COLOURS[0]
NETWORK = "the ReLU network itself at t"
CURVES = (
    ("limit", "black", "-", "limit behind the gates frozen at t (exact)"),
    ("own", RELU, "--", NETWORK),
)
LEAST, MOST = 0.5, 12.0
"""Ratios of times that are always in sight."""
SIZES = (COLOURS[0], COLOURS[4], COLOURS[2], COLOURS[3])
"""Of the numbers of units."""


def draw(record: xr.Dataset) -> Figure:
    """How many times as early; one example of the curves, and of the fields."""
    figure = Figure(figsize=(WIDTH, 5.8))
    top, below = cast(Any, figure.subfigures(2, 1, height_ratios=[1.55, 1.0]))
    early, example = top.subplots(1, 2, width_ratios=[1.25, 1.0])
    _early(early, record, times_as_early, "fields")
    one, gain = record.isel(units=0), _near_three(record)
    _curves(example, one.sel(gain=gain), "match")
    _known_from(example, one, gain, "match")
    _name_times(example, one, gain)
    example.set(xlabel="time t (K²τ)", ylabel="cosine with the end", ylim=_cosines(one.sel(gain=[gain])))
    legend_below(top, example, early, ncols=3, fontsize=7.5)
    found = example.get_title(loc="left").replace("× ", "ratio ")
    example.set_title(f"{unit_name(int(one.units))}, {found}", loc="left")
    early.set_title(f"ratio {EARLY:g} or more in {_twice(record, times_as_early)}", loc="left")
    first = _examples(one, below)
    _letters([early, example, first])
    _say(figure, record, f"known: cosine {KNOWN:g}", "(c): first seed")
    return figure


def more(record: xr.Dataset) -> Figure:
    """How many times as early for the loss; losses in a row for each number of units, gains side by side."""
    sizes = record.units.values
    figure = Figure(figsize=(WIDTH, 2.1 * len(sizes) + 4.3))
    blocks = cast(Any, figure.subfigures(len(sizes) + 1, 1, height_ratios=[1.7, *[1.0] * len(sizes)], squeeze=False))[:, 0]
    early = blocks[0].subplots()
    _early(early, record, loss_as_early, "loss")
    early.set_title(
        f"gates at least {EARLY:g} times earlier in {_twice(record, loss_as_early)} (gain ≥ {SQUASHED:g})", loc="left"
    )
    shown = _few_gains(record)
    rows = [
        _row(block, record.sel(units=K, gain=shown), color)
        for block, K, color in zip(blocks[1:], sizes, cycle(SIZES), strict=False)
    ]
    rows[-1][0].plot([], [], color="0.4", linestyle="--", label=f"{NETWORK}, in the colour of its units")
    legend_below(blocks[-1], rows[-1][0], early, ncols=3, fontsize=7.5)
    _letters([early, *(row[0] for row in rows)])
    _say(figure, record, f"known: {100 * KNOWN:g} % of the reduction of the loss", "×: ratio of both times, median")
    return figure


def _few_gains(record: xr.Dataset) -> list[float]:
    """The gain nearest to 3 and the largest."""
    return sorted({_near_three(record), float(record.gain[-1])})


def _row(block: Any, one: xr.Dataset, color: str) -> Any:
    """Losses at all gains at one number of units, whose colour the network has."""
    gains = one.gain.values
    panels = block.subplots(1, len(gains), sharex=True, sharey=True, squeeze=False)[0]
    for axes, gain in zip(panels, gains, strict=True):
        _curves(axes, one.sel(gain=gain), "loss", color)
        _known_from(axes, one, gain, "loss", color)
        axes.set_xlabel("time t (K²τ)")
    panels[0].set_ylabel(f"{unit_name(int(one.units))}\nloss")
    panels[0].set_ylim(*_losses(one))
    return panels


def _early(axes: Any, record: xr.Dataset, ratio: Callable[[xr.Dataset], xr.DataArray], what: str) -> None:
    """A dot for each seed, a bar for the median; white where fields do not settle, of which nothing is claimed."""
    at = np.arange(record.sizes["gain"])
    shifts = 0.38 * (np.arange(record.sizes["units"]) - (record.sizes["units"] - 1) / 2) / max(1, record.sizes["units"] - 1)
    axes.axhline(1, color="0.8", linewidth=0.8, zorder=0)
    axes.axhline(EARLY, **PRINTED, linewidth=1.2, zorder=0, label=f"claimed: {EARLY:g} or more")
    for K, shift, color in zip(record.units.values, shifts, cycle(SIZES)):
        times = ratio(record.sel(units=K)).transpose("gain", "seed")
        settled = times.gain.values >= SQUASHED
        for g, seeds_of in enumerate(times.values):
            face = color if settled[g] else "white"
            spread = np.linspace(-0.13, 0.13, len(seeds_of)) if len(seeds_of) > 1 else np.zeros(1)
            axes.plot(at[g] + shift + spread, seeds_of, "o", color=color, markerfacecolor=face, markersize=4, zorder=5)
        middle = times.median("seed").values
        axes.hlines(middle, at + shift - 0.16, at + shift + 0.16, color=color, linewidth=2.6, alpha=0.5, zorder=4)
        axes.plot([], [], "o-", color=color, markersize=4, label=unit_name(int(K)))
    if record.gain[0] < SQUASHED:
        axes.plot([], [], "o", color="0.4", markerfacecolor="white", markersize=4, label="fields not settled")
    plain_log_scale(axes, "y")
    axes.set_xticks(at, [gain_text(g) for g in record.gain.values])
    axes.set(xlabel="gain (∞: hypercube)", xlim=(-0.6, at[-1] + 0.6))
    axes.set_ylabel(f"time of the ReLU {what} /\ntime of frozen gates")
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, LEAST), max(high, MOST))
    for height, side, words in ((0.97, "top", "↑ gates earlier"), (0.03, "bottom", "↓ gates later")):
        axes.text(0.01, height, words, transform=axes.transAxes, va=side, color="0.35", fontsize=7.5)


def _twice(record: xr.Dataset, ratio: Callable[[xr.Dataset], xr.DataArray]) -> str:
    """How many seeds are twice as early, where fields settle."""
    settled = record.isel(gain=record.gain.values >= SQUASHED)
    times = np.array([ratio(settled.sel(units=K)) for K in record.units.values])
    return f"{int((times >= EARLY).sum())} of {times.size} trainings"


def _letters(panels: list[Any]) -> None:
    """Letters before the titles that the panels have."""
    letter(panels, [axes.get_title(loc="left") for axes in panels])


def _say(figure: Any, record: xr.Dataset, *more: str) -> None:
    xi1, xi0 = record.attrs["length_scales"]
    sizes = f"n = {record.sizes['position']}", f"length scales {xi1:g} and {xi0:g}", f"{float(record.time[-1]):g} K²τ"
    words = f"thick: median of {seeds(record.sizes['seed'])}, thin: seeds", f"{record.attrs['samples']:,} samples"
    known = "vertical lines: from when on the end is known for good, behind frozen gates (solid), by the network (dashed)"
    say_setting(figure, *sizes, *words, known, *more)


def _near_three(record: xr.Dataset) -> float:
    """The gain nearest to 3."""
    gains = record.gain.values
    return float(gains[int(np.argmin(np.abs(np.minimum(gains, 100.0) - 3)))])


def _cosines(one: xr.Dataset) -> tuple[float, float]:
    return min(-0.1, float(one.wrong_match.median("seed").min()) - 0.05) - 0.12, 1.05  # for the names of the times


def _losses(one: xr.Dataset) -> tuple[float, float]:
    """From the lowest loss to the highest median."""
    low = min(float(one[f"{name}_loss"].min()) for name, *_ in CURVES)
    high = max(float(one[f"{name}_loss"].median("seed").max()) for name, *_ in CURVES)
    return low - 0.05 * (high - low), high + 0.05 * (high - low)


def _at(one: xr.Dataset) -> np.ndarray:
    """Times, with 0 moved to a third of the first one for a logarithmic axis."""
    times = one.time.values.astype(float)
    return np.append(times[1] / 3, times[1:])


def _curves(axes: Any, one: xr.Dataset, what: str, network: str = "") -> None:
    """What gates lead to, and the network itself, in its own colour if it is given, which then has no name."""
    at = _at(one)
    for name, usual, style, label in CURVES:
        own = bool(network) and name == "own"
        color, label = (network, None) if own else (usual, label)
        values = one[f"{name}_{what}"].transpose("seed", "step").values
        for run in values:
            axes.plot(at, run, style, color=color, alpha=0.2, linewidth=0.6)
        axes.plot(at, np.median(values, axis=0), style, color=color, label=label, linewidth=1.7)
        axes.plot(at[0], np.median(values[:, 0]), "o", color=color, markersize=4)
    wrong = float(one[f"wrong_{what}"].median())
    axes.axhline(wrong, color="0.5", linestyle=":", linewidth=1.2, label="behind final gates of another seed")
    axes.set_xscale("log")
    decades = 10.0 ** np.arange(np.ceil(np.log10(at[1])), np.floor(np.log10(at[-1])) + 1)
    axes.set_xticks([at[0], *decades], ["0", *(f"{t:g}" for t in decades)], fontsize=7)
    axes.minorticks_off()


def _known_from(axes: Any, one: xr.Dataset, gain: float, what: str, network: str = "") -> None:
    """The times from which on the end is known, and how many times as early the gates know it."""
    limit, own = (one.limit_match, one.own_match) if what == "match" else shares_of_loss(one)
    gates, fields = (known_times(one, values).sel(gain=gain) for values in (limit, own))
    for time, (name, usual, style, _) in zip((gates, fields), CURVES, strict=True):
        color = network if network and name == "own" else usual
        axes.axvline(float(time.median("seed")), color=color, linestyle=style, linewidth=0.9, alpha=0.7)
    axes.set_title(f"gain {gain_text(gain)}: × {float((fields / gates).median('seed')):.2g}", loc="left")


def _name_times(axes: Any, one: xr.Dataset, gain: float) -> None:
    """What the two vertical lines are, each on its outer side."""
    times = [float(known_times(one, match).sel(gain=gain).median("seed")) for match in (one.limit_match, one.own_match)]
    names = list(zip(times, ("gates", "network"), strict=True))
    for (time, name), side, away in zip(sorted(names), ("right", "left"), (-3, 3), strict=True):
        place: Any = {"xycoords": axes.get_xaxis_transform(), "textcoords": "offset points", "ha": side}
        axes.annotate(f"{name}: {time:.2g}", (time, 0.02), (away, 0), fontsize=7.5, color="0.25", **place)


def example_steps(three: xr.Dataset) -> np.ndarray:
    """The start, the end, the first time at which gates or fields know the end in the median, and two on the way to it."""
    one, last = three.expand_dims("gain"), three.sizes["step"] - 1
    first = min(float(known_times(one, values).median()) for values in (one.limit_match, one.own_match))
    known = min(int(np.searchsorted(three.time.values, first)), last)
    return np.unique([0, known // 2, (known // 2 + known) // 2, known, last])


def _examples(one: xr.Dataset, block: Any) -> Any:
    """The limit field at those times beside the field at the end, at the gain nearest to 3."""
    three = one.sel(gain=_near_three(one))
    steps = example_steps(three)
    panels = block.subplots(1, len(steps), sharey=True, squeeze=False)[0]
    end, middle = three.example_end.values, three.sizes["position"] // 2
    peak = int(np.argmax(np.abs(end)))
    at = np.arange(len(end)) - middle
    for axes, step in zip(panels, steps, strict=True):
        axes.axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
        axes.plot(
            at,
            np.roll(end / end[peak], middle - peak),
            color=RELU,
            linewidth=2.8,
            alpha=0.5,
            label="final field of the ReLU network",
        )
        axes.plot(
            at,
            np.roll(three.example.values[step] / end[peak], middle - peak),
            **THEORY,
            linewidth=1.1,
            label="limit behind the gates of time t",
        )
        axes.set(xlabel="site", xticks=[at[0], 0, at[-1]])
        axes.set_title(f"t = {float(three.time[step]):.3g}", loc="left")
    panels[0].set_ylabel(f"limit and final\nfield, gain {gain_text(float(three.gain))}")
    legend_below(block, panels[0], ncols=2, fontsize=7.5)
    return panels[0]
