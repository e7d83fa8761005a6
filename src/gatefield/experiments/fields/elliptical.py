"""Elliptical data of many kinds: does any law of the radius localize a field?"""

from collections.abc import Sequence
from typing import Annotated, Any, cast

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from pydantic import AfterValidator

from gatefield.core.errors import UserError
from gatefield.core.grid import Grid
from gatefield.data import Elliptical, Task
from gatefield.dynamics import flow
from gatefield.experiments.by_seed import train_by_seed
from gatefield.experiments.needs import Need, lacking, lasting, undecided
from gatefield.experiments.orders import squashed_task
from gatefield.lab import Bench, Experiment, Parameters, Verdict
from gatefield.lab.kinds import Count, Gain, LengthScale, Rate, Seed
from gatefield.measures import ipr
from gatefield.theory import elliptical

ENOUGH = 30.0
"""Time in tau after which squashed data have localized a field."""
MARKERS = "osDv^P"
"""One for each law."""


def _known(laws: tuple[str, ...]) -> tuple[str, ...]:
    if not laws:
        raise UserError("laws must hold at least one law, but is empty; give one or more, such as 'laplace'.")
    for law in laws:
        elliptical.constant(law, 2)  # a wrong name is reported here, before anything runs
    return laws


class Settings(Parameters):
    """One neuron for each law and seed, all from the same starts; and a control on data that do localize a field."""

    n: Count = 40
    xi1: LengthScale = 2.0
    xi0: LengthScale = 1.0
    laws: Annotated[tuple[str, ...], AfterValidator(_known)] = ("student:3", "student:5", "laplace", "sphere", "shell")
    control_gain: Gain = 3.0
    learning_rate: Rate = 0.01
    batch_size: Count = 10_000
    steps: Count = 3_000
    record_every: Count = 100
    seeds: Count = 4
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    grid = Grid(seed=p.seeds)
    tasks = [Task(Elliptical(p.n, p.xi1, law), Elliptical(p.n, p.xi0, law)) for law in p.laws]
    parts = [train_by_seed(bench, law.replace(":", "="), task, grid, p) for law, task in zip(p.laws, tasks, strict=True)]
    squashed = squashed_task(p, p.control_gain)
    control = train_by_seed(bench, "control", squashed, grid, p)
    record = xr.concat(parts, xr.IndexVariable("law", list(p.laws)), combine_attrs="drop_conflicts")
    record["control_fields"] = control.fields.assign_attrs(long_name=f"fields on squashed data, gain {p.control_gain:g}")
    record["flow_fields"] = (("law", *parts[0].fields.dims), _flows(record, p), {"long_name": "fields of the flow"})
    for name in ("fields", "flow_fields", "control_fields"):
        record[name.replace("fields", "ipr")] = (record[name].dims[:-1], ipr(record[name].values))
    record["constant"] = ("law", [float(elliptical.constant(law, p.n)) for law in p.laws])
    record["tame"] = ("law", [_tame(law) for law in p.laws], {"long_name": "whether fourth moments are finite"})
    trained, theory = record.fields.astype(float), record.flow_fields
    record["cosine"] = (trained * theory).sum("position") / (_norm(trained) * _norm(theory))
    record["size"] = _size(trained, p).assign_attrs(long_name="size of the field, sqrt(w'C1 w)")
    record["flow_size"] = _size(theory, p).assign_attrs(long_name="size of the flow's field")
    return record.assign_attrs(control_gain=p.control_gain)


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    end = record.isel(step=-1, unit=0)
    widest, flat = (float(values.median("seed").max()) for values in (end.ipr, end.flow_ipr))
    first = [
        Verdict.below(
            "no law of the radius localizes the field",
            0.1,
            widest,
            predicted=flat,
            of="largest median IPR over laws",
            kind="prediction",
            source="note 003, section 2",
            note="expected is the largest median of the flows",
        ),
        Verdict.above(
            f"squashed data (gain {record.control_gain:g}) localize the field in the same time",
            0.3,
            float(end.control_ipr.median()),
            of="median IPR",
            kind="control",
            note="the same starts, steps and batches",
        ),
    ]
    tame, wild = end.isel(law=end.tame.values), end.isel(law=~end.tame.values)
    laws = tuple(end.law.values.tolist())
    agree = _agreement(tame, "where fourth moments are finite", (*laws, "laplace"))
    wrong = _agreement(wild, "where fourth moments are infinite", ("student:3", *laws), wild=True)
    return [*undecided(lacking(lasting(record, ENOUGH)), *first), *agree, *wrong]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(10.5, 6.6))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.35, 1.0]))
    left, right = top.subplots(1, 2, width_ratios=[1.3, 1.0])
    _ipr_panel(left, record)
    _size_panel(right, record)
    panels = bottom.subplots(1, record.sizes["law"] + 1)
    end = record.isel(step=-1, seed=0, unit=0)
    for i, (axes, law) in enumerate(zip(panels, record.law.values, strict=False)):
        _field(axes, end.fields.sel(law=law), end.flow_fields.sel(law=law), f"C{i}", _law_text(law))
    _field(panels[-1], end.control_fields, None, "k", _control_text(record))
    panels[0].set_ylabel("weight")
    bottom.supxlabel("(c) final fields: position (site). Dots: SGD, lines: flow from the same start", fontsize="medium")
    return figure


def _flows(record: xr.Dataset, p: Settings) -> np.ndarray:
    """The flow of every law and seed as one system, at the recorded times: (law, seed, step, unit, position)."""
    starts = record.fields.isel(step=0, unit=0).values
    cov1, cov0 = (Elliptical(p.n, xi, "gaussian").covariance() for xi in (p.xi1, p.xi0))

    def velocity(w: Any) -> Any:
        blocks = zip(w.reshape(starts.shape), p.laws, strict=True)
        each = [jax.vmap(lambda u, law=law: elliptical.velocity(u, cov1, cov0, law))(block) for block, law in blocks]
        return jnp.concatenate(each)

    path = flow(velocity, starts.reshape(-1, p.n), record.time.values).fields.values[0]
    return np.moveaxis(path, 0, 1).reshape(*starts.shape[:2], -1, 1, p.n)


def _tame(law: str) -> bool:
    """Whether the law has fourth moments, and so the gradient a variance: Student t needs more than 4 degrees of freedom."""
    name, _, value = law.partition(":")
    return name != "student" or float(value) > 4


def _norm(fields: xr.DataArray) -> xr.DataArray:
    return (fields**2).sum("position") ** 0.5


def _size(fields: xr.DataArray, p: Settings) -> xr.DataArray:
    cov1 = np.asarray(Elliptical(p.n, p.xi1, "gaussian").covariance())
    return xr.DataArray(np.sqrt(np.einsum("...i,ij,...j", fields.values, cov1, fields.values)), dims=fields.dims[:-1])


def _agreement(end: xr.Dataset, where: str, others: tuple[str, ...], *, wild: bool = False) -> list[Verdict]:
    """Direction and size of the final fields against the flow's, where furthest off: the law, and of `wild` laws the seed."""
    claims = f"SGD points where the flow does, {where}", f"SGD gives the field the size of the flow's, {where}"
    if not end.sizes["law"]:
        why = lacking(Need(f"a law {where}", "none", {"laws": others}))
        return [Verdict.not_judged(claim, why, source="note 003, section 2") for claim in claims]
    cosines, ratios = end.cosine, end["size"] / end.flow_size
    if not wild:  # else a median over a few seeds would hide those that single samples threw off
        cosines, ratios = cosines.median("seed"), ratios.median("seed")
    cosine, worst = float(cosines.min()), float(ratios.values.flat[np.argmax(np.abs(ratios.values - 1))])
    names = ", ".join(map(_law_text, end.law.values))
    note = f"laws: {names}; the law that is furthest off, median over seeds"
    if wild:
        note = (
            f"laws: {names}; the law and seed that are furthest off. The gradient has no variance there, and single samples "
            "throw the field off: smaller steps are needed"
        )
    words: Any = {"kind": "prediction", "source": "note 003, section 2", "note": note}
    return [
        Verdict.above(claims[0], 0.9, cosine, predicted=1.0, or_equal=True, of="smallest cosine of the final fields", **words),
        Verdict.within(claims[1], 1.0, worst, atol=0.05, of="size over the flow's", **words),
    ]


def _law_text(law: str) -> str:
    name, _, value = str(law).partition(":")
    return f"Student t, {value} d.f." if name == "student" else f"{name.capitalize()}{' ' + value if value else ''}"


def _control_text(record: xr.Dataset) -> str:
    return f"control: gain {record.attrs['control_gain']:g}"


def _ipr_panel(axes: Any, record: xr.Dataset) -> None:
    laws, steps = record.sizes["law"], record.sizes["step"]
    every = max(laws, steps // 5)
    for i, law in enumerate(record.law.values):  # the laws lie on one line: marks at different times tell them apart
        values, first = record.isel(unit=0).sel(law=law).ipr.median("seed"), i * every // laws
        style = {"marker": MARKERS[i % len(MARKERS)], "markevery": (first, every), "markersize": 6, "linewidth": 1.0}
        axes.plot(record.time, values, color=f"C{i}", label=_law_text(law), **style)
    flow_ipr = record.flow_ipr.isel(unit=0).median("seed")
    axes.plot(record.time, flow_ipr.median("law"), "--", color="0.35", linewidth=1.2, label="flow (median of laws)")
    axes.plot(record.time, record.control_ipr.isel(unit=0).median("seed"), "k-", label=_control_text(record))
    axes.axhline(1 / record.sizes["position"], color="0.4", linewidth=1.0, linestyle=":", label="flat field, 1/n")
    axes.set(
        xlabel=r"time ($\tau$) = learning rate $\times$ step",
        ylabel="inverse participation ratio (IPR)",
        ylim=(0, 1),
        title="(a) localization, median over seeds (SGD unless said)",
    )
    axes.legend(loc="upper left", ncols=2)


def _size_panel(axes: Any, record: xr.Dataset) -> None:
    """Final size against the law's constant: the one thing in which elliptical laws differ."""
    end = record.isel(step=-1, unit=0).sortby("constant")
    axes.plot(end.constant, end.flow_size.median("seed"), "-", color="0.35", label="flow")
    for i, law in enumerate(record.law.values):  # open marks of different size and kind: laws of almost the same constant
        one, size = end.sel(law=law), 10 if law == "sphere" else 6
        at = np.full(one.sizes["seed"], float(one.constant))
        style = {"markersize": size, "markerfacecolor": "none", "markeredgewidth": 1.4, "label": _law_text(law)}
        axes.plot(at, one["size"], MARKERS[i % len(MARKERS)], color=f"C{i}", **style)
    axes.set(
        xlabel="constant c of the law",
        ylabel=r"final size $\sqrt{w^\top C_1 w}$",
        title="(b) size of the field (marks: SGD, each seed)",
    )
    axes.legend(loc="lower right")


def _field(axes: Any, trained: xr.DataArray, predicted: xr.DataArray | None, color: str, title: str) -> None:
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.plot(trained.position, trained, "o", color=color, markersize=3)
    if predicted is not None:
        axes.plot(predicted.position, predicted, "-", color="0.25", linewidth=1.2)
    axes.set_title(title, fontsize="medium")
    axes.set(xticks=[0, trained.sizes["position"] // 2, trained.sizes["position"] - 1])


experiment = Experiment(
    name="elliptical",
    title="Heavy tails or a thin shell: do elliptical data localize a field?",
    source="note 003, section 2: elliptical data",
    text="Elliptical data have the ellipsoidal contours of a Gaussian but any law of the radius: heavy tails (Student, "
    "Laplace), or a sphere and a thin shell, whose excess kurtosis is negative, as that of squashed data is. For all of them "
    "the neuron's gradient flow is the Gaussian one with another constant. So fields stay extended and differ in size only. "
    "The picture lays stochastic gradient descent (SGD) beside that flow. A control on squashed data shows that the time is "
    "long enough to localize. Student t with 3 degrees of freedom has no fourth moments: there the gradient has no "
    "variance, and SGD needs smaller steps and larger batches to stay on the flow.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"batch_size": 1_500, "learning_rate": 0.02, "steps": 1_500, "record_every": 50, "seeds": 3}},
    durations={"quick": "40 s", "full": "10 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
