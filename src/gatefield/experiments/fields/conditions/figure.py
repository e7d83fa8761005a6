"""IPR by condition, examples of fields, places on the open line, and the first moments from a standard normal start."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from gatefield.experiments.fields.conditions.changes import CHANGES
from gatefield.experiments.fields.conditions.simulate import SURVIVES
from gatefield.experiments.fields.conditions.verdicts import OFFSETS
from gatefield.plot import THEORY, WIDTH, gain_text, letter, plain_log_scale, say_setting, shades, small_field

EXAMPLES = ("baseline", "line", "readout", "adam", "bias", "cross-entropy", "entropy-alone")
"""The conditions whose fields are drawn."""
LABELS = {
    "baseline": "baseline",
    "line": "open\nline",
    "basis": "basis\nstart",
    "normal": "normal\nstart",
    "readout": "learned\nreadout",
    "momentum": "momentum",
    "adam": "Adam",
    "bias": "output\nbias",
    "cross-entropy": "cross-ent.\n+ bias",
    "entropy-alone": "cross-\nentropy",
}
MARKERS = "os^vD"
"""Of gains, beside their colours."""
FIELD = "C0"
"""Of trained fields."""


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    drawn = Figure(figsize=(WIDTH, 7.2))
    top, middle, bottom = cast(Any, drawn.subfigures(3, 1, height_ratios=[1.55, 0.72, 1.1]))
    gain = shown_gain(record)
    conditions = top.subplots()
    _conditions(conditions, record)
    first = _fields(middle, record.isel(pair=0).sel(gain=gain))
    line, size, terms = bottom.subplots(1, 3, width_ratios=[1.15, 1.0, 1.0])
    _on_the_line(line, record.isel(pair=0).sel(gain=gain, condition="line"))
    _sizes(size, record.sel(gain=gain))
    _terms(terms, record.sel(gain=gain))
    titles = [
        f"final fields (numbers: medians); on top: time until the IPR stays above {SURVIVES:g}, gain {gain_text(gain)}",
        first.get_title(loc="left"),
        "where on an open line",
        "from a normal start",
        "what moves it",
    ]
    letter([conditions, first, line, size, terms], titles)
    n, seeds = f"n = {record.sizes['position']}", f"{record.sizes['seed']} seeds"
    scales, time = f"length scales {record.pair.values[0]}", f"{float(record.time[-1]):,.0f} τ of the baseline"
    say_setting(drawn, n, scales, time, seeds, f"(b) to (e): gain {gain_text(gain)}", "(b): one seed, by site")
    return drawn


def shown_gain(record: xr.Dataset) -> float:
    """Gain 3 if it is there, else the largest."""
    gains = record.gain.values
    return 3.0 if 3.0 in gains else float(gains[-1])


def _conditions(axes: Any, record: xr.Dataset) -> None:
    """Every seed of the first pair; the baseline's median goes across."""
    one, gain = record.isel(pair=0), shown_gain(record)
    places = np.arange(len(CHANGES) + 2) + np.repeat([0.0, 0.4], [len(CHANGES), 2])
    for g, (value, colour) in enumerate(zip(one.gain.values, _colours(record), strict=True)):
        shift = 0.24 * (g - (one.sizes["gain"] - 1) / 2)
        look: dict[str, Any] = {"color": colour, "alpha": 0.8, "markeredgewidth": 0}
        _dots(axes, places + shift, _all_ends(one.isel(gain=g)), MARKERS[g % 5], f"gain {gain_text(value)}", look)
    for i in range(1, record.sizes["pair"]):
        ends, look = _all_ends(record.isel(pair=i).sel(gain=gain)), {"color": "C1", "markerfacecolor": "none"}
        _dots(axes, places, ends, MARKERS[-i], f"gain {gain_text(gain)}, scales {record.pair.values[i]}", look)
    base = float(one.end_ipr.sel(condition="baseline", gain=gain).median())
    axes.axhline(base, color="0.4", linewidth=0.8, zorder=0, label=f"baseline, median {base:.2f}")
    axes.axhline(SURVIVES, color="0.4", linewidth=1.0, linestyle=":", zorder=0, label=f"survives: above {SURVIVES:g}")
    for place, name in zip(places, CHANGES, strict=False):
        shown = one.sel(condition=name, gain=gain)
        axes.text(place, 1.0, time_text(shown), ha="center", va="bottom", fontsize=8)
        if name in OFFSETS:
            median = f"{float(shown.end_ipr.median()):.2f}"
            axes.text(place, SURVIVES + 0.02, median, ha="center", va="bottom", fontsize=8, color="0.3")
    axes.text(places[-2:].mean(), 1.0, "committees", ha="center", va="bottom", fontsize=8, style="italic")
    axes.axvline(len(CHANGES) - 0.3, color="0.8", linewidth=0.8)
    names = [
        *(LABELS[name] for name in CHANGES),
        f"{record.sizes['unit']} units,\nrandom",
        f"{record.sizes['unit']} units,\nbasis",
    ]
    axes.set_xticks(places, names, rotation=45, ha="right", rotation_mode="anchor")
    axes.set(ylabel="inverse participation ratio", ylim=(0, 1.12), xlim=(-0.6, places[-1] + 0.6))
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.32), ncols=4, handlelength=1.4, columnspacing=1.2)


def _colours(record: xr.Dataset) -> list[str]:
    """Of gains."""
    return shades(record.sizes["gain"], between=(0.0, 0.75))


def _all_ends(one: xr.Dataset) -> np.ndarray:
    """(seed, condition): the IPR of each neuron, then the median over units of committees from both starts."""
    neurons = one.end_ipr.transpose("seed", "condition").values
    return np.hstack([neurons, one.committee_ipr.median("unit").transpose("seed", "start").values])


def _dots(axes: Any, places: np.ndarray, values: np.ndarray, marker: str, label: str, look: dict[str, Any]) -> None:
    """One dot for each seed, side by side."""
    spread = np.linspace(-0.08, 0.08, len(values)) if len(values) > 1 else [0.0]
    for k, (shift, row) in enumerate(zip(spread, values, strict=True)):
        axes.plot(places + shift, row, marker, linestyle="none", markersize=4, label=label if k == 0 else None, **look)


def time_text(one: xr.Dataset) -> str:
    """When half of the seeds have localized: in tau; in steps where time is not that of the flow."""
    steps, times = one.localized_step.values, one.localized_at.values
    known = np.isfinite(steps)
    if known.mean() < 0.5:
        return "–"
    if np.isfinite(times[known]).all():
        return f"{np.median(times[known]):.0f} τ"
    return f"{np.median(steps[known]):.0f} steps"


def _fields(part: Any, one: xr.Dataset) -> Any:
    """The first seed's field; on the ring with its largest entry in the middle. **Returns** the first panel."""
    panels = part.subplots(1, len(EXAMPLES), sharey=True)
    for axes, name in zip(panels, EXAMPLES, strict=True):
        end = one.end.sel(condition=name).isel(seed=0)
        shown = end.copy(data=placed(end.values, CHANGES[name].conditions.boundary))
        small_field(axes, shown, "o-", color=FIELD, markersize=2, linewidth=0.8)
        axes.set_ylim(-0.4, 1.15)
        axes.set_xticks([0, len(end) // 2])
        axes.set_title(LABELS[name], loc="left", fontsize=8)
    return panels[0]


def placed(field: np.ndarray, boundary: str) -> np.ndarray:
    """The field with its largest entry positive and, on a ring, in the middle."""
    largest = int(np.abs(field).argmax())
    field = field * np.sign(field[largest])
    return np.roll(field, len(field) // 2 - largest) if boundary == "ring" else field


def _on_the_line(axes: Any, one: xr.Dataset) -> None:
    """All fields on the line, each with its sign and scale taken out, and the attracting mode of Gaussian data."""
    for k in range(one.sizes["seed"]):
        field, label = placed(one.end.isel(seed=k).values, "line"), "trained" if k == 0 else None
        axes.plot(one.position, field / field.max(), color=FIELD, linewidth=0.9, alpha=0.7, label=label)
    mode = placed(one.line_mode.values, "line")
    axes.plot(one.position, mode / mode.max(), **THEORY, linewidth=1.2, label="Gaussian mode")
    axes.set(xlabel="site of the open line", ylabel="weight / maximum", ylim=(-0.3, 1.75))
    axes.legend(loc="upper left", handlelength=1.2, borderaxespad=0.1)


def _sizes(axes: Any, one: xr.Dataset) -> None:
    """The size and the IPR of the fields of all seeds from a standard normal start."""
    late = one.isel(moment=slice(1, None))
    for name, colour, style, label in (("early_size", "C0", "-", "|w|"), ("early_ipr", "C1", "--", "IPR")):
        _all_seeds(axes, late, late[name], colour, label, style)
    axes.axhline(SURVIVES, color="0.4", linewidth=1.0, linestyle=":")
    plain_log_scale(axes, "x")
    plain_log_scale(axes)
    axes.set(xlabel="time (τ)", ylabel="|w| and IPR")
    first = late.isel(moment=0)
    at = float(first.early_time)
    axes.text(at, 0.7 * float(first.early_size.min()), "|w|", color="C0", va="top", fontsize=9)
    axes.text(at, 1.2 * float(first.early_ipr.max()), "IPR", color="C1", va="bottom", fontsize=9)


def _terms(axes: Any, one: xr.Dataset) -> None:
    """Both terms of the velocity of all seeds."""
    late = one.isel(moment=slice(1, None))
    _all_seeds(axes, late, late.early_pull, "C0", "first, |f/2|")
    _all_seeds(axes, late, late.early_brake, "C1", "second, |(S₀+S₁)w/4|", "--")
    plain_log_scale(axes, "x")
    plain_log_scale(axes)
    axes.set(xlabel="time (τ)", ylabel="terms of the velocity")
    _room_above(axes)
    axes.legend(loc="upper right", handlelength=1.4, borderaxespad=0.1)


def _room_above(axes: Any) -> None:
    """For a legend, on a logarithmic scale."""
    axes.yaxis.set_minor_formatter(NullFormatter())
    low, high = axes.get_ylim()
    axes.set_ylim(low, high * (high / low) ** 0.35)


def _all_seeds(axes: Any, one: xr.Dataset, values: xr.DataArray, color: str, label: str, style: str = "-") -> None:
    for k, row in enumerate(values.transpose("seed", "moment").values):
        axes.plot(one.early_time, row, style, color=color, linewidth=1.0, alpha=0.7, label=label if k == 0 else None)
