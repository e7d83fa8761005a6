"""The figure of `amplifier`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.amplifier.verdicts import answers, ipr_share
from gatefield.experiments.orders import ORDERS, scales_text
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
    small_field,
)

SHOWN = (0.3, 1.0, float("inf"))
"""The gains whose fields are drawn, if they are there: spread, just localized, and as localized as they get."""


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(WIDTH, 8.2))
    top, middle, *strips = cast(Any, figure.subfigures(4, 1, height_ratios=[1.35, 1.1, 0.7, 0.78]))
    pair = top.subplots(1, 2, sharey=True)
    curve = middle.subplots()
    _amplifier_panel(curve, record)
    pair[0].set_ylabel("IPR of the final field")
    for axes, order in zip(pair, ORDERS, strict=True):
        _ipr_panel(axes, record.sel(order=order))
    legend_below(top, pair[0])
    legend_below(middle, curve, fontsize=7.5, columnspacing=1.0, handlelength=1.4)
    look: Any = {"ha": "right", "fontsize": 8, "transform": pair[0].transAxes}
    pair[0].text(0.99, 0.04, f"closure: {ipr_share(record):.2f} of SGD's IPR", **look)
    bend = "the closure amplifies sites that correlate more with the gate, the more the higher the gain"
    letter([*pair, curve], [*[f"{order}er range positive: {_answers(record.sel(order=order))}" for order in ORDERS], bend])
    for part, order, at in zip(strips, ORDERS, "de", strict=True):
        _strip(part, record.sel(order=order), at)
    say_setting(
        figure,
        "closure: given one site, the rest of the gate's input is taken as Gaussian",
        f"n = {record.sizes['position']}",
        scales_text(record.attrs, "xi_long", "xi_short"),
        f"{float(record.time[-1]):g} τ",
        f"{record.sizes['seed']} seeds",
        "large marks and lines: medians",
        "(a) share: mean over gains from 1 on",
        "(c) in brackets: excess kurtosis of a site",
        "(d, e) one seed, each scaled to its peak",
    )
    return figure


def _amplifier_panel(axes: Any, record: xr.Dataset) -> None:
    line = record.correlation / np.sqrt(2 * np.pi)
    for shade, gain in zip(shades(record.sizes["gain"]), record.gain.values, strict=True):
        one = record.sel(gain=gain)
        label = f"gain {gain_text(gain)} ({_signed(float(one.kurtosis))})"
        axes.plot(one.correlation, one.amplifier / line.where(line > 0), color=shade, label=label)
        axes.plot(one.correlation, one.expansion / line.where(line > 0), ":", color=shade, linewidth=1.2)
    axes.plot([], [], ":", color="0.3", linewidth=1.2, label="at weak correlation, in the colour of its gain")
    axes.set(
        xlabel="correlation a of a site with the input of the gate",
        ylabel="amplification\n" r"$\phi(a)\sqrt{2\pi}\,/\,a$",
        xlim=(0, 1),
    )


def _signed(value: float) -> str:
    """With two decimals and a real minus sign; no sign for what is 0 then."""
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def _ipr_panel(axes: Any, record: xr.Dataset) -> None:
    gains, at = record.gain.values, gain_places(record.gain.values)
    trained = record.ipr.isel(step=-1, unit=0)
    dots_by_seed(axes, at, record.closure_ipr, "gain", "k")
    dots_by_seed(axes, at, trained, "gain", "C0")
    axes.plot(*finite_join(gains, record.closure_ipr.median("seed")), marker="s", markersize=4, label="closure flow", **THEORY)
    axes.plot(*finite_join(gains, trained.median("seed")), "o", color="C0", markersize=7, label="SGD")
    axes.axhline(LOCALIZED, color="0.4", linewidth=1.0, linestyle=":", label=f"localized: above {LOCALIZED:g}")
    gain_axis(axes, gains, ends=True)
    axes.set_ylim(0, 1)
    sgd, theory = answers(record)
    for place in np.flatnonzero((sgd != theory).values):
        top = float(max(record.closure_ipr.isel(gain=place).max(), trained.isel(gain=place).max()))
        axes.text(
            at[place], top + 0.04, "closure\nonly" if theory[place] else "SGD\nonly", ha="center", va="bottom", fontsize=7
        )


def _answers(record: xr.Dataset) -> str:
    """At how many gains the closure and SGD agree on localization."""
    sgd, theory = answers(record)
    return f"right at {int((sgd == theory).sum())} of {sgd.size}"


def shown_gains(record: xr.Dataset) -> list[float]:
    """Those of `SHOWN`, or the lowest, the middle and the highest."""
    gains = record.gain.values.tolist()
    return list(SHOWN) if set(SHOWN) <= set(gains) else list(dict.fromkeys([gains[0], gains[len(gains) // 2], gains[-1]]))


def _strip(part: Any, record: xr.Dataset, at: str) -> None:
    """Final fields of one order from the same start, each scaled to its own maximum; how far apart they peak."""
    shown, one = shown_gains(record), record.isel(seed=0)
    panels = np.ravel(part.subplots(1, len(shown), sharex=True))
    for axes, gain in zip(panels, shown, strict=True):
        field = one.sel(gain=gain)
        small_field(axes, field.fields.isel(step=-1, unit=0), "o", color="C0", markersize=3, label="SGD")
        small_field(axes, field.closure_fields, color="black", linewidth=1.0, label="closure flow")
        axes.set_title(f"gain {gain_text(gain)}: {_ends_text(field)}", loc="left")
        if min(float(np.min(line.get_ydata())) for line in axes.lines) > -0.2:
            axes.set_ylim(-0.25, 1.15)
    letter(panels[:1], [panels[0].get_title(loc="left")], at)
    panels[0].set_ylabel({"d": "longer positive:\nfield / peak", "e": "shorter positive:\nfield / peak"}[at])
    for axes in panels:
        axes.set_yticks([0, 1] if axes.get_ylim()[0] > -1 else [-1, 0, 1])
        axes.tick_params(labelleft=axes is panels[0])
    if at == "e":
        for axes in panels:
            axes.set_xlabel("position (site)")


def _ends_text(field: xr.Dataset) -> str:
    """Which of two fields from one start is localized; if both are, how far apart they peak."""
    sgd, theory = (float(x) > LOCALIZED for x in (field.ipr.isel(step=-1, unit=0), field.closure_ipr))
    if not (sgd and theory):
        return "both spread" if not (sgd or theory) else f"only {'SGD' if sgd else 'closure'} localizes"
    apart = round(float(field.peak_distance))
    return f"peaks {apart} site{'s' if apart > 1 else ''} apart" if apart else "same peak"
