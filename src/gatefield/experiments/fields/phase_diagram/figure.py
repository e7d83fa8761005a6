"""The maps of simulation and closure, the cut at gain infinity, and rings of several sizes."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from gatefield.experiments.fields.phase_diagram.boundary import falls, from_gain, inside
from gatefield.experiments.localized import LOCALIZED
from gatefield.plot import SEQUENTIAL, THEORY, WIDTH, finite_join, gain_places, gain_text, letter, say_setting, shades

GAINS, RATIOS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0), {0.125: "1/8", 0.25: "1/4", 0.5: "1/2", 1: "1", 2: "2", 4: "4", 8: "8"}
"""Where ticks may stand."""
SIMULATED = "#D55E00"
"""The line of the simulation over a map of theory."""
GAP = 0.6
"""Between the largest finite gain and infinity, in heights of a cell."""
OUTLINE = [withStroke(linewidth=3.0, foreground="white")]
"""Around lines over a map, which is dark at one end."""
STATES = {1: ("-", "1 site, exact"), 3: ("--", "3 sites"), 5: (":", "5 sites"), 7: ("-.", "7 sites")}


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    drawn = Figure(figsize=(WIDTH, 8.4))
    maps, bottom = cast(Any, drawn.subfigures(2, 1, height_ratios=[2.5, 1.0]))
    panels, cube = maps.subplots(2, 2, sharex=True, sharey=True), bottom.subplots()
    times = [f"{float(time):,.0f} τ" for time in record.time]
    simulation, closure = record.ipr.median("seed"), record.closure_ipr.median("seed")
    image = None
    for k in range(len(times)):
        image = _map(panels[0, k], record, simulation.isel(when=k))
        _line(panels[0, k], record, closure.isel(when=k) - LOCALIZED, "black")
        _map(panels[1, k], record, closure.isel(when=k))
        _line(panels[1, k], record, simulation.isel(when=k) - LOCALIZED, SIMULATED)
    _line(panels[0, -1], record, record.wave_loss - record.site_loss, "black", "dashed")
    bar = maps.colorbar(image, ax=panels, label="IPR, median over seeds", pad=0.02, aspect=40)
    bar.ax.axhline(LOCALIZED, color="black", linewidth=1.5, path_effects=OUTLINE)
    for axes in panels[1]:
        axes.set_xlabel("ratio of the length scales\npositive over negative class")
    for axes in panels[:, 0]:
        axes.set_ylabel("gain")
    _at_infinity(cube, record)
    lines = ["line: closure", "line: closure; dashed: equal loss"], ["line: simulation"] * 2
    names = ("simulation", "closure")
    titles = [
        f"{name}, {time}; {line}" for name, row in zip(names, lines, strict=True) for time, line in zip(times, row, strict=True)
    ]
    letter([*panels.ravel(), cube], [*titles, f"gain {gain_text(float(record.gain[-1]))}"])
    say_setting(
        drawn,
        *_setting(record),
        f"lines and mark on the scale: IPR of {LOCALIZED:g}",
        "equal loss: of one site and the best wave",
    )
    return drawn


def _setting(record: xr.Dataset) -> list[str]:
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


def _map(axes: Any, record: xr.Dataset, values: xr.DataArray) -> Any:
    """The values of all settings, those at gain infinity in a row of their own."""
    gains, places = record.gain.values, np.log2(record.ratio.values)
    at, finite = heights(gains), np.isfinite(gains)
    cell = at[finite][-1] - at[finite][-2] if finite.sum() > 1 else 1.0
    image = None
    for part in (finite, ~finite):
        if part.any():
            edges = _edges(places, 1.0), _edges(at[part], cell)
            image = axes.pcolormesh(*edges, values.values[part], cmap=SEQUENTIAL, vmin=0, vmax=1, rasterized=True)
    ticks = [gain for gain in GAINS if gains[0] <= gain <= gains[finite].max(initial=0.0)]
    labels = [gain_text(gain) for gain in (*ticks, *gains[~finite])]
    axes.set_yticks([*np.log10(ticks), *at[~finite]], labels)
    shown = {ratio: name for ratio, name in RATIOS.items() if 2 ** (places[0] - 0.01) <= ratio <= 2 ** (places[-1] + 0.01)}
    axes.set_xticks(np.log2(list(shown)), list(shown.values()))
    return image


def _line(axes: Any, record: xr.Dataset, values: xr.DataArray, colour: str, style: str = "solid") -> None:
    """The line where values are zero, among finite gains."""
    finite = np.isfinite(record.gain.values)
    if finite.sum() < 2 or record.sizes["ratio"] < 2:
        return
    places = np.log2(record.ratio.values), np.log10(record.gain.values[finite])
    lines = axes.contour(*places, values.values[finite], levels=[0.0], colors=colour, linewidths=1.5, linestyles=style)
    lines.set_path_effects(OUTLINE)


def _at_infinity(axes: Any, record: xr.Dataset) -> None:
    """Trained fields at the largest gain, and the exact states of the cube where they exist."""
    places, top = np.log2(record.ratio.values), record.isel(gain=-1)
    if np.isinf(float(top.gain)):
        for sites in record.sites.values.tolist():
            style, name = STATES[sites]
            values = record.state_ipr.sel(sites=sites).where(record.state_exists.sel(sites=sites))
            axes.plot(places, values, **{**THEORY, "linestyle": style}, label=name)
    for k, (colour, marker) in enumerate((("C5", "s"), ("C0", "o"))):
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


def more(record: xr.Dataset) -> Figure:
    """Rings of several sizes along the cuts."""
    cuts = record.sizes["cut"]
    drawn = Figure(figsize=(WIDTH, 0.9 + 2.1 * cuts))
    panels = drawn.subplots(cuts, 3, sharex=True, squeeze=False)
    power, titles = falls(record.cut_ipr), []
    for row, cut in zip(panels, record.cut.values, strict=True):
        for k, axes in enumerate(row[:2]):
            _sizes(axes, record, record.cut_ipr.sel(cut=cut).isel(when=k))
            titles.append(f"ratio {cut:g}, {float(record.time[k]):,.0f} τ")
        _powers(row[2], record, power.sel(cut=cut))
        titles.append(f"ratio {cut:g}, fall with n")
        for axes in row:
            _equal_losses(axes, record, cut)
        row[0].set_ylabel("IPR")
        row[2].set_ylabel("power of 1/n")
    for axes in panels[-1]:
        axes.set_xlabel("gain")
    panels[0, 0].legend(loc="upper left", handlelength=1.2, borderaxespad=0.2)
    panels[0, 2].legend(loc="upper left", handlelength=1.2, borderaxespad=0.2)
    letter(panels.ravel(), titles)
    say_setting(drawn, *_setting(record)[1:], "medians over seeds; dotted level: from there on localized; dashed: equal losses")
    return drawn


def _sizes(axes: Any, record: xr.Dataset, ipr: xr.DataArray) -> None:
    """The median IPR over the gain, a shade for each size of the ring."""
    for shade, size in zip(shades(record.sizes["size"]), record["size"].values, strict=True):
        places, values = finite_join(record.cut_gain.values, ipr.sel(size=size).median("seed").values)
        axes.plot(places, values, "o-", color=shade, markersize=3, linewidth=1.0, label=f"n = {size}")
    axes.axhline(LOCALIZED, color="0.5", linewidth=0.8, linestyle=":")
    axes.set_ylim(0, 1.03)
    _few_gains(axes, record.cut_gain.values)


def _powers(axes: Any, record: xr.Dataset, power: xr.DataArray) -> None:
    for k, (colour, marker) in enumerate((("C5", "s"), ("C0", "o"))):
        places, values = finite_join(record.cut_gain.values, power.isel(when=k).values)
        axes.plot(places, values, marker, color=colour, markersize=4, label=f"{float(record.time[k]):,.0f} τ")
    for level in (0.0, 1.0):
        axes.axhline(level, color="0.5", linewidth=0.8, linestyle=":")
    axes.set_ylim(-0.3, 1.5)
    _few_gains(axes, record.cut_gain.values)


def _equal_losses(axes: Any, record: xr.Dataset, cut: float) -> None:
    """A dashed line at the gain at which one site and the best wave have the same loss, at the ratio nearest to the cut."""
    one, gains = record.sel(ratio=cut, method="nearest"), record.cut_gain.values
    line = from_gain(one.wave_loss - one.site_loss, 0.0, record.gain.values)
    if inside(line, record.gain.values) and inside(line, gains):
        finite = np.isfinite(gains)
        at = np.interp(np.log(line), np.log(gains[finite]), gain_places(gains)[finite])
        axes.axvline(at, color="black", linestyle="--", linewidth=1.0)


def _few_gains(axes: Any, gains: np.ndarray) -> None:
    """Names at the gains nearest to round numbers, and at infinity."""
    places = gain_places(gains)
    finite = np.flatnonzero(np.isfinite(gains))
    ticks = [gain for gain in GAINS if gains[0] <= gain <= gains[finite].max(initial=0.0)]
    at = [float(np.interp(np.log(gain), np.log(gains[finite]), places[finite])) for gain in ticks]
    infinite = np.flatnonzero(np.isinf(gains))
    axes.set_xticks([*at, *places[infinite]], [gain_text(gain) for gain in (*ticks, *gains[infinite])])
