"""The first figure of `uncertainty`: what final fields are, and how their uncertainty goes down and up."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.uncertainty.verdicts import CYCLES, GOOD, gabors, rises, rising, waves
from gatefield.experiments.orders import ORDERS, scales_text
from gatefield.plot import WIDTH, gain_axis, gain_places, gain_text, legend_below, letter, say_setting, shades

KINDS = (("C0", "o", "plain bump"), ("C5", "s", f"carrier of less than {CYCLES:g} cycle"), ("C1", "^", "Gabor"))
"""Colour, marker and name of what a field was fitted by."""
EARLY = 12.0
"""Until when flows are shown, in tau: what rises does so early."""
POOR = ("0.88", f"no good fit (R² up to {GOOD:g})")
SHORT = ("plain bumps", "less than a cycle", "Gabors", "no good fit")
"""Names of all kinds, as short as titles need."""


def figure(record: xr.Dataset) -> Figure:
    """What kind of field each network ends with; entropies along training and along the flow."""
    figure = Figure(figsize=(WIDTH, 7.0))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.0, 1.2]))
    bars = top.subplots(1, 4, sharey=True)
    titles = []
    for axes, (network, order) in zip(bars, cases(record), strict=True):
        _share_panel(axes, record.isel(unit=network).sel(order=order))
        titles.append(f"{case_text(network, order)}:\n{_commonest(record.isel(unit=network).sel(order=order))}")
        axes.set_title(titles[-1], loc="left", fontsize=8)
    bars[0].set_ylabel("share of final fields")
    handles, names = bars[0].get_legend_handles_labels()
    gabor_share = f"Gabor ({100 * float(gabors(record).mean()):.0f} % of all)"
    names = [gabor_share if name == KINDS[-1][2] else name for name in names]
    top.legend(handles, names, loc="outside lower center", ncols=4, columnspacing=1.4)
    letter(bars[:1], titles[:1])
    bars[0].set_title(bars[0].get_title(loc="left"), loc="left", fontsize=8)
    parts = bottom.subfigures(1, 2)
    left, right = (part.subplots() for part in parts)
    _entropy_panel(left, record)
    _flow_panel(right, record)
    for part, axes in zip(parts, (left, right), strict=True):
        legend_below(part, axes, ncols=2)
    letter([left, right], [_end_text(record), _rise_text(record)], "b")
    say(
        figure,
        record,
        "uncertainty: entropy of position + entropy of frequency",
        "(b) medians of SGD, one neuron",
        "(c) exact flows, Gaussian data",
        "R²: explained by the fit",
    )
    return figure


def say(figure: Figure, record: xr.Dataset, *words: str) -> None:
    units = record.sizes["unit"] - 1
    time = float(record.attrs["steps"]) * float(record.attrs["neuron_rate"])
    say_setting(
        figure,
        f"n = {record.sizes['position']}",
        scales_text(record.attrs, "xi_long", "xi_short"),
        f"one neuron ({time:g} τ) and committees of {units}",
        f"{record.sizes['seed']} seeds",
        *words,
    )


def _commonest(one: xr.Dataset) -> str:
    """The kind that most of its final fields are of."""
    counts = np.bincount(kinds(one).values.ravel(), minlength=len(SHORT))
    return f"{100 * counts.max() / counts.sum():.0f} % {SHORT[int(counts.argmax())]}"


def _end_text(record: xr.Dataset) -> str:
    """Where the entropy sum of one neuron ends, over gains, in both orders."""
    ends = record.entropy.isel(unit=0, step=-1).median("seed")
    spans = [f"{float(one.min()):.1f} to {float(one.max()):.1f}" for one in (ends.sel(order=order) for order in ORDERS)]
    starts = record.entropy.isel(unit=0, step=0).median("seed")
    words = "training lowers uncertainty: to" if bool((ends < starts).all()) else "uncertainty ends at"
    return f"{words}\n{spans[0]} (longer range), {spans[1]} (shorter)"


def _rise_text(record: xr.Dataset) -> str:
    """In how many exact flows the entropy sum rises, and by how much."""
    count, flows = rising(record)
    most = float(rises(record.flow_entropy, "flow_time").max())
    return (
        f"on Gaussian data it rises in {count}\nof {flows} flows, by up to {most:.2g}"
        if count
        else f"falls in all {flows} flows"
    )


def _share_panel(axes: Any, one: xr.Dataset) -> None:
    """Stacked shares of each kind of field, by gain."""
    at, below = gain_places(one.gain.values), np.zeros(one.sizes["gain"])
    looks = [*((color, name) for color, _, name in KINDS), POOR]
    for kind, ((color, name), hatch) in enumerate(zip(looks, ("", "///", "...", ""), strict=True)):
        share = (kinds(one) == kind).mean(("seed", "unit")).values
        axes.bar(at, share, bottom=below, color=color, hatch=hatch, edgecolor="white", linewidth=0.5, label=name)
        below = below + share
    gain_axis(axes, one.gain.values)
    axes.set(
        xlabel=f"gain\n({one.sizes['seed'] * one.sizes['unit']} fields a bar)", xlim=(at[0] - 0.5, at[-1] + 0.5), ylim=(0, 1)
    )


def _entropy_panel(axes: Any, record: xr.Dataset) -> None:
    """Median entropy sum along training."""
    time = record.step.values * record.attrs["neuron_rate"]
    for g, (shade, gain) in enumerate(zip(shades(record.sizes["gain"]), record.gain.values, strict=True)):
        mark: dict[str, Any] = {"marker": "os^D"[g % 4], "markevery": (0.02 + 0.05 * g, 0.2), "markersize": 3.5}
        for order, style in zip(ORDERS, ("-", "--"), strict=True):
            values = record.entropy.sel(gain=gain, order=order).isel(unit=0).median("seed")
            axes.plot(time, values, style, color=shade, label=f"gain {gain_text(gain)}" if order == "long" else None, **mark)
    _limits(axes, record, float(time[-1]))
    axes.set(xlabel="time (τ)", ylabel="entropy of position +\nentropy of frequency (nats)")
    for order in ORDERS:
        ends = record.entropy.sel(order=order).isel(unit=0, step=slice(-record.sizes["step"] // 2, None)).median("seed")
        place: Any = {"ha": "right", "va": "bottom", "fontsize": 8}
        axes.text(0.99 * float(time[-1]), float(ends.max()) + 0.06, f"{order}er range positive", **place)


def _flow_panel(axes: Any, record: xr.Dataset) -> None:
    """How far the entropy sum is from that of the start along exact Gaussian flows, one line for each start."""
    early = record.isel(flow_time=record.flow_time.values <= EARLY)
    time, names = early.flow_time.values, {"long": "longer range positive", "short": "shorter range positive"}
    for order, style in zip(ORDERS, ("-", "--"), strict=True):
        for i, path in enumerate(early.flow_entropy.sel(order=order).values):
            gone = path - path[0]
            axes.plot(time, gone, style, color="0.6", linewidth=0.8, label=names[order] if i == 0 else None)
            rising = np.where(np.diff(gone, append=gone[-1]) > 0, gone, np.nan)
            axes.plot(time, rising, "-", color="C1", linewidth=2.0, label="rising" if (i, order) == (0, "short") else None)
    axes.axhline(0.0, color="0.4", linestyle=":", linewidth=1.0)
    axes.set(xlabel="time (τ)", ylabel="uncertainty − that of the start", xlim=(0, float(time[-1])))


def _limits(axes: Any, record: xr.Dataset, last: float) -> None:
    """The least possible entropy, and that of Gaussian bumps."""
    n = record.sizes["position"]
    for words, level in {"least": np.log(n), "Gaussian\nbumps": np.log(n) + 1 - np.log(2)}.items():
        axes.axhline(level, color="0.4", linestyle=":", linewidth=1.0)
        axes.text(1.01 * last, level, words, va="center", fontsize=7.5, color="0.3")
    axes.set(xlim=(0, last), ylim=(np.log(n) - 0.3, float(record.entropy.isel(unit=0).median("seed").max()) + 0.15))


def kinds(record: xr.Dataset) -> xr.DataArray:
    """The place of each final field among `KINDS`, by its fit; behind them if that is not good."""
    return model(record).where(record.fit_R2 > GOOD, len(KINDS)).astype(int)


def model(record: xr.Dataset) -> xr.DataArray:
    """The place among `KINDS` of the model that was chosen, however well it fits."""
    return record.fit_is_gabor.astype(int) + waves(record).astype(int)


def cases(record: xr.Dataset) -> list[tuple[slice, str]]:
    """Each network, as the units it has in the record, with each order of the length scales."""
    return [(network, order) for network in (slice(0, 1), slice(1, None)) for order in ORDERS]


def case_text(network: slice, order: str) -> str:
    return f"{'one neuron' if network.stop == 1 else 'committee'},\n{order}er range positive"
