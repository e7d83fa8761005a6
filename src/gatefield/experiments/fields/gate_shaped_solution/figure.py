"""The figures of `gate-shaped-solution`."""

from itertools import cycle
from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from gatefield.experiments.fields.gate_shaped_solution.simulate import GATES
from gatefield.experiments.fields.gate_shaped_solution.verdicts import explained, trained_for
from gatefield.measures import LOCALIZED
from gatefield.plot import (
    THEORY,
    WIDTH,
    dots_by_seed,
    finite_join,
    gain_axis,
    gain_places,
    gain_text,
    legend_below,
    letter,
    say_setting,
    shades,
)

MARKERS = "osD^v"
"""Of the gains, in their order."""
GATE_NAMES = {"bump": "one-site gate", "hat": "Mexican-hat gate"}
CLASS_LOOKS = {"positive": ("C0", "o", "-"), "negative": ("C1", "s", "--")}


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(WIDTH, 6.0))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.15, 1.0]))
    parts = top.subfigures(1, 2)
    panels = [*(part.subplots() for part in parts), *bottom.subplots(1, 2, sharey=True)]
    _ipr_panel(panels[0], record)
    _gain_lines(panels[1], record.field.sel(gate="bump"), record.attrs["site"], "weight")
    for part, axes in zip(parts, panels[:2], strict=True):
        legend_below(part, axes, ncols=2)
    for axes, gate in zip(panels[2:], GATES, strict=True):
        _agreement_panel(axes, record.sel(gate=gate))
    panels[2].set_ylabel("share of inputs on which the\nfield's gate agrees with it")
    legend_below(bottom, panels[2])
    same, asked = explained(record.sel(gate="bump")), record.ipr.sel(gate="bump").values
    titles = [
        f"one-site gate: same side of {LOCALIZED:g} at {int(same.sum())} of {same.size}",
        f"it asks for fields of IPR {' to '.join(dict.fromkeys(f'{value:.2f}' for value in asked[[0, -1]]))}",
        *(f"agrees with {name}: {_trend(record.sel(gate=gate))}" for gate, name in (("bump", "one site"), ("hat", "the hat"))),
    ]
    letter(panels, titles)
    _say(
        figure,
        record,
        f"{record.sizes['seed']} seeds",
        f"(c, d) standard errors: at most {float(record.agreement_error.max()):.1g}",
    )
    return figure


def _trend(one: xr.Dataset) -> str:
    """How the agreement of the two gates changes with the gain, in the positive class."""
    values = one.agreement.sel(label="positive").values
    if len(values) < 2:
        return f"{values[0]:.3f} agree"
    way = "rises" if values[-1] > values[0] else "falls"
    return f"{values[0]:.3f} {way} to {values[-1]:.3f}"


def more(record: xr.Dataset) -> Figure:
    """Gates, what they let through, and the inverse that sharpens it."""
    figure = Figure(figsize=(WIDTH, 5.7))
    names = ["row", "gates", *GATES, "field"]
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.35, 1.0]))
    above, below = top.subplots(1, 2, width_ratios=[2.0, 1.0]), bottom.subplots(1, 3)
    panels = dict(zip(names, [*above, *below], strict=True))
    site = record.attrs["site"]
    _row_panel(panels["row"], record)
    _direction_panel(panels["gates"], record)
    for gate in GATES:
        _gain_lines(panels[gate], 0.5 * record.drift.sel(gate=gate), site, "mean input, f(v)/2")
    _gain_lines(panels["field"], record.field.sel(gate="hat"), site, "weight")
    legend_below(top, *above)
    titles = [
        _row_text(record),
        "the two gates",
        "one site passes a bump",
        "the hat passes a hat",
        "the hat asks for a hat",
    ]
    letter([panels[name] for name in names], titles)
    _say(figure, record, more=True)
    return figure


def _say(figure: Figure, record: xr.Dataset, *words: str, more: bool = False) -> None:
    attrs = record.attrs
    say_setting(
        figure,
        f"n = {record.sizes['position']}",
        f"length scales {attrs['xi1']:g} and {attrs['xi0']:g}",
        f"{attrs['samples']:,} samples",
        "" if more else f"trained for {trained_for(record)}",
        "v: direction of the gate, which is open where ⟨v,x⟩ > 0, S₀ and S₁: covariances of the classes" if more else "",
        "mean input of the positive class behind the gate, other inputs as 0" if more else "",
        *words,
    )


def _ipr_panel(axes: Any, record: xr.Dataset) -> None:
    gains = record.gain.values
    for gate, style, marker in [("bump", "-", "o"), ("hat", "--", "s")]:
        look = {**THEORY, "linestyle": style, "marker": marker, "markersize": 4}
        axes.plot(*finite_join(gains, record.ipr.sel(gate=gate)), label=GATE_NAMES[gate], **look)
    dots_by_seed(axes, gain_places(gains), record.trained_ipr, "gain", "C0")
    median = record.trained_ipr.median("seed")
    axes.plot(*finite_join(gains, median), "D", color="C0", markersize=6, label="trained (median)")
    axes.axhline(1 / record.sizes["position"], color="0.4", linewidth=1.0, linestyle=":", label="flat field, 1/n")
    axes.axhline(LOCALIZED, color="0.6", linewidth=1.0, linestyle="-.", zorder=0)
    look: Any = {"ha": "right", "va": "bottom", "fontsize": 7, "color": "0.3", "transform": axes.get_yaxis_transform()}
    axes.text(0.99, LOCALIZED, f"above {LOCALIZED:g}: localized", **look)
    _say_worst(axes, record)
    gain_axis(axes, gains, "gain of the data", ends=True)
    axes.set(ylabel="inverse participation ratio", ylim=(0, 1.05), yticks=[0, 0.25, 0.5, 0.75, 1])


def _say_worst(axes: Any, record: xr.Dataset) -> None:
    """The numbers of the title, at the gain at which the one-site gate is wrong."""
    bump = record.sel(gate="bump")
    if explained(bump).all():
        return
    at = int(np.argmin(explained(bump)))
    asked, found = float(bump.ipr[at]), float(record.trained_ipr.isel(gain=at).median())
    words: Any = {"textcoords": "offset points", "va": "center", "fontsize": 8}
    place = gain_places(record.gain.values)[at]
    axes.annotate(f"{asked:.2f}", (place, asked), (0, 9), ha="center", **words)
    axes.annotate(f"{found:.2f}", (place, found), (9, 7), color="C0", **words)


def _near(axes: Any, n: int, site: int, reach: float = 8.5) -> None:
    axes.set_xlim(max(site - reach, -0.5), min(site + reach, n - 0.5))
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.set_xlabel("position (site)")
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)


def _gain_lines(axes: Any, values: xr.DataArray, site: int, words: str) -> None:
    for shade, mark, gain in zip(shades(values.sizes["gain"]), cycle(MARKERS), values.gain.values, strict=False):
        look: Any = {"color": shade, "marker": mark, "markersize": 3.5}
        axes.plot(values.position, values.sel(gain=gain), **look, label=f"gain {gain_text(gain)}")
    axes.set_ylabel(words)
    _near(axes, values.sizes["position"], site)


def _agreement_panel(axes: Any, one: xr.Dataset) -> None:
    gains = one.gain.values
    for label, (color, marker, style) in CLASS_LOOKS.items():
        shown = one.sel(label=label)
        at, values, errors = finite_join(gains, shown.agreement, shown.agreement_error)
        axes.errorbar(at, values, errors, fmt=marker, color=color, markersize=5, label=f"{label} class")
        look = {**THEORY, "linestyle": style, "linewidth": 1.0}
        axes.plot(*finite_join(gains, shown.agreement_gaussian), label=f"{label}, if Gaussian", **look)
    gain_axis(axes, gains, "gain of the data", ends=True)
    axes.set_ylim(0.74, 1.015)


def _direction_panel(axes: Any, record: xr.Dataset) -> None:
    for gate, color, style in [("bump", "C0", "o-"), ("hat", "C1", "s--")]:
        label = {"bump": "(b) one site", "hat": "(b) hat"}[gate]
        axes.plot(record.position, record.direction.sel(gate=gate), style, color=color, markersize=3, label=label)
    axes.set_ylabel("direction v of the gate")
    _near(axes, record.sizes["position"], record.attrs["site"])


def _row_text(record: xr.Dataset) -> str:
    """What stands beyond nearest neighbours, over all gains."""
    site = int(record.attrs["site"])
    second = np.roll(record.inverse.isel(position=site).values, -site, axis=-1)[..., 2]
    return f"a row of (S₀ + S₁)⁻¹: {second.min():.2f} to {second.max():.2f} at lag 2".replace("-", "−")


def _row_panel(axes: Any, record: xr.Dataset) -> None:
    site = int(record.attrs["site"])
    for shade, mark, gain in zip(shades(record.sizes["gain"]), cycle(MARKERS), record.gain.values, strict=False):
        row = np.roll(record.inverse.sel(gain=gain).isel(position=site).values, -site)[:7]
        axes.plot(row, color=shade, marker=mark, markersize=4.5, label=f"gain {gain_text(gain)}")
        if gain == 3:  # that of the title
            look: Any = {"ha": "center", "fontsize": 8, "arrowprops": {"arrowstyle": "->", "color": "0.2"}}
            words = f"gain 3, lag 2: {row[2]:.2f}".replace("-", "−")
            axes.annotate(words, (2, row[2]), (2.4, row[2] - 0.45), **look)
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.set(xlabel="lag (sites)", ylabel="entry of a row")
