"""The second figure of `conditions`: places on the open line, and the first moments from a standard normal start."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullFormatter

from gatefield.experiments.fields.conditions.figure import FIELD, setting, shown_gain
from gatefield.experiments.fields.conditions.simulate import SURVIVES
from gatefield.experiments.fields.conditions.verdicts import MANY, ORDER, takes_over
from gatefield.plot import THEORY, WIDTH, gain_text, legend_below, letter, plain_log_scale, say_setting


def more(record: xr.Dataset) -> Figure:
    """Places on the open line, and the first moments from a standard normal start."""
    drawn = Figure(figsize=(WIDTH, 3.9))
    gain = shown_gain(record)
    body = cast(Any, drawn.subfigures())  # with a legend of its own, apart from the setting
    one = record.sel(gain=gain)
    ended = record.isel(pair=0).sel(gain=gain, condition="line")
    many = len(_sites(ended)) >= MANY  # fewer peaks say nothing of where they fall
    size, terms, *lines = body.subplots(1, 2 + many)
    _sizes(size, one)
    _terms(terms, one)
    for line in lines:
        _on_the_line(line, ended)
    for axes in (size, terms):
        _name_time(axes, _turn(one), "--", "right")
        for at in _localized_at(one):
            _name_time(axes, at, ":", "left")
    legend_below(body, terms, *lines, columnspacing=1.0, handlelength=1.4, fontsize=7.5)
    letter([size, terms, *lines], _findings(record))
    for axes in (size, terms, *lines):
        axes.set_title(axes.get_title(loc="left"), loc="left", pad=14)  # above the times
    late = [f"dotted: {at:.3g} τ, when the IPR reaches {SURVIVES:g}" for at in _localized_at(one)]
    times = f"(a, b) normal start, dashed: {_turn(one):.3g} τ, when the first term is {ORDER:g} of the second (median)"
    end = many * f"(c) open line, after {float(record.time[-1]):,.0f} τ of the baseline"
    flow = "Gaussian flow: on Gaussian data of the same covariances, f: drift, S₀, S₁: covariances of the classes"
    say_setting(drawn, *setting(record), flow, f"gain {gain_text(gain)}", "lines: seeds", times, *late, end)
    return drawn


def _name_time(axes: Any, at: float, style: str, ha: str) -> None:
    """A vertical line with its time at the top, on one side of it."""
    axes.axvline(at, color="0.4", linewidth=1.0, linestyle=style)
    place: Any = {"transform": axes.get_xaxis_transform(), "ha": ha, "va": "bottom", "fontsize": 8, "color": "0.3"}
    axes.text(at * (1.12 if ha == "right" else 0.89), 1.01, f"{at:.3g} τ", **place)


def _turn(one: xr.Dataset) -> float:
    """When the first term of the velocity comes to the order of the second, median over seeds."""
    return float(np.median(one.early_time.values[takes_over(one)]))


def _localized_at(one: xr.Dataset) -> list[float]:
    """When the IPR reaches that of localization, median over seeds; nothing if it does not for all."""
    hit = one.early_ipr.transpose("seed", "moment").values >= SURVIVES
    return [float(np.median(one.early_time.values[hit.argmax(-1)]))] if hit.any(-1).all() else []


def _findings(record: xr.Dataset) -> list[str]:
    """What the panels show, as far as it is so."""
    one = record.sel(gain=shown_gain(record))
    sites = _sites(one.isel(pair=0).sel(condition="line"))
    line = "fields sit anywhere" if len(sites) and np.ptp(sites) > record.sizes["position"] / 2 else "where fields sit"
    shrinks = bool((one.early_size.isel(moment=-1) < one.early_size.isel(moment=1)).all())
    leads = bool((one.early_pull.isel(moment=1) < one.early_brake.isel(moment=1)).all())
    heads = [
        "size |w| and IPR:\nit shrinks first" if shrinks else "size |w| and IPR\nof the field",
        f"velocity: second\nterm leads to {_turn(one):.3g} τ" if leads else "both terms\nof its velocity",
        f"on an open line\n{line}",
    ]
    return heads if len(sites) >= MANY else heads[:2]


def _on_the_line(axes: Any, one: xr.Dataset) -> None:
    """How many localized fields have their peak on each site, and how many would by even chances or by the Gaussian mode."""
    sites, n = _sites(one), one.sizes["position"]
    counts, mode = np.bincount(sites, minlength=n), one.line_mode.values**2
    axes.bar(one.position, counts, width=0.8, color=FIELD, label="(c) trained")
    axes.plot(one.position, len(sites) * mode / mode.sum(), **THEORY, linewidth=1.2, label="as the Gaussian mode")
    axes.axhline(len(sites) / n, color="0.4", linewidth=1.0, linestyle=":", label="even chances")
    axes.set(xlabel="site of the open line", ylabel=f"peaks of {len(sites)} fields", ylim=(0, 1.1 * max(1, counts.max())))
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))


def _sites(one: xr.Dataset) -> np.ndarray:
    """The sites of the largest entries of fields that are localized."""
    return np.abs(one.end.values[one.end_ipr.values >= SURVIVES]).argmax(-1)


def _sizes(axes: Any, one: xr.Dataset) -> None:
    """The size and the IPR of the fields of all seeds from a standard normal start."""
    late = one.isel(moment=slice(1, None))
    for name, colour, label in (("early_size", "C0", "|w|"), ("early_ipr", "C1", "IPR")):
        _all_seeds(axes, late, late[name], colour, label)
    _all_seeds(axes, late, late.early_likeness, "0.55", "cosine with the Gaussian flow", (0, (3, 1.5)))
    axes.axhline(SURVIVES, color="0.4", linewidth=1.0, linestyle=":")
    place: Any = {"transform": axes.get_yaxis_transform(), "ha": "left", "va": "top", "fontsize": 7.5, "color": "0.3"}
    axes.text(0.02, 0.95 * SURVIVES, f"localized: IPR {SURVIVES:g}", **place)
    plain_log_scale(axes, "x")
    plain_log_scale(axes)
    axes.set(xlabel="time (τ)", ylabel="|w|, IPR and cosine")
    first = late.isel(moment=0)
    at = float(first.early_time)
    axes.text(at, 0.7 * float(first.early_size.min()), "|w|", color="C0", va="top", fontsize=9)
    axes.text(at, 1.2 * float(first.early_ipr.max()), "IPR", color="C1", va="bottom", fontsize=9)
    axes.text(at, 0.9, "cosine with the\nGaussian flow", color="0.4", va="top", fontsize=7.5)


def _terms(axes: Any, one: xr.Dataset) -> None:
    """Both terms of the velocity of all seeds."""
    late = one.isel(moment=slice(1, None))
    _all_seeds(axes, late, late.early_pull, "C2", "first, |f/2|")
    _all_seeds(axes, late, late.early_brake, "C3", "second, |(S₀+S₁)w/4|", "--")
    plain_log_scale(axes, "x")
    plain_log_scale(axes)
    axes.set(xlabel="time (τ)", ylabel="terms of the velocity")
    axes.yaxis.set_minor_formatter(NullFormatter())


def _all_seeds(axes: Any, one: xr.Dataset, values: xr.DataArray, color: str, label: str, style: Any = "-") -> None:
    for k, row in enumerate(values.transpose("seed", "moment").values):
        axes.plot(one.early_time, row, linestyle=style, color=color, linewidth=1.0, alpha=0.8, label=label if k == 0 else None)
