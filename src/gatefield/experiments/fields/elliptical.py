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
from gatefield.experiments.orders import scales_text, squashed_task
from gatefield.lab import Bench, Experiment, Parameters, Verdict
from gatefield.lab.kinds import Count, Gain, LengthScale, Rate, Seed
from gatefield.lab.needs import Need, lacking, lasting, undecided
from gatefield.measures import LOCALIZED, ipr
from gatefield.plot import THEORY, WIDTH, legend_below, letter, plain_log_scale, say_setting
from gatefield.theory import elliptical

ENOUGH = 30.0
"""Time in tau after which squashed data have localized a field."""
MARKERS = "osDv^P"
"""One for each law."""
SECTION = "note 003, section 2"
FLAT, CLEAR = 0.1, 0.3
"""Below the first, four times that of a flat field of 40 sites, a field is spread out; above the second it is localized."""
ALIGNED = 0.9
"""Least cosine of a field with its flow."""
GAUSSIAN = (2 * np.pi) ** -0.5
"""The constant c of Gaussian data."""
BESIDE: dict[str, Any] = {"xytext": (0, 9), "textcoords": "offset points", "ha": "right", "va": "bottom", "fontsize": 8}
"""Words above the end of a line."""


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
        record[name.replace("fields", "ipr")] = ipr(record[name])
    record["constant"] = ("law", [float(elliptical.constant(law, p.n)) for law in p.laws])
    record["tame"] = ("law", [_tame(law) for law in p.laws], {"long_name": "whether fourth moments are finite"})
    trained, theory = record.fields.astype(float), record.flow_fields
    record["cosine"] = (trained * theory).sum("position") / (_norm(trained) * _norm(theory))
    record["size"] = _size(trained, p).assign_attrs(long_name="size of the field, sqrt(w'C1 w)")
    record["flow_size"] = _size(theory, p).assign_attrs(long_name="size of the flow's field")
    return record.assign_attrs(control_gain=p.control_gain, xi1=p.xi1, xi0=p.xi0)


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    end = record.isel(step=-1, unit=0)
    tame, wild = end.isel(law=end.tame.values), end.isel(law=~end.tame.values)
    laws = tuple(end.law.values.tolist())
    agree = _agreement(tame, "finite", (*laws, "laplace"))
    wrong = _agreement(wild, "infinite", ("student:3", *laws), wild=True)
    return [*undecided(lacking(lasting(record, ENOUGH)), _extended(end), _control(record, end)), *agree, *wrong]


def _extended(end: xr.Dataset) -> Verdict:
    """That no law localizes the field."""
    at = f"{float(end.time):g} τ"
    most = f"median IPR at {at} at most {float(end.ipr.median('seed').max()):.2f}"
    laws = (
        f"none of {end.sizes['law']} elliptical laws localizes" if end.sizes["law"] > 1 else "elliptical data do not localize"
    )
    found, flat = end.ipr.median("seed"), end.flow_ipr.median("seed")
    rows = {
        _law_text(law): Verdict.below(
            "", FLAT, float(found.sel(law=law)), predicted=float(flat.sel(law=law)), of="median IPR on that law"
        )
        for law in end.law.values
    }
    top = str(found.law.values[int(np.argmax(found.values))])
    return Verdict.each(
        "elliptical data do not localize the field, whatever the law of their radius",
        rows,
        source=SECTION,
        note="predicted is the median IPR of the exact flow",
        found=f"{laws} the field ({most})",
        otherwise=f"elliptical data localize the field within {at}: {_law_text(top)} (median IPR {float(found.max()):.2f})",
    )


def _control(record: xr.Dataset, end: xr.Dataset) -> Verdict:
    found = float(end.control_ipr.median())
    return Verdict.above(
        f"squashed data (gain {record.control_gain:g}) localize the field in the time in which elliptical data do not",
        CLEAR,
        found,
        of="median IPR",
        kind="control",
        note="the same starts, steps and batches",
        found=f"squashed data localize a field in the same time (IPR {found:.2f})",
        otherwise=f"squashed data do not localize a field in this time either (IPR {found:.2f})",
    )


def _agreement(end: xr.Dataset, moments: str, others: tuple[str, ...], *, wild: bool = False) -> list[Verdict]:
    """Direction and size of the final fields against the flow's, for each law; of `wild` laws the seed that is furthest off."""
    where = f"for elliptical data whose fourth moments are {moments}"
    claims = f"SGD ends in the direction of the exact flow, {where}", f"SGD ends with the size of the exact flow, {where}"
    if not end.sizes["law"]:
        why = lacking(Need(f"a law whose fourth moments are {moments}", "none", {"laws": others}))
        return [Verdict.not_judged(claim, why, source=SECTION) for claim in claims]
    cosines, ratios = end.cosine, end["size"] / end.flow_size
    if wild:  # a median over a few seeds would hide those that single samples threw off
        cosines, ratios = cosines.min("seed"), ratios.isel(seed=abs(ratios - 1).argmax("seed"))
        note = "the seed that is furthest off: the gradient has no variance there, and single samples throw the field off"
    else:
        cosines, ratios, note = cosines.median("seed"), ratios.median("seed"), "median over seeds"
    which = "smallest" if wild else "median"
    directions = {
        _law_text(law): Verdict.above(
            "", ALIGNED, float(cosines.sel(law=law)), predicted=1.0, or_equal=True, of=f"{which} cosine of the final fields"
        )
        for law in end.law.values
    }
    sizes = {
        _law_text(law): Verdict.within("", 1.0, float(ratios.sel(law=law)), atol=0.05, of="size over that of the flow")
        for law in end.law.values
    }
    words: Any = {"source": SECTION, "note": note}
    return [Verdict.each(claims[0], directions, **words), Verdict.each(claims[1], sizes, **words)]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    laws = record.sizes["law"]
    columns = min(3, laws + 1)
    rows = -(-(laws + 1) // columns)
    figure = Figure(figsize=(WIDTH, 3.3 + 1.25 * rows))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[2.3, 1.05 * rows]))
    left, right = top.subplots(1, 2)
    _ipr_panel(left, record)
    _size_panel(right, record)
    legend_below(top, right, ncols=4, fontsize=7)
    final = record.isel(step=-1, unit=0)
    only = bool((final.ipr.median("seed") < FLAT).all() and final.control_ipr.median() > CLEAR)
    where = "only squashed data localize the field" if only else "localization in training"
    letter([left, right], [where, "final size: the law enters by c alone"])
    panels = np.ravel(bottom.subplots(rows, columns, sharex=True))
    end = record.isel(step=-1, seed=0, unit=0)
    limits = _limits(end)
    for i, (axes, law) in enumerate(zip(panels, record.law.values, strict=False)):
        _field(
            axes,
            end.fields.sel(law=law),
            end.flow_fields.sel(law=law),
            f"C{i}",
            MARKERS[i % len(MARKERS)],
            _panel_text(record, i),
        )
        axes.set_ylim(limits)
    _field(panels[laws], end.control_fields, None, "0.3", "o", _control_text(record))
    for axes in panels[laws + 1 :]:
        axes.axis("off")
    for axes in panels[max(0, laws + 1 - columns) : laws + 1]:
        axes.set_xlabel("position (site)")
    letter(panels[:1], [_panel_text(record, 0)], "c")
    for axes in panels[: laws + 1 : columns]:
        axes.set_ylabel("weight")
    say_setting(
        figure,
        f"n = {record.sizes['position']}",
        scales_text(record.attrs),
        f"{float(record.time[-1]):g} τ",
        f"{record.sizes['seed']} seeds",
        "(a) medians, bands: range of seeds",
        "(b) each seed, size: root of w·C₁w",
        "(c) one seed, ≥: least cosine with the flow over all seeds",
    )
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


def _law_text(law: str) -> str:
    name, _, value = str(law).partition(":")
    return f"Student t, {value} d.f." if name == "student" else f"{name.capitalize()}{' ' + value if value else ''}"


def _panel_text(record: xr.Dataset, i: int) -> str:
    """The law, and how far SGD ends from the flow; which laws have no fourth moments."""
    law, least = _law_text(record.law.values[i]), float(record.cosine.isel(law=i, step=-1, unit=0).min())
    cosine = f"≥ {np.floor(1000 * least) / 1000:.3f}"
    return f"{law}: {cosine}" if record.tame[i] else f"{law}:\nno 4th moment, cosine {cosine}"


def _limits(end: xr.Dataset) -> tuple[float, float]:
    """Of the fields on all elliptical laws, with room for their marks."""
    low = float(min(end.fields.min(), end.flow_fields.min()))
    high = float(max(end.fields.max(), end.flow_fields.max()))
    room = 0.12 * (high - low) or 1.0
    return low - room, high + room


def _control_text(record: xr.Dataset) -> str:
    return f"control: squashed, gain {record.attrs['control_gain']:g}"


def _ipr_panel(axes: Any, record: xr.Dataset) -> None:
    laws, steps = record.sizes["law"], record.sizes["step"]
    every = max(laws, steps // 5)
    for i, law in enumerate(record.law.values):  # the laws lie on one line: marks at different times tell them apart
        values, first = record.isel(unit=0).sel(law=law).ipr, i * every // laws
        look = {"marker": MARKERS[i % len(MARKERS)], "markevery": (first, every), "markersize": 5, "linewidth": 0.8}
        axes.plot(record.time, values.median("seed"), color=f"C{i}", label=_law_text(law), **look)
        axes.fill_between(record.time, values.min("seed"), values.max("seed"), color=f"C{i}", alpha=0.15, linewidth=0)
    axes.plot(record.time, record.flow_ipr.isel(unit=0).median("seed").median("law"), label="exact flow", **THEORY)
    control = record.control_ipr.isel(unit=0)
    axes.plot(record.time, control.median("seed"), "-", color="0.5", label=_control_text(record))
    axes.fill_between(record.time, control.min("seed"), control.max("seed"), color="0.5", alpha=0.15, linewidth=0)
    flat, last = 1 / record.sizes["position"], float(record.time[-1])
    axes.axhline(flat, color="0.4", linewidth=1.0, linestyle=":", label="flat field, 1/n")
    end, most = float(control.isel(step=-1).median()), float(record.ipr.isel(step=-1, unit=0).median("seed").max())
    axes.annotate(f"{_control_text(record)}, {end:.2f}", (last, end), **BESIDE)
    below: Any = {**BESIDE, "xytext": (0, -3), "va": "top"}
    axes.annotate(f"elliptical laws, at most {most:.2f} at {last:g} τ", (last, float(record.ipr.isel(step=-1).min())), **below)
    axes.annotate("flat field, 1/n", (last, flat), **below)
    axes.axhline(LOCALIZED, color="0.4", linewidth=1.0, linestyle=":", zorder=0)
    axes.annotate(f"localized above {LOCALIZED:g}", (0, LOCALIZED), **{**BESIDE, "xytext": (0, 1), "ha": "left"})
    axes.set(xlabel="time (τ)", ylabel="inverse participation ratio")
    plain_log_scale(axes)
    axes.set_ylim(0.6 * flat, 1.9 * float(max(control.max(), record.ipr.max())))


def _size_panel(axes: Any, record: xr.Dataset) -> None:
    """Final size against the law's constant: the one thing in which elliptical laws differ."""
    end = record.isel(step=-1, unit=0).sortby("constant")
    for i, law in enumerate(record.law.values):  # open marks of different size and kind: laws of almost the same constant
        one, size = end.sel(law=law), 10 if law == "sphere" else 6
        at = np.full(one.sizes["seed"], float(one.constant))
        look = {"markersize": size, "markerfacecolor": "none", "markeredgewidth": 1.4, "label": _law_text(law)}
        axes.plot(at, one["size"], MARKERS[i % len(MARKERS)], color=f"C{i}", **look)
    axes.plot(end.constant, end.flow_size.median("seed"), label="exact flow", **THEORY)
    axes.margins(0.08, 0.15)
    axes.axvline(GAUSSIAN, color="0.4", linewidth=1.0, linestyle=":", zorder=0)
    look: Any = {"xytext": (-4, 4), "textcoords": "offset points", "ha": "right", "va": "bottom", "fontsize": 8, "color": "0.3"}
    axes.annotate(f"Gaussian, c = {GAUSSIAN:.2f}", (GAUSSIAN, 0.0), xycoords=("data", "axes fraction"), **look)
    axes.set(xlabel="c: half the mean size of a site of variance 1", ylabel="final size of the field")


def _field(axes: Any, trained: xr.DataArray, predicted: xr.DataArray | None, color: str, marker: str, title: str) -> None:
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.plot(trained.position, trained, marker, color=color, markersize=3)
    if predicted is not None:
        axes.plot(predicted.position, predicted, linewidth=1.2, **THEORY)
    axes.set_title(title, loc="left")
    axes.set(xticks=[0, trained.sizes["position"] // 2, trained.sizes["position"] - 1])


experiment = Experiment(
    name="elliptical",
    title="Heavy tails or a thin shell: do elliptical data localize a field?",
    source="note 003, section 2: elliptical data",
    text="Elliptical data have the ellipsoidal contours of a Gaussian but any law of the radius: heavy tails (Student, "
    "Laplace), or a sphere and a thin shell, whose excess kurtosis is negative, as that of squashed data is. For all of them "
    "the neuron's gradient flow is the Gaussian one with another constant c, so that fields should stay extended and differ "
    "in size only. Stochastic gradient descent (SGD) is laid beside that flow, and a control on squashed data shows that the "
    "time is long enough to localize.",
    caption="(a) Inverse participation ratio (1/n: spread over all sites; 1: one site) in training: elliptical laws (marks), "
    "the exact flow (black) and squashed data (grey). (b) Final size of the field against the constant c of its law, half the "
    "mean size of a site: every seed of SGD (open marks) and the flow (black). (c) Final fields of one seed on each law, SGD "
    "(marks) and flow (black), and on squashed data; the titles say the least cosine of the two over all seeds. Student t "
    "with 3 degrees of freedom has no fourth moments: the gradient has no variance there, and single samples throw SGD off "
    "the flow.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"batch_size": 1_500, "learning_rate": 0.02, "steps": 1_500, "record_every": 50, "seeds": 3}},
    durations={"quick": "40 s", "full": "10 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
