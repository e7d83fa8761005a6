"""The figure of `erf-populations`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from gatefield.core.intervals import share
from gatefield.experiments.fields.erf_populations.verdicts import LOCALIZED, localized
from gatefield.plot import gain_text

NEGATIVE, POSITIVE = "C0", "C1"


def figure(record: xr.Dataset) -> Figure:
    """Populations above, their causes in the middle, examples of fields below."""
    out = Figure(figsize=(11.0, 9.8))
    top, middle, bottom = cast(Any, out.subfigures(3, 1, height_ratios=[1.15, 1.1, 0.8]))
    first, second = top.subplots(1, 2)
    _scatter(first, record, "ipr", "IPR of the final field", "(a) localization")
    limit, where = LOCALIZED / record.sizes["position"], ("axes fraction", "data")
    first.axhline(limit, color="0.4", linewidth=1.0, linestyle=":")
    first.annotate(f"localized above {LOCALIZED:g}/n", (1, limit), xycoords=where, ha="right", va="bottom")
    _scatter(second, record, "peak_frequency", "peak frequency (cycles per ring)", "(b) frequency")
    second.yaxis.set_major_locator(MaxNLocator(integer=True))
    top.legend(*first.get_legend_handles_labels(), loc="outside upper center", ncols=3)
    rates, flows, starts = middle.subplots(1, 3)
    _rates(rates, record)
    _flows(flows, record)
    _starts(starts, record)
    _fields(bottom, record)
    return out


def _scatter(axes: Any, record: xr.Dataset, name: str, label: str, title: str) -> None:
    """Every unit by its final bias."""
    sets = [
        (record.isel(gain=0), "", "o", "0.6", "erf units, Gaussian data"),
        (record.isel(gain=1), "", "o", "C2", f"erf units, gain {gain_text(float(record.gain[1]))}"),
        (record.isel(gain=1), "sigmoid_", "x", "C3", f"logistic units, gain {gain_text(float(record.gain[1]))}"),
    ]
    for one, prefix, marker, color, text in sets:
        bias = one.sigmoid_bias if prefix else one.bias.isel(step=-1)
        values = one[prefix + name].transpose(*bias.dims)
        axes.plot(bias.values.ravel(), values.values.ravel(), marker, color=color, markersize=3.5, alpha=0.6, label=text)
    axes.axvline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.set(xlabel="final bias of the unit (one mark per unit)", ylabel=label, title=title)


def _rates(axes: Any, record: xr.Dataset) -> None:
    """Growth rates of the linear stage, by frequency."""
    one = record.isel(gain=1)
    for sign, color, text in [(-1.0, NEGATIVE, "bias -1"), (1.0, POSITIVE, "bias +1")]:
        axes.plot(one.frequency, one.rate.sel(sign=sign), color=color, label=text)
    axes.axhline(0.0, color="0.4", linewidth=0.8)
    axes.set(
        xlabel="frequency (cycles per ring)",
        ylabel=r"growth rate, 1/(units $\tau$)",
        title=f"(c) linear stage, gain {gain_text(float(one.gain))}",
    )
    axes.legend()


def _flows(axes: Any, record: xr.Dataset) -> None:
    """Final biases on Gaussian data, SGD against flow."""
    trained, theory = record.bias.isel(gain=0, step=-1).values.ravel(), record.flow_bias.values.ravel()
    limit = 1.08 * max(np.abs(trained).max(), np.abs(theory).max())
    axes.plot([-limit, limit], [-limit, limit], color="0.4", linewidth=0.8)
    axes.plot(theory, trained, "o", color="0.35", markersize=3.5, alpha=0.6)
    axes.set(xlabel="bias, exact flow", ylabel="bias, SGD", title="(d) final biases, Gaussian data")
    axes.set(xlim=(-limit, limit), ylim=(-limit, limit))


def _starts(axes: Any, record: xr.Dataset) -> None:
    """Share of localized units by start, with the interval over seeds."""
    erf, balanced = (localized(values, record.sizes["position"]) for values in (record.ipr.isel(gain=1), record.balanced_ipr))
    cases = {
        "Xavier": [erf.sel(start="xavier", biases=name) for name in ("zero", "given")] + [balanced.sel(start="xavier")],
        "positive": [erf.sel(start="positive", biases=name) for name in ("zero", "given")] + [balanced.sel(start="positive")],
    }
    styles = [("o", "C2", "biases start at 0"), ("s", "C4", "biases given"), ("^", "k", "start at 0, no output bias")]
    for place, sets in enumerate(cases.values()):
        for shift, holds, (marker, color, text) in zip((-0.2, 0.0, 0.2), sets, styles, strict=True):
            found = share(holds)
            bars = [[found.mean - found.low], [found.high - found.mean]]
            label = text if place == 0 else None
            axes.errorbar([place + shift], [found.mean], bars, fmt=marker, color=color, capsize=4, label=label)
    axes.axhline(0.5, color="0.4", linewidth=1.0, linestyle=":")
    axes.set_xticks(range(len(cases)), list(cases))
    axes.set(xlabel="start of the fields", ylabel="share of localized units", title="(e) what decides, 95 % intervals")
    axes.set(ylim=(0, 1.45), yticks=[0, 0.25, 0.5, 0.75, 1], xlim=(-0.5, len(cases) - 0.5))
    axes.legend(loc="upper left")


def _fields(part: Any, record: xr.Dataset) -> None:
    """The unit of most negative and of most positive bias, on Gaussian and on squashed data."""
    panels = part.subplots(1, 4)
    cases = [(gain, sign) for gain in (0, 1) for sign in (-1.0, 1.0)]
    for axes, (gain, sign) in zip(panels, cases, strict=True):
        one = record.isel(gain=gain, start=0, biases=0, seed=0)
        unit = int(np.argmax(sign * one.bias.isel(step=-1).values))
        color = NEGATIVE if sign < 0 else POSITIVE
        axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
        axes.plot(one.position, one.fields.isel(step=-1, unit=unit), "o-", color=color, markersize=3, linewidth=0.8)
        if gain == 0:
            axes.plot(one.position, one.flow_fields.isel(unit=unit), "k-", linewidth=1.0)
        where = "Gaussian" if gain == 0 else f"gain {gain_text(float(record.gain[1]))}"
        axes.set_title(f"{where}, bias {float(one.bias.isel(step=-1, unit=unit)):.1f}", fontsize="medium")
        axes.set_xticks([0, one.sizes["position"] // 2, one.sizes["position"] - 1])
    panels[0].set_ylabel("weight")
    part.supxlabel(
        "(f) two units of one committee on each kind of data: position (site). Blue: negative bias, orange: positive.\n"
        "Dots: SGD; black: the exact flow, which is known on Gaussian data only",
        fontsize="medium",
    )
