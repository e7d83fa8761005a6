"""The figures of `gate-stability`."""

from itertools import cycle
from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from gatefield.experiments.gates.gate_stability.paths import SETTLED, halfway, localized, settling
from gatefield.experiments.gates.gate_stability.verdicts import GAUSSIAN, signed
from gatefield.experiments.gates.setting import seeds
from gatefield.experiments.orders import scales_text
from gatefield.plot import (
    COLOURS,
    DATA,
    THEORY,
    WIDTH,
    end_labels,
    field_row,
    gain_text,
    legend_below,
    letter,
    plain_log_scale,
    say_setting,
    shades,
)

SHOWN = 6
"""Units whose final fields are shown."""
DASHES = ("-", "--", "-.")
"""Of learning rates, in their order."""
DOTS = 30
"""Dots of one line; more would hide what is below them."""
GATE = COLOURS[0]
CLASSES = {"both": (COLOURS[2], "-", "both classes together"), "positive": ("black", ":", "within the positive class")}
"""Colour, dash and name of the inputs over which kurtosis is taken."""
MARKS = "os^Dv"
"""Of gains, in their order."""


def draw(record: xr.Dataset) -> Figure:
    """What comes first, gate or field; and flips against the exact ones."""
    figure = Figure(figsize=(WIDTH, 7.0))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.25, 1.0]))
    parts = bottom.subfigures(1, 2)
    panels = [*top.subplots(1, 2), *(part.subplots() for part in parts)]
    titles = _settling(panels[:2], record.isel(gain=-1, rate=-1))
    _notes_rate(panels[2], record.isel(rate=0))
    _flips(panels[3], record)
    for part, axes, columns in zip(parts, panels[2:], (2, 3), strict=True):
        legend_below(part, axes, ncols=columns, columnspacing=1.0, handlelength=1.4)
    steps = int(record.step[1] - record.step[0])
    titles.append(f"gates: at most {_most_flips(record):.2g} % flip in {steps} steps")
    letter(panels, [*titles, "the flips of all rates fall on one curve" if record.sizes["rate"] > 1 else "flips"])
    counted = localized(record.isel(gain=-1, rate=-1))
    words = f"(a, b): rate {float(record.rate[-1]):g}, {int(counted.sum())} of {counted.size} units localize"
    _say(
        figure,
        record,
        words,
        "half-way from first to last: a field by its IPR, a gate by the inputs on which it is as at the end",
    )
    return figure


def more(record: xr.Dataset) -> Figure:
    """Kurtosis, then unit by unit, as in the note, final fields and flips, at the lowest and the highest gain; and the loss."""
    ends = sorted({0, record.sizes["gain"] - 1})
    figure = Figure(figsize=(WIDTH, 8.6))
    above, *rows, below = cast(Any, figure.subfigures(2 + len(ends), 1, height_ratios=[1.6, *[0.75] * len(ends), 1.35]))
    kurtosis = above.subplots(1, len(ends), squeeze=False)[0]
    fields = [row.subplots() for row in rows]
    flips = below.subplots(1, len(ends), sharey=True, squeeze=False)[0]
    for at, g in enumerate(ends):
        _unit_kurtosis(kurtosis[at], record.isel(gain=g, rate=-1))
        _unit_fields(fields[at], record.isel(gain=g, seed=0))
        _unit_flips(flips[at], record.isel(gain=g, seed=0))
    for color, dash, rate in zip(_colours(record), DASHES, record.rate.values, strict=False):
        flips[0].plot([], [], dash, color=color, linewidth=2, label=f"rate {rate:g}")
    legend_below(above, kurtosis[0])
    legend_below(below, flips[0])
    each = [record.isel(gain=g) for g in ends]
    letter([*kurtosis, *fields, *flips], [words(one) for words in (_kurtosis_text, _fields_text, _flips_text) for one in each])
    thin = "thin lines and dots: units of the first seed"
    _say(figure, record, thin, f"(a, b): rate {float(record.rate[-1]):g}, thick and diamonds: median over units and seeds")
    return figure


def _kurtosis_text(one: xr.Dataset) -> str:
    """From where to where excess kurtosis goes within the positive class."""
    middle = one.isel(rate=-1).kurtosis.sel(inputs="positive").median(("unit", "seed"))
    return f"{_gain(one)}: {signed(float(middle[0]))} to {signed(float(middle[-1]))} within a class"


def _fields_text(one: xr.Dataset) -> str:
    """How many units localize at each rate."""
    found = [int(localized(one.isel(rate=r)).sum()) for r in range(one.sizes["rate"])]
    total = one.sizes["unit"] * one.sizes["seed"]
    rates = ", ".join(f"{rate:g}" for rate in one.rate.values)
    return f"{_gain(one)}: {', '.join(map(str, found))} of {total} units localize at rates {rates} (final fields, scaled)"


def _flips_text(one: xr.Dataset) -> str:
    """How many times as rare flips are in the last tenth of all times than in the first one, at the highest rate."""
    flips = (1 - one.stability).mean(("unit", "seed"))
    tenth = max(1, flips.sizes["interval"] // 10)
    first = flips.isel(rate=0, interval=slice(tenth)).mean() / one.rate[0]
    last = flips.isel(rate=-1, interval=slice(-tenth, None)).mean() / one.rate[-1]
    return f"{_gain(one)}: flips become {float(first / last):.2g} times as rare"


def _gain(one: xr.Dataset) -> str:
    return f"gain {gain_text(float(one.gain))}"


def _shown(record: xr.Dataset) -> int:
    return min(SHOWN, record.sizes["unit"])


def _unit_fields(axes: Any, one: xr.Dataset) -> None:
    names = [f"unit {u + 1}" for u in range(_shown(one))]
    for r, (color, dash) in enumerate(zip(_colours(one), cycle(DASHES), strict=False)):
        fields = one.final.isel(rate=r).transpose("unit", "position")[: len(names)]
        field_row(axes, fields, names, dash, color=color, linewidth=0.7 + 0.5 * r)


def _unit_flips(axes: Any, one: xr.Dataset) -> None:
    """Flips per unit of time, which can be compared between rates."""
    some = _some(one.sizes["interval"])
    for r, (rate, color, dash) in enumerate(zip(one.rate.values, _colours(one), cycle(DASHES), strict=False)):
        changes = (1 - one.stability.isel(rate=r)).transpose("interval", "unit") / (float(one.step[1] - one.step[0]) * rate)
        axes.plot(_middles(one)[some] * rate, changes.where(changes > 0)[some], dash, color=color, linewidth=0.6, alpha=0.7)
    axes.set(xscale="log", yscale="log", xlabel="time (τ)", ylabel="flips per input and τ")


def _unit_kurtosis(axes: Any, one: xr.Dataset) -> None:
    """Over both classes together and within the positive one: every unit of the first seed, and the median of all."""
    time, ends = one.mark.values * float(one.rate), []
    time = np.append(time[1] / 3, time[1:])  # the start, for a logarithmic axis
    for name, (color, style, words) in CLASSES.items():
        values = one.kurtosis.sel(inputs=name).transpose("mark", "unit", "seed")
        middle = values.median(("unit", "seed"))
        axes.plot(time[1:], values.isel(seed=0)[1:], style, color=color, linewidth=0.6, alpha=0.25)
        axes.plot(time[1:], middle[1:], style, color=color, linewidth=2.4, zorder=4, label=words)
        axes.plot(
            np.full(values.sizes["unit"], time[0]), values.isel(seed=0, mark=0), ".", color=color, markersize=3, alpha=0.4
        )
        axes.plot(time[0], middle[0], "D", color=color, markersize=5, zorder=5)
        ends.append(float(middle[-1]))
    start = float(one.kurtosis.sel(inputs="positive").isel(mark=0).median())
    axes.annotate(signed(start), (time[0], start), (6, -9), textcoords="offset points", fontsize=7.5, zorder=5)
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.set(xlabel="time (τ)", ylabel="excess kurtosis\nof preactivations", xscale="log")
    decades = 10.0 ** np.arange(np.ceil(np.log10(time[1])), np.floor(np.log10(time[-1])) + 1)
    axes.set_xticks([time[0], *decades], ["start", *(f"{at:,.0f}" for at in decades)])
    axes.minorticks_off()
    axes.margins(y=0.12)
    end_labels(axes, ends, [signed(end) for end in ends], [color for color, *_ in CLASSES.values()])


def _say(figure: Any, record: xr.Dataset, *words: str) -> None:
    rates, steps = record.rate.values, int(record.step[-1])
    time = f"{steps} steps at learning rates {', '.join(f'{rate:g}' for rate in rates)} (up to {steps * rates.max():,.0f} τ)"
    sizes = f"n = {record.attrs['n']}", scales_text(record.attrs), f"{record.attrs['units']} units", seeds(record.sizes["seed"])
    say_setting(figure, *sizes, time, f"2\xa0×\xa0{record.attrs['samples']:,}\xa0samples", *words)


def _colours(record: xr.Dataset) -> list[str]:
    """Of the learning rates, which have an order."""
    return shades(record.sizes["rate"], "viridis", (0.0, 0.8))


def _some(length: int) -> np.ndarray:
    """Places along an axis of that length at which dots are drawn, evenly spaced on a logarithmic axis."""
    return np.unique(np.geomspace(1, length, DOTS).round().astype(int)) - 1


def _name_rates(axes: Any, record: xr.Dataset) -> None:
    for color, rate in zip(_colours(record), record.rate.values, strict=True):
        axes.plot([], [], color=color, linewidth=3, label=f"rate {rate:g}")


def _notes_rate(axes: Any, one: xr.Dataset) -> None:
    """p(t), as in figure 3 of the note: inputs whose gate is the same up to the next record; exact where that is known."""
    time = _middles(one) * float(one.rate)
    for g, gain in enumerate(one.gain.values):
        stays = one.stability.isel(gain=g).mean(("unit", "seed"))
        look = {"color": COLOURS[(0, 4)[g % 2]], "marker": MARKS[g % 5], "markersize": 3, "markeredgewidth": 0}
        axes.plot(time, stays, **{**DATA, **look}, label=f"sampled, gain {gain_text(gain)}")
        if gain <= GAUSSIAN:
            exact = one.gaussian_stability.isel(gain=g).mean(("unit", "seed"))
            axes.plot(time, exact, **THEORY, linewidth=1.2, label=f"exact, gain {gain_text(gain)}", zorder=4)
    every = int(one.step[1] - one.step[0])
    axes.set(xlabel="time (τ)", ylabel=f"p(t): gate as it is\nafter {every} steps")
    axes.set_ylim(top=1)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_formatter(lambda p, _: f"{p:.6g}")  # no offset: 0.9995, not 9.995e-1


def _most_flips(record: xr.Dataset) -> float:
    """From one record to the next at the lowest rate, in percent, mean over units and seeds."""
    return 100 * float((1 - record.stability.isel(rate=0)).mean(("unit", "seed")).max())


def _middles(record: xr.Dataset) -> np.ndarray:
    return (record.step[1:].values + record.step[:-1].values) / 2


def _flips(axes: Any, record: xr.Dataset) -> None:
    """Flips per unit of time, which can be compared between rates; exact ones where data are nearly Gaussian."""
    each = float(record.step[1] - record.step[0]) * record.rate
    flips, exact = ((1 - p).mean(("unit", "seed")) / each for p in (record.stability, record.gaussian_stability))
    middles, some = _middles(record), _some(record.sizes["interval"])
    _dots(axes, record, middles[some], flips.where(flips > 0).isel(interval=some))
    for gain in record.gain.values[record.gain.values <= GAUSSIAN]:
        for rate in record.rate.values:
            axes.plot(middles * rate, exact.sel(gain=gain, rate=rate), **THEORY, linewidth=0.9, zorder=4)
    axes.plot([], [], **THEORY, label="exact")
    plain_log_scale(axes)
    axes.set(ylabel="flips per input and τ")
    _name_rates(axes, record)
    _name_gains(axes, record)


def _name_gains(axes: Any, record: xr.Dataset) -> None:
    for g, gain in enumerate(record.gain.values):
        axes.plot([], [], MARKS[g % 5], color="0.4", markersize=4, label=f"gain {gain_text(gain)}")


def _dots(axes: Any, record: xr.Dataset, steps: np.ndarray, values: xr.DataArray) -> None:
    """One row of dots for each rate (colour) and gain (marker), against time."""
    sizes = np.linspace(5.5, 2.5, record.sizes["rate"])  # the later rates lie on the earlier ones
    for rate, color, size in zip(record.rate.values, _colours(record), sizes, strict=True):
        for g, gain in enumerate(record.gain.values):
            look = {"color": color, "marker": MARKS[g % 5], "markersize": size, "markeredgewidth": 0}
            axes.plot(steps * rate, values.sel(rate=rate, gain=gain), linestyle="none", **look)
    axes.set(xlabel="time (τ) = learning rate × step", xscale="log")


def _settling(panels: Any, one: xr.Dataset) -> list[str]:
    """Gate against field, a dot for each localized unit, on equal axes: what is below the diagonal had its gate first."""
    ((gate, field), counted), end = (settling(one), localized(one)), one.sizes["mark"] - 1
    time = one.mark.values * float(one.rate)
    x, both, settled = (time[np.minimum(at.values[counted.values], end)] for at in (field, halfway(one), gate))
    top = 1.08 * max([*x, *both, *settled, float(time[-1]) / 10])
    for axes, y, face in zip(panels, (both, settled), (GATE, "none"), strict=True):
        axes.plot([0, top], [0, top], **THEORY, linewidth=1.0, zorder=1)
        axes.plot(x, y, "o", color=GATE, markersize=5.5, alpha=0.6, markerfacecolor=face)
        axes.text(0.97, 0.06, "gate first", transform=axes.transAxes, ha="right", color="0.35", fontsize=8)
        axes.text(0.03, 0.94, "field first", transform=axes.transAxes, va="top", color="0.35", fontsize=8)
        axes.set(xlabel="field half-way (τ)", xlim=(0, top), ylim=(0, top), aspect="equal")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(4))
    panels[0].set_ylabel("gate half-way (τ)")
    panels[1].set_ylabel(f"gate as at the end\nfor {100 * SETTLED:g} % of inputs (τ)")
    return [
        f"half-way before its field: {_before(both, x)}",
        f"at {100 * SETTLED:g} % before field half-way: {_before(settled, x)}",
    ]


def _before(gate: np.ndarray, field: np.ndarray) -> str:
    """
    >>> _before(np.array([1.0, 3.0]), np.array([2.0, 3.0]))
    '1 of 2'
    """
    return f"{int((gate < field).sum())} of {len(field)}"
