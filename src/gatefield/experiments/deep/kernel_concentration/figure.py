"""The figure of `kernel-concentration`."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.deep.kernel_concentration.verdicts import DEEPEST, diagonal, leading_order, printed_bound
from gatefield.plot import shades

NAMES = {"linear": r"linear, $\pm\sigma$", "linear, normal": "linear, normal", "gated": r"gated, $\pm\sigma$"}


def draw(record: xr.Dataset) -> Figure:
    figure = Figure(figsize=(10.5, 8.0))
    panels: Any = figure.subplots(2, 2)
    _along_panel(panels[0, 0], record, "depth")
    _along_panel(panels[0, 1], record, "width")
    _bound_panel(panels[1, 0], record)
    _beside_panel(panels[1, 1], record)
    panels[0, 1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    panels[1, 1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def _along_panel(axes: Any, record: xr.Dataset, along: str) -> None:
    """Variance on the diagonal against depth or width: exact, sampled, first order and the printed bound."""
    name, fixed = (f"{along}s", record.attrs["width_of_depths" if along == "depth" else "depth_of_widths"])
    at = record[f"sampled_{along}"].values.astype(float)
    for i, (case, label) in enumerate(NAMES.items()):
        pick = {"case": case, "entry": "diagonal", "moment": "variance"}
        exact, found, error = (record[f"{name}_{what}"].sel(pick).values for what in ("exact", "found", "error"))
        shown = exact > 1e-12
        axes.plot(at[shown], exact[shown], "-", color=f"C{i}", label=f"{label}, exact")
        axes.errorbar(
            at[shown],
            found[shown],
            error[shown],
            fmt="o",
            color=f"C{i}",
            markersize=4.5,
            label=None if i else "sampled, one standard error",
        )
    depth, width = (at, np.full(len(at), float(fixed))) if along == "depth" else (np.full(len(at), float(fixed)), at)
    first = leading_order(depth, 1.0) / width
    axes.plot(at[first > 0], first[first > 0], ":", color="C0", label=NAMES["linear"] + ",\nfirst order in 1/w")
    axes.plot(at, printed_bound(depth, width), "k--", linewidth=1.2, label="max(d²/w, d³/w²)")
    axes.set(xscale="log", yscale="log", ylabel="variance of K(s,s)", xlabel=f"{along} {along[0]}",
             title=f"({'a' if along == 'depth' else 'b'}) diagonal, {'w' if along == 'depth' else 'd'} = {fixed}")  # fmt: skip
    axes.minorticks_off()
    axes.set_xticks(at, [f"{value:g}" for value in at])


def _bound_panel(axes: Any, record: xr.Dataset) -> None:
    widths = record.width.values
    for width, colour in zip(widths, shades(len(widths)), strict=True):
        values = diagonal(record, "linear").sel(width=width).values
        ratio = values / printed_bound(record.depth.values.astype(float), float(width))
        shown = ratio > 0
        axes.loglog(record.depth.values[shown], ratio[shown], color=colour, label=f"w = {width}")
    depth = record.depth.values[record.depth.values > 2]
    axes.plot(depth, leading_order(depth, 1.0) / depth**2.0, "k:", linewidth=1.4, label=r"w = $\infty$")
    axes.set(
        xlabel="depth d", ylabel="variance / bound", ylim=(0.3, 1e3), title="(c) linear: exact variance over max(d²/w, d³/w²)"
    )
    axes.legend(loc="upper left", ncols=2, fontsize="small")


def _beside_panel(axes: Any, record: xr.Dataset) -> None:
    shown = record.sel(depth=record.depth <= DEEPEST)
    for width, colour in zip(record.width.values, shades(record.sizes["width"]), strict=True):
        pick = {"case": "gated", "entry": "beside", "moment": "variance", "width": width}
        spread = np.sqrt(shown.exact.sel(pick)) / shown.depth
        axes.semilogy(shown.depth, spread, color=colour, label=f"w = {width}")
    pick = {"case": "gated", "entry": "beside", "moment": "variance"}
    kept = record.sampled_depth.values <= DEEPEST
    found = np.sqrt(record.depths_found.sel(pick).values[kept]) / record.sampled_depth.values[kept]
    label = f"sampled,\nw = {record.attrs['width_of_depths']}"
    axes.plot(record.sampled_depth.values[kept], found, "o", color="C1", markersize=4.5, label=label)
    axes.set(xlabel="depth d", ylabel="standard deviation of K(s,s')/d", title="(d) gated, off the diagonal")
    axes.set_xticks([d for d in (2, 4, 8, 12, 16, 20) if d in shown.depth])
