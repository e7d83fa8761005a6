"""Panels of trainings on a data set: values over epochs, for several networks and seeds."""

from collections.abc import Mapping
from typing import Any

import xarray as xr


def over_epochs(axes: Any, values: xr.DataArray, names: Mapping[str, str]) -> None:
    """For each network the mean over seeds as a line, and the range of seeds as a band; colours by place in `names`."""
    for at, (key, name) in enumerate(names.items()):
        one = values.sel(net=key)
        every = max(1, one.sizes["step"] // 20)
        style = {"color": f"C{at}", "marker": "osD^v"[at % 5], "markevery": every, "markersize": 3.5, "linewidth": 1.4}
        axes.plot(one.epoch, one.mean("seed"), label=name, **style)
        axes.fill_between(one.epoch, one.min("seed"), one.max("seed"), color=f"C{at}", alpha=0.2, linewidth=0)
    axes.set_xlabel("epoch")


def accuracy_panel(axes: Any, values: xr.DataArray, names: Mapping[str, str], title: str) -> None:
    """On the test set, in percent, from the first record after the start on, so that chance level does not set the scale."""
    over_epochs(axes, 100 * values.isel(step=slice(1, None)), names)
    axes.set(ylabel="test accuracy (%)", title=title)
    axes.set_xlim(left=0)
