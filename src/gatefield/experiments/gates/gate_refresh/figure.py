"""The figure of `gate-refresh`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.gates.gate_refresh.simulate import GIVEN, OWN
from gatefield.experiments.gates.gate_refresh.verdicts import (
    FOLLOWS,
    KNOWN,
    critical_dt,
    near_three,
    settling_time,
    start_likeness,
)
from gatefield.experiments.gates.setting import seeds
from gatefield.experiments.orders import scales_text
from gatefield.plot import THEORY, WIDTH, gain_text, legend_below, letter, plain_log_scale, say_setting, shades

LOOKS = (("#0072B2", "-"), ("#E69F00", "--"), ("#CC79A7", ":"))
"""Colour and dash of the dt that are shown."""
MARKERS = "o^sDv"
FLOOR = 1e-5
"""Distances below are those of integration and rounding, and shown as such."""
SETTLING = {"b_end_path": "-", "position_path": "--"}
"""What settles, and its dash."""
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
    one = record.isel(units=0).sel(gain=near_three(record))
    _end_panel(ends, one)
    _loss_panel(losses, one)
    legend_below(bottom, losses)
    titles = [_within(record, "distance", "fields"), _within(record, "loss_distance", "loss")]
    letter(panels, [*titles, *_end_words(one)])
    medians = f"medians over {seeds(record.sizes['seed'])}", "large open marks: 10 % off (dotted), by ReLU's gates"
    _say(figure, record, "K units", *medians, "▾: below 10⁻⁵", f"(c, d) first seed, {_setting(one)}")
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
    own, other = start_likeness(record)
    gain = f"gain {gain_text(near_three(record))}"
    letter(panels, [f"{gain} starts: own end {own:.2f}, another's {other:.2f}", _settling_words(record.isel(units=0))])
    _say(
        figure,
        record,
        f"K = {int(record.units[0])}",
        f"medians over {seeds(record.sizes['seed'])}",
        f"(b) bands: quartiles; dotted: cosine {KNOWN:g}, large marks where medians stay above it",
    )
    return figure


def _say(figure: Any, record: xr.Dataset, *words: str) -> None:
    sizes = f"n = {record.attrs['n']}", scales_text(record.attrs), f"{float(record.time[-1]):g} K²τ"
    say_setting(figure, *sizes, *words)


def _colours(record: xr.Dataset) -> list[str]:
    """Of the gains, which have an order."""
    return shades(record.sizes["gain"], "viridis", (0.0, 0.8))


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
    found = sorted(float(dt) for dt in critical_dt(record, name, GIVEN).median("seed").values.ravel())
    for at, dt in enumerate(found):
        place: Any = ((-6, 6), "right") if at % 2 == 0 else ((7, -13), "left")
        axes.annotate(_two_digits(dt), (dt, FOLLOWS), place[0], textcoords="offset points", ha=place[1], fontsize=8)
    what = "relative distance" if name == "distance" else "largest difference\nover explained loss"
    axes.set(xscale="log", yscale="log", xlabel="gates refreshed every dt (K²τ)", ylabel=what)
    axes.set_ylim(FLOOR, 10.0)


def _within(record: xr.Dataset, name: str, what: str) -> str:
    """Up to which dt ReLU's gates keep what is shown near enough, at every K and gain."""
    least = float(critical_dt(record, name, GIVEN).median("seed").min())
    return f"{what} within {100 * FOLLOWS:g} % up to dt = {_two_digits(least)}"


def _end_words(one: xr.Dataset) -> list[str]:
    """How far off the first seed ends behind the gates of the start."""
    end, loss = one.end.isel(dt=-1), float(one.loss.isel(dt=-1, mark=-1))
    off = float(np.linalg.norm(end - one.relu_end) / np.linalg.norm(one.relu_end))
    relu = float(one.relu_loss.isel(seed=0, mark=-1))
    return [f"gates of the start: final field {100 * off:.0f} % off", f"final loss {loss:.3f} behind them, ReLU {relu:.3f}"]


def _two_digits(dt: float) -> str:
    """
    >>> _two_digits(113.0), _two_digits(3.04)
    ('110', '3')
    """
    return f"{float(f'{dt:.2g}'):g}"


def _name_looks(axes: Any, record: xr.Dataset) -> None:
    """Colours of gains, markers of numbers of units, dashes of whose gates."""
    for color, gain in zip(_colours(record), record.gain.values, strict=True):
        axes.plot([], [], color=color, linewidth=2.5, label=f"gain {gain_text(float(gain))}")
    if record.sizes["units"] > 1:
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
    shown = [one.relu_loss.isel(seed=0)[1:], *(one.loss.isel(dt=at)[1:] for at in _periods(one))]
    lowest, highest = min(float(path.min()) for path in shown), max(float(path.max()) for path in shown)
    axes.set(xscale="log", xlabel="time (K²τ)", ylabel="loss", ylim=(lowest - 0.01, highest + 0.01))


def _settling_panel(axes: Any, record: xr.Dataset) -> None:
    """The field and b over time, median over seeds."""
    for color, marker, gain in zip(_colours(record), MARKERS, record.gain.values, strict=False):
        at, look = record.sel(gain=gain), {"color": color, "marker": marker}
        axes.plot([], [], "-", **look, markersize=4, label=f"gain {gain_text(float(gain))}")
        for name, style in SETTLING.items():
            values = at[name].isel(mark=slice(1, None))
            axes.fill_between(values.time, *values.quantile([0.25, 0.75], "seed"), color=color, alpha=0.15, linewidth=0)
            axes.plot(values.time, values.median("seed"), style, **look, markevery=5, markersize=3.5)
            middle = float(settling_time(at, name).median())
            axes.plot([middle], [KNOWN], linestyle="none", **look, markersize=8, markerfacecolor="white", zorder=4)
    axes.plot([], [], "-", color="0.4", label="b, mean input behind gates")
    axes.plot([], [], "--", color="0.4", label="w, field")
    axes.axhline(KNOWN, color="k", linewidth=0.8, linestyle=":", zorder=0)
    plain_log_scale(axes, "x")
    axes.set(xlabel="time (K²τ)", ylabel="cosine with the end", ylim=(0, 1.05), yticks=np.linspace(0, 1, 6))


def _settling_words(record: xr.Dataset) -> str:
    """When both have settled, at the gain next to 3."""
    at = record.sel(gain=near_three(record))
    b, w = (float(settling_time(at, name).median()) for name in SETTLING)
    return f"gain {gain_text(float(at.gain))}: b settled at {b:.2g}, w at {w:.2g} K²τ"


def _growth_panel(axes: Any, record: xr.Dataset) -> None:
    """Likeness with the end in frequency and in position space, and that with the end of another seed."""
    for color, marker, gain in zip(_colours(record), MARKERS, record.gain.values, strict=False):
        at, look = record.sel(gain=gain), {"color": color, "marker": marker, "markersize": 3.5, "markevery": 5}
        for name, style in (("frequency", "-"), ("position", "--")):
            axes.plot(at.time[1:], at[f"{name}_path"].median("seed")[1:], style, **look)
        axes.plot(at.time[1:], at.frequency_chance_path.mean("seed")[1:], ":", **look)
        axes.plot([], [], color=color, marker=marker, markersize=4, label=f"gain {gain_text(float(gain))}")
    for style, words in (("-", "|FFT w|"), ("--", "w"), (":", "|FFT w|, other seed")):
        axes.plot([], [], style, color="0.4", label=words)
    plain_log_scale(axes, "x")
    axes.set(xlabel="time (K²τ)", ylabel="cosine with the end", ylim=(0, 1.05), yticks=np.linspace(0, 1, 6))
