"""The figure of `depth-spectrum`: what depth does to the spectrum and to training."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from gatefield.experiments.deep.depth_spectrum.verdicts import (
    AFTER,
    DEPTHS,
    edge,
    headline_errors,
    ideal,
    ideal_ratio,
    log_conditions,
)
from gatefield.plot import THEORY, WIDTH, letter, say_setting, shades

FLOOR = 1e-6
"""Where logarithmic axes end: float32 cannot tell smaller errors from none."""
MOST = 1e5
"""Where the axis of condition numbers ends."""
MARKERS = "osD^v"
"""Of the widths, in their order."""


def draw(record: xr.Dataset) -> Figure:
    """Errors above, spectra below; theory is that of the mean kernel."""
    figure = Figure(figsize=(WIDTH, 6.2))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    grid = body.add_gridspec(2, 6, height_ratios=[1.25, 1.0])
    recursion, descent = body.add_subplot(grid[0, :4]), body.add_subplot(grid[0, 4:])
    smallest, plain, scaled = (body.add_subplot(grid[1, at : at + 2]) for at in (0, 2, 4))
    _errors(recursion, descent, record)
    low, high = ideal(record.depth.values, record.attrs["samples"], record.attrs["mu"])
    conditions: Any = [np.exp(values) for values in log_conditions(record)]
    _against_depth(smallest, record.smallest, record)
    smallest.plot(record.depth, low, **THEORY)
    _edge_mark(smallest, record)
    smallest.set(ylabel="smallest eigenvalue of K/d", ylim=(-0.03, 1.06))
    for axes, values in ((plain, conditions[0]), (scaled, conditions[1])):
        _against_depth(axes, values, record)
        _beyond(axes, values, record)
        axes.plot(record.depth, high / low, **THEORY)
        axes.set(yscale="log", ylim=(0.8, MOST))
    plain.set_ylabel("condition number of K")
    scaled.set_ylabel("same, diagonal scaled to 1")
    panels = [recursion, descent, smallest, plain, scaled]
    for axes in panels:
        axes.set_xlabel("depth d")
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    above = "depth helps, then hurts: errors with the first K kept", _descent_text(record)
    last = [np.exp(float(values.isel(width=-1, depth=-1).median())) for values in log_conditions(record)]
    least, condition = (values.isel(width=-1).median("run").values for values in (record.smallest, conditions[0]))
    below = _turn_text("smallest", least, "rises", "falls"), _turn_text("condition", -condition, "falls", "rises")
    letter(panels, [*above, *below, f"unit diagonal: {last[0]:.2g} → {last[1]:.2g}"])
    body.legend(handles=_legend(record), loc="outside lower center", ncols=5, fontsize=8)
    words = "K: tangent kernel", "d: layers", "w: units in a layer", "(a): means of runs", "else medians"
    _say(figure, record, *words, "bars: middle 68 %", "↑: beyond the axis", "heads of (c-e): the largest w, (e) and d")
    return figure


def _turn_text(what: str, values: np.ndarray, towards: str, away: str) -> str:
    """Whether the widest networks turn back between the least depth and the largest.

    >>> _turn_text("condition", np.array([1.0, 3.0, 2.0]), "rises", "falls")
    'condition rises, then falls'
    """
    top = int(values.argmax())
    return f"{what} {towards if top else away}" + (f", then {away}" if 0 < top < len(values) - 1 else "")


def _descent_text(record: xr.Dataset) -> str:
    """In how many settings gradient descent leaves less error than the recursion with the first K."""
    late = record.sel(step=AFTER, method="nearest")
    descent = late.descent.median("trained_run")
    kept = late.recursion.median("run").sel(depth=record.trained_depth.values)
    lower = descent.values < kept.transpose("width", "depth").values
    return f"trained: {int(lower.sum())} of {lower.size} lower"


def _say(figure: Any, record: xr.Dataset, *words: str) -> None:
    here = record.attrs
    size = (
        f"{here['samples']} samples",
        f"gates open with probability {here['mu']:g}",
        f"rate {here['rate']:g}/largest eigenvalue",
        f"{int(record.step[-1])} steps",
    )
    say_setting(figure, *size, f"{record.sizes['run']} runs, {record.sizes['trained_run']} of them trained", *words)


def styles(record: xr.Dataset) -> dict[int, dict[str, Any]]:
    """Colour and marker of each width."""
    widths = record.width.values.tolist()
    colours = shades(len(widths), "viridis", (0.0, 0.78))
    return {w: {"color": c, "marker": MARKERS[i % len(MARKERS)]} for i, (w, c) in enumerate(zip(widths, colours, strict=True))}


def _legend(record: xr.Dataset) -> list[Line2D]:
    marks = [Line2D([], [], linestyle="none", markersize=4, label=f"w = {w}", **look) for w, look in styles(record).items()]
    theory: Any = THEORY
    short: Any = {**THEORY, "linewidth": 3.0}
    return [*marks, Line2D([], [], label="mean kernel", **theory), Line2D([], [], label="random matrices, d = 2", **short)]


def _against_depth(axes: Any, values: xr.DataArray, record: xr.Dataset, run: str = "run", *, mean: bool = False) -> None:
    """Median over runs, or their mean joined by lines, and the middle 68 %, side by side for the widths."""
    depth = values["depth" if run == "run" else "trained_depth"].values
    for i, (width, look) in enumerate(styles(record).items()):
        middle, low, high = values.sel(width=width).quantile([0.5, 0.16, 0.84], run).values
        middle = values.sel(width=width).mean(run).values if mean else middle
        bars = np.maximum([middle - low, high - middle], 0.0)  # the mean of few runs may lie beside most of them
        line: Any = {"linestyle": "-", "linewidth": 1.0, "markersize": 4.5} if mean else {"linestyle": "none", "markersize": 3}
        axes.errorbar(depth + 0.16 * (i - 1), middle, bars, elinewidth=0.9, **line, **look)


def _beyond(axes: Any, values: xr.DataArray, record: xr.Dataset) -> None:
    """An arrow at the upper end for each median that lies above it."""
    for i, (width, look) in enumerate(styles(record).items()):
        beyond = values.sel(width=width).median("run").values > MOST
        axes.plot(values.depth.values[beyond] + 0.5 * (i - 1), np.full(beyond.sum(), 0.7 * MOST), linestyle="none",
                  marker="$↑$", markersize=7, color=look["color"])  # fmt: skip


def _edge_mark(axes: Any, record: xr.Dataset) -> None:
    """The exact place of the smallest eigenvalue at d = 2, where theory knows it for one network, too."""
    samples, width = record.attrs["samples"], int(record.width[-1])
    if 2 in record.depth and samples < width:
        place, _ = edge(samples, width, record.attrs["mu"])
        axes.plot([1.2, 2.8], [place, place], linewidth=3.0, zorder=1, **THEORY)


def _errors(recursion: Any, descent: Any, record: xr.Dataset) -> None:
    late = record.sel(step=AFTER, method="nearest")
    samples, mu, rate = (record.attrs[name] for name in ("samples", "mu", "rate"))
    _against_depth(recursion, late.recursion.clip(FLOOR), record, mean=True)
    _against_depth(descent, late.descent.clip(FLOOR), record, "trained_run")
    expected = ideal_ratio(record.depth.values, samples, mu, rate, int(late.step))
    _name_errors(recursion, record)
    for axes in (recursion, descent):
        axes.plot(record.depth, expected, **THEORY)
        axes.set(yscale="log", ylim=(FLOOR / 1.5, 2.0), ylabel=f"error |e|/|e$_0$| after {int(late.step)} steps")


def _name_errors(axes: Any, record: xr.Dataset) -> None:
    """The means of the headline: the widest networks at the least depth, the best and the largest."""
    look: Any = {"textcoords": "offset points", "fontsize": 8.5, "fontweight": "bold", "ha": "center", "va": "top"}
    for d, error in headline_errors(record).items():
        axes.annotate(f"{error:.2g}", (d + 0.16, error), (4 if error > 0.5 else 0, -7), **look)


def shown_depths(record: xr.Dataset) -> list[int]:
    """The depths of the paper's figures, as far as the record has them."""
    return [d for d in DEPTHS if d in record.depth] or record.depth.values.tolist()
