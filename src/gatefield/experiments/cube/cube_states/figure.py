"""The figure of `cube-states`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.measures import aligned

LASTING: dict[str, Any] = {"markersize": 2.5, "alpha": 0.6, "markeredgewidth": 0}
FLEETING: dict[str, Any] = {"markersize": 2.5, "alpha": 0.35, "markerfacecolor": "none", "markeredgewidth": 0.5}


def draw(record: xr.Dataset) -> Figure:
    """Existence map and basins above, losses in the middle, states of the largest ring below."""
    figure = Figure(figsize=(11.5, 12.0))
    top, middle, bottom = cast(Any, figure.subfigures(3, 1, height_ratios=[1.55, 1.15, 1.0]))
    where, basins = top.subplots(1, 2)
    _map(where, record, top)
    _basins(basins, record)
    for axes, pair in zip(middle.subplots(1, record.sizes["pair"], squeeze=False)[0], record.pair.values, strict=True):
        _losses(axes, record.sel(pair=pair))
    middle.axes[0].set_ylabel("loss")
    middle.legend(*middle.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    for axes, pair in zip(
        bottom.subplots(1, record.sizes["pair"], sharey=True, squeeze=False)[0], record.pair.values, strict=True
    ):
        _states(axes, record.sel(pair=pair).isel(size=-1))
    bottom.axes[0].set_ylabel("field, scaled to 1")
    bottom.legend(*bottom.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def pair_text(one: xr.Dataset) -> str:
    """The length scales of a pair, the positive class first."""
    return rf"$\xi_1$ = {float(one.xi1):g} (+), $\xi_0$ = {float(one.xi0):g}"


def _map(axes: Any, record: xr.Dataset, figure: Any) -> None:
    """The lead for the largest ring in colour; the borders of existence of all sizes; the pairs studied."""
    xis = record.map_xi1.values
    last = record.lead_map.isel(map_size=-1)
    image = axes.pcolormesh(xis, xis, last, cmap="PuOr", vmin=-1, vmax=1, shading="auto", rasterized=True)
    for i, n in enumerate(record.map_size.values):
        style = (":", "--", "-.", "-")[i - record.sizes["map_size"]]
        axes.contour(xis, xis, record.lead_map.sel(map_size=n), levels=[0.0], colors="k", linewidths=1.2, linestyles=style)
        axes.plot([], [], style, color="k", linewidth=1.2, label=f"border, n = {n}")
    axes.plot(record.xi0, record.xi1, "o", color="C3", markeredgecolor="w", markersize=7, label="pairs studied")
    axes.set(
        xlabel=r"length scale of the negative class $\xi_0$ (sites)",
        ylabel=r"of the positive class $\xi_1$ (sites)",
        title=f"where the localized state exists (lead > 0), n = {int(last.map_size)}",
        aspect="equal",
    )
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), fontsize="small", ncols=3)
    figure.colorbar(image, ax=axes, label=r"lead $(|w_i|-\sum_{j\neq i}|w_j|)/|w_i|$", extend="min")


def _basins(axes: Any, record: xr.Dataset) -> None:
    """Share of random starts, and of SGD runs, that end with a gate of one site."""
    at = np.arange(record.sizes["size"])
    count = record.sizes["start"]
    for i, pair in enumerate(record.pair.values):
        one = record.sel(pair=pair)
        share = one.localized.mean("start").values
        error = 1.96 * np.sqrt(np.maximum(share * (1 - share), 0.25 / count) / count)
        low, high = np.minimum(error, share), np.minimum(error, 1 - share)
        axes.errorbar(at + 0.06 * i, share, [low, high], fmt="o-", color=f"C{i}", markersize=5, label=pair_text(one))
        axes.plot(at + 0.06 * i, one.sgd_localized.mean("seed"), "x", color=f"C{i}", markersize=7)
    axes.plot([], [], "x", color="0.4", label="SGD")
    axes.set_xticks(at, [str(n) for n in record["size"].values])
    axes.set(
        xlabel="sites n", ylabel="share that ends localized", ylim=(-0.03, 1.03), title=f"{count} random starts (bars: 95 %)"
    )
    axes.legend()


def _losses(axes: Any, one: xr.Dataset) -> None:
    """Losses of all states by size; those that another sample does not keep are hollow and pale."""
    at = np.arange(one.sizes["size"])
    spread = np.linspace(-0.3, 0.1, one.sizes["start"])
    for peaked, color, label in ((False, "C0", "extended states"), (True, "C1", "localized states")):
        for lasting, look in ((False, FLEETING), (True, LASTING)):
            values = one.loss.where((one.localized == peaked) & (one.lasting == lasting)).transpose("start", "size").values
            axes.plot((at + spread[:, None]).ravel(), values.ravel(), "o", color=color, **look)
        axes.plot([], [], "o", color=color, markersize=4, label=label)
    axes.plot([], [], "o", color="C0", markerfacecolor="none", alpha=0.5, markersize=4, label="not kept by another sample")
    places = np.linspace(0.2, 0.35, one.sizes["seed"])
    axes.plot(
        (at + places[:, None]).ravel(),
        one.sgd_loss.transpose("seed", "size").values.ravel(),
        "x",
        color="k",
        markersize=4,
        label="SGD",
    )
    exists = (one.site_lead > 0).values
    axes.plot(at[exists], one.site_loss.values[exists], "_", color="C3", markersize=24, markeredgewidth=1.5, zorder=0)
    axes.plot([], [], "_", color="C3", label="localized state, closed form")
    axes.set_xticks(at, [str(n) for n in one["size"].values])
    axes.set(xlabel="sites n", title=pair_text(one))


def _states(axes: Any, one: xr.Dataset) -> None:
    """The closed form, the extended state of lowest loss, and the first end of SGD."""
    n = int(one["size"])
    at = np.arange(n) - n // 2
    axes.axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
    text = "" if one.site_lead > 0 else "\n(no localized state)"
    axes.plot(at, aligned(one.site_state.values[:n]), color="C3", linewidth=1.2, label="limit of one site's gate")
    wide = np.flatnonzero(~one.localized.values.astype(bool))
    if len(wide):
        best = wide[one.loss.values[wide].argmin()]
        axes.plot(at, aligned(one.states.values[best, :n]), color="C0")
    axes.plot([], [], color="C0", label="extended state of lowest loss")
    axes.plot(at, aligned(one.sgd.values[0, :n]), "o", color="k", markersize=2.5, label="SGD, one run")
    axes.set(xlabel="position from the peak (site)", ylim=(-1.1, 1.1), title=f"{pair_text(one)}, n = {n}{text}")
