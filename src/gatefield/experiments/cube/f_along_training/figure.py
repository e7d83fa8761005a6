"""The figure of `f-along-training`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.cube.f_along_training.simulate import LOOSE, STRICT
from gatefield.measures import aligned
from gatefield.plot import gain_text

ROWS = {
    "head_size": f"entries that decide\nthe gate but for {LOOSE:.0%}",
    "gaussian_distance": "distance of f from\nthe Gaussian form",
    "site_distance": "distance of f from\nthe form of one site",
}


def draw(record: xr.Dataset) -> Figure:
    """One column for each pair: heads, distances, final fields; below f itself at three times."""
    figure = Figure(figsize=(11.5, 13.0))
    above, below = cast(Any, figure.subfigures(2, 1, height_ratios=[4.0, 1.25]))
    panels = above.subplots(4, record.sizes["pair"], squeeze=False, sharey="row")
    for column, pair in zip(panels.T, record.pair.values, strict=True):
        _column(column, record.sel(pair=pair))
    for axes, text in zip(panels[:, 0], [*ROWS.values(), "final field,\nscaled to 1"], strict=True):
        axes.set_ylabel(text)
    for axes in panels[1:3, 0]:
        axes.set_ylim(bottom=0)
    above.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=record.sizes["gain"] + 1)
    _drifts(below, record.isel(pair=0, gain=-1))
    return figure


def _column(column: Any, one: xr.Dataset) -> None:
    """All panels of one pair."""
    for axes, name in zip(column, ROWS, strict=False):
        _curves(axes, one[name].sel(share=LOOSE) if name == "head_size" else one[name])
    for g in range(one.sizes["gain"]):
        column[0].plot(one.time, one.head_size.isel(gain=g).sel(share=STRICT).median("seed"), color=f"C{g}", linewidth=0.7)
    column[0].plot([], [], color="0.4", linewidth=0.7, label=f"thin: but for {STRICT:.0%}")
    column[0].set(title=rf"$\xi_1$ = {float(one.xi1):g} (+), $\xi_0$ = {float(one.xi0):g}", yscale="log")
    column[0].set_yticks([t for t in (1, 2, 5, 10, 20, 40) if t <= one.sizes["position"]])
    column[0].yaxis.set_major_formatter("{x:g}")
    column[0].minorticks_off()
    column[2].set_xlabel(r"time ($\tau$)")
    _ends(column[3], one)


def dropped(sizes: np.ndarray) -> int:
    """The first record at which a head is down to the geometric mean of its first and last size; the middle one if never.

    >>> dropped(np.array([30, 28, 9, 2, 1]))
    3
    """
    down = np.flatnonzero(sizes <= np.sqrt(sizes[0] * sizes[-1]))
    return int(down[0]) if sizes[-1] < sizes[0] else len(sizes) // 2


def _drifts(figure: Any, one: xr.Dataset) -> None:
    """f of the first seed with its Gaussian form and that of one site: at the start, when the head drops, at the end."""
    heads = one.head_size.isel(seed=0).sel(share=LOOSE).values
    panels = figure.subplots(1, 3, sharey=True)
    words = ("start", "the head drops" if heads[-1] < heads[0] else "the head does not drop", "end")
    for axes, step, text in zip(panels, (0, dropped(heads), len(heads) - 1), words, strict=True):
        now = one.isel(step=step)
        axes.axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
        axes.plot(one.position, now.gaussian_form, "--", color="C1", linewidth=1.2, label="Gaussian form")
        axes.plot(one.position, now.site_form, "-", color="C2", linewidth=1.2, label="form of one site, the largest entry")
        axes.plot(one.position, now.drift, "o", color="k", markersize=3, label="f, sampled")
        axes.set(xlabel="position (site)", title=f"{text}: {float(now.time):.3g} τ, head {heads[step]}")
    panels[0].set_ylabel("f(w) and its forms")
    pair = rf"$\xi_1$ = {float(one.xi1):g}, $\xi_0$ = {float(one.xi0):g}"
    figure.suptitle(f"f itself: {pair}, gain {gain_text(float(one.gain))}, first seed", x=0.01, ha="left")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)


def _curves(axes: Any, values: xr.DataArray) -> None:
    """Medians over seeds with quartiles, by gain."""
    time = values.time.values
    for g, gain in enumerate(values.gain.values):
        low, middle, high = values.sel(gain=gain).quantile([0.25, 0.5, 0.75], "seed").transpose("quantile", "step").values
        axes.fill_between(time, low, high, color=f"C{g}", alpha=0.15, linewidth=0)
        axes.plot(time, middle, color=f"C{g}", label=f"gain {gain_text(gain)}")
    axes.set_xscale("symlog", linthresh=float(time[1]))
    axes.set_xlim(0, time[-1])
    ticks = [0.0, *(t for t in 10.0 ** np.arange(-1, 4) if 2 * time[1] <= t <= time[-1])]
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.minorticks_off()


def _ends(axes: Any, one: xr.Dataset) -> None:
    """Final fields of the first seed at the lowest and the highest gain, peaks in the middle."""
    n = one.sizes["position"]
    axes.axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
    for g in dict.fromkeys((0, one.sizes["gain"] - 1)):
        axes.plot(np.arange(n) - n // 2, aligned(one.end.isel(gain=g, seed=0).values.astype(float)), color=f"C{g}")
    axes.set(xlabel="position from the peak (site)", ylim=(-1.1, 1.1))
