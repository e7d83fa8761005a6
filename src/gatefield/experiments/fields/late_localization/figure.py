"""Where and when fields localize, and the exact states they end in."""

from itertools import pairwise
from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.late_localization.verdicts import time_to_localize
from gatefield.measures import LOCALIZED
from gatefield.plot import DATA, SEQUENTIAL, THEORY, WIDTH, end_labels, gain_text, letter, plain_log_scale, say_setting, shades

EXAMPLES = 5
"""How many ends are drawn."""
MARKERS = "os^Dv"
"""Of pairs whose positive class has the shorter range."""
KINDS = {1: "longer\nrange\npositive", 0: "same\nrange", -1: "shorter\nrange\npositive"}
"""Which range is positive."""
DARK = 0.45
"""IPR up to which the colour of a cell is so dark that its text is white."""
OTHERS = "0.6"
"""Colour of pairs whose positive class has no shorter range."""


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    pairs = record.sizes["pair"]
    drawn = Figure(figsize=(WIDTH, 4.4 + 0.27 * pairs))
    top, middle, bottom = cast(Any, drawn.subfigures(3, 1, height_ratios=[0.9 + 0.28 * pairs, 2.3, 1.7]))
    table, over_time = top.subplots(), middle.subplots()
    _table(table, record)
    _over_time(over_time, record)
    ends = _examples(bottom, record)
    gain = gain_text(float(record.gain[-1]))
    titles = [
        "median IPR at the end, also by colour; in brackets the time until it localized (τ)",
        f"gain {gain}: {_wait_text(record)}",
        f"ends at gain {gain}: SGD (dots) and the exact state of few sites that it is (lines)",
    ]
    letter([table, over_time, ends], titles)
    ends.set_title(ends.get_title(loc="left"), loc="left", pad=20)  # above the names of the ends
    n, seeds = f"n = {record.sizes['position']}", f"{record.sizes['seed']} seeds"
    localized = f"localized: IPR of {LOCALIZED:g} or more ((–): not reached; no bracket: by {float(record.time[1]):,.0f} τ)"
    seeds_are = "(b) medians; thin: seeds of the slowest pair, ticks and diamond: where they and their median localize"
    ends_are = "open marks: IPR of the mean of late fields, as in (a)"
    bold = "bold: those of the title"
    time = f"{float(record.time[-1]):,.0f} τ"
    say_setting(drawn, n, time, seeds, localized, bold, seeds_are, ends_are)
    return drawn


def _table(axes: Any, record: xr.Dataset) -> None:
    """The median IPR of each pair and gain and the time it took; at the side which range is positive."""
    medians = record.end_ipr.median("seed")
    axes.imshow(medians, vmin=0, vmax=1, cmap=SEQUENTIAL, aspect="auto")
    for i, g in np.ndindex(*medians.shape):
        look: Any = {"color": "w" if float(medians[i, g]) < DARK else "k", "ha": "center", "va": "center", "fontsize": 7.0}
        text = cell_text(record.isel(pair=i, gain=g))
        bold = _kinds(record)[i] < 0 and not text.endswith("(–)")  # those that the headline counts
        axes.text(g, i, text, fontweight="bold" if bold else "normal", **look)
    axes.set_xticks(range(record.sizes["gain"]), [gain_text(g) for g in record.gain.values])
    axes.set_yticks(range(record.sizes["pair"]), [_pair_text(record, i) for i in range(record.sizes["pair"])])
    axes.set(xlabel="gain", ylabel="length scales\n(positive, negative)")
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    kinds = _kinds(record)
    starts = [0, *(np.flatnonzero(np.diff(kinds)) + 1).tolist(), len(kinds)]
    for low, high in pairwise(starts):
        words: Any = {"va": "center", "ha": "left", "fontsize": 7.5, "transform": axes.get_yaxis_transform()}
        name = KINDS[int(kinds[low])]
        name = name if high - low > name.count("\n") else name.replace("\n", " ", 1)
        axes.annotate(name, (1.01, (low + high - 1) / 2), xycoords=words.pop("transform"), **words)
        if low:
            axes.axhline(low - 0.5, color="w", linewidth=2.5)


def _kinds(record: xr.Dataset) -> np.ndarray:
    """Of each pair: 1 if the positive class has the longer range, 0 if both have the same, -1 if it has the shorter one."""
    return np.sign(record.xi1.values - record.xi0.values).astype(int)


def cell_text(cell: xr.Dataset) -> str:
    """The median IPR of a setting, and the median time of those that localized, if half of them did."""
    ipr, time = float(cell.end_ipr.median()), float(time_to_localize(cell))
    if not np.isfinite(time):
        return f"{ipr:.2f} (–)"
    at_once = time <= float(cell.time[1])  # at the first record after the start it may have been so before
    return f"{ipr:.2f}" if at_once else f"{ipr:.2f} ({_time_text(time)})"


def _time_text(time: float) -> str:
    return f"{time:.0f}" if time < 1000 else f"{time / 1000:.1f}k"


def _pair_text(record: xr.Dataset, i: int) -> str:
    return f"{float(record.xi1[i]):g}, {float(record.xi0[i]):g}"


def _wait_text(record: xr.Dataset) -> str:
    """How long fields of the largest gain wait, where the positive class has the shorter range."""
    kinds = _kinds(record)
    if not (kinds < 0).any():
        return f"all {len(kinds)} pairs (grey)"
    times, others = time_to_localize(record.isel(gain=-1, pair=kinds < 0)), int((kinds >= 0).sum())
    wait = f"it takes up to {float(times.max()):,.0f} τ in the median" if times.notnull().all() else "some never localize"
    return f"with the shorter range positive {wait}" + (f" ({others} other pairs: grey)" if others else "")


def _over_time(axes: Any, record: xr.Dataset) -> None:
    """The IPR of every pair at the largest gain; those whose positive class has the shorter range in colour and named."""
    late, kinds = record.isel(step=slice(1, None), gain=-1), _kinds(record)
    shorter = np.flatnonzero(kinds < 0).tolist()
    looks = dict(zip(shorter, shades(len(shorter), between=(0.0, 0.75)), strict=True))
    ends = late.end_ipr.median("seed").values
    for i in sorted(range(len(kinds)), key=lambda i: i in looks):
        look: Any = {"color": looks.get(i, OTHERS), "linewidth": 1.3 if i in looks else 0.9}
        marker = MARKERS[shorter.index(i) % 5] if i in looks else ""
        path = late.ipr.isel(pair=i).median("seed")
        axes.plot(late.time, path, marker=marker, markersize=3.5, markevery=0.12, **look, label=_pair_text(record, i))
        open_mark: Any = {"color": look["color"], "markerfacecolor": "none", "markersize": 5, "clip_on": False}
        axes.plot([1.12 * float(late.time[-1])], [ends[i]], marker or "o", **open_mark)
    axes.axhline(LOCALIZED, color="0.4", linewidth=1.0, linestyle=":")
    plain_log_scale(axes, "x")
    axes.set(xlabel="time (τ)", ylabel="IPR", ylim=(0, 1.04))
    names = [*(_pair_text(record, i) for i in shorter), f"localized: {LOCALIZED:g}"]
    end_labels(axes, [*ends[shorter], LOCALIZED], names, [*looks.values(), "0.35"], apart=0.17)
    _crossings(axes, late, looks)


def _crossings(axes: Any, late: xr.Dataset, looks: dict[int, Any]) -> None:
    """Of the pair that takes longest: seeds as thin lines, ticks where they localize, a diamond at the median time."""
    times = {i: float(time_to_localize(late.isel(pair=i))) for i in looks}
    times = {i: time for i, time in times.items() if np.isfinite(time)}
    if not times:
        return
    last = max(times, key=lambda i: times[i])
    one, color = late.isel(pair=last), looks[last]
    axes.plot(late.time, one.ipr.transpose("step", "seed"), color=color, linewidth=0.5, alpha=0.5, zorder=1.5)
    level = np.full(one.sizes["seed"], LOCALIZED)
    axes.plot(one.localized_at, level, "|", color=color, markersize=9, markeredgewidth=1.0)
    axes.plot([times[last]], [LOCALIZED], "D", color=color, markersize=4.5, markeredgecolor="white", zorder=4)


def _examples(part: Any, record: xr.Dataset) -> Any:
    """Ends at the largest gain, each beside the exact state that it is. **Returns** what has their common title."""
    chosen = examples(record)
    grid = part.add_gridspec(1, len(chosen))
    whole = part.add_subplot(grid[:])
    whole.axis("off")
    panels = [part.add_subplot(grid[0])]
    panels += [part.add_subplot(grid[k], sharey=panels[0]) for k in range(1, len(chosen))]
    n = record.sizes["position"]
    away = np.arange(n) - n // 2
    for axes, (i, seed) in zip(panels, chosen, strict=True):
        one = record.isel(pair=i, gain=-1, seed=seed)
        end, sites = one.end.values, int(one.reached)
        state = one.state.sel(sites=sites).values if sites else None
        axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
        if state is not None:
            axes.plot(away, state, **THEORY, linewidth=1.0, label="exact")
        axes.plot(away, _turned(end, state), **DATA, markersize=3, color="C0", label="SGD")
        axes.set(xlim=(-7.5, 7.5))
        axes.tick_params(labelleft=axes is panels[0])
        axes.set_title(f"{_pair_text(record, i)}: {_sites_text(sites)}", loc="left", fontsize=8)
    panels[0].set_ylabel("weight")
    ends = np.array([axes.lines[-1].get_ydata() for axes in panels])  # as they are turned
    most = float(np.abs(ends).max())
    panels[0].set_ylim(-1.15 * most if ends.min() < -0.3 * most else -0.3 * most, 1.25 * most)
    part.supxlabel("site, from the middle of the state", fontsize=9)
    return whole


def _sites_text(sites: int) -> str:
    return {0: "no state", 1: "1 site"}.get(sites, f"{sites} sites")


def examples(record: xr.Dataset) -> list[tuple[int, int]]:
    """Pairs and seeds to draw: one of every number of sites that was reached, where most runs have it, and of other pairs."""
    reached = record.reached.isel(gain=-1).values
    out: list[tuple[int, int]] = []
    for sites in sorted(set(reached[reached > 0].tolist())):
        i = int((reached == sites).sum(axis=1).argmax())
        out.append((i, int(np.flatnonzero(reached[i] == sites)[0])))
    others = [i for i in range(len(reached)) if i not in {pair for pair, _ in out}]
    others.sort(key=lambda i: float(record.xi1[i] / record.xi0[i]))
    return sorted([*out, *((i, 0) for i in others)][:EXAMPLES])


def _turned(end: np.ndarray, state: np.ndarray | None) -> np.ndarray:
    """The field shifted and its sign chosen such that it is most like the state, or has its largest entry in the middle."""
    like = np.eye(len(end))[len(end) // 2] if state is None else state
    products = np.array([np.roll(end, k) @ like for k in range(len(end))])
    at = int(np.abs(products).argmax())
    return np.roll(end, at) * np.sign(products[at])
