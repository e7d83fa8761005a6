"""The figure of `single-pulse`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.single_pulse.simulate import ORDERS
from gatefield.plot import dots_by_seed, small_field

LABELS = {"both": "centred,\nwith complement", "centred": "centred", "complement": "with\ncomplement", "plain": "as they are"}
COLOURS = {"pulse": "C0", "clone": "C1"}


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(10.5, 10.2))
    top, middle, bottom = cast(Any, figure.subfigures(3, 1, height_ratios=[1.15, 1.0, 1.15]))
    for axes, order, letter in zip(top.subplots(1, 2, sharey=True), ORDERS, "ab", strict=True):
        _ipr_panel(axes, record.sel(order=order), f"({letter}) {_order_text(order)}")
    top.axes[0].set_ylabel("IPR of the final field")
    top.axes[1].legend(loc="upper right")
    for axes, order, letter in zip(middle.subplots(1, 2, sharey=True), ORDERS, "cd", strict=True):
        _explained_panel(axes, record.sel(order=order), f"({letter}) {_order_text(order)}")
    middle.axes[0].set_ylabel("share of labels explained, c²/(2D)")
    middle.axes[0].legend(loc="upper left")
    _fields(bottom, record)
    return figure


def _order_text(order: str) -> str:
    return "wide pulses positive" if order == "wide" else "narrow pulses positive"


def _kinds(axes: Any, record: xr.Dataset) -> np.ndarray:
    """One place for each kind of pulse."""
    at = np.arange(record.sizes["kind"])
    axes.set_xticks(at, [LABELS[kind] for kind in record.kind.values])
    axes.set_xlim(-0.5, at[-1] + 0.5)
    return at


def _ipr_panel(axes: Any, record: xr.Dataset, title: str) -> None:
    at = _kinds(axes, record)
    names = {"pulse": "SGD on pulses", "clone": "SGD on their Gaussian clones"}
    for data, shift in (("pulse", -0.17), ("clone", 0.17)):
        values = record.ipr.sel(data=data).isel(step=-1, unit=0)
        dots_by_seed(axes, at + shift, values, "kind", COLOURS[data])
        median = values.median("seed")
        axes.plot(at + shift, median, "_", color=COLOURS[data], markersize=22, markeredgewidth=2.5, label=names[data])
    axes.plot(at - 0.17, record.descent_ipr.median("seed"), "k_", markersize=34, label="descent by the exact gradient")
    axes.axhline(1 / record.sizes["position"], color="0.4", linewidth=1.0, linestyle=":", label="flat field, 1/n")
    axes.set(ylim=(0, 1.05), title=title)


def _explained_panel(axes: Any, record: xr.Dataset, title: str) -> None:
    """States of the exact descent, the better of both signs of the site; and what SGD reaches."""
    at = _kinds(axes, record)
    site = record.special_explained.sel(start=["site", "minus site"]).max("start")
    axes.plot(at - 0.12, site, "k^", markersize=8, label="state grown from one site")
    axes.plot(
        at + 0.12,
        record.special_explained.sel(start="wave"),
        "k",
        marker="$\\sim$",
        markersize=13,
        linestyle="none",
        label="state grown from the best wave",
    )
    dots_by_seed(axes, at, record.explained, "kind", COLOURS["pulse"])
    axes.plot(
        at,
        record.explained.median("seed"),
        "_",
        color=COLOURS["pulse"],
        markersize=22,
        markeredgewidth=2.5,
        label="SGD (dots: seeds, bar: median)",
    )
    axes.set(ylim=(0, 1.0), title=title)


def _fields(part: Any, record: xr.Dataset) -> None:
    """An input and the final fields of one seed, for each order and kind."""
    panels = part.subplots(2, record.sizes["kind"], sharex=True, squeeze=False)
    for row, order in zip(panels, ORDERS, strict=True):
        for axes, kind in zip(row, record.kind.values, strict=True):
            one = record.sel(order=order, kind=kind).isel(seed=0)
            axes.fill_between(one.position, one.inputs / abs(one.inputs).max(), color="0.85", step="mid", linewidth=0)
            for data in ("clone", "pulse"):
                small_field(axes, one.fields.sel(data=data).isel(step=-1, unit=0), color=COLOURS[data])
        row[0].set_ylabel(f"{order} pulses\npositive")
    for axes, kind in zip(panels[0], record.kind.values, strict=True):
        axes.set_title(LABELS[kind].replace("\n", " "))
    part.supxlabel(
        "(e) position (site). Grey: one input of the positive class. Lines: final fields on pulses (blue) and clones (orange),"
        " same start, each scaled to its own maximum",
        fontsize="small",
    )
