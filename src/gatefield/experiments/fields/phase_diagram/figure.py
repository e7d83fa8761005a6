"""The maps of simulation and closure, and the cut at gain infinity."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from gatefield.experiments.fields.phase_diagram.boundary import disagree, localized
from gatefield.measures import LOCALIZED
from gatefield.plot import DIVERGING, THEORY, WIDTH, gain_text, letter, one_median, say_setting

GAINS, RATIOS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0), {0.125: "1/8", 0.25: "1/4", 0.5: "1/2", 1: "1", 2: "2", 4: "4", 8: "8"}
"""Where ticks may stand."""
TIMES = (("C1", "s"), ("C0", "o"))
"""Colour and marker of the first and of the second time."""
GAP = 0.6
"""Between the largest finite gain and infinity, in heights of a cell."""
OUTLINE = [withStroke(linewidth=3.0, foreground="white")]
"""Around lines over a map, which is dark at both ends."""
CROSS = 42.0
"""Size, in points, that crosses of a row of cells share."""
OFF: dict[str, Any] = {"color": "black", "marker": "x", "markersize": 5, "markeredgewidth": 1.2}
"""Marks where only one of SGD and closure localizes, a grid step around."""
SIDES = "← shorter    range positive    longer →\nratio of the length scales"
SCALE = "ratio of the length scales, positive over negative class"
STATES = {1: ("-", "1 site, exact"), 3: ("--", "3 sites"), 5: (":", "5 sites"), 7: ("-.", "7 sites")}


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    drawn = Figure(figsize=(WIDTH, 7.6))
    top, bottom = cast(Any, drawn.subfigures(2, 1, height_ratios=[2.55, 1.0]))
    panels, cube = _maps(top, record), bottom.subplots()
    _at_infinity(cube, record)
    times = [f"{float(time):,.0f} τ" for time in record.time]
    above = [f"SGD, {time}: closure off at\n{_off_text(each)}" for time, each in zip(times, _wrong(record), strict=True)]
    found = [[int(localized(values).isel(when=k).sum()) for values in (record.closure_ipr, record.ipr)] for k in range(2)]
    same = [f"alike within one grid step at {int((~each).sum())} of {each.size}" for each in _wrong(record)]
    below = [
        f"closure, {time}: {theory} localize (SGD: {sgd}),\n{words}"
        for time, (theory, sgd), words in zip(times, found, same, strict=True)
    ]
    letter([*panels.ravel(), cube], [*above, *below, _infinite_words(record)])
    ratio = "ratio: length scale of the positive class over that of the negative one"
    closure = "closure: theory that takes the rest of a gate's input as Gaussian"
    say_setting(drawn, *setting(record), ratio, closure, "(e) lines stop where the exact state does not exist")
    return drawn


def _off_text(wrong: xr.DataArray) -> str:
    """At how many settings they differ, on either side of ratio 1, as the headline counts them."""
    parts = [(wrong.ratio < 1, "below ratio 1"), (wrong.ratio >= 1, "from 1 on")]
    counts = [(wrong.isel(ratio=which.values), name) for which, name in parts if which.any()]
    return ", ".join(f"{int(part.sum())} of {part.size} {name}" for part, name in counts)


def _wrong(record: xr.Dataset) -> xr.DataArray:
    """Where closure and simulation differ by more than one step of the grid, at both times."""
    return disagree(localized(record.ipr), localized(record.closure_ipr)).transpose("when", "gain", "ratio")


def _maps(part: Any, record: xr.Dataset) -> Any:
    """Simulation above, with the line of the closure; the closure below; marks where they differ. **Returns** the panels."""
    panels, wrong = part.subplots(2, 2, sharex=True, sharey=True), _wrong(record)
    for k, column in enumerate(panels.T):
        both = [values.isel(when=k).median("seed") for values in (record.ipr, record.closure_ipr)]
        for axes, values in zip(column, both, strict=True):
            _map(axes, record, values)
            axes.set(ylabel="" if k else "gain", xlabel=SIDES if axes is column[1] else "")
        _line(column[0], record, both[1] - LOCALIZED, "black")
        _marks(column[0], record, wrong.isel(when=k).values)
    for axes in panels.ravel():
        axes.vlines(0.0, *axes.get_ylim(), colors="black", linestyles=":", linewidths=0.8)
    ticks = [0.0, 0.05, 0.1, LOCALIZED, 0.4, 0.6, 0.8, 1.0]
    bar = part.colorbar(panels[0, 0].collections[0], ax=panels, pad=0.02, aspect=40, ticks=ticks)
    bar.set_label(f"IPR, median over seeds; localized from {LOCALIZED:g} on")
    part.legend(handles=_looks(), loc="outside lower center", ncols=3, columnspacing=1.2)
    return panels


def _looks() -> list[Line2D]:
    """What lines and marks in the maps are."""
    names: dict[str, dict[str, Any]] = {
        f"IPR {LOCALIZED:g} of the closure": THEORY,
        "off: by more than one grid step": {"linestyle": "", **OFF},
    }
    return [Line2D([], [], label=name, **look) for name, look in names.items()]


def _marks(axes: Any, record: xr.Dataset, far: np.ndarray) -> None:
    """A cross on each setting at which only one of two maps is localized, and settings beside it do not agree."""
    places, at = np.log2(record.ratio.values), heights(record.gain.values)
    size = max(2.5, min(5.0, CROSS / max(map(len, (places, at)))))
    rows, columns = np.nonzero(far)
    axes.plot(places[columns], at[rows], linestyle="", label="off", **{**OFF, "markersize": size})


def setting(record: xr.Dataset) -> list[str]:
    """What both figures depend on."""
    mean, seeds = float(record.attrs["mean_length"]), f"{record.sizes['seed']} seeds"
    batch = f"{int(record.attrs['steps']):,} batches of {int(record.attrs['batch_size']):,}"
    return [f"n = {record.sizes['position']}", f"geometric mean of the length scales {mean:.3g}", seeds, batch]


def heights(gains: np.ndarray) -> np.ndarray:
    """Where gains stand in a map: at their logarithm, infinity a cell and a gap above the last.

    >>> heights(np.array([1.0, 10.0, np.inf])).tolist()
    [0.0, 1.0, 2.6]
    """
    finite = np.isfinite(gains)
    log, cell = np.log10(gains[finite]), _row(gains)
    return np.append(log, np.full((~finite).sum(), (log[-1] if len(log) else 0.0) + (1 + GAP) * cell))


def _row(gains: np.ndarray) -> float:
    """The height of the row of gain infinity: that of a cell, but not so low that its name runs into the one below."""
    log = np.log10(gains[np.isfinite(gains)])
    return max(log[-1] - log[-2], (log[-1] - log[0]) / 14) if len(log) > 1 else 1.0


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
    scale = TwoSlopeNorm(LOCALIZED, 0.0, 1.0)
    axes.set_facecolor("0.88")  # white is a value
    for part in (finite, ~finite):
        if part.any():
            edges = _edges(places, 1.0), _edges(at[part], _row(gains))
            axes.pcolormesh(*edges, values.values[part], cmap=DIVERGING, norm=scale, rasterized=True)
    ticks = [gain for gain in GAINS if gains[0] <= gain <= gains[finite].max(initial=0.0)]
    labels = [gain_text(gain) for gain in (*ticks, *gains[~finite])]
    axes.set_yticks([*np.log10(ticks), *at[~finite]], labels)
    shown = {ratio: name for ratio, name in RATIOS.items() if 2 ** (places[0] - 0.01) <= ratio <= 2 ** (places[-1] + 0.01)}
    axes.set_xticks(np.log2(list(shown)), list(shown.values()))


def _line(axes: Any, record: xr.Dataset, values: xr.DataArray, colour: str) -> None:
    """The line where values are zero, among finite gains."""
    finite = np.isfinite(record.gain.values)
    there = values.values[finite]
    if min(there.shape) < 2 or not there.min() < 0 < there.max():
        return
    places = np.log2(record.ratio.values), np.log10(record.gain.values[finite])
    lines = axes.contour(*places, there, levels=[0.0], colors=colour, linewidths=1.5)
    lines.set_path_effects(OUTLINE)


def _at_infinity(axes: Any, record: xr.Dataset) -> None:
    """Trained fields at the largest gain, and the exact states of the cube where they exist."""
    places, top = np.log2(record.ratio.values), record.isel(gain=-1)
    if np.isinf(float(top.gain)):
        for sites in record.sites.values.tolist():
            style, name = STATES[sites]
            values = record.state_ipr.sel(sites=sites).where(record.state_exists.sel(sites=sites))
            axes.plot(places, values, **{**THEORY, "linestyle": style}, label=name)
    width = min(0.1, 0.3 * float(np.min(np.diff(places)))) if len(places) > 1 else 0.1
    for k, (colour, marker) in enumerate(TIMES):
        values, at = top.ipr.isel(when=k), places + (k - 0.5) * width
        for seed in values.transpose("seed", "ratio").values:
            axes.plot(at, seed, marker, color=colour, markersize=3, alpha=0.5, markeredgewidth=0)
        look: Any = {"markersize": 6, "markerfacecolor": "none", "markeredgewidth": 1.3, "color": colour}
        axes.plot(at, one_median(values), marker, label=f"SGD, {float(record.time[k]):,.0f} τ", **look)
    closure = one_median(top.closure_ipr.isel(when=1))
    axes.plot(places, closure, "x", color="black", markersize=4, label=f"closure, {float(record.time[1]):,.0f} τ")
    axes.axhline(LOCALIZED, color="0.5", linewidth=0.8, linestyle=":", zorder=0)
    axes.set(xlabel=SCALE, ylabel="IPR", ylim=(0, 1.06))
    shown = {ratio: name for ratio, name in RATIOS.items() if places[0] - 0.01 <= np.log2(ratio) <= places[-1] + 0.01}
    axes.set_xticks(np.log2(list(shown)), list(shown.values()))
    axes.legend(
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        title="small: seeds; large: medians,\nwhere seeds lie together",
        title_fontsize=8,
    )


def _infinite_words(record: xr.Dataset) -> str:
    """At how many ratios fields are localized at the largest gain, early and late."""
    top, ratios = localized(record.ipr).isel(gain=-1), record.sizes["ratio"]
    early, late = (int(top.isel(when=k).sum()) for k in range(2))
    times = [f"{float(time):,.0f} τ" for time in record.time]
    gain = gain_text(float(record.gain[-1]))
    return f"gain {gain}: fields localize at {early} of {ratios} ratios within {times[0]}, at {late} within {times[1]}"
