"""The figure of `stability`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.gates.stability.verdicts import SAME
from gatefield.plot import dots_by_seed, gain_text, small_field

FLOOR = 1e-7
"""Smaller distances are rounding of float32, and are drawn here."""
STYLES = (":", "--", "-.", "-")
TEACHER_STYLES = {"localized": "o-", "oscillating": "s--", "random": "^:"}


def draw(record: xr.Dataset) -> Figure:
    """Pushes on top, the linear pathway in the middle, students at the bottom."""
    figure = Figure(figsize=(10.0, 10.4))
    rows = cast(Any, figure.subfigures(3, 1))
    left, right = rows[0].subplots(1, 2)
    _spectrum_panel(left, record)
    _push_panel(right, record)
    left, right = rows[1].subplots(1, 2)
    _ipr_panel(left, record)
    _pathway_panel(right, record)
    grid = rows[2].add_gridspec(1, 2)
    _student_panel(rows[2].add_subplot(grid[0, 0]), record)
    _student_fields(rows[2], grid[0, 1], record)
    return figure


def _spectrum_panel(axes: Any, record: xr.Dataset) -> None:
    for i, gain in enumerate(record.gain.values):
        values = record.eigenvalues.sel(gain=gain)
        axes.fill_between(record.mode, values.min("seed"), values.max("seed"), color=f"C{i}", alpha=0.25, linewidth=0)
        axes.plot(record.mode, values.median("seed"), color=f"C{i}", label=f"gain {gain_text(gain)}")
        axes.plot(record.mode, record.damping.sel(gain=gain), ":", color=f"C{i}", linewidth=1.2)
    axes.plot([], [], ":", color="0.4", linewidth=1.2, label=r"drift left out: $-(S_0+S_1)/4$")
    axes.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    axes.set(
        xlabel="mode, the slowest first",
        ylabel=r"eigenvalue ($1/\tau$)",
        title="(a) Jacobian at the end states (band: all seeds)",
    )
    axes.legend(loc="lower left")


def _push_panel(axes: Any, record: xr.Dataset) -> None:
    same = (record.return_cosine > SAME).mean("seed")
    foretold = record.foretold.mean("seed")
    for i, gain in enumerate(record.gain.values):
        one = same.sel(gain=gain)
        axes.semilogx(record["size"], one.sel(push="random"), "o-", color=f"C{i}", label=f"gain {gain_text(gain)}")
        axes.semilogx(record["size"], one.sel(push="other"), "s--", color=f"C{i}", markersize=4)
        axes.semilogx(record["size"], foretold.sel(gain=gain, push="random"), ":", color=f"C{i}", linewidth=1.2)
    for style, label in [("o-", "random push"), ("s--", "push towards far side"), (":", "random, by peak of $S_1w$")]:
        axes.semilogx([], [], style, color="0.4", markersize=4, label=label)
    ticks = record["size"].values
    axes.set_xticks(ticks, [f"{size:g}" for size in ticks])
    axes.set_xticks([], minor=True)
    axes.set(
        xlabel="size of the push, relative to the field",
        ylabel="share that return to their field",
        title=f"(b) after a push and more training: cosine > {SAME}",
        ylim=(-0.05, 1.5),
        yticks=np.linspace(0, 1, 6),
    )
    axes.legend(loc="upper center", ncols=2)


def _ipr_panel(axes: Any, record: xr.Dataset) -> None:
    at = np.arange(record.sizes["gain"])
    for i, pathway in enumerate(["none", "trained"]):
        values = record.ipr.sel(pathway=pathway)
        dots_by_seed(axes, at, values, "gain", f"C{i}")
        axes.plot(at, values.median("seed"), "-", color=f"C{i}", label=f"pathway: {pathway}")
    for style, pathway in zip(STYLES, record.pathway.values[2:], strict=False):
        values = record.sum_ipr.sel(pathway=pathway)
        axes.plot(at, values.median("seed"), style, color="C2", label=f"{pathway}: w + v")
    axes.axhline(1 / record.sizes["position"], color="0.4", linewidth=1.0, linestyle=":", label="flat field, 1/n")
    axes.set_xticks(at, [gain_text(g) for g in record.gain.values])
    axes.set(
        xlabel="gain (∞: hypercube)",
        ylabel="IPR (dots: seeds, line: median)",
        ylim=(0, 1.4),
        yticks=np.linspace(0, 1, 6),
        title="(c) localization beside a linear pathway",
    )
    axes.legend(loc="upper center", ncols=2)


def _pathway_panel(axes: Any, record: xr.Dataset) -> None:
    """The fields with and without a pathway that are most alike, since both may also end up at different places."""
    one = record.isel(gain=-1)
    products = (one.fields.sel(pathway="none") * one.fields.sel(pathway="trained")).sum("position")
    one = one.isel(seed=int(products.argmax("seed")))
    none, trained = one.sel(pathway="none"), one.sel(pathway="trained")
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.plot(none.position, none.fields, "-", color="C0", label="field, no pathway: w")
    axes.plot(none.position, trained.fields, "-", color="C1", label="field beside a trained one")
    axes.plot(none.position, 2 * none.fields, "k:", linewidth=1.2, label="theory: 2w")
    axes.plot(none.position, trained.linear, "--", color="C3", label="trained pathway v")
    axes.plot(none.position, -none.fields, "k-.", linewidth=0.9, label="theory: -w")
    axes.set(
        xlabel="position (site)", ylabel="weight", title=f"(d) a seed with the same place, gain {gain_text(float(one.gain))}"
    )
    axes.legend(loc="best")


def _student_panel(axes: Any, record: xr.Dataset) -> None:
    at = np.arange(record.sizes["gain"])
    sizes = record.student.values
    for i, (kind, style) in enumerate(TEACHER_STYLES.items()):
        for j, size in enumerate(sizes):
            off = 1 - record.match_cosine.sel(teacher=kind, student=size)
            middle = np.maximum(off.median(["seed", "taught_unit"]), FLOOR)
            shift = 0.08 * (j - (len(sizes) - 1) / 2)
            shade = {"color": f"C{i}", "alpha": 1.0 if j == 0 else 0.5}
            axes.semilogy(at + shift, middle, style, label=f"{kind}, {size} units", **shade)
    axes.axhline(1 - SAME, color="0.6", linewidth=0.8, zorder=0, label=f"the same: cosine above {SAME}")
    axes.set_xticks(at, [gain_text(g) for g in record.gain.values])
    axes.set(
        xlabel="gain (∞: hypercube)",
        ylabel=f"1 - cosine, median (at least {FLOOR:g})",
        title="(e) students' distance from their teachers",
    )
    axes.legend(loc="best", ncols=2)


def _student_fields(figure: Any, place: Any, record: xr.Dataset) -> None:
    """One unit of each kind of teacher, over the student's."""
    inner = place.subgridspec(3, 1)
    for i, kind in enumerate(TEACHER_STYLES):
        axes = figure.add_subplot(inner[i, 0])
        one = record.sel(teacher=kind).isel(seed=0, taught_unit=0)
        small_field(axes, one.student_fields.isel(student=0, gain=-1), "o", color=f"C{i}", markersize=4, label="student")
        small_field(axes, one.teacher_fields, "-", color="0.25", linewidth=1.2, label="teacher")
        axes.set_ylabel(kind, fontsize="small")
        if i < 2:
            axes.set_xticklabels([])
        else:
            axes.set_xlabel("position (site)")
        if i == 0:
            axes.set_title(f"(f) one field each, gain {gain_text(float(record.gain[-1]))}, scaled to its maximum")
            axes.legend(loc="lower right", ncols=2)
