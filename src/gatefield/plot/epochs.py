"""Panels of trainings on a data set: values over epochs, for several networks and seeds."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import mean_and_error

APART = 0.085
"""Of the height of a panel: how far apart numbers stand that are written one above another."""


def over_epochs(axes: Any, values: xr.DataArray, names: Mapping[str, str]) -> None:
    """For each network the mean over seeds as a line, and its standard error as a band; colours by place in `names`."""
    for at, (key, name) in enumerate(names.items()):
        one = values.sel(net=key)
        every = max(1, one.sizes["step"] // 8)
        style = {"color": f"C{at}", "marker": "osD^v"[at % 5], "markevery": every, "markersize": 3.5, "linewidth": 1.3}
        mean = one.mean("seed")
        axes.plot(one.epoch, mean, label=name, **style)
        if one.sizes["seed"] > 1:
            _, error = mean_and_error(one, "seed")
            axes.fill_between(one.epoch, mean - error, mean + error, color=f"C{at}", alpha=0.25, linewidth=0)
    axes.set_xlabel("epoch")


def accuracy_panel(axes: Any, values: xr.DataArray, names: Mapping[str, str], title: str = "") -> None:
    """On the test set, in percent, from the first record after the start on, so that chance level does not set the scale."""
    over_epochs(axes, 100 * values.isel(step=slice(1, None)), names)
    axes.set(ylabel="test accuracy (%)", title=title)
    axes.set_xlim(left=0)


def end_labels(
    axes: Any, ends: Sequence[float], words: Sequence[str], colours: Sequence[str] = (), *, apart: float = APART
) -> None:
    """Write what each line ends with beside its end, moved apart where they would overlap; colours, if not given, by place.

    In a low panel they must be further `apart`, as a part of its height; a thin line then leads from each end to its words.
    """
    low, high = axes.transData.inverted().transform([axes.transAxes.transform((0, part)) for part in (0.0, 1.0)])[:, 1]
    log = axes.get_yscale() == "log"
    heights = [np.log(end / low) / np.log(high / low) if log else (end - low) / (high - low) for end in ends]
    places = below(spaced(heights, apart), 0.98, apart) if apart > APART else spaced(heights, apart)
    for at, (height, place, text) in enumerate(zip(heights, places, words, strict=True)):
        colour = colours[at] if len(colours) else f"C{at}"
        if apart > APART:
            axes.plot([0.985, 1.015], [height, place], transform=axes.transAxes, color=colour, linewidth=0.7, clip_on=False)
        look: Any = {"transform": axes.transAxes, "color": colour, "fontsize": 7.5, "va": "center", "clip_on": False}
        axes.text(1.02, place, text, **look)


def spaced(heights: Sequence[float], apart: float) -> list[float]:
    """The same heights, moved as little as a sweep from below and one from above do, until all are so far apart.

    >>> [round(height, 2) for height in spaced([0.5, 0.52, 0.9], 0.1)]
    [0.46, 0.56, 0.9]
    """
    order = np.argsort(heights, kind="stable")
    up = np.array(heights, float)[order]
    down = up.copy()
    for i in range(1, len(up)):
        up[i] = max(up[i], up[i - 1] + apart)
        down[-1 - i] = min(down[-1 - i], down[-i] - apart)
    found = np.empty(len(up))
    found[order] = (up + down) / 2
    return found.tolist()


def below(heights: Sequence[float], top: float, apart: float) -> list[float]:
    """The same heights, the upper ones moved down until all are below the top and so far apart.

    >>> [round(height, 2) for height in below([0.5, 1.1, 0.9], 1.0, 0.2)]
    [0.5, 1.0, 0.8]
    """
    found, limit = list(map(float, heights)), top
    for at in np.argsort(heights, kind="stable")[::-1]:
        found[at] = min(found[at], limit)
        limit = found[at] - apart
    return found
