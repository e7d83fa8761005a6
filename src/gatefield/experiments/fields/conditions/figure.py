"""The first figure of `conditions`: IPR by condition, and examples of fields."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.conditions.changes import CHANGES
from gatefield.experiments.fields.conditions.simulate import SURVIVES
from gatefield.experiments.fields.conditions.verdicts import OFFSETS, swapped_offsets
from gatefield.measures import LOCALIZED
from gatefield.plot import WIDTH, gain_text, legend_below, letter, say_setting, shades, small_field

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
MEDIANS, TIMES = 1.01, 1.12
"""Where columns of numbers stand beside the panel, in its widths."""
FIELD = "C0"
"""Of trained fields."""


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    drawn = Figure(figsize=(WIDTH, 6.8))
    top, bottom = cast(Any, drawn.subfigures(2, 1, height_ratios=[4.1, 1.3]))
    gain = shown_gain(record)
    conditions = top.subplots()
    _conditions(conditions, record)
    legend_below(top, conditions)
    first = _fields(bottom, record.isel(pair=0).sel(gain=gain))
    letter([conditions, first], [_widened(record), first.get_title(loc="left")])
    conditions.set_title(conditions.get_title(loc="left"), loc="left", pad=26)  # above the names of the levels
    first.set_title(first.get_title(loc="left"), loc="left", fontsize=8)
    time = f"{float(record.time[-1]):,.0f} τ of the baseline"
    survives = f"survives: IPR above {SURVIVES:g}"
    say_setting(
        drawn,
        *setting(record),
        time,
        "dots: seeds",
        survives,
        f"medians and times: gain {gain_text(gain)}",
        f"(b) gain {gain_text(gain)}, one seed",
    )
    return drawn


def setting(record: xr.Dataset) -> list[str]:
    """What both figures depend on."""
    first = record.isel(pair=0)
    scales = f"length scales {float(first.xi1):g} (positive class) and {float(first.xi0):g}"
    return [f"n = {record.sizes['position']}", scales, f"{record.sizes['seed']} seeds"]


def _widened(record: xr.Dataset) -> str:
    """Where an output at 1/2 for no input leaves the fields, and those of the swapped order."""
    wide = record.isel(pair=0).sel(gain=shown_gain(record), condition=list(OFFSETS)).end_ipr.median("seed")
    if not bool((wide < SURVIVES).all() and (wide > LOCALIZED).all()):
        return "final fields under each condition"
    swapped = swapped_offsets(record)
    if swapped is not None and float(swapped.min()) >= LOCALIZED:
        return "bias or cross-entropy: fields wider, swapped order localized, too"
    return f"with a bias or cross-entropy fields are localized, but below {SURVIVES:g}"


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
        _dots(axes, places, ends, MARKERS[-i], _pair_label(record, i), look)
    base = float(one.end_ipr.sel(condition="baseline", gain=gain).median())
    _level(axes, base, f"baseline\n{base:.2f}", "-")
    _level(axes, SURVIVES, f"survives\n{SURVIVES:g}", ":")
    _level(axes, LOCALIZED, f"localized\n{LOCALIZED:g}", ":")
    axes.axhline(len(CHANGES) - 0.3, color="0.8", linewidth=0.8)
    for place, name in zip(places, CHANGES, strict=False):
        shown = one.sel(condition=name, gain=gain)
        _beside(axes, place, time_text(shown), TIMES)
    _beside(axes, -1.0, f"time until it\nstays above {SURVIVES:g}", TIMES)
    _medians(axes, places, one.sel(gain=gain), gain)
    units = record.sizes["unit"]
    axes.set_yticks(places, [*(LABELS[name] for name in CHANGES), f"{units} units, random", f"{units} units, basis"])
    axes.tick_params(axis="y", length=0)
    axes.set(xlabel="inverse participation ratio of final fields", xlim=(0, 0.9), ylim=(places[-1] + 0.6, -0.6))


def _pair_label(record: xr.Dataset, i: int) -> str:
    """Another pair in the legend; the first one in the other order is swapped."""
    first, other = ((float(one.xi1), float(one.xi0)) for one in (record.isel(pair=0), record.isel(pair=i)))
    words = "swapped" if other == first[::-1] else "scales"
    return f"gain {gain_text(shown_gain(record))}, {words}: {record.pair.values[i]}"


def _level(axes: Any, at: float, words: str, style: str) -> None:
    """A line across all conditions, named above."""
    axes.axvline(at, color="0.4", linewidth=1.0 if style == ":" else 0.8, linestyle=style, zorder=0)
    place: Any = {"ha": "center", "va": "bottom", "fontsize": 8, "color": "0.35", "transform": axes.get_xaxis_transform()}
    axes.text(at, 1.005, words, **place)


def _medians(axes: Any, places: np.ndarray, one: xr.Dataset, gain: float) -> None:
    """Of the seeds of each row at the gain of the title: a stroke, and its number at the side."""
    medians = np.median(_all_ends(one), axis=0)
    axes.plot(medians, places, "|", color="k", markersize=11, markeredgewidth=1.2, label=f"median, gain {gain_text(gain)}")
    for place, value in zip(places, medians, strict=True):
        _beside(axes, place, f"{value:.2f}", MEDIANS)
    _beside(axes, -1.0, "median\nIPR", MEDIANS)


def _beside(axes: Any, at: float, words: str, column: float) -> None:
    axes.text(column, at, words, ha="left", va="center", fontsize=8, transform=axes.get_yaxis_transform())


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
        axes.set_xlabel("site")
        axes.set_title(SHORT.get(name, LABELS[name]), loc="left", fontsize=8)
    return panels[0]


def placed(field: np.ndarray, boundary: str) -> np.ndarray:
    """The field with its largest entry positive and, on a ring, in the middle."""
    largest = int(np.abs(field).argmax())
    field = field * np.sign(field[largest])
    return np.roll(field, len(field) // 2 - largest) if boundary == "ring" else field
