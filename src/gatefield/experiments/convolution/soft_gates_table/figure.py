"""The figure of `soft-gates-table`."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.core.intervals import mean_and_error
from gatefield.experiments.convolution.colour_images import unlike_the_paper
from gatefield.experiments.convolution.soft_gates_table.rows import PLAIN, best, final, paper
from gatefield.experiments.convolution.soft_gates_table.verdicts import EPOCHS, LIKE, WITHIN
from gatefield.plot import WIDTH, letter, say_setting, shades

BESIDE = 0.12
"""How far marks of different eps stand apart, in doublings of beta."""
APART = 1.3
"""How far networks without soft gates stand from the others: deep linear before them, ReLU behind."""
ROOM = 0.45
"""Doublings of beta between names on the axis."""
SOFT = (("0.4", "o"), ("0.55", "s"), ("0.7", "^"))
"""Grey of the line and marker of each eps; the marks themselves have the colour of their beta."""
PLAIN_LOOK = ("0.35", "D")
OVER = {"linear": "--", "relu": ":"}
"""Lines over epochs of networks without soft gates."""
PAPER: dict[str, Any] = {"marker": "x", "color": "k", "linestyle": "none", "markersize": 4, "zorder": 5}


def draw(record: xr.Dataset) -> Figure:
    """Best and final test accuracy against beta, beside the paper's at its size; then accuracies over epochs."""
    beside = not unlike_the_paper(record, EPOCHS)
    figure = Figure(figsize=(WIDTH, 6.6 if beside else 5.6))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    rows = [["table", "chosen"], *[["paper", "chosen"]] * beside, ["test", "train"]]
    panels = body.subplot_mosaic(rows, height_ratios=[1.4, 0.7, 1.5] if beside else [1.4, 1.5])
    _against_beta(panels["table"], record, beside)
    if beside:
        _less_the_paper(panels["paper"], record)
        panels["table"].set(xlabel="", xticklabels=[])
    _chosen(panels["chosen"], record)
    _over_epochs(panels["test"], record, "test")
    _over_epochs(panels["train"], record, "train")
    body.legend(handles=[*_marks(record, beside), *_lines(record)], loc="outside lower center", ncols=4, fontsize=7.5)
    eps = f"ε = {_least_eps(record):g}"
    titles = (
        "best test accuracy of a run",
        "what choosing the best epoch adds",
        f"test images, {eps}",
        f"training images, {eps}",
    )
    letter([panels[name] for name in ("table", "chosen", "test", "train")], titles)
    _say(figure, record)
    return figure


def _say(figure: Figure, record: xr.Dataset) -> None:
    a = record.attrs
    say_setting(
        figure,
        f"{a['samples']:,} images",
        f"channels {', '.join(map(str, a['channels']))}",
        f"{a['epochs']} epochs",
        f"{record.sizes['seed']} seeds",
        "bars: standard deviation, bands: standard error",
        f"(b) dotted: {LIKE:g} point",
        "gate: (1 + ε) sigmoid(βq) of the pre-activation q, so that ε is how far it can exceed 1",
    )


def places(record: xr.Dataset) -> dict[str, float]:
    """Where each network stands: doublings of beta, with room around those without soft gates."""
    soft = record.gating.values == "soft-relu"
    every = np.unique(record.eps.values[soft])
    at = np.log2(record.beta.values[soft])
    ends = {"linear": at.min() - APART, "relu": at.max() + APART}
    aside = {eps: BESIDE * (i - (len(every) - 1) / 2) for i, eps in enumerate(every)}
    found = zip(record.row.values, record.beta.values, record.eps.values, strict=True)
    return {str(name): ends[name] if name in PLAIN else float(np.log2(beta)) + aside[eps] for name, beta, eps in found}


def _groups(record: xr.Dataset) -> list[tuple[str, str, str, xr.Dataset]]:
    """Colour, marker, name and rows of each eps, then of each network without soft gates."""
    soft = record.isel(row=np.flatnonzero(record.gating.values == "soft-relu"))
    every = zip(np.unique(soft.eps.values), 9 * SOFT, strict=False)
    out = [(*look, f"soft gates, ε = {eps:g}", soft.isel(row=np.flatnonzero(soft.eps.values == eps))) for eps, look in every]
    return out + [(*PLAIN_LOOK, name, record.sel(row=[name])) for name in PLAIN if name in record.row.values]


def _beta_axis(axes: Any, record: xr.Dataset) -> None:
    at = places(record)
    soft = np.unique(record.beta.values[record.gating.values == "soft-relu"])
    ticks, last = {}, np.inf
    for beta in soft[::-1]:  # from the steepest on, as many names as there is room for
        ticks[float(np.log2(beta))] = f"{beta:g}" if last - np.log2(beta) > ROOM else ""
        last = np.log2(beta) if last - np.log2(beta) > ROOM else last
    ticks |= {at[name]: {"linear": "linear", "relu": "ReLU"}[name] for name in PLAIN if name in at}
    axes.set_xticks(list(ticks), list(ticks.values()), fontsize=7)
    axes.set_xlabel("steepness β of the gates")


def _against_beta(axes: Any, record: xr.Dataset, beside: bool) -> None:
    at = places(record)
    for color, marker, _, rows in _groups(record):
        x = [at[str(name)] for name in rows.row.values]
        values = best(rows)
        spread = values.std("seed", ddof=1) if values.sizes["seed"] > 1 else None
        look: Any = {"color": color, "markersize": 4, "linewidth": 1.1, "elinewidth": 0.8, "capsize": 1.5}
        axes.errorbar(x, values.mean("seed"), spread, fmt=f"{marker}-", **look)
        _colour(axes, x, values.mean("seed"), record, rows, marker)
        if beside:
            axes.plot(x, [100 * (paper(str(name)) or (0, np.nan))[1] for name in rows.row.values], **PAPER)
    _name_ends(axes, record)
    axes.set_ylabel("test accuracy (%)")
    _beta_axis(axes, record)


def _by_beta(record: xr.Dataset) -> dict[float, Any]:
    """The colour of each steepness: dark is flat."""
    every = np.unique(record.beta.values[record.gating.values == "soft-relu"])
    return dict(zip(every.tolist(), shades(len(every)), strict=True))


def _colour(axes: Any, x: Any, y: Any, record: xr.Dataset, rows: xr.Dataset, marker: str) -> None:
    """Marks of soft gates in the colour that their steepness has over epochs too."""
    if (rows.gating.values == "soft-relu").all():
        colours = [_by_beta(record)[float(beta)] for beta in rows.beta.values]
        axes.scatter(x, y, s=34, c=colours, marker=marker, edgecolors="0.3", linewidths=0.6, zorder=4)


def _name_ends(axes: Any, record: xr.Dataset) -> None:
    """What the flattest and the steepest gates of the least eps reach, of which the headline tells."""
    _, _, _, rows = _groups(record)[0]
    at, reached = places(record), best(rows).mean("seed")
    look: Any = {
        "textcoords": "offset points",
        "fontsize": 8.5,
        "color": "0.2",
        "fontweight": "bold",
    }
    for row, away, side, edge in (
        (rows.row.values[0], (9, -2), "left", "top"),
        (rows.row.values[-1], (-6, -8), "right", "top"),
    ):
        value = float(reached.sel(row=row))
        axes.annotate(f"{value:.0f} %", (at[str(row)], value), away, ha=side, va=edge, **look)


def _less_the_paper(axes: Any, record: xr.Dataset) -> None:
    at = places(record)
    axes.axhspan(-WITHIN, WITHIN, color="0.92", zorder=0)
    axes.axhline(0.0, color="k", linewidth=0.8, zorder=1)
    for color, marker, _, rows in _groups(record):
        x = [at[str(name)] for name in rows.row.values]
        axes.plot(x, _off(rows), marker, color=color, markersize=4)
        _colour(axes, x, _off(rows), record, rows, marker)
    axes.set_ylabel("less the\npaper's")
    _beta_axis(axes, record)


def _off(rows: xr.Dataset) -> list[float]:
    printed = [(paper(str(name)) or (0, np.nan))[1] for name in rows.row.values]
    return [float(best(rows).sel(row=name).mean()) - 100 * known for name, known in zip(rows.row.values, printed, strict=True)]


def _chosen(axes: Any, record: xr.Dataset) -> None:
    """By how much the best epoch of a run, chosen on the test set, is above the last."""
    at = places(record)
    axes.axhline(LIKE, color="0.5", linestyle=":", linewidth=1.0, zorder=0)
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    for color, marker, _, rows in _groups(record):
        gap = best(rows) - final(rows)
        x = [at[str(name)] for name in rows.row.values]
        spread = gap.std("seed", ddof=1) if gap.sizes["seed"] > 1 else None
        look: Any = {"color": color, "markersize": 4, "elinewidth": 0.8, "capsize": 1.5}
        axes.errorbar(x, gap.mean("seed"), spread, fmt=marker, **look)
        _colour(axes, x, gap.mean("seed"), record, rows, marker)
    axes.set_ylabel("best less last (points)")
    _beta_axis(axes, record)


def _least_eps(record: xr.Dataset) -> float:
    return float(record.eps.values[record.gating.values == "soft-relu"].min())


def _shown(record: xr.Dataset) -> list[tuple[dict[str, Any], str, str]]:
    """Look, name and row of each curve over epochs: soft networks of the smallest eps by beta, then the others."""
    soft = record.isel(row=np.flatnonzero((record.gating.values == "soft-relu") & (record.eps.values == _least_eps(record))))
    colours = _by_beta(record)
    betas = [(colours[float(beta)], row, beta) for row, beta in zip(soft.row.values, soft.beta.values, strict=True)]
    out: list[tuple[dict[str, Any], str, str]] = [({"color": color}, f"β = {beta:g}", str(row)) for color, row, beta in betas]
    return out + [({"color": "k", "linestyle": OVER[name]}, PLAIN[name], name) for name in PLAIN if name in record.row.values]


def _over_epochs(axes: Any, record: xr.Dataset, images: str) -> None:
    for look, _, row in _shown(record):
        one = 100 * record[f"{images}_accuracy"].sel(row=row).isel(step=slice(1, None))
        mean = one.mean("seed")
        axes.plot(one.epoch, mean, linewidth=1.3, **look)
        if one.sizes["seed"] > 1:
            _, error = mean_and_error(one, "seed")
            axes.fill_between(one.epoch, mean - error, mean + error, color=look["color"], alpha=0.2, linewidth=0)
    axes.set(xlabel="epoch", ylabel=f"{'training' if images == 'train' else images} accuracy (%)")
    axes.xaxis.get_major_locator().set_params(integer=True)


def _marks(record: xr.Dataset, beside: bool) -> list[Line2D]:
    named = [(color, marker, name) for color, marker, name, _ in _groups(record) if name not in PLAIN]
    plain = [(*PLAIN_LOOK, "no soft gates")] * any(name in record.row.values for name in PLAIN)
    dots = [Line2D([], [], color=c, marker=m, linestyle="none", markersize=4, label=name) for c, m, name in (*named, *plain)]
    return dots + [Line2D([], [], **PAPER, label="the paper's")] * beside


def _lines(record: xr.Dataset) -> list[Line2D]:
    return [Line2D([], [], linewidth=1.3, **look, label=name) for look, name, _ in _shown(record)]
