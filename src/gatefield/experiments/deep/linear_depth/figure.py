"""The figure of `linear-depth`."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.deep.linear_depth.verdicts import end_at_two
from gatefield.plot import COLOURS, DATA, THEORY, WIDTH, letter, say_setting, shades

LEAST, LATEST = 1e-3, 25
"""Where the axes of errors and of their steps end: later errors are beside the question."""


def draw(record: xr.Dataset) -> Figure:
    """The error and the kernel over training, and the kernel before it."""
    figure = Figure(figsize=(WIDTH, 3.6))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    panels = body.subplots(1, 3, width_ratios=[1.15, 1.0, 1.0])
    errors, kernels, start = panels
    _theory(errors, kernels, record)
    for d, colour, dash in zip(record.depth.values, _colours(record), _dashes(record), strict=True):
        one = record.sel(depth=d)
        look = {"color": colour, "linestyle": dash, "label": f"d = {d}"}
        errors.semilogy(record.step, one.squared_error.mean("run"), **look)
        mean, spread = one.kernel.mean("run"), one.kernel.std("run", ddof=1)
        kernels.plot(record.step, mean, **look)
        kernels.annotate(f"d = {d}", (float(record.step[-1]), float(mean[-1])), (3, 0), textcoords="offset points", va="center",
                         fontsize=7, color=colour, annotation_clip=False)  # fmt: skip
        kernels.fill_between(record.step, mean - spread, mean + spread, color=colour, alpha=0.12, linewidth=0)
    _tenth(errors, record)
    _start_panel(start, record)
    marks = [*errors.get_legend_handles_labels()[0], *start.get_legend_handles_labels()[0]]
    body.legend(handles=marks, loc="outside lower center", ncols=len(marks), columnspacing=0.9, handlelength=1.2, fontsize=7.5)
    letter(panels, ["deeper is faster", "because K grows", "K/d is 1 on average"])
    size = (
        f"width {record.attrs['width']}",
        "one sample (1, 1)",
        f"rate {record.attrs['rate']:g}/d",
        f"{int(record.step[-1])} steps",
        f"{record.sizes['run']} runs",
    )
    say_setting(figure, *size, "lines: means over runs", "bands and bars: standard deviation of a run",
                "K: tangent kernel")  # fmt: skip
    return figure


def _colours(record: xr.Dataset) -> list[str]:
    return shades(record.sizes["depth"], "plasma", (0.0, 0.85))


def _dashes(record: xr.Dataset) -> list[str]:
    """Of two depths one is dashed; of more the shades tell."""
    return ["-", "--"] if record.sizes["depth"] == 2 else ["-"] * record.sizes["depth"]


def _theory(errors: Any, kernels: Any, record: xr.Dataset) -> None:
    ideal = (1 - record.attrs["rate"]) ** 2
    errors.plot(record.step, ideal**record.step, label=f"(a) {ideal:.3g}$^t$: K fixed", **THEORY)
    errors.set(yscale="log", xlabel="step t", ylabel="squared error e²/e$_0$²", ylim=(LEAST, 1.5))
    errors.set_xlim(-0.5, min(LATEST, float(record.step[-1])))
    if 2 in record.depth:
        place, last = float(end_at_two(record).mean()), float(record.step[-1])
        kernels.plot([0.6 * last, last], [place, place], **THEORY)
        kernels.annotate("exact, d = 2", (last, place), (0, -4), textcoords="offset points", ha="right", va="top",
                         fontsize=8)  # fmt: skip
    kernels.set(xlabel="step t", ylabel="K/d")


def _tenth(axes: Any, record: xr.Dataset) -> None:
    """What is left after ten steps at the least and the largest depth, of which the headline tells."""
    axes.axvline(10, color="0.6", linestyle=":", linewidth=0.9, zorder=0)
    words: Any = {"fontsize": 8, "va": "center", "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 1}}
    look = {"arrowstyle": "-", "linewidth": 0.6, "color": "0.3"}
    last = min(LATEST, float(record.step[-1]))
    for at, place, colour in zip((0, -1), ((0.55 * last, 0.35), (0.02 * last, 0.006)), _ends(_colours(record)), strict=True):
        one = record.isel(depth=at)
        left = float(one.squared_error.sel(step=10).mean("run"))
        axes.plot(10, left, "o", color=colour, markersize=4, markeredgecolor="black", markeredgewidth=0.6, zorder=6)
        axes.annotate(f"{left:.3f}\nat d = {int(one.depth)}", (10, left), place, arrowprops=look, **words)


def _ends(colours: list[str]) -> list[str]:
    return [colours[0], colours[-1]]


def _start_panel(axes: Any, record: xr.Dataset) -> None:
    start = record.kernel.isel(step=0)
    axes.errorbar(record.depth - 0.15, start.mean("run"), start.std("run", ddof=1), **DATA, color=COLOURS[0], markersize=4,
                  label="(c) sampled")  # fmt: skip
    axes.errorbar(record.depth + 0.15, np.ones(record.sizes["depth"]), record.exact_deviation, fmt="_", color="black",
                  capsize=3, label="(c) exact")  # fmt: skip
    axes.set(xlabel="depth d", ylabel="K/d before training", ylim=(0, 2))
    axes.set_xticks(record.depth.values)
