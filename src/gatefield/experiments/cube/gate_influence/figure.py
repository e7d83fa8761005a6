"""The figures of `gate-influence`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from scipy.special import erf

from gatefield.experiments.cube import fields as cube
from gatefield.experiments.cube.gate_influence.verdicts import (
    HIGH,
    LOW,
    beside,
    between,
    crowd_law,
    decided,
    near,
    shown,
    steps,
)
from gatefield.plot import COLOURS, THEORY, WIDTH, legend_below, letter, plain_log_scale, say_setting

PARTS = {
    f"ignored: influence ≤ {LOW}": "0.85",
    "between": COLOURS[4],
    f"followed: influence ≥ {HIGH}": COLOURS[0],
}
"""What a gate does with a site, and its colour."""
MEANING = "influence of a site: size of P(gate open | site is +1) − P(gate open | site is −1)"
SMALL = 0.01
"""Smaller weights have no influence and are left out where the axis is logarithmic."""
LOCALIZED = ":\nlocalized"


def draw(record: xr.Dataset) -> Figure:
    figure = Figure(figsize=(WIDTH, 7.2))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.1, 1.0]))
    parts = bottom.subfigures(1, 2)
    panels = np.array([top.subplots(1, 2), [part.subplots() for part in parts]])
    for axes, law in zip(panels[0], ("uniform", "own"), strict=True):
        _counts(axes, record, law)
    panels[0, 1].set_yticklabels([])
    legend_below(top, panels[0, 0])
    _scatter(panels[1, 0], record, "uniform", "influence")
    panels[1, 0].set(xscale="log", xlim=(SMALL, 1.1))
    plain_log_scale(panels[1, 0], "x")
    _leader_panel(panels[1, 1], record)
    for part, axes in zip(parts, panels[1], strict=True):
        legend_below(part, axes, ncols=2, fontsize=7.5, columnspacing=1.0)
    low, high = steps(record)
    titles = (
        f"inputs independent: {_between_text(record, 'uniform')}",
        f"inputs as in the data: {_between_text(record, 'own')}",
        _theory_text(record),
        f"one weight grows {high / low:.2g}-fold\nfrom ignored to followed",
    )
    letter(panels, titles)
    _say(
        figure,
        record,
        "(a, b): mean over the fields of a kind",
        f"(c): weights from {SMALL:g} on",
        f"(d): {record.sizes['crowd']} sets of other weights (band: their range)",
    )
    return figure


def _between_text(record: xr.Dataset, law: str) -> str:
    """How many sites lie between, of random and of localized fields."""
    random, local = (between(cube.family(record, name)[law]) for name in (cube.RANDOM, cube.TRAINED["long"]))
    return f"between are\n{random:.2g} of {record.sizes['position']} sites (random), {local:.2g} (localized)"


def _theory_text(record: xr.Dataset) -> str:
    """How near influences in random fields are to the theory of one weight among many."""
    one = cube.family(record, cube.RANDOM)
    off = np.abs(one.uniform.values - crowd_law(np.minimum(one.share.values, 1 - 1e-9))).max()
    return f"inputs independent: random fields\nare within {off:.2g} of theory"


def draw_more(record: xr.Dataset) -> Figure:
    figure = Figure(figsize=(WIDTH, 4.1))
    panels: Any = figure.subplots(1, 2, sharey=True)
    _scatter(panels[0], record, "own", "influence, or chance to turn the gate")
    _scatter(panels[1], record, "turns", "")
    panels[1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    _mark_neighbours(panels, record)
    letter(
        panels,
        (
            _neighbour_text(record),
            _turning_text(record),
        ),
    )
    _say(figure, record, "one site decides: the gate is open exactly where that site has the sign of its weight")
    return figure


def _say(figure: Figure, record: xr.Dataset, *words: str) -> None:
    scales = record.attrs.get("length_scales", [])
    say_setting(
        figure,
        MEANING,
        f"n = {record.sizes['position']} sites of ±1",
        f"trained for {cube.trained_for(record)}".replace(" τ", "\u00a0τ"),
        f"{cube.family(record, cube.TRAINED['long']).sizes['field']} seeds",
        "falling by r: weights 1, r, r², …",
        "ξ: length scales (positive, negative class)" if len(scales) else "",
        *words,
    )


def _mark_neighbours(panels: Any, record: xr.Dataset) -> None:
    """Where one site decides: a line at the covariance of its neighbours with it, and how often turning one turns the gate."""
    alone = decided(record)
    if not alone.sizes["field"]:
        return
    expected = sorted(set(near(record.sizes["position"], alone.xi.values).round(6)))
    for value in expected:
        panels[0].axhline(value, **THEORY | {"linestyle": "--"}, linewidth=0.9, zorder=1)
    look: Any = {"fontsize": 7.5, "zorder": 6}
    panels[0].text(0.56, expected[-1] - 0.02, "covariance of\nneighbours with a\nsite that decides", va="top", **look)
    shares, turns = _neighbours(record)
    axes, high = panels[1], float(turns.max()) + 0.03
    axes.plot([0, 0, shares.max(), shares.max()], [high, high + 0.02, high + 0.02, high], color="0.2", linewidth=1.0, zorder=6)
    arrow = {"arrowstyle": "-", "color": "0.2", "linewidth": 0.8}
    words = f"neighbours of a site\nthat decides: {turns.max():.2f}"
    axes.annotate(words, (float(shares.max()), high + 0.02), (0.5, 0.16), arrowprops=arrow, **look)


def _neighbours(record: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Beside sites that decide: sizes of weights, and how often turning such a site turns the gate, means of both sides."""
    alone = decided(record)
    peaks = alone.uniform.argmax("position").values
    near_by = (peaks[:, None] + np.array([-1, 1])) % alone.sizes["position"]
    return np.take_along_axis(alone.share.values, near_by, 1), beside(alone.turns, peaks)


def _neighbour_text(record: xr.Dataset) -> str:
    alone = decided(record)
    if not alone.sizes["field"]:
        return "influence, inputs correlated\nas in the data"
    values = beside(alone.own, alone.uniform.argmax("position").values)
    return f"inputs correlated: neighbours of a\nsite that decides reach {float(np.max(values)):.2f}"


def _turning_text(record: xr.Dataset) -> str:
    if not decided(record).sizes["field"]:
        return "chance that turning one site\nalone turns the gate"
    return f"turned alone, they turn the\ngate in {100 * _neighbours(record)[1].max():.2g} % of inputs"


def _name(record: xr.Dataset, family: str) -> str:
    """A family as it is read, with the pair of length scales on which it was trained if the record has it."""
    for order, name in cube.TRAINED.items():
        if family == name and len(record.attrs.get("length_scales", [])):
            return f"trained {cube.trained_on(record, order)}"
    return family.replace("geometric", "falling by")


def _band(axes: Any) -> None:
    axes.axhspan(LOW, HIGH, color="0.93", zorder=0)
    axes.set_ylim(-0.03, 1.05)


def _scatter(axes: Any, record: xr.Dataset, law: str, label: str) -> None:
    _band(axes)
    axes.text(0.02, HIGH - 0.02, f"between: {LOW} to {HIGH}", va="top", fontsize=7.5, color="0.3")
    styles = cube.styles(record)
    for name in shown(record):
        one, few = cube.family(record, name), name.startswith("geometric")
        axes.plot(
            one.share.values.ravel(),
            one[law].values.ravel(),
            linestyle="",
            markersize=5.5 if few else 2.8,
            markeredgecolor="w",
            markeredgewidth=0.3 if few else 0.0,
            zorder=3 if few else 2,
            label=_name(record, name),
            **styles[name],
        )
    if law == "uniform":
        s = np.linspace(0, 1, 200, endpoint=False)
        axes.plot(s, crowd_law(s), **THEORY, linewidth=1.0, label="theory: one among many", zorder=1)
    axes.set(xlabel=r"size of the weight, $|w_j|/|w|$", ylabel=label, xlim=(-0.02, 1.02))


def _counts(axes: Any, record: xr.Dataset, law: str) -> None:
    """How many sites of a field of each family are ignored, in between, and followed: a bar each, with its numbers."""
    names, n = shown(record), record.sizes["position"]
    places, starts = np.arange(len(names)), np.zeros(len(names))
    counts = np.array([_parts(cube.family(record, name)[law]) for name in names])
    for (label, colour), sizes in zip(PARTS.items(), counts.T, strict=True):
        axes.barh(places, sizes, left=starts, height=0.75, color=colour, label=label)
        for at, (start, size) in enumerate(zip(starts, sizes, strict=True)):
            inside = size > 0.06 * n  # a number that fits into its bar
            place = start + size / 2 if inside else n * 1.02
            if size and (inside or colour == COLOURS[0]):
                axes.text(place, at, f"{size:.2g}", ha="center" if inside else "left", va="center", fontsize=8)
        starts = starts + sizes
    axes.set_yticks(places, [_name(record, name) + LOCALIZED * (name == cube.TRAINED["long"]) for name in names])
    axes.set(xlabel="sites of a field", xlim=(0, n), ylim=(len(names) - 0.5, -0.5))


def _parts(values: xr.DataArray) -> tuple[float, float, float]:
    """How many sites of a field are ignored, in between, and followed, the mean over fields."""
    ignored, followed = (float(part.sum("position").mean()) for part in (values <= LOW, values >= HIGH))
    return ignored, between(values), followed


def _leader_panel(axes: Any, record: xr.Dataset) -> None:
    _band(axes)
    lead = record["lead"].values
    fine = np.geomspace(lead[0], lead[-1], 200)
    for values, color, mark, label in [
        (record.leader, "C0", "o", "the weight that grows"),
        (record.follower, "C1", "s", "largest of the others"),
    ]:
        axes.plot(lead, values.mean("crowd"), mark, color=color, markersize=4, label=label)
        axes.fill_between(lead, values.min("crowd"), values.max("crowd"), color=color, alpha=0.2, linewidth=0)
    axes.semilogx(fine, erf(fine / np.sqrt(2)), **THEORY, linewidth=1.0, label=r"erf$(s/\sqrt{2})$", zorder=1)
    for size in steps(record):
        axes.axvline(size, color="0.4", linewidth=0.8, linestyle=":", zorder=1)
    ticks = [t for t in (0.05, 0.1, 0.2, 0.5, 1, 2, 5) if lead[0] <= t <= lead[-1]]
    axes.minorticks_off()
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.set(xlabel="s = its size over the norm of the others", ylabel="influence")
