"""The figures of `where`."""

import json
from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.core.intervals import Interval
from gatefield.experiments.gates.setting import seeds
from gatefield.experiments.gates.where.hits import FEW, NEAR, again, hits, localized, network, rate
from gatefield.experiments.gates.where.predictors import CHOSEN, PREDICTORS
from gatefield.measures import FLAT_FIELDS
from gatefield.plot import COLOURS, WIDTH, field_row, gain_text, legend_below, letter, say_setting, shades

NETWORKS = {"neuron": "one neuron", "committee": "units of a committee"}
MARKS = "os^Dv<>P*"
NAMED = {CHOSEN: "chosen beforehand"}
"""Predictors that are named beside their dots."""
CHANCE = {"color": "0.4", "linestyle": ":", "linewidth": 1.0}


def draw(record: xr.Dataset) -> Figure:
    """All predictors against the limit, and the chosen one in each setting; one neuron left, committees right."""
    figure = Figure(figsize=(WIDTH, 5.6))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.15, 1.0]))
    forests, settings = top.subplots(1, 2), bottom.subplots(1, 2)
    one = network(record, "neuron")
    order = sorted(PREDICTORS, key=lambda name: rate(hits(one).sel(predictor=name), localized(one)).mean)
    spreads = []
    for side, name in enumerate(NETWORKS):
        part = network(record, name)
        _forest(forests[side], part, order, labelled=side == 0)
        spreads.append(_settings(settings[side], part))
    settings[0].set_ylabel(f"hits of $|Σ_1w(0)|$\nwithin {NEAR} site")
    legend_below(bottom, settings[1])
    alone, many = (_best_words(network(record, name)) for name in NETWORKS)
    titles = [f"one neuron: {alone}", f"committees: {many}"]
    titles += [f"{name}: {spread} by setting" for name, spread in zip(("one neuron", "committees"), spreads, strict=True)]
    letter([*forests, *settings], titles)
    _say(figure, record)
    return figure


def _best_words(part: xr.Dataset) -> str:
    """Which predictor hits the most often."""
    found = {name: rate(hits(part).sel(predictor=name), localized(part)).mean for name in PREDICTORS}
    best = max(found, key=lambda name: found[name])
    return f"at best {100 * found[best]:.0f} %, by\n{PREDICTORS[best]}"


def more(record: xr.Dataset) -> Figure:
    """How often signs are right, how many units count, and examples."""
    figure = Figure(figsize=(WIDTH, 6.2))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.2, 0.8]))
    (signs, counts), strips = top.subplots(1, 2), bottom.subplots(2, 1)
    _signs(signs, network(record, "neuron"))
    _counts(counts, record)
    legend_below(top, signs, counts, ncols=3, columnspacing=1.0, fontsize=7.5)
    for name, strip in zip(NETWORKS, strips, strict=True):
        _examples(strip, network(record, name))
    examples = f"final field (dots) and $Σ_1w(0)$ (line), length scales {record.pair.values[0]}"
    titles = [_sign_words(network(record, "neuron")), _count_words(record)]
    letter([signs, counts, *strips], [*titles, *(f"{name}: {examples}" for name in NETWORKS.values())])
    _say(figure, record)
    return figure


def _say(figure: Any, record: xr.Dataset) -> None:
    runs = [
        seeds(record.sizes["neuron_seed"]),
        f"{record.sizes['committee_seed']} committees of {record.sizes['committee_unit']}",
    ]
    known = json.loads(record.attrs.get("parameters", "{}"))
    rates = [known["steps"] * known[name] for name in ("learning_rate", "committee_rate")] if known else []
    time = "{:,.0f} τ, committees {:,.0f} τ".format(*rates) if rates else ""
    words = "in each setting", time, "bars: 95 % intervals", f"units with an IPR above {FLAT_FIELDS}/n count"
    symbols = "w(0): weights at the start", "Σ₁: covariance of the positive class", "predicted site: the largest entry in size"
    flows = "closure flow: theory of the drift that takes the rest of a gate's input as Gaussian"
    say_setting(figure, f"n = {record.attrs['n']}", *runs, *words, *symbols, flows)


def _forest(axes: Any, part: xr.Dataset, order: list[str], *, labelled: bool) -> None:
    """Share of hits of each predictor, all settings together; the limit set by noise, and chance."""
    found = {name: rate(hits(part).sel(predictor=name), localized(part)) for name in PREDICTORS}
    for row, name in enumerate(order):
        look = {"color": COLOURS[1] if name == CHOSEN else COLOURS[0], "marker": "D" if name == CHOSEN else "o"}
        share = found[name]
        ends = np.maximum([[share.mean - share.low], [share.high - share.mean]], 0.0)
        axes.errorbar([share.mean], [row], xerr=ends, markersize=5, linestyle="none", **look)
        axes.text(1.03, row, f"{100 * share.mean:.0f} %", va="center", ha="left", fontsize=7.5, color=look["color"])
        if name in NAMED:
            _name_dot(axes, share.mean, row, NAMED[name], look["color"])
    limit = rate(*again(part))
    axes.axvspan(limit.low, limit.high, color="0.9", linewidth=0, zorder=0)
    axes.axvline(limit.mean, color="0.3", linestyle="--", linewidth=1.2)
    chance = (2 * NEAR + 1) / part.attrs["n"]
    axes.axvline(chance, **CHANCE)
    look: Any = {"fontsize": 7, "color": "0.25", "va": "center"}
    axes.text(
        limit.mean - 0.01, -1.3, f"two trainings agree: {100 * limit.mean:.0f} %\n(grey: 95 % interval)", ha="right", **look
    )
    axes.text(chance + 0.01, -2.2, f"chance: {100 * chance:.2g} %", ha="left", **look)
    axes.set_yticks(range(len(order)), [PREDICTORS[name] for name in order] if labelled else [""] * len(order))
    axes.set(
        xlabel=f"share of hits within {NEAR} site", xlim=(0, 1.2), xticks=np.linspace(0, 1, 6), ylim=(-2.6, len(order) - 0.5)
    )


def _name_dot(axes: Any, share: float, row: int, text: str, color: str) -> None:
    """A name above a dot, within the panel."""
    place = float(np.clip(share, 0.3, 0.6)), row
    above: Any = {"ha": "center", "va": "bottom", "fontsize": 6.5, "color": color}
    axes.annotate(text, place, (0, 3.5), textcoords="offset points", **above)


def _settings(axes: Any, part: xr.Dataset) -> str:
    """The chosen predictor by gain, a mark for each pair of length scales; from where to where they are, in words."""
    colours, shown = shades(part.sizes["pair"], "viridis", (0.0, 0.85)), []
    for s, pair in enumerate(part.pair.values):
        ones = [part.isel(pair=s, gain=g) for g in range(part.sizes["gain"])]
        found = [_shown(hits(one).sel(predictor=CHOSEN), localized(one)) for one in ones]
        mean, low, high = np.transpose(found)
        shown += mean[np.isfinite(mean)].tolist()
        at = np.arange(len(found)) + 0.6 / part.sizes["pair"] * (s - (part.sizes["pair"] - 1) / 2)
        look = {"fmt": MARKS[s % 9], "color": colours[s], "markersize": 4, "elinewidth": 1.0, "label": f"length scales {pair}"}
        axes.errorbar(at, mean, np.maximum([mean - low, high - mean], 0.0), **look)
    axes.axhline((2 * NEAR + 1) / part.attrs["n"], **CHANCE)
    _gain_axis(axes, part)
    axes.set(yticks=np.linspace(0, 1, 6))
    return f"{100 * min(shown):.0f} to {100 * max(shown):.0f} %" if shown else "too few"


def _shown(holds: xr.DataArray, counted: xr.DataArray) -> Interval:
    """A share, or nothing if it stands on too few units of a large study."""
    few = int(counted.sum()) < FEW <= counted.sizes.get("seed", counted.sizes.get("repeat", 0))
    return Interval(np.nan, np.nan, np.nan) if few else rate(holds, counted)


def _examples(axes: Any, part: xr.Dataset) -> None:
    """The first start of each gain: what the predictor looks at, and where the field ended."""
    one = part.isel(pair=0)
    names = [f"gain {gain_text(gain)}" for gain in part.gain.values]
    field_row(axes, one.example_end, names, "o", color=COLOURS[0], markersize=2.5)
    field_row(axes, one.example_guess, names, color="black", linewidth=1.0)


def _signs(axes: Any, part: xr.Dataset) -> None:
    """How often each predictor has the right sign, all length scales together."""
    for i, name in enumerate(PREDICTORS):
        found = [rate(one.sign_right.sel(predictor=name), localized(one)) for one in _by_gain(part)]
        all_told = rate(part.sign_right.sel(predictor=name), localized(part)).mean
        mean, low, high = np.transpose(found)
        at = np.arange(len(found)) + 0.12 * (i - 2.5)
        look = {
            "fmt": MARKS[i],
            "color": COLOURS[i % 7],
            "markersize": 4,
            "elinewidth": 1.0,
            "label": f"{PREDICTORS[name]}: {100 * all_told:.0f} %",
        }
        axes.errorbar(at, mean, np.maximum([mean - low, high - mean], 0.0), **look)
    axes.axhline(0.5, **CHANCE)
    _gain_axis(axes, part)
    axes.text(part.sizes["gain"] - 0.5, 0.49, "chance", ha="right", va="top", fontsize=7.5, color="0.35")
    axes.set(ylabel="share with the right sign")


def _sign_words(part: xr.Dataset) -> str:
    """How often the chosen predictor has the sign right."""
    share = rate(part.sign_right.sel(predictor=CHOSEN), localized(part)).mean
    return f"one neuron: {PREDICTORS[CHOSEN]} has the sign\nright in {100 * share:.0f} % of runs"


def _localizing(record: xr.Dataset, name: str) -> xr.DataArray:
    """The share of one neuron's runs, or of the units of committees, that localizes in each setting."""
    part = network(record, name)
    return localized(part).mean([dim for dim in part.ipr.dims if dim not in ("pair", "gain")])


def _count_words(record: xr.Dataset) -> str:
    """From where to where the shares are, of both networks."""
    spans = []
    for name in NETWORKS:
        low, high = (100 * float(end(_localizing(record, name))) for end in (np.min, np.max))
        spans.append(f"{low:.0f} %" if round(low) == round(high) else f"{low:.0f} to {high:.0f} %")
    return f"one neuron localizes in {spans[0]},\nof committees' units {spans[1]}"


def _counts(axes: Any, record: xr.Dataset) -> None:
    """Which share of units localized, and so counts."""
    colours = shades(record.sizes["pair"], "viridis", (0.0, 0.85))
    for name, face in zip(NETWORKS, (None, "none"), strict=True):
        shares = _localizing(record, name)
        for s, pair in enumerate(record.pair.values):
            look = {"color": colours[s], "markerfacecolor": face or colours[s], "linestyle": "none", "markersize": 5}
            label = f"length scales {pair}" if face is None else None
            at = np.arange(record.sizes["gain"]) + 0.7 / record.sizes["pair"] * (s - (record.sizes["pair"] - 1) / 2)
            axes.plot(at, shares[s], marker=MARKS[s % 9], label=label, zorder=3 if face else 2, **look)
    axes.plot([], [], "o", color="0.4", markerfacecolor="none", markersize=5, label="open: of committees")
    _gain_axis(axes, record)
    axes.set(ylabel="share that localizes", ylim=(-0.05, 1.08))


def _by_gain(part: xr.Dataset) -> list[xr.Dataset]:
    return [part.isel(gain=g) for g in range(part.sizes["gain"])]


def _gain_axis(axes: Any, part: xr.Dataset) -> None:
    axes.set_xticks(np.arange(part.sizes["gain"]), [gain_text(gain) for gain in part.gain.values])
    axes.set(xlabel="gain", ylim=(0, 1.05), xlim=(-0.5, part.sizes["gain"] - 0.5))
