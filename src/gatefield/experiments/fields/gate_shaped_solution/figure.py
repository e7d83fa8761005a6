"""The figures of `gate-shaped-solution`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from gatefield.experiments.along_gain import broken, gain_axis
from gatefield.experiments.fields.gate_shaped_solution.simulate import GATES
from gatefield.experiments.fields.gate_shaped_solution.verdicts import explained
from gatefield.plot import THEORY, WIDTH, dots_by_seed, gain_text, letter, say_setting, shades

GATE_NAMES = {"bump": "one-site gate", "hat": "Mexican-hat gate"}
CLASS_LOOKS = {"positive": ("C0", "o", "-"), "negative": ("C1", "s", "--")}


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(WIDTH, 5.4))
    panels = cast(Any, figure.subplots(2, 2))
    _ipr_panel(panels[0, 0], record)
    _gain_lines(panels[0, 1], record.field.sel(gate="bump"), record.attrs["site"], "weight")
    panels[0, 1].legend(title="gain")
    for axes, gate in zip(panels[1], GATES, strict=True):
        _agreement_panel(axes, record.sel(gate=gate))
    panels[1, 1].sharey(panels[1, 0])
    panels[1, 0].set_ylabel("share of inputs on which\nboth gates agree")
    panels[1, 1].legend(loc="lower center", ncols=2, fontsize=7, columnspacing=1.0)
    same, asked = explained(record.sel(gate="bump")), record.ipr.sel(gate="bump").values
    titles = [
        f"one-site gate right at {int(same.sum())} of {same.size} gains",
        f"it asks for fields of IPR {' to '.join(dict.fromkeys(f'{value:.2f}' for value in asked[[0, -1]]))}",
        *(f"{name}: {_trend(record.sel(gate=gate))}" for gate, name in (("bump", "one-site gate"), ("hat", "hat gate"))),
    ]
    letter(panels, titles)
    _say(figure, record, f"{record.sizes['seed']} seeds", "bars: standard error")
    return figure


def _trend(one: xr.Dataset) -> str:
    """How the agreement of the two gates changes with the gain, in the positive class."""
    values = one.agreement.sel(label="positive").values
    if len(values) < 2:
        return f"gates agree on {values[0]:.3f}"
    way = "rises" if values[-1] > values[0] else "falls"
    return f"agreement {way}, {values[0]:.3f} to {values[-1]:.3f}"


def more(record: xr.Dataset) -> Figure:
    """Gates, what they let through, and the inverse that sharpens it."""
    figure = Figure(figsize=(WIDTH, 5.2))
    panels = cast(Any, figure.subplots(2, 3))
    site = record.attrs["site"]
    _direction_panel(panels[0, 0], record)
    _gain_lines(panels[0, 1], 0.5 * record.drift.sel(gate="bump"), site, "f(v)/2")
    _gain_lines(panels[0, 2], 0.5 * record.drift.sel(gate="hat"), site, "f(v)/2")
    _row_panel(panels[1, 0], record)
    _gain_lines(panels[1, 1], record.field.sel(gate="hat"), site, "weight")
    panels[1, 2].axis("off")
    panels[1, 2].legend(*panels[1, 0].get_legend_handles_labels(), title="gain", loc="center left")
    titles = ["the two gates", "let through: one site", "let through: hat", "inverse of S0 + S1", "what the hat asks for"]
    letter(panels.ravel()[:5], titles)
    _say(figure, record)
    return figure


def _say(figure: Figure, record: xr.Dataset, *words: str) -> None:
    attrs = record.attrs
    say_setting(
        figure,
        f"n = {record.sizes['position']}",
        f"length scales {attrs['xi1']:g} and {attrs['xi0']:g}",
        f"{attrs['samples']:,} samples",
        f"trained for {attrs['learning_rate'] * attrs['steps']:g} τ" if words else "",
        *words,
    )


def _ipr_panel(axes: Any, record: xr.Dataset) -> None:
    gains = record.gain.values
    for gate, style, marker in [("bump", "-", "o"), ("hat", "--", "s")]:
        look = {**THEORY, "linestyle": style, "marker": marker, "markersize": 4}
        axes.plot(*broken(gains, record.ipr.sel(gate=gate)), label=GATE_NAMES[gate], **look)
    dots_by_seed(axes, np.arange(len(gains)), record.trained_ipr, "gain", "C0")
    median = record.trained_ipr.median("seed")
    axes.plot(*broken(gains, median), "D", color="C0", markersize=6, label="trained (median)")
    axes.axhline(1 / record.sizes["position"], color="0.4", linewidth=1.0, linestyle=":", label="flat field, 1/n")
    gain_axis(axes, gains)
    axes.set(ylabel="inverse participation ratio", ylim=(0, 1.45), yticks=[0, 0.25, 0.5, 0.75, 1])
    axes.legend(loc="upper left", ncols=2, fontsize=7, columnspacing=1.0, handlelength=1.6)


def _near(axes: Any, n: int, site: int, reach: float = 8.5) -> None:
    axes.set_xlim(max(site - reach, -0.5), min(site + reach, n - 0.5))
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.set_xlabel("position (site)")
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)


def _gain_lines(axes: Any, values: xr.DataArray, site: int, words: str) -> None:
    for shade, gain in zip(shades(values.sizes["gain"]), values.gain.values, strict=True):
        axes.plot(values.position, values.sel(gain=gain), "o-", color=shade, markersize=3, label=gain_text(gain))
    axes.set_ylabel(words)
    _near(axes, values.sizes["position"], site)


def _agreement_panel(axes: Any, one: xr.Dataset) -> None:
    gains = one.gain.values
    for label, (color, marker, style) in CLASS_LOOKS.items():
        shown = one.sel(label=label)
        at, values = broken(gains, shown.agreement)
        _, errors = broken(gains, shown.agreement_error)
        axes.errorbar(at, values, errors, fmt=marker, color=color, markersize=5, label=f"{label} class")
        look = {**THEORY, "linestyle": style, "linewidth": 1.0}
        axes.plot(*broken(gains, shown.agreement_gaussian), label=f"{label}, if Gaussian", **look)
    gain_axis(axes, gains)
    axes.set_ylim(0.74, 1.015)


def _direction_panel(axes: Any, record: xr.Dataset) -> None:
    for gate, color, style in [("bump", "C0", "o-"), ("hat", "C1", "s--")]:
        label = {"bump": "one site", "hat": "hat"}[gate]
        axes.plot(record.position, record.direction.sel(gate=gate), style, color=color, markersize=3, label=label)
    axes.set_ylabel("direction v of the gate")
    axes.legend(loc="upper left", handlelength=1.4)
    _near(axes, record.sizes["position"], record.attrs["site"])


def _row_panel(axes: Any, record: xr.Dataset) -> None:
    site = int(record.attrs["site"])
    for shade, gain in zip(shades(record.sizes["gain"]), record.gain.values, strict=True):
        row = np.roll(record.inverse.sel(gain=gain).isel(position=site).values, -site)[:7]
        axes.plot(row, "o-", color=shade, markersize=3, label=gain_text(gain))
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.set(xlabel="lag (sites)", ylabel="entry of a row")
