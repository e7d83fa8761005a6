"""The figures of `erf-populations`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from gatefield.core.intervals import share
from gatefield.experiments.fields.erf_populations.verdicts import LOCALIZED, localized
from gatefield.experiments.orders import scales_text
from gatefield.plot import THEORY, WIDTH, gain_text, letter, say_setting

NEGATIVE, POSITIVE = "C0", "C1"
BELOW: Any = {"loc": "upper center", "bbox_to_anchor": (0.48, -0.2), "ncols": 2, "columnspacing": 0.8, "fontsize": 7}
"""Where the legend of a panel stands: under its axis."""
MOST = 130.0
"""Area, in square points, of the dot of the frequency at which most units end."""


def figure(record: xr.Dataset) -> Figure:
    """Populations and their frequencies, what decides, and examples of fields."""
    out = Figure(figsize=(WIDTH, 7.2))
    parts = cast(Any, out.subfigures(3, 1, height_ratios=[1.4, 0.8, 0.75]))
    first, second = parts[0].subplots(1, 2)
    third = parts[1].subplots()
    _populations(first, record)
    _rates(second, record)
    _starts(third, record)
    strip = _fields(parts[2], record)
    gain, (localize, oscillate) = gain_text(float(record.gain[1])), _counted(record)
    letter([first, second, third], [f"gain {gain}: {localize}", oscillate, _decided(record)])
    letter(strip[:1], [strip[0].get_title(loc="left")], "d")
    _say(out, record, f"(b, c) gain {gain}", "(b) area: number of units", "(c) bars: 95 % intervals over seeds")
    return out


def more(record: xr.Dataset) -> Figure:
    """Final biases on Gaussian data."""
    out = Figure(figsize=(WIDTH, 4.2))
    axes = out.subplots()
    strays, count = _flows(axes, record)
    axes.set_title(f"Gaussian data: {strays} of {count} units end on the other side than the exact flow", loc="left")
    _say(out, record)
    return out


def _decided(record: xr.Dataset) -> str:
    """How much of the units localize from a mostly positive start, and from an even one, if biases start at 0."""
    local = localized(record.ipr.isel(gain=1), record.sizes["position"]).sel(biases="zero")
    shares = [100 * share(local.sel(start=start)).mean for start in ("positive", "xavier")]
    return f"biases 0: {shares[0]:.0f} % localize from a mostly positive start, {shares[1]:.0f} % from even signs"


def _say(out: Figure, record: xr.Dataset, *words: str) -> None:
    time, starts = float(record.time[-1]) / record.sizes["unit"], record.sizes["start"] * record.sizes["biases"]
    say_setting(
        out,
        f"n = {record.sizes['position']}",
        scales_text(record.attrs),
        f"{time:g} τ for each unit",
        f"{record.sizes['unit']} units × {record.sizes['seed']} seeds × {starts} starts (fields, biases)",
        "logistic: one start",
        *words,
    )


def _counted(record: xr.Dataset) -> tuple[str, str]:
    """How many erf units of negative bias are localized on squashed data, and how many of positive bias oscillate."""
    one = record.isel(gain=1)
    bias, local = one.bias.isel(step=-1), localized(one.ipr, record.sizes["position"])
    sets = ((bias < 0, local, "localize at bias < 0"), (bias > 0, one.oscillates, "oscillate at bias > 0"))
    few, fast = (f"{int((units & holds).sum())} of {int(units.sum())} {words}" for units, holds, words in sets)
    return few, fast


def _populations(axes: Any, record: xr.Dataset) -> None:
    """Every unit by its final bias."""
    gain = gain_text(float(record.gain[1]))
    sets = [
        (record.isel(gain=0), "", 0, "D", "0.6", "erf, Gaussian data"),
        (record.isel(gain=1), "sigmoid_", 0, "x", "C2", f"logistic, gain {gain}"),
        (record.isel(gain=1), "", -1, "o", NEGATIVE, f"erf, gain {gain}, bias < 0"),
        (record.isel(gain=1), "", 1, "s", POSITIVE, f"erf, gain {gain}, bias > 0"),
    ]
    for one, prefix, sign, marker, color, text in sets:
        bias = one.sigmoid_bias if prefix else one.bias.isel(step=-1)
        shown = (sign * bias >= 0).values
        at, values = bias.values[shown], one[prefix + "ipr"].transpose(*bias.dims).values[shown]
        axes.plot(at, values, marker, color=color, markersize=3, alpha=0.6, label=text)
    limit = LOCALIZED / record.sizes["position"]
    axes.axvline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.axhline(limit, color="0.4", linewidth=1.0, linestyle=":", label=f"localized above {LOCALIZED:g}/n = {limit:.2g}")
    axes.set(xlabel="final bias of the unit", ylabel="IPR of the final field")
    axes.set_ylim(bottom=0)
    axes.legend(**BELOW)


def _rates(axes: Any, record: xr.Dataset) -> None:
    """Growth rates of the linear stage by frequency, and on them the frequencies at which units end."""
    one = record.isel(gain=1)
    bias, peak = (values.transpose(*one.ipr.dims).values.ravel() for values in (one.bias.isel(step=-1), one.peak_frequency))
    sets = [(-1.0, NEGATIVE, "o", "-", "bias -1"), (1.0, POSITIVE, "s", "--", "bias +1")]
    counts = [np.bincount(peak[sign * bias > 0].astype(int), minlength=one.sizes["frequency"]) for sign, *_ in sets]
    for (sign, color, marker, style, text), count in zip(sets, counts, strict=True):
        rate, there = one.rate.sel(sign=sign), count > 0
        axes.plot(one.frequency, rate, label=f"{text}, linear theory", **{**THEORY, "linestyle": style})
        area = MOST * count[there] / max(1, *map(np.max, counts))
        where = one.frequency.values[there], rate.values[there]
        name = {-1.0: "negative", 1.0: "positive"}[sign]
        axes.scatter(*where, s=area, color=color, marker=marker, alpha=0.8, zorder=3, label=f"{name} bias: trained units")
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(y=0.1)  # so that the largest mark is whole
    axes.set(xlabel="frequency (cycles per ring)", ylabel="growth rate (1/τ for each unit)")
    axes.legend(**BELOW, handles=axes.lines[:2] + axes.collections[:2])


def _flows(axes: Any, record: xr.Dataset) -> tuple[int, int]:
    """Final biases on Gaussian data, SGD against flow. **Returns** how many units end on the other side, of how many."""
    trained, theory = record.bias.isel(gain=0, step=-1).values.ravel(), record.flow_bias.values.ravel()
    limit = 1.08 * max(np.abs(trained).max(), np.abs(theory).max())
    axes.plot([-limit, limit], [-limit, limit], linewidth=1.0, label="equal", **THEORY)
    axes.plot(theory, trained, "o", color="C0", markersize=3.5, alpha=0.6, label="units")
    strays = int((np.sign(trained) != np.sign(theory)).sum())
    axes.set(xlabel="final bias, exact flow", ylabel="final bias, SGD", xlim=(-limit, limit), ylim=(-limit, limit))
    return strays, trained.size


def _starts(axes: Any, record: xr.Dataset) -> None:
    """Share of localized units by start, with the interval over seeds."""
    erf, balanced = (localized(values, record.sizes["position"]) for values in (record.ipr.isel(gain=1), record.balanced_ipr))
    looks = [("o", "C2", "biases start at 0"), ("s", "C3", "biases given"), ("^", "C4", "biases 0, no output bias")]
    for place, start in enumerate(("xavier", "positive")):
        sets = [*(erf.sel(start=start, biases=name) for name in ("zero", "given")), balanced.sel(start=start)]
        for shift, holds, (marker, color, text) in zip((-0.2, 0.0, 0.2), sets, looks, strict=True):
            found = share(holds)
            bars = [[found.mean - found.low], [found.high - found.mean]]
            label = text if place == 0 else None
            axes.errorbar([place + shift], [found.mean], bars, fmt=marker, color=color, capsize=4, label=label)
    axes.axhline(0.5, color="0.4", linewidth=1.0, linestyle=":")
    axes.text(1.49, 0.49, "half", fontsize=7, color="0.4", ha="right", va="top")
    axes.set_xticks([0, 1], ["even signs (Xavier)", "mostly positive"])
    axes.set(xlabel="start of the fields", ylabel="share localized")
    axes.set(ylim=(0, 1.05), yticks=[0, 0.25, 0.5, 0.75, 1], xlim=(-0.5, 1.5))
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def _fields(part: Any, record: xr.Dataset) -> Any:
    """The unit of most negative and of most positive bias, on Gaussian and on squashed data."""
    panels = part.subplots(1, 4)
    cases = [(gain, sign) for gain in (0, 1) for sign in (-1.0, 1.0)]
    for axes, (gain, sign) in zip(panels, cases, strict=True):
        one = record.isel(gain=gain, start=0, biases=0, seed=0)
        unit = int(np.argmax(sign * one.bias.isel(step=-1).values))
        color, marker = (NEGATIVE, "o-") if sign < 0 else (POSITIVE, "s-")
        axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
        axes.plot(one.position, one.fields.isel(step=-1, unit=unit), marker, color=color, markersize=2.5, linewidth=0.6)
        if gain == 0:
            axes.plot(one.position, one.flow_fields.isel(unit=unit), linewidth=1.0, **THEORY)
        where = "Gaussian" if gain == 0 else f"gain {gain_text(float(record.gain[1]))}"
        axes.set_title(f"{where}, bias {float(one.bias.isel(step=-1, unit=unit)):.1f}", loc="left")
        axes.set(xticks=[0, one.sizes["position"] // 2, one.sizes["position"] - 1], xlabel="position (site)")
    panels[0].set_ylabel("weight")
    return panels
