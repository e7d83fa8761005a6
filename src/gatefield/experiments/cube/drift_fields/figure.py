"""The figure of `drift-fields`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from scipy.special import erfc

from gatefield.experiments.cube.drift_fields.verdicts import ROUNDING, bandwidth, site
from gatefield.plot import gain_text

MARKS = ("o", "s", "^", "D", "v")
LINES = (":", "-.", "--", "-")
"""Of the gains above the lowest, the highest last."""


def draw(record: xr.Dataset) -> Figure:
    """Drifts of four fields above; below the closure's error for all fields and for Gabors; last, sampled against exact."""
    figure = Figure(figsize=(11.5, 11.6))
    top, bottom, last_row = cast(Any, figure.subfigures(3, 1, height_ratios=[1.0, 1.35, 1.05]))
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
    panels = last_row.subplots(1, 3)
    _site(panels[0], site(record.isel(xi=-1)))
    _against_exact(panels[1], record)
    _deviations(panels[2], record)
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
    axes.legend(loc="upper left", ncols=3)


def _gabors(axes: Any, record: xr.Dataset) -> None:
    """Errors of Gabors against frequency over bandwidth, by length scale (colour and mark) and gain (line)."""
    part = record.isel(field=record.kind.values == "Gabor")
    for g, gain in enumerate(part.gain.values[1:], start=1):
        for i, xi in enumerate(part.xi.values):
            one, last = part.sel(gain=gain, xi=xi), g == part.sizes["gain"] - 1
            ratio = one.value / bandwidth(record.attrs["n"], xi)
            axes.plot(
                ratio,
                np.maximum(one.closure_error, 1e-4),
                LINES[(g - part.sizes["gain"]) % len(LINES)],
                marker=MARKS[i % 5],
                markersize=6 if last else 3.5,
                markerfacecolor=f"C{i}" if last else "w",
                zorder=2 if last else 3,  # hollow marks stay visible on full ones
                linewidth=1.2,
                color=f"C{i}",
            )
        axes.plot(
            [],
            [],
            LINES[(g - part.sizes["gain"]) % len(LINES)],
            color="0.3",
            linewidth=1.2,
            label=f"gain {gain_text(float(gain))}",
        )
    axes.axvline(1.0, color="0.6", linewidth=1.0)
    axes.set(xlabel=r"frequency / bandwidth $k_c$", title="(c) Gabors, colours as in (b)", xscale="log")
    axes.legend(loc="lower right")


def _site(axes: Any, one: xr.Dataset) -> None:
    """The gate of one site: sampled and in closed form, around the site, at each gain."""
    lags = one.position.values - one.sizes["position"] // 2
    for g, gain in enumerate(one.gain.values):
        axes.plot(lags, one.site_exact.sel(gain=gain), "-", color=f"C{g}", linewidth=1.2)
        axes.plot(lags, one.sampled.sel(gain=gain), MARKS[g % 5], color=f"C{g}", markersize=4, markerfacecolor="none")
        axes.plot([], [], MARKS[g % 5] + "-", color=f"C{g}", markersize=4, markerfacecolor="none", label=gain_text(float(gain)))
    reach = min(len(lags) // 2, int(np.ceil(2.2 * float(one.xi))))
    axes.set(xlim=(-reach, reach), xlabel="site, from the one that gates", ylabel="f, sampled (marks) and exact",
             title=rf"(d) one site, $\xi$ = {float(one.xi):g}; lines: exact")  # fmt: skip
    axes.legend(title="gain", loc="upper right", fontsize="small")


def _against_exact(axes: Any, record: xr.Dataset) -> None:
    """Every site of every field on the small ring: sampled against exact."""
    ends = [float(record.small_exact.min()), float(record.small_exact.max())]
    axes.plot(ends, ends, "-", color="0.6", linewidth=1.0)
    for i, xi in enumerate(record.xi.values):
        one = record.sel(xi=xi)
        axes.plot(one.small_exact.values.ravel(), one.small_sampled.values.ravel(), MARKS[i % 5], color=f"C{i}",
                  markersize=3.5, markeredgewidth=0, label=rf"$\xi$ = {xi:g}")  # fmt: skip
    n = record.sizes["small_position"]
    axes.set(xlabel="f, exact: sum over all corners", ylabel="f, sampled", title=f"(e) signs on {n} sites, all fields")
    axes.legend(loc="upper left")


def _deviations(axes: Any, record: xr.Dataset) -> None:
    """How far sampled drifts are from exact ones in standard errors, as shares above each size, beside the normal law."""
    one = site(record)
    for off, error, color, label in (
        (one.sampled - one.site_exact, one.error, "C0", "one site, all gains"),
        (record.small_sampled - record.small_exact, record.small_sampling_error, "C1", "signs, small ring"),
    ):
        z = np.sort((abs(off) / np.maximum(error, ROUNDING)).values.ravel())
        axes.step(z, 1 - np.arange(len(z)) / len(z), color=color, label=label)
    t = np.linspace(0, 4, 100)
    axes.plot(t, erfc(t / np.sqrt(2)), "--", color="k", linewidth=1.0, label="normal errors")
    axes.set(xlabel="|sampled - exact| / standard error", ylabel="share of sites above", yscale="log", ylim=(1e-4, 1.3),
             title="(f) is what is left noise?")  # fmt: skip
    axes.legend(loc="lower left")
