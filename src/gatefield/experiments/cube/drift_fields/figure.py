"""The figures of `drift-fields`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy.special import erfc

from gatefield.experiments.cube.drift_fields.verdicts import ROUNDING, TWICE, bandwidth, by_kind, fast, site
from gatefield.experiments.nearly_gaussian import GAUSSIAN
from gatefield.plot import COLOURS, DATA, THEORY, WIDTH, gain_text, legend_below, letter, say_setting, shades

MARKS = ("o", "s", "^", "D", "v")
"""Of the length scales, or of the gains."""
CLOSURE = (
    "drift f: mean input behind the gate of the field w, closure: its formula if ⟨w, x⟩ is Gaussian given one input, ξ: length "
    "scale of the data, bandwidth $k_c$: width of their spectrum, n/(√2πξ)"
)
ERROR = r"error of the closure $|f_{closure}-f|\,/\,|f|$"
LARGE = 100.0
"""Gains from here on, but for infinity, are left out beside it: they lie on it."""
FLOOR = 1e-4
"""The least error that is drawn."""
KINDS = {"site": "one site", "bump": "bumps", "sinusoid": "sinusoids", "Gabor": "Gabors", "random": "random"}
DOT: Any = {"markersize": 3.4, "markeredgewidth": 0, "alpha": 0.8}
FALLS = 0.75
"""An error that falls again to this part of its height above the bandwidth is pointed at."""
_ABOVE: Any = {"xytext": (-2, 8), "ha": "left", "va": "bottom", "fontsize": 7}
_BELOW: Any = {"xytext": (14, -9), "ha": "right", "va": "top", "fontsize": 7}
REACH = 0.36
"""How far the fields of one kind stand from their middle."""


def draw(record: xr.Dataset) -> Figure:
    """The closure's error for Gabors and for all fields above; below drifts of four of them."""
    figure = Figure(figsize=(WIDTH, 6.4))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.5, 1.0]))
    left, right = top.subplots(1, 2, width_ratios=[1.15, 1.0], sharey=True)
    _fast(left, record.isel(gain=-1))
    _errors(right, record.isel(gain=-1))
    left.set_ylim(bottom=_lower(record))
    top.legend(handles=_scales(record), loc="outside lower center", ncols=5, columnspacing=1.0)
    chosen = _chosen(record)
    drifts = bottom.subplots(1, len(chosen), sharex=True, sharey=True)
    for axes, i in zip(drifts, chosen, strict=True):
        _drift(axes, record.isel(gain=-1, xi=-1, field=i))
    drifts[0].set_ylabel("drift, scaled to |f| = 1")
    legend_below(bottom, drifts[0], ncols=4)
    last = record.isel(gain=-1, xi=-1)
    words = [name(str(last.kind.values[i]), float(last.value[i])) for i in chosen]
    named = [f"{text}:\noff by {_percent(last.closure_error[i])}" for text, i in zip(words, chosen, strict=True)]
    gain = f"gain {gain_text(float(last.gain))}"
    letter([left, right, *drifts], [f"Gabors by their frequency, {gain}", f"all fields, {gain}: medians by kind", *named])
    _say(figure, record, f"(c-f): ξ = {float(last.xi):g}, {gain}", CLOSURE)
    return figure


def draw_more(record: xr.Dataset) -> Figure:
    """The closure's error for Gabors at all gains, and sampled drifts beside exact ones."""
    figure = Figure(figsize=(WIDTH, 6.4))
    top, bottom = cast(Any, figure.subfigures(2, 1))
    gains = _drawn_gains(record)
    gabors: Any = top.subplots(1, record.sizes["xi"], sharey=True, squeeze=False)[0]
    for axes, xi in zip(gabors, record.xi.values, strict=True):
        _by_gain(axes, record.sel(xi=xi), gains)
    gabors[0].set_ylabel("closure's error for Gabors")
    low, high = gabors[0].get_ylim()
    ticks = [tick for tick in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0) if low <= tick <= high]
    gabors[0].set_yticks(ticks, [f"{100 * tick:g} %" for tick in ticks])
    legend_below(top, gabors[0], ncols=len(gains) + 1)
    parts = bottom.subfigures(1, 2)
    panels: Any = [part.subplots() for part in parts]
    _site(panels[0], site(record.isel(xi=-1)))
    _deviations(panels[1], record)
    for part, axes, columns in zip(parts, panels, (3, 2), strict=True):
        legend_below(part, axes, ncols=columns)
    titles = [f"ξ = {float(xi):g}{_far(record.sel(xi=xi), gains)}" for xi in record.xi.values]
    letter([*gabors, *panels], [*titles, _site_words(site(record.isel(xi=-1))), _deviations_words(record)])
    where = f"(a-{chr(ord('a') + len(gabors) - 1)})"
    first = f"({chr(ord('a') + len(gabors))})"
    _say(figure, record, f"{first}: ξ = {float(record.xi[-1]):g}", "all fields share the inputs, so that errors go together",
         f"{where} dashed: bandwidth, dotted: twice it", CLOSURE)  # fmt: skip
    return figure


def _drawn_gains(record: xr.Dataset) -> list[float]:
    """Those at which data are not nearly Gaussian; infinity stands for large ones, which lie on it."""
    return [gain for gain in record.gain.values.tolist() if gain > GAUSSIAN and not (LARGE <= gain < np.inf)] or [
        float(record.gain[-1])
    ]


def _far(one: xr.Dataset, gains: list[float]) -> str:
    """The medians above twice the bandwidth at the lowest and the highest gain, of which the headline tells; else all."""
    far = bool(fast(one).any())
    part = one.closure_error.where(fast(one)) if far else one.closure_error.isel(field=one.kind.values == "Gabor")
    ends = dict.fromkeys((gains[0], gains[-1]))
    words = f"gain {' to '.join(map(gain_text, ends))}: {' to '.join(_percent(part.sel(gain=gain).median()) for gain in ends)}"
    return f"{', above 2 $k_c$' if far else ''}\n{words}"


def _percent(error: Any) -> str:
    return f"{100 * float(error):.2g} %"


def name(kind: str, value: float) -> str:
    """A field in a title."""
    if kind == "sinusoid":
        return f"cosine, {value:g} cycles" if value else "flat"
    words = {"site": "one site", "random": "random", "bump": f"bump, width {value:g}", "Gabor": f"Gabor, {value:g} cycles"}
    return words[kind]


def _say(figure: Figure, record: xr.Dataset, *words: str) -> None:
    say_setting(figure, f"ring of n = {record.attrs['n']}", f"{record.attrs['samples']:,} inputs", *words, "no training")


def _chosen(record: xr.Dataset) -> list[int]:
    """A bump, a sinusoid, a Gabor and a random field: of the widest or fastest of each kind that is in the middle."""
    out = []
    for kind, value in (("bump", 1.5), ("sinusoid", 3.0), ("Gabor", 5.0), ("random", 0.0)):
        at = np.flatnonzero((record.kind == kind).values)
        out.append(int(at[np.abs(record.value.values[at] - value).argmin()]))
    return out


def _drift(axes: Any, one: xr.Dataset) -> None:
    length = float(np.linalg.norm(one.sampled))
    axes.axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
    axes.plot(one.position, one.w / abs(one.w).max() * float(abs(one.sampled).max()) / length, color="0.75", label="field w")
    axes.plot(one.position, one.sampled / length, **DATA, color=COLOURS[0], markersize=3, label="f, sampled")
    axes.plot(one.position, one.closure / length, **THEORY, linewidth=1.2, label="closure")
    axes.plot(one.position, one.gaussian / length, ":", color="0.35", label="Gaussian data")
    axes.set_xlabel("site")


def _lower(record: xr.Dataset) -> float:
    """Where the axis of errors begins; noise below is of no interest."""
    return max(FLOOR, float(record.closure_error.isel(gain=-1).min()) / 2)


def _looks(one: xr.Dataset) -> list[tuple[str, str]]:
    """Colour and mark of each length scale."""
    return [(color, MARKS[i % 5]) for i, color in enumerate(shades(one.sizes["xi"], between=(0.0, 0.8)))]


def _scales(record: xr.Dataset) -> list[Line2D]:
    """Looks of the length scales, as both panels have them."""
    looks = zip(_looks(record), record.xi.values, strict=True)
    scales = [Line2D([], [], color=color, marker=mark, linewidth=1.1, label=f"ξ = {xi:g}") for (color, mark), xi in looks]
    look: Any = {**THEORY, "linewidth": 2.0, "alpha": 0.5}
    lines = [Line2D([], [], **look, label="medians")]
    seen = float(record.noise.isel(gain=-1).max()) >= _lower(record)
    noise = [Line2D([], [], marker="_", linestyle="none", color="0.6", label="noise of sampling")]
    return [*scales, *lines, *noise[: int(seen)]]


def _errors(axes: Any, one: xr.Dataset) -> None:
    """Each field's error in the order of its kind, and the noise below which it is not known."""
    looks, kinds = _looks(one), [kind for kind in KINDS if kind in one.kind.values]
    for at, kind in enumerate(kinds):
        part = one.isel(field=one.kind.values == kind)
        for i, xi in enumerate(one.xi.values):
            x = at + _side(i, one.sizes["xi"]) + _spread(part.sizes["field"], one.sizes["xi"])
            values = part.sel(xi=xi)
            axes.plot(x, np.maximum(values.noise, FLOOR), "_", color="0.6", markersize=3, zorder=1)
            axes.plot(x, np.maximum(values.closure_error, FLOOR), looks[i][1], color=looks[i][0], **DOT)
    middle = by_kind(one)
    for at, kind in enumerate(kinds):
        axes.plot([at - 0.42, at + 0.42], [middle[kind]] * 2, **THEORY, linewidth=4.0, alpha=0.3, zorder=0)
    axes.set_xticks(range(len(kinds)), [f"{KINDS[kind]}\n{_percent(middle[kind])}" for kind in kinds])
    axes.set_xlim(-0.5, len(kinds) - 0.5)


def _side(i: int, count: int) -> float:
    """Where the fields of a length scale stand among those of one kind."""
    return REACH * (2 * i + 1 - count) / count


def _spread(fields: int, count: int) -> np.ndarray:
    """Fields of one kind and length scale side by side."""
    return np.linspace(-1, 1, fields) * 0.8 * REACH / count if fields > 1 else np.zeros(1)


def _gain_looks(record: xr.Dataset) -> dict[float, tuple[str, str]]:
    """Colour and mark of each gain."""
    looks = zip(record.gain.values.tolist(), shades(record.sizes["gain"], between=(0.0, 0.82)), 2 * MARKS, strict=False)
    return {gain: (color, mark) for gain, color, mark in looks}


def _by_gain(axes: Any, one: xr.Dataset, gains: list[float]) -> None:
    """Errors of Gabors of one length scale against frequency over bandwidth, by gain."""
    part = one.isel(field=one.kind.values == "Gabor")
    ratio = part.value / bandwidth(one.attrs["n"], float(one.xi))
    for gain in gains:
        color, mark = _gain_looks(one)[gain]
        values = np.maximum(part.closure_error.sel(gain=gain), FLOOR)
        axes.plot(ratio, values, f"{mark}-", color=color, markersize=4, linewidth=1.1, label=f"gain {gain_text(gain)}")
    _by_bandwidth(axes)
    if axes.get_xlim()[1] > TWICE:
        axes.axvline(TWICE, color="0.6", linewidth=1.0, linestyle=":", zorder=0)
    axes.set(xlabel=r"frequency / $k_c$", ylabel="")


def _fast(axes: Any, one: xr.Dataset) -> None:
    """Errors of Gabors by length scale, with their medians below the bandwidth and above twice of it."""
    part = one.isel(field=one.kind.values == "Gabor")
    ratios = [part.value.values / bandwidth(one.attrs["n"], xi) for xi in part.xi.values]
    for (color, mark), ratio, xi in zip(_looks(one), ratios, part.xi.values, strict=True):
        values = part.sel(xi=xi)
        axes.plot(ratio, np.maximum(values.closure_error, FLOOR), f"{mark}-", color=color, markersize=4.5, linewidth=1.1)
        axes.plot(ratio, np.maximum(values.noise, FLOOR), "_", color="0.6", markersize=4, zorder=1)
    _by_bandwidth(axes)
    every, errors = np.array(ratios), part.closure_error.transpose("xi", "field").values
    for kept, end, look in ((every <= 1, 0, _ABOVE), (every >= TWICE, 1, _BELOW)):
        if kept.any():
            ends, middle = [every[kept].min(), every[kept].max()], float(np.median(errors[kept]))
            axes.plot(ends, [middle, middle], **THEORY, linewidth=4.0, alpha=0.3, zorder=0)
            axes.annotate(f"median {100 * middle:.0f} %", (ends[end], middle), textcoords="offset points", **look)
    _point_at_fall(axes, part.xi.values, every, errors)


def _point_at_fall(axes: Any, xis: np.ndarray, ratios: np.ndarray, errors: np.ndarray) -> None:
    """An arrow at the length scale whose error falls the most again above the bandwidth, if it does."""
    falls = []
    for xi, ratio, error in zip(xis, ratios, errors, strict=True):
        above = np.flatnonzero(ratio > 1)
        if len(above) > 1:
            last = above[ratio[above].argmax()]
            falls.append((error[last] / error[above].max(), xi, (ratio[last], error[last])))
    if falls and min(falls)[0] < FALLS:
        _, xi, place = min(falls)
        look: Any = {"fontsize": 7, "ha": "center", "va": "top", "arrowprops": {"arrowstyle": "->", "color": "0.2"}}
        text = f"ξ = {xi:g}: falls again\nabove the bandwidth"
        axes.annotate(text, place, (0, -34), textcoords="offset points", **look)


def _by_bandwidth(axes: Any) -> None:
    """Logarithmic axes of an error against frequency over bandwidth."""
    axes.axvline(1.0, color="0.6", linewidth=1.0, linestyle="--", zorder=0)
    axes.set(xlabel=r"frequency / bandwidth $k_c$ of the data", ylabel=ERROR)
    axes.set(xscale="log", yscale="log")
    low, high = axes.get_xlim()
    ticks = [tick for tick in (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0) if low <= tick <= high]
    axes.minorticks_off()
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])


def _site(axes: Any, one: xr.Dataset) -> None:
    """The gate of one site: sampled and in closed form, around the site, at each gain."""
    lags = one.position.values - one.sizes["position"] // 2
    for gain, (color, mark) in _gain_looks(one).items():
        axes.plot(lags, one.site_exact.sel(gain=gain), **THEORY, linewidth=0.8, zorder=1)
        axes.plot(lags, one.sampled.sel(gain=gain), mark, color=color, markersize=4, label=f"gain {gain_text(gain)}")
    axes.plot([], [], **THEORY, linewidth=0.8, label="exact")
    reach = min(len(lags) // 2, int(np.ceil(2.2 * float(one.xi))))
    axes.set(xlim=(-reach, reach), xlabel="site, from the one that gates", ylabel="drift f")


def _site_words(one: xr.Dataset) -> str:
    """How far sampled drifts are from the closed form."""
    return f"one site: sampled as in closed form,\nwithin {float(abs(one.sampled - one.site_exact).max()):.1g}"


def _scores(record: xr.Dataset) -> list[np.ndarray]:
    """How far sampled drifts are from exact ones in standard errors: of one site, and of all fields on the small ring."""
    one = site(record)
    pairs = (one.sampled - one.site_exact, one.error), (record.small_sampled - record.small_exact, record.small_sampling_error)
    return [np.sort((abs(off) / np.maximum(error, ROUNDING)).values.ravel()) for off, error in pairs]


def _deviations_words(record: xr.Dataset) -> str:
    """How many are further from the exact ones than two standard errors."""
    first, second = (100 * float((z > 2).mean()) for z in _scores(record))
    normal = 100 * float(erfc(2 / np.sqrt(2)))
    return f"beyond 2 standard errors: {first:.2g} and\n{second:.2g} % of sites (normal law: {normal:.2g} %)"


def _deviations(axes: Any, record: xr.Dataset) -> None:
    """How far sampled drifts are from exact ones in standard errors, as shares above each size, beside the normal law."""
    most, ring = 4.0, record.sizes["small_position"]
    looks = (("C0", "-", "one site, all gains"), ("C1", "--", f"±1 data, ring of {ring}"))
    for z, (color, line, label) in zip(_scores(record), looks, strict=True):
        axes.step(z, 1 - np.arange(len(z)) / len(z), line, color=color, label=label)
        most = max(most, float(z[-1]))
    t = np.linspace(0, most, 100)
    axes.plot(t, erfc(t / np.sqrt(2)), **THEORY, linewidth=1.0, label="normal errors")
    axes.set(xlabel="|sampled − exact| / standard error", ylabel="share of sites above", yscale="log", ylim=(1e-4, 1.3))
