"""The table as a picture: accuracy against beta, and over epochs."""

from typing import Any

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.convolution.colour_images import unlike_the_paper
from gatefield.experiments.convolution.soft_gates_table.rows import PLAIN, best, final, paper

BESIDE = 0.5
"""How far marks of different eps stand apart, in beta."""
STYLES = {"linear": "--", "relu": ":"}


def draw(record: xr.Dataset) -> Figure:
    """(a) best and final test accuracy against beta, (b, c) test and training accuracy over epochs."""
    figure = Figure(figsize=(13.5, 4.4))
    eps = _least_eps(record)
    panels: Any = figure.subplots(1, 3, width_ratios=(1.25, 1, 1))
    _against_beta(panels[0], record)
    for axes, letter, name, label in zip(
        panels[1:], "bc", ("test_accuracy", "train_accuracy"), ("test", "training"), strict=True
    ):
        _over_epochs(axes, record, name)
        axes.set(xlabel="epoch", ylabel=f"{label} accuracy (%)", title=rf"({letter}) {label} images, $\epsilon$ = {eps:g}")
        axes.xaxis.get_major_locator().set_params(integer=True)
    panels[2].legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _against_beta(axes: Any, record: xr.Dataset) -> None:
    soft = record.isel(row=np.flatnonzero(record.gating.values == "soft-relu"))
    at_paper_size = not unlike_the_paper(record, 15)
    every = np.unique(soft.eps.values)
    for at, eps in enumerate(every):
        aside = BESIDE * (at - (len(every) - 1) / 2)
        rows = soft.isel(row=np.flatnonzero(soft.eps.values == eps))
        for values, style, mark, name in ((best(rows), "-", "osD"[at % 3], "best"), (final(rows), "--", "", "final")):
            spread = values.std("seed", ddof=1) if mark and values.sizes["seed"] > 1 else None
            axes.errorbar(
                rows.beta + aside, values.mean("seed"), spread, color=f"C{at}", linestyle=style,
                marker=mark or None, markersize=5, linewidth=1.4, capsize=2, label=rf"$\epsilon$ = {eps:g}, {name}",
            )  # fmt: skip
        known = [(b, paper(str(n))) for b, n in zip(rows.beta.values, rows.row.values, strict=True)]
        if at_paper_size:
            axes.plot(
                [b + aside for b, k in known if k], [100 * k[1] for _, k in known if k], "x+1"[at % 3], color=f"C{at}",
                markersize=8, markeredgewidth=1.8, zorder=5, label=rf"$\epsilon$ = {eps:g}, paper",
            )  # fmt: skip
    for at, name in enumerate(n for n in PLAIN if n in record.row.values):
        level = float(best(record).sel(row=name).mean())
        known = paper(name)
        axes.axhline(level, color=f"C{at + 3}", linestyle=STYLES[name], linewidth=1.4, label=f"{PLAIN[name]}, best")
        if known and at_paper_size:
            _at_the_edge(axes, 100 * known[1], f"C{at + 3}", f"{PLAIN[name]},\npaper")
    axes.set(xlabel=r"steepness of the gates $\beta$", ylabel="test accuracy (%)", title="(a) best (bars: s.d.) and final")
    axes.legend(fontsize=8, ncols=2)


def _at_the_edge(axes: Any, level: float, color: str, label: str) -> None:
    """A mark at the right edge for a number that belongs to no beta."""
    across = axes.get_yaxis_transform()
    axes.plot([1.015], [level], "<", color=color, markersize=6, transform=across, clip_on=False)
    axes.text(1.035, level, label, color=color, fontsize=8, va="center", transform=across)


def _least_eps(record: xr.Dataset) -> float:
    return float(record.eps.values[record.gating.values == "soft-relu"].min())


def _over_epochs(axes: Any, record: xr.Dataset, name: str) -> None:
    """The plain networks, and soft ones of the smallest eps from dark to light by beta."""
    soft = record.isel(row=np.flatnonzero(record.gating.values == "soft-relu"))
    shown = soft.isel(row=np.flatnonzero(soft.eps.values == _least_eps(record)))
    shades = matplotlib.colormaps["viridis"](np.linspace(0.0, 0.85, shown.sizes["row"]))
    for at, shade in enumerate(shades):
        one = shown.isel(row=at)
        axes.plot(
            one.epoch[1:], 100 * one[name].mean("seed")[1:], color=shade, linewidth=1.3, label=rf"$\beta$ = {float(one.beta):g}"
        )
    for at, plain in enumerate(n for n in PLAIN if n in record.row.values):
        one = record.sel(row=plain)
        axes.plot(
            one.epoch[1:],
            100 * one[name].mean("seed")[1:],
            STYLES[plain],
            color=f"C{at + 3}",
            linewidth=1.8,
            label=PLAIN[plain],
        )
