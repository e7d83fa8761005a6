"""The figures of the experiment on gated linear networks."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.gates.gated_linear.verdicts import noise
from gatefield.experiments.gates.setting import seeds
from gatefield.experiments.orders import scales_text
from gatefield.plot import COLOURS, PRINTED, WIDTH, field_row, gain_text, legend_below, letter, plain_log_scale, say_setting

TITLES = {
    "single": "single gate",
    "general": "general: gates cross",
    "exclusive": "exclusive: opposites",
    "redundant": "redundant: same twice",
    "scheduled": "scheduled: one switch",
    "moving": "moving gate",
}
DOTS = 14
"""How many records of SGD are shown, evenly on the logarithmic axis of time."""
ASIDE = 1.12
"""How far apart, as a factor of time, the dots of two gains at the same time are drawn."""
MARKS, DASHES, SHADES = "os^D", ("-", "--", ":", "-."), (COLOURS[0], COLOURS[2])
"""Of the gains, in their order."""


def draw(record: xr.Dataset) -> Figure:
    """How far SGD and the printed solution are from the exact weights, and the loss where gates change."""
    figure = Figure(figsize=(WIDTH, 5.6))
    body = cast(Any, figure.subfigures())
    grid = body.add_gridspec(2, 3, height_ratios=[1.15, 1.0])
    worst, *below = [body.add_subplot(place) for place in (grid[0, :], grid[1, 0], grid[1, 1], grid[1, 2])]
    _worst_panel(worst, record)
    for axes, case in zip(below[:2], ("general", "exclusive"), strict=True):
        _distance_panel(axes, _known(record.sel(case=case)), noise(record))
        axes.set_ylim(worst.get_ylim())
    _loss_panel(below[2], _known(record.sel(case="scheduled")))
    for axes, words in zip((worst, *below[::2]), ("distance from\nthe exact weights (%)", "distance (%)", "loss"), strict=True):
        axes.set_ylabel(words)
    letter(
        [worst, *below],
        [
            "SGD where it is furthest off, the solution of note 002 at the end",
            *(f"{case}: printed {_printed_end(record, case):.0f} % off" for case in ("general", "exclusive")),
            "loss, gates switched",
        ],
    )
    legend_below(body, worst, below[2], ncols=3)
    printed = (
        "K units (hidden, their mean is the output)",
        "as printed: note 002, equation 56 (with one unit, K = 1, it is right",
    )
    _say(figure, record, "(a-c): every seed", "(d): first seed", *printed, "of gates that change it says nothing)")
    return figure


def more(record: xr.Dataset) -> Figure:
    """The loss over time for each kind of gates, SGD on the exact path; and the final weights."""
    figure = Figure(figsize=(WIDTH, 7.0))
    body = cast(Any, figure.subfigures())
    grid = body.add_gridspec(4, 3, height_ratios=[1.0, 1.0, 0.55, 0.55])
    first = body.add_subplot(grid[0, 0])
    others = [body.add_subplot(grid[divmod(place, 3)], sharey=first) for place in range(1, 6)]
    panels = np.array([first, *others]).reshape(2, 3)
    for axes, case in zip(panels.ravel(), record.case.values, strict=True):
        _loss_panel(axes, _known(record.sel(case=case)))
        largest = record.loss_distance.max([dim for dim in record.loss_distance.dims if dim != "case"])
        off, weight = 100 * float(largest.sel(case=case)), "bold" if case == largest.idxmax("case") else "normal"
        words = f"off by at most {off:.2g} %"
        axes.text(0.98, 0.94, words, transform=axes.transAxes, ha="right", va="top", fontsize=8, fontweight=weight)
    for axes in panels[0]:
        axes.set_xlabel("")
        axes.tick_params(labelbottom=False)
    for axes in panels[:, 1:].ravel():
        axes.tick_params(labelleft=False)
    for axes in panels[:, 0]:
        axes.set_ylabel("loss")
    row, second = (body.add_subplot(grid[at, :]) for at in (2, 3))
    _final_fields((row, second), record)
    off = 100 * float(record.distance.isel(step=-1).max())
    for axes, case in zip(panels.ravel(), record.case.values, strict=True):
        axes.set_title(TITLES[str(case)], loc="left")
    letter(
        [first, row],
        [first.get_title(loc="left"), f"final weights, scaled, SGD (dots) at most {off:.2g} % off the exact ones (line)"],
    )
    legend_below(body, panels[0, 0])
    _say(
        figure,
        record,
        "drawn: first seed",
        "(a) off: largest over all seeds and times, over the loss at the start",
        "(b) Gaussian data",
    )
    return figure


def _known(one: xr.Dataset) -> xr.Dataset:
    """At the gains at which the case was run."""
    return one.sel(gain=[g for g in one.gain.values if bool(one.loss.sel(gain=g).notnull().any())])


def _say(figure: Any, record: xr.Dataset, *words: str) -> None:
    end, batch = float(record.time[-1]), int(record.attrs["batch_size"])
    sizes = f"n = {record.sizes['position']}", scales_text(record.attrs), f"{end:g} τ", seeds(record.sizes["seed"])
    say_setting(figure, *sizes, f"batches of {batch:,}", *words)


def _name(gain: float) -> str:
    return "Gaussian data" if gain == 0 else f"gain {gain_text(float(gain))}"


def _look(place: int) -> dict[str, Any]:
    """Of SGD at that place among the gains."""
    return {"color": SHADES[place % 2], "marker": MARKS[place % 4], "linestyle": "none"}


def _printed(record: xr.Dataset) -> xr.DataArray:
    """The largest distance of the printed solution at the end, for each kind of gates; 0 where it is not wrong."""
    return record.printed_distance.isel(step=-1).max(["gain", "seed"])


def _printed_end(record: xr.Dataset, case: str) -> float:
    """How far off the printed solution of one kind of gates ends, in percent."""
    return 100 * float(_printed(record).sel(case=case))


def _worst_panel(axes: Any, record: xr.Dataset) -> None:
    """For each kind of gates the largest distance of every run, and that of the printed solution at its end."""
    at, low = np.arange(record.sizes["case"]), 70 * float(record.distance.where(record.distance > 1e-9).min())
    most = 100 * record.distance.max("step").transpose("gain", "seed", "case")
    for i, gain in enumerate(record.gain.values):
        for s, run in enumerate(most.sel(gain=gain).values):
            label = None if s else f"SGD, {_name(gain)}"
            axes.plot(at + 0.2 * (i - (record.sizes["gain"] - 1) / 2), run, markersize=5, alpha=0.8, label=label, **_look(i))
    for place, value in enumerate(100 * _printed(record).values):
        if value > 0:
            axes.plot([place - 0.35, place + 0.35], [value, value], **PRINTED, linewidth=2)
            axes.text(place, 1.12 * value, f"{value:.0f} %", color=PRINTED["color"], ha="center", va="bottom", fontsize=8)
    furthest = most.max(["gain", "seed"])
    place = int(furthest.argmax("case"))
    axes.text(place, 1.2 * float(furthest[place]), f"{float(furthest[place]):.2g} %", ha="center", va="bottom", fontsize=8)
    axes.plot([], [], **PRINTED, linewidth=2, label="as note 002 prints it, without 1/K")
    _bound_line(axes, noise(record))
    axes.set_xticks(at, [TITLES[str(case)].replace(": ", ":\n") for case in record.case.values])
    axes.tick_params(axis="x", length=0)
    axes.set(xlim=(-0.5, at[-1] + 0.5), ylim=(low, 150))
    plain_log_scale(axes)


def _bound_line(axes: Any, bound: float) -> None:
    axes.axhline(100 * bound, color="0.6", linestyle=":", linewidth=1.0, label=f"noise of SGD, allowed: {100 * bound:.2g} %")


def _loss_panel(axes: Any, one: xr.Dataset) -> None:
    some = shown_steps(one)
    for i, gain in enumerate(one.gain.values):
        run = one.sel(gain=gain).isel(seed=0)
        hollow: Any = {"markerfacecolor": "none", "markersize": 6} if i % 2 else {"markersize": 4}
        axes.plot(one.time[some], run.loss[some], label=f"SGD, {_name(gain)}", **hollow, **_look(i))
        axes.plot(one.time[1:], run.exact_loss[1:], DASHES[i % 4], color="black", linewidth=1.1, label=f"exact, {_name(gain)}")
    plain_log_scale(axes, "x")
    axes.set(xlabel="time (τ)")


def shown_steps(one: xr.Dataset) -> np.ndarray:
    """Records evenly on a logarithmic axis of time, without time 0; and where the loss jumps, the one after it."""
    jump = int(np.diff(one.exact_loss.isel(gain=0, seed=0).values).argmax()) + 1
    return np.unique([*np.geomspace(1, one.sizes["step"] - 1, DOTS).round().astype(int), max(1, jump)])


def _distance_panel(axes: Any, one: xr.Dataset, bound: float) -> None:
    """Every seed of SGD as dots, and the printed solution from the same starts."""
    some = np.unique(np.geomspace(1, one.sizes["step"] - 1, DOTS).round().astype(int))
    for i, gain in enumerate(one.gain.values):
        run = one.sel(gain=gain).transpose(..., "step")
        aside = ASIDE ** (i - (one.sizes["gain"] - 1) / 2)  # so that no gain hides another
        for sgd, printed in zip(run.distance.values, run.printed_distance.values, strict=True):
            axes.plot(aside * one.time[some], 100 * sgd[some], markersize=2.5, **_look(i))
            axes.plot(one.time[1:], 100 * np.where(printed > 0, printed, np.nan)[1:], **PRINTED, linewidth=1.0)
    _bound_line(axes, bound)
    plain_log_scale(axes)
    plain_log_scale(axes, "x")
    axes.set(xlabel="time (τ)")


def _final_fields(rows: Any, record: xr.Dataset) -> None:
    """The first seed on Gaussian data, half of the units in each row."""
    trained, exact, names = [], [], []
    for case in record.case.values:
        first = record.sel(case=case).isel(gain=0).dropna("unit", how="all", subset=["final"])
        trained += list(first.final.values)
        exact += list(first.exact_final.values)
        names += [f"{case}, unit {unit + 1}" if first.sizes["unit"] > 1 else str(case) for unit in range(first.sizes["unit"])]
    half = -(-len(names) // 2)
    for axes, some in zip(rows, (slice(half), slice(half, None)), strict=True):
        if names[some]:
            field_row(axes, trained[some], names[some], "o", color=COLOURS[0], markersize=3)
            field_row(axes, exact[some], names[some], color="black", linewidth=0.8)
