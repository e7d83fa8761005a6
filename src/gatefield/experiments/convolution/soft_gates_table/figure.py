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
SOFT = (("0.4", "-"), ("0.55", "--"), ("0.7", ":"))
"""Grey and dash of the line of each eps; the marks have the colour and shape of their beta, full for the least eps."""
SHAPES = "os^vP*X<>hpd"
"""Of the marks, by steepness."""
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
    titles = (
        "best test accuracy of a run",
        f"the best epoch adds {_added(record)} points",
        f"{_leads(record, 'test')} on test images",
        f"{_leads(record, 'train')} on training images",
    )
    letter([panels[name] for name in ("table", "chosen", "test", "train")], titles)
    _say(figure, record)
    return figure


def _added(record: xr.Dataset) -> str:
    """From how much to how much, over networks."""
    gap = (best(record) - final(record)).mean("seed")
    return " to ".join(dict.fromkeys(f"{float(end):.1f}" for end in (gap.min(), gap.max())))


def _ends(record: xr.Dataset, images: str) -> tuple[np.ndarray, np.ndarray]:
    """Where the soft networks of the least eps end, from the flattest on, with the errors that their bands show."""
    rows = _groups(record)[0][2]
    last = 100 * record[f"{images}_accuracy"].sel(row=rows.row).isel(step=-1).transpose("row", "seed")
    if last.sizes["seed"] < 2:
        return last.values[:, 0], np.zeros(last.sizes["row"])
    means, errors = mean_and_error(last, "seed")
    return np.asarray(means), np.asarray(errors)


def _leads(record: xr.Dataset, images: str) -> str:
    """Whether the steepest gates end above the flattest ones, beyond their errors."""
    means, errors = _ends(record, images)
    off = means[-1] - means[0]
    return "steep gates lead" if off > errors[0] + errors[-1] else "steep gates do not lead"


def _overlapping(record: xr.Dataset) -> str:
    """Which neighbours among the steepest end within each other's bands on test images."""
    (means, errors), betas = _ends(record, "test"), _groups(record)[0][2].beta.values
    first = len(means) - 1
    while first and abs(means[first - 1] - means[first]) < errors[first - 1] + errors[first]:
        first -= 1
    return f", test bands overlap from β = {betas[first]:g} on" if first < len(means) - 1 else ""


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
        f"(c, d) ε = {_least_eps(record):g}{_overlapping(record)}",
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


def _groups(record: xr.Dataset) -> list[tuple[dict[str, Any], str, xr.Dataset]]:
    """Look, name and rows of each eps, then of each network without soft gates."""
    soft = record.isel(row=np.flatnonzero(record.gating.values == "soft-relu"))
    every = zip(np.unique(soft.eps.values), 9 * SOFT, strict=False)
    out: list[tuple[dict[str, Any], str, xr.Dataset]] = [
        ({"color": color, "linestyle": dash}, f"soft gates, ε = {eps:g}", soft.isel(row=np.flatnonzero(soft.eps.values == eps)))
        for eps, (color, dash) in every
    ]
    plain: dict[str, Any] = {"color": PLAIN_LOOK[0], "marker": PLAIN_LOOK[1], "linestyle": "none"}
    return out + [(plain, name, record.sel(row=[name])) for name in PLAIN if name in record.row.values]


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
    for own, _, rows in _groups(record):
        x = [at[str(name)] for name in rows.row.values]
        values = best(rows)
        spread = values.std("seed", ddof=1) if values.sizes["seed"] > 1 else None
        look: Any = {**own, "markersize": 4, "linewidth": 1.1, "elinewidth": 0.8, "capsize": 1.5}
        axes.errorbar(x, values.mean("seed"), spread, **look)
        _colour(axes, x, values.mean("seed"), record, rows)
        if beside:
            axes.plot(x, [100 * (paper(str(name)) or (0, np.nan))[1] for name in rows.row.values], **PAPER)
    _name_ends(axes, record)
    axes.set_ylabel("test accuracy (%)")
    _beta_axis(axes, record)


def _by_beta(record: xr.Dataset) -> dict[float, Any]:
    """The colour of each steepness: dark is flat."""
    every = np.unique(record.beta.values[record.gating.values == "soft-relu"])
    return dict(zip(every.tolist(), shades(len(every)), strict=True))


def _shapes(record: xr.Dataset) -> dict[float, str]:
    """The mark of each steepness."""
    return dict(zip(_by_beta(record), 9 * SHAPES, strict=False))


def _colour(axes: Any, x: Any, y: Any, record: xr.Dataset, rows: xr.Dataset) -> None:
    """Marks of soft gates in the colour and shape that their steepness has over epochs too."""
    if not (rows.gating.values == "soft-relu").all():
        return
    for place, height, beta, eps in zip(x, np.asarray(y), rows.beta.values, rows.eps.values, strict=True):
        color, marker = _by_beta(record)[float(beta)], _shapes(record)[float(beta)]
        face = color if eps == _least_eps(record) else "white"
        axes.plot(place, height, marker, color=color, markersize=5.5, markerfacecolor=face, zorder=4)


def _name_ends(axes: Any, record: xr.Dataset) -> None:
    """What the flattest and the steepest gates of the least eps reach, of which the headline tells."""
    _, _, rows = _groups(record)[0]
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
    for own, _, rows in _groups(record):
        x = [at[str(name)] for name in rows.row.values]
        axes.plot(x, _off(rows), **{**own, "linestyle": "none"}, markersize=4)
        _colour(axes, x, _off(rows), record, rows)
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
    for own, _, rows in _groups(record):
        gap = best(rows) - final(rows)
        x = [at[str(name)] for name in rows.row.values]
        spread = gap.std("seed", ddof=1) if gap.sizes["seed"] > 1 else None
        look: Any = {**own, "linestyle": "none", "markersize": 4, "elinewidth": 0.8, "capsize": 1.5}
        axes.errorbar(x, gap.mean("seed"), spread, **look)
        _colour(axes, x, gap.mean("seed"), record, rows)
    axes.set_ylabel("best less last (points)")
    _beta_axis(axes, record)


def _least_eps(record: xr.Dataset) -> float:
    return float(record.eps.values[record.gating.values == "soft-relu"].min())


def _shown(record: xr.Dataset) -> list[tuple[dict[str, Any], str, str]]:
    """Look, name and row of each curve over epochs: soft networks of the smallest eps by beta, then the others."""
    soft = record.isel(row=np.flatnonzero((record.gating.values == "soft-relu") & (record.eps.values == _least_eps(record))))
    colours, shapes = _by_beta(record), _shapes(record)
    out: list[tuple[dict[str, Any], str, str]] = [
        ({"color": colours[float(beta)], "marker": shapes[float(beta)], "markersize": 4}, f"β = {beta:g}", str(row))
        for row, beta in zip(soft.row.values, soft.beta.values, strict=True)
    ]
    return out + [({"color": "k", "linestyle": OVER[name]}, PLAIN[name], name) for name in PLAIN if name in record.row.values]


def _over_epochs(axes: Any, record: xr.Dataset, images: str) -> None:
    for look, _, row in _shown(record):
        one = 100 * record[f"{images}_accuracy"].sel(row=row).isel(step=slice(1, None))
        mean = one.mean("seed")
        axes.plot(one.epoch, mean, linewidth=1.3, markevery=max(1, one.sizes["step"] // 6), **look)
        if one.sizes["seed"] > 1:
            _, error = mean_and_error(one, "seed")
            axes.fill_between(one.epoch, mean - error, mean + error, color=look["color"], alpha=0.2, linewidth=0)
    axes.set(xlabel="epoch", ylabel=f"{'training' if images == 'train' else images} accuracy (%)")
    axes.xaxis.get_major_locator().set_params(integer=True)


def _marks(record: xr.Dataset, beside: bool) -> list[Line2D]:
    soft, several = (
        [(own, name) for own, name, _ in _groups(record) if name not in PLAIN],
        len(np.unique(record.eps.values)) > 1,
    )
    dots = [Line2D([], [], **own, label=name) for own, name in soft if several]
    if any(name in record.row.values for name in PLAIN):
        dots.append(
            Line2D([], [], color=PLAIN_LOOK[0], marker=PLAIN_LOOK[1], linestyle="none", markersize=4, label="no soft gates")
        )
    return dots + [Line2D([], [], **PAPER, label="the paper's")] * beside


def _lines(record: xr.Dataset) -> list[Line2D]:
    return [Line2D([], [], linewidth=1.3, **look, label=name) for look, name, _ in _shown(record)]
