"""The maps of simulation and closure, and the cut at gain infinity."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from gatefield.experiments.localized import LOCALIZED
from gatefield.plot import SEQUENTIAL, THEORY, WIDTH, gain_text, letter, say_setting

GAINS, RATIOS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0), {0.125: "1/8", 0.25: "1/4", 0.5: "1/2", 1: "1", 2: "2", 4: "4", 8: "8"}
"""Where ticks may stand."""
SIMULATED = "#D55E00"
"""The line of the simulation over a map of theory."""
TIMES = (("C5", "s"), ("C0", "o"))
"""Colour and marker of the first and of the second time."""
GAP = 0.6
"""Between the largest finite gain and infinity, in heights of a cell."""
OUTLINE = [withStroke(linewidth=3.0, foreground="white")]
"""Around lines over a map, which is dark at one end."""
SCALE = "ratio of the length scales\npositive over negative class"
STATES = {1: ("-", "1 site, exact"), 3: ("--", "3 sites"), 5: (":", "5 sites"), 7: ("-.", "7 sites")}


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    drawn = Figure(figsize=(WIDTH, 8.4))
    top, bottom = cast(Any, drawn.subfigures(2, 1, height_ratios=[2.5, 1.0]))
    panels, cube = _maps(top, record), bottom.subplots()
    _at_infinity(cube, record)
    times = [f"{float(time):,.0f} τ" for time in record.time]
    above = [f"simulation, {time}; {line}" for time, line in zip(times, ("line: closure", "dashed: equal loss"), strict=True)]
    below = [f"closure, {time}; line: simulation" for time in times]
    letter([*panels.ravel(), cube], [*above, *below, f"gain {gain_text(float(record.gain[-1]))}"])
    marks = f"lines and mark on the scale: IPR of {LOCALIZED:g} (black: closure; orange: simulation)"
    say_setting(drawn, *setting(record), marks, "equal loss: of one site and the best wave")
    return drawn


def _maps(part: Any, record: xr.Dataset) -> Any:
    """Simulation above, closure below, each with the line of the other. **Returns** the panels."""
    panels = part.subplots(2, 2, sharex=True, sharey=True)
    for k, column in enumerate(panels.T):
        both = [values.isel(when=k).median("seed") for values in (record.ipr, record.closure_ipr)]
        for axes, values, other, colour in zip(column, both, both[::-1], ("black", SIMULATED), strict=True):
            _map(axes, record, values)
            _line(axes, record, other - LOCALIZED, colour)
            axes.set(ylabel="" if k else "gain", xlabel=SCALE if axes is column[1] else "")
    _line(panels[0, 1], record, record.wave_loss - record.site_loss, "black", "dashed")
    bar = part.colorbar(panels[0, 0].collections[0], ax=panels, label="IPR, median over seeds", pad=0.02, aspect=40)
    bar.ax.axhline(LOCALIZED, color="black", linewidth=1.5, path_effects=OUTLINE)
    return panels


def setting(record: xr.Dataset) -> list[str]:
    """What both figures depend on."""
    mean, seeds = float(record.attrs["mean_length"]), f"{record.sizes['seed']} seeds"
    return [f"n = {record.sizes['position']}", f"geometric mean of the length scales {mean:.3g}", seeds]


def heights(gains: np.ndarray) -> np.ndarray:
    """Where gains stand in a map: at their logarithm, infinity a cell and a gap above the last.

    >>> heights(np.array([1.0, 10.0, np.inf])).tolist()
    [0.0, 1.0, 2.6]
    """
    finite = np.isfinite(gains)
    log = np.log10(gains[finite])
    cell = log[-1] - log[-2] if len(log) > 1 else 1.0
    return np.append(log, np.full((~finite).sum(), (log[-1] if len(log) else 0.0) + (1 + GAP) * cell))


def _edges(places: np.ndarray, width: float) -> np.ndarray:
    """The edges of cells around places; one place alone has a cell of that width."""
    if len(places) < 2:
        return np.array([places[0] - width / 2, places[0] + width / 2])
    middle = (places[1:] + places[:-1]) / 2
    return np.concatenate([[2 * places[0] - middle[0]], middle, [2 * places[-1] - middle[-1]]])


def _map(axes: Any, record: xr.Dataset, values: xr.DataArray) -> None:
    """The values of all settings, those at gain infinity in a row of their own."""
    gains, places = record.gain.values, np.log2(record.ratio.values)
    at, finite = heights(gains), np.isfinite(gains)
    cell = at[finite][-1] - at[finite][-2] if finite.sum() > 1 else 1.0
    for part in (finite, ~finite):
        if part.any():
            edges = _edges(places, 1.0), _edges(at[part], cell)
            axes.pcolormesh(*edges, values.values[part], cmap=SEQUENTIAL, vmin=0, vmax=1, rasterized=True)
    ticks = [gain for gain in GAINS if gains[0] <= gain <= gains[finite].max(initial=0.0)]
    labels = [gain_text(gain) for gain in (*ticks, *gains[~finite])]
    axes.set_yticks([*np.log10(ticks), *at[~finite]], labels)
    shown = {ratio: name for ratio, name in RATIOS.items() if 2 ** (places[0] - 0.01) <= ratio <= 2 ** (places[-1] + 0.01)}
    axes.set_xticks(np.log2(list(shown)), list(shown.values()))


def _line(axes: Any, record: xr.Dataset, values: xr.DataArray, colour: str, style: str = "solid") -> None:
    """The line where values are zero, among finite gains."""
    finite = np.isfinite(record.gain.values)
    there = values.values[finite]
    if min(there.shape) < 2 or not there.min() < 0 < there.max():
        return
    places = np.log2(record.ratio.values), np.log10(record.gain.values[finite])
    lines = axes.contour(*places, there, levels=[0.0], colors=colour, linewidths=1.5, linestyles=style)
    lines.set_path_effects(OUTLINE)


def _at_infinity(axes: Any, record: xr.Dataset) -> None:
    """Trained fields at the largest gain, and the exact states of the cube where they exist."""
    places, top = np.log2(record.ratio.values), record.isel(gain=-1)
    if np.isinf(float(top.gain)):
        for sites in record.sites.values.tolist():
            style, name = STATES[sites]
            values = record.state_ipr.sel(sites=sites).where(record.state_exists.sel(sites=sites))
            axes.plot(places, values, **{**THEORY, "linestyle": style}, label=name)
    for k, (colour, marker) in enumerate(TIMES):
        values = top.ipr.isel(when=k)
        for seed in values.transpose("seed", "ratio").values:
            axes.plot(places, seed, marker, color=colour, markersize=2.5, alpha=0.45, markeredgewidth=0)
        name = f"SGD, {float(record.time[k]):,.0f} τ"
        axes.plot(places, values.median("seed"), marker, color=colour, markersize=5, label=name)
    axes.plot(places, top.closure_ipr.isel(when=1).median("seed"), "x", color="black", markersize=4, label="closure, late")
    axes.set(xlabel="ratio of the length scales, positive over negative class", ylabel="IPR", ylim=(0, 1.03))
    shown = {ratio: name for ratio, name in RATIOS.items() if places[0] - 0.01 <= np.log2(ratio) <= places[-1] + 0.01}
    axes.set_xticks(np.log2(list(shown)), list(shown.values()))
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
