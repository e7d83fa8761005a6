"""IPR by condition, examples of fields, places on the open line, and the first moments from a standard normal start."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from gatefield.experiments.fields.conditions.changes import CHANGES
from gatefield.experiments.fields.conditions.simulate import SURVIVES
from gatefield.experiments.fields.conditions.verdicts import OFFSETS
from gatefield.experiments.localized import LOCALIZED
from gatefield.plot import THEORY, WIDTH, gain_text, letter, plain_log_scale, say_setting, shades, small_field

EXAMPLES = ("baseline", "line", "readout", "adam", "bias", "cross-entropy", "entropy-alone")
"""The conditions whose fields are drawn."""
LABELS = {
    "baseline": "baseline",
    "line": "open line",
    "basis": "basis-vector start",
    "normal": "normal start",
    "readout": "learned readout",
    "momentum": "momentum",
    "adam": "Adam",
    "bias": "output bias",
    "cross-entropy": "cross-entropy + bias",
    "entropy-alone": "cross-entropy",
}
SHORT = {"readout": "learned\nreadout", "cross-entropy": "cross-ent.\n+ bias", "entropy-alone": "cross-\nentropy"}
"""Names that fit above a small panel."""
MARKERS = "os^vD"
"""Of gains, beside their colours."""
FIELD = "C0"
"""Of trained fields."""


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    drawn = Figure(figsize=(WIDTH, 6.6))
    top, bottom = cast(Any, drawn.subfigures(2, 1, height_ratios=[4.1, 1.3]))
    gain = shown_gain(record)
    conditions = top.subplots()
    _conditions(conditions, record)
    first = _fields(bottom, record.isel(pair=0).sel(gain=gain))
    letter([conditions, first], [_widened(record), first.get_title(loc="left")])
    conditions.set_title(conditions.get_title(loc="left"), loc="left", pad=26)  # above the names of the levels
    first.set_title(first.get_title(loc="left"), loc="left", fontsize=8)
    say_setting(drawn, *_setting(record), "dots: seeds", f"times and (b): gain {gain_text(gain)}", "(b): one seed")
    return drawn


def more(record: xr.Dataset) -> Figure:
    """Places on the open line, and the first moments from a standard normal start."""
    drawn = Figure(figsize=(WIDTH, 2.9))
    gain = shown_gain(record)
    line, size, terms = cast(Any, drawn).subplots(1, 3, width_ratios=[1.15, 1.0, 1.0])
    _on_the_line(line, record.isel(pair=0).sel(gain=gain, condition="line"))
    _sizes(size, record.sel(gain=gain))
    _terms(terms, record.sel(gain=gain))
    letter([line, size, terms], _findings(record))
    say_setting(drawn, *_setting(record), f"gain {gain_text(gain)}", "lines: seeds", "(b, c) normal start")
    return drawn


def _findings(record: xr.Dataset) -> list[str]:
    """What the panels of `more` show, as far as it is so."""
    one = record.sel(gain=shown_gain(record))
    sites = np.abs(one.isel(pair=0).sel(condition="line").end.values).argmax(-1)
    first, last = one.isel(moment=1), one.isel(moment=-1)
    anywhere = np.ptp(sites) > record.sizes["position"] / 2
    shrinks = bool((last.early_size < first.early_size).all())
    leads = bool((first.early_pull < first.early_brake).all())
    return [
        "on an open line: anywhere" if anywhere else "where on an open line",
        "from a normal start: shrinks" if shrinks else "from a normal start",
        "second term leads" if leads else "what moves it",
    ]


def _setting(record: xr.Dataset) -> list[str]:
    scales, time = f"length scales {record.pair.values[0]}", f"{float(record.time[-1]):,.0f} τ of the baseline"
    return [f"n = {record.sizes['position']}", scales, time, f"{record.sizes['seed']} seeds"]


def _widened(record: xr.Dataset) -> str:
    """Where an output at 1/2 for no input leaves the fields between the two lines."""
    wide = record.isel(pair=0).sel(gain=shown_gain(record), condition=list(OFFSETS)).end_ipr.median("seed")
    if bool((wide < SURVIVES).all() and (wide > LOCALIZED).all()):
        return f"with a bias or cross-entropy: above {LOCALIZED:g} (localized), below {SURVIVES:g} (survives)"
    return "final fields under each condition"


def shown_gain(record: xr.Dataset) -> float:
    """Gain 3 if it is there, else the largest."""
    gains = record.gain.values
    return 3.0 if 3.0 in gains else float(gains[-1])


def _conditions(axes: Any, record: xr.Dataset) -> None:
    """A row for each condition, with every seed of the first pair; at the side when its fields localize."""
    one, gain = record.isel(pair=0), shown_gain(record)
    places = np.arange(len(CHANGES) + 2) + np.repeat([0.0, 0.4], [len(CHANGES), 2])
    for g, (value, colour) in enumerate(zip(one.gain.values, _colours(record), strict=True)):
        shift = 0.22 * (g - (one.sizes["gain"] - 1) / 2)
        look: dict[str, Any] = {"color": colour, "alpha": 0.8, "markeredgewidth": 0}
        _dots(axes, places + shift, _all_ends(one.isel(gain=g)), MARKERS[g % 5], f"gain {gain_text(value)}", look)
    for i in range(1, record.sizes["pair"]):
        ends, look = _all_ends(record.isel(pair=i).sel(gain=gain)), {"color": "C1", "markerfacecolor": "none"}
        _dots(axes, places, ends, MARKERS[-i], f"gain {gain_text(gain)}, scales {record.pair.values[i]}", look)
    base = float(one.end_ipr.sel(condition="baseline", gain=gain).median())
    _level(axes, base, f"baseline\n{base:.2f}", "-")
    _level(axes, SURVIVES, f"survives\n{SURVIVES:g}", ":")
    _level(axes, LOCALIZED, f"localized\n{LOCALIZED:g}", ":")
    axes.axhline(len(CHANGES) - 0.3, color="0.8", linewidth=0.8)
    for place, name in zip(places, CHANGES, strict=False):
        shown = one.sel(condition=name, gain=gain)
        _beside(axes, place, time_text(shown))
    _beside(axes, -1.0, f"time until it\nstays above {SURVIVES:g}")
    units = record.sizes["unit"]
    axes.set_yticks(places, [*(LABELS[name] for name in CHANGES), f"{units} units, random", f"{units} units, basis"])
    axes.tick_params(axis="y", length=0)
    axes.set(xlabel="inverse participation ratio of final fields", xlim=(0, 0.9), ylim=(places[-1] + 0.6, -0.6))
    axes.legend(loc="upper left", handlelength=1.0, borderaxespad=0.1, bbox_to_anchor=(0.38, 0.4))


def _level(axes: Any, at: float, words: str, style: str) -> None:
    """A line across all conditions, named above."""
    axes.axvline(at, color="0.4", linewidth=1.0 if style == ":" else 0.8, linestyle=style, zorder=0)
    place: Any = {"ha": "center", "va": "bottom", "fontsize": 8, "color": "0.35", "transform": axes.get_xaxis_transform()}
    axes.text(at, 1.005, words, **place)


def _beside(axes: Any, at: float, words: str) -> None:
    axes.text(1.02, at, words, ha="left", va="center", fontsize=8, transform=axes.get_yaxis_transform())


def _colours(record: xr.Dataset) -> list[str]:
    """Of gains."""
    return shades(record.sizes["gain"], between=(0.0, 0.75))


def _all_ends(one: xr.Dataset) -> np.ndarray:
    """(seed, condition): the IPR of each neuron, then the median over units of committees from both starts."""
    neurons = one.end_ipr.transpose("seed", "condition").values
    return np.hstack([neurons, one.committee_ipr.median("unit").transpose("seed", "start").values])


def _dots(axes: Any, places: np.ndarray, values: np.ndarray, marker: str, label: str, look: dict[str, Any]) -> None:
    """One dot for each seed, one above another."""
    spread = np.linspace(-0.09, 0.09, len(values)) if len(values) > 1 else [0.0]
    for k, (shift, row) in enumerate(zip(spread, values, strict=True)):
        axes.plot(row, places + shift, marker, linestyle="none", markersize=3.5, label=label if k == 0 else None, **look)


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
        axes.set_title(SHORT.get(name, LABELS[name]), loc="left", fontsize=8)
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
    for name, colour, label in (("early_size", "C0", "|w|"), ("early_ipr", "C1", "IPR")):
        _all_seeds(axes, late, late[name], colour, label)
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
    _all_seeds(axes, late, late.early_brake, "C1", "second, |(S₀+S₁)w/4|")
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


def _all_seeds(axes: Any, one: xr.Dataset, values: xr.DataArray, color: str, label: str) -> None:
    for k, row in enumerate(values.transpose("seed", "moment").values):
        axes.plot(one.early_time, row, color=color, linewidth=1.0, alpha=0.7, label=label if k == 0 else None)
