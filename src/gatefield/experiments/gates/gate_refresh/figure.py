"""The figure of `gate-refresh`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.gates.gate_refresh.simulate import GIVEN, OWN
from gatefield.experiments.gates.gate_refresh.verdicts import FOLLOWS, KNOWN, critical_dt
from gatefield.experiments.gates.setting import seeds
from gatefield.experiments.orders import scales_text
from gatefield.plot import THEORY, WIDTH, gain_text, legend_below, letter, say_setting, shades

LOOKS = (("#0072B2", "-"), ("#E69F00", "--"), ("#CC79A7", ":"))
"""Colour and dash of the dt that are shown."""
MARKERS = "o^sDv"
FLOOR = 1e-5
"""Distances below are those of integration and rounding, and shown as such."""
SHOWN = (1.0, 8.0, float("inf"))
"""The dt in K² tau whose losses and fields are shown; the last is never."""


def draw(record: xr.Dataset) -> Figure:
    """Distance against dt above; losses and final fields below."""
    figure = Figure(figsize=(WIDTH, 6.4))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.35, 1.0]))
    (fields, loss), (ends, losses) = panels = top.subplots(1, 2), bottom.subplots(1, 2)
    _distance_panel(fields, record, "distance")
    _distance_panel(loss, record, "loss_distance")
    _name_looks(loss, record)
    legend_below(top, loss)
    _name_end(fields, record)
    one = record.isel(units=0).sel(gain=_near_three(record))
    _end_panel(ends, one)
    _loss_panel(losses, one)
    legend_below(bottom, losses)
    titles = ["final fields: how far from ReLU", "loss path: how far from ReLU"]
    letter(panels, [*titles, f"final field, {_setting(one)}", f"loss, {_setting(one)}"])
    medians = f"medians over {seeds(record.sizes['seed'])}, (c, d) the first", "large open marks: 10 % off (dotted)"
    _say(figure, record, "K units", *medians, f"▾: below {FLOOR:g}")
    return figure


def more(record: xr.Dataset) -> Figure:
    """In which space fields grow, and when b and they settle, over time."""
    figure = Figure(figsize=(WIDTH, 3.7))
    parts = cast(Any, figure.subfigures(1, 2))
    panels = [part.subplots() for part in parts]
    _growth_panel(panels[0], record.isel(units=0))
    _settling_panel(panels[1], record.isel(units=0))
    for part, axes in zip(parts, panels, strict=True):
        legend_below(part, axes, ncols=3, columnspacing=1.0, handlelength=1.6)
    letter(panels, ["growth in frequency |FFT w|, in position w", "when b and the field w settle"])
    _say(
        figure,
        record,
        f"K = {int(record.units[0])}",
        f"medians over {seeds(record.sizes['seed'])}",
        f"dotted in (b): cosine {KNOWN:g}",
    )
    return figure


def _say(figure: Any, record: xr.Dataset, *words: str) -> None:
    sizes = f"n = {record.attrs['n']}", scales_text(record.attrs), f"{float(record.time[-1]):g} K²τ"
    say_setting(figure, *sizes, *words)


def _colours(record: xr.Dataset) -> list[str]:
    """Of the gains, which have an order."""
    return shades(record.sizes["gain"], "viridis", (0.0, 0.8))


def _near_three(record: xr.Dataset) -> float:
    gains = record.gain.values
    return float(gains[int(np.argmin(np.abs(np.minimum(gains, 100.0) - 3)))])


def _setting(one: xr.Dataset) -> str:
    return f"K = {int(one.units)}, gain {gain_text(float(one.gain))}"


def _distance_panel(axes: Any, record: xr.Dataset, name: str) -> None:
    """Medians over seeds against dt, and where 10 % is reached."""
    for marker, K in zip(MARKERS, record.units.values, strict=False):
        for color, gain in zip(_colours(record), record.gain.values, strict=True):
            at = record.sel(units=K, gain=gain)
            for gates, style in ((GIVEN, "-"), (OWN, "--")):
                values = at[name].sel(gates=gates)
                middle = values.median("seed")
                seen = middle >= FLOOR
                axes.plot(at.dt, middle.clip(FLOOR), style, color=color, linewidth=1.3)
                axes.plot(at.dt[seen], middle[seen], marker, markersize=3.5, color=color)
                axes.plot(at.dt[~seen], np.full(int((~seen).sum()), 1.4 * FLOOR), "v", markersize=4.5, color=color)
    axes.axhline(FOLLOWS, color="k", linewidth=1.0, linestyle=":")
    for marker, K in zip(MARKERS, record.units.values, strict=False):
        for color, gain in zip(_colours(record), record.gain.values, strict=True):
            dt = float(critical_dt(record.sel(units=[K], gain=[gain]), name, GIVEN).median())
            axes.plot(dt, FOLLOWS, marker, color=color, markersize=9, markerfacecolor="white", zorder=3)
    found = [float(dt) for dt in critical_dt(record, name, GIVEN).median("seed").values.ravel()]
    axes.annotate(f"{min(found):.2g}", (min(found), FOLLOWS), (-6, 7), textcoords="offset points", ha="right", fontsize=8)
    what = "relative distance" if name == "distance" else "largest difference\nover explained loss"
    axes.set(xscale="log", yscale="log", xlabel="gates refreshed every dt (K²τ)", ylabel=what)
    axes.set_ylim(FLOOR, 10.0)


def _name_looks(axes: Any, record: xr.Dataset) -> None:
    """Colours of gains, markers of numbers of units, dashes of whose gates."""
    for color, gain in zip(_colours(record), record.gain.values, strict=True):
        axes.plot([], [], color=color, linewidth=2.5, label=f"gain {gain_text(float(gain))}")
    for marker, K in zip(MARKERS, record.units.values, strict=False):
        axes.plot([], [], marker, color="0.4", markersize=4, label=f"K = {K}")
    for gates, style in ((GIVEN, "-"), (OWN, "--")):
        axes.plot([], [], style, color="0.4", label=f"{gates} gates")


def _name_end(axes: Any, record: xr.Dataset) -> None:
    """The numbers of the title beside the right end: gates that are never refreshed."""
    ends = record.distance.sel(gates=GIVEN).isel(dt=-1).median("seed")
    words = f"gates of the start:\n{100 * float(ends.min()):.0f} to {100 * float(ends.max()):.0f} %"
    axes.text(0.98, 0.99, words, transform=axes.transAxes, ha="right", va="top", fontsize=7.5)


def _periods(one: xr.Dataset) -> list[int]:
    """Places of the dt nearest to those that are shown, each once."""
    wanted = np.minimum(SHOWN, float(one.dt[-1]))
    return sorted({int(np.abs(np.log(one.dt.values / dt)).argmin()) for dt in wanted})


def _name(one: xr.Dataset, at: int) -> str:
    return "gates of the start" if at == one.sizes["dt"] - 1 else f"gates anew every {float(one.dt[at]):.3g}"


def _end_panel(axes: Any, one: xr.Dataset) -> None:
    axes.axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
    axes.plot(one.position, one.relu_end, **THEORY, linewidth=2.2, label="ReLU")
    for (color, dash), at in zip(LOOKS, _periods(one), strict=False):
        axes.plot(one.position, one.end.isel(dt=at), dash, color=color, linewidth=1.2, label=_name(one, at))
    axes.set(xlabel="position (site)", ylabel="weight")


def _loss_panel(axes: Any, one: xr.Dataset) -> None:
    axes.plot(one.time[1:], one.relu_loss.isel(seed=0)[1:], **THEORY, linewidth=2.2, label="ReLU")
    for (color, dash), at in zip(LOOKS, _periods(one), strict=False):
        axes.plot(one.time[1:], one.loss.isel(dt=at)[1:], dash, color=color, linewidth=1.2, label=_name(one, at))
    lowest = float(min(one.relu_loss.isel(seed=0).min(), one.loss.min()))
    axes.set(xscale="log", xlabel="time (K²τ)", ylabel="loss", ylim=(lowest - 0.01, 0.26))


def _settling_panel(axes: Any, record: xr.Dataset) -> None:
    """The field and b over time, median over seeds."""
    for color, gain in zip(_colours(record), record.gain.values, strict=True):
        at = record.sel(gain=gain)
        axes.plot(at.time[1:], at.b_end_path.median("seed")[1:], "-", color=color, label=f"gain {gain_text(float(gain))}")
        axes.plot(at.time[1:], at.position_path.median("seed")[1:], "--", color=color)
    axes.plot([], [], "-", color="0.4", label="b, mean input behind gates")
    axes.plot([], [], "--", color="0.4", label="w, field")
    axes.axhline(KNOWN, color="k", linewidth=0.8, linestyle=":", zorder=0)
    axes.set(xscale="log", xlabel="time (K²τ)", ylabel="cosine with the end")
    axes.set(ylim=(0, 1.05), yticks=np.linspace(0, 1, 6))


def _growth_panel(axes: Any, record: xr.Dataset) -> None:
    """Likeness with the end in frequency and in position space, and that with the end of another seed."""
    for color, gain in zip(_colours(record), record.gain.values, strict=True):
        at = record.sel(gain=gain)
        for name, style in (("frequency", "-"), ("position", "--")):
            axes.plot(at.time[1:], at[f"{name}_path"].median("seed")[1:], style, color=color)
        axes.plot(at.time[1:], at.frequency_chance_path.mean("seed")[1:], ":", color=color)
        axes.plot([], [], color=color, label=f"gain {gain_text(float(gain))}")
    for style, words in (("-", "|FFT w|"), ("--", "w"), (":", "|FFT w|, other seed")):
        axes.plot([], [], style, color="0.4", label=words)
    axes.set(xscale="log", xlabel="time (K²τ)", ylabel="cosine with the end")
    axes.set(ylim=(0, 1.05), yticks=np.linspace(0, 1, 6))
