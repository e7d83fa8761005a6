"""The figure of `depth-spectrum`."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.experiments.deep.depth_spectrum.verdicts import AFTER, DEPTHS, NAMES, ideal, ideal_ratio, table_row
from gatefield.plot import shades

FLOOR = 1e-6
"""Where logarithmic axes end: float32 cannot tell smaller errors from none."""


def draw(record: xr.Dataset) -> Figure:
    columns = 1 + record.sizes["width"]
    figure = Figure(figsize=(3.1 * max(columns, 4), 10.0))
    parts: Any = figure.subfigures(2, 1, height_ratios=[2.0, 1.05])
    upper, lower = parts
    spectra, errors = upper.subplots(2, columns, sharey="row")
    shown = [d for d in DEPTHS if d in record.depth] or record.depth.values.tolist()
    colours = dict(zip(shown, shades(len(shown)), strict=True))
    _ideal_panels(spectra[0], errors[0], record, colours)
    for at, width in enumerate(record.width.values, 1):
        _spectrum_panel(spectra[at], record.sel(width=width), colours)
        _error_panel(errors[at], record.sel(width=width), colours)
    spectra[0].set_ylabel("(a) sum of the k smallest\neigenvalues of K/d")
    errors[0].set_ylabel("(b) error |e|/|e$_0$|")
    errors[0].set_ylim(max(FLOOR, 0.5 * float(record.recursion.min())), 1.3)
    styles = [Line2D([], [], color=c, label=f"d = {d}") for d, c in colours.items()]
    spectra[-1].legend(handles=styles, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    kinds: Any = [("recursion,\nK fixed", "-"), ("gradient\ndescent", ":")]
    handles = [Line2D([], [], color="0.3", linestyle=style, label=label) for label, style in kinds]
    errors[-1].legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    _depth_panels(lower.subplots(1, 4), record)
    lower.supxlabel("bars: standard deviation of one run; crosses: means of an independent computation", fontsize="medium")
    return figure


def _ideal_panels(spectrum: Any, error: Any, record: xr.Dataset, colours: dict[int, str]) -> None:
    samples, mu, rate = (record.attrs[name] for name in ("samples", "mu", "rate"))
    for d, colour in colours.items():
        low, high = ideal(np.array(d), samples, mu)
        spectrum.plot(record.k, np.cumsum(np.append(np.full(samples - 1, low), high)), color=colour)
        error.semilogy(record.step, ideal_ratio(np.array(d), samples, mu, rate, record.step.values), color=colour)
    spectrum.set(xlabel="k", title="mean kernel (ideal)")
    error.set(xlabel="step", title="mean kernel (ideal)")


def _spectrum_panel(axes: Any, one: xr.Dataset, colours: dict[int, str]) -> None:
    for d, colour in colours.items():
        axes.plot(one.k, one.sums.sel(depth=d), color=colour)
    axes.set(xlabel="k", title=f"w = {int(one.width)}")


def _error_panel(axes: Any, one: xr.Dataset, colours: dict[int, str]) -> None:
    for d, colour in colours.items():
        axes.semilogy(one.step, one.recursion.sel(depth=d).mean("run"), color=colour)
        if d in one.trained_depth:
            axes.plot(one.step, one.descent.sel(trained_depth=d).mean("trained_run"), ":", color=colour)
    axes.set(xlabel="step", title=f"w = {int(one.width)}")


def _depth_panels(panels: Any, record: xr.Dataset) -> None:
    depth, (samples, mu) = record.depth.values, (record.attrs[name] for name in ("samples", "mu"))
    low, _ = ideal(depth, samples, mu)
    curves = (
        ("diagonal", np.ones(len(depth)), "(c) K(1,1)/d"),
        ("beside", mu ** (depth - 1.0), "(d) K(1,2)/d"),
        ("smallest", low, "(e) smallest eigenvalue of K/d"),
    )
    for axes, (what, expected, title) in zip(panels, curves, strict=False):
        for i, width in enumerate(record.width.values):
            values = record[what].sel(width=width)
            axes.errorbar(depth + 0.12 * (i - 1), values.mean("run"), values.std("run", ddof=1), fmt="o-", markersize=3,
                          linewidth=1.0, color=f"C{i}", label=f"w = {width}")  # fmt: skip
            _crosses(axes, record, int(width), what, f"C{i}")
        axes.plot(depth, expected, "k--", linewidth=1.2, label="mean kernel")
        axes.set(xlabel="depth d", title=title)
    panels[2].set_ylim(-0.03, 1.08)
    _last_panel(panels[3], record)
    panels[3].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _last_panel(axes: Any, record: xr.Dataset) -> None:
    late = record.sel(step=AFTER, method="nearest")
    samples, mu, rate = (record.attrs[name] for name in ("samples", "mu", "rate"))
    for i, width in enumerate(record.width.values):
        one = late.sel(width=width)
        axes.semilogy(one.depth, one.recursion.mean("run"), "-", color=f"C{i}", label=f"w = {width},\nrecursion")
        values = np.maximum(one.descent.mean("trained_run"), FLOOR)
        axes.plot(one.trained_depth, values, "s:", markersize=4, linewidth=1.0, color=f"C{i}", label="descent")
        _crosses(axes, record, int(width), "recursion", f"C{i}")
        _crosses(axes, record, int(width), "descent", f"C{i}")
    expected = ideal_ratio(record.depth.values, samples, mu, rate, int(late.step))
    axes.plot(record.depth, expected, "k--", linewidth=1.2, label="mean kernel")
    axes.plot([], [], "x", color="0.3", label="independent\ncomputation")
    axes.set(xlabel="depth d", title=f"(f) |e|/|e$_0$| after {int(late.step)} steps", ylim=(FLOOR / 1.5, 1.5))


def _crosses(axes: Any, record: xr.Dataset, width: int, what: str, colour: str) -> None:
    """Means of the independent computation; an upper bound is left out."""
    row = table_row(record, width, what) if what in NAMES else {}
    kept = {d: float(value) for d, value in row.items() if not value.startswith("<")}
    axes.plot(list(kept), list(kept.values()), "x", color=colour, markersize=7, markeredgewidth=1.3, zorder=5)
