"""The figure of `margins`."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.experiments.cube import fields as cube
from gatefield.experiments.cube.margins.verdicts import truncation_chance

KINDS = (("head", "C0", "o", "every corner"), (0, "C1", "s", "99 % of inputs"), (1, "C2", "^", "95 % of inputs"))


def draw(record: xr.Dataset) -> Figure:
    figure = Figure(figsize=(11.5, 10.0))
    mosaic: Any = figure.subplot_mosaic([["law", "shape", "cut"], ["heads"] * 3, ["curves", "curves", "names"]],
                                        height_ratios=[1.0, 1.0, 1.05])  # fmt: skip
    _law_panel(mosaic["law"], record)
    _shape_panel(mosaic["shape"], record)
    _cut_panel(mosaic["cut"], record)
    _head_panel(mosaic["heads"], record)
    names = _curve_panel(mosaic["curves"], record)
    mosaic["names"].axis("off")
    title = "fields in (e), median of each family;\nthose without any error are left out"
    mosaic["names"].legend(handles=names, loc="center left", title=title, alignment="left")
    return figure


def _law_panel(axes: Any, record: xr.Dataset) -> None:
    sizes = record["size"].values
    low, high = record.random_margin.quantile([0.05, 0.95], "draw").values
    axes.fill_between(sizes, low, high, color="C0", alpha=0.2, linewidth=0, label="5 to 95 % of draws")
    axes.semilogy(sizes, record.random_margin.mean("draw"), "o", color="C0", label="mean")
    axes.plot(sizes, np.sqrt(2 * np.pi * sizes) / 2.0**sizes, "-", color="C1", label=r"$\sqrt{2\pi n}\,2^{-n}$")
    axes.set(xlabel="weights n", ylabel=r"margin $\delta$", title="(a) margin of N(0, 1) weights")
    axes.set_xticks(sizes)
    axes.legend(loc="lower left")


def _shape_panel(axes: Any, record: xr.Dataset) -> None:
    values = np.sort(record.scaled_margin.isel(size=-1).values)
    t = np.linspace(0, max(4.0, values[-1]), 100)
    axes.step(values, 1 - np.arange(1, len(values) + 1) / (len(values) + 1), color="C0", where="post", label="found")
    axes.semilogy(t, np.exp(-t), "--", color="C1", label=r"$e^{-t}$")
    axes.set(
        xlabel=r"$t = \delta\,2^n/(\sqrt{2\pi}\,|w|)$",
        ylabel="share of draws above t",
        title=f"(b) its law at n = {int(record['size'][-1])}",
        ylim=(0.5 / len(values), 1.3),
    )
    axes.legend(loc="upper right")


def _cut_panel(axes: Any, record: xr.Dataset) -> None:
    sizes, draws = record["size"].values, record.sizes["draw"]
    share = (record.random_head < record["size"]).mean("draw").values
    axes.errorbar(sizes, share, np.sqrt(np.maximum(share * (1 - share), 1 / draws) / draws), fmt="o", color="C0", label="found")
    fine = np.linspace(sizes[0], sizes[-1], 100)
    axes.plot(fine, truncation_chance(fine), "-", color="C1", label=r"$2n\sqrt{n-1}\,/\,2^{n-1}$")
    axes.set(xlabel="weights n", ylabel="share of draws", title="(c) fields with a weight to spare", ylim=(-0.02, 0.45))
    axes.set_xticks(sizes)
    axes.legend(loc="upper right")


def _head_panel(axes: Any, record: xr.Dataset) -> None:
    names = cube.families(record)
    for i, name in enumerate(names):
        one = cube.family(record, name)
        for shift, (what, color, marker, _) in zip((-0.22, 0.0, 0.22), KINDS, strict=True):
            values = one["head"].values if what == "head" else one.probable.isel(share=what).values
            at = i + shift + (np.linspace(-0.07, 0.07, len(values)) if len(values) > 1 else np.zeros(1))
            axes.plot(at, values, marker, color=color, markersize=4.5, alpha=0.7, markeredgewidth=0)
    axes.axhline(record.sizes["position"], color="0.4", linewidth=1.0, linestyle=":")
    axes.set_xticks(range(len(names)), [name.replace(", ", ",\n").replace("geometric ", "geometric\n") for name in names])
    axes.set(ylabel="weights that decide the gate", yscale="log", ylim=(0.85, 1.6 * record.sizes["position"]),
             title=f"(d) how many of {record.sizes['position']} weights decide? One mark for each field")  # fmt: skip
    ticks = [k for k in (1, 2, 3, 5, 10, 20, 40, 80) if k <= record.sizes["position"]]
    axes.minorticks_off()
    axes.set_yticks(ticks, [str(k) for k in ticks])
    handles = [
        Line2D([], [], color=color, marker=marker, linestyle="", label=f"for {label}") for _, color, marker, label in KINDS
    ]
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _curve_panel(axes: Any, record: xr.Dataset) -> list[Line2D]:
    floor, handles = 1e-5, []
    for name, style in cube.styles(record).items():
        values = cube.family(record, name).errors.median("field")
        kept = values.where(values > floor)
        if not kept.notnull().any():  # no error at any size
            continue
        options: dict[str, Any] = style | ({"linestyle": "--", "markerfacecolor": "w"} if name in cube.SETTLED.values() else {})
        axes.plot(record.kept, kept, markersize=4.5, linewidth=1.2, **options)
        handles.append(Line2D([], [], markersize=4.5, linewidth=1.2, label=name, **options))
    for share in record.share.values:
        axes.axhline(share, color="0.5", linewidth=0.8, linestyle=":")
        axes.text(record.sizes["position"] + 0.6, share, f"{100 * share:g} %", fontsize="small", color="0.3", va="center")
    axes.set(
        xlabel="largest weights kept, k",
        ylabel="inputs with another gate",
        title="(e) error of the head on the data's own law",
        yscale="log",
        ylim=(floor, 0.6),
    )
    return handles
