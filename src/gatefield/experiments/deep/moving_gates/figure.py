"""The figure of `moving-gates`."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.experiments.deep.moving_gates.simulate import CALM, FLOWS, MOVING, NETS
from gatefield.experiments.deep.moving_gates.verdicts import gates_part, whole_intervals
from gatefield.plot import WIDTH, dots_by_seed, letter, plain_log_scale, say_setting

LOOKS = {
    "relu": ("C0", "o"),
    "soft-relu": ("C1", "s"),
    "soft-galu": ("C2", "D"),
    CALM: ("C4", "p"),
    "gates-only": ("C3", "^"),
    "galu": ("0.45", "v"),
    "strengths": ("C5", "P"),
}
"""Colour and marker of each network."""
SHOWN = [*MOVING, CALM, "gates-only", "galu"]
"""Those whose gates are shown; the other has the gates of its start, as GaLU has."""
LEAST = 1e-4
"""Rates below are not shown: one gate of some ten thousand."""
MARKED = 8
"""Of each line about so many points are marked."""


def draw(record: xr.Dataset) -> Figure:
    """How far gates move above; what becomes of them and of sub-networks below."""
    figure = Figure(figsize=(WIDTH, 6.2))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    panels = body.subplots(2, 3)
    _gate_panels(panels[0], record)
    _network_panels(panels[1], record)
    titles = [
        "gates move",
        "in every layer",
        "do they come to rest?",
        "they settle late",
        "open paths are lost",
        "do labels fit K?",
    ]
    letter(panels, titles)
    body.legend(handles=_legend(record, SHOWN), loc="outside lower center", ncols=2, fontsize=7.5)
    say_setting(figure, *_setting(record))
    return figure


def draw_more(record: xr.Dataset) -> Figure:
    """Strengths and gates of soft GaLU, apart and together."""
    figure = Figure(figsize=(WIDTH, 3.5))
    body: Any = figure.subfigures()
    panels = body.subplots(1, 3)
    _flow_panels(panels, record)
    letter(panels, ["soft GaLU by one or both", r"traces of $K^w$, $K^a$ (dashed)", "part of the gates"])
    body.legend(handles=_legend(record, list(FLOWS)), loc="outside lower center", ncols=1, fontsize=7.5)
    say_setting(figure, *_setting(record))
    return figure


def _setting(record: xr.Dataset) -> list[str]:
    here = record.attrs
    size = f"{record.sizes['layer']} layers of gates", f"gates on {here['kernel_samples']} training images"
    return [
        "MNIST, 4 against 7",
        *size,
        f"{here['epochs']} epochs",
        f"lines: mean, bands: range of {record.sizes['seed']} seeds",
    ]


def _gate_panels(panels: Any, record: xr.Dataset) -> None:
    flips, layers, rate = panels
    mean = record.mean("layer")
    for net in SHOWN:
        _line(flips, record.epoch, 100 * mean.flipped.sel(net=net), net)
    flips.set(xlabel="epoch", ylabel="flipped since the start (%)", ylim=(0, None))
    for net in SHOWN:
        _by_layer(layers, 100 * record.flipped.sel(net=net).isel(step=-1), net)
    layers.set(xlabel="layer of gates", ylabel="flipped at the end (%)", ylim=(0, None))
    layers.set_xticks(record.layer.values)
    for net in SHOWN[:-1]:
        _line(rate, *rates(record, net), net)
    rate.set(xlabel="epoch", ylabel="flips per epoch (%)")
    plain_log_scale(rate)


def rates(record: xr.Dataset, net: str) -> tuple[np.ndarray, xr.DataArray]:
    """Between two records each: the epoch in their middle, and the percentage of gates that flips per epoch."""
    epoch, whole = record.epoch.values, np.array(whole_intervals(record.epoch))
    apart = xr.DataArray(epoch[whole] - epoch[whole - 1], dims="step")
    found = record.between.sel(net=net).mean("layer").isel(step=whole) / apart
    return (epoch[whole] + epoch[whole - 1]) / 2, 100 * found.where(found > LEAST)


def _network_panels(panels: Any, record: xr.Dataset) -> None:
    settled, left, nu = panels
    for net in SHOWN[:-1]:
        _line(settled, record.epoch, 100 * record.agreement.sel(net=net).mean("layer"), net)
        _line(left, record.epoch, record.overlap.sel(net=net), net)
    settled.set(xlabel="epoch", ylabel="gates as at the end (%)", ylim=(None, 101))
    for net in MOVING:
        left.axhline(float(record.overlap_chance.sel(net=net).mean()), color=LOOKS[net][0], linestyle=":", linewidth=1.2)
    left.plot([], [], ":", color="0.3", label="unrelated networks")
    left.legend(fontsize=7)
    left.set(xlabel="epoch", ylabel="overlap with the start")
    plain_log_scale(left)
    for net in SHOWN:
        one = record.sel(net=net).mean(("seed", "layer"))
        color, marker = LOOKS[net]
        nu.plot(100 * one.flipped, one.nu, color=color, marker=marker, markersize=3.5, linewidth=1.2)
    nu.set(xlabel="flipped since the start (%)", ylabel=r"$\nu$ of $K$ with trace one")
    plain_log_scale(nu)


def _flow_panels(panels: Any, record: xr.Dataset) -> None:
    loss, trace, part = panels
    for flow, name in FLOWS.items():
        _line(loss, record.epoch, record.loss.sel(net=flow).clip(1e-12), flow, label=name)
        for which, style in (("trace_w", "-"), ("trace_a", "--")):
            _line(trace, record.epoch, record[which].sel(flow=flow), flow, linestyle=style)
        _line(part, record.epoch, 100 * gates_part(record).sel(flow=flow), flow)
    loss.set(yscale="log", xlabel="epoch", ylabel="loss on training set")
    trace.set(xlabel="epoch", ylabel="trace")
    plain_log_scale(trace)
    part.set(xlabel="epoch", ylabel=r"$e^\top K^a e\,/\,e^\top K e$ (%)")
    part.set_ylim(0, None)


def _line(axes: Any, x: Any, values: xr.DataArray, net: str, **look: Any) -> None:
    """The mean over seeds, and their range."""
    color, marker = LOOKS[net]
    every = max(1, values.sizes["step"] // MARKED)
    style = {"color": color, "marker": marker, "markevery": every, "markersize": 4, "linewidth": 1.4, **look}
    axes.plot(x, values.mean("seed"), **style)
    axes.fill_between(x, values.min("seed"), values.max("seed"), color=color, alpha=0.18, linewidth=0)


def _by_layer(axes: Any, values: xr.DataArray, net: str) -> None:
    color, marker = LOOKS[net]
    axes.plot(values.layer, values.mean("seed"), color=color, marker=marker, markersize=5, linewidth=1.4)
    dots_by_seed(axes, values.layer.values, values, "layer", color)


def _legend(record: xr.Dataset, nets: list[str]) -> list[Line2D]:
    """Each network with its last training loss and test accuracy."""
    end = record.isel(step=-1).mean("seed")
    out = []
    for net in nets:
        (color, marker), one = LOOKS[net], end.sel(net=net)
        words = f"{NETS[net]}: loss {float(one.loss):.1g}, {100 * float(one.test_accuracy):.1f} % right"
        out.append(Line2D([], [], color=color, marker=marker, markersize=4, label=words))
    return out
