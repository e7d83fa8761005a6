"""The figure of `all-gates`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.experiments.gates.all_gates.verdicts import GOES_WITH
from gatefield.plot import COLOURS, PRINTED, WIDTH, legend_below, letter, say_setting
from gatefield.theory.hypercube import corners

FAMILIES = {
    "half_spaces": ("s", "C1", 0.2, "half-spaces"),
    "tiling": ("^", "C4", -0.2, "gates that tile"),
    "exclusive": ("v", "C0", 0.0, "exclusive gates"),
    "best": ("*", "k", 0.0, "all gates"),
}
"""Marker, colour, shift along the row and words of each family of gates; the best of all is drawn last."""
KINDS = "tile: one gate open for each input; exclusive: at most one"
CLOUDS = {"entries": "off the diagonal", "blocks": "between gates"}
PROVEN = 1e-9
"""A search came to its end if nothing can explain more than this beyond the best it found."""
STOPPED: Any = {"marker": "*", "color": "k", "markerfacecolor": "none", "markersize": 9, "linestyle": "none"}
SHARE = "explained (% of the Bayes bound)"


def draw(record: xr.Dataset) -> Figure:
    """What the best of each family explain; how little that has to do with A^+; and the best gates themselves."""
    units = record.units.values.tolist()
    rows = record.sizes["pair"] * record.sizes["size"]
    top = 1.0 + 0.17 * rows
    figure = Figure(figsize=(WIDTH, top + 3.2))
    blocks = cast(Any, figure.subfigures(2, 1, height_ratios=[top, 2.6]))
    first = blocks[0].subplots(1, len(units), sharey=True, squeeze=False)[0]
    for axes, K in zip(first, units, strict=True):
        _family_panel(axes, record.sel(units=K))
    handles, labels = first[-1].get_legend_handles_labels()
    if bool((record.upper - record.best > PROVEN).any()):
        handles, labels = [*handles, Line2D([], [], **STOPPED)], [*labels, "search stopped"]
    blocks[0].legend(handles, labels, loc="outside lower center", ncols=6, fontsize=7, columnspacing=1.0, handletextpad=0.3)
    K = max(_few(units))
    cloud, gates = blocks[1].subplots(1, 2, width_ratios=[1.0, 1.6])
    one, at = _listed(record, K), record.isel(pair=0, size=0).sel(units=K)
    _cloud_panel(cloud, one, "entries")
    cloud.set_ylabel("explained (% of bound)")
    _gates_panel(gates, at)
    legend_below(blocks[1], cloud, loc="outside lower left", handletextpad=0.2)
    titles = [_loses(record.sel(units=K)) for K in units] + [_diagonal_title(one), _open_title(at)]
    letter([*first, cloud, gates], titles)
    sizes = dict.fromkeys((int(one["size"]), int(at["size"])))
    _say(
        figure,
        record,
        f"(c, d): n = {' and '.join(map(str, sizes))}, ξ = {at.pair.item()}".replace(" = ", "\u00a0=\u00a0"),
        KINDS,
    )
    return figure


def draw_more(record: xr.Dataset) -> Figure:
    """What sets of gates explain against how diagonal A^+ is: one law of one gate and of two, and the ranks of all laws."""
    few = _few(record.units.values.tolist())
    shown = [(K, "entries" if K == 1 else "blocks") for K in few]
    figure = Figure(figsize=(WIDTH, 3.6))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    *clouds, ranks = body.subplots(1, len(shown) + 1, squeeze=False)[0]
    titles = [_cloud_panel(axes, _listed(record, K), part) for axes, (K, part) in zip(clouds, shown, strict=True)]
    clouds[0].set_ylabel("explained (% of bound)")
    _ranks_panel(ranks, record, few)
    for axes in clouds[1:]:
        axes.tick_params(labelleft=False)
    legend_below(body, clouds[0], loc="outside lower left", handletextpad=0.2)
    letter([*clouds, ranks], [*titles, _ranks_title(record, few)])
    shown_sizes = (f"({'ab'[at]}): n = {int(_listed(record, K)['size'])}" for at, K in enumerate(few))
    _say(figure, record, *shown_sizes, f"ξ = {record.pair.values[0]}", "in brackets: rank correlations")
    return figure


def _say(figure: Figure, record: xr.Dataset, *words: str) -> None:
    law = "exact laws of signs of Gaussian fields on a ring of n sites, ξ: length scales of the positive and the negative class"
    say_setting(
        figure,
        law,
        "A⁺: precision matrix of the gated inputs",
        f"up to {int(record.listed.max()):,} sets of gates compared",
        *words,
    )


def _few(units: list[int]) -> list[int]:
    """The numbers of gates whose sets are shown one by one."""
    return [K for K in units if K <= 2] or units[:1]


def _diagonal_title(one: xr.Dataset) -> str:
    """Whether the set with the most diagonal precision matrix explains the most."""
    K, scale = _gates(int(one.units)), 100 / float(one.bayes)
    least, best = scale * float(one.least_entries_explained), scale * float(one.best)
    if not np.isfinite(least):
        return f"{K}: diagonal or not"
    found = "is the best" if best - least < PROVEN * scale else f"is not the best ({least:.3g} and {best:.3g} %)"
    return f"{K}: the most diagonal set\n{found}"


def _loss(one: xr.Dataset, family: str) -> xr.DataArray:
    """Which part of what the best gates explain the best of a family do not; 0 where its search was stopped."""
    return (1 - one[family] / one.best).where(one.upper - one.best <= PROVEN, 0.0).fillna(0.0)


def _loses(one: xr.Dataset) -> str:
    """By how much the title's families fall short of all gates, at most."""
    K = int(one.units)
    family, words = ("half_spaces", "half-spaces lose") if K == 1 else ("tiling", "tilings lose")
    return f"{_gates(K)}: {words} up to {100 * float(_loss(one, family).max()):.2g} %"


def _open_title(one: xr.Dataset) -> str:
    """For how many inputs more than one of the best gates is open."""
    K, count = int(one.units), int((_opened(one).sum(1) > 1).sum())
    return f"best {_gates(K)}: both open for {count} of {2 ** int(one['size'])} inputs" if K == 2 else "where the best are open"


def _opened(one: xr.Dataset) -> np.ndarray:
    """Which of the best gates are open at each corner."""
    return one.best_gates.values[: 2 ** int(one["size"]), : int(one.units)] > 0


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _family_panel(axes: Any, one: xr.Dataset) -> None:
    """What the best of each family explain, one row for each law; a hollow star where the search was stopped."""
    cells = [(pair, n) for pair in one.pair.values for n in one["size"].values]
    for name, (mark, color, shift, words) in FAMILIES.items():
        if int(one.units) == 1 and name in ("tiling", "exclusive"):  # of one gate these say nothing
            continue
        for row, (pair, n) in enumerate(cells):
            at = one.sel(pair=pair, size=n)
            face = "none" if name == "best" and float(at.upper - at.best) > PROVEN else color
            share, size = 100 * float(at[name] / at.bayes), 9 if name == "best" else 4.5
            label = f"best of {words}" if row == 0 else None
            axes.plot(share, row + shift, mark, color=color, markerfacecolor=face, markersize=size, label=label)
        if name in ("tiling", "half_spaces"):
            _mark_loss(axes, one, name, cells)
    top = 50.0 if int(one.units) == 1 else 100.0
    axes.axvline(top, color="0.4", linestyle=":", linewidth=1.2, zorder=0, label="bound")
    axes.set_yticks(range(len(cells)), [f"ξ = {pair}; n = {n}" for pair, n in cells], fontsize=7)
    axes.set_ylim(len(cells) - 0.5, -0.5)
    axes.grid(axis="y", color="0.92", linewidth=0.8)
    axes.set(xlabel=SHARE)


def _mark_loss(axes: Any, one: xr.Dataset, name: str, cells: list[tuple[Any, Any]]) -> None:
    """A line from the best of a family to the best of all, with the number beyond the bound where it is longest."""
    lost = [float(_loss(one, name).sel(pair=pair, size=n)) for pair, n in cells]
    shift, color = FAMILIES[name][2], FAMILIES[name][1]
    for row, (pair, n) in enumerate(cells):
        low, high = (
            100 * float(one[which].sel(pair=pair, size=n) / one.bayes.sel(pair=pair, size=n)) for which in (name, "best")
        )
        axes.plot([low, high], [row + shift] * 2, "-", color=color, linewidth=0.9, alpha=0.6, zorder=1)
        if lost[row] > 0 and row == int(np.argmax(lost)):
            words = f"−{100 * lost[row]:.2g} %"
            look: Any = {
                "xytext": (7, 0),
                "textcoords": "offset points",
                "va": "center",
                "color": color,
                "annotation_clip": False,
            }
            axes.annotate(words, (50.0 if int(one.units) == 1 else 100.0, row + shift), fontsize=7.5, fontweight="bold", **look)


def _ranks_title(record: xr.Dataset, few: list[int]) -> str:
    """In how many laws the rank correlation is as low as was guessed."""
    parts = [(K, part) for K in few for part in CLOUDS if K > 1 or part == "entries"]
    values = np.concatenate([record[f"rank_{part}"].sel(units=K).values.ravel() for K, part in parts])
    values = values[np.isfinite(values)]
    return f"as guessed in {int((values < GOES_WITH).sum())} of {values.size}\n(a dot for each law)"


def _ranks_panel(axes: Any, record: xr.Dataset, few: list[int]) -> None:
    """Rank correlation of what sets explain with what is off the diagonal, a dot for each law; the guess says it is low."""
    rows = [(K, part) for K in few for part in CLOUDS if K > 1 or part == "entries"]
    for row, (K, part) in enumerate(rows):
        values = record[f"rank_{part}"].sel(units=K).values.ravel()
        shifts = np.linspace(-0.25, 0.25, len(values)) if len(values) > 1 else np.zeros(1)
        axes.plot(values, row + shifts, "o", color=COLOURS[0], markersize=3.5)
    axes.axvspan(-1, GOES_WITH, color=PRINTED["color"], alpha=0.15, linewidth=0, zorder=0)
    axes.axvline(GOES_WITH, **PRINTED, linewidth=1.2)
    where = (-1 + GOES_WITH) / 2
    axes.text(
        where,
        (len(rows) - 1) / 2,
        f"guessed: below {GOES_WITH:g}".replace("-", "−"),
        fontsize=8,
        rotation=90,
        ha="center",
        va="center",
    )
    axes.axvline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.set_xticks([-1, -0.5, 0, 0.5])
    axes.set_yticks(range(len(rows)), [f"{_gates(K)},\n{CLOUDS[part]}" for K, part in rows], fontsize=8)
    axes.set(xlabel="rank correlation", xlim=(-1, 0.7), ylim=(len(rows) - 0.5, -0.5))


def _gates(K: int) -> str:
    return ("one gate", "two gates", "three gates")[K - 1]


def _listed(record: xr.Dataset, K: int) -> xr.Dataset:
    """The first law on the largest cube whose gates are all listed, or on the smallest."""
    one = record.isel(pair=0).sel(units=K)
    return one.isel(size=max(np.flatnonzero(one.every.values > 0), default=0))


def _cloud_panel(axes: Any, one: xr.Dataset, part: str) -> str:
    """What sets of gates explain against how much of A^+ is off its diagonal; the best set, and the most diagonal."""
    scale, shares = 100 / float(one.bayes), one[f"shown_{part}"]
    dots: Any = {"color": "0.7", "markersize": 2, "alpha": 0.5, "rasterized": True, "label": "a set"}
    axes.plot(shares, scale * one.shown_explained, ".", **dots)
    axes.plot(
        *_means(shares.values, scale * one.shown_explained.values),
        "o",
        color=COLOURS[0],
        markersize=4.5,
        label="mean of a tenth of them",
    )
    least = float(one[f"least_{part}"]), scale * float(one[f"least_{part}_explained"])
    best = float(one[f"own_{part}"]), scale * float(one.best)
    axes.plot(*least, "D", color="C1", markersize=5, label="most diagonal")
    axes.plot(*best, "*", color="k", markersize=10, label="best")
    axes.set(xlabel=f"share of $A^+$ {CLOUDS[part]}", xlim=(-0.04, 1.0))
    axes.set(ylim=(-3, 106), yticks=range(0, 101, 25))
    rank = float(one[f"rank_{part}"])
    found = "more diagonal\nexplains more" if rank < GOES_WITH else "diagonal or\nnot is no matter"
    return f"{_gates(int(one.units))}: {found} ({_signed(rank)})"


def _means(shares: np.ndarray, explained: np.ndarray) -> tuple[np.ndarray, ...]:
    """Where each tenth of the sets is, from the most diagonal ones on, and what its sets explain on average."""
    kept = np.isfinite(shares) & np.isfinite(explained)
    order = np.argsort(shares[kept], kind="stable")
    parts = [part for part in np.array_split(order, 10) if len(part)]
    return tuple(np.array([values[kept][part].mean() for part in parts]) for values in (shares, explained))


def _gates_panel(axes: Any, one: xr.Dataset) -> None:
    """The best gates, corner by corner, the mean label falling to the right."""
    n, K = int(one["size"]), int(one.units)
    order = np.argsort(-one.means.values[: 2**n], kind="stable")
    points, gates = corners(n)[order], _opened(one)[order]
    for column in np.flatnonzero(gates.sum(1) > 1):
        axes.axvspan(column - 0.45, column + 0.45, color="0.92", linewidth=0, zorder=0)
    for column, (point, opened, mean) in enumerate(zip(points, gates, one.means.values[order], strict=True)):
        for site, sign in enumerate(point):
            axes.plot(column, site, "o", color="0.3", markerfacecolor="0.3" if sign > 0 else "none", markersize=5)
        for k in np.flatnonzero(opened):
            axes.plot(column, n + 0.5 + k, "s", color=COLOURS[(0, 4, 2)[k % 3]], markersize=8)
        axes.text(column, n + K + 0.6, f"{mean:.2f}", ha="center", va="center", fontsize=7)
    places = [(n - 1) / 2, *(n + 0.5 + k for k in range(K)), n + K + 0.6]
    axes.set_yticks(places, ["input: ● +1, ○ −1", *(f"gate {k + 1} open" for k in range(K)), "mean label E[y|x]"])
    axes.set(ylim=(n + K + 1.1, -0.6), xlim=(-0.6, 2**n - 0.4), xticks=[])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
