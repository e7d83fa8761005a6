"""The figures of `erf-populations`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from gatefield.core.intervals import share
from gatefield.experiments.fields.erf_populations.verdicts import localized, predicted_shares
from gatefield.experiments.orders import scales_text
from gatefield.measures import FLAT_FIELDS, localized_ipr
from gatefield.plot import THEORY, WIDTH, gain_text, legend_below, letter, say_setting

NEGATIVE, POSITIVE = "C0", "C1"
LEAST = 1e-6
"""Of 1 - cosine: what is smaller is rounding."""
MOST = 130.0
"""Area, in square points, of the dot of the frequency at which most units end."""


def figure(record: xr.Dataset) -> Figure:
    """Populations and their frequencies, what decides, and examples of fields."""
    out = Figure(figsize=(WIDTH, 7.2))
    parts = cast(Any, out.subfigures(3, 1, height_ratios=[1.4, 0.9, 0.7]))
    halves = parts[0].subfigures(1, 2)
    first, second = (half.subplots() for half in halves)
    third, fourth = parts[1].subplots(1, 2, width_ratios=[1.5, 1.0])
    _populations(first, record)
    _rates(second, record)
    _starts(third, record)
    _deciders(fourth, record)
    for half, axes in zip(halves, (first, second), strict=True):
        legend_below(half, axes, ncols=2, columnspacing=0.8, fontsize=7.5)
    legend_below(parts[1], third)
    strip = _fields(parts[2], record)
    gain, (localize, oscillate) = gain_text(float(record.gain[1])), _counted(record)
    letter([first, second, third, fourth], [f"gain {gain}: {localize}", oscillate, _decided(record), _told(record)])
    letter(strip[:1], [strip[0].get_title(loc="left")], "e")
    _say(
        out,
        record,
        f"(b) to (d): gain {gain}",
        "oscillate: peak frequency where the negative class has more",
        "(b) area: number of units",
        "bars: 95 % intervals over seeds",
        "(e) black: exact flow",
    )
    return out


def more(record: xr.Dataset) -> Figure:
    """Final biases and fields on Gaussian data, beside the exact flow."""
    out = Figure(figsize=(WIDTH, 5.2))
    whole, fields, *near = np.ravel(cast(Any, out.subplots(2, 2)))
    strays, count = _flows(whole, record)
    _cosines(fields, record)
    for axes, sign in zip(near, (-1, 1), strict=True):
        _flows_of(axes, record, sign)
    off = f"{strays} of {count} on the other side"
    middle = float(np.median(record.flow_cosine))
    offs = [f"{name} biases: {_off(record, sign):.2g} off (median)" for name, sign in (("negative", -1), ("positive", 1))]
    letter([whole, fields, *near], [off, f"fields: median cosine with the flow {middle:.3f}", *offs])
    _say(out, record, "Gaussian data", "(c) and (d): units of (a) with the sign of the flow", logistic=False)
    return out


def _told(record: xr.Dataset) -> str:
    """How often the field and the given bias of the start tell the population."""
    field, bias = (100 * found.mean for found in predicted_shares(record.isel(gain=1)))
    return f"bias tells {bias:.0f} %, field {field:.0f} %"


def _decided(record: xr.Dataset) -> str:
    """How much of the units localize from a mostly positive start, and from an even one, if biases start at 0."""
    local = localized(record.ipr.isel(gain=1), record.sizes["position"]).sel(biases="zero")
    shares = [100 * share(local.sel(start=start)).mean for start in ("positive", "xavier")]
    return f"biases start at 0: {shares[1]:.0f} % (even), {shares[0]:.0f} % (positive)"


def _say(out: Figure, record: xr.Dataset, *words: str, logistic: bool = True) -> None:
    time, starts = float(record.time[-1]) / record.sizes["unit"], record.sizes["start"] * record.sizes["biases"]
    say_setting(
        out,
        f"n = {record.sizes['position']}",
        scales_text(record.attrs),
        f"{time:g} τ for each unit",
        f"{record.sizes['unit']} units × {record.sizes['seed']} seeds × {starts} starts (fields, biases)",
        "logistic: one start" if logistic else "",
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
    limit = localized_ipr(record.sizes["position"])
    axes.axvline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.axhline(limit, color="0.4", linewidth=1.0, linestyle=":")
    words: Any = {
        "ha": "left",
        "va": "bottom",
        "fontsize": 7.5,
        "color": "0.3",
        "xytext": (4, 3),
        "textcoords": "offset points",
    }
    axes.annotate(f"localized: above\n{FLAT_FIELDS:g}/n = {limit:.2g}", (0.0, limit), **words)
    axes.set(xlabel="final bias of the unit", ylabel="IPR of the final field")
    axes.set_ylim(bottom=0)


def _rates(axes: Any, record: xr.Dataset) -> None:
    """Growth rates of the linear stage by frequency, and on them the frequencies at which units end."""
    one = record.isel(gain=1)
    bias, peak = (values.transpose(*one.ipr.dims).values.ravel() for values in (one.bias.isel(step=-1), one.peak_frequency))
    sets = [(-1.0, NEGATIVE, "o", "-", "bias −1"), (1.0, POSITIVE, "s", "--", "bias +1")]
    counts = [np.bincount(peak[sign * bias > 0].astype(int), minlength=one.sizes["frequency"]) for sign, *_ in sets]
    for (sign, color, marker, style, text), count in zip(sets, counts, strict=True):
        rate, there = one.rate.sel(sign=sign), count > 0
        axes.plot(one.frequency, rate, label=f"{text}, linear theory", **{**THEORY, "linestyle": style})
        area = MOST * count[there] / max(1, *map(np.max, counts))
        where = one.frequency.values[there], rate.values[there]
        name = {-1.0: "bias < 0", 1.0: "bias > 0"}[sign]
        axes.scatter(*where, s=area, color=color, marker=marker, alpha=0.8, zorder=3, label=f"{name}: trained units")
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(y=0.1)  # so that the largest mark is whole
    axes.set(xlabel="frequency (cycles per ring)", ylabel="growth rate (1/τ for each unit)")


def _flows(axes: Any, record: xr.Dataset) -> tuple[int, int]:
    """Final biases on Gaussian data, SGD against flow. **Returns** how many units end on the other side, of how many."""
    trained, theory = record.bias.isel(gain=0, step=-1).values.ravel(), record.flow_bias.values.ravel()
    limit = 1.08 * max(np.abs(trained).max(), np.abs(theory).max())
    axes.plot([-limit, limit], [-limit, limit], linewidth=1.0, label="equal", **THEORY)
    astray = np.sign(trained) != np.sign(theory)
    for which, look in ((~astray, {"color": "0.5", "marker": "o"}), (astray, {"color": "C1", "marker": "X"})):
        axes.plot(theory[which], trained[which], linestyle="none", **look, markersize=4, alpha=0.7)
    strays = int(astray.sum())
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.axvline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.set(xlabel="final bias, exact flow", ylabel="final bias, SGD", xlim=(-limit, limit), ylim=(-limit, limit))
    return strays, trained.size


def _flows_of(axes: Any, record: xr.Dataset, sign: int) -> None:
    """Of those whose bias has that sign in both: how near it comes to the flow's."""
    trained, theory = sign * record.bias.isel(gain=0, step=-1).values.ravel(), sign * record.flow_bias.values.ravel()
    here = (trained > 0) & (theory > 0)
    at, values = sign * theory[here], sign * trained[here]
    axes.plot(at, values, "o", color=NEGATIVE, markersize=3.5, alpha=0.6)
    if here.any():
        ends = min(at.min(), values.min()), max(at.max(), values.max())
        axes.plot(ends, ends, linewidth=1.0, **THEORY)
    axes.set(xlabel="final bias, exact flow", ylabel="final bias, SGD")


def _off(record: xr.Dataset, sign: int) -> float:
    """How far final biases of that sign, in both, are from the flow's in the median; NaN if there are none."""
    trained, theory = sign * record.bias.isel(gain=0, step=-1).values.ravel(), sign * record.flow_bias.values.ravel()
    here = (trained > 0) & (theory > 0)
    return float(np.median(np.abs(trained - theory)[here])) if here.any() else float("nan")


def _cosines(axes: Any, record: xr.Dataset) -> None:
    """The share of units whose field is at most so far from the flow's, as 1 - cosine."""
    values = np.sort(np.maximum(1 - record.flow_cosine.values.ravel(), LEAST))
    axes.step(values, np.arange(1, values.size + 1) / values.size, where="post", color="C0")
    middle = float(np.median(values))
    axes.plot([middle], [0.5], "o", color="C0", markersize=5)
    look: Any = {"xytext": (8, 0), "textcoords": "offset points", "ha": "left", "va": "center", "fontsize": 8}
    axes.annotate(f"median {middle:.2g}", (middle, 0.5), **look)
    axes.set(xlabel="1 − cosine of the fields of SGD and flow", ylabel="share of units below", ylim=(0, 1.02), xscale="log")


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
    axes.set_xticks([0, 1], ["even signs (Xavier)", "mostly positive"])
    axes.set(xlabel="start of the fields", ylabel="share localized")
    axes.set(ylim=(0, 1.05), yticks=[0, 0.25, 0.5, 0.75, 1], xlim=(-0.5, 1.5))


def _deciders(axes: Any, record: xr.Dataset) -> None:
    """How often what a unit starts with tells the population that it joins."""
    looks = [("o", "C2"), ("s", "C3")]  # as where biases start so
    for place, (found, (marker, color)) in enumerate(zip(predicted_shares(record.isel(gain=1)), looks, strict=True)):
        bars = [[found.mean - found.low], [found.high - found.mean]]
        axes.errorbar([place], [found.mean], bars, fmt=marker, color=color, capsize=4)
        axes.annotate(
            f"{100 * found.mean:.0f} %", (place, found.mean), (9, 0), textcoords="offset points", va="center", fontsize=8
        )
    axes.axhline(0.5, color="0.4", linewidth=1.0, linestyle=":")
    axes.text(1.6, 0.49, "chance", fontsize=7, color="0.4", ha="right", va="top")
    axes.set_xticks([0, 1], ["field,\nif biases are 0", "sign of\nthe given bias"])
    axes.set(ylabel="share of units\ntold right", ylim=(0, 1.05), yticks=[0, 0.25, 0.5, 0.75, 1], xlim=(-0.5, 1.6))


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
            axes.plot(one.position, one.flow_fields.isel(unit=unit), linewidth=1.0, label="exact flow", **THEORY)
        where = "Gaussian" if gain == 0 else f"gain {gain_text(float(record.gain[1]))}"
        axes.set_title(f"{where}, bias {float(one.bias.isel(step=-1, unit=unit)):.1f}".replace("-", "−"), loc="left")
        axes.set(xticks=[0, one.sizes["position"] // 2, one.sizes["position"] - 1], xlabel="position (site)")
    panels[0].set_ylabel("weight")
    return panels
