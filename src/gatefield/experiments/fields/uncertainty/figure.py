"""The figures of `uncertainty`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.along_gain import gain_axis
from gatefield.experiments.fields.uncertainty.verdicts import CYCLES, GOOD, gabors, rises, rising, waves
from gatefield.experiments.orders import ORDERS, scales_text
from gatefield.measures import gabor
from gatefield.plot import WIDTH, gain_text, letter, say_setting, shades, small_field

KINDS = (("C0", "o", "plain bump"), ("C5", "s", f"carrier of less than {CYCLES:g} cycle"), ("C1", "^", "Gabor"))
"""Colour, marker and name of what a field was fitted by."""
EARLY = 12.0
"""Until when flows are shown, in tau: what rises does so early."""
POOR = ("0.88", f"no good fit (R² up to {GOOD:g})")


def figure(record: xr.Dataset) -> Figure:
    """What kind of field each network ends with; entropies along training and along the flow."""
    figure = Figure(figsize=(WIDTH, 6.8))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.0, 1.15]))
    bars = top.subplots(1, 4, sharey=True)
    for axes, (network, order) in zip(bars, _cases(record), strict=True):
        _share_panel(axes, record.isel(unit=network).sel(order=order))
        axes.set_title(_case_text(network, order), loc="left", fontsize=8)
    bars[0].set_ylabel("share of final fields")
    handles, names = bars[0].get_legend_handles_labels()
    gabor_share = f"Gabor ({100 * float(gabors(record).mean()):.0f} % of all)"
    names = [gabor_share if name == KINDS[-1][2] else name for name in names]
    top.legend(handles, names, loc="outside lower center", ncols=4, columnspacing=1.4)
    letter(bars[:1], [_case_text(*_cases(record)[0])])
    bars[0].set_title(bars[0].get_title(loc="left"), loc="left", fontsize=8)
    left, right = bottom.subplots(1, 2)
    _entropy_panel(left, record)
    _flow_panel(right, record)
    letter([left, right], ["uncertainty of one neuron, SGD", _rise_text(record)], "b")
    _say(figure, record, "(b) medians", "(c) exact flows, Gaussian data")
    return figure


def more(record: xr.Dataset) -> Figure:
    """Fits of all final fields, and some of these fields."""
    figure = Figure(figsize=(WIDTH, 8.6))
    parts = cast(Any, figure.subfigures(5, 1, height_ratios=[1.9, 1, 1, 1, 1.25]))
    axes = parts[0].subplots()
    _fit_panel(axes, record)
    letter([axes], ["how well Gabors and bumps fit the final fields"])
    for part, (network, order), at in zip(parts[1:], _cases(record), "bcde", strict=True):
        _strip(part, record.isel(unit=network, step=-1).sel(order=order), at, _case_text(network, order))
    for axes in parts[4].axes:
        axes.set_xlabel("distance from centre")
    _say(figure, record, "(b-e) the field of median R², scaled to its maximum, and its fit (dashed)")
    return figure


def _say(figure: Figure, record: xr.Dataset, *words: str) -> None:
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


def _rise_text(record: xr.Dataset) -> str:
    """In how many exact flows the entropy sum rises, and by how much."""
    count, flows = rising(record)
    most = float(rises(record.flow_entropy, "flow_time").max())
    return f"rises by up to {most:.2g} nats in {count} of {flows} flows" if count else f"falls in all {flows} flows"


def _share_panel(axes: Any, one: xr.Dataset) -> None:
    """Stacked shares of each kind of field, by gain."""
    at, below = np.arange(one.sizes["gain"]), np.zeros(one.sizes["gain"])
    kinds = _kinds(one).where(one.fit_R2 > GOOD, len(KINDS))
    looks = [*((color, name) for color, _, name in KINDS), POOR]
    for kind, ((color, name), hatch) in enumerate(zip(looks, ("", "///", "...", ""), strict=True)):
        share = (kinds == kind).mean(("seed", "unit")).values
        axes.bar(at, share, bottom=below, color=color, hatch=hatch, edgecolor="white", linewidth=0.5, label=name)
        below = below + share
    gain_axis(axes, one.gain.values, "gain")
    axes.set(xlabel=f"gain\n({one.sizes['seed'] * one.sizes['unit']} fields a bar)", ylim=(0, 1))


def _entropy_panel(axes: Any, record: xr.Dataset) -> None:
    """Median entropy sum along training."""
    time = record.step.values * record.attrs["neuron_rate"]
    for shade, gain in zip(shades(record.sizes["gain"]), record.gain.values, strict=True):
        for order, style in zip(ORDERS, ("-", "--"), strict=True):
            values = record.entropy.sel(gain=gain, order=order).isel(unit=0).median("seed")
            axes.plot(time, values, style, color=shade, label=f"gain {gain_text(gain)}" if order == "long" else None)
    _limits(axes, record, float(time[-1]))
    axes.set(xlabel="time (τ)", ylabel="entropy of position\nand frequency (nats)")
    axes.legend(loc="upper right", ncols=2, title="dashed: shorter range positive", title_fontsize=8)


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
    axes.set(xlabel="time (τ)", ylabel="entropy − that of the start", xlim=(0, float(time[-1])))
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.35 * (high - low))
    axes.legend(loc="upper right")


def _limits(axes: Any, record: xr.Dataset, last: float) -> None:
    """The least possible entropy, and that of Gaussian bumps."""
    n = record.sizes["position"]
    for level in (np.log(n), np.log(n) + 1 - np.log(2)):
        axes.axhline(level, color="0.4", linestyle=":", linewidth=1.0)
    place: Any = {"va": "bottom", "ha": "left", "fontsize": 7, "color": "0.3", "transform": axes.transAxes}
    axes.text(0.02, 0.01, "dotted: ln n (one site, or flat) and Gaussian bumps", **place)
    axes.set(xlim=(0, last), ylim=(np.log(n) - 0.35, np.log(n) + 3.8))


def _fit_panel(axes: Any, record: xr.Dataset) -> None:
    """R2 of every final field, by network, order and gain; colour and mark say which model was chosen."""
    gains, rng = record.gain.values, np.random.default_rng(0)
    width = len(gains) + 1
    for group, (network, order) in enumerate(_cases(record)):
        for i, gain in enumerate(gains):
            one = record.isel(unit=network).sel(order=order, gain=gain)
            R2, kind = one.fit_R2.values.ravel(), _kinds(one).values.ravel()
            x = group * width + i + rng.uniform(-0.25, 0.25, len(R2))
            for j, (colour, marker, _) in enumerate(KINDS):
                look = {"color": colour, "markersize": 3.5, "alpha": 0.6, "markeredgewidth": 0}
                axes.plot(x[kind == j], R2[kind == j], marker, **look)
        middle = group * width + (width - 2) / 2
        axes.text(middle, 1.03, _case_text(network, order), ha="center", va="bottom", fontsize=7)
    for colour, marker, label in KINDS:
        axes.plot([], [], marker, color=colour, markersize=4, label=label)
    axes.axhline(GOOD, color="0.4", linewidth=1.0, linestyle="--", label=f"good: {GOOD:g}")
    axes.axhline(float(record.noise_R2), color="0.4", linewidth=1.0, linestyle=":", label="white noise")
    ticks = [group * width + i for group in range(4) for i in range(len(gains))]
    axes.set_xticks(ticks, [gain_text(gain) for gain in gains] * 4)
    axes.set(xlabel="gain", ylabel="R² of the fit", ylim=(0, 1.25), yticks=[0, 0.5, 1], xlim=(-0.6, 4 * width - 1.4))
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=7)


def _kinds(record: xr.Dataset) -> xr.DataArray:
    """The place of each fit among `KINDS`."""
    return record.fit_is_gabor.astype(int) + waves(record).astype(int)


def _strip(part: Any, record: xr.Dataset, at: str, words: str) -> None:
    """One final field for each gain, that with the median R2, and its fit."""
    panels = np.ravel(part.subplots(1, record.sizes["gain"], sharex=True))
    for axes, gain in zip(panels, record.gain.values, strict=True):
        one = record.sel(gain=gain).stack(field=("seed", "unit"))
        one = one.isel(field=int(np.argsort(one.fit_R2.values)[one.sizes["field"] // 2]))
        _field_and_fit(axes, one)
        axes.set_title(f"gain {gain_text(gain)}, R² {float(one.fit_R2):.2f}", loc="left", fontsize=8)
    letter(panels[:1], [panels[0].get_title(loc="left")], at)
    panels[0].set_title(panels[0].get_title(loc="left"), loc="left", fontsize=8)
    panels[0].set_ylabel(words, fontsize=7)


def _field_and_fit(axes: Any, one: xr.Dataset) -> None:
    """A field turned until its centre is in the middle, the right way up, in the colour of its model; its fit dashed."""
    n, (mu, *rest) = one.sizes["position"], (float(one["fit_" + x]) for x in ("mu", "s", "f", "phi", "amplitude"))
    scale = one.fields.values[np.abs(one.fields.values).argmax()]
    field = one.fields.roll(position=n // 2 - round(mu)).assign_coords(position=np.arange(n) - n // 2)
    fit = np.roll(gabor(n, mu, *rest), n // 2 - round(mu))
    small_field(axes, field / scale, color=KINDS[int(_kinds(one))][0])
    axes.plot(field.position, fit / scale, "--", color="k", linewidth=1.0)
    axes.set(ylim=(-1.15, 1.15), xticks=[-(n // 2), 0, n // 2])


def _cases(record: xr.Dataset) -> list[tuple[slice, str]]:
    """Each network, as the units it has in the record, with each order of the length scales."""
    return [(network, order) for network in (slice(0, 1), slice(1, None)) for order in ORDERS]


def _case_text(network: slice, order: str) -> str:
    return f"{'one neuron' if network.stop == 1 else 'committee'},\n{order}er range positive"
