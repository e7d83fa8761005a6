"""The figure of `single-pulse`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.single_pulse.simulate import ORDERS
from gatefield.plot import WIDTH, dots_by_seed, letter, say_setting, small_field

LABELS = {"both": "both", "centred": "centred", "complement": "complement", "plain": "as they are"}
COLOURS = {"pulse": "C0", "clone": "C1"}
MARKERS = {"pulse": "o", "clone": "s"}


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(WIDTH, 8.4))
    top, middle, bottom = cast(Any, figure.subfigures(3, 1, height_ratios=[1.15, 1.05, 1.15]))
    localized, explained = top.subplots(1, 2, sharey=True), middle.subplots(1, 2, sharey=True)
    for axes, below, order in zip(localized, explained, ORDERS, strict=True):
        _ipr_panel(axes, record.sel(order=order))
        _explained_panel(below, record.sel(order=order))
    localized[0].set_ylabel("inverse participation ratio\nof the final field")
    localized[1].legend(loc="upper right")
    explained[0].set_ylabel("share of labels explained")
    middle.legend(*explained[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    titles = [f"{what}: {order} pulses positive" for what in ("localization", "states") for order in ORDERS]
    letter([*localized, *explained], titles)
    _fields(bottom, record)
    widths = [f"{name} pulses of {record.attrs[name][0]} to {record.attrs[name][1]} sites" for name in ("wide", "narrow")]
    say_setting(
        figure,
        f"n = {record.sizes['position']}",
        *widths,
        f"{float(record.time.max()):g} τ (not centred: fewer)",
        f"{record.sizes['seed']} seeds",
        "small dots: seeds",
        "large marks: medians",
    )
    return figure


def _kinds(axes: Any, record: xr.Dataset) -> np.ndarray:
    """One place for each kind of pulse."""
    at = np.arange(record.sizes["kind"])
    axes.set_xticks(at, [LABELS[kind] for kind in record.kind.values])
    axes.set(xlim=(-0.5, at[-1] + 0.5), xlabel="what is done to the pulses")
    return at


def _ipr_panel(axes: Any, record: xr.Dataset) -> None:
    at = _kinds(axes, record)
    names = {"pulse": "SGD on pulses", "clone": "SGD on Gaussian clones"}
    for data, shift in (("pulse", -0.17), ("clone", 0.17)):
        values = record.ipr.sel(data=data).isel(step=-1, unit=0)
        dots_by_seed(axes, at + shift, values, "kind", COLOURS[data])
        look = {"color": COLOURS[data], "marker": MARKERS[data], "linestyle": "none", "markersize": 7}
        axes.plot(at + shift, values.median("seed"), label=names[data], **look)
    axes.plot(at - 0.17, record.descent_ipr.median("seed"), "k_", markersize=22, markeredgewidth=1.6, label="exact gradient")
    axes.axhline(1 / record.sizes["position"], color="0.4", linewidth=1.0, linestyle=":", label="flat field, 1/n")
    axes.set(ylim=(0, 1.05))


def _explained_panel(axes: Any, record: xr.Dataset) -> None:
    """States of the exact descent, the better of both signs of the site; and what SGD reaches."""
    at = _kinds(axes, record)
    site = record.special_explained.sel(start=["site", "minus site"]).max("start")
    wave = record.special_explained.sel(start="wave")
    axes.plot(at - 0.25, site, "k^", markersize=7, label="state grown from one site")
    look = {"marker": "$\\sim$", "markersize": 12, "linestyle": "none"}
    axes.plot(at + 0.25, wave, color="k", label="state grown from the best wave", **look)
    dots_by_seed(axes, at, record.explained, "kind", COLOURS["pulse"])
    axes.plot(at, record.explained.median("seed"), "o", color=COLOURS["pulse"], markersize=7, label="SGD")
    axes.set(ylim=(0, 1.0))


def _fields(part: Any, record: xr.Dataset) -> None:
    """An input and the final fields of one seed, for each order and kind."""
    panels = part.subplots(2, record.sizes["kind"], sharex=True, squeeze=False)
    for row, order in zip(panels, ORDERS, strict=True):
        for axes, kind in zip(row, record.kind.values, strict=True):
            one = record.sel(order=order, kind=kind).isel(seed=0)
            axes.fill_between(one.position, one.inputs / abs(one.inputs).max(), color="0.85", step="mid", linewidth=0)
            for data, style in (("clone", "--"), ("pulse", "-")):
                small_field(axes, one.fields.sel(data=data).isel(step=-1, unit=0), style, color=COLOURS[data], linewidth=1.2)
        row[0].set_ylabel(f"weight,\n{order} positive")
    for axes, kind in zip(panels[0], record.kind.values, strict=True):
        axes.set_title(LABELS[kind], loc="left")
    for axes in panels[1]:
        axes.set_xlabel("position (site)")
    letter(panels[0, :1], [LABELS[str(record.kind.values[0])]], "e")
