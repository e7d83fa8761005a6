"""The figures of `cube-states`."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.core.intervals import proportion
from gatefield.experiments.cube.cube_states.verdicts import existing, flow_time, gaps
from gatefield.measures import aligned
from gatefield.plot import COLOURS, THEORY, WIDTH, end_labels, field_row, letter, say_setting

LOOKS = ((COLOURS[1], "s"), (COLOURS[4], "D"), (COLOURS[0], "o"), (COLOURS[2], "^"), (COLOURS[3], "v"))
"""Colour and marker of each pair of length scales, in both panels."""
BORDERS = (":", "--", "-.", "-")
"""Of rings whose borders can be told apart, the largest last."""
STATE = "one-site state: a steady field with one weight wᵢ above the sum of all others, so that site i alone decides the gate"
COLUMNS = 4
"""At most so many pairs have panels of their own."""
ENDS = {False: ("C0", "o", "other states"), True: ("C1", "s", "one-site state")}
LASTING: dict[str, Any] = {"markersize": 2.5, "alpha": 0.6, "markeredgewidth": 0}
FLEETING: dict[str, Any] = {"markersize": 2.5, "alpha": 0.5, "markerfacecolor": "none", "markeredgewidth": 0.5}


def draw(record: xr.Dataset) -> Figure:
    """Where the one-site state exists, and how often it is reached."""
    figure = Figure(figsize=(WIDTH, 5.2))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    left, right = body.subfigures(1, 2, width_ratios=[1.0, 1.15])
    where, (starts, sgd) = left.subplots(), right.subplots(2, 1)
    borders = _map(where, record, left)
    _basins(starts, record, "localized", "start")
    _basins(sgd, record, "sgd_localized", "seed")
    starts.set_xticklabels([])
    sgd.set_xlabel("sites n")
    body.legend(handles=[*_pairs(record), *borders], loc="outside lower center", ncols=3)
    above, below = (f"{100 * share:.0f} %" for share in existing(record))
    title = f"a one-site state exists for {above} of\npairs above the diagonal, {below} below"
    letter([where, starts, sgd], [title, "random starts that end in it", "runs of SGD that end in it"])
    classes = "ξ = (ξ₁ of the positive, ξ₀ of the negative class)"
    _say(figure, record, f"map: n = {int(record.map_size[-1])}", "bars:\u00a095\u00a0%", classes, STATE)
    return figure


def draw_more(record: xr.Dataset) -> Figure:
    """Losses of all states by size, and states of the largest ring."""
    record = record.isel(pair=slice(0, COLUMNS))
    figure = Figure(figsize=(WIDTH, 5.9))
    body: Any = figure.subfigures()
    pairs = [record.isel(pair=at) for at in range(record.sizes["pair"])]
    names = [f"loss {at}" for at in range(len(pairs))]
    panels = body.subplot_mosaic([names, ["states"] * len(pairs)], height_ratios=[1.35, 1.0])
    for name, one in zip(names, pairs, strict=True):
        _losses(panels[name], one, _limits(record, one))
    panels[names[0]].set_ylabel("loss")
    _states(panels["states"], [one.isel(size=-1) for one in pairs])
    body.legend(handles=_ends(), loc="outside lower center", ncols=3)
    texts = [f"ξ₁ = {float(one.xi1):g}, ξ₀ = {float(one.xi0):g}\n{_gap(one)}" for one in pairs]
    lines = max(text.count("\n") for text in texts)
    texts = [text + "\n$\\,$" * (lines - text.count("\n")) for text in texts]  # the heads begin at one height
    letter([panels[name] for name in (*names, "states")], [*texts, _sgd_words(pairs)])
    below = "losses of SGD and of larger rings are of samples, whose noise may put them below the line"
    words = "one-site state: site i alone decides the gate", below, "(e): each scaled, SGD: the first seed"
    _say(figure, record, "ξ₁, ξ₀: positive, negative class", *words)
    return figure


def _sgd_words(pairs: list[xr.Dataset]) -> str:
    """For which pairs SGD ends with a gate of one site on the largest ring."""
    last = [float(one.sgd_localized.isel(size=-1).mean()) for one in pairs]
    n, found = int(pairs[0]["size"][-1]), [at for at, share in enumerate(last) if share > 0.5]
    names = " and ".join(f"({float(pairs[at].xi1):g}, {float(pairs[at].xi0):g})" for at in found)
    return f"fields at n = {n}: SGD mostly ends in the one-site state " + (
        f"for (ξ₁, ξ₀) = {names} only" if found else "for none"
    )


def _limits(record: xr.Dataset, one: xr.Dataset) -> list[float]:
    """Losses of all pairs that have a one-site state at some size, or of this pair alone, which has not."""
    has = (record.site_lead > 0).any("size")
    shown = record.isel(pair=np.flatnonzero(has.values)) if bool((one.site_lead > 0).any()) else one
    return [float(min(shown.loss.min(), shown.sgd_loss.min())), float(max(shown.loss.max(), shown.sgd_loss.max()))]


def _gap(one: xr.Dataset) -> str:
    """By how much the lowest other state of a pair lies above the one-site state, over sizes."""
    if not (one.site_lead > 0).any():
        return "no one-site state"
    found = gaps(one).values
    if not np.isfinite(found).any():
        return "no others found"
    ends = dict.fromkeys(f"{end:+.2g}".replace("-", "−") for end in (np.nanmin(found), np.nanmax(found)))
    return "others " + "\nto ".join(ends)


def _say(figure: Figure, record: xr.Dataset, *words: str) -> None:
    exact = record["size"].values[record.exact.values]
    law = f"exact law up to n = {exact[-1]}, else {record.attrs['samples']:,} inputs" if len(exact) else ""
    flow = f"flow: {flow_time(record)}" if flow_time(record) else ""
    trained = record.attrs.get("trained")  # earlier records have none
    sgd = f"SGD: {record.sizes['seed']} seeds" + (f", {trained:g} τ" if trained else "")
    say_setting(figure, f"{record.sizes['start']} random starts at each n", flow, law, sgd, *words)


def pair_text(one: xr.Dataset) -> str:
    """The length scales of a pair, the positive class first."""
    return f"ξ = ({float(one.xi1):g}, {float(one.xi0):g})"


def _look(at: int, longer: bool) -> dict[str, Any]:
    """Full marks and lines where the longer range is positive."""
    color, marker = LOOKS[at % len(LOOKS)]
    return {"color": color, "marker": marker, "markerfacecolor": color if longer else "w", "linestyle": "-" if longer else "--"}


def _pairs(record: xr.Dataset) -> list[Line2D]:
    out = []
    for at in range(record.sizes["pair"]):
        one = record.isel(pair=at)
        look = _look(at, bool(one.xi1 > one.xi0))
        out.append(Line2D([], [], **look, markersize=5, linewidth=1.2, label=f"{pair_text(one)}{_missing(one)}"))
    return out


def _missing(one: xr.Dataset) -> str:
    """What a pair without a one-site state on the largest ring is marked with."""
    return "" if float(one.site_lead.isel(size=-1)) > 0 else ": no such state"


def borders(exists: xr.DataArray) -> list[tuple[int, list[int]]]:
    """Sizes whose maps differ by no more than a step of the grid, as (place of the last, sizes), the largest last."""
    step, groups = 1 / exists.sizes["map_xi1"], []
    for at, n in enumerate(exists.map_size.values.tolist()):
        if groups and float((exists[at] != exists[groups[-1][0]]).mean()) < step:
            groups[-1] = (at, [*groups[-1][1], n])
        else:
            groups.append((at, [n]))
    return groups


def _map(axes: Any, record: xr.Dataset, figure: Any) -> list[Line2D]:
    """The lead for the largest ring in colour; the borders of existence of all sizes; the pairs studied."""
    xis = record.map_xi1.values
    last = record.lead_map.isel(map_size=-1)
    image = axes.pcolormesh(xis, xis, last, cmap="PuOr", vmin=-1, vmax=1, shading="auto", rasterized=True)
    handles, groups = [], borders(record.lead_map > 0)
    for (at, sizes), style in zip(groups, BORDERS[-len(groups) :], strict=False):
        axes.contour(xis, xis, record.lead_map[at], levels=[0.0], colors="k", linewidths=1.2, linestyles=style)
        label = f"border, n = {', '.join(map(str, sizes))}"
        handles.append(Line2D([], [], linestyle=style, color="k", linewidth=1.2, label=label))
    for at in range(record.sizes["pair"]):
        one = record.isel(pair=at)
        look = _look(at, bool(one.xi1 > one.xi0)) | {"linestyle": "none", "markersize": 7}
        axes.plot(float(one.xi0), float(one.xi1), **look, markeredgewidth=1.5, zorder=4)
    ticks = range(1, int(xis[-1]) + 1)
    axes.set(xlabel="range of the negative class, ξ₀ (sites)", ylabel="range of the positive class, ξ₁ (sites)", aspect="equal")
    axes.set_xticks(ticks)
    axes.set_yticks(ticks)
    label = "lead, (|wᵢ| − sum of the others)/|wᵢ|"
    look: Any = {"location": "bottom", "shrink": 0.8, "aspect": 25, "pad": 0.03}
    figure.colorbar(image, ax=axes, label=label, extend="min", ticks=[-1, 0, 1], **look)
    return handles


def _basins(axes: Any, record: xr.Dataset, name: str, dim: str) -> None:
    """Share of random starts, or of SGD runs, that end with a gate of one site; at the right those of the largest ring."""
    at = np.arange(record.sizes["size"])
    for i in range(record.sizes["pair"]):
        one, place = record.isel(pair=i), at + 0.07 * (i - (record.sizes["pair"] - 1) / 2)
        share, bars = _shares(one[name], dim)
        axes.errorbar(place, share, bars, **_look(i, bool(one.xi1 > one.xi0)), markersize=5, linewidth=1.2, elinewidth=0.9)
    axes.set_xticks(at, [str(n) for n in record["size"].values])
    axes.set(ylabel="share", ylim=(-0.06, 1.06))
    last = record[name].isel(size=-1).mean(dim).values.tolist()
    colours = [_look(i, True)["color"] for i in range(len(last))]
    end_labels(axes, last, [f"{100 * share:.3g} %" for share in last], colours)


def _shares(hits: xr.DataArray, dim: str) -> tuple[np.ndarray, list[np.ndarray]]:
    """Shares by size, with what their exact intervals reach below and above."""
    found = [proportion(int(k), hits.sizes[dim], method="exact") for k in hits.sum(dim).values]
    share, low, high = np.array(found).T
    return share, [share - low, high - share]


def _losses(axes: Any, one: xr.Dataset, limits: list[float]) -> None:
    """Losses of all states by size; those that another sample does not keep are hollow and pale."""
    at = np.arange(one.sizes["size"])
    spread = np.linspace(-0.3, 0.1, one.sizes["start"])
    for peaked, (color, marker, _) in ENDS.items():
        for lasting, look in ((False, FLEETING), (True, LASTING)):
            values = one.loss.where((one.localized == peaked) & (one.lasting == lasting)).transpose("start", "size").values
            axes.plot((at + spread[:, None]).ravel(), values.ravel(), marker, color=color, **look)
    places = (at + np.linspace(0.2, 0.35, one.sizes["seed"])[:, None]).ravel()
    axes.plot(places, one.sgd_loss.transpose("seed", "size").values.ravel(), "x", color=COLOURS[2], markersize=3.5)
    for place, exists, loss in zip(at, (one.site_lead > 0).values, one.site_loss.values, strict=True):
        if exists:
            axes.plot([place - 0.42, place + 0.45], [loss, loss], **THEORY, linewidth=1.0, zorder=1)
    room = 0.04 * (limits[1] - limits[0])
    axes.set_xticks(at, [str(n) for n in one["size"].values])
    axes.locator_params(axis="y", nbins=5)
    axes.tick_params(axis="y", labelsize=7)
    axes.set(xlabel="sites n", ylim=(limits[0] - room, limits[1] + room))


def _ends() -> list[Line2D]:
    dots = [Line2D([], [], color=c, marker=m, linestyle="none", markersize=4, label=label) for c, m, label in ENDS.values()]
    pale = {**FLEETING, "markersize": 4}
    return [
        *dots,
        Line2D([], [], color="C0", marker="o", linestyle="none", **pale, label="not kept by another sample"),
        Line2D([], [], color=THEORY["color"], linewidth=1.0, label="one-site form, (C₀+C₁)⁻¹C₁eᵢ"),
        Line2D([], [], color="C0", linewidth=2.6, alpha=0.55, label="other state of lowest loss"),
        Line2D([], [], color=COLOURS[2], marker="x", linestyle="none", markersize=4, label="SGD"),
    ]


def _states(axes: Any, pairs: list[xr.Dataset]) -> None:
    """The closed form, the other state of lowest loss, and the first end of SGD."""
    n = int(pairs[0]["size"])
    names = [f"ξ₁ = {float(one.xi1):g}, ξ₀ = {float(one.xi0):g}{_no_state(one)}" for one in pairs]
    closed = [aligned(one.site_state.values[:n]) for one in pairs]
    field_row(axes, [_other(one) for one in pairs], color="C0", linewidth=2.6, alpha=0.55)
    field_row(axes, [aligned(one.sgd.values[0, :n]) for one in pairs], style="x", color=COLOURS[2], markersize=3)
    field_row(axes, closed, names, color=THEORY["color"], linewidth=1.0)


def _no_state(one: xr.Dataset) -> str:
    return "\n(its one-site form is no state)" * bool(one.site_lead <= 0)


def _other(one: xr.Dataset) -> np.ndarray:
    """The other state of lowest loss; NaN if there is none."""
    n, wide = int(one["size"]), np.flatnonzero(~one.localized.values.astype(bool))
    if not len(wide):
        return np.full(n, np.nan)
    return np.asarray(aligned(one.states.values[wide[one.loss.values[wide].argmin()], :n]))
