"""The figures of `single-pulse`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.single_pulse.simulate import ORDERS
from gatefield.experiments.localized import LOCALIZED
from gatefield.plot import WIDTH, dots_by_seed, field_row, letter, say_setting, small_field

LABELS = {"both": "centred +\ncomplement", "centred": "centred", "complement": "complement", "plain": "as they are"}
COLOURS = {"pulse": "C0", "clone": "C1"}
MARKERS = {"pulse": "o", "clone": "s"}
SIDES = {"pulse": -0.25, "clone": 0.25}
"""Where the marks of a kind stand; those of exact descent are between them."""
SILENT = 1e-6
"""A share of the labels below this is that of a neuron that no input activates."""


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(WIDTH, 7.3))
    top, middle, bottom = cast(Any, figure.subfigures(3, 1, height_ratios=[1.25, 1.15, 0.55]))
    localized, explained = top.subplots(1, 2, sharey=True), middle.subplots(1, 2, sharey=True)
    for axes, below, order in zip(localized, explained, ORDERS, strict=True):
        _ipr_panel(axes, record.sel(order=order))
        _explained_panel(below, record.sel(order=order))
    localized[0].set_ylabel("IPR of the final field")
    explained[0].set_ylabel("share of labels explained")
    for part, panels, columns in ((top, localized, 4), (middle, explained, 3)):
        part.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=columns, columnspacing=1.2)
    row = bottom.subplots()
    _headline_fields(row, record.sel(order="wide", kind="both").isel(seed=0))
    letter([*localized, *explained, row], [*_titles(record), "wide pulses positive, centred + complement: one seed, scaled"])
    say_setting(figure, *_setting(record), "small dots and bars: seeds", "large ones: medians", _silent(record))
    return figure


def more(record: xr.Dataset) -> Figure:
    """The final fields of one seed, for each order and kind, over one input."""
    figure = Figure(figsize=(WIDTH, 4.6))
    body = cast(Any, figure.subfigures())
    panels = body.subplots(2, record.sizes["kind"], sharex=True, squeeze=False)
    for row, order in zip(panels, ORDERS, strict=True):
        for axes, kind in zip(row, record.kind.values, strict=True):
            _field_panel(axes, record.sel(order=order, kind=kind).isel(seed=0))
        row[0].set_ylabel("weight (scaled)")
    kinds = [LABELS[kind].replace("\n", " ") for kind in record.kind.values]
    for axes, kind in zip(panels[0, 1:], kinds[1:], strict=True):
        axes.set_title(kind, loc="left")
    for axes in panels[1]:
        axes.set_xlabel("position (site)")
    letter(panels[:, 0], [f"wide positive:\n{kinds[0]}", "narrow positive"])
    body.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    say_setting(figure, *_setting(record)[:-1], "one seed", "each scaled to its own largest value")
    return figure


def _setting(record: xr.Dataset) -> list[str]:
    widths = [f"{name} pulses of {record.attrs[name][0]} to {record.attrs[name][1]} sites" for name in ("wide", "narrow")]
    last = f"{float(record.time.max()):,.0f} τ (not centred: fewer)"
    return [f"n = {record.sizes['position']}", *widths, last, f"{record.sizes['seed']} seeds"]


def _silent(record: xr.Dataset) -> str:
    """How many neurons have died."""
    count = int((record.explained < SILENT).sum())
    return f"share of 0: no input activates the neuron ({count} of {record.explained.size})" if count else ""


def _titles(record: xr.Dataset) -> list[str]:
    """What is positive; and of the case of the headline, how much the two states explain."""
    site, wave = _states(record.sel(kind="both"))
    said = [f"site {float(site.sel(order=order)):.3f}, wave {float(wave.sel(order=order)):.3f}" for order in ORDERS]
    return [
        *(f"{order} pulses positive" for order in ORDERS),
        *(f"{order} positive; left: {words}" for order, words in zip(ORDERS, said, strict=True)),
    ]


def _states(record: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray]:
    """What is explained by the state grown from one site, the better of both signs, and by that grown from the best wave."""
    special = record.special_explained
    return special.sel(start=["site", "minus site"]).max("start"), special.sel(start="wave")


def _kinds(axes: Any, record: xr.Dataset) -> np.ndarray:
    """One place for each kind of pulse, with a line between two."""
    at = np.arange(record.sizes["kind"])
    axes.set_xticks(at, [LABELS[kind] for kind in record.kind.values])
    axes.set(xlim=(-0.5, at[-1] + 0.5))
    axes.tick_params(axis="x", length=0)
    for between in at[1:] - 0.5:
        axes.axvline(between, color="0.88", linewidth=0.8, zorder=0)
    return at


def _ipr_panel(axes: Any, record: xr.Dataset) -> None:
    at = _kinds(axes, record)
    names = {"pulse": "SGD on pulses", "clone": "SGD on Gaussian clones"}
    for data, shift in SIDES.items():
        values = record.ipr.sel(data=data).isel(step=-1, unit=0)
        _seeds_and_median(axes, at + shift, values, data, names[data])
    for seed in record.descent_ipr.transpose("seed", "kind").values:
        axes.plot(at, seed, "k_", markersize=5, markeredgewidth=0.8)
    look = {"markersize": 13, "markeredgewidth": 2.0, "label": "exact descent, same starts"}
    axes.plot(at, record.descent_ipr.median("seed"), "k_", **look)
    axes.axhline(LOCALIZED, color="0.4", linewidth=1.0, linestyle=":", label=f"localized: {LOCALIZED:g}")
    axes.set(ylim=(0, 1.05))
    _say_medians(axes, record.sel(kind="both"), float(list(record.kind.values).index("both")))


def _say_medians(axes: Any, one: xr.Dataset, at: float) -> None:
    """Beside the marks of the cases of the headline its numbers."""
    last = one.ipr.isel(step=-1, unit=0)
    named = [(SIDES["pulse"], 6, last.sel(data="pulse"))]
    if one.order == "wide":
        named += [(SIDES["clone"], 6, last.sel(data="clone")), (0.32, -3, one.descent_ipr)]
    look: Any = {"textcoords": "offset points", "ha": "center", "fontsize": 7.5, "bbox": {"color": "white", "pad": 0.3}}
    for shift, above, values in named:
        middle = float(values.median())
        axes.annotate(f"{middle:.2f}", (at + shift, middle), (0, above), zorder=1.5, **look)


def _explained_panel(axes: Any, record: xr.Dataset) -> None:
    """States of the exact descent, and what SGD reaches."""
    at = _kinds(axes, record)
    site, wave = _states(record)
    axes.plot(at - 0.27, site, "k^", markersize=6, label="state grown from one site")
    _seeds_and_median(axes, at, record.explained, "pulse", "SGD on pulses")
    axes.plot(at + 0.27, wave, "ks", markersize=5.5, markerfacecolor="white", label="state grown from the best wave")
    axes.set(ylim=(-0.04, 1.0))


def _seeds_and_median(axes: Any, at: Any, values: xr.DataArray, data: str, label: str) -> None:
    """Seeds as small dots, their median as an open mark that hides none."""
    dots_by_seed(axes, at, values, "kind", COLOURS[data])
    look = {"color": COLOURS[data], "marker": MARKERS[data], "linestyle": "none", "markersize": 7.5}
    axes.plot(at, values.median("seed"), label=label, markerfacecolor="none", markeredgewidth=1.6, **look)


def _headline_fields(axes: Any, one: xr.Dataset) -> None:
    """An input, and beside it the fields of one seed."""
    last = one.fields.isel(step=-1, unit=0)
    fields = {
        "0.55": ("one input", one.inputs),
        COLOURS["pulse"]: ("SGD on pulses", last.sel(data="pulse")),
        "k": ("exact descent", one.descent_fields),
        COLOURS["clone"]: ("SGD on its clone", last.sel(data="clone")),
    }
    values = {"k": one.descent_ipr, **{COLOURS[data]: one.ipr.sel(data=data).isel(step=-1, unit=0) for data in COLOURS}}
    names = [name + (f", IPR {float(values[color]):.2f}" if color in values else "") for color, (name, _) in fields.items()]
    for place, (color, (_, field)) in enumerate(fields.items()):
        rows = np.full((len(fields), field.size), np.nan)
        rows[place] = field
        field_row(axes, rows, names, color=color, linewidth=1.2)
    axes.set_ylabel("weight")


def _field_panel(axes: Any, one: xr.Dataset) -> None:
    scaled = one.inputs / abs(one.inputs).max()
    axes.fill_between(one.position, scaled, color="0.85", step="mid", linewidth=0, label="one input")
    for data, style, name in (("clone", "--", "SGD on its Gaussian clone"), ("pulse", "-", "SGD on pulses")):
        field = one.fields.sel(data=data).isel(step=-1, unit=0)
        small_field(axes, field, style, color=COLOURS[data], linewidth=1.2, label=name)
