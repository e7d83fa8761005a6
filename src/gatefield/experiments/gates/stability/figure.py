"""The figure of `stability`."""

import json
from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from gatefield.experiments.gates.setting import seeds
from gatefield.experiments.gates.stability.verdicts import FOUND, SAME, largest_rates, localizing, percent
from gatefield.experiments.orders import scales_text
from gatefield.measures import LOCALIZED
from gatefield.plot import COLOURS, WIDTH, dots_by_seed, field_row, gain_text, legend_below, letter, say_setting, shades

FLOOR = 1e-7
"""Smaller distances are rounding of float32, and are drawn here."""
TEACHERS = {"localized": ("o", COLOURS[0]), "oscillating": ("s", COLOURS[4]), "random": ("^", COLOURS[2])}
"""Marker and colour of the kinds of teachers."""
BELOW: dict[str, Any] = {
    "loc": "upper center",
    "bbox_to_anchor": (0.45, -0.24),
    "fontsize": 7.5,
    "handlelength": 1.6,
    "labelspacing": 0.3,
}
"""Where the legend of a lower panel stands."""
ASIDE = 0.05
"""How far a prediction stands above the share that it foretells, which would hide it."""
AGAIN = COLOURS[1]
"""Of the share of fields that are localized again."""


def draw(record: xr.Dataset) -> Figure:
    """Pushes on top, students and the linear pathway below."""
    figure = Figure(figsize=(WIDTH, 7.4))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=(1.0, 1.25)))
    panels = [top.subplots(), *bottom.subplots(1, 3)]
    for axes, panel in zip(panels, (_push_panel, _student_panel, _ipr_panel, _pathway_panel), strict=True):
        panel(axes, record)
    legend_below(top, panels[0], ncols=3)
    letter(panels, _titles(record))
    taught = f"teachers of {record.sizes['taught_unit']} units"
    _say(
        figure,
        record,
        taught,
        "(b): medians, lines to the worst tenth",
        f"localized: IPR above {LOCALIZED:g}",
        f"back: cosine above {SAME:g}",
        "w: field, v: linear pathway",
        "(c) dotted: flat field, 1/n",
        again=" and as long after a push",
    )
    return figure


def _titles(record: xr.Dataset) -> list[str]:
    gain, high = gain_text(float(record.gain[-1])), record.sel(gain=localizing(record))
    found = percent(min(float((record.match_cosine.sel(student=size) > SAME).mean()) for size in record.student.values))
    students = f"students find {found if found == 'all' else f'at least {found}'}\nof the teachers' fields"
    beside = "localization beside\na linear pathway"
    if high.sizes["gain"]:
        ratio = float((high.ipr.sel(pathway="trained") / high.ipr.sel(pathway="none")).median())
        beside = f"trained pathway: IPR × {ratio:.2f};\n{_beside_frozen(high)}"
    after = "no field is localized"
    if high.sizes["gain"]:
        where = "in place" if bool((high.return_cosine > SAME).all()) else "not all in place"
        after = f"{_again(high)} localized again, {where}"
    return [after, students, beside, f"gain {gain}: 2w in place\nof w, and v = −w"]


def _beside_frozen(high: xr.Dataset) -> str:
    """What is left beside the largest of the frozen pathways, by the median over seeds."""
    name = str(high.pathway.values[-1])
    lost = bool((high.sum_ipr.sel(pathway=name).median("seed") <= LOCALIZED).all())
    return f"{name}: {'none localized' if lost else 'still localized'}"


def _again(high: xr.Dataset) -> str:
    """The share of all pushed fields that are localized again."""
    return percent(float((high.return_ipr > LOCALIZED).mean()))


def more(record: xr.Dataset) -> Figure:
    """Rates at the end states, and fields of students and teachers."""
    figure = Figure(figsize=(WIDTH, 5.3))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.6, 0.7]))
    rates, row = top.subplots(), bottom.subplots()
    _spectrum_panel(rates, record)
    _student_fields(row, record)
    legend_below(top, rates, ncols=2)
    gain = f"gain {gain_text(float(record.gain[-1]))}"
    words = f"students (dots) have their teachers' fields (lines), localized or not; the first of each, {gain}"
    letter([rates, row], [_rates_words(record), words])
    _say(figure, record, "bands: all seeds")
    return figure


def _rates_words(record: xr.Dataset) -> str:
    """In which end states disturbances grow."""
    growing = [gain_text(gain) for gain in record.gain.values if largest_rates(record.sel(gain=[gain]))[0] > 0]
    where = (
        f"disturbances grow (rate above 0) at gain {', '.join(growing)} only"
        if growing
        else "all disturbances decay (rates below 0)"
    )
    return f"end states of single neurons: {where}"


def _say(figure: Any, record: xr.Dataset, *words: str, again: str = "") -> None:
    """Length scales and time are among the parameters of a record that was kept."""
    known = json.loads(record.attrs.get("parameters", "{}"))
    lengths = f"length scales {known['xi1']:g} and {known['xi0']:g}" if known else scales_text(record.attrs)
    time = f"{known['steps'] * known['learning_rate']:g} τ{again}" if known else ""
    taught = f"students {known['student_steps']:,} steps" if known else ""
    sizes = f"n = {record.sizes['position']}", lengths, time, taught, seeds(record.sizes["seed"])
    say_setting(figure, *sizes, *words)


def _colours(record: xr.Dataset) -> list[str]:
    """Of the gains, which have an order."""
    return shades(record.sizes["gain"], "viridis", (0.0, 0.8))


def _spectrum_panel(axes: Any, record: xr.Dataset) -> None:
    for gain, color in zip(record.gain.values, _colours(record), strict=True):
        values = record.eigenvalues.sel(gain=gain)
        rate = f"{largest_rates(record.sel(gain=[gain]))[0]:+.2g}".replace("-", "−")
        aside = f": largest {rate}" + ("" if gain in localizing(record) else ", not localized")
        axes.fill_between(record.mode, values.min("seed"), values.max("seed"), color=color, alpha=0.25, linewidth=0)
        axes.plot(record.mode, values.median("seed"), color=color, linewidth=2.2, label=f"gain {gain_text(gain)}{aside}")
        halo = [withStroke(linewidth=3.4, foreground="white")]  # seen on the line of its own gain too
        axes.plot(record.mode, record.damping.sel(gain=gain), ":", color=color, linewidth=1.8, path_effects=halo)
    axes.plot([], [], ":", color="0.3", linewidth=1.8, label="decay alone, $-(Σ_0+Σ_1)/4$, in the colour of its gain")
    axes.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    axes.set(xlabel="mode, the slowest first", ylabel="rate of a small disturbance (1/τ)")


def _push_panel(axes: Any, record: xr.Dataset) -> None:
    """At the gains at which fields localize; dots on lines: of seeds, and for "somewhere" of gains and pushes too."""
    high, same = localizing(record), (record.return_cosine > SAME).mean("seed")
    foretold, kept = record.foretold.mean("seed"), record.return_ipr > LOCALIZED
    for gain, color in zip(record.gain.values, _colours(record), strict=True):
        if gain not in high:
            continue
        one = same.sel(gain=gain)
        axes.semilogx(record["size"], one.sel(push="random"), "o-", color=color, markersize=5)
        axes.semilogx([], [], color=color, linewidth=3, label=f"gain {gain_text(gain)}")
        axes.semilogx(record["size"], one.sel(push="other"), "s--", color=color, markersize=4)
        axes.semilogx(record["size"], foretold.sel(gain=gain, push="random") + ASIDE, ":", color=color, linewidth=1.4, zorder=4)
    for style, label in [
        ("o-", "back: random push"),
        ("s--", "back: to the far side"),
        (":", "foretold by peak of $Σ_1w$ (set off)"),
    ]:
        axes.semilogx([], [], style, color="0.4", markersize=4, label=label)
    if high:
        again, label = kept.sel(gain=high).mean(["gain", "seed", "push"]), f"localized again: {_again(record.sel(gain=high))}"
        axes.semilogx(record["size"], again, "D-", color=AGAIN, linewidth=3.5, markersize=7, label=label, zorder=1.9)
        look: Any = {"textcoords": "offset points", "ha": "right", "fontsize": 9, "color": AGAIN, "fontweight": "bold"}
        axes.annotate(label, (float(record["size"][-1]), float(again[-1])), (0, 9), **look)
    ticks = record["size"].values
    axes.set_xticks(ticks, [f"{size:g}" for size in ticks], fontsize=7)
    axes.set_xticks([], minor=True)
    axes.set(xlabel="size of the push over that of the field", ylabel="share of pushed fields")
    axes.set(ylim=(-0.05, 1.15), yticks=np.linspace(0, 1, 6))


def _ipr_panel(axes: Any, record: xr.Dataset) -> None:
    """Side by side, for without and with a trained pathway they are the same."""
    at = np.arange(record.sizes["gain"])
    for shift, marker, pathway, color in ((-0.2, "o", "none", COLOURS[0]), (0.0, "s", "trained", COLOURS[1])):
        values = record.ipr.sel(pathway=pathway)
        dots_by_seed(axes, at + shift, values, "gain", color)
        label = "no pathway" if pathway == "none" else "trained pathway"
        axes.plot(at + shift, values.median("seed"), marker, color=color, markersize=6, markeredgecolor="black", label=label)
    frozen = record.pathway.values[2:]
    for i, (marker, color) in enumerate(zip("^vDP", shades(len(frozen), "YlGn", (0.45, 0.9)), strict=False)):
        values = record.sum_ipr.sel(pathway=frozen[i]).median("seed")
        axes.plot(at + 0.16 + 0.08 * i, values, marker, color=color, markersize=5, label=f"{frozen[i]}: w + v")
    axes.axhline(1 / record.sizes["position"], color="0.4", linewidth=1.0, linestyle=":")
    axes.set_xticks(at, [gain_text(g) for g in record.gain.values])
    axes.set(xlabel="gain (∞: hypercube)", ylabel="IPR", ylim=(0, 1), yticks=np.linspace(0, 1, 6))
    axes.legend(**BELOW)


def _pathway_panel(axes: Any, record: xr.Dataset) -> None:
    """The fields with and without a pathway that are most alike, since both may also end up at different places."""
    one = record.isel(gain=-1)
    products = (one.fields.sel(pathway="none") * one.fields.sel(pathway="trained")).sum("position")
    one = one.isel(seed=int(products.argmax("seed")))
    none, trained = one.sel(pathway="none"), one.sel(pathway="trained")
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.plot(none.position, 2 * none.fields, "-", color="black", linewidth=1.0, label="2w, predicted for the field")
    axes.plot(none.position, -none.fields, "--", color="black", linewidth=1.0, label="−w, predicted for v")
    axes.plot(none.position, trained.fields, "o", color=COLOURS[1], markersize=3.5, label="field beside a trained v")
    axes.plot(none.position, trained.linear, "s", color=COLOURS[0], markersize=3, label="trained pathway v")
    axes.set(xlabel="position (site)", ylabel="weight")
    axes.legend(**BELOW)


def _student_panel(axes: Any, record: xr.Dataset) -> None:
    """Median distance over fields and seeds, and a line up to the distance that nine in ten stay below."""
    at = np.arange(record.sizes["gain"])
    sizes = record.student.values
    for i, (kind, (marker, color)) in enumerate(TEACHERS.items()):
        for j, size in enumerate(sizes):
            off = 1 - record.match_cosine.sel(teacher=kind, student=size)
            middle, high = (np.maximum(off.quantile(q, ["seed", "taught_unit"]), FLOOR) for q in (0.5, FOUND))
            place = at + 0.1 * (i - 1) + 0.4 * (j - (len(sizes) - 1) / 2)
            look: Any = {"color": color, "markerfacecolor": color if j == 0 else "white", "markersize": 5}
            axes.vlines(place, middle, high, color=color, linewidth=1.2)
            axes.semilogy(place, middle, marker, **look, label=f"{kind} teacher, student of {size} units")
    axes.axhline(1 - SAME, color="0.4", linewidth=1.0, linestyle="--", zorder=0, label=f"the same: cosine above {SAME}")
    axes.axhline(FLOOR, color="0.6", linewidth=1.0, linestyle=":", zorder=0, label=f"{FLOOR:g} or less: rounding")
    axes.set_xticks(at, [gain_text(g) for g in record.gain.values])
    beside: Any = {"fontsize": 7, "color": "0.4", "ha": "right", "va": "bottom"}
    axes.text(at[-1] + 0.45, 1 - SAME, f"cosine {SAME}: the same", **beside)
    axes.text(at[-1] + 0.45, FLOOR * 1.3, f"floor 1e{np.log10(FLOOR):.0f}: rounding", **beside)
    axes.set(xlabel="gain (∞: hypercube)", ylabel="1 − cosine with teacher", ylim=(FLOOR / 3, 0.5))
    axes.set_yticks(10.0 ** np.arange(-7, 1, 2))
    axes.set_yticks([], minor=True)
    teachers = [Line2D([], [], linestyle="", marker=m, color=c, label=f"{kind} teacher") for kind, (m, c) in TEACHERS.items()]
    faces = [("0.4", f"student of {sizes[0]} units")] + [("white", f"student of {size} units") for size in sizes[1:]]
    students = [Line2D([], [], linestyle="", marker="o", color="0.4", markerfacecolor=f, label=words) for f, words in faces]
    axes.legend(handles=[*teachers, *students], **BELOW)


def _student_fields(axes: Any, record: xr.Dataset) -> None:
    """One unit of each kind of teacher, and the student's."""
    first = record.isel(seed=0, taught_unit=0).sel(teacher=list(TEACHERS))
    students = first.student_fields.isel(student=0, gain=-1).transpose("teacher", "position")
    own, taught = first.student_ipr.isel(student=0, gain=-1).values, first.teacher_ipr.values
    names = [f"{kind} teacher: IPR {t:.2f}\nstudent: {s:.2f}" for kind, t, s in zip(TEACHERS, taught, own, strict=True)]
    field_row(axes, students, names, "o", color=COLOURS[0], markersize=3)
    field_row(axes, first.teacher_fields.transpose("teacher", "position"), names, color="black", linewidth=1.2)
