"""The figure of `self-consistency`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.gates.self_consistency.verdicts import MISSED, NAMES, SAME, last_losses, states
from gatefield.experiments.gates.setting import seeds
from gatefield.experiments.nearly_gaussian import GAUSSIAN
from gatefield.measures import aligned
from gatefield.plot import (
    COLOURS,
    DATA,
    THEORY,
    WIDTH,
    field_row,
    gain_text,
    legend_below,
    letter,
    plain_log_scale,
    say_setting,
)

RANDOM, SITE, WAVE = COLOURS[0], COLOURS[4], COLOURS[2]
LOOKS = {"long": (COLOURS[0], "o"), "short": (COLOURS[4], "s")}
"""Of the two orders of the length scales."""
LEAST = 0.8
"""Where an axis of counts begins; none is drawn there only as a number."""
MAP = "map: field → the best field behind its own gate, iterated"
ROUNDING = 1e-6
"""A smaller difference cannot be seen."""
SHOWN = 3
"""Gains whose end states are drawn."""


def draw(record: xr.Dataset) -> Figure:
    """How many states there are, how modes shrink, who reaches a state, and the end states themselves."""
    figure = Figure(figsize=(WIDTH, 8.8))
    top, middle, bottom = cast(Any, figure.subfigures(3, 1, height_ratios=[1.3, 0.85, 1.75]))
    panels = [*top.subplots(1, 2), middle.subplots()]
    rows = bottom.subplots(6, 1).tolist()
    strips = rows[::3]
    _counts(panels[0], record)
    _contraction(panels[1], record)
    legend_below(top, panels[1], panels[0])
    _shares(panels[2], record)
    legend_below(middle, panels[2])
    for at, order in enumerate(NAMES):
        _states(rows[3 * at : 3 * at + 3], record.sel(order=order))
    heads = [_counts_words(record), _contraction_words(record), _shares_words(record)]
    letter([*panels, *strips], [*heads, *(_states_words(record.sel(order=order)) for order in NAMES)])
    _say(
        figure,
        record,
        MAP,
        f"same: cosine ≥ {SAME:g}",
        "stable: the same on another sample after a push of a tenth",
        "λ₁, λ₀: spectra of the classes",
        "(d, e): peak in the middle, scaled",
    )
    return figure


def draw_more(record: xr.Dataset) -> Figure:
    """Losses of all ends, for both orders."""
    figure = Figure(figsize=(WIDTH, 3.6))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    panels = body.subplots(1, 2, sharey=True)
    for axes, order in zip(panels, NAMES, strict=True):
        _losses(axes, record.sel(order=order))
        _gap(axes, record.sel(order=order))
    panels[0].set_ylabel("loss of the end state")
    legend_below(body, panels[0], ncols=5, columnspacing=1.0, fontsize=7)
    ends = [last_losses(record.sel(order=order)) for order in NAMES]
    last = f"gain {gain_text(float(record.gain[-1]))}"
    words = [
        f"{NAMES[order]}, {last}: from one\nsite {site}, from random starts {start}"
        for order, (site, start) in zip(NAMES, ends, strict=True)
    ]
    letter(panels, words)
    _say(figure, record, MAP, "a dot for each start or seed", "heads: medians")
    return figure


def _say(figure: Figure, record: xr.Dataset, *words: str) -> None:
    xi1, xi0 = record.attrs["length_scales"]
    time = record.attrs["steps"] * float(np.max(record.attrs["learning_rate"]))
    sizes = (
        f"n = {record.sizes['position']}",
        f"length scales {xi1:g} and {xi0:g}",
        f"{record.sizes['start']} starts of the map",
    )
    sampled = f"{record.attrs['samples']:,} samples" if "samples" in record.attrs else ""
    say_setting(figure, *sizes, sampled, f"SGD: {seeds(record.sizes['seed'])}, {time:g} τ", *words)


def _counts(axes: Any, record: xr.Dataset) -> None:
    """Different end states, and those of them that are stable on another sample, with their numbers."""
    at = np.arange(record.sizes["gain"])
    for shift, (order, (color, marker)) in zip((-0.17, 0.17), LOOKS.items(), strict=True):
        found = np.array([states(record.sel(order=order, gain=g)) for g in record.gain.values])
        shown = np.where(found > 0, found, np.nan)  # none has no place on a logarithmic axis
        look: Any = {"color": color, "linestyle": ""}
        axes.plot(at + shift, shown[:, 0], marker=marker, markerfacecolor="none", **look)
        axes.plot(at + shift, shown[:, 1], marker=marker, markersize=3.5, **look)
        for x, (count, stable) in zip(at + shift, found, strict=True):
            texts = [(count, f"{count}")] if count == stable else [(count, f"{count}"), (max(stable, LEAST), f"{stable}")]
            for y, text in texts:
                axes.annotate(text, (x, y), (0, 5), textcoords="offset points", ha="center", color="0.25", fontsize=7)
    axes.set_xticks(at, [gain_text(g) for g in record.gain.values])
    most = max(states(record.sel(order=order, gain=g))[0] for order in NAMES for g in record.gain.values)
    plain_log_scale(axes)
    axes.set(xlabel="gain", ylabel="end states", ylim=(LEAST, 2.5 * most), xlim=(-0.5, at[-1] + 0.5))
    axes.plot([], [], "o", color="0.4", markerfacecolor="none", label="(a) all")
    axes.plot([], [], "o", color="0.4", markersize=3.5, label="(a) stable")


def _shares(axes: Any, record: xr.Dataset) -> None:
    """Shares of ends of random starts that return on another sample, and of seeds of SGD that end in a fixed point."""
    at = np.arange(record.sizes["gain"])
    looks = (
        ("map, random starts: stable state", _returned(record), {}),
        ("SGD: fixed point", _trained(record), {"fillstyle": "none"}),
    )
    for side, (words, share, look) in zip((-1, 1), looks, strict=True):
        for shift, (order, (color, marker)) in zip((0.06, 0.18), LOOKS.items(), strict=True):
            values = share.sel(order=order).transpose("gain")
            axes.plot(at + side * shift, values, marker, color=color, label=f"{words}, {order}er", **look)
    axes.set_xticks(at, [gain_text(g) for g in record.gain.values])
    axes.set(xlabel="gain", ylabel="share (%)", xlim=(-0.5, at[-1] + 0.5), ylim=(-15, 115), yticks=[0, 50, 100])


def _returned(record: xr.Dataset) -> xr.DataArray:
    """Percent of random starts of the map that end in a stable state."""
    return 100 * (record.map_return.isel(start=record.kind.values == "random") >= SAME).mean("start")


def _trained(record: xr.Dataset) -> xr.DataArray:
    """Percent of seeds of SGD that end in a fixed point of the map."""
    return 100 * (record.sgd_match >= SAME).mean("seed")


def _counts_words(record: xr.Dataset) -> str:
    """How many end states there are at all gains, and how many of them are stable."""
    words = []
    for order in NAMES:
        found = np.array([states(record.sel(order=order, gain=g)) for g in record.gain.values])
        (least, most), stable = (found[:, 0].min(), found[:, 0].max()), found[:, 1]
        kept = "all" if np.array_equal(found[:, 0], stable) else f"{_span(int(stable.min()), int(stable.max()))}"
        words.append(f"{order}er range: {_span(int(least), int(most))} end state{'s' if most > 1 else ''}, {kept} stable")
    return "\n".join(words)


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


def _contraction_words(record: xr.Dataset) -> str:
    """How far iterations on Gaussian data are from their formula."""
    off = float(abs(record.multiplier - record.multiplier_theory).max())
    near = "as the formula says" if off < ROUNDING else f"within {off:.1g} of the formula"
    return f"Gaussian data: each iteration shrinks\nall but the best mode, {near}"


def _shares_words(record: xr.Dataset) -> str:
    """What share of random starts, of the map and of SGD, reaches a state with the shorter range positive."""
    some = record.gain.values > GAUSSIAN
    one = record.sel(order="short").isel(gain=some if some.any() else slice(None))
    ends = [(float(share.min()), float(share.max())) for share in (_returned(one), _trained(one))]
    least, sgd = (f"{low:.0f} %" if low == high else f"{low:.0f} to {high:.0f} %" for low, high in ends)
    where = f"gain ≥ {gain_text(float(one.gain.min()))}"
    return f"shorter range, {where}: {least} of random starts end stable, {sgd} of SGD's in a fixed point"


def _states_words(one: xr.Dataset) -> str:
    """Whether at the highest gain a random start, one site, and SGD end in one state."""
    last = one.isel(gain=-1)
    random, site = (str(last.state.values[_first(one, kind)]) for kind in ("random", "site"))
    joined = float(last.sgd_match.isel(seed=0)) >= SAME
    both = "random start and one site end alike" if random == site else "random start and one site end apart"
    sgd = ("SGD too" if random == site else "SGD in a fixed point") if joined else "SGD in no fixed point"
    return f"{NAMES[str(one.order.values)]}, gain {gain_text(float(last.gain))}: {both}, {sgd}"


def _first(one: xr.Dataset, kind: str) -> int:
    """The first start of a kind."""
    return int(np.flatnonzero(one.kind.values == kind)[0])


def _contraction(axes: Any, record: xr.Dataset) -> None:
    """What one application of the map leaves of each mode, against the winning one."""
    for order, (color, marker) in LOOKS.items():
        one = record.sel(order=order)
        axes.plot(one.frequency, one.multiplier_theory, **THEORY, linewidth=1.0)
        axes.plot(one.frequency, one.multiplier, color=color, label=NAMES[order], **{**DATA, "marker": marker}, markersize=4)
    axes.plot([], [], **THEORY, label="$D_{min}/D_k$, $D=1+λ_0/λ_1$")
    axes.set(xlabel="frequency k (cycles per ring)", ylabel="factor per iteration", ylim=(0, 1.08), yticks=[0, 0.5, 1])


def _losses(axes: Any, one: xr.Dataset) -> None:
    """Losses of all end states against gain, side by side for each kind of start."""
    at = np.arange(one.sizes["gain"])
    axes.hlines(one.flat_loss, at - 0.4, at + 0.4, color="0.5", label="flat field")
    for kinds, place, color, marker, label in (
        (("random",), -0.27, RANDOM, "o", "map, random starts"),
        (("site", "bump"), -0.06, SITE, "s", "map, from a site or bump"),
        (("sinusoid",), 0.12, WAVE, "^", "map, from a sinusoid"),
    ):
        values = one.loss.isel(start=np.isin(one.kind.values, kinds)).transpose("start", "gain").values
        _column(axes, at + place, values, color, marker, label)
    _column(axes, at + 0.31, one.sgd_loss.transpose("seed", "gain").values, "black", "D", "SGD")
    axes.set_xticks(at, [gain_text(g) for g in one.gain.values])
    axes.set(xlabel="gain", xlim=(-0.5, at[-1] + 0.5))


def _column(axes: Any, places: np.ndarray, values: np.ndarray, color: str, marker: str, label: str) -> None:
    """Values at each place, side by side in their order so that none hides another."""
    shifts = np.linspace(-0.06, 0.06, len(values)) if len(values) > 1 else np.zeros(1)
    xs = (places[None] + shifts[:, None]).ravel()
    axes.plot(xs, values.ravel(), marker, color=color, markersize=3.5, alpha=0.6, markeredgewidth=0, label=label)


def _gap(axes: Any, one: xr.Dataset) -> None:
    """At the highest gain an arrow from where random starts end to the lower state from one site, if they miss it."""
    (site, random), place = (float(words) for words in last_losses(one)), one.sizes["gain"] - 1
    if random - site > MISSED:
        arrow: Any = {"arrowstyle": "->", "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (place - 0.4, site), (place - 0.4, random), arrowprops=arrow)
        axes.annotate("missed", (place - 0.4, site), (0, -2), textcoords="offset points", ha="center", va="top", fontsize=8)


def _states(rows: list[Any], one: xr.Dataset) -> None:
    """Where the map ends from a random start and from one site, and SGD from the same random start, a row for each."""
    one = one.isel(gain=np.unique(np.linspace(0, one.sizes["gain"] - 1, SHOWN).round().astype(int)))
    gains, random, site = one.gain.values, _first(one, "random"), _first(one, "site")
    ends = [one.ends.isel(start=place).transpose("gain", "position").values for place in (random, site)]
    trained = one.sgd.isel(seed=0).transpose("gain", "position").values
    looks = (
        ("map,\nrandom start", "-", {"color": "black", "linewidth": 1.1}),
        ("map,\none site", "-", {"color": "black", "linewidth": 1.1}),
        ("SGD, same\nrandom start", "o-", {"color": LOOKS[str(one.order.values)][0], "linewidth": 0.5, "markersize": 2}),
    )
    for axes, fields, (words, dash, look) in zip(rows, (*ends, trained), looks, strict=True):
        names = [f"gain {gain_text(g)}" for g in gains] if axes is rows[-1] else []
        field_row(axes, [aligned(field) for field in fields], names, dash, **look)
        axes.set_ylabel(words, rotation=0, ha="right", va="center", fontsize=7.5)
