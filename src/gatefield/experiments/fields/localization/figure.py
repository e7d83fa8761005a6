"""Inputs of both classes, how localized trained fields are, and the fields."""

from typing import Any, cast

import jax
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.data import NonlinearGP
from gatefield.experiments.fields.localization.verdicts import KEEPING, SPREAD
from gatefield.experiments.fields.training import Conditions
from gatefield.experiments.orders import ORDERS
from gatefield.lab import written
from gatefield.measures import LOCALIZED
from gatefield.plot import (
    DATA,
    THEORY,
    WIDTH,
    finite_join,
    gain_axis,
    gain_places,
    gain_text,
    legend_below,
    letter,
    say_setting,
)

NAMES = {"sgd": "SGD", "momentum": "momentum", "adam": "Adam"}
SHOWN = (0.01, 3.0, float("inf"))
"""The gains of the inputs that are drawn."""
TOLD = 3.0
"""The gain whose numbers the title tells."""
ENDS = (0.01, 1.0, 3.0, float("inf"))
"""The gains of the fields that are drawn, if they are there."""
LOOKS = {"long": ("C0", "o", "-"), "short": ("C1", "s", "--")}
"""Colour and marker of trainings, and the dash of their flow."""
RANGES = {"long": "longer range positive", "short": "shorter range positive"}


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    drawn = Figure(figsize=(WIDTH, 7.2))
    top, middle, bottom = cast(Any, drawn.subfigures(3, 1, height_ratios=[0.85, 1.45, 1.0]))
    inputs = top.subplots(2, len(SHOWN), sharex=True, sharey="col")
    _inputs(inputs, record)
    panel = middle.subplots()
    _ipr_panel(panel, record)
    legend_below(middle, panel, ncols=3, columnspacing=0.9, handlelength=1.5)
    fields = bottom.subplots(2, len(shown_gains(record)), sharex=True, sharey="row", squeeze=False)
    _fields(fields, record)
    time = f"{float(record.time[-1]):g} τ"
    firsts = [f"inputs: Gaussian, gain {gain_text(SHOWN[0])}", f"after {time} only one order has condensed"]
    if not _one_order(record):
        firsts[1] = f"how condensed fields are after {time}"
    letter([inputs[0, 0], panel, fields[0, 0]], [*firsts, f"fields at gain {gain_text(shown_gains(record)[0])}"])
    say_setting(drawn, *_setting(record, time))
    return drawn


def _setting(record: xr.Dataset, time: str) -> list[str]:
    scales, seeds = record.attrs["length_scales"], record.sizes["seed"]
    changed = [f"{name} = {written(value)}" for name, value in Conditions.found(record.attrs).changed().items()]
    lengths = "length scales {:g} and {:g} sites".format(*scales)
    return [
        f"n = {record.sizes['position']}",
        lengths,
        time,
        f"{seeds} seeds",
        "(c): of one, over their largest entry",
        *changed,
    ]


def _one_order(record: xr.Dataset) -> bool:
    """Whether at the largest gain fields have condensed, and nowhere with the length scales swapped."""
    medians, n = record.ipr.isel(step=-1, unit=0).median("seed"), record.sizes["position"]
    return bool(medians.sel(order="long")[-1] > LOCALIZED and (medians.sel(order="short") < SPREAD / n).all())


def _inputs(panels: Any, record: xr.Dataset) -> None:
    """One input of each length scale, the same latent field at all gains."""
    n = record.sizes["position"]
    for row_at, (row, xi) in enumerate(zip(panels, record.attrs["length_scales"], strict=True)):
        for axes, gain in zip(row, SHOWN, strict=True):
            axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
            axes.step(range(n), sample(record, row_at, gain), where="mid", color="0.25", linewidth=1.0)
            limit = 1.5 if gain > 1 else 3.2
            axes.set(ylim=(-limit, limit), yticks=[])
        row[0].set_ylabel(f"length\nscale {xi:g}", rotation=0, ha="right", va="center")
    for axes, gain in zip(panels[0, 1:], SHOWN[1:], strict=True):
        axes.set_title(f"gain {gain_text(gain)}" + (": corners of a cube" if np.isinf(gain) else ": squashed"), loc="left")
    panels[1, 1].set_xlabel("position (site)")


def sample(record: xr.Dataset, which: int, gain: float) -> np.ndarray:
    """One input of the class with the longer range (0) or the shorter (1), always the same."""
    boundary, xi = Conditions.found(record.attrs).boundary, record.attrs["length_scales"][which]
    source = NonlinearGP(record.sizes["position"], xi, gain, boundary=boundary)
    return np.asarray(source.sample(jax.random.key(which), 1))[0]


def _ipr_panel(axes: Any, record: xr.Dataset) -> None:
    """IPR against gain: every seed, and what theory says."""
    gains, how = record.gain.values, Conditions.found(record.attrs)
    places = gain_places(gains)
    for order, (colour, marker, dash) in LOOKS.items():
        values = record.ipr.sel(order=order).isel(step=-1, unit=0)
        _dots(axes, places, values, {**DATA, "marker": marker, "color": colour}, f"{NAMES[how.optimizer]}, {RANGES[order]}")
        flow = record.flow_ipr.sel(order=order).median("seed")
        if flow.notnull().any():
            look: Any = {**THEORY, "linestyle": dash, "linewidth": 1.0, "zorder": 3}
            label = f"Gaussian flow, {RANGES[order]}"
            axes.plot(*finite_join(gains, flow), **look, marker="_", markersize=6, label=label)
    if np.isinf(gains[-1]) and not any(how.as_usual(*KEEPING)):
        star = record.bump_ipr.sel(order="long")[-1]
        axes.plot(places[-1] + 0.25, star, "*", color="k", markersize=11, label="exact state on one site, gain ∞")
    axes.axhline(1 / record.sizes["position"], color="0.4", linewidth=1.0, linestyle=":", label="flat field, 1/n")
    axes.axhline(LOCALIZED, color="0.6", linewidth=1.0, linestyle="-.", zorder=0)
    words: Any = {"ha": "left", "va": "bottom", "fontsize": 8, "color": "0.3"}
    axes.text(0.01, LOCALIZED, f"above {LOCALIZED:g}: localized", transform=axes.get_yaxis_transform(), **words)
    _say_medians(axes, record, places)
    gain_axis(axes, gains)
    axes.set(xlabel="gain of the data (0: Gaussian, ∞: corners of the cube)", ylabel="inverse participation ratio", ylim=(0, 1))


def _say_medians(axes: Any, record: xr.Dataset, places: np.ndarray) -> None:
    """The numbers of the title, beside the dots that they are medians of."""
    look: Any = {"xytext": (14, 2), "textcoords": "offset points", "va": "bottom", "fontsize": 8}
    for place in places[record.gain.values == TOLD]:
        for order, (colour, *_) in LOOKS.items():
            middle = float(record.ipr.sel(order=order, gain=TOLD).isel(step=-1, unit=0).median())
            axes.annotate(f"{middle:.2f}", (place, middle), color=colour, **look)


def _dots(axes: Any, places: np.ndarray, values: xr.DataArray, look: dict[str, Any], label: str) -> None:
    """One dot for each seed at each gain, side by side."""
    spread = np.linspace(-0.12, 0.12, values.sizes["seed"]) if values.sizes["seed"] > 1 else [0.0]
    for k, (shift, seed) in enumerate(zip(spread, values.transpose("seed", "gain").values, strict=True)):
        axes.plot(places + shift, seed, **look, markersize=4, alpha=0.8, markeredgewidth=0, label=None if k else label)


def _fields(panels: Any, record: xr.Dataset) -> None:
    """The first seed's fields, each over its largest entry."""
    shown = shown_gains(record)
    for row, order in zip(panels, ORDERS, strict=True):
        colour, marker, _ = LOOKS[order]
        ends = record.fields.sel(order=order, gain=shown).isel(seed=0, step=-1, unit=0).transpose("gain", "position").values
        ends = np.array([upright(end) for end in ends])
        for axes, end in zip(row, ends, strict=True):
            axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
            axes.plot(end, "-", color=colour, linewidth=0.9)
            axes.plot(end, marker, color=colour, markersize=1.6, markeredgewidth=0)
            axes.set(ylim=(1.2 * min(-0.15, ends.min()), 1.15), yticks=[], xticks=[0, len(end) // 2])
        row[0].set_ylabel(f"{RANGES[order].split()[0]}\nrange\npositive", rotation=0, ha="right", va="center")
    for axes, gain in zip(panels[0, 1:], shown[1:], strict=True):
        axes.set_title(f"gain {gain_text(gain)}", loc="left")
    panels[1, len(shown) // 2].set_xlabel("position (site)")


def shown_gains(record: xr.Dataset) -> list[float]:
    """Those of `ENDS`, or as many of those that are there, evenly spaced."""
    gains = record.gain.values.tolist()
    if set(ENDS) <= set(gains):
        return list(ENDS)
    places = np.linspace(0, len(gains) - 1, min(len(gains), len(ENDS))).round().astype(int)
    return [gains[at] for at in places]


def upright(field: np.ndarray) -> np.ndarray:
    """A field over its largest entry, which is 1 then.

    >>> upright(np.array([1.0, -4.0, 2.0])).tolist()
    [-0.25, 1.0, -0.5]
    """
    return field / field[np.abs(field).argmax()]
