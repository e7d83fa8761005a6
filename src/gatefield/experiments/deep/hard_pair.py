"""Two points on one ray: what networks without biases can fit depends on where their gates come from."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from pydantic import Field

from gatefield.experiments.deep import descent as deep
from gatefield.kernels import ntk
from gatefield.lab.bench import Bench
from gatefield.lab.experiment import Experiment, Parameters
from gatefield.lab.kinds import Count, Depth, Rate, Seed
from gatefield.lab.verdict import Verdict

KINDS = {
    "ReLU": "ReLU",
    "GaLU": "GaLU",
    "random": "random gates",
    "soft-GaLU": "soft GaLU",
    "soft-ReLU": "soft ReLU",
}
HARD = ("ReLU", "GaLU")
BEST, PLACE = 9 / 5, -1 / 5
Y = np.array([1.0, -1.0])
ENOUGH = 20_000
"""Steps after which runs have come to rest."""


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
    found = [_one_kind(p, kind) for kind in KINDS]
    steps = np.arange(p.steps // p.record_every + 1) * p.record_every
    return xr.Dataset(
        {
            "loss": (("kind", "run", "step"), [_losses(e) for e in found], {"long_name": "sum of squared errors"}),
            "output": (("kind", "run", "point"), [e[:, -1] + Y for e in found], {"long_name": "output at the end"}),
        },
        {"kind": list(KINDS), "step": steps, "point": ["x", "2x"]},
    )


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    return [_verdict(record.sel(kind=kind), kind) for kind in KINDS] + [_place(record)]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(10.5, 4.2))
    panels: Any = figure.subplots(1, 2, width_ratios=[1.35, 1.0])
    _loss_panel(panels[0], record)
    _output_panel(panels[1], record)
    panels[1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def _losses(errors: np.ndarray) -> np.ndarray:
    """Sums of squared errors; infinite where a run has diverged."""
    return np.where(np.isfinite(errors), errors**2, np.inf).sum(-1)


def _one_kind(p: Settings, kind: str) -> np.ndarray:
    """Errors (run, record, point); every kind starts from the same points and weights."""
    soft = deep.Soft(p.beta, p.eps) if kind.startswith("soft") else None
    cases = [_case(p, kind, soft, run) for run in range(p.runs)]
    layers, gates, x = (deep.stacked(part) for part in zip(*cases, strict=True))
    largest = [np.linalg.eigvalsh(ntk(one.listed(), list(open_), at))[-1] for one, open_, at in cases]
    own = kind in ("ReLU", "soft-ReLU")
    origin: dict[str, Any] = {"soft": soft} if own else {"gates": gates}
    rates, y = p.rate / np.array(largest), np.tile(Y, (p.runs, 1))
    return deep.descend(layers, x, y, rates, steps=p.steps, record_every=p.record_every, **origin).errors


def _case(p: Settings, kind: str, soft: deep.Soft | None, run: int) -> tuple[deep.Layers, np.ndarray, np.ndarray]:
    """Weights, gates and both points of one run."""
    rng = np.random.default_rng([p.seed, run])
    x = np.outer([1.0, 2.0], rng.normal(size=p.inputs) / np.sqrt(p.inputs))
    layers, gating = (deep.draw(rng, "gaussian", (2 / p.width) ** 0.5, p.depth, p.width, p.inputs) for _ in range(2))
    if kind == "random":
        return layers, deep.random_gates(rng, 0.5, p.depth, 2, p.width), x
    return layers, deep.own_gates(layers if kind.endswith("ReLU") else gating, x, soft), x


def _verdict(one: xr.Dataset, kind: str) -> Verdict:
    end = one.loss.isel(step=-1)
    low, high = float(end.min()), float(end.max())
    if kind in HARD:
        ends = bool(low > BEST - 1e-9 and high < BEST + 1e-3)
        note = f"least and largest of {len(end)} runs: {low:.10g}, {high:.10g}{_short(one)}"
        return Verdict.judged(
            f"{kind}: no better than 9/5, and reaches it", BEST, low, "all runs from 9/5 to 9/5 + 0.001", ends, note
        )
    share = float((end < 1e-6).mean())
    note = f"below 1e-6 in {share:.0%} of {len(end)} runs; least {low:.1e}, median {float(end.median()):.1e}{_short(one)}"
    return Verdict.judged(
        f"{KINDS[kind]}: both points are fitted",
        0.0,
        min(high, 1e6),
        "sum of squared errors below 1e-6 in every run",
        share == 1,
        note,
    )


def _short(record: xr.Dataset) -> str:
    steps = int(record.step[-1])
    return f"; {steps} steps are too short to decide, {ENOUGH} are usual" if steps < ENOUGH else ""


def _place(record: xr.Dataset) -> Verdict:
    ends = record.output.sel(kind=list(HARD))
    off = ends.sel(point="x").values - PLACE
    doubled = float(abs(ends.sel(point="2x").values - 2 * ends.sel(point="x").values).max())
    worst = float(ends.sel(point="x").values.flat[np.argmax(abs(off))])
    return Verdict.judged(
        "ReLU and GaLU: the output is -1/5 at x and twice that at 2x",
        PLACE,
        worst,
        "within 0.02 in every run, doubled to 1e-9",
        bool(abs(worst - PLACE) < 0.02 and doubled < 1e-9),
        f"largest |y(2x) - 2 y(x)|: {doubled:.1e}{_short(record)}",
    )


def _loss_panel(axes: Any, record: xr.Dataset) -> None:
    axes.axhline(BEST, color="k", linewidth=1.2, linestyle="--")
    for i, kind in enumerate(KINDS):
        values = np.maximum(record.loss.sel(kind=kind).transpose("run", "step").values, 1e-30)
        for j, run in enumerate(values[:10]):
            axes.semilogy(record.step, run, color=f"C{i}", alpha=0.5, linewidth=1.0, label=None if j else KINDS[kind])
    axes.text(float(record.step[-1]), BEST * 2.5, "9/5", ha="right", va="bottom")
    axes.set(xlabel="step", ylabel="sum of squared errors", ylim=(1e-31, 1e3), title="(a) error over training, first ten runs")


def _output_panel(axes: Any, record: xr.Dataset) -> None:
    line = np.array([-1.1, 1.3])
    axes.plot(line, 2 * line, color="0.6", linewidth=1.0, zorder=0)
    axes.text(0.28, 0.75, "y(2x) = 2 y(x)", color="0.4", ha="right")
    for i, (kind, marker) in enumerate(zip(KINDS, "osD^v", strict=True)):
        ends = record.output.sel(kind=kind)
        axes.plot(ends.sel(point="x"), ends.sel(point="2x"), marker, color=f"C{i}", markersize=9 - 1.2 * i, alpha=0.8,
                  linestyle="", markeredgewidth=0, label=KINDS[kind])  # fmt: skip
    axes.plot(1, -1, "k+", markersize=14, label="labels")
    axes.set(xlabel="output at x", ylabel="output at 2x", xlim=(-0.6, 1.3), ylim=(-1.3, 1.3), title="(b) outputs at the end")


experiment = Experiment(
    name="hard-pair",
    title="Two points that no ReLU network without biases can fit, and gates that can",
    source="paper 004, section 1, 'a hard dataset for DNNs'",
    text="Without biases a ReLU network is homogeneous: its gates are the same at x and at 2x, so that its output doubles. The "
    "labels 1 and -1 then leave at least (y - 1)^2 + (2y + 1)^2 = 9/5, at an output y = -1/5 for x. Gates from a frozen "
    "ReLU network (GaLU) are the same at both points too. Random gates, drawn for each sample, and soft gates, which "
    "open wider at 2x, tell the points apart and fit them. (a) sum of squared errors over training by gradient "
    "descent, one line for each run; (b) outputs at the end, one mark for each run, the line being where the output "
    "doubles.",
    Parameters=Settings,
    presets={"full": {"runs": 100}, "quick": {"runs": 20}},
    durations={"quick": "10 s", "full": "1 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
