"""The figures of `gates-to-relu`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.gates.gates_to_relu.verdicts import KNOWN, known_times, shares_of_loss, unit_name
from gatefield.experiments.gates.setting import seeds
from gatefield.plot import COLOURS, THEORY, WIDTH, gain_text, letter, say_setting

RELU = COLOURS[0]
CURVES = (
    ("limit", "black", "-", "limit behind the gates frozen at t (exact)"),
    ("own", RELU, "--", "the ReLU network itself at t"),
)
EXAMPLES = 5
"""Times at which the limit field is drawn."""


def draw(record: xr.Dataset) -> Figure:
    """Cosines with the final fields, a row for each number of units and gains side by side; example fields below."""
    figure, rows = _rows(record, "match", below=True)
    first = _examples(record.isel(units=0), rows[-1])
    _letters([*(row[0] for row in rows[:-1]), first])
    _say(figure, record)
    return figure


def more(record: xr.Dataset) -> Figure:
    """The losses, in the same order."""
    figure, rows = _rows(record, "loss", below=False)
    _letters([row[0] for row in rows])
    _say(figure, record)
    return figure


def _rows(record: xr.Dataset, what: str, *, below: bool) -> tuple[Figure, list[Any]]:
    """A figure with a row of panels for each number of units, and what is left below."""
    count, gains = record.sizes["units"], record.gain.values
    figure = Figure(figsize=(WIDTH, 2.35 * count + 0.7 + 2.0 * below))
    heights = [1.0] * count + [0.75] * below
    blocks = cast(Any, figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False))[:, 0]
    rows = []
    for block, K in zip(blocks, record.units.values, strict=False):
        one = record.sel(units=K)
        panels = block.subplots(1, len(gains), sharex=True, sharey=True, squeeze=False)[0]
        for axes, gain in zip(panels, gains, strict=True):
            _curves(axes, one.sel(gain=gain), what)
            _known_from(axes, one, gain, what)
            axes.set_xlabel("time t (K²τ)")
        label = "cosine with the end" if what == "match" else "loss"
        panels[0].set_ylabel(f"{unit_name(int(K))}\n{label}")
        panels[0].set_ylim(*(_cosines(one) if what == "match" else _losses(one)))
        rows.append(panels)
    blocks[0].legend(*rows[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=7.5)
    return figure, [*rows, *blocks[count:]]


def _letters(panels: list[Any]) -> None:
    """Letters before the titles that the panels have."""
    letter(panels, [axes.get_title(loc="left") for axes in panels])


def _say(figure: Any, record: xr.Dataset) -> None:
    xi1, xi0 = record.attrs["length_scales"]
    sizes = f"n = {record.sizes['position']}", f"length scales {xi1:g} and {xi0:g}", f"{float(record.time[-1]):g} K²τ"
    words = f"thick: median of {seeds(record.sizes['seed'])}", f"{record.attrs['samples']:,} samples"
    say_setting(
        figure, *sizes, *words, f"vertical lines: {KNOWN:g} reached for good, by frozen gates (solid), network (dashed)"
    )


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


def _examples(one: xr.Dataset, block: Any) -> Any:
    """The limit field at a few times beside the field at the end, at the gain nearest to 3."""
    gains = one.gain.values
    three = one.sel(gain=gains[int(np.argmin(np.abs(np.minimum(gains, 100.0) - 3)))])
    steps = np.unique(np.round(np.linspace(0, one.sizes["step"] - 1, EXAMPLES)).astype(int))
    panels = block.subplots(1, len(steps), sharey=True, squeeze=False)[0]
    end, middle = three.example_end.values, three.sizes["position"] // 2
    peak = int(np.argmax(np.abs(end)))
    at = np.arange(len(end)) - middle
    for axes, step in zip(panels, steps, strict=True):
        axes.axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
        axes.plot(at, np.roll(end / end[peak], middle - peak), color=RELU, linewidth=2.8, alpha=0.5)
        axes.plot(at, np.roll(three.example.values[step] / end[peak], middle - peak), **THEORY, linewidth=1.1)
        axes.set(xlabel="site", xticks=[at[0], 0, at[-1]])
        axes.set_title(f"t = {float(three.time[step]):.3g}", loc="left")
    panels[0].set_ylabel(f"limit and final\nfield, gain {gain_text(float(three.gain))}")
    return panels[0]
