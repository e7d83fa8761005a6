"""The figure of `margins`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy.stats import kstest

from gatefield.experiments.cube import fields as cube
from gatefield.experiments.cube.margins.verdicts import decisive, truncation_chance
from gatefield.plot import THEORY, WIDTH, legend_below, letter, say_setting

KINDS = (("head", "C0", "o", "every corner"), (0, "C1", "s", "99 % of inputs"), (1, "C2", "^", "95 % of inputs"))
NEAR = 0.25
"""A law holds if no mean is further from it, as a part of it."""
CHANCE = 0.001
"""How rarely a law may be told to be wrong though it is right."""
FLOOR = 1e-5
"""The least error that is drawn."""


def draw(record: xr.Dataset) -> Figure:
    figure = Figure(figsize=(WIDTH, 7.9))
    top, middle, bottom = cast(Any, figure.subfigures(3, 1, height_ratios=[1.3, 1.05, 1.2]))
    heads = top.subplots()
    _head_panel(heads, record)
    legend_below(top, heads)
    curves, beside = middle.subplots(1, 2, width_ratios=[2.0, 1.0])
    names = _curve_panel(curves, record)
    beside.axis("off")
    beside.legend(handles=names, loc="center left", title="fields in (b)", alignment="left")
    parts = bottom.subfigures(1, 3)
    below = [part.subplots() for part in parts]
    for part, axes, draw_panel in zip(parts, below, (_law_panel, _shape_panel, _cut_panel), strict=True):
        draw_panel(axes, record)
        legend_below(part, axes)
    panels = [heads, curves, *below]
    titles = (
        _decide_words(record),
        "how often the k largest weights alone err; families left out never do",
        *_margin_words(record),
    )
    letter(panels, titles)
    _say(figure, record)
    return figure


def _decide_words(record: xr.Dataset) -> str:
    """How many weights decide the gates of trained neurons for nearly all inputs."""
    long, short = (f"{decisive(cube.family(record, cube.TRAINED[order]), 0):g}" for order in ("long", "short"))
    return f"weights that decide 99 % of inputs once trained: {long} (longer range positive), {short} (shorter)"


def _margin_words(record: xr.Dataset) -> list[str]:
    """How margins of random weights shrink, how they are distributed, and how often a weight can be spared."""
    sizes, mean = record["size"].values, record.random_margin.mean("draw").values
    near = bool((abs(mean / _law(sizes) - 1) < NEAR)[len(sizes) // 2 :].all())  # the law is of many weights
    spare = _spared(record)
    n = f"n = {sizes[-1]}"
    return [
        "margin δ, least |±w₁ ± w₂ ± …|,\nshrinks as $\\sqrt{n}\\,2^{-n}$"
        if near
        else f"margin δ, least |±w₁ ± w₂ ± …|,\nshrinks {mean[0] / mean[-1]:,.0f}-fold",
        f"δ is exponential\nat {n}" if _exponential(record) else f"δ is not quite\nexponential at {n}",
        f"a weight to spare:\n{100 * spare[0]:.0f} % (n = {sizes[0]}), {100 * spare[-1]:.0f} % ({sizes[-1]})",
    ]


def _law(sizes: np.ndarray) -> np.ndarray:
    """The mean margin of so many weights."""
    return np.sqrt(2 * np.pi * sizes) / 2.0**sizes


def _spared(record: xr.Dataset) -> np.ndarray:
    """The share of draws of which one weight or more decide nothing."""
    return (record.random_head < record["size"]).mean("draw").values


def _exponential(record: xr.Dataset) -> bool:
    """Whether the margins of the largest size are told from an exponential law, by the test of Kolmogorov and Smirnov."""
    return float(kstest(record.scaled_margin.isel(size=-1).values, "expon").pvalue) > CHANCE


def _say(figure: Figure, record: xr.Dataset) -> None:
    scales = record.attrs.get("length_scales", [])
    seeds = cube.family(record, cube.TRAINED["long"]).sizes["field"]
    say_setting(
        figure,
        f"n = {record.sizes['position']}",
        "length scales {:g} and {:g}, longer range positive, or the other way round".format(*scales) if len(scales) else "",
        f"trained for {cube.trained_for(record)}",
        f"{seeds} seeds",
        "averaged: mean over the second half of training",
        "falling by r: sizes 1, r, r², …",
        f"(b) lines stop where fewer than 1 in {1 / FLOOR:,.0f} err",
        f"(c-e): {record.sizes['draw']} draws of N(0, 1) weights at each n",
        "band: 5 to 95 % of draws",
    )


def _law_panel(axes: Any, record: xr.Dataset) -> None:
    sizes = record["size"].values
    low, high = record.random_margin.quantile([0.05, 0.95], "draw").values
    axes.fill_between(sizes, low, high, color="C0", alpha=0.2, linewidth=0)
    axes.semilogy(sizes, record.random_margin.mean("draw"), "o", color="C0", markersize=4, label="mean")
    axes.plot(sizes, _law(sizes), **THEORY, label=r"$\sqrt{2\pi n}\,/\,2^n$", zorder=1)
    axes.set(xlabel="number of weights n", ylabel=r"margin $\delta$")
    axes.set_xticks(sizes[::2])


def _shape_panel(axes: Any, record: xr.Dataset) -> None:
    values = np.sort(record.scaled_margin.isel(size=-1).values)
    t = np.linspace(0, max(4.0, values[-1]), 100)
    share = 1 - np.arange(1, len(values) + 1) / (len(values) + 1)
    axes.plot(values, share, "o", color="C0", markersize=2.5, markeredgewidth=0, label="draws")
    axes.semilogy(t, np.exp(-t), **THEORY, linewidth=1.0, label=r"$e^{-t}$")
    axes.set(xlabel=r"$t = \delta\,2^n/(\sqrt{2\pi}\,|w|)$", ylabel="share above t", ylim=(0.5 / len(values), 1.3))


def _cut_panel(axes: Any, record: xr.Dataset) -> None:
    sizes, draws = record["size"].values, record.sizes["draw"]
    share = _spared(record)
    error = np.sqrt(np.maximum(share * (1 - share), 1 / draws) / draws)
    axes.errorbar(sizes, share, error, fmt="none", color="C0")
    axes.plot(sizes, share, "o", color="C0", markersize=4, label="draws")
    fine = np.linspace(sizes[0], sizes[-1], 100)
    axes.plot(fine, truncation_chance(fine), **THEORY, zorder=1, label="order $2^{-n}$")
    axes.set(xlabel="number of weights n", ylabel="share of draws", ylim=(-0.02, None))
    axes.set_xticks(sizes[::2])


def _head_panel(axes: Any, record: xr.Dataset) -> None:
    names, n = trained_first(record), record.sizes["position"]
    for i, name in enumerate(names):
        one = cube.family(record, name)
        for shift, (what, color, marker, _) in zip((-0.25, 0.0, 0.25), KINDS, strict=True):
            values = one["head"].values if what == "head" else one.probable.isel(share=what).values
            at = i + shift + (np.linspace(-0.08, 0.08, len(values)) if len(values) > 1 else np.zeros(1))
            axes.plot(at, values, marker, color=color, markersize=4, alpha=0.8, markeredgewidth=0)
            if what == 0:
                place: Any = {"xytext": (0, 6), "textcoords": "offset points", "ha": "center", "fontsize": 7.5}
                place["bbox"] = {"facecolor": "w", "edgecolor": "none", "pad": 0.6}
                axes.annotate(f"{np.median(values):g}", (i + shift, values.max()), color=color, **place, zorder=4)
    axes.axhline(n, color="0.4", linewidth=1.0, linestyle=":", zorder=0)
    axes.set_xticks(range(len(names)), [_broken(name) for name in names], fontsize=7)
    axes.set(ylabel="weights that decide", yscale="log", ylim=(0.85, 1.9 * n), xlim=(-0.5, len(names) - 0.5))
    ticks = [k for k in (1, 2, 3, 5, 10, 20, 40, 80) if k <= n]
    axes.minorticks_off()
    axes.set_yticks(ticks, [str(k) for k in ticks])
    for what, color, marker, label in KINDS:
        words = f"for {label}{' (median above)' * (what == 0)}"
        axes.plot([], [], marker, color=color, markersize=4, label=words)


def trained_first(record: xr.Dataset) -> list[str]:
    """The families, those of the headline first."""
    names = cube.families(record)
    return sorted(names, key=lambda name: name not in (*cube.TRAINED.values(), *cube.SETTLED.values()))


def _broken(name: str) -> str:
    """A family in lines of at most a word or two."""
    return _in_words(name).replace("geometric ", "falling\nby ").replace(", ", ",\n").replace(" positive", "\npositive")


def _in_words(name: str) -> str:
    """A family as it is read: which range is positive.

    >>> _in_words("trained, long range")
    'trained, longer range positive'
    """
    return name.replace("long range", "longer range positive").replace("short range", "shorter range positive")


def _curve_panel(axes: Any, record: xr.Dataset) -> list[Line2D]:
    handles = []
    for name, style in cube.styles(record).items():
        values = cube.family(record, name).errors.median("field")
        kept = values.where(values > FLOOR)
        if not kept.notnull().any():  # no error at any size
            continue
        options: dict[str, Any] = style | ({"linestyle": "--", "markerfacecolor": "w"} if name in cube.SETTLED.values() else {})
        kept = kept.dropna("kept")
        axes.plot(kept.kept, kept, markersize=3.5, linewidth=1.2, **options)
        label = _in_words(name).replace("geometric", "falling by").replace("er range", "er\nrange")
        handles.append(Line2D([], [], markersize=3.5, linewidth=1.2, label=label, **options))
    for share in record.share.values:
        axes.axhline(share, color="0.5", linewidth=0.8, linestyle=":", zorder=0)
        beside = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": 8, "color": "0.3"}
        axes.text(1.01, share, f"{100 * share:g} %", **beside)
    axes.set(xlabel="largest weights kept, k", ylabel="inputs with another gate", yscale="log", ylim=(FLOOR, 0.6))
    axes.set_xlim(0, record.sizes["position"] + 0.5)
    return handles
