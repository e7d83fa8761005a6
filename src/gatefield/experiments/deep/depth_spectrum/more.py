"""The second figure of `depth-spectrum`: figures 1 to 3 of the paper as they are printed there, for three widths."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.experiments.deep.depth_spectrum.figure import FLOOR, shown_depths, styles
from gatefield.experiments.deep.depth_spectrum.verdicts import depth_gaps, half_gaps, ideal, ideal_ratio
from gatefield.plot import THEORY, WIDTH, letter, say_setting, shades


def draw_more(record: xr.Dataset) -> Figure:
    """A column for the mean kernel and one for each width: spectra and errors; distance against width; entries."""
    figure = Figure(figsize=(WIDTH, 8.4))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    top, bottom = body.subfigures(2, 1, height_ratios=[1.0, 1.0])
    panels = top.subplots(2, 1 + record.sizes["width"], squeeze=False)
    shown = shown_depths(record)
    colours = dict(zip(shown, shades(len(shown), "plasma", (0.0, 0.9)), strict=True))
    _spectra(panels[0], record, colours)
    _errors(panels[1], record, colours)
    for row in panels:
        _one_scale(row)
    for axes, w, gap in zip(panels[0, 1:], record.width.values, half_gaps(record), strict=True):
        axes.set_title(f"w = {w}: off by {gap:.2g}", loc="left")
    for axes in panels[0]:
        axes.axvline(record.attrs["samples"] // 2, color="0.6", linestyle=":", linewidth=0.9, zorder=0)
    scaled = ["relative_sums"] if "relative_sums" in record else []  # records of before have none
    distance, *others = bottom.subplots(2, 2).flat if scaled else bottom.subplots(1, 3)
    _distance(distance, record, colours)
    for axes, _ in zip(others, scaled, strict=False):
        _scaled(axes, record, colours)
    _entries(others[-2:], record)
    firsts = [*panels[:, 0], distance, *others]
    nearer = "wider is nearer" if (np.diff(half_gaps(record)) < 0).all() else "distance by width"
    ends = record.recursion.isel(step=-1).mean(["run", "depth"]).values
    faster = "wider is faster" if (np.diff(ends) < 0).all() else "errors of the same"
    letter(firsts, ["mean kernel", faster, nearer, *[_scaled_text(record) for _ in scaled], *_entry_texts(record)])
    depths = [Line2D([], [], color=c, marker="o", markersize=3.5, label=f"d = {d}") for d, c in colours.items()]
    widths = [Line2D([], [], linestyle="none", markersize=4, label=f"w = {w}", **look) for w, look in styles(record).items()]
    kept = Line2D([], [], color="0.3", label="first K kept")
    descent = Line2D([], [], color="0.3", linestyle=":", label="descent")
    theory: Any = THEORY
    kernel = Line2D([], [], label="mean kernel", **theory)
    handles = [*depths, kept, descent, *widths, kernel]
    body.legend(handles=handles, loc="outside lower center", ncols=-(-len(handles) // 2), fontsize=8, columnspacing=1.3)
    say_setting(
        figure,
        f"{record.attrs['samples']} samples",
        f"gates open with probability {record.attrs['mu']:g}",
        f"means of {record.sizes['run']} runs",
        "d: layers",
        "w: units in a layer",
        "(a) dotted: k of (c)",
        "(c) black: means over depths",
        f"bars: middle 68 % of runs, (e) ×: over that of w = {int(record.width[-1])}",
    )
    return figure


def _half_sum(record: xr.Dataset) -> float:
    """The sum of the smaller half of the eigenvalues of the mean kernel, at the largest depth."""
    samples = record.attrs["samples"]
    low, _ = ideal(record.depth.values[-1:], samples, record.attrs["mu"])
    return float(low[0]) * (samples // 2)


def _entry_texts(record: xr.Dataset) -> list[str]:
    """How far runs spread on the diagonal, narrowest over widest networks, and how entries beside it go with depth."""
    spread = record.diagonal.quantile([0.16, 0.84], "run").diff("quantile").mean("depth").values.ravel()
    first, last = (float(record.beside.isel(width=0, depth=at).mean("run")) for at in (0, -1))
    diagonal = f"the diagonal: w = {int(record.width[0])} spreads {spread[0] / spread[-1]:.1f}×"
    return [diagonal, f"beside it: {first:.1f} → {abs(round(last, 1)):.1f}"]


def _scaled(axes: Any, record: xr.Dataset, colours: dict[int, str]) -> None:
    """Figure 3, right: the sums over the largest eigenvalue, in the widest networks."""
    for d, colour in colours.items():
        axes.plot(record.k, record.relative_sums.isel(width=-1).sel(depth=d), color=colour, linewidth=1.1)
    axes.set(xlabel="k", ylabel=f"(a) over the largest\neigenvalue, w = {int(record.width[-1])}")


def _scaled_text(record: xr.Dataset) -> str:
    """What all eigenvalues add up to in units of the largest, at the least and the largest depth."""
    first, last = (float(record.relative_sums.isel(width=-1, depth=at, k=-1)) for at in (0, -1))
    return f"the widest, over the largest: {first:.0f} → {last:.0f}"


def _one_scale(row: Any) -> None:
    for axes in row[1:]:
        axes.sharey(row[0])
        axes.tick_params(labelleft=False)


def _spectra(row: Any, record: xr.Dataset, colours: dict[int, str]) -> None:
    """Sums of the k smallest eigenvalues: of the mean kernel, then of each width."""
    samples, mu = (record.attrs[key] for key in ("samples", "mu"))
    for d, colour in colours.items():
        low, high = ideal(np.array(d), samples, mu)
        row[0].plot(record.k, np.cumsum(np.append(np.full(samples - 1, low), high)), color=colour, linewidth=1.1)
        for axes, width in zip(row[1:], record.width.values, strict=True):
            axes.plot(record.k, record.sums.sel(width=width, depth=d), color=colour, linewidth=1.1)
    for axes in row:
        axes.set_xlabel("k", labelpad=1)
    row[0].set_ylabel("sum of k smallest\neigenvalues of K/d")


def _distance(axes: Any, record: xr.Dataset, colours: dict[int, str]) -> None:
    """How far the sum of the smaller half is from that of the mean kernel: each depth, and the mean over depths."""
    gaps = depth_gaps(record)
    for d, colour in colours.items():
        at = record.depth.values.tolist().index(d)
        axes.plot(record.width, gaps[:, at], "o-", color=colour, markersize=3.5, linewidth=1.0)
    mean = half_gaps(record)
    axes.plot(record.width, mean, "_", color="black", markersize=13, markeredgewidth=2, zorder=5)
    look: Any = {"textcoords": "offset points", "fontsize": 8.5, "fontweight": "bold", "va": "center"}
    for at, away, side in ((0, -8, "right"), (-1, 8, "left")):
        axes.annotate(f"{mean[at]:.2g}", (record.width.values[at], mean[at]), (away, 0), ha=side, **look)
    axes.set(
        xscale="log", xlabel="width w", ylabel=f"off the mean kernel by\n(of about {_half_sum(record):.0f})", ylim=(0, None)
    )
    axes.set_xlim(record.width.values[0] / 5, record.width.values[-1] * 5)
    axes.set_xticks(record.width.values, [str(w) for w in record.width.values])
    axes.minorticks_off()


def _errors(row: Any, record: xr.Dataset, colours: dict[int, str]) -> None:
    samples, mu, rate = (record.attrs[name] for name in ("samples", "mu", "rate"))
    for d, colour in colours.items():
        expected = ideal_ratio(np.array(d), samples, mu, rate, record.step.values)
        row[0].semilogy(record.step, expected, color=colour, linewidth=1.1)
        for axes, width in zip(row[1:], record.width.values, strict=True):
            one = record.sel(width=width)
            axes.semilogy(one.step, one.recursion.sel(depth=d).mean("run"), color=colour, linewidth=1.1)
            if d in one.trained_depth:
                axes.plot(one.step, one.descent.sel(trained_depth=d).mean("trained_run"), ":", color=colour, linewidth=1.1)
    for axes in row:
        axes.set_xlabel("step", labelpad=1)
    row[0].set_ylim(max(FLOOR, 0.5 * float(record.recursion.min())), 1.3)
    row[0].set_ylabel("error |e|/|e$_0$|")


def _entries(panels: Any, record: xr.Dataset) -> None:
    depth = record.depth.values
    curves: Any = (("diagonal", np.ones(len(depth)), "K(1,1)/d"), ("beside", record.attrs["mu"] ** (depth - 1.0), "K(1,2)/d"))
    for axes, (what, expected, name) in zip(panels, curves, strict=True):
        for i, (width, look) in enumerate(styles(record).items()):
            values = record[what].sel(width=width)
            mean, (low, high) = values.mean("run").values, values.quantile([0.16, 0.84], "run").values
            bars = np.maximum([mean - low, high - mean], 0.0)  # the mean of few runs may lie beside most of them
            axes.errorbar(depth + 0.16 * (i - 1), mean, bars, linestyle="none",
                          markersize=3, elinewidth=0.9, label=f"w = {width}", **look)  # fmt: skip
        axes.plot(depth, expected, linewidth=1.1, label="mean kernel", **THEORY)
        axes.set(xlabel="depth d", ylabel=name)
