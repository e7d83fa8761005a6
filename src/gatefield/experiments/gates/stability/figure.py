"""The figure of `stability`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.gates.setting import scales, seeds
from gatefield.experiments.gates.stability.verdicts import SAME
from gatefield.plot import COLOURS, WIDTH, dots_by_seed, field_row, gain_text, letter, say_setting, shades

FLOOR = 1e-7
"""Smaller distances are rounding of float32, and are drawn here."""
TEACHERS = {"localized": ("o", COLOURS[0]), "oscillating": ("s", COLOURS[4]), "random": ("^", COLOURS[2])}
"""Marker and colour of the kinds of teachers."""


def draw(record: xr.Dataset) -> Figure:
    """Pushes on top, the linear pathway below."""
    figure = Figure(figsize=(WIDTH, 5.8))
    panels = cast(Any, figure.subplots(2, 2))
    _spectrum_panel(panels[0, 0], record)
    _push_panel(panels[0, 1], record)
    _ipr_panel(panels[1, 0], record)
    _pathway_panel(panels[1, 1], record)
    gain = gain_text(float(record.gain[-1]))
    titles = ["rates at the end states", "who returns after a push", "localization beside a linear pathway"]
    letter(panels, [*titles, f"gain {gain}: v = −w, and 2w in place of w"])
    _say(figure, record, "bands: all seeds")
    return figure


def more(record: xr.Dataset) -> Figure:
    """Students and their teachers."""
    figure = Figure(figsize=(WIDTH, 4.6))
    grid = figure.add_gridspec(2, 1, height_ratios=[1.5, 0.7])
    distance, row = figure.add_subplot(grid[0]), figure.add_subplot(grid[1])
    _student_panel(distance, record)
    _student_fields(row, record)
    words = f"first field of each teacher (line) and of its student (dots), gain {gain_text(float(record.gain[-1]))}"
    letter([distance, row], ["how far students are from their teachers", words])
    _say(figure, record, f"teachers of {record.sizes['taught_unit']} units")
    return figure


def _say(figure: Any, record: xr.Dataset, *words: str) -> None:
    say_setting(figure, f"n = {record.sizes['position']}", scales(record), seeds(record.sizes["seed"]), *words)


def _colours(record: xr.Dataset) -> list[str]:
    """Of the gains, which have an order."""
    return shades(record.sizes["gain"], "viridis", (0.0, 0.8))


def _spectrum_panel(axes: Any, record: xr.Dataset) -> None:
    for gain, color in zip(record.gain.values, _colours(record), strict=True):
        values = record.eigenvalues.sel(gain=gain)
        axes.fill_between(record.mode, values.min("seed"), values.max("seed"), color=color, alpha=0.25, linewidth=0)
        axes.plot(record.mode, values.median("seed"), color=color, linewidth=2.2, label=f"gain {gain_text(gain)}")
        axes.plot(record.mode, record.damping.sel(gain=gain), ":", color="black", linewidth=1.1)
    axes.plot([], [], ":", color="black", linewidth=1.1, label="$-(Σ_0+Σ_1)/4$")
    axes.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    axes.set(xlabel="mode, the slowest first", ylabel="eigenvalue (1/τ)")
    axes.legend(loc="lower left", fontsize=7)


def _push_panel(axes: Any, record: xr.Dataset) -> None:
    same = (record.return_cosine > SAME).mean("seed")
    foretold = record.foretold.mean("seed")
    for gain, color in zip(record.gain.values, _colours(record), strict=True):
        one = same.sel(gain=gain)
        axes.semilogx(record["size"], one.sel(push="random"), "o-", color=color, label=f"gain {gain_text(gain)}")
        axes.semilogx(record["size"], one.sel(push="other"), "s--", color=color, markersize=4)
        axes.semilogx(record["size"], foretold.sel(gain=gain, push="random"), ":", color=color, linewidth=1.2)
    for style, label in [("o-", "random push"), ("s--", "to the far side"), (":", "random, by peak of $Σ_1w$")]:
        axes.semilogx([], [], style, color="0.4", markersize=4, label=label)
    ticks = record["size"].values
    axes.set_xticks(ticks, [f"{size:g}" for size in ticks])
    axes.set_xticks([], minor=True)
    axes.set(xlabel="size of the push over that of the field", ylabel=f"share that return (cosine > {SAME})")
    axes.set(ylim=(-0.05, 1.65), yticks=np.linspace(0, 1, 6))
    axes.legend(loc="upper center", ncols=2, fontsize=7)


def _ipr_panel(axes: Any, record: xr.Dataset) -> None:
    """Side by side, for without and with a trained pathway they are the same."""
    at = np.arange(record.sizes["gain"])
    for shift, marker, pathway, color in ((-0.2, "o", "none", COLOURS[0]), (0.0, "s", "trained", COLOURS[1])):
        values = record.ipr.sel(pathway=pathway)
        dots_by_seed(axes, at + shift, values, "gain", color)
        label = "no pathway" if pathway == "none" else "trained pathway"
        axes.plot(at + shift, values.median("seed"), marker, color=color, markersize=6, markeredgecolor="black", label=label)
    frozen = record.pathway.values[2:]
    for i, (marker, color) in enumerate(zip("^vDP", shades(len(frozen), "YlGn", (0.45, 0.9)), strict=False)):
        values = record.sum_ipr.sel(pathway=frozen[i]).median("seed")
        axes.plot(at + 0.16 + 0.08 * i, values, marker, color=color, markersize=5, label=f"{frozen[i]}: w + v")
    axes.axhline(1 / record.sizes["position"], color="0.4", linewidth=1.0, linestyle=":", label="flat field, 1/n")
    axes.set_xticks(at, [gain_text(g) for g in record.gain.values])
    axes.set(xlabel="gain (∞: hypercube)", ylabel="IPR", ylim=(0, 1.55), yticks=np.linspace(0, 1, 6))
    axes.legend(loc="upper left", ncols=2, fontsize=7)


def _pathway_panel(axes: Any, record: xr.Dataset) -> None:
    """The fields with and without a pathway that are most alike, since both may also end up at different places."""
    one = record.isel(gain=-1)
    products = (one.fields.sel(pathway="none") * one.fields.sel(pathway="trained")).sum("position")
    one = one.isel(seed=int(products.argmax("seed")))
    none, trained = one.sel(pathway="none"), one.sel(pathway="trained")
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.plot(none.position, 2 * none.fields, "-", color="black", linewidth=1.0, label="2w, predicted for the field")
    axes.plot(none.position, -none.fields, "--", color="black", linewidth=1.0, label="−w, predicted for v")
    axes.plot(none.position, trained.fields, "o", color=COLOURS[1], markersize=3.5, label="field beside a trained v")
    axes.plot(none.position, trained.linear, "s", color=COLOURS[0], markersize=3, label="trained pathway v")
    axes.set(xlabel="position (site)", ylabel="weight")
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.55 * (high - low))  # room for the legend
    axes.legend(loc="upper left", fontsize=7)


def _student_panel(axes: Any, record: xr.Dataset) -> None:
    at = np.arange(record.sizes["gain"])
    sizes = record.student.values
    for i, (kind, (marker, color)) in enumerate(TEACHERS.items()):
        for j, size in enumerate(sizes):
            off = 1 - record.match_cosine.sel(teacher=kind, student=size)
            middle = np.maximum(off.median(["seed", "taught_unit"]), FLOOR)
            shift = 0.1 * (i - 1) + 0.3 * (j - (len(sizes) - 1) / 2)
            face = color if j == 0 else "none"
            axes.semilogy(
                at + shift, middle, marker, color=color, markerfacecolor=face, label=f"{kind} teacher, student of {size} units"
            )
    axes.axhline(1 - SAME, color="0.6", linewidth=1.0, linestyle="--", zorder=0, label=f"the same: cosine above {SAME}")
    axes.axhline(FLOOR, color="0.6", linewidth=1.0, linestyle=":", zorder=0, label=f"{FLOOR:g} or less: rounding")
    axes.set_xticks(at, [gain_text(g) for g in record.gain.values])
    axes.set(xlabel="gain (∞: hypercube)", ylabel="1 − cosine, median")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=7)


def _student_fields(axes: Any, record: xr.Dataset) -> None:
    """One unit of each kind of teacher, and the student's."""
    first = record.isel(seed=0, taught_unit=0).sel(teacher=list(TEACHERS))
    students = first.student_fields.isel(student=0, gain=-1).transpose("teacher", "position")
    names = [f"{kind} teacher" for kind in TEACHERS]
    field_row(axes, students, names, "o", color=COLOURS[0], markersize=3)
    field_row(axes, first.teacher_fields.transpose("teacher", "position"), names, color="black", linewidth=1.2)
