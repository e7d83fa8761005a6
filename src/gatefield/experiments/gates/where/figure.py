"""The figure of `where`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.core.intervals import Interval
from gatefield.experiments.gates.where.hits import FEW, NEAR, PEAKED, again, hits, localized, network, rate
from gatefield.experiments.gates.where.predictors import CHOSEN, PREDICTORS
from gatefield.plot import gain_text, small_field

NETWORKS = {"neuron": "one neuron", "committee": "committee"}
MARKS = dict(zip(PREDICTORS, ("s", "o", "^", "D", "v", "P"), strict=True))


def draw(record: xr.Dataset) -> Figure:
    """Shares of hits by setting above, signs and counts in the middle, examples below."""
    figure = Figure(figsize=(11.5, 12.0))
    top, middle, bottom = cast(Any, figure.subfigures(3, 1, height_ratios=[2.1, 1.0, 0.95]))
    panels = top.subplots(2, record.sizes["pair"], sharex=True, sharey=True, squeeze=False)
    for row, name in zip(panels, NETWORKS, strict=True):
        part = network(record, name)
        for s, axes in enumerate(row):
            _hits(axes, part.isel(pair=s))
            axes.set_title(rf"{NETWORKS[name]}, $\xi$ = {part.pair.values[s]}")
        row[0].set_ylabel(f"share of hits within {NEAR} site")
    for axes in panels[0]:
        axes.set_xlabel("")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    top.legend(handles, labels, loc="outside lower center", ncols=4)
    signs, counts = middle.subplots(1, 2)
    _signs(signs, network(record, "neuron"))
    _counts(counts, record)
    _examples(bottom, record)
    return figure


def _hits(axes: Any, part: xr.Dataset) -> None:
    """Share of hits with its interval by gain, one mark for each predictor; the limit set by noise, and chance."""
    for i, name in enumerate(PREDICTORS):
        found = [_shown(hits(one).sel(predictor=name), localized(one)) for one in _by_gain(part)]
        _marks(axes, found, i, name, color=f"C{i}", label=PREDICTORS[name])
    limit = [_shown(*again(one)) for one in _by_gain(part)]
    mean, low, high = np.transpose(limit)
    axes.fill_between(np.arange(len(limit)), low, high, color="0.9", linewidth=0, zorder=0)
    axes.plot(np.arange(len(limit)), mean, "--", color="0.3", linewidth=1.2, label="two trainings, same start")
    axes.axhline((2 * NEAR + 1) / part.attrs["n"], color="0.4", linestyle=":", linewidth=1.0, label="chance")
    _gain_axis(axes, part)


def _shown(holds: xr.DataArray, counted: xr.DataArray) -> Interval:
    """A share, or nothing if it stands on too few units of a large study."""
    few = int(counted.sum()) < FEW <= counted.sizes.get("seed", counted.sizes.get("repeat", 0))
    return Interval(np.nan, np.nan, np.nan) if few else rate(holds, counted)


def _marks(axes: Any, found: list[Any], i: int, name: str, **options: Any) -> None:
    """Means with their intervals, side by side; the chosen predictor larger and joined by a line."""
    at = np.arange(len(found)) + 0.13 * (i - 2.5)
    mean, low, high = np.transpose(found)
    bold = name == CHOSEN
    style = f"{MARKS[name]}{'-' if bold else ''}"
    size, width = (7, 1.8) if bold else (4.5, 1.0)
    error = np.maximum([mean - low, high - mean], 0.0)
    axes.errorbar(at, mean, error, fmt=style, markersize=size, elinewidth=width, linewidth=1.5, **options)


def _signs(axes: Any, part: xr.Dataset) -> None:
    """How often each predictor has the right sign, all length scales together."""
    for i, name in enumerate(PREDICTORS):
        found = [rate(one.sign_right.sel(predictor=name), localized(one)) for one in _by_gain(part)]
        _marks(axes, found, i, name, color=f"C{i}")
    axes.axhline(0.5, color="0.4", linestyle=":", linewidth=1.0)
    _gain_axis(axes, part)
    axes.set(title="one neuron: sign of the peak, all length scales", ylabel="share with the right sign", ylim=(0.4, 1.02))


def _counts(axes: Any, record: xr.Dataset) -> None:
    """Which share of units localized, and so counts."""
    for name, style in zip(NETWORKS, ("-", "--"), strict=True):
        part = network(record, name)
        shares = localized(part).mean([dim for dim in part.ipr.dims if dim not in ("pair", "gain")])
        for s, pair in enumerate(record.pair.values):
            label = rf"$\xi$ = {pair}" if style == "-" else None
            axes.plot(np.arange(record.sizes["gain"]), shares[s], style, marker=".", color=f"C{s}", label=label)
        axes.plot([], [], style, color="0.3", label=NETWORKS[name])
    _gain_axis(axes, record)
    axes.set(title=f"units that count: inverse participation ratio above {PEAKED}/n", ylabel="share of units", ylim=(0, 1.02))
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def _examples(figure: Any, record: xr.Dataset) -> None:
    """The first start of each gain: what the predictor looks at, and where the field ended."""
    panels = figure.subplots(2, record.sizes["gain"], sharex=True, squeeze=False)
    for row, name in zip(panels, NETWORKS, strict=True):
        for g, axes in enumerate(row):
            part = network(record, name).isel(pair=0, gain=g)
            part = part.assign_coords(position=np.arange(part.sizes["position"]))
            small_field(axes, part.example_guess, color="C1", linewidth=1.2)
            small_field(axes, part.example_end, color="k", linewidth=1.5)
        row[0].set_ylabel(NETWORKS[name])
    for axes, gain in zip(panels[0], record.gain.values, strict=True):
        axes.set_title(f"gain {gain_text(gain)}")
    text = rf"position (site), $\xi$ = {record.pair.values[0]}; the first start: $\Sigma_1 w(0)$ (colour), final field (black)"
    figure.supxlabel(text, fontsize="medium")


def _by_gain(part: xr.Dataset) -> list[xr.Dataset]:
    return [part.isel(gain=g) for g in range(part.sizes["gain"])]


def _gain_axis(axes: Any, part: xr.Dataset) -> None:
    axes.set_xticks(np.arange(part.sizes["gain"]), [gain_text(gain) for gain in part.gain.values])
    axes.set(xlabel="gain", ylim=(0, 1.02), xlim=(-0.5, part.sizes["gain"] - 0.5))
