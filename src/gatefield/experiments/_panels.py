"""Panels that several figures share."""

from typing import Any

import xarray as xr

DIVERGING = "RdBu_r"


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
    axes.plot(predicted.position, predicted, "-", label="flow")
    axes.set(xlabel="position (site)", ylabel="weight", title=title)
    axes.legend()
