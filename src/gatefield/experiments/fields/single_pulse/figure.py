"""The figures of `single-pulse`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.single_pulse.simulate import KINDS, ORDERS
from gatefield.experiments.fields.single_pulse.verdicts import CLOSE, SAME
from gatefield.measures import LOCALIZED
from gatefield.plot import WIDTH, dots_by_seed, field_row, legend_below, letter, one_median, say_setting, small_field

LABELS = {"both": "centred +\ncomplement", "centred": "centred", "complement": "complement", "plain": "as they are"}
COLOURS = {"pulse": "C0", "clone": "C1"}
MARKERS = {"pulse": "o", "clone": "s"}
SIDES = {"pulse": -0.25, "clone": 0.25}
"""Where the marks of a kind stand; those of exact descent are between them."""
STRIP = 1.2
"""Above a field, over its largest value: where a strip tells at which sites an input is high."""
SILENT = 1e-6
"""A share of the labels below this is that of a neuron that no input activates."""


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(WIDTH, 7.3))
    top, middle, bottom = cast(Any, figure.subfigures(3, 1, height_ratios=[0.62, 1.25, 1.15]))
    strip = top.subplots(1, 2, width_ratios=[1.25, 1.0])
    localized, explained = middle.subplots(1, 2, sharey=True), bottom.subplots(1, 2, sharey=True)
    one = record.sel(order="wide", kind="both").isel(seed=0)
    _inputs(strip[0], record.inputs.sel(order="wide"))
    _headline_fields(strip[1], one)
    for axes, below, order in zip(localized, explained, ORDERS, strict=True):
        _ipr_panel(axes, record.sel(order=order))
        _explained_panel(below, record.sel(order=order))
    localized[0].set_ylabel("IPR of the final field")
    explained[0].set_ylabel("share of labels explained")
    for part, panels, columns in ((middle, localized, 4), (bottom, explained, 3)):
        legend_below(part, panels[0], ncols=columns, columnspacing=1.2)
    above = ["a wide input of each kind (dashed: its complement)", _ends_words(record)]
    letter([*strip, *localized, *explained], [*above, *_ipr_titles(record), *_why(record)])
    marks = "large marks: medians, where seeds lie together"
    one = "(a) shifted to the middle", "(b) wide, centred + complement, one seed"
    say_setting(
        figure,
        *_setting(record),
        *one,
        "grey column: the pulses of the title and of the heads",
        "small marks: seeds",
        marks,
        _silent(record),
    )
    return figure


def more(record: xr.Dataset) -> Figure:
    """The final fields of one seed, for each order and kind, over one input."""
    figure = Figure(figsize=(WIDTH, 5.2))
    body = cast(Any, figure.subfigures())
    panels = body.subplots(2, record.sizes["kind"], sharex=True, squeeze=False)
    for row, order in zip(panels, ORDERS, strict=True):
        for axes, kind in zip(row, record.kind.values, strict=True):
            _field_panel(axes, record.sel(order=order, kind=kind))
        row[0].set_ylabel("weight (scaled)")
    for row, order in zip(panels, ORDERS, strict=True):
        for axes, kind in zip(row[1:], record.kind.values[1:], strict=True):
            axes.set_title(_kind_text(record.sel(order=order, kind=kind)), loc="left")
    for axes in panels[1]:
        axes.set_xlabel("position (site)")
    firsts = [_kind_text(record.sel(order=order).isel(kind=0)) for order in ORDERS]
    letter(panels[:, 0], [f"{order} pulses positive:\n{first}" for order, first in zip(ORDERS, firsts, strict=True)])
    legend_below(body, panels[0, 0], ncols=3)
    say_setting(
        figure,
        *_setting(record)[:-2],
        "centred: the mean over inputs taken off",
        "complement: half of the inputs with levels swapped",
        f"fields: one seed, each over its largest value; numbers: median IPR of {record.sizes['seed']} seeds, bold: localized "
        f"(above {LOCALIZED:g})",
    )
    return figure


def _setting(record: xr.Dataset) -> list[str]:
    widths = [f"{name} pulses of {record.attrs[name][0]} to {record.attrs[name][1]} sites" for name in ("wide", "narrow")]
    times = record.time.isel(step=-1)
    least, most = (f"{float(time):,.0f} τ" for time in (times.min(), times.max()))
    last = most if least == most else f"{most} (not centred: {least})"
    return [f"n = {record.sizes['position']}", *widths, last, f"{record.sizes['seed']} seeds"]


def _silent(record: xr.Dataset) -> str:
    """How many neurons have died."""
    count = int((record.explained < SILENT).sum())
    return f"share of 0: no input activates the neuron ({count} of {record.explained.size})" if count else ""


def _ends_words(record: xr.Dataset) -> str:
    """Whether SGD and exact descent end alike in the case of the headline."""
    one = record.sel(order="wide", kind="both")
    trained, exact = float(one.ipr.isel(step=-1, unit=0).sel(data="pulse").median()), float(one.descent_ipr.median())
    return "exact descent ends elsewhere" if abs(trained - exact) > CLOSE else "exact descent ends there, too"


def _ipr_titles(record: xr.Dataset) -> list[str]:
    """In the case of the headline: where SGD and exact descent end."""
    both = record.sel(kind="both")
    trained, exact = (values.median("seed") for values in (both.ipr.isel(step=-1, unit=0).sel(data="pulse"), both.descent_ipr))
    out = []
    for order in ORDERS:
        sgd, descended = (float(values.sel(order=order)) for values in (trained, exact))
        words = f"SGD {sgd:.2f}, exact {descended:.2f}"
        out.append(f"{order} positive: {words if abs(sgd - descended) > CLOSE else f'both descents {sgd:.2f}'}")
    return out


def _why(record: xr.Dataset) -> list[str]:
    """In the case of the headline: how much the two states explain."""
    site, wave = _states(record.sel(kind="both"))
    out = []
    for order in ORDERS:
        one, other = (float(values.sel(order=order)) for values in (site, wave))
        words = f"site, wave alike ({one:.3f}, {other:.3f})"
        if abs(one - other) > SAME:
            words = f"site {one:.3f}, wave {other:.3f}" if one > other else f"wave {other:.3f}, site {one:.3f}"
        out.append(f"{order} positive: {words}")
    return out


def _states(record: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray]:
    """What is explained by the state grown from one site, the better of both signs, and by that grown from the best wave."""
    special = record.special_explained
    return special.sel(start=["site", "minus site"]).max("start"), special.sel(start="wave")


def _kinds(axes: Any, record: xr.Dataset) -> np.ndarray:
    """One place for each kind of pulse, with a line between two; that of the headline is shaded."""
    at = np.arange(record.sizes["kind"])
    middle = list(record.kind.values).index("both")
    axes.axvspan(middle - 0.5, middle + 0.5, color="0.94", linewidth=0, zorder=-1)
    axes.set_xticks(at, [LABELS[kind] for kind in record.kind.values])
    axes.set(xlim=(-0.5, at[-1] + 0.5))
    axes.tick_params(axis="x", length=0)
    for between in at[1:] - 0.5:
        axes.axvline(between, color="0.88", linewidth=0.8, zorder=0)
    return at


def _ipr_panel(axes: Any, record: xr.Dataset) -> None:
    at = _kinds(axes, record)
    names = {"pulse": "SGD on pulses", "clone": "SGD on Gaussian clones"}
    for data, shift in SIDES.items():
        values = record.ipr.sel(data=data).isel(step=-1, unit=0)
        _seeds_and_median(axes, at + shift, values, data, names[data])
    for seed in record.descent_ipr.transpose("seed", "kind").values:
        axes.plot(at, seed, "k_", markersize=6, markeredgewidth=0.9)
    look = {"markersize": 13, "markeredgewidth": 2.0, "label": "exact descent, same starts"}
    axes.plot(at, one_median(record.descent_ipr), "k_", **look)
    axes.axhline(LOCALIZED, color="0.4", linewidth=1.0, linestyle=":", label=f"localized: {LOCALIZED:g}")
    axes.set(ylim=(0, 1.05))
    _say_medians(axes, record.sel(kind="both"), float(list(record.kind.values).index("both")))


def _say_medians(axes: Any, one: xr.Dataset, at: float) -> None:
    """Beside the marks of the cases of the headline its numbers."""
    last = one.ipr.isel(step=-1, unit=0)
    named = [(SIDES["pulse"], 6, last.sel(data="pulse"))]
    if one.order == "wide":
        named += [(SIDES["clone"], 6, last.sel(data="clone")), (0.32, -3, one.descent_ipr)]
    look: Any = {"textcoords": "offset points", "ha": "center", "fontsize": 7.5}
    for shift, above, values in named:
        middle = float(one_median(values))
        if np.isnan(middle):
            continue
        axes.annotate(f"{middle:.2f}", (at + shift, middle), (0, above), zorder=1.5, **look)


def _explained_panel(axes: Any, record: xr.Dataset) -> None:
    """States of the exact descent, and what SGD reaches."""
    at = _kinds(axes, record)
    site, wave = _states(record)
    axes.plot(at - 0.27, site, "k^", markersize=6, label="site: state grown from one site")
    _seeds_and_median(axes, at, record.explained, "pulse", "SGD on pulses")
    axes.plot(at + 0.27, wave, "ks", markersize=5.5, markerfacecolor="white", label="wave: from the best wave")
    axes.set(ylim=(-0.04, 1.0))


def _seeds_and_median(axes: Any, at: Any, values: xr.DataArray, data: str, label: str) -> None:
    """Seeds as small dots; their median, if they lie together, as an open mark that hides none."""
    dots_by_seed(axes, at, values, "kind", COLOURS[data])
    look = {"color": COLOURS[data], "marker": MARKERS[data], "linestyle": "none", "markersize": 7.5}
    axes.plot(at, one_median(values), label=label, markerfacecolor="none", markeredgewidth=1.6, **look)


def _inputs(axes: Any, inputs: xr.DataArray) -> None:
    """An input of each kind on one scale, and what it is as its complement, where half of the inputs are."""
    n = inputs.sizes["position"]
    for place, kind in enumerate(inputs.kind.values):
        at, (pulse, complement) = place * 1.25 * n + np.arange(n), _in_the_middle(inputs.sel(kind=kind).values)
        axes.plot(at[[0, -1]], [0, 0], color="0.8", linewidth=0.8, zorder=0)
        if KINDS[kind][0]:
            axes.plot(at, complement, "--", color="0.55", linewidth=1.0, drawstyle="steps-mid")
        axes.plot(at, pulse, color="0.2", linewidth=1.2, drawstyle="steps-mid")
    centres = (np.arange(inputs.sizes["kind"]) * 1.25 + 0.5) * n
    axes.set_xticks(centres, [LABELS[kind] for kind in inputs.kind.values])
    axes.set(ylim=(-1.1, 1.1), yticks=[-1, 0, 1], ylabel="input")
    axes.tick_params(axis="x", length=0)
    axes.spines["bottom"].set_visible(False)


def _in_the_middle(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A pulse, turned to the middle, and its complement, which has the other of the two levels everywhere and is the longer."""
    pair = [x, x.min() + x.max() - x]
    pulse, complement = sorted(pair, key=lambda values: int((values > values.mean()).sum()))
    high = np.flatnonzero(pulse == pulse.max())
    turn = np.exp(2j * np.pi * high / len(x)).sum()
    shift = len(x) // 2 - round(float(np.angle(turn)) * len(x) / (2 * np.pi))
    return np.roll(pulse, shift), np.roll(complement, shift)


def _headline_fields(axes: Any, one: xr.Dataset) -> None:
    """The fields of one seed, each with its IPR."""
    last, ended = one.fields.isel(step=-1, unit=0), one.ipr.isel(step=-1, unit=0)
    fields = {
        COLOURS["pulse"]: ("SGD", last.sel(data="pulse"), ended.sel(data="pulse")),
        "k": ("exact descent", one.descent_fields, one.descent_ipr),
        COLOURS["clone"]: ("SGD, clone", last.sel(data="clone"), ended.sel(data="clone")),
    }
    names = [f"{name}\nIPR {float(value):.2f}" for name, _, value in fields.values()]
    for place, (color, (_, field, _)) in enumerate(fields.items()):
        rows = np.full((len(fields), field.size), np.nan)
        rows[place] = field
        field_row(axes, rows, names, color=color, linewidth=1.2)
    axes.set_ylabel("field")


def _field_panel(axes: Any, cases: xr.Dataset) -> None:
    one = cases.isel(seed=0)
    high = one.inputs > (one.inputs.max() + one.inputs.min()) / 2
    axes.fill_between(
        one.position, STRIP, STRIP + 0.16 * high, color="0.6", step="mid", linewidth=0, label="one input: high sites"
    )
    for data, style, name in (("clone", "--", "SGD on its Gaussian clone"), ("pulse", "-", "SGD on pulses")):
        field = one.fields.sel(data=data).isel(step=-1, unit=0)
        small_field(axes, field, style, color=COLOURS[data], linewidth=1.2, label=name)
    axes.set_ylim(-1.15, 1.75)
    ended = cases.ipr.isel(step=-1, unit=0).median("seed")
    for data, place, name in (("pulse", 0.02, "pulses"), ("clone", 0.98, "clone")):
        value = float(ended.sel(data=data))
        weight, side = "bold" if value > LOCALIZED else "normal", "left" if place < 0.5 else "right"
        look: Any = {"transform": axes.transAxes, "va": "top", "fontsize": 8, "ha": side, "fontweight": weight}
        axes.text(place, 0.99, f"{name} {value:.2f}", color=COLOURS[data], **look)


def _kind_text(case: xr.Dataset) -> str:
    """The kind of pulses, and how long was trained on it."""
    time = f"{float(case.time.isel(step=-1).max()):,.0f} τ"
    return f"{LABELS[str(case.kind.values)].replace(chr(10), ' ')},\n{time}"
