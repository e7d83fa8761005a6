"""The figure of `rotation-invariance`."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.convolution.rotation_invariance.drawing import draw_network
from gatefield.experiments.convolution.rotation_invariance.maxima import POOLINGS
from gatefield.experiments.convolution.rotation_invariance.training import NETS, TRAININGS

LABELS = {"rotating": "gates rotate with x'", "kept": "gates kept in place"}
TURNS = (("C2", "-"), ("C3", "--"))
MAXIMA = {"chosen": ("C0", "o"), "own": ("C4", "v"), "blocks": ("C5", "D")}
STYLES = {"rotating": ("C0", "o"), "kept": ("C1", "s"), "flatten": ("C2", "^"), "unpooled": ("C2", "^")}


def draw(record: xr.Dataset) -> Figure:
    figure = Figure(figsize=(16.5, 11.0))
    parts: Any = figure.subfigures(2, 1, height_ratios=[7.2, 3.8])
    panels: Any = parts[0].subplots(2, 4)
    _pooled_panel(panels[0, 0], record)
    _terms_panel(panels[0, 1], record)
    _sums_panel(panels[0, 2], record)
    for axes, training, letter in zip(panels[1], TRAININGS, "de", strict=False):
        _accuracy_panel(axes, record, training, letter)
    _loss_panel(panels[1, 2], record)
    _maxima_panel(panels[0, 3], record)
    _changes_panel(panels[1, 3], record)
    draw_network(parts[1])
    return figure


def _pooled_panel(axes: Any, record: xr.Dataset) -> None:
    for case, label in LABELS.items():
        color, marker = STYLES[case]
        one = record.sel(case=case)
        axes.plot(one.rotation, one.exact, "-", color=color, label=label)
        found = "sampled, 2 standard errors" if case == "kept" else None
        axes.errorbar(one.rotation, one.found, 2 * one.error, fmt=marker, color=color, markersize=4, label=found)
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.set(xlabel="rotation of x' (positions)", ylabel="E⟨y, y'⟩", title="(a) mean over positions")
    _room(axes, below=0.5)
    axes.legend(fontsize="small", loc="lower left")


def _terms_panel(axes: Any, record: xr.Dataset) -> None:
    unpooled = record.sel(case="unpooled")
    for turn, (color, style) in zip(record.turn.values, TURNS, strict=True):
        axes.plot(record.rotation, record.terms.sel(turn=turn), style, color=color, label=_turn_text(turn))
    axes.errorbar(unpooled.rotation, unpooled.found, 2 * unpooled.error, fmt="^", color="C2", markersize=4, label="sampled")
    axes.set(xlabel="rotation r (positions)", ylabel="E⟨z, z'⟩ / n²", title="(b) no pooling: the term of each rotation")
    _room(axes, above=0.4)
    axes.legend(fontsize="small", loc="upper right")


def _sums_panel(axes: Any, record: xr.Dataset) -> None:
    axes.axhline(float(record.exact.sel(case="rotating")[0]), color="C0", label="moment of (a), gates rotate")
    for turn, (color, style) in zip(record.turn.values, TURNS, strict=True):
        sums = record.terms.sel(turn=turn).cumsum("rotation")
        axes.plot(record.rotation, sums, style, color=color, drawstyle="steps-post", label=_turn_text(turn))
    axes.set(xlabel="rotation r (positions)", ylabel="terms of 0 to r, summed", title="(c) sums of the terms")
    axes.legend(fontsize="small", loc="lower right")


def _turn_text(turn: int | np.integer) -> str:
    return f"x' turned by {turn} first" if turn else "x' as it is"


def _room(axes: Any, below: float = 0.0, above: float = 0.0) -> None:
    """Room for a legend below or above what is drawn, in parts of its height."""
    low, high = axes.get_ylim()
    axes.set_ylim(low - below * (high - low), high + above * (high - low))


def _accuracy_panel(axes: Any, record: xr.Dataset, training: str, letter: str) -> None:
    axes.axhline(50, color="0.7", linewidth=0.8, zorder=0)
    for net, label in NETS.items():
        color, marker = STYLES[net]
        values = 100 * record.accuracy.sel(net=net, training=training)
        axes.plot(values.rotation, values.mean("seed"), "-", color=color, marker=marker, markersize=4, label=label)
        axes.fill_between(values.rotation, values.min("seed"), values.max("seed"), color=color, alpha=0.2, linewidth=0)
    axes.set(
        xlabel="rotation of the test set (positions)",
        ylabel="test accuracy (%)",
        ylim=(0, 104),
        title=f"({letter}) trained on ramps {TRAININGS[training]}",
    )
    if training == "any":
        axes.legend(fontsize="small", loc="lower right")


def _loss_panel(axes: Any, record: xr.Dataset) -> None:
    for net in NETS:
        for training, style in zip(TRAININGS, ("-", "--"), strict=True):
            values = record.loss.sel(net=net, training=training).mean("seed")
            label = TRAININGS[training] if net == "rotating" else None
            axes.plot(values.step, np.maximum(values, 1e-16), style, color=STYLES[net][0], label=label)
    axes.set(yscale="log", xlabel="step", ylabel="training loss", title="(f) training, colours as in (e)")
    axes.set_ylim(bottom=max(axes.get_ylim()[0], 1e-10))
    axes.legend(fontsize="small")


def _maxima_panel(axes: Any, record: xr.Dataset) -> None:
    axes.plot(record.rotation, record.max_exact, "-", color="black", label="sum over paths of the lemma")
    for pooling, label in POOLINGS.items():
        color, marker = MAXIMA[pooling]
        one = record.sel(pooling=pooling)
        axes.errorbar(one.rotation, one.max_found, 2 * one.max_error, fmt=marker, color=color, markersize=4, label=label)
    axes.set(xlabel="rotation of x' (positions)", ylabel="E⟨y, y'⟩", title="(g) maxima over positions, gates rotate")
    _room(axes, above=0.6)
    axes.legend(fontsize="small", loc="upper right")


def _changes_panel(axes: Any, record: xr.Dataset) -> None:
    for pooling in POOLINGS:
        color, marker = MAXIMA[pooling]
        change = np.maximum(record.max_change.sel(pooling=pooling), 1e-8)
        axes.plot(record.rotation, change, "-", color=color, marker=marker, markersize=4, linewidth=0.8)
    axes.set(
        yscale="log", ylim=(5e-9, 5), xlabel="rotation of x' (positions)", ylabel="largest relative change of y' (0 as 1e-8)",
        title="(h) in any network, colours as in (g)",
    )  # fmt: skip
