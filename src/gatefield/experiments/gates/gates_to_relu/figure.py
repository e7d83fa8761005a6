"""The figures of `gates-to-relu`."""

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
    shares_of_loss,
    times_as_early,
    unit_name,
)
from gatefield.experiments.gates.setting import seeds
from gatefield.plot import COLOURS, PRINTED, THEORY, WIDTH, gain_text, letter, plain_log_scale, say_setting

RELU = COLOURS[0]
CURVES = (
    ("limit", "black", "-", "limit behind the gates frozen at t (exact)"),
    ("own", RELU, "--", "the ReLU network itself at t"),
)
SIZES = (COLOURS[0], COLOURS[4], COLOURS[2], COLOURS[3])
"""Of the numbers of units."""


def draw(record: xr.Dataset) -> Figure:
    """How many times as early; one example of the curves, and of the fields."""
    figure = Figure(figsize=(WIDTH, 5.8))
    top, below = cast(Any, figure.subfigures(2, 1, height_ratios=[1.55, 1.0]))
    early, example = top.subplots(1, 2, width_ratios=[1.25, 1.0])
    _early(early, record)
    one, gain = record.isel(units=0), _near_three(record)
    _curves(example, one.sel(gain=gain), "match")
    _known_from(example, one, gain, "match")
    example.set(xlabel="time t (K²τ)", ylabel="cosine with the end", ylim=_cosines(one.sel(gain=[gain])))
    top.legend(*example.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=7.5)
    found = example.get_title(loc="left").replace("× ", "")
    example.set_title(f"{unit_name(int(one.units))}, {found} times as early", loc="left")
    early.set_title(f"twice as early in {_twice(record)}", loc="left")
    first = _examples(one, below)
    _letters([early, example, first])
    _say(figure, record, f"known: cosine {KNOWN:g}", "(c): first seed")
    return figure


def more(record: xr.Dataset) -> Figure:
    """Losses, then cosines with the final fields: a row for each number of units, and gains side by side."""
    kinds = [(what, K) for what in ("loss", "match") for K in record.units.values]
    figure = Figure(figsize=(WIDTH, 2.2 * len(kinds) + 0.7))
    blocks = cast(Any, figure.subfigures(len(kinds), 1, squeeze=False))[:, 0]
    rows = [_row(block, record.sel(units=K), what) for block, (what, K) in zip(blocks, kinds, strict=True)]
    blocks[0].legend(*rows[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=7.5)
    _letters([row[0] for row in rows])
    _say(figure, record, f"known: cosine {KNOWN:g}, or {100 * KNOWN:g} % of the reduction of the loss", "×: times as early")
    return figure


def _row(block: Any, one: xr.Dataset, what: str) -> Any:
    """Curves of all gains at one number of units."""
    gains = one.gain.values
    panels = block.subplots(1, len(gains), sharex=True, sharey=True, squeeze=False)[0]
    for axes, gain in zip(panels, gains, strict=True):
        _curves(axes, one.sel(gain=gain), what)
        _known_from(axes, one, gain, what)
        axes.set_xlabel("time t (K²τ)")
    label = "cosine with the end" if what == "match" else "loss"
    panels[0].set_ylabel(f"{unit_name(int(one.units))}\n{label}")
    panels[0].set_ylim(*(_cosines(one) if what == "match" else _losses(one)))
    return panels


def _early(axes: Any, record: xr.Dataset) -> None:
    """A dot for each seed, a bar for the median; open where fields do not settle, of which nothing is claimed."""
    at = np.arange(record.sizes["gain"])
    shifts = 0.38 * (np.arange(record.sizes["units"]) - (record.sizes["units"] - 1) / 2) / max(1, record.sizes["units"] - 1)
    axes.axhline(1, color="0.8", linewidth=0.8, zorder=0)
    axes.axhline(EARLY, **PRINTED, linewidth=1.2, zorder=0, label="claimed: twice as early")
    for K, shift, color in zip(record.units.values, shifts, cycle(SIZES)):
        times = times_as_early(record.sel(units=K)).transpose("gain", "seed")
        settled = times.gain.values >= SQUASHED
        for g, seeds_of in enumerate(times.values):
            face = color if settled[g] else "none"
            spread = np.linspace(-0.13, 0.13, len(seeds_of)) if len(seeds_of) > 1 else np.zeros(1)
            axes.plot(at[g] + shift + spread, seeds_of, "o", color=color, markerfacecolor=face, markersize=3, alpha=0.5)
        middle = times.median("seed").values
        axes.hlines(middle, at + shift - 0.16, at + shift + 0.16, color=color, linewidth=2.6, zorder=4)
        axes.plot([], [], "o-", color=color, markersize=4, label=unit_name(int(K)))
    if record.gain[0] < SQUASHED:
        axes.plot([], [], "o", color="0.4", markerfacecolor="none", markersize=4, label="fields not settled")
    plain_log_scale(axes, "y")
    axes.set_xticks(at, [gain_text(g) for g in record.gain.values])
    axes.set(xlabel="gain (∞: hypercube)", ylabel="times as early as the fields", xlim=(-0.6, at[-1] + 0.6))
    axes.set_ylim(axes.get_ylim()[0], axes.get_ylim()[1] * 5)  # room for the legend
    axes.legend(loc="upper left", fontsize=7.5)


def _twice(record: xr.Dataset) -> str:
    """How many seeds are twice as early, where fields settle."""
    settled = record.isel(gain=record.gain.values >= SQUASHED)
    times = np.array([times_as_early(settled.sel(units=K)) for K in record.units.values])
    return f"{int((times >= EARLY).sum())} of {times.size} trainings"


def _letters(panels: list[Any]) -> None:
    """Letters before the titles that the panels have."""
    letter(panels, [axes.get_title(loc="left") for axes in panels])


def _say(figure: Any, record: xr.Dataset, *more: str) -> None:
    xi1, xi0 = record.attrs["length_scales"]
    sizes = f"n = {record.sizes['position']}", f"length scales {xi1:g} and {xi0:g}", f"{float(record.time[-1]):g} K²τ"
    words = f"thick: median of {seeds(record.sizes['seed'])}", f"{record.attrs['samples']:,} samples"
    known = "vertical lines: from when on the end is known for good, behind frozen gates (solid), by the network (dashed)"
    say_setting(figure, *sizes, *words, known, *more)


def _near_three(record: xr.Dataset) -> float:
    """The gain nearest to 3."""
    gains = record.gain.values
    return float(gains[int(np.argmin(np.abs(np.minimum(gains, 100.0) - 3)))])


def _cosines(one: xr.Dataset) -> tuple[float, float]:
    return min(-0.1, float(one.wrong_match.median("seed").min()) - 0.05), 1.05


def _losses(one: xr.Dataset) -> tuple[float, float]:
    """From the lowest loss to the highest median."""
    low = min(float(one[f"{name}_loss"].min()) for name, *_ in CURVES)
    high = max(float(one[f"{name}_loss"].median("seed").max()) for name, *_ in CURVES)
    return low - 0.05 * (high - low), high + 0.05 * (high - low)


def _at(one: xr.Dataset) -> np.ndarray:
    """Times, with 0 moved to a third of the first one for a logarithmic axis."""
    times = one.time.values.astype(float)
    return np.append(times[1] / 3, times[1:])


def _curves(axes: Any, one: xr.Dataset, what: str) -> None:
    at = _at(one)
    for name, color, style, label in CURVES:
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


def _known_from(axes: Any, one: xr.Dataset, gain: float, what: str) -> None:
    """The times from which on the end is known, and how many times as early the gates know it."""
    limit, own = (one.limit_match, one.own_match) if what == "match" else shares_of_loss(one)
    gates, fields = (known_times(one, values).sel(gain=gain) for values in (limit, own))
    for time, (_, color, style, _) in zip((gates, fields), CURVES, strict=True):
        axes.axvline(float(time.median("seed")), color=color, linestyle=style, linewidth=0.9, alpha=0.7)
    axes.set_title(f"gain {gain_text(gain)}: × {float((fields / gates).median('seed')):.2g}", loc="left")


def example_steps(three: xr.Dataset) -> np.ndarray:
    """The start, the end, the first times at which gates and fields know the end in the median, and half-way to these."""
    one, last = three.expand_dims("gain"), three.sizes["step"] - 1
    known = [float(known_times(one, values).median()) for values in (one.limit_match, one.own_match)]
    gates, fields = (min(int(np.searchsorted(three.time.values, time)), last) for time in sorted(known))
    return np.unique([0, gates // 2, gates, min(max(fields, gates + 1), last), last])


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
    block.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=7.5)
    return panels[0]
