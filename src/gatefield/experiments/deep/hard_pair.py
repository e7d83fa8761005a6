"""Two points on one ray: what networks without biases can fit depends on where their gates come from."""

import json
from collections.abc import Sequence
from typing import Annotated, Any

import jax
import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pydantic import Field

from gatefield.core.intervals import FAR
from gatefield.core.runs import one_run
from gatefield.experiments.deep.networks import Case, descend, draw, own_gates, random_gates
from gatefield.lab import Bench, Experiment, Parameters, Verdict
from gatefield.lab.kinds import Count, Depth, Rate, Seed
from gatefield.plot import COLOURS, WIDTH, letter, say_setting

KINDS = {
    "ReLU": "ReLU",
    "GaLU": "GaLU",
    "random": "random gates",
    "soft-GaLU": "soft GaLU",
    "soft-ReLU": "soft ReLU",
}
HARD, FREE = ("ReLU", "GaLU"), ("random", "soft-GaLU", "soft-ReLU")
"""Kinds whose gates are the same at both points, and those whose gates may differ."""
LOOKS = dict(zip(KINDS, zip(COLOURS[:5], "osD^v", strict=True), strict=True))
"""Colour and marker of each kind."""
LEAST, SHOWN, TOP, CALM = 1e-12, 10, 1e6, 1e3
"""Errors below the first are drawn there: they are rounding; so many runs of each kind are drawn over time, besides those that
end otherwise than others of their kind; the upper edge, to which the
lines of runs that diverged go; and the upper edge if none did."""
WIDE = {"ReLU": 4.5, "GaLU": 2.5}
"""Widths of lines that lie on each other; others have 1."""
BEST, PLACE = 9 / 5, -1 / 5
"""The least (y - 1)^2 + (2y + 1)^2, and the output y at which it is reached."""
Y = np.array([1.0, -1.0])
ROUNDING = 1e-9
"""Far above that of float64."""
NEAR, APART = 1e-3, 0.02
"""How near to the least loss runs come, and to its place: 5 APART^2 = 2 NEAR, as the loss is quadratic."""
FITTED = 1e-6
"""A sum of squared errors that counts as none; the slowest runs are still on their way down."""
SOURCE = "paper 004, section 1"
ENOUGH = 20_000
"""Steps after which runs are in a steady state."""


class Settings(Parameters):
    """The points (x, 1) and (2x, -1), x of `inputs` normal entries; networks of depth `depth` and normal weights.

    `beta` and `eps` belong to the soft gates (1 + eps) sigmoid(beta q); those of soft GaLU come from a frozen network. The rate
    is `rate` over the largest eigenvalue of the first kernel.
    """

    inputs: Count = 5
    width: Count = 50
    depth: Depth = 3
    beta: Rate = 4.0
    eps: Annotated[float, Field(ge=0)] = 0.1
    runs: Count = 20
    rate: Rate = 0.05
    steps: Count = ENOUGH
    record_every: Count = 200
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    found = [_one_kind(p, bench, kind) for kind in KINDS]
    return xr.concat(found, "kind").assign_coords(kind=list(KINDS), point=["x", "2x"])


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    end, (error, short) = record.loss.isel(step=-1), _undecided(record)
    low, high = (getattr(end.sel(kind=list(HARD)), name)() for name in ("min", "max"))
    free = end.sel(kind=list(FREE))
    worst = min(float(free.where(np.isfinite(free)).max().fillna(FAR)), FAR)
    lost = int((~np.isfinite(free)).sum())
    diverged = f"{lost} of {free.size} runs diverged"
    words: Any = {"kind": "claim", "source": SOURCE, "note": short or f"{record.sizes['run']} runs of each kind"}
    return [
        Verdict.each(
            "ReLU and GaLU networks without biases leave a sum of squared errors of 9/5, and no less",
            {KINDS[kind]: _stuck(end.sel(kind=kind), error) for kind in HARD},
            found="without biases, hard gates leave a squared error of 9/5 on two points of a ray",
            otherwise=f"hard gates without biases end with squared errors from {float(low):.3g} to {float(high):.3g}, "
            f"not at 9/5",
            **words,
        ),
        Verdict.each(
            "networks with random gates, and with soft gates, fit both points",
            {KINDS[kind]: _fitted(end.sel(kind=kind), error) for kind in FREE},
            found=f"random and soft gates fit both{f' ({diverged})' if lost else ''}",
            otherwise=f"random and soft gates do not always fit both (largest squared error {worst:.2g}"
            f"{f'; {diverged}' if lost else ''})",
            **words,
        ),
        _place(record, error, short),
    ]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(WIDTH, 3.7))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    panels = body.subplots(1, 2, width_ratios=[1.2, 1.0])
    _loss_panel(panels[0], record)
    _output_panel(panels[1], record)
    held = all(verdict.outcome == "confirmed" for verdict in verdicts(record))
    findings = ["only gates that tell x from 2x fit", "hard gates cannot leave the line"]
    if held:
        beside: Any = {"fontsize": 8, "va": "center"}
        panels[1].text(PLACE + 0.12, 2 * PLACE, "all with hard gates", ha="left", **beside)
        panels[1].text(0.88, -1, "all others", ha="right", **beside)
    letter(panels, findings if held else ["sum of squared errors", "outputs at the end"])
    looks: Any = {"linestyle": "-", "markersize": 5}
    handles = [Line2D([], [], color=c, marker=m, label=KINDS[kind], **looks) for kind, (c, m) in LOOKS.items()]
    handles.append(panels[1].get_legend_handles_labels()[0][-1])
    body.legend(handles=handles, loc="outside lower center", ncols=len(handles), columnspacing=1.0, handlelength=1.6)
    runs = f"{record.sizes['run']} runs of each kind, all from the same weights"
    shown = f"(a) first {SHOWN} of each, and all that end otherwise" if record.sizes["run"] > SHOWN else ""
    steps = f"{int(record.step[-1]):,} steps"
    known = json.loads(record.attrs.get("parameters", "{}"))
    size = f"{known['depth']} layers of width {known['width']}" if {"depth", "width"} <= known.keys() else ""
    say_setting(
        figure,
        "two points",
        size,
        "no biases",
        runs,
        steps,
        shown,
        f"errors below {LEAST:g} drawn there",
        "(b) all that did not diverge",
    )
    return figure


def _one_kind(p: Settings, bench: Bench, kind: str) -> xr.Dataset:
    """Losses and last outputs; every kind starts from the same points and weights. In float64: errors fall to 1e-15."""
    soft = (p.beta, p.eps) if kind.startswith("soft") else None
    cases = [_case(p, kind, soft, run) for run in range(p.runs)]
    own = {"ReLU": {"gating": "relu"}, "soft-ReLU": {"gating": "soft-relu", "soft": soft}}.get(kind, {})
    settings = {"steps": p.steps, "record_every": p.record_every, **own}
    with jax.enable_x64(True):
        net, record = descend(bench, kind, cases, p.rate, **settings)
        ends = [np.asarray(one_run(net, run)(case.x)) for run, case in enumerate(cases)]
    loss = 2 * record.loss.where(np.isfinite(record.loss), np.inf)
    return xr.Dataset(
        {
            "loss": (loss.dims, loss.values, {"long_name": "sum of squared errors"}),
            "output": (("run", "point"), np.array(ends), {"long_name": "output at the end"}),
        },
        {"step": record.step},
    )


def _case(p: Settings, kind: str, soft: tuple[float, float] | None, run: int) -> Case:
    """Both points, and the network of one run."""
    rng = np.random.default_rng([p.seed, run])
    x = np.outer([1.0, 2.0], rng.normal(size=p.inputs) / np.sqrt(p.inputs))
    weights, gating = (draw(rng, "gaussian", (2 / p.width) ** 0.5, p.depth, p.width, p.inputs) for _ in range(2))
    if kind == "random":
        return Case(weights, random_gates(rng, 0.5, p.depth, 2, p.width), x, Y)
    return Case(weights, own_gates(weights if kind.endswith("ReLU") else gating, x, soft), x, Y)


def _stuck(end: xr.DataArray, error: float) -> Verdict:
    words: Any = {"of": "least of all runs", "error": error}
    found = Verdict.above("", BEST - ROUNDING, end.min(), predicted=BEST, **words)
    return found.and_below(BEST + NEAR, end.max(), of="largest of all runs", error=error)


def _fitted(end: xr.DataArray, error: float) -> Verdict:
    """Of the runs that did not diverge, which says something of the rate and not of what a network can fit."""
    ran = end.where(np.isfinite(end), drop=True)
    lost = end.size - ran.size if ran.size else 0
    left_out = f"; {lost} of {end.size} runs diverged and are left out" if lost else ""
    of = f"largest sum of squared errors (median {float(end.median()):.1e}{left_out})"
    return Verdict.below("", FITTED, min(float((ran if ran.size else end).max()), FAR), predicted=0.0, of=of, error=error)


def _undecided(record: xr.Dataset) -> tuple[float, str]:
    """The error of what is measured at the end, and a word on it: infinite if runs are not in a steady state yet, else none."""
    steps = int(record.step[-1])
    return (0.0, "") if steps >= ENOUGH else (np.inf, f"{steps} steps are too short to decide, {ENOUGH} are usual")


def _place(record: xr.Dataset, error: float, short: str) -> Verdict:
    found = record.output.sel(kind=list(HARD), point="x").values
    return Verdict.within(
        "ReLU and GaLU networks without biases end with the output -1/5 at x, where 9/5 is reached",
        PLACE,
        found.flat[np.argmax(abs(found - PLACE))],
        atol=APART,
        of="the output at x that is furthest off",
        error=error,
        source=SOURCE,
        note=short or f"a loss within {NEAR:g} of 9/5 leaves {np.sqrt(NEAR / 5):.2g}",
    )


def _loss_panel(axes: Any, record: xr.Dataset) -> None:
    """The first runs of each kind, and all that end otherwise than they should: up to the top if they diverged."""
    thousands, odd = record.step.values / 1e3, _odd(record)
    for kind, (colour, _) in LOOKS.items():
        values = np.maximum(record.loss.sel(kind=kind).transpose("run", "step").values, LEAST)
        for run in sorted({*range(min(SHOWN, len(values))), *odd[kind]}):
            ran = np.isfinite(values[run])
            look: Any = {"color": colour, "alpha": 0.6 if ran.all() else 1.0, "linewidth": WIDE.get(kind, 1.0)}
            if ran.all():
                axes.semilogy(thousands, values[run], **look)
                continue
            first = int(np.argmin(ran))
            axes.semilogy(thousands[: first + 1], [*values[run, :first], TOP], **look)
            axes.plot(thousands[first], TOP, marker="^", markersize=7, color=colour, linestyle="", clip_on=False, zorder=5)
    axes.axhline(BEST, color="black", linewidth=0.9, zorder=4)
    last = float(thousands[-1])
    axes.text(
        last, BEST * 2, f"9/5: {_count(record, HARD, odd)} with hard\ngates end here", ha="right", va="bottom", fontsize=8
    )
    fit = f"{_count(record, FREE, odd)} with random\nor soft gates fit"
    axes.text(last, BEST / 8, fit, ha="right", va="top", fontsize=8)
    for i, (kind, words) in enumerate(_diverged(record).items()):
        at = thousands[int((~np.isfinite(record.loss.sel(kind=kind))).any("run").argmax("step"))]
        axes.text(at + 0.03 * last, TOP / 30 ** (i + 0.5), words, color=LOOKS[kind][0], va="center", fontsize=8)
    top = TOP if _diverged(record) else CALM
    axes.set(xlabel="step (thousands)", ylabel="sum of squared errors", ylim=(LEAST / 3, top), xticks=np.linspace(0, last, 5))


def _odd(record: xr.Dataset) -> dict[str, list[int]]:
    """Of each kind the runs that end otherwise than they should: hard gates at 9/5, others with no error."""
    end = record.loss.isel(step=-1).transpose("kind", "run")
    return {
        kind: np.flatnonzero(
            ~((abs(end.sel(kind=kind) - BEST) < NEAR) if kind in HARD else (end.sel(kind=kind) < FITTED))
        ).tolist()
        for kind in KINDS
    }


def _count(record: xr.Dataset, kinds: Sequence[str], odd: dict[str, list[int]]) -> str:
    """How many runs of these kinds end as they should.

    >>> _count(xr.Dataset(coords={"run": range(10)}), ("ReLU", "GaLU"), {"ReLU": [3], "GaLU": []})
    '19 of 20 runs'
    """
    total = len(kinds) * record.sizes["run"]
    missed = sum(len(odd[kind]) for kind in kinds)
    return f"all {total} runs" if not missed else f"{total - missed} of {total} runs"


def _diverged(record: xr.Dataset) -> dict[str, str]:
    """What is said of runs that diverged, by kind."""
    lost = (~np.isfinite(record.loss)).any("step").sum("run")
    counts = {kind: int(lost.sel(kind=kind)) for kind in KINDS}
    return {kind: f"diverged ({n} of {record.sizes['run']} {KINDS[kind]})" for kind, n in counts.items() if n}


def _output_panel(axes: Any, record: xr.Dataset) -> None:
    line = np.array([-1.1, 1.3])
    axes.plot(line, 2 * line, color="black", linewidth=1.0, zorder=0)
    axes.text(0.36, 0.88, "y(2x) = 2 y(x)", ha="right", fontsize=8)
    for i, (kind, (colour, marker)) in enumerate(LOOKS.items()):
        ends = record.output.sel(kind=kind)
        axes.plot(ends.sel(point="x"), ends.sel(point="2x"), marker, color=colour, markersize=10 - 1.6 * i, alpha=0.8,
                  linestyle="", markeredgewidth=0, label=KINDS[kind])  # fmt: skip
    axes.plot(1, -1, "+", color="black", markersize=13, linestyle="", label="labels (1, −1)")
    axes.set(xlabel="output at x", ylabel="output at 2x", xlim=(-0.6, 1.3), ylim=(-1.3, 1.3))


experiment = Experiment(
    name="hard-pair",
    title="Two points on one ray: which gates can fit both?",
    source="paper 004, section 1, 'a hard dataset for DNNs'",
    text="Without biases a ReLU network is homogeneous: its gates are the same at x and at 2x, so that its output doubles. The "
    "labels 1 and -1 then leave at least (y - 1)² + (2y + 1)² = 9/5, at an output y = -1/5 for x. Gates from a frozen ReLU "
    "network (GaLU) are the same at both points too. Random gates, drawn for each sample, and soft gates, which open wider at "
    "2x, tell the points apart. Which networks fit both points?",
    caption="(a) Sum of squared errors over training, first ten runs of each kind and all that end otherwise than the others: "
    "9/5 is what gates that are the same at both points must leave (black); runs that diverged leave at the top (triangle). "
    "(b) Outputs of all runs that did not diverge, at the end: hard gates lie on the line y(2x) = 2 y(x), where the labels "
    "(cross) are not.",
    Parameters=Settings,
    presets={"full": {"runs": 100}, "quick": {"runs": 20}},
    durations={"quick": "10 s", "full": "1 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
