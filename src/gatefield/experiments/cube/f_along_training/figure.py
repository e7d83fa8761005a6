"""The figures of `f-along-training`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.cube.f_along_training.simulate import LOOSE
from gatefield.experiments.cube.f_along_training.verdicts import balance, of_order, span
from gatefield.measures import aligned
from gatefield.plot import (
    COLOURS,
    DATA,
    THEORY,
    WIDTH,
    field_row,
    finite_join,
    gain_axis,
    gain_text,
    legend_below,
    letter,
    say_setting,
    shades,
)

MARKS = "os^Dv"
"""Of the gains over time; of the pairs by gain."""
FORMS = (
    "f: mean input of the positive class behind the gate, its form of one site: if the largest entry of the field alone "
    "decided the gate, Gaussian form: if data were Gaussian"
)
"""What is said of f below both figures."""
COLUMNS = 4
"""At most so many pairs are shown over time."""


def draw(record: xr.Dataset) -> Figure:
    """f itself at three times above; below how many entries decide the gate and which form f has, over time and at the end."""
    figure = Figure(figsize=(WIDTH, 6.2))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.0, 1.2]))
    one = record.isel(pair=0)
    drifts, titles = top.subplots(1, 3, sharey=True), _drift_titles(one.isel(gain=-1))
    for axes, (step, _) in zip(drifts, titles, strict=True):
        _drift(axes, one.isel(gain=-1, step=step))
    drifts[0].set_ylabel("drift f(w) and its forms")
    legend_below(top, drifts[0])
    heads, forms, ends = bottom.subplots(1, 3)
    _head_panel(heads, one)
    _form_panel(forms, one)
    _end_panel(ends, record)
    heads.set_ylabel("entries that decide the gate")
    legend_below(bottom, forms, ends, ncols=max(record.sizes["gain"], record.sizes["pair"]))
    letter([*drifts, heads, forms, ends], [*(title for _, title in titles), _fewer(one), _nearer(one), _at_last(record)])
    _say(figure, record, FORMS, f"(a-e): ξ = ({_scales(one)})", _first(one))
    return figure


def draw_more(record: xr.Dataset) -> Figure:
    """The other pairs over time, the forms of f at the end, and final fields."""
    record = record.isel(pair=slice(0, COLUMNS))
    figure = Figure(figsize=(WIDTH, 6.4))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    pairs = [record.isel(pair=at) for at in range(record.sizes["pair"])]
    heads, forms = ([f"{row}{at}" for at in range(len(pairs))] for row in "hf")
    rows = [forms, heads, ["low"] * len(pairs), ["high"] * len(pairs)]
    panels = body.subplot_mosaic(rows, height_ratios=[1.2, 1.0, 0.45, 0.45])
    for at, one in enumerate(pairs):
        _head_panel(panels[heads[at]], one)
        _form_panel(panels[forms[at]], one)
        for name in (heads[at], forms[at])[: 2 * bool(at)]:
            panels[name].set(ylabel="", yticklabels=[])
    panels[forms[0]].set_ylabel("balance of f: nearer\nto which form")
    panels[heads[0]].set_ylabel("entries that decide")
    for name, gain in (("low", 0), ("high", -1)):
        _field_panel(panels[name], pairs, gain)
    legend_below(body, panels[forms[0]])
    fields = [f"final fields at gain {gain_text(float(record.gain[at]))}, each scaled to its peak" for at in (0, -1)]
    for name, title in zip((*forms, *heads), (*map(_balances, pairs), *map(_class, pairs)), strict=True):
        panels[name].set_title(title, loc="left")
    for name in forms:
        panels[name].set_xlabel("")
    rows_of = [panels[name] for name in (forms[0], heads[0], "low", "high")]
    letter(rows_of, [*(axes.get_title(loc="left") for axes in rows_of[:2]), *fields])
    highest = f"at the end, gain {gain_text(float(record.gain[-1]))}"
    share = f"balance above: {highest}"
    _say(
        figure,
        record,
        FORMS,
        share,
        "+: positive",
    )
    return figure


def _colours(record: xr.Dataset | xr.DataArray) -> list[str]:
    """Of the gains, which have an order."""
    return shades(record.sizes["gain"], between=(0.0, 0.82))


def _scales(one: xr.Dataset) -> str:
    return f"{float(one.xi1):g}, {float(one.xi0):g}"


def _class(one: xr.Dataset) -> str:
    """Of which length scales, and which range is positive."""
    words = {1.0: "longer range +", -1.0: "shorter range +", 0.0: "equal ranges"}[float(np.sign(one.xi1 - one.xi0))]
    return f"ξ = ({_scales(one)})\n{words}"


def _balances(one: xr.Dataset) -> str:
    """The balances that the headline tells of, at the highest gain."""
    at_end = f"{_last_balance(one.isel(gain=-1)):.2f}".replace("-", "−")
    return f"ξ = ({_scales(one)})\nbalance {at_end}"


def _last_balance(one: xr.Dataset) -> float:
    return float(balance(one.isel(step=-1)).median("seed"))


def _fewer(one: xr.Dataset) -> str:
    """How many entries decide at the end, by gain."""
    last = one.head_size.sel(share=LOOSE).isel(step=-1).median("seed").values
    words = "fewer entries decide" if _shrinks(one) else "entries that decide"
    gains = ", ".join(gain_text(float(gain)) for gain in one.gain.values)
    return f"{words}: {', '.join(f'{value:g}' for value in last)}\nin the end at gains {gains}"


def _nearer(one: xr.Dataset) -> str:
    """At which gains f is nearer to the form of one site in the end."""
    near = [gain_text(float(gain)) for gain in one.gain.values if _last_balance(one.sel(gain=gain)) > 0]
    return f"f ends nearer to that of one\nsite at gains {', '.join(near)}" if near else "f stays nearer to\nthe Gaussian form"


def _at_last(record: xr.Dataset) -> str:
    """What the headline tells, for each order of the ranges."""
    last = record.head_size.sel(share=LOOSE).isel(gain=-1, step=-1).median("seed")
    signs = {"longer": "ξ₁ > ξ₀", "shorter": "ξ₁ < ξ₀"}
    parts = [f"{span(last.sel(pair=there).values)} if {signs[order]}" for order in signs if (there := of_order(record, order))]
    return f"gain {gain_text(float(record.gain[-1]))}: " + ",\n".join(parts)


def _say(figure: Figure, record: xr.Dataset, *words: str) -> None:
    n, time, seeds = record.sizes["position"], f"{float(record.time[-1]):g} τ", f"{record.sizes['seed']} seeds"
    decide = f"entries that decide on {100 * (1 - LOOSE):g} % of inputs"
    classes = "ξ = (ξ₁ of the positive class, ξ₀ of the negative)"
    say_setting(figure, f"n = {n}", time, seeds, "medians, bands: quartiles", *words, decide, classes)


def _first(one: xr.Dataset) -> str:
    return f"(a-c): gain {gain_text(float(one.gain[-1]))}, first seed"


def _shrinks(one: xr.Dataset) -> bool:
    heads = one.head_size.isel(gain=-1).sel(share=LOOSE).median("seed")
    return bool(heads[-1] < heads[0])


def dropped(sizes: np.ndarray) -> int:
    """The first record at which a head is down to the geometric mean of its first and last size; the middle one if never.

    >>> dropped(np.array([30, 28, 9, 2, 1]))
    3
    """
    down = np.flatnonzero(sizes <= np.sqrt(sizes[0] * sizes[-1]))
    return int(down[0]) if sizes[-1] < sizes[0] else len(sizes) // 2


def _drift_titles(one: xr.Dataset) -> list[tuple[int, str]]:
    """Records of the first seed at the start, when the head drops, and at the end, with their titles."""
    heads = one.head_size.isel(seed=0).sel(share=LOOSE).values
    steps = (0, dropped(heads), len(heads) - 1)
    return [(step, f"{float(one.time[step]):.3g} τ: {_decide(int(heads[step]))}") for step in steps]


def _decide(count: int) -> str:
    return "one entry decides" if count == 1 else f"{count} entries decide"


def _drift(axes: Any, now: xr.Dataset) -> None:
    """f of the first seed with its Gaussian form and that of one site."""
    axes.axhline(0.0, color="0.85", linewidth=0.8, zorder=0)
    axes.plot(now.position, now.drift, **DATA, color=COLOURS[0], markersize=3.2, label="f, sampled")
    axes.plot(now.position, now.site_form, **THEORY, linewidth=1.1, label="form of one site, the largest entry")
    look: Any = {"color": COLOURS[1], "linewidth": 1.3, "zorder": 4}
    axes.plot(now.position, now.gaussian_form, "--", **look, label="Gaussian form")
    axes.set_xlabel("site")


def _over_time(axes: Any, values: xr.DataArray) -> None:
    """Medians over seeds with quartiles, by gain; time is linear up to the first record, then logarithmic."""
    time = values.time.values
    for color, mark, gain in zip(_colours(values), 9 * MARKS, values.gain.values, strict=False):
        low, middle, high = values.sel(gain=gain).quantile([0.25, 0.5, 0.75], "seed").transpose("quantile", "step").values
        axes.fill_between(time, low, high, color=color, alpha=0.18, linewidth=0)
        every = max(1, len(time) // 6)
        look: Any = {"markersize": 3.5, "markevery": every, "linewidth": 1.2, "clip_on": False}
        axes.plot(time, middle, f"{mark}-", color=color, label=f"gain {gain_text(gain)}", **look)
    axes.set_xscale("symlog", linthresh=float(time[1]))
    axes.set_xlim(0, 1.1 * time[-1])
    ticks = [0.0, *(t for t in 10.0 ** np.arange(-1, 4) if 2 * time[1] <= t <= time[-1])]
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.minorticks_off()
    axes.set_xlabel("time (τ)")


def _head_panel(axes: Any, one: xr.Dataset) -> None:
    _over_time(axes, one.head_size.sel(share=LOOSE))
    _entries(axes, one.sizes["position"])


def _entries(axes: Any, n: int) -> None:
    """A logarithmic axis of numbers of entries."""
    ticks = [t for t in (1, 2, 5, 10, 20, 40, 80) if t <= n]
    axes.set(yscale="log", ylim=(0.85, 1.25 * n))
    axes.minorticks_off()
    axes.set_yticks(ticks, [str(t) for t in ticks])


def _form_panel(axes: Any, one: xr.Dataset) -> None:
    axes.axhline(0.0, color="0.6", linewidth=0.8, linestyle=":", zorder=0)
    _over_time(axes, balance(one))
    axes.set_ylim(-1.1, 1.1)
    axes.set_yticks([-1, 0, 1], ["Gaussian −1", "equal 0", "one site 1"])


def _end_panel(axes: Any, record: xr.Dataset) -> None:
    """Heads at the end by gain, for every pair, side by side so that none hides another."""
    last = record.head_size.isel(step=-1).sel(share=LOOSE)
    aside = np.linspace(-0.12, 0.12, record.sizes["pair"]) if record.sizes["pair"] > 1 else [0.0]
    for at, (one, shift) in enumerate(zip(last.transpose("pair", "gain", "seed"), aside, strict=True)):
        low, middle, high = one.quantile([0.25, 0.5, 0.75], "seed").transpose("quantile", "gain").values
        longer = float(one.xi1) > float(one.xi0)
        x, y = finite_join(record.gain.values, middle)
        bars = np.stack(finite_join(record.gain.values, middle - low, high - middle)[1:])
        look: Any = {"color": COLOURS[0] if longer else COLOURS[1], "markerfacecolor": None if longer else "w"}
        style = f"{MARKS[at % 5]}{'-' if longer else '--'}"
        label = f"ξ = ({float(one.xi1):g}, {float(one.xi0):g})"
        axes.errorbar(x + shift, y, bars, fmt=style, markersize=4, linewidth=1.1, elinewidth=0.8, label=label, **look)
    gain_axis(axes, record.gain.values)
    _entries(axes, record.sizes["position"])


def _field_panel(axes: Any, pairs: list[xr.Dataset], gain: int) -> None:
    """Final fields of the first seed at one gain, peaks in the middle."""
    names = [f"ξ = ({_scales(one)})" for one in pairs] if gain else []
    rows = [aligned(one.end.isel(gain=gain, seed=0).values.astype(float)) for one in pairs]
    field_row(axes, rows, names, color=_colours(pairs[0])[gain], linewidth=1.2)
