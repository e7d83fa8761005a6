"""The figure of `gate-stability`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.gates.gate_stability.paths import settling_times
from gatefield.experiments.gates.gate_stability.verdicts import GAUSSIAN
from gatefield.plot import THEORY, gain_text, small_field

SHOWN = 12
"""Units that have a column each."""


def draw(record: xr.Dataset) -> Figure:
    """For each gain the first committee unit by unit, as in the note; below, loss, flips and settling for all."""
    gains = record.sizes["gain"]
    figure = Figure(figsize=(14.0, 4.0 * gains + 6.4))
    *blocks, bottom = cast(Any, figure.subfigures(gains + 1, 1, height_ratios=[1.0] * gains + [1.6]))
    for block, g in zip(blocks, range(gains), strict=True):
        _units(block, record.isel(gain=g, seed=0))
    panels = bottom.subplots(2, 2).ravel()
    _loss(panels[0], record)
    _stabilities(panels[1], record.isel(rate=0, seed=0))
    _flips(panels[2], record)
    _settling(panels[3], record.isel(gain=-1))
    return figure


def _units(figure: Any, one: xr.Dataset) -> None:
    """Stability, kurtosis and final field of each unit, a line for each learning rate."""
    shown = min(SHOWN, one.sizes["unit"])
    panels = figure.subplots(3, shown, sharey="row", squeeze=False)
    for u, (top, middle, low) in enumerate(panels.T):
        for r, rate in enumerate(one.rate.values):
            unit, style = one.isel(unit=u, rate=r), {"color": f"C{r}", "linewidth": 1.0, "label": f"learning rate {rate:g}"}
            flips = 1 - unit.stability
            top.semilogy(unit.interval, flips.where(flips > 0), **style)
            middle.plot(unit.mark, unit.kurtosis.sel(inputs="both"), **style)
            field = unit.final.assign_coords(position=np.arange(unit.sizes["position"]))
            small_field(low, field, **style)
        top.set(title=f"unit {u + 1}", xticks=[])
        middle.set(xticks=[0, int(one.step[-1])], xlabel="step")
        middle.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
        low.set(xlabel="site")
    for axes, label in zip(panels[:, 0], ("1 - p(t)", "kurtosis", "field"), strict=True):
        axes.set_ylabel(label)
    title = f"gain {gain_text(float(one.gain))}: share 1 - p(t) of inputs whose gate flips up to the next record; "
    figure.suptitle(
        title + "excess kurtosis of preactivations on both classes; final field, scaled", x=0.01, ha="left", fontsize=11
    )


def _lines(axes: Any, record: xr.Dataset, name: str, steps: Any, values: xr.DataArray) -> None:
    """One line for each rate (colour) and gain (style), against time."""
    for r, rate in enumerate(record.rate.values):
        for g, style in zip(range(record.sizes["gain"]), ("-", "--", ":", "-.") * 9, strict=False):
            label = f"gain {gain_text(float(record.gain[g]))}" if r == 0 else None
            axes.plot(steps * rate, values.isel(rate=r, gain=g), style, color=f"C{r}", linewidth=1.3, label=label)
    axes.set(xlabel=r"time ($\tau$) = learning rate $\times$ step", ylabel=name, xscale="log")


def _loss(axes: Any, record: xr.Dataset) -> None:
    _lines(axes, record, "loss", record.step[1:].values, record.loss.mean("seed").isel(step=slice(1, None)))
    for r, rate in enumerate(record.rate.values):
        axes.plot([], [], color=f"C{r}", linewidth=4, label=f"learning rate {rate:g}")
    axes.set_title("(a) loss")
    axes.legend(loc="upper right")


def _stabilities(axes: Any, one: xr.Dataset) -> None:
    """p(t) of each unit at the note's learning rate, as in its figure 3."""
    for g, gain in enumerate(one.gain.values):
        p, style = one.stability.isel(gain=g), {"color": f"C{5 + 4 * g % 5}"}  # C0 to C4 are rates, gates and fields
        axes.plot(p.interval, p.transpose("interval", "unit"), **style, linewidth=0.6, alpha=0.45)
        axes.plot(p.interval, p.mean("unit"), **style, linewidth=2.0, label=f"gain {gain_text(float(gain))}")
    axes.plot([], [], color="0.5", linewidth=0.6, label="each unit (bold: their mean)")
    axes.set(xlabel="step", ylabel="p(t): gate as at the next record", title=f"(b) p(t) at learning rate {float(one.rate):g}")
    axes.legend(loc="lower right")


def _flips(axes: Any, record: xr.Dataset) -> None:
    """Flips per unit of time, which can be compared between rates; exact ones where data are nearly Gaussian."""
    each = float(record.step[1] - record.step[0]) * record.rate
    flips, exact = ((1 - p).mean(("unit", "seed")) / each for p in (record.stability, record.gaussian_stability))
    middles = (record.step[1:].values + record.step[:-1].values) / 2
    _lines(axes, record, r"flips per input and $\tau$", middles, flips.where(flips > 0))
    for gain in record.gain.values[record.gain.values <= GAUSSIAN]:
        for rate in record.rate.values:
            axes.plot(middles * rate, exact.sel(gain=gain, rate=rate), **THEORY, linewidth=0.7)
    axes.plot([], [], **THEORY, linewidth=0.7, label="exact, Gaussian data")
    axes.set(title="(c) flips", yscale="log")
    axes.legend(*([part[-1]] for part in axes.get_legend_handles_labels()), loc="lower left")


def _settling(axes: Any, one: xr.Dataset) -> None:
    """At the highest gain: likeness to the final gate beside localization, median and quartiles over units."""
    longest = one.isel(rate=-1)
    time = longest.mark * float(longest.rate)
    for values, color, label in [
        (longest.likeness, "C3", "gate agrees with its final state"),
        (longest.ipr, "C4", "inverse participation ratio"),
    ]:
        low, middle, high = values.quantile([0.25, 0.5, 0.75], ("unit", "seed")).values
        axes.fill_between(time, low, high, color=color, alpha=0.2, linewidth=0)
        axes.plot(time, middle, color=color, label=label)
    for at, color in zip(settling_times(longest), ("C3", "C4"), strict=True):
        axes.axvline(at, color=color, linestyle=":", linewidth=1.2)
    axes.plot([], [], ":", color="0.4", label="median localized unit: settled, half-way up")
    axes.set(
        xlabel=r"time ($\tau$)",
        ylabel="median and quartiles over units",
        ylim=(0, 1.02),
        title=f"(d) settling at gain {gain_text(float(one.gain))}, learning rate {float(longest.rate):g}",
    )
    axes.legend(loc="center right")
