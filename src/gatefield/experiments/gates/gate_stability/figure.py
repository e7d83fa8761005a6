"""The figures of `gate-stability`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from gatefield.experiments.gates.gate_stability.paths import SETTLED, halfway, localized, settling
from gatefield.experiments.gates.gate_stability.verdicts import GAUSSIAN, last_kurtosis
from gatefield.experiments.gates.setting import seeds
from gatefield.experiments.orders import scales_text
from gatefield.plot import (
    COLOURS,
    DATA,
    THEORY,
    WIDTH,
    field_row,
    gain_text,
    letter,
    plain_log_scale,
    say_setting,
    shades,
    small_field,
)

SHOWN = 6
"""Units whose final fields are shown."""
DOTS = 30
"""Dots of one line; more would hide what is below them."""
GATE = COLOURS[0]
MARKS = "os^Dv"
"""Of gains, in their order."""


def draw(record: xr.Dataset) -> Figure:
    """Flips against the exact ones, their sum, the loss, what settles first, and two units."""
    figure = Figure(figsize=(WIDTH, 7.4))
    panels = cast(Any, figure.subplots(3, 2))
    _notes_rate(panels[0, 0], record.isel(rate=0))
    _flips(panels[0, 1], record)
    _loss(panels[1, 0], record)
    _settling(panels[1, 1], record.isel(gain=-1, rate=-1))
    top = record.isel(gain=-1, seed=0)
    unit = top.isel(unit=int(top.ipr.isel(rate=-1, mark=-1).argmax("unit")))
    _field(panels[2, 0], unit)
    _kurtosis(panels[2, 1], record.isel(gain=-1))
    gain, rate = gain_text(float(top.gain)), float(record.rate[0])
    titles = [
        f"rate {rate:g}: of inputs at most {_most_flips(record):.2g} % flip",
        "the flips of all rates fall on one curve",
        f"the rate {rate:g} stops before the loss is down",
        f"gain {gain}: {_first(record.isel(gain=-1, rate=-1))}",
        f"gain {gain}: the most localized unit, by rate",
        f"gain {gain}: kurtosis falls with localization",
    ]
    letter(panels, titles if record.sizes["rate"] > 1 else [*titles[:1], "flips", "loss", *titles[3:]])
    counted = localized(record.isel(gain=-1, rate=-1))
    _say(figure, record, "band: quartiles over units and seeds", f"(d): {int(counted.sum())} of {counted.size} units localize")
    return figure


def more(record: xr.Dataset) -> Figure:
    """Unit by unit, as in the note: final fields, flips and kurtosis, at the lowest and the highest gain."""
    ends = sorted({0, record.sizes["gain"] - 1})
    figure = Figure(figsize=(WIDTH, 3.2 * len(ends) + 1.0))
    grid = figure.add_gridspec(2 * len(ends), 2, height_ratios=[0.6] * len(ends) + [1.0] * len(ends))
    fields = [figure.add_subplot(grid[row, :]) for row in range(len(ends))]
    panels = np.array([[figure.add_subplot(grid[len(ends) + row, side]) for side in (0, 1)] for row in range(len(ends))])
    for row, (g, (flips, kurtosis)) in enumerate(zip(ends, panels, strict=True)):
        one = record.isel(gain=g, seed=0)
        _unit_fields(fields[row], one)
        _unit_flips(flips, one)
        _unit_kurtosis(kurtosis, one)
    _name_rates(fields[0], record, loc="lower right", bbox_to_anchor=(1.0, 0.97), ncols=record.sizes["rate"])
    gains = [f"gain {gain_text(float(record.gain[g]))}" for g in ends]
    letter(fields, [f"{gain}: final fields of {_shown(record)} units, scaled" for gain in gains])
    names = [words for g in ends for words in _unit_titles(record.isel(gain=g))]
    letter(panels, names, start=chr(ord("a") + len(ends)))
    _say(figure, record, "first seed, a line for each unit")
    return figure


def _shown(record: xr.Dataset) -> int:
    return min(SHOWN, record.sizes["unit"])


def _unit_titles(one: xr.Dataset) -> tuple[str, str]:
    """The second says where the median unit ends at the highest rate."""
    gain = f"gain {gain_text(float(one.gain))}"
    return f"{gain}: flips of each unit", f"{gain}: to {last_kurtosis(one, ', in one class ')}"


def _unit_fields(axes: Any, one: xr.Dataset) -> None:
    names = [f"unit {u + 1}" for u in range(_shown(one))]
    for r, color in enumerate(_colours(one)):
        fields = one.final.isel(rate=r).transpose("unit", "position")[: len(names)]
        field_row(axes, fields, names, color=color, linewidth=0.7 + 0.5 * r)


def _unit_flips(axes: Any, one: xr.Dataset) -> None:
    """Flips per unit of time, which can be compared between rates."""
    some = _some(one.sizes["interval"])
    for r, (rate, color) in enumerate(zip(one.rate.values, _colours(one), strict=True)):
        changes = (1 - one.stability.isel(rate=r)).transpose("interval", "unit") / (float(one.step[1] - one.step[0]) * rate)
        axes.plot(_middles(one)[some] * rate, changes.where(changes > 0)[some], color=color, linewidth=0.6, alpha=0.7)
    axes.set(xscale="log", yscale="log", xlabel="time (τ)", ylabel="flips per input and τ")


def _unit_kurtosis(axes: Any, one: xr.Dataset) -> None:
    """Over both classes together, and at the highest rate within the positive one."""
    both, single = (one.kurtosis.sel(inputs=name).transpose("rate", "mark", "unit") for name in ("both", "positive"))
    for rate, color, each in zip(one.rate.values, _colours(one), both, strict=True):
        axes.plot(one.mark * rate, each, color=color, linewidth=0.7, alpha=0.8)
    axes.plot(one.mark * float(one.rate[-1]), single[-1], ":", color="0.4", linewidth=0.8)
    axes.plot([], [], color=_colours(one)[-1], label="both classes")
    axes.plot([], [], ":", color="0.4", label=f"positive class, rate {float(one.rate[-1]):g}")
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.set(xlabel="time (τ)", ylabel="excess kurtosis\nof preactivations", xscale="symlog", xlim=(0, None))
    axes.legend(fontsize=7)


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


def _name_rates(axes: Any, record: xr.Dataset, **options: Any) -> None:
    for color, rate in zip(_colours(record), record.rate.values, strict=True):
        axes.plot([], [], color=color, linewidth=3, label=f"rate {rate:g}")
    axes.legend(**options)


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
    axes.set_ylim(1 - 1.6 * (1 - axes.get_ylim()[0]), 1)  # room for the legend, whose marks look like data
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_formatter(lambda p, _: f"{p:.6g}")  # no offset: 0.9995, not 9.995e-1
    axes.legend(loc="lower right")


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
    _name_looks(axes, record)


def _name_looks(axes: Any, record: xr.Dataset) -> None:
    """Rates and gains, in two legends."""
    _name_rates(axes, record, loc="lower left")
    axes.add_artist(axes.get_legend())  # a second legend would replace it
    axes.legend(handles=_gain_marks(record), loc="upper right")


def _loss(axes: Any, record: xr.Dataset) -> None:
    some = 1 + _some(record.sizes["step"] - 1)
    _dots(axes, record, record.step.values[some], record.loss.mean("seed").isel(step=some))
    axes.set(ylabel="loss")
    _name_looks(axes, record)


def _gain_marks(record: xr.Dataset) -> list[Line2D]:
    look: Any = {"linestyle": "none", "color": "0.4", "markersize": 4}
    return [
        Line2D([], [], marker=MARKS[g % 5], label=f"gain {gain_text(gain)}", **look)
        for g, gain in enumerate(record.gain.values)
    ]


def _dots(axes: Any, record: xr.Dataset, steps: np.ndarray, values: xr.DataArray) -> None:
    """One row of dots for each rate (colour) and gain (marker), against time."""
    sizes = np.linspace(5.5, 2.5, record.sizes["rate"])  # the later rates lie on the earlier ones
    for rate, color, size in zip(record.rate.values, _colours(record), sizes, strict=True):
        for g, gain in enumerate(record.gain.values):
            look = {"color": color, "marker": MARKS[g % 5], "markersize": size, "markeredgewidth": 0}
            axes.plot(steps * rate, values.sel(rate=rate, gain=gain), linestyle="none", **look)
    axes.set(xlabel="time (τ) = learning rate × step", xscale="log")


def _settling(axes: Any, one: xr.Dataset) -> None:
    """When gates settle against when fields are half-way, a dot for each localized unit; on the line both at once."""
    ((gate, field), counted), end = (settling(one), localized(one)), one.sizes["mark"] - 1
    time = one.mark.values * float(one.rate)
    x, both, settled = (time[np.minimum(at.values[counted.values], end)] for at in (field, halfway(one), gate))
    top = 1.08 * max([*x, *both, *settled, float(time[-1]) / 10])
    axes.plot([0, top], [0, top], **THEORY, linewidth=1.0, zorder=1, label="both at once")
    look: Any = {"linestyle": "none", "marker": "o", "color": GATE, "markersize": 4.5}
    name = f"gate at {100 * SETTLED:g} %: {_before(settled, x)}"
    axes.plot(x, settled, **look, alpha=0.7, markerfacecolor="none", label=name)
    axes.plot(x, both, **look, alpha=0.6, markeredgewidth=0, label=f"gate half-way: {_before(both, x)}")
    axes.set(xlabel="field half-way (τ)", ylabel="gate there (τ)", xlim=(0, top), ylim=(0, 1.6 * top))
    axes.legend(loc="upper left", fontsize=7.5, handletextpad=0.3)


def _first(one: xr.Dataset) -> str:
    """Which is first, in a title: the gate in most units at half-way, and in fewer at the end, or otherwise."""
    (gate, field), counted = settling(one), localized(one)
    half, settled = (int(((at < field) & counted).sum()) for at in (halfway(one), gate))
    led = half > int(counted.sum()) / 2 > settled
    return f"gate first half-way, not at {100 * SETTLED:g} %" if led else "which is first, gate or field?"


def _before(gate: np.ndarray, field: np.ndarray) -> str:
    """
    >>> _before(np.array([1.0, 3.0]), np.array([2.0, 3.0]))
    'before the field in 1 of 2'
    """
    return f"before the field in {int((gate < field).sum())} of {len(field)}"


def _field(axes: Any, one: xr.Dataset) -> None:
    """The final field of one unit, the most localized one, at each rate, scaled."""
    field = one.final.assign_coords(position=np.arange(one.sizes["position"]))
    for r, color in enumerate(_colours(one)):
        small_field(axes, field.isel(rate=r), color=color, linewidth=1.0 + 0.4 * r)
    axes.set(xlabel="site", ylabel="final field, scaled", ylim=(-1.15, 1.7))  # room for the legend
    _name_rates(axes, one, loc="upper center", ncols=3, fontsize=7)


def _kurtosis(axes: Any, one: xr.Dataset) -> None:
    """Median and quartiles over units and seeds at the highest gain, within the positive class."""
    for r, (rate, color) in enumerate(zip(one.rate.values, _colours(one), strict=True)):
        values = one.kurtosis.sel(inputs="positive").isel(rate=r)
        low, middle, high = values.quantile([0.25, 0.5, 0.75], ("unit", "seed")).values
        axes.fill_between(one.mark * float(rate), low, high, color=color, alpha=0.25, linewidth=0)
        axes.plot(one.mark * float(rate), middle, color=color)
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.set(xlabel="time (τ)", ylabel="excess kurtosis,\npositive class", xscale="symlog")
    _name_rates(axes, one, loc="lower left")
