"""The figure of `gates-to-relu`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.gates.gates_to_relu.verdicts import KNOWN, unit_name
from gatefield.plot import gain_text

CURVES = (
    ("limit", "C0", "-", "limit of the gated linear network behind the gates frozen at t"),
    ("own", "C1", "-", "the ReLU network itself at t"),
)


def draw(record: xr.Dataset) -> Figure:
    """A pair of rows for each number of units, gains side by side, and example fields below."""
    count, gains = record.sizes["units"], record.gain.values
    figure = Figure(figsize=(11.0, 4.0 * count + 2.6))
    *blocks, bottom = cast(Any, figure.subfigures(count + 1, 1, height_ratios=[4.0] * count + [2.2]))
    for block, K in zip(blocks, record.units.values, strict=True):
        panels = block.subplots(2, len(gains), sharex=True, sharey="row", squeeze=False)
        for column, gain in enumerate(gains):
            one = record.sel(units=K, gain=gain)
            _curves(panels[0, column], one, "match")
            _curves(panels[1, column], one, "loss")
            panels[0, column].axhline(KNOWN, color="0.8", linewidth=0.8, zorder=0)
            panels[1, column].set_xlabel(r"time t ($K^2\tau$)")
            if record.units.values[0] == K:
                panels[0, column].set_title(f"gain {gain_text(gain)}")
        name = unit_name(int(K))
        panels[0, 0].set_ylabel(f"{name}\ncosine with the end")
        panels[0, 0].set_ylim(min(-0.1, float(record.sel(units=K).wrong_match.median("seed").min()) - 0.05), 1.05)
        panels[1, 0].set_ylabel(f"{name}\nloss")
        panels[1, 0].set_ylim(*_range(record.sel(units=K)))
    handles, labels = blocks[0].axes[0].get_legend_handles_labels()
    _examples(bottom, record.isel(units=0))
    bottom.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def _range(one: xr.Dataset) -> tuple[float, float]:
    """From the lowest loss to that of a network that says nothing, which the start may exceed."""
    lowest = min(float(one[f"{name}_loss"].min()) for name, *_ in CURVES)
    return lowest - 0.05 * (0.26 - lowest), 0.26


def _at(one: xr.Dataset) -> np.ndarray:
    """Times, with 0 moved to a third of the first one for a logarithmic axis."""
    times = one.time.values.astype(float)
    return np.append(times[1] / 3, times[1:])


def _curves(axes: Any, one: xr.Dataset, what: str) -> None:
    at = _at(one)
    for name, color, style, label in CURVES:
        values = one[f"{name}_{what}"].transpose("seed", "step").values
        for run in values:
            axes.plot(at, run, style, color=color, alpha=0.2, linewidth=0.7)
        axes.plot(at, np.median(values, axis=0), style, color=color, label=label, linewidth=1.7)
        axes.plot(at[0], np.median(values[:, 0]), "o", color=color, markersize=4)
    wrong = float(one[f"wrong_{what}"].median())
    axes.axhline(wrong, color="k", linestyle=":", linewidth=1.2, label="limit behind the final gates of another seed")
    axes.set_xscale("log")
    decades = 10.0 ** np.arange(np.ceil(np.log10(at[1])), np.floor(np.log10(at[-1])) + 1)
    axes.set_xticks([at[0], *decades], ["0", *(f"{t:g}" for t in decades)])
    axes.minorticks_off()


def _examples(figure: Any, one: xr.Dataset) -> None:
    """The limit field at a few times beside the field at the end, at the gain nearest to 3."""
    gains = one.gain.values
    three = one.sel(gain=gains[int(np.argmin(np.abs(np.minimum(gains, 100.0) - 3)))])
    steps = np.unique(np.round(np.linspace(0, one.sizes["step"] - 1, 5)).astype(int))
    panels = figure.subplots(1, len(steps), sharey=True, squeeze=False)[0]
    end, middle = three.example_end.values, three.sizes["position"] // 2
    peak = int(np.argmax(np.abs(end)))
    at = np.arange(len(end)) - middle
    for axes, step in zip(panels, steps, strict=True):
        axes.axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
        axes.plot(at, np.roll(end / end[peak], middle - peak), color="C1", linewidth=2.4)
        axes.plot(at, np.roll(three.example.values[step] / end[peak], middle - peak), color="C0", linewidth=1.4)
        axes.set(
            title=f"gates of t = {float(three.time[step]):.3g}", xlabel="site, from the final peak", xticks=[at[0], 0, at[-1]]
        )
    panels[0].set_ylabel(f"gain {gain_text(float(three.gain))}: limit field\nand final field")
