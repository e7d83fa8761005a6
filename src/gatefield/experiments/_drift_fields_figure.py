"""The figure of `drift-fields`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments._drift_fields_verdicts import bandwidth
from gatefield.experiments._panels import gain_text

MARKS = ("o", "s", "^", "D", "v")


def draw(record: xr.Dataset) -> Figure:
    """Drifts of four fields above; below the closure's error for all fields and for Gabors."""
    figure = Figure(figsize=(11.5, 8.4))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.0, 1.35]))
    chosen = _chosen(record)
    for axes, i in zip(top.subplots(1, len(chosen), sharex=True), chosen, strict=True):
        _drift(axes, record.isel(gain=-1, xi=-1, field=i))
    last = record.isel(gain=-1, xi=-1)
    top.suptitle(rf"(a) drifts at $\xi$ = {float(last.xi):g}, gain {gain_text(float(last.gain))}", x=0.01, ha="left")
    top.axes[0].set_ylabel("drift, scaled to |f| = 1")
    handles, labels = top.axes[0].get_legend_handles_labels()
    top.legend(handles, labels, loc="outside lower center", ncols=4)
    left, right = bottom.subplots(1, 2, width_ratios=[1.7, 1.0], sharey=True)
    _errors(left, record.isel(gain=-1))
    _gabors(right, record)
    return figure


def _chosen(record: xr.Dataset) -> list[int]:
    """A bump, a sinusoid, a Gabor and a random field: of the widest or fastest of each kind that is in the middle."""
    out = []
    for kind, value in (("bump", 1.5), ("sinusoid", 3.0), ("Gabor", 5.0), ("random", 0.0)):
        at = np.flatnonzero((record.kind == kind).values)
        out.append(int(at[np.abs(record.value.values[at] - value).argmin()]))
    return out


def name(kind: str, value: float) -> str:
    """A field for tick labels."""
    if kind == "sinusoid":
        return f"cos {value:g}" if value else "flat"
    return {"site": "one site", "random": "random"}.get(kind, f"{kind} {value:g}")


def _drift(axes: Any, one: xr.Dataset) -> None:
    length = float(np.linalg.norm(one.sampled))
    axes.axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
    axes.plot(one.position, one.w / abs(one.w).max() * float(abs(one.sampled).max()) / length, color="0.75", label="field w")
    axes.plot(one.position, one.sampled / length, "o", color="k", markersize=3.5, label="f, sampled")
    axes.plot(one.position, one.closure / length, "-", color="C0", label="closure")
    axes.plot(one.position, one.gaussian / length, "--", color="C1", label="Gaussian data")
    axes.set(xlabel="position (site)", title=name(str(one.kind.values), float(one.value)))


def _errors(axes: Any, one: xr.Dataset) -> None:
    """Each field's error, one mark for each length scale; random fields share a place."""
    pairs = list(zip(one.kind.values, one.value.values, strict=True))
    names = [name(str(kind), float(value)) for kind, value in pairs]
    order = list(dict.fromkeys(names))
    at = np.array([order.index(text) for text in names])
    for i, xi in enumerate(one.xi.values):
        values = np.maximum(one.closure_error.sel(xi=xi), 1e-4)
        axes.plot(at + 0.2 * (i - 1), values, MARKS[i % 5], color=f"C{i}", markersize=5, alpha=0.7, label=rf"$\xi$ = {xi:g}")
    axes.set_yscale("log")
    axes.set_xticks(np.arange(len(order)), order, rotation=60, ha="right")
    axes.set(ylabel=r"error of the closure $|f_{closure}-f|/|f|$", title=f"(b) all fields, gain {gain_text(float(one.gain))}")
    axes.legend(loc="lower right", ncols=3)


def _gabors(axes: Any, record: xr.Dataset) -> None:
    """Errors of Gabors against frequency over bandwidth, by length scale and, in paler shades, lower gains."""
    part = record.isel(field=record.kind.values == "Gabor")
    for g, gain in enumerate(part.gain.values[1:], start=1):
        for i, xi in enumerate(part.xi.values):
            one = part.sel(gain=gain, xi=xi)
            last = g == part.sizes["gain"] - 1
            ratio = one.value / bandwidth(record.attrs["n"], xi)
            label = rf"$\xi$ = {xi:g}" if last else None
            axes.plot(
                ratio,
                np.maximum(one.closure_error, 1e-4),
                "-",
                marker=MARKS[i % 5],
                markersize=4,
                color=f"C{i}",
                alpha=1.0 if last else 0.25,
                label=label,
            )
    axes.axvline(1.0, color="0.5", linestyle=":", linewidth=1.0)
    top = gain_text(float(part.gain[-1]))
    axes.set(xlabel="frequency / bandwidth", title=f"(c) Gabors at gain {top}; lower gains pale; dotted: $k_c$", xscale="log")
