"""The figure of `self-consistency`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.gates.self_consistency.verdicts import NAMES
from gatefield.measures import aligned
from gatefield.plot import dots_by_seed, gain_text


def draw(record: xr.Dataset) -> Figure:
    """End states above, losses and contraction below."""
    figure = Figure(figsize=(10.5, 9.0))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.35, 1.0]))
    panels = top.subplots(2, record.sizes["gain"], sharex=True, sharey=True, squeeze=False)
    for row, order in zip(panels, NAMES, strict=True):
        for axes, gain in zip(row, record.gain.values, strict=True):
            _states(axes, record.sel(order=order, gain=gain))
        row[0].set_ylabel(f"{NAMES[order]}\nfield / its peak")
    for axes, gain in zip(panels[0], record.gain.values, strict=True):
        axes.set_title(f"gain {gain_text(gain)}")
    for axes in panels[1]:
        axes.set_xlabel("site, from the peak")
    top.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize="small")
    left, middle, right = bottom.subplots(1, 3)
    for axes, order in ((left, "long"), (middle, "short")):
        _losses(axes, record.sel(order=order))
        axes.set_title(NAMES[order])
    left.set_ylabel("loss of the end state")
    _contraction(right, record)
    bottom.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize="small")
    return figure


def _states(axes: Any, one: xr.Dataset) -> None:
    """Where the map ends from a random start and from one site, and SGD from the same random start."""
    at = np.arange(one.sizes["position"]) - one.sizes["position"] // 2
    axes.axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
    for kind, color, width, label in (("random", "C0", 1.8, "map, random start"), ("site", "C1", 1.2, "map, from one site")):
        end = one.ends.values[int(np.flatnonzero(one.kind.values == kind)[0])]
        axes.plot(at, aligned(end), color=color, linewidth=width, label=label)
    axes.plot(at, aligned(one.sgd.values[0]), "o", color="k", markersize=2.5, markeredgewidth=0, label="SGD, same random start")
    count = len(np.unique(one.state))
    text = f"{count} states from {one.sizes['start']} starts" if count > 1 else "1 state from all starts"
    axes.text(0.02, 0.02, text, fontsize="small", transform=axes.transAxes)
    axes.set(ylim=(-1.4, 1.15), yticks=[-1, 0, 1], xticks=[at[0], 0, at[-1]])


def _losses(axes: Any, one: xr.Dataset) -> None:
    """Losses of all end states against gain."""
    at = np.arange(one.sizes["gain"])
    for kinds, shift, color, label in (
        (("random",), -0.22, "C0", "map, random starts"),
        (("site", "bump"), 0.0, "C1", "map, from one site or a bump"),
        (("sinusoid",), 0.11, "C2", "map, from a sinusoid"),
    ):
        values = one.loss.isel(start=np.isin(one.kind.values, kinds)).rename(start="seed").transpose("seed", "gain")
        dots_by_seed(axes, at + shift, values, "gain", color)
        axes.plot([], [], "o", color=color, markersize=4, label=label)
    dots_by_seed(axes, at + 0.3, one.sgd_loss.transpose("seed", "gain"), "gain", "k")
    axes.plot([], [], "o", color="k", markersize=4, label="SGD")
    axes.plot(at, one.flat_loss, "_", color="0.4", markersize=22, label="flat field")
    axes.set_xticks(at, [gain_text(g) for g in one.gain.values])
    axes.set_xlabel("gain")


def _contraction(axes: Any, record: xr.Dataset) -> None:
    for i, order in enumerate(NAMES):
        one = record.sel(order=order)
        axes.plot(one.frequency, one.multiplier_theory, "-", color=f"C{3 + i}", label=NAMES[order])
        axes.plot(one.frequency, one.multiplier, "o", color=f"C{3 + i}", markersize=4)
    axes.set(
        xlabel="frequency k (cycles per ring)",
        ylabel="factor per iteration",
        title="Gaussian data, mode by mode",
        ylim=(0, 1.35),
        yticks=[0, 0.5, 1],
    )
    axes.plot([], [], "o", color="0.4", markersize=4, label="one iteration")
    axes.plot([], [], "-", color="0.4", label=r"$D_{\min}/D_k$")
    axes.legend(loc="upper center", fontsize="small")
