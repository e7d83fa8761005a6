"""The same covariance, nothing else: does the Gaussian clone of localizing data localize?"""

from collections.abc import Sequence
from typing import Any, cast

import jax
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.core.grid import Grid
from gatefield.data import GaussianClone, NonlinearGP, Source, Task
from gatefield.experiments.by_seed import gaussian_ends, train_by_seed
from gatefield.experiments.orders import scales_text
from gatefield.lab import Bench, Experiment, Parameters, Verdict
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.lab.needs import lacking, lasting, undecided
from gatefield.measures import ipr
from gatefield.plot import (
    THEORY,
    WIDTH,
    dots_by_seed,
    finite_join,
    gain_axis,
    gain_places,
    gain_text,
    legend_below,
    letter,
    say_setting,
    small_field,
)

ENOUGH = 200.0
"""Time in tau after which fields that localize have done so."""
DATA = ("original", "clone")
COLOURS = {"original": "C0", "clone": "C1"}
MARKERS = {"original": "o", "clone": "s"}
DOTS: dict[str, dict[str, Any]] = {"original": {"markersize": 3}, "clone": {"markersize": 3, "markerfacecolor": "none"}}
FLOW: dict[str, Any] = {**THEORY, "marker": "_", "markersize": 16}
FLAT, CLEAR = 0.1, 0.3
"""Below the first, four times that of a flat field of 40 sites, a field is spread out; above the second it is localized."""
ALIGNED = 0.9
"""Least cosine of a field with its flow: minibatch noise drifts freely along the few slow modes, and after 200 tau at a rate of
0.05 on batches of 1,000 its square is, by estimate, up to a fifth of that of the field."""


class Settings(Parameters):
    """One neuron for each gain and seed, trained twice from the same start: on the data, and on their Gaussian clone."""

    n: Count = 40
    xi1: LengthScale = 2.0
    xi0: LengthScale = 1.0
    gains: Gains = (1.0, 3.0, float("inf"))
    learning_rate: Rate = 0.05
    batch_size: Count = 1_000
    steps: Count = 4_000
    record_every: Count = 200
    seeds: Count = 16
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    grid = Grid(gain=p.gains, seed=p.seeds)
    sources = _sources(grid, p)
    parts = [train_by_seed(bench, data, Task(*sources[data]), grid, p) for data in DATA]
    record = xr.concat(parts, xr.IndexVariable("data", list(DATA)), combine_attrs="drop_conflicts")
    record["ipr"] = ipr(record.fields)
    ends = gaussian_ends(parts[1], sources["original"])
    record["flow_fields"] = (("gain", "seed", "position"), ends, {"long_name": "final fields of the Gaussian flow"})
    record["flow_ipr"] = (("gain", "seed"), ipr(ends), {"long_name": "IPR of the Gaussian flow"})
    record["inputs"] = (("data", "gain", "position"), [_examples(sources[data][0], grid, p) for data in DATA])
    return record.assign_attrs(xi1=p.xi1, xi0=p.xi0)


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    end = Verdict.above(
        "the field trained on the Gaussian clone ends where the exact Gaussian flow from its start does",
        ALIGNED,
        float(_end_cosine(record).median()),
        predicted=1.0,
        or_equal=True,
        of="median cosine of the final fields",
        source="note 002, equations 19 to 21",
        note="over gains and seeds; late in training the flow is slow, and minibatch noise turns the field a little",
    )
    return [*undecided(lacking(lasting(record, ENOUGH)), _apart(record)), end]


def _apart(record: xr.Dataset) -> Verdict:
    """Original and clone at every gain; predicted for the clone is the IPR of the Gaussian flow."""
    final, flow = record.ipr.isel(step=-1, unit=0).median("seed"), record.flow_ipr.median("seed")
    rows = {}
    for gain in record.gain.values:
        original, clone = (float(final.sel(data=data, gain=gain)) for data in DATA)
        row = Verdict.below("", FLAT, clone, predicted=float(flow.sel(gain=gain)), of="median IPR on the clone")
        rows[f"gain {gain_text(gain)}"] = row.and_above(CLEAR, original, of="median IPR on the data")
    worst = record.gain.values[int(np.argmin([row.margin for row in rows.values()]))]
    original, clone = (final.sel(data=data) for data in DATA)
    every = f"every gain ({', '.join(gain_text(gain) for gain in record.gain.values)})"
    time = f"{float(record.time[-1]):g} τ"
    return Verdict.each(
        f"data that are not Gaussian localize the field at {every}, and Gaussian data of the same covariance at none",
        rows,
        kind="claim",
        source="note 002, introduction and conclusion",
        found=f"after {time} the data localize the field (median IPR {float(original.min()):.2f} and more), Gaussian data "
        f"of the same covariance do not ({float(clone.max()):.2f} at most)",
        otherwise=f"after {time} at gain {gain_text(worst)} the median IPR is {float(original.sel(gain=worst)):.2f} on the "
        f"data and {float(clone.sel(gain=worst)):.2f} on Gaussian data of the same covariance",
    )


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(WIDTH, 6.1))
    top, *strips = cast(Any, figure.subfigures(3, 1, height_ratios=[1.45, 0.9, 0.9]))
    panel = top.subplots()
    _ipr_panel(panel, record)
    legend_below(top, panel)
    inputs = strips[0].subplots(1, record.sizes["gain"], sharex=True, sharey=True, squeeze=False)[0]
    fields = strips[1].subplots(1, record.sizes["gain"], sharex=True, squeeze=False)[0]
    for above, below, gain in zip(inputs, fields, record.gain.values, strict=True):
        one = record.sel(gain=gain).isel(seed=0)
        above.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
        for data in DATA:
            above.plot(one.position, one.inputs.sel(data=data), color=COLOURS[data], linewidth=1.2)
            small_field(below, one.fields.sel(data=data).isel(step=-1, unit=0), "o", color=COLOURS[data], **DOTS[data])
        small_field(below, one.flow_fields, color="black", linewidth=1.0)
        for axes in (above, below):
            axes.set_title(f"\ngain {gain_text(gain)}", loc="left")
            axes.set_xticks([0, len(one.position) // 2, len(one.position) - 1])
        below.set_xlabel("position (site)")
    lowest = min(float(np.min(line.get_ydata())) for axes in fields for line in axes.lines)
    for axes in fields:
        axes.set_ylim(min(-0.15, 1.15 * lowest), 1.15)
    first = gain_text(record.gain.values[0])
    cosine = float(_end_cosine(record).median())
    ends = "ends near the exact flow" if cosine >= ALIGNED else "does not end near the exact flow"
    letter(inputs[:1], [f"one input of each kind: same covariance, another shape\ngain {first}"], "b")
    letter(fields[:1], [f"on the clone SGD {ends} (cosine {cosine:.2f})\ngain {first}"], "c")
    inputs[0].set_ylabel("input (standard\ndeviations)")
    fields[0].set_ylabel("final weights\n(over maximum)")
    say_setting(
        figure,
        f"n = {record.sizes['position']}",
        scales_text(record.attrs),
        f"{float(record.time[-1]):g} τ",
        f"{record.sizes['seed']} seeds",
        "large marks: medians",
        "small dots: seeds",
        "clone: Gaussian data of the same covariance",
        "(b, c) blue: data, orange: clone, black: exact flow of the clone",
        "(c) one seed, cosine: median over gains and seeds",
    )
    return figure


def _sources(grid: Grid, p: Settings) -> dict[str, tuple[Source, Source]]:
    """Both classes of each run, as they are and as Gaussian clones."""
    classes = NonlinearGP(p.n, p.xi1, grid.gain), NonlinearGP(p.n, p.xi0, grid.gain)
    return {"original": classes, "clone": (GaussianClone(classes[0]), GaussianClone(classes[1]))}


def _examples(source: Source, grid: Grid, p: Settings) -> np.ndarray:
    """One input for each gain, made from the same noise."""
    return grid.fold(source.sample(jax.random.key(p.seed), 1))[:, 0, 0]


def _end_cosine(record: xr.Dataset) -> xr.DataArray:
    clone, theory = record.fields.sel(data="clone").isel(step=-1, unit=0).astype(float), record.flow_fields
    return (clone * theory).sum("position") / ((clone**2).sum("position") * (theory**2).sum("position")) ** 0.5


def _ipr_panel(axes: Any, record: xr.Dataset) -> None:
    """IPR against gain: every seed and the median, for the data, their clone and the flow."""
    gains, at = record.gain.values, gain_places(record.gain.values)
    for data, name in {"original": "SGD on the data", "clone": "SGD on their Gaussian clone"}.items():
        values = record.ipr.sel(data=data).isel(step=-1, unit=0)
        dots_by_seed(axes, at, values, "gain", COLOURS[data])
        median = values.median("seed")
        axes.plot(*finite_join(gains, median), MARKERS[data], color=COLOURS[data], markersize=6, linestyle="none", label=name)
    axes.plot(*finite_join(gains, record.flow_ipr.median("seed")), label="exact flow of the clone", **FLOW)
    axes.axhline(1 / record.sizes["position"], color="0.4", linewidth=1.0, linestyle=":", label="flat field, 1/n")
    gain_axis(axes, gains, "gain of the data", ends=True)
    axes.set(ylabel="inverse participation\nratio of the final field", ylim=(0, 1), xlim=(-0.6, at[-1] + 0.3))
    final = record.ipr.isel(step=-1, unit=0).median("seed")
    apart = bool((final.sel(data="clone") < FLAT).all() and (final.sel(data="original") > CLEAR).all())
    letter([axes], ["the field localizes on the data at every gain, on their clone at none" if apart else "IPR by gain"])


experiment = Experiment(
    name="gaussian-clone",
    title="The same covariance without the shape: does the field still localize?",
    source="note 002, introduction and conclusion: localization needs data that are not Gaussian",
    text="Two neurons start from the same field. One learns on the nonlinear Gaussian process, the other on its Gaussian "
    "clone: Gaussian noise with the same mean and covariance in each class. If the covariance made fields localize, both "
    "would. For the clone the gradient flow is known exactly, and is laid beside it.",
    caption="(a) Inverse participation ratio (IPR; 1/n: spread over all sites, 1: one site) of the final field against the "
    "gain, for neurons trained on the data (blue) and on their Gaussian clone (orange), beside the exact flow (black); gain "
    "∞ stands apart. (b) One input of each kind, made from the same noise, in standard deviations: their mean and covariance "
    "are the same, their shape is not. (c) Final fields of one seed, each over its maximum: data (blue), clone (orange), and "
    "the exact flow for the clone (black); the cosine is the median over gains and seeds.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"seeds": 4, "batch_size": 500}},
    durations={"quick": "20 s", "full": "2 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
