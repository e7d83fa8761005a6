"""The figure of `moving-gates`."""

import json
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.experiments.deep.moving_gates.simulate import CALM, FLOWS, MOVING, NETS
from gatefield.experiments.deep.moving_gates.verdicts import (
    gates_ends,
    gates_part,
    late_flip_ratio,
    late_flips,
    late_share,
    quarters,
    whole_intervals,
)
from gatefield.plot import WIDTH, dots_by_seed, end_labels, letter, plain_log_scale, say_setting

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
ZERO = -2.5
"""Where axes begin on which frozen gates stay at 0."""
LEAST = 1e-4
"""Rates below are not shown: one gate of some ten thousand."""
MARKED = 8
"""Of each line about so many points are marked."""


def draw(record: xr.Dataset) -> Figure:
    """Whether gates settle, above; how far they have moved, below."""
    figure = Figure(figsize=(WIDTH, 6.2))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    panels = body.subplots(2, 2, height_ratios=(1.35, 1))
    _late_panels(panels[0], record)
    _gate_panels(panels[1], record)
    letter(panels, _titles(record))
    body.legend(handles=_legend(record, SHOWN), loc="outside lower center", ncols=2, fontsize=7.5)
    say_setting(figure, *_setting(record), "(d) pale dots: seeds", "shaded: last quarter")
    return figure


def _titles(record: xr.Dataset) -> list[str]:
    """What each panel shows, of networks whose gates move."""
    last = record.sel(net=SHOWN[:-1]).isel(step=-1).mean(("seed", "layer"))
    layers = record.flipped.sel(net=SHOWN[:-1]).isel(step=-1).mean("seed")
    return [
        f"{late_share(record)} still change side",
        f"ReLU, falling rate: × {float(late_flip_ratio(record).mean()):.2f}",
        f"{_span(100 * last.flipped.values)} % have flipped",
        f"{_span(100 * layers.values)} % flip in every layer",
    ]


def _more_titles(record: xr.Dataset) -> list[str]:
    """Of the second figure, the last two of networks whose gates move."""
    first, last = (record.sel(net=SHOWN[:-1]).isel(step=at).mean(("seed", "layer")) for at in (0, -1))
    fall, ends = (first.nu / last.nu).values, gates_ends(record)
    right = 100 * float(record.test_accuracy.sel(net="gates-only").isel(step=-1).mean())
    strengths, gates = (
        record[name].sel(flow=flow).mean("seed") for name, flow in (("trace_w", "gates-only"), ("trace_a", "strengths"))
    )
    return [
        f"gates' part of the fall: {ends[0]:.0f} to {ends[1]:.0f} %",
        f"gates alone: {right:.1f} % of test digits",
        f"gates alone: strengths' kernel × {float(strengths[-1] / strengths[0]):.2g}",
        f"strengths alone: gates' kernel × {float(gates[-1] / gates[0]):.2g}",
        f"{_span(100 * last.overlap.values)} % of paths stay",
        f"ν falls {fall.min():.0f}- to {fall.max():.0f}-fold" if fall.min() > 1 else "do labels fit K?",
    ]


def _span(values: np.ndarray) -> str:
    return f"{values.min():.0f} to {values.max():.0f}"


def draw_more(record: xr.Dataset) -> Figure:
    """Strengths and gates of soft GaLU, apart and together; then paths and kernels of all networks whose gates move."""
    figure = Figure(figsize=(WIDTH, 8.0))
    body: Any = figure.subfigures()
    panels = body.subplots(3, 2, height_ratios=(1.25, 1, 1))
    panels[1, 1].sharey(panels[1, 0])
    _flow_panels(panels.ravel(), record)
    _ends_panel(panels[0, 0], record)
    _network_panels(panels[2], record)
    letter(panels, _more_titles(record))
    body.legend(handles=_flow_legend(), loc="outside lower center", ncols=3, fontsize=7.5)
    say_setting(
        figure,
        *_setting(record),
        "e: errors",
        "$K$ = $K^w$ + $K^a$: tangent kernel of strengths and of gates",
        "ν: small if labels fit K",
        "(e) dotted: two unrelated networks",
    )
    return figure


def _flow_legend() -> list[Line2D]:
    """What is trained of soft GaLU, and the other networks of the last two panels."""
    names = {flow: f"soft GaLU by {name}" for flow, name in FLOWS.items()}
    names |= {net: NETS[net] for net in SHOWN if net not in names}
    return [Line2D([], [], color=LOOKS[net][0], marker=LOOKS[net][1], markersize=4, label=name) for net, name in names.items()]


def _ends_panel(axes: Any, record: xr.Dataset) -> None:
    """The numbers of the headline at both ends of the line of both together."""
    color = LOOKS["soft-galu"][0]
    look: Any = {"fontsize": 8.5, "color": color, "fontweight": "bold", "va": "center"}
    first, last = gates_ends(record)
    line = {"arrowstyle": "-", "linewidth": 0.7, "color": color, "shrinkB": 4}
    axes.annotate(
        f"{first:.0f} %", (float(record.epoch[0]), first), (0.03 * float(record.epoch[-1]), 6), arrowprops=line, **look
    )
    axes.annotate(f"{last:.0f} %", (float(record.epoch[-1]), last), (6, 0), textcoords="offset points", **look)


def _setting(record: xr.Dataset) -> list[str]:
    here, known = record.attrs, json.loads(record.attrs.get("parameters", "{}"))
    width = f" of width {known['width']}" if "width" in known else ""
    size = f"{record.sizes['layer']} layers of gates{width}", f"gates on {here['kernel_samples']} training images"
    return [
        "MNIST, 4 against 7",
        *size,
        f"{here['epochs']} epochs",
        f"lines: mean, bands: range of {record.sizes['seed']} seeds",
    ]


def _gate_panels(panels: Any, record: xr.Dataset) -> None:
    flips, layers = panels
    mean = record.mean("layer")
    for net in SHOWN:
        _line(flips, record.epoch, 100 * mean.flipped.sel(net=net), net)
    flips.set(xlabel="epoch", ylabel="flipped since the start (%)", ylim=(ZERO, None))
    for net in SHOWN:
        _by_layer(layers, 100 * record.flipped.sel(net=net).isel(step=-1), net)
    layers.set(xlabel="layer of gates", ylabel="flipped at the end (%)", ylim=(ZERO, None))
    layers.set_xticks(record.layer.values)
    for axes in panels:
        place: Any = {"ha": "center", "va": "bottom", "fontsize": 8, "color": LOOKS["galu"][0]}
        axes.text(0.5, 2.0, "frozen: 0", transform=axes.get_yaxis_transform(), **place)


def _late_panels(panels: Any, record: xr.Dataset) -> None:
    settled, rate = panels
    for net in SHOWN[:-1]:
        still = 100 * (1 - record.agreement.sel(net=net).mean("layer")).isel(step=slice(None, -1))  # the last is zero
        _line(settled, record.epoch[:-1], still.where(still > 100 * LEAST), net)
        _line(rate, *rates(record, net), net)
    settled.set(xlabel="epoch", ylabel="gates not as at the end (%)")
    plain_log_scale(settled)
    _late_marks(settled, record)
    _name_falling(settled, record)
    rate.set(xlabel="epoch", ylabel="flips per epoch (%)")
    plain_log_scale(rate)
    _late_span(rate, record)
    _rest_arrow(rate, record)
    for axes in panels:
        look: Any = {"transform": axes.transAxes, "fontsize": 8, "color": LOOKS["galu"][0]}
        axes.text(0.04, 0.03, "frozen gates: none", **look)


def _late_span(axes: Any, record: xr.Dataset) -> tuple[float, float]:
    """Shade the last quarter, of which the headline tells; from where to where it goes."""
    late, end = (float(record.epoch[at]) for at in quarters(record.epoch)[3:])
    axes.axvspan(late, end, color="0.92", linewidth=0, zorder=0)
    return late, end


def _rest_arrow(axes: Any, record: xr.Dataset) -> None:
    """From the mean rate of ReLU in the last quarter to that with a falling learning rate, and what part it is."""
    late, end = quarters(record.epoch)[3:]
    middle = float(record.epoch[late] + record.epoch[end]) / 2
    high, low = (100 * float(rate.mean()) for rate in late_flips(record).values())
    if low > 0 and high > 0:
        look: Any = {"arrowstyle": "->", "color": "black", "shrinkA": 0, "shrinkB": 0, "linewidth": 1.0}
        axes.annotate("", (middle, low), (middle, high), arrowprops=look, zorder=6)
        words = f"× {float(late_flip_ratio(record).mean()):.2f}"
        place = middle, float(np.sqrt(low * high))
        axes.annotate(words, place, (3, 0), textcoords="offset points", va="center", fontsize=8, annotation_clip=False)


def rates(record: xr.Dataset, net: str) -> tuple[np.ndarray, xr.DataArray]:
    """Between two records each: the epoch in their middle, and the percentage of gates that flips per epoch."""
    epoch, whole = record.epoch.values, np.array(whole_intervals(record.epoch))
    apart = xr.DataArray(epoch[whole] - epoch[whole - 1], dims="step")
    found = record.between.sel(net=net).mean("layer").isel(step=whole) / apart
    return (epoch[whole] + epoch[whole - 1]) / 2, 100 * found.where(found > LEAST)


def _network_panels(panels: Any, record: xr.Dataset) -> None:
    left, nu = panels
    for net in SHOWN[:-1]:
        _line(left, record.epoch, record.overlap.sel(net=net), net)
    for net in MOVING:
        left.axhline(float(record.overlap_chance.sel(net=net).mean()), color=LOOKS[net][0], linestyle=":", linewidth=1.2)
    left.set(xlabel="epoch", ylabel="overlap with the start")
    plain_log_scale(left)
    for net in SHOWN:
        one = record.sel(net=net).mean(("seed", "layer"))
        color, marker = LOOKS[net]
        nu.plot(100 * one.flipped, one.nu, color=color, marker=marker, markersize=3.5, linewidth=1.2)
    nu.set(xlabel="flipped since the start (%)", ylabel=r"$\nu$ of $K$ with trace one")
    plain_log_scale(nu)
    _name_unrelated(left, record)
    words: Any = {"textcoords": "offset points", "fontsize": 7.5, "color": "0.3", "va": "center"}
    last = record.isel(step=-1).mean(("seed", "layer")).sel(net="soft-galu")
    nu.annotate("start", (0.0, float(record.nu.sel(net=list(MOVING)).isel(step=0).mean())), (7, 12), **words)
    nu.annotate("end", (100 * float(last.flipped), float(last.nu)), (-10, -1), ha="right", **words)


def _name_unrelated(axes: Any, record: xr.Dataset) -> None:
    """What the dotted lines are, over the lowest."""
    low = min(float(record.overlap_chance.sel(net=net).mean()) for net in MOVING)
    look: Any = {"textcoords": "offset points", "ha": "center", "va": "bottom", "fontsize": 7.5, "color": "0.3"}
    axes.annotate("unrelated networks", (float(record.epoch[-1]) / 2, low), (0, 2), **look)


def _late_marks(axes: Any, record: xr.Dataset) -> None:
    """What still changes from the start of the last quarter on: a framed mark for each moving network, and their range."""
    late, _ = _late_span(axes, record)
    here = 100 * (1 - record.agreement.isel(step=quarters(record.epoch)[3]).mean(("seed", "layer")))
    for net in MOVING:
        color, marker = LOOKS[net]
        axes.plot(late, here.sel(net=net), marker, color=color, markersize=6, markeredgecolor="black", zorder=6)
    low, high = (float(getattr(here.sel(net=list(MOVING)), end)()) for end in ("min", "max"))
    axes.plot([late, late], [low, high], "_-", color="black", markersize=15, linewidth=1.0, zorder=7)
    words: Any = {"textcoords": "offset points", "ha": "center", "va": "bottom", "fontsize": 9, "fontweight": "bold"}
    line = {"arrowstyle": "-", "linewidth": 0.7, "shrinkB": 2}
    axes.annotate(f"fixed rate: {late_share(record)}", (late, high), (0, 24), arrowprops=line, **words)


def _name_falling(axes: Any, record: xr.Dataset) -> None:
    """Beside its line, half-way: that of the learning rate that falls to zero."""
    middle = record.sizes["step"] // 2
    still = 100 * float(1 - record.agreement.sel(net=CALM).isel(step=middle).mean())
    place, color = (float(record.epoch[middle]), max(still, 100 * LEAST)), LOOKS[CALM][0]
    look: Any = {"textcoords": "offset points", "ha": "right", "va": "top", "fontsize": 8.5, "fontweight": "bold"}
    axes.annotate("rate falling\nto 0", place, (-6, -8), color=color, **look)


def _flow_panels(panels: Any, record: xr.Dataset) -> None:
    part, loss, *traces = panels[:4]
    for flow in FLOWS:
        _line(loss, record.epoch, record.loss.sel(net=flow).clip(1e-12), flow)
        for axes, which in zip(traces, ("trace_w", "trace_a"), strict=True):
            _line(axes, record.epoch, record[which].sel(flow=flow), flow)
        _line(part, record.epoch, 100 * gates_part(record).sel(flow=flow), flow)
    loss.set(yscale="log", xlabel="epoch", ylabel="loss on training set")
    for axes, kernel in zip(traces, "wa", strict=True):
        axes.set(xlabel="epoch", ylabel=f"trace of $K^{kernel}$")
        plain_log_scale(axes)
    part.set(xlabel="epoch", ylabel=r"$e^\top K^a e\,/\,e^\top K e$ (%)")
    part.set_ylim(0, None)
    ends = record.isel(step=-1).mean("seed").sel(net=list(FLOWS))
    right = [f"test {100 * float(one):.1f} %" for one in ends.test_accuracy]
    end_labels(loss, ends.loss.clip(1e-12).values.tolist(), right, [LOOKS[flow][0] for flow in FLOWS])


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
