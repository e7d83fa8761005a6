"""The figure of `amplifier`."""

from typing import Any, cast

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.orders import ORDER_NAMES, ORDERS
from gatefield.plot import dots_by_seed, gain_text, small_field


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(10.5, 9.6))
    top, middle, bottom = cast(Any, figure.subfigures(3, 1, height_ratios=[1.0, 1.0, 1.0]))
    left, right = top.subplots(1, 2, width_ratios=[1.3, 1.0])
    _amplifier_panel(left, record)
    _kurtosis_panel(right, record)
    pair = middle.subplots(1, 2, sharey=True)
    pair[0].set_ylabel("IPR of the final field")
    for axes, order, letter in zip(pair, ORDERS, "cd", strict=True):
        _ipr_panel(axes, record.sel(order=order), f"({letter}) {ORDER_NAMES[order]}")
    panels = bottom.subplots(2, record.sizes["gain"], sharex=True, squeeze=False)
    for row, order in zip(panels, ORDERS, strict=True):
        for axes, gain in zip(row, record.gain.values, strict=True):
            one = record.sel(order=order, gain=gain).isel(seed=0)
            small_field(axes, one.fields.isel(step=-1, unit=0), color="C0")
            small_field(axes, one.closure_fields, "--", color="C1", linewidth=1.2)
        row[0].set_ylabel(f"{order}er range\n= positive")
    for axes, gain in zip(panels[0], record.gain.values, strict=True):
        axes.set_title(f"gain {gain_text(gain)}")
    bottom.supxlabel(
        "(e) final fields from the same start, each scaled to its own maximum; position (site). Line: SGD, dashes: closure",
        fontsize="medium",
    )
    return figure


def _amplifier_panel(axes: Any, record: xr.Dataset) -> None:
    shades = matplotlib.colormaps["viridis"](np.linspace(0.0, 0.92, record.sizes["gain"]))
    line = record.correlation / np.sqrt(2 * np.pi)
    for shade, gain in zip(shades, record.gain.values, strict=True):
        one = record.sel(gain=gain)
        axes.plot(one.correlation, one.amplifier / line.where(line > 0), color=shade, label=gain_text(gain))
        axes.plot(one.correlation, one.expansion / line.where(line > 0), ":", color=shade, linewidth=1.2)
    axes.set(
        xlabel="correlation a of the site with the gate's input",
        ylabel=r"amplification $\phi(a)\sqrt{2\pi}\,/\,a$",
        title="(a) amplifier (lines), expansion by kurtosis (dots)",
        xlim=(0, 1),
    )
    axes.legend(title="gain", loc="upper left", ncols=2)


def _kurtosis_panel(axes: Any, record: xr.Dataset) -> None:
    axes.semilogx(record.fine_gain, record.fine_kurtosis, color="C2")
    axes.axhline(-2.0, color="0.4", linewidth=1.0, linestyle=":")
    axes.text(0.011, -1.96, "two values, ±1", color="0.3", fontsize="small", va="bottom")
    axes.set(xlabel="gain", ylabel="excess kurtosis of a site", title="(b) excess kurtosis", ylim=(-2.1, 0.1))


def _ipr_panel(axes: Any, record: xr.Dataset, title: str) -> None:
    at = np.arange(record.sizes["gain"])
    for values, color, style, label in [
        (record.ipr.isel(step=-1, unit=0), "C0", "-", "SGD"),
        (record.closure_ipr, "C1", "--", "closure flow"),
    ]:
        dots_by_seed(axes, at, values, "gain", color)
        axes.plot(at, values.median("seed"), style, color=color, label=f"{label} (dots: seeds, line: median)")
    axes.axhline(1 / record.sizes["position"], color="0.4", linewidth=1.0, linestyle=":", label="flat field, 1/n")
    axes.set_xticks(at, [gain_text(g) for g in record.gain.values])
    axes.set(xlabel="gain (0: Gaussian, ∞: hypercube)", ylim=(0, 1), title=title)
    axes.legend(loc="upper left")
