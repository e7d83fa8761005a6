"""Where and when fields localize, and the exact states they end in."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.late_localization.verdicts import time_to_localize
from gatefield.experiments.localized import LOCALIZED
from gatefield.plot import DATA, SEQUENTIAL, THEORY, WIDTH, gain_text, letter, plain_log_scale, say_setting, shades

EXAMPLES = 5
"""How many ends are drawn."""
STYLES = {1: "-", 0: ":", -1: "--"}
"""Of pairs whose positive class has the longer range, the same, the shorter one."""
MARKERS = "os^Dv"
"""Of pairs of one of these kinds."""
MAPS: Any = {1: ("Blues_r", (0.1, 0.5)), 0: ("Greys_r", (0.0, 0.5)), -1: ("Oranges_r", (0.15, 0.55))}
"""Their shades."""


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    pairs = record.sizes["pair"]
    drawn = Figure(figsize=(WIDTH, 4.6 + 0.27 * pairs))
    top, middle, bottom = cast(Any, drawn.subfigures(3, 1, height_ratios=[0.8 + 0.3 * pairs, 2.0, 1.6]))
    table, over_time = top.subplots(), middle.subplots()
    _table(table, record)
    _over_time(over_time, record)
    ends = _examples(bottom, record)
    gain = gain_text(float(record.gain[-1]))
    titles = [
        "median IPR at the end; in brackets the time to localize (τ)",
        f"gain {gain}: when they localize; open marks: ends, as in (a)",
    ]
    letter([table, over_time, ends], [*titles, ends.get_title(loc="left")])
    n, seeds = f"n = {record.sizes['position']}", f"{record.sizes['seed']} seeds"
    localized = f"localized: IPR of {LOCALIZED:g} and more (–: not reached)"
    ends_are = "ends: without the noise of batches, which lowers the IPR of lines"
    say_setting(drawn, n, f"{float(record.time[-1]):,.0f} τ", seeds, localized, ends_are, f"(c): gain {gain}")
    return drawn


def _table(axes: Any, record: xr.Dataset) -> None:
    """The median IPR of each pair and gain, with the number of sites of the state and the time it took."""
    medians = record.end_ipr.median("seed")
    image = axes.imshow(medians, vmin=0, vmax=1, cmap=SEQUENTIAL, aspect="auto")
    for i, g in np.ndindex(*medians.shape):
        colour = "w" if float(medians[i, g]) < 0.6 else "k"
        axes.text(g, i, cell_text(record.isel(pair=i, gain=g)), ha="center", va="center", fontsize=8, color=colour)
    axes.set_xticks(range(record.sizes["gain"]), [gain_text(g) for g in record.gain.values])
    axes.set_yticks(range(record.sizes["pair"]), [_pair_text(record, i) for i in range(record.sizes["pair"])])
    axes.set(xlabel="gain", ylabel="length scales\n(pos., neg.)")
    axes.figure.colorbar(image, ax=axes, label="IPR", pad=0.02)


def cell_text(cell: xr.Dataset) -> str:
    """The median IPR of a setting, and the median time of those that localized, if half of them did."""
    ipr, time = float(cell.end_ipr.median()), float(time_to_localize(cell))
    return f"{ipr:.2f} ({_time_text(time)})" if np.isfinite(time) else f"{ipr:.2f} (–)"


def _time_text(time: float) -> str:
    return f"{time:.0f}" if time < 1000 else f"{time / 1000:.1f}k"


def _pair_text(record: xr.Dataset, i: int) -> str:
    return f"{float(record.xi1[i]):g}, {float(record.xi0[i]):g}"


def _over_time(axes: Any, record: xr.Dataset) -> None:
    """The IPR of every pair at the largest gain: dashed if the positive class has the shorter range, dotted if none has."""
    late = record.isel(step=slice(1, None), gain=-1)
    kinds = np.sign(record.xi1.values - record.xi0.values).astype(int)
    for kind, style in STYLES.items():
        which = np.flatnonzero(kinds == kind).tolist()
        for at, (i, colour) in enumerate(zip(which, shades(len(which), *MAPS[kind]), strict=True)):
            path, marker = late.ipr.isel(pair=i).median("seed"), MARKERS[at % 5]
            look: Any = {"color": colour, "marker": marker, "markersize": 3.5, "markevery": 0.12, "linewidth": 1.1}
            axes.plot(late.time, path, linestyle=style, **look, label=_pair_text(record, i))
            end = float(late.end_ipr.isel(pair=i).median("seed"))
            open_mark: Any = {"color": colour, "markerfacecolor": "none", "markersize": 6, "clip_on": False}
            axes.plot([1.12 * float(late.time[-1])], [end], marker, **open_mark)
    axes.axhline(LOCALIZED, color="0.5", linewidth=0.8, linestyle=":")
    words: Any = {"ha": "right", "va": "bottom", "fontsize": 7.5, "color": "0.35", "transform": axes.get_yaxis_transform()}
    axes.text(0.99, LOCALIZED + 0.01, f"localized: {LOCALIZED:g}", **words)
    plain_log_scale(axes, "x")
    axes.set(xlabel="time (τ)", ylabel="median IPR", ylim=(0, 1.04))
    title = "length scales\nline: longer\ndots: same\ndashes: shorter\nrange positive"
    axes.legend(
        loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=2.8, title=title, title_fontsize=8, borderaxespad=0.3
    )


def _examples(part: Any, record: xr.Dataset) -> Any:
    """Ends at the largest gain, each beside the exact state that it is. **Returns** the first panel."""
    chosen = examples(record)
    panels = part.subplots(1, len(chosen), sharey=True, squeeze=False)[0]
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
        axes.set_title(f"{_pair_text(record, i)}: {_sites_text(sites)}", loc="left", fontsize=8)
    panels[0].set_ylabel("weight")
    ends = np.array([axes.lines[-1].get_ydata() for axes in panels])  # as they are turned
    most = float(np.abs(ends).max())
    panels[0].set_ylim(-1.15 * most if ends.min() < -0.3 * most else -0.3 * most, 1.25 * most)
    panels[0].legend(loc="upper left", handlelength=1.0, borderaxespad=0.1)
    part.supxlabel("site, from the middle of the state", fontsize=9)
    return panels[0]


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
