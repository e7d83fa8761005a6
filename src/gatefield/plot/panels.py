"""Panels that several figures share."""

from typing import Any

import numpy as np
import xarray as xr

from gatefield.plot.style import DIVERGING, THEORY


def field_over_time(axes: Any, field: xr.DataArray, title: str, limit: float) -> Any:
    """One field over training time as an image: position upwards, flow time to the right."""
    image = axes.imshow(
        field.transpose("position", "step").values,
        aspect="auto",
        origin="lower",
        cmap=DIVERGING,
        vmin=-limit,
        vmax=limit,
        extent=(float(field.time[0]), float(field.time[-1]), -0.5, field.sizes["position"] - 0.5),
        interpolation="nearest",
    )
    axes.set(xlabel=r"time ($\tau$) = learning rate $\times$ step", ylabel="position (site)", title=title)
    return image


def two_fields(axes: Any, trained: xr.DataArray, predicted: xr.DataArray, title: str) -> None:
    """A trained field as dots over the predicted one as a line."""
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.plot(trained.position, trained, "o", markersize=5, label="SGD")
    axes.plot(predicted.position, predicted, label="flow", **THEORY)
    axes.set(xlabel="position (site)", ylabel="weight", title=title)
    axes.legend()


def small_field(axes: Any, field: xr.DataArray, style: str = "-", **options: Any) -> None:
    """A field scaled to its own maximum, without vertical ticks: for rows of many small panels."""
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.plot(field.position, field / abs(field).max(), style, **options)
    axes.set(ylim=(-1.15, 1.15), yticks=[], xticks=[0, field.sizes["position"] // 2, field.sizes["position"] - 1])


def dots_by_seed(axes: Any, at: Any, values: xr.DataArray, dim: str, color: str, **options: Any) -> None:
    """One small dot for each seed at each place along `dim`, side by side so that none hides another."""
    spread = np.linspace(-0.12, 0.12, values.sizes["seed"]) if values.sizes["seed"] > 1 else [0.0]
    for shift, seed in zip(spread, values.transpose("seed", dim).values, strict=True):
        axes.plot(np.asarray(at) + shift, seed, "o", color=color, markersize=3, alpha=0.45, markeredgewidth=0, **options)


def signed_matrix(axes: Any, values: Any, limit: float) -> Any:
    """A matrix of signed entries as an image, zero in white; the first row on top."""
    return axes.imshow(values, cmap=DIVERGING, vmin=-limit, vmax=limit, aspect="equal", interpolation="nearest")


def one_median(values: xr.DataArray, least: float = 0.05) -> xr.DataArray:
    """The median over seeds; NaN where they are in two groups, between which it may lie where no seed is.

    They are if the largest gap between two neighbours is more than half of their range, and the range more than `least`.

    >>> values = xr.DataArray([[0.1, 0.1], [0.2, 0.1], [0.3, 0.9], [0.4, 0.9]], dims=("seed", "gain"))
    >>> one_median(values).values
    array([0.25,  nan])
    """
    rows = np.sort(values.transpose("seed", ...).values, axis=0)
    middle, span = values.median("seed"), rows[-1] - rows[0]
    apart = (np.diff(rows, axis=0).max(axis=0, initial=0.0) > 0.5 * span) & (span > least)
    return middle.where(~middle.copy(data=apart))
