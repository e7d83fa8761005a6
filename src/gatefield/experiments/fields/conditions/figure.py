"""IPR by condition, examples of fields, places on the open line, and the first moments from a standard normal start."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.conditions.changes import CHANGES
from gatefield.experiments.fields.conditions.simulate import SURVIVES
from gatefield.plot import THEORY, gain_text, plain_log_scale, small_field

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
    "cross-entropy": "cross-entr.\n+ bias",
    "entropy-alone": "cross-\nentropy",
}
MARKERS = "os^vD"
"""Of gains, beside their colours."""


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    drawn = Figure(figsize=(10.5, 9.5))
    top, middle, bottom = cast(Any, drawn.subfigures(3, 1, height_ratios=[1.5, 0.75, 1.15]))
    gain = shown_gain(record)
    _conditions(top.subplots(), record)
    colour = f"C{list(record.gain.values).index(gain)}"
    _fields(middle, record.isel(pair=0).sel(gain=gain), colour)
    line, size, terms = bottom.subplots(1, 3, width_ratios=[1.2, 1.0, 1.0])
    _on_the_line(line, record.isel(pair=0).sel(gain=gain, condition="line"), colour)
    _sizes(size, record.sel(gain=gain))
    _terms(terms, record.sel(gain=gain))
    return drawn


def shown_gain(record: xr.Dataset) -> float:
    """Gain 3 if it is there, else the largest."""
    gains = record.gain.values
    return 3.0 if 3.0 in gains else float(gains[-1])


def _conditions(axes: Any, record: xr.Dataset) -> None:
    """Every seed of the first pair; the baseline's median goes across."""
    one, gain = record.isel(pair=0), shown_gain(record)
    places = np.arange(len(CHANGES) + 2) + np.repeat([0.0, 0.5], [len(CHANGES), 2])
    for g, value in enumerate(one.gain.values):
        shift = 0.24 * (g - (one.sizes["gain"] - 1) / 2)
        look: dict[str, Any] = {"color": f"C{g}", "alpha": 0.6, "markeredgewidth": 0}
        _dots(axes, places + shift, _all_ends(one.isel(gain=g)), MARKERS[g % 5], f"gain {gain_text(value)}", look)
    for i in range(1, record.sizes["pair"]):
        ends, look = _all_ends(record.isel(pair=i).sel(gain=gain)), {"color": "0.35", "markerfacecolor": "none"}
        _dots(axes, places, ends, MARKERS[-i], f"gain {gain_text(gain)}, scales {record.pair.values[i]}", look)
    base = float(one.end_ipr.sel(condition="baseline", gain=gain).median())
    axes.axhline(base, color=f"C{list(one.gain.values).index(gain)}", linewidth=1.0, label="baseline, median")
    axes.axhline(SURVIVES, color="0.4", linewidth=1.0, linestyle=":", label=f"localized: {SURVIVES:g} and more")
    for place, name in zip(places, CHANGES, strict=False):
        axes.text(place, 1.0, time_text(one.sel(condition=name, gain=gain)), ha="center", va="bottom", fontsize="small")
    axes.axvline(len(CHANGES) - 0.25, color="0.8", linewidth=0.8)
    names = [
        *(LABELS[name] for name in CHANGES),
        f"{record.sizes['unit']} units,\nrandom",
        f"{record.sizes['unit']} units,\nbasis",
    ]
    axes.set_xticks(places, names, fontsize="small")
    axes.set(ylabel="inverse participation ratio", ylim=(0, 1.08), xlim=(-0.6, places[-1] + 0.6))
    words = f"(a) final fields, every seed; on top: time until localized at gain {gain_text(gain)}"
    axes.set_title(f"{words}; length scales {record.pair.values[0]}, n = {record.sizes['position']}", fontsize="medium")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


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


def _fields(part: Any, one: xr.Dataset, colour: str) -> None:
    """The first seed's field; on the ring with its largest entry in the middle."""
    panels = part.subplots(1, len(EXAMPLES), sharey=True)
    for axes, name in zip(panels, EXAMPLES, strict=True):
        end = one.end.sel(condition=name).isel(seed=0)
        shown = end.copy(data=placed(end.values, CHANGES[name].conditions.boundary))
        small_field(axes, shown, "o-", color=colour, markersize=2.5, linewidth=0.8)
        axes.set_ylim(-0.4, 1.15)
        axes.set_title(LABELS[name].replace("\n", " ").replace("- entropy", "-entropy"), fontsize="small")
    part.suptitle(
        f"(b) fields of one seed at gain {gain_text(float(one.gain))}, each scaled to its maximum, "
        "on the ring shifted to the middle; against site",
        fontsize="medium",
    )


def placed(field: np.ndarray, boundary: str) -> np.ndarray:
    """The field with its largest entry positive and, on a ring, in the middle."""
    largest = int(np.abs(field).argmax())
    field = field * np.sign(field[largest])
    return np.roll(field, len(field) // 2 - largest) if boundary == "ring" else field


def _on_the_line(axes: Any, one: xr.Dataset, colour: str) -> None:
    """All fields on the line, each with its sign and scale taken out, and the attracting mode of Gaussian data."""
    for k in range(one.sizes["seed"]):
        field, label = placed(one.end.isel(seed=k).values, "line"), "trained" if k == 0 else None
        axes.plot(one.position, field / field.max(), color=colour, linewidth=1.0, alpha=0.7, label=label)
    mode = placed(one.line_mode.values, "line")
    axes.plot(one.position, mode / mode.max(), **THEORY, linewidth=1.2, label="attracting mode, Gaussian data")
    axes.set(xlabel="site of the open line", ylabel="weight, over its maximum", ylim=(-0.3, 1.5))
    axes.set_title(f"(c) open line, gain {gain_text(float(one.gain))}, all seeds", fontsize="medium")
    axes.legend(loc="upper right", fontsize="small")


def _sizes(axes: Any, one: xr.Dataset) -> None:
    """The size and the IPR of the fields of all seeds from a standard normal start."""
    late = one.isel(moment=slice(1, None))
    for name, colour, label in (("early_size", "C2", "|w|"), ("early_ipr", "C6", "IPR")):
        _all_seeds(axes, late, late[name], colour, label)
    axes.axhline(SURVIVES, color="0.4", linewidth=1.0, linestyle=":")
    plain_log_scale(axes, "x")
    axes.set(yscale="log", xlabel="time (τ)", ylabel="|w|; IPR")
    axes.set_title("(d) from a standard normal start", fontsize="medium")
    axes.legend(loc="upper right", fontsize="small")


def _terms(axes: Any, one: xr.Dataset) -> None:
    """Both terms of the velocity of all seeds."""
    late = one.isel(moment=slice(1, None))
    _all_seeds(axes, late, late.early_pull, "C0", "first term, |f/2|")
    _all_seeds(axes, late, late.early_brake, "C1", "second, |(S0+S1)w/4|", "--")
    plain_log_scale(axes, "x")
    axes.set(yscale="log", xlabel="time (τ)", ylabel="size of a term of the velocity")
    axes.set_title("(e) the two terms of its velocity", fontsize="medium")
    axes.legend(loc="upper right", fontsize="small")


def _all_seeds(axes: Any, one: xr.Dataset, values: xr.DataArray, color: str, label: str, style: str = "-") -> None:
    for k, row in enumerate(values.transpose("seed", "moment").values):
        axes.plot(one.early_time, row, style, color=color, linewidth=1.0, alpha=0.7, label=label if k == 0 else None)
