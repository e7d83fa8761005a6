"""The figures of `rotation-invariance`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.convolution.rotation_invariance.drawing import draw_bundles, draw_network
from gatefield.experiments.convolution.rotation_invariance.maxima import POOLINGS
from gatefield.experiments.convolution.rotation_invariance.training import NETS, TRAININGS
from gatefield.experiments.convolution.rotation_invariance.verdicts import away, relative_range
from gatefield.plot import THEORY, WIDTH, end_labels, legend_below, letter, say_setting

LABELS = {"rotating": "gates rotate with x'", "kept": "gates kept in place"}
TURNS: tuple[dict[str, Any], ...] = (THEORY, {"color": "0.6", "linestyle": "-"})
"""Of the terms: for x' as it is, and turned first."""
SAMPLED: dict[str, Any] = {"fmt": "o", "color": "k", "markerfacecolor": "w", "markersize": 3.5, "elinewidth": 0.8, "zorder": 5}
"""Of the terms, over networks."""
MAXIMA = {"chosen": ("C0", "o"), "own": ("C4", "v"), "blocks": ("C5", "D")}
STYLES = {"rotating": ("C0", "o"), "kept": ("C1", "s"), "flatten": ("C2", "^"), "unpooled": ("C2", "^")}
BELOW: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.45, -0.24), "fontsize": 7.5, "handlelength": 1.6}
"""Where the legend of a panel stands."""
WITHIN: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (-0.02, 0.55), "fontsize": 7, "handlelength": 1.1}
"""Where that of a panel stands whose middle is empty."""
PAPER_SUM = (
    "y, y': outputs at x, x', paper's sum: over r, of the part of E⟨y, y'⟩ of pairs of paths at distance r (after lemma 4.1)"
)
NOTHING = 1e-8
"""A change of 0 on a logarithmic axis."""


def draw(record: xr.Dataset) -> Figure:
    """The task and trained networks above, moments over random networks below."""
    figure = Figure(figsize=(WIDTH, 6.6))
    top, bottom = cast(Any, figure.subfigures(2, 1))
    panels = np.stack([top.subplots(1, 3), bottom.subplots(1, 3)])
    _task_panel(panels[0, 0], record.sizes["rotation"], record.attrs["length"])
    for axes, training in zip(panels[0, 1:], TRAININGS, strict=True):
        _accuracy_panel(axes, record, training)
    _name_elsewhere(panels[0, 1], record)
    legend_below(top, panels[0, 1], ncols=3, fontsize=7.5)
    _pooled_panel(panels[1, 0], record)
    _terms_panel(panels[1, 1], record)
    _maxima_panel(panels[1, 2], record)
    titles = (
        "gates rotate, or stay",
        *(f"trained {words}:\n{_right(record, name)}" for name, words in TRAININGS.items()),
        "a mean over positions is\ninvariant if gates rotate",
        f"the paper's r = 0 term is not\ninvariant: {_change(record)} if x' turns by {int(record.turn[-1])}",
        _times(record),
    )
    letter(panels, titles)
    _say(figure, record, "(b, c): bands from the least to the largest seed", "(d, e, f): bars 2 standard errors",
         "numbers in (b): means where shaded, at places that training did not touch")  # fmt: skip
    return figure


def draw_more(record: xr.Dataset) -> Figure:
    """Sums of the terms, changes of outputs, and the network of the paper's figure 9 with its paths."""
    figure = Figure(figsize=(WIDTH, 6.4))
    parts: Any = figure.subfigures(2, 1, height_ratios=[1.0, 1.2])
    sums, changes = parts[0].subplots(1, 2)
    _sums_panel(sums, record)
    _changes_panel(changes, record)
    left, right = parts[1].subfigures(1, 2, width_ratios=[1.0, 1.45])
    whole = draw_network(left)
    draw_bundles(right)
    titles = "the terms change, their sum does not", "only maxima of blocks change y'", "why: a network (paper's figure 9)"
    letter([sums, changes, whole], titles)
    right.suptitle("(d) has 8 strengths, each of 3 paths that are rotations of one", x=0.02, ha="left", fontsize=9)
    _say(figure, record)
    return figure


def _right(record: xr.Dataset, training: str) -> str:
    """What the invariant network has right, and the two others: where training did not touch, else over all rotations."""
    elsewhere = training == "one" and record.sizes["rotation"] >= 2 * record.attrs["length"]
    one = record.accuracy.sel(training=training)
    first, *others = (f"{100 * float((away(record, net) if elsewhere else one.sel(net=net)).mean()):.0f}" for net in NETS)
    return f"{first} %, others {' and '.join(others)} %"


def _change(record: xr.Dataset) -> str:
    """By how much the first term changes when x' is turned, relative to the larger one, with the sign of a fall."""
    first = record.terms.isel(rotation=0)
    falls = float(first[0]) == float(first.max()) > 0
    return f"{'−' if falls else ''}{100 * relative_range(first):.0f} %"


def _say(figure: Figure, record: xr.Dataset, *words: str) -> None:
    n, length = record.sizes["rotation"], record.attrs["length"]
    trained = f"{record.sizes['seed']} seeds, {int(record.step[-1])} steps" if words else ""  # the second figure shows none
    networks = f"{record.attrs['draws']:,} networks"
    say_setting(figure, f"ring of {n} positions", f"ramps of {length}", trained, networks, *words, PAPER_SUM)


def _times(record: xr.Dataset) -> str:
    """How far maxima that the outputs choose are from the sum over paths."""
    own = float(record.max_found.sel(pooling="own").mean() / record.max_exact.mean())
    return f"maxima of outputs are\n{own:.2g} times the lemma's sum"


def _task_panel(axes: Any, n: int, length: int) -> None:
    """The two ramps, one of them rotated, and which gates are open on it if they rotate or if they are kept."""
    rising, turn = np.arange(1, length + 1) / length, n // 2
    rows = [("x rises", rising, 0), ("x' falls", rising[::-1], 0), ("x' rotated", rising[::-1], turn)]
    for row, (text, ramp, shift) in enumerate(rows):
        base = -1.6 * row
        signal = np.zeros(n)
        signal[(np.arange(length) + shift) % n] = ramp
        axes.plot([-0.5, n - 0.5], [base, base], color="0.8", linewidth=0.8, zorder=0)
        axes.bar(np.arange(n), signal, bottom=base, width=0.85, color="0.45")
        axes.text(n - 0.5 if shift == 0 else -0.5, base + 0.55, text, ha="right" if shift == 0 else "left", fontsize=8)
    for row, (case, shift) in enumerate((("rotating", turn), ("kept", 0))):
        color, marker = STYLES[case]
        base, opened = -4.2 - 1.8 * row, (np.arange(length) + shift) % n
        axes.plot(np.arange(n), np.full(n, base), marker, color=color, markersize=2.5, markerfacecolor="w", markeredgewidth=0.5)
        axes.plot(opened, np.full(length, base), marker, color=color, markersize=3.5, markeredgewidth=0)
        axes.text(-0.5, base - 0.3, LABELS[case], color=color, fontsize=8, va="top")
    axes.set(xlim=(-1, n), ylim=(-7.4, 1.3))
    axes.set_axis_off()


def _pooled_panel(axes: Any, record: xr.Dataset) -> None:
    for case, label in LABELS.items():
        color, marker = STYLES[case]
        one = record.sel(case=case)
        axes.plot(one.rotation, one.exact, **THEORY, linewidth=1.0, zorder=4, label="exact" if case == "rotating" else None)
        axes.errorbar(
            one.rotation, one.found, 2 * one.error, fmt=marker, color=color, markersize=3, elinewidth=0.8, label=label
        )
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    _moments(axes, "rotation of x'", "E⟨y, y'⟩")


def _moments(axes: Any, along: str, text: str, **legend: Any) -> None:
    """The axes of a small number, in units of its power of ten."""
    power = int(np.floor(np.log10(max(abs(end) for end in axes.get_ylim()))))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value / 10.0**power:.3g}".replace("-", "−"))
    axes.set(xlabel=along, ylabel=rf"{text} ($10^{{{power}}}$)" if power else text)
    axes.legend(**{**BELOW, **legend})


def _terms_panel(axes: Any, record: xr.Dataset) -> None:
    unpooled = record.sel(case="unpooled")
    for turn, look in zip(record.turn.values, TURNS, strict=True):
        axes.plot(record.rotation, record.terms.sel(turn=turn), **look, linewidth=1.1, label=_turn_text(int(turn)))
    _first_term(axes, record)
    bars = 2 * unpooled.error
    axes.errorbar(unpooled.rotation, unpooled.found, bars, **SAMPLED, label="sampled")
    _moments(axes, "rotation r of the term", "term")


def _first_term(axes: Any, record: xr.Dataset) -> None:
    """How far apart the first term is when x' is turned and when not; the title above says by how much."""
    first = record.terms.isel(rotation=0)
    look: Any = {"arrowstyle": "<->", "color": "C1", "linewidth": 1.3, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (0, float(first.min())), (0, float(first.max())), arrowprops=look, zorder=6)
    words: Any = {"textcoords": "offset points", "color": "C1", "fontsize": 8, "va": "top"}
    axes.annotate(_change(record), (0, float(first.min())), (-6, -3), **words)


def _turn_text(turn: int) -> str:
    return f"x' turned by {turn} first" if turn else "x' as it is"


def _maxima_panel(axes: Any, record: xr.Dataset) -> None:
    axes.plot(record.rotation, record.max_exact, **THEORY, linewidth=1.0, zorder=4, label="sum over paths of the lemma")
    for pooling, label in POOLINGS.items():
        color, marker = MAXIMA[pooling]
        one = record.sel(pooling=pooling)
        bars = 2 * one.max_error
        axes.errorbar(one.rotation, one.max_found, bars, fmt=marker, color=color, markersize=3, elinewidth=0.8, label=label)
    _moments(axes, "rotation of x'", "E⟨y, y'⟩", **WITHIN)


def _accuracy_panel(axes: Any, record: xr.Dataset, training: str) -> None:
    axes.axhline(50, color="0.5", linewidth=1.0, linestyle=":", zorder=0)
    for net, label in NETS.items():
        color, marker = STYLES[net]
        values = 100 * record.accuracy.sel(net=net, training=training)
        axes.plot(values.rotation, values.mean("seed"), f"{marker}-", color=color, markersize=3, linewidth=1.1, label=label)
        axes.fill_between(values.rotation, values.min("seed"), values.max("seed"), color=color, alpha=0.2, linewidth=0)
    axes.set(xlabel="rotation of the test set", ylabel="test accuracy (%)", ylim=(0, 104))


def _name_elsewhere(axes: Any, record: xr.Dataset) -> None:
    """Shade the places of the headline, and write beside the panel what each network has right there."""
    n, length = record.sizes["rotation"], record.attrs["length"]
    if n < 2 * length:
        return
    axes.axvspan(length, n - length, color="0.93", linewidth=0, zorder=-1)
    right = [100 * float(away(record, net).mean()) for net in NETS]
    end_labels(axes, right, [f"{value:.0f} %" for value in right], [STYLES[net][0] for net in NETS])


def _sums_panel(axes: Any, record: xr.Dataset) -> None:
    axes.axhline(float(record.exact.sel(case="rotating")[0]), color="C0", label="whole sum, either way")
    for turn, look in zip(record.turn.values, TURNS, strict=True):
        sums = record.terms.sel(turn=turn).cumsum("rotation")
        axes.plot(record.rotation, sums, **look, linewidth=1.1, drawstyle="steps-post", label=_turn_text(int(turn)))
    _first_bars(axes, record)
    _moments(axes, "rotation r", "sum up to r")


def _first_bars(axes: Any, record: xr.Dataset) -> None:
    """The term at r = 0 in a small panel of its own: of x' as it is and turned, and the change that the headline tells."""
    small, first = axes.inset_axes((0.66, 0.13, 0.32, 0.24)), record.terms.isel(rotation=0).values
    small.bar(range(len(first)), first, color=[look["color"] for look in TURNS], width=0.6)
    small.axhline(0.0, color="0.5", linewidth=0.8)
    small.set_xticks([])
    small.set_yticks([])
    small.set_title("term at r = 0", fontsize=7.5, pad=2)
    small.margins(y=0.2)
    look: Any = {"textcoords": "offset points", "color": "C1", "fontsize": 9, "fontweight": "bold", "ha": "center"}
    small.annotate(_change(record), (1, max(float(first[1]), 0.0)), (0, 3), **look)


def _changes_panel(axes: Any, record: xr.Dataset) -> None:
    for pooling, label in POOLINGS.items():
        color, marker = MAXIMA[pooling]
        change = np.maximum(record.max_change.sel(pooling=pooling), NOTHING)
        look: Any = {"markersize": 7, "markerfacecolor": "none"} if pooling == "own" else {"markersize": 3.5}
        axes.plot(record.rotation, change, f"{marker}-", color=color, linewidth=0.8, label=label, **look)
    axes.axhline(NOTHING, color="0.5", linestyle=":", linewidth=0.9, zorder=0)
    words: Any = {"fontsize": 7.5, "color": "0.4", "ha": "right"}
    axes.text(float(record.rotation[-1]), NOTHING / 30, "on the dotted line: no change at all", **words)
    axes.set(yscale="log", ylim=(NOTHING / 100, 5), xlabel="rotation of x'", ylabel="change of y'")
    axes.legend(**BELOW)
