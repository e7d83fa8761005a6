"""The figure of `self-consistency`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.gates.self_consistency.verdicts import MISSED, NAMES, SAME, last_losses, states
from gatefield.experiments.gates.setting import seeds
from gatefield.measures import aligned
from gatefield.plot import (
    COLOURS,
    DATA,
    THEORY,
    WIDTH,
    dots_by_seed,
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


def draw(record: xr.Dataset) -> Figure:
    """How many states there are, how modes shrink, who reaches a state, and the end states themselves."""
    figure = Figure(figsize=(WIDTH, 8.8))
    top, middle, bottom = cast(Any, figure.subfigures(3, 1, height_ratios=[1.25, 0.85, 1.75]))
    panels = [*top.subplots(1, 2), middle.subplots()]
    rows = bottom.subplots(6, 1).tolist()
    strips = rows[::3]
    _counts(panels[0], record)
    _contraction(panels[1], record)
    legend_below(top, panels[1], panels[0])
    _shares(panels[2], record)
    for at, order in enumerate(NAMES):
        _states(rows[3 * at : 3 * at + 3], record.sel(order=order))
    titles = [
        "end states of the map",
        "one iteration on Gaussian data",
        "what is reached, with the longer (blue) and the shorter range positive (orange)",
    ]
    letter([*panels, *strips], [*titles, *(f"{NAMES[order]}: end states, peak in the middle, scaled" for order in NAMES)])
    _say(
        figure,
        record,
        MAP,
        f"same: cosine ≥ {SAME:g}",
        "stable: the same on another sample after a push of a tenth",
        "λ₁, λ₀: spectra of the classes",
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
    letter(panels, [f"{order}er: site {site}, random {start}" for order, (site, start) in zip(NAMES, ends, strict=True)])
    last = f"above: from one site and random starts (median), at gain {gain_text(float(record.gain[-1]))}"
    _say(figure, record, MAP, "a dot for each start or seed", last)
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
    """Shares of ends of random starts that return on another sample, and of seeds of SGD that end in a fixed point: numbers."""
    gains = [gain_text(g) for g in record.gain.values]
    returned = 100 * (record.map_return.isel(start=record.kind.values == "random") >= SAME).mean("start")
    trained = 100 * (record.sgd_match >= SAME).mean("seed")
    rows = [(share, order) for share in (returned, trained) for order in LOOKS]
    for row, (share, order) in enumerate(rows):
        for place, value in enumerate(share.sel(order=order).transpose("gain").values):
            axes.text(place, row, f"{value:.0f} %", color=LOOKS[order][0], ha="center", va="center", fontweight="bold")
    words = ("map: random starts that end\nin a stable state", "SGD: seeds that end\nin a fixed point")
    names = [f"{words[row // 2]}, {order}er" for row, (_, order) in enumerate(rows)]
    axes.set_yticks(range(len(rows)), names, fontsize=7.5)
    axes.set_xticks(range(len(gains)), gains)
    axes.set(xlabel="gain", xlim=(-0.5, len(gains) - 0.5), ylim=(len(rows) - 0.5, -0.5))
    axes.axhline(1.5, color="0.85", linewidth=0.8)
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)


def _contraction(axes: Any, record: xr.Dataset) -> None:
    """What one application of the map leaves of each mode, against the winning one."""
    for order, (color, marker) in LOOKS.items():
        one = record.sel(order=order)
        axes.plot(one.frequency, one.multiplier_theory, **THEORY, linewidth=1.0)
        axes.plot(one.frequency, one.multiplier, color=color, label=NAMES[order], **{**DATA, "marker": marker}, markersize=4)
    axes.plot([], [], **THEORY, label="$D_{min}/D_k$, $D=1+λ_0/λ_1$")
    axes.set(xlabel="frequency k (cycles per ring)", ylabel="factor per iteration", ylim=(0, 1.08), yticks=[0, 0.5, 1])


def _losses(axes: Any, one: xr.Dataset) -> None:
    """Losses of all end states against gain."""
    at = np.arange(one.sizes["gain"])
    for kinds, shift, color, label in (
        (("random",), -0.26, RANDOM, "map, random starts"),
        (("site", "bump"), -0.02, SITE, "map, from a site or bump"),
        (("sinusoid",), 0.14, WAVE, "map, from a sinusoid"),
    ):
        values = one.loss.isel(start=np.isin(one.kind.values, kinds)).rename(start="seed").transpose("seed", "gain")
        dots_by_seed(axes, at + shift, values, "gain", color)
        axes.plot([], [], "o", color=color, markersize=4, label=label)
    dots_by_seed(axes, at + 0.34, one.sgd_loss.transpose("seed", "gain"), "gain", "black")
    axes.plot([], [], "o", color="black", markersize=4, label="SGD")
    axes.plot(at, one.flat_loss, "_", color="0.5", markersize=20, label="flat field")
    axes.set_xticks(at, [gain_text(g) for g in one.gain.values])
    axes.set(xlabel="gain")


def _gap(axes: Any, one: xr.Dataset) -> None:
    """At the highest gain an arrow from where random starts end to the lower state from one site, if they miss it."""
    (site, random), place = (float(words) for words in last_losses(one)), one.sizes["gain"] - 1
    if random - site > MISSED:
        arrow: Any = {"arrowstyle": "->", "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (place - 0.4, site), (place - 0.4, random), arrowprops=arrow)
        axes.annotate("missed", (place - 0.4, site), (0, -2), textcoords="offset points", ha="center", va="top", fontsize=8)


def _states(rows: list[Any], one: xr.Dataset) -> None:
    """Where the map ends from a random start and from one site, and SGD from the same random start, a row for each."""
    gains = one.gain.values
    random, site = (int(np.flatnonzero(one.kind.values == kind)[0]) for kind in ("random", "site"))
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
