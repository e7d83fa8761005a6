"""Where and when fields localize, and the exact states they end in."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.localized import LOCALIZED
from gatefield.plot import SEQUENTIAL, THEORY, gain_text, plain_log_scale

EXAMPLES = 5
"""How many ends are drawn."""
STYLES = {1: "-", 0: ":", -1: "--"}
"""Of pairs whose positive class has the longer range, the same, the shorter one."""


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    drawn = Figure(figsize=(10.5, 8.0))
    top, bottom = cast(Any, drawn.subfigures(2, 1, height_ratios=[1.5, 1.0]))
    left, right = top.subplots(1, 2, width_ratios=[1.25, 1.0])
    _table(left, record)
    _over_time(right, record)
    _examples(bottom, record)
    return drawn


def _table(axes: Any, record: xr.Dataset) -> None:
    """The median IPR of each pair and gain, with the number of sites of the state and the time it took."""
    medians = record.end_ipr.median("seed")
    image = axes.imshow(medians, vmin=0, vmax=1, cmap=SEQUENTIAL, aspect="auto")
    for i, g in np.ndindex(*medians.shape):
        colour = "w" if float(medians[i, g]) < 0.6 else "k"
        axes.text(g, i, cell_text(record.isel(pair=i, gain=g)), ha="center", va="center", fontsize="x-small", color=colour)
    axes.set_xticks(range(record.sizes["gain"]), [gain_text(g) for g in record.gain.values])
    axes.set_yticks(range(record.sizes["pair"]), [_pair_text(record, i) for i in range(record.sizes["pair"])])
    axes.set(xlabel="gain", ylabel="length scales: positive, negative class (sites)")
    axes.set_title("(a) median IPR at the end; below it the time to localize (tau)", fontsize="medium")
    axes.figure.colorbar(image, ax=axes, label="inverse participation ratio", pad=0.02)


def cell_text(cell: xr.Dataset) -> str:
    """The median IPR of a setting, and the median time of those that localized, if half of them did."""
    ipr, times = float(cell.end_ipr.median()), cell.localized_at.values
    known = np.isfinite(times)
    return f"{ipr:.2f}\n{_time_text(np.median(times[known]))}" if known.mean() >= 0.5 and ipr >= LOCALIZED else f"{ipr:.2f}\n–"


def _time_text(time: float) -> str:
    return f"{time:.0f}" if time < 1000 else f"{time / 1000:.1f}k"


def _pair_text(record: xr.Dataset, i: int) -> str:
    return f"{float(record.xi1[i]):g}, {float(record.xi0[i]):g}"


def _over_time(axes: Any, record: xr.Dataset) -> None:
    """The IPR of every pair at the largest gain: dashed if the positive class has the shorter range, dotted if none has."""
    late = record.isel(step=slice(1, None), gain=-1)
    drawn = dict.fromkeys(STYLES, 0)
    for i in range(record.sizes["pair"]):
        kind = int(np.sign(float(record.xi1[i] - record.xi0[i])))
        path = late.ipr.isel(pair=i).median("seed")
        axes.plot(late.time, path, STYLES[kind], color=f"C{drawn[kind] % 7}", label=_pair_text(record, i))
        drawn[kind] += 1
    axes.axhline(LOCALIZED, color="0.5", linewidth=0.8, linestyle=":")
    plain_log_scale(axes, "x")
    axes.set(xlabel="time (tau)", ylabel="median IPR over seeds", ylim=(0, 1.02))
    axes.set_title(f"(b) gain {gain_text(record.gain.values[-1])}; dashed: shorter range positive", fontsize="medium")
    axes.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1.0, 0.5))


def _examples(part: Any, record: xr.Dataset) -> None:
    """Ends at the largest gain, each beside the exact state that it is."""
    chosen = examples(record)
    panels = part.subplots(1, len(chosen), sharey=True, squeeze=False)[0]
    n = record.sizes["position"]
    away = np.arange(n) - n // 2
    for axes, (i, seed) in zip(panels, chosen, strict=True):
        one = record.isel(pair=i, gain=-1, seed=seed)
        end, sites = one.end.values, int(one.reached)
        state = one.state.sel(sites=sites).values if sites else None
        end = _turned(end, state)
        axes.plot(away, end, "o", markersize=4, color=f"C{i % 10}", label="trained")
        if state is not None:
            axes.plot(away, state, **THEORY, linewidth=1.0, label="exact state")
        axes.set(xlim=(-7.5, 7.5), xlabel="site, from the middle")
        axes.set_title(f"{_pair_text(record, i)}: {_sites_text(sites)}", fontsize="medium")
    panels[0].set_ylabel("weight")
    panels[0].legend(fontsize="x-small")
    part.suptitle("(c) ends of single runs at the largest gain, and the exact states on the hypercube", fontsize="medium")


def _sites_text(sites: int) -> str:
    return {0: "none of the states", 1: "one site"}.get(sites, f"{sites} sites")


def examples(record: xr.Dataset) -> list[tuple[int, int]]:
    """Pairs and seeds to draw: of every number of sites that was reached, where most runs have it; then other pairs."""
    reached = record.reached.isel(gain=-1).values
    out: list[tuple[int, int]] = []
    for sites in sorted(set(reached[reached > 0].tolist())):
        i = int((reached == sites).sum(axis=1).argmax())
        out.append((i, int(np.flatnonzero(reached[i] == sites)[0])))
    others = [i for i in range(len(reached)) if i not in {pair for pair, _ in out}]
    others.sort(key=lambda i: float(record.xi1[i] / record.xi0[i]))
    return [*out, *((i, 0) for i in others)][:EXAMPLES]


def _turned(end: np.ndarray, state: np.ndarray | None) -> np.ndarray:
    """The field shifted and its sign chosen such that it is most like the state, or has its largest entry in the middle."""
    like = np.eye(len(end))[len(end) // 2] if state is None else state
    products = np.array([np.roll(end, k) @ like for k in range(len(end))])
    at = int(np.abs(products).argmax())
    return np.roll(end, at) * np.sign(products[at])
