"""The figure of `self-consistency`."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.gates.self_consistency.verdicts import NAMES, states
from gatefield.experiments.gates.setting import seeds
from gatefield.measures import aligned
from gatefield.plot import COLOURS, DATA, THEORY, WIDTH, dots_by_seed, field_row, gain_text, letter, say_setting

RANDOM, SITE, WAVE = COLOURS[0], COLOURS[4], COLOURS[2]
LOOKS = {"long": (COLOURS[0], "o"), "short": (COLOURS[4], "s")}
"""Of the two orders of the length scales."""


def draw(record: xr.Dataset) -> Figure:
    """How many states there are, how modes shrink, losses, and the end states themselves."""
    figure = Figure(figsize=(WIDTH, 8.6))
    grid = figure.add_gridspec(4, 2, height_ratios=[1.0, 1.0, 0.6, 0.6])
    panels = [figure.add_subplot(grid[row, column]) for row in (0, 1) for column in (0, 1)]
    strips = [figure.add_subplot(grid[row, :]) for row in (2, 3)]
    _counts(panels[0], record)
    _contraction(panels[1], record)
    for axes, strip, order in zip(panels[2:], strips, NAMES, strict=True):
        _losses(axes, record.sel(order=order))
        _states(strip, record.sel(order=order))
    panels[2].set_ylabel("loss of the end state")
    panels[3].legend(
        *panels[2].get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0.92), fontsize=6.5, ncols=2
    )
    titles = ["how many end states the map has", "one iteration on Gaussian data"]
    titles += [f"{NAMES[order]}: losses" for order in NAMES]
    letter([*panels, *strips], [*titles, *(f"{NAMES[order]}: end states, peak in the middle, scaled" for order in NAMES)])
    xi1, xi0 = record.attrs["length_scales"]
    time = record.attrs["steps"] * float(np.max(record.attrs["learning_rate"]))
    sizes = (
        f"n = {record.sizes['position']}",
        f"length scales {xi1:g} and {xi0:g}",
        f"{record.sizes['start']} starts of the map",
    )
    sampled = f"{record.attrs['samples']:,} samples" if "samples" in record.attrs else ""
    say_setting(figure, *sizes, sampled, f"SGD: {seeds(record.sizes['seed'])}, {time:g} τ", "a dot for each start or seed")
    return figure


def _counts(axes: Any, record: xr.Dataset) -> None:
    """Different end states, and those of them that are stable on another sample."""
    at = np.arange(record.sizes["gain"])
    for shift, (order, (color, marker)) in zip((-0.12, 0.12), LOOKS.items(), strict=True):
        found = np.array([states(record.sel(order=order, gain=g)) for g in record.gain.values])
        axes.plot(at + shift, found[:, 0], marker, color=color, markerfacecolor="none", label=f"{NAMES[order]}: all")
        axes.plot(at + shift, found[:, 1], marker, color=color, markersize=4, label="of these stable")
    axes.set_xticks(at, [gain_text(g) for g in record.gain.values])
    axes.set(xlabel="gain", ylabel="end states")
    most = max(states(record.sel(order=order, gain=g))[0] for order in NAMES for g in record.gain.values)
    axes.set_ylim(-0.06 * most, 1.0 + 1.45 * most)  # room for the legend
    axes.legend(loc="upper left", fontsize=7, ncols=2, columnspacing=1.0)


def _contraction(axes: Any, record: xr.Dataset) -> None:
    """What one application of the map leaves of each mode, against the winning one."""
    for order, (color, marker) in LOOKS.items():
        one = record.sel(order=order)
        axes.plot(one.frequency, one.multiplier_theory, **THEORY, linewidth=1.0)
        axes.plot(one.frequency, one.multiplier, color=color, label=NAMES[order], **{**DATA, "marker": marker}, markersize=4)
    axes.plot([], [], **THEORY, label="$D_{min}/D_k$")
    axes.set(xlabel="frequency k (cycles per ring)", ylabel="factor per iteration", ylim=(0, 1.6), yticks=[0, 0.5, 1])
    axes.legend(loc="upper center", fontsize=7, ncols=2)


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
    axes.plot([], [], "s", color="black", markersize=4, label="SGD")
    axes.plot(at, one.flat_loss, "_", color="0.5", markersize=20, label="flat field")
    axes.set_xticks(at, [gain_text(g) for g in one.gain.values])
    axes.set(xlabel="gain")


def _states(axes: Any, one: xr.Dataset) -> None:
    """Where the map ends from a random start and from one site, and SGD from the same random start, at each gain."""
    gains = one.gain.values
    names = [f"gain {gain_text(g)}" for g in gains]
    for kind, color, dash, width, label in (
        ("random", RANDOM, "-", 2.2, "map, random start"),
        ("site", SITE, "--", 1.3, "map, from one site"),
    ):
        place = int(np.flatnonzero(one.kind.values == kind)[0])
        ends = [aligned(one.ends.sel(gain=g).values[place]) for g in gains]
        field_row(axes, ends, names, dash, color=color, linewidth=width, label=label)
    trained = [aligned(one.sgd.sel(gain=g).values[0]) for g in gains]
    field_row(axes, trained, names, "o", color="black", markersize=2.2, label="SGD, same random start")
    if one.order == "long":
        axes.legend(loc="upper right", bbox_to_anchor=(1.0, -0.12), ncols=3, fontsize=7)
