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
from gatefield.experiments.needs import lacking, lasting, undecided
from gatefield.lab import Bench, Experiment, Parameters, Verdict
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.measures import ipr
from gatefield.plot import dots_by_seed, gain_text, small_field

ENOUGH = 200.0
"""Time in tau after which fields that localize have done so."""
DATA = ("original", "clone")
COLOURS = {"original": "C0", "clone": "C1"}


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
    record["ipr"] = (record.fields.dims[:-1], ipr(record.fields.values), {"long_name": "inverse participation ratio"})
    ends = gaussian_ends(parts[1], sources["original"])
    record["flow_fields"] = (("gain", "seed", "position"), ends, {"long_name": "final fields of the Gaussian flow"})
    record["flow_ipr"] = (("gain", "seed"), ipr(ends), {"long_name": "IPR of the Gaussian flow"})
    record["inputs"] = (("data", "gain", "position"), [_examples(sources[data][0], grid, p) for data in DATA])
    return record


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    final = record.ipr.isel(step=-1, unit=0).median("seed")
    apart = [_apart(final.sel(gain=gain), record.flow_ipr.sel(gain=gain)) for gain in record.gain.values]
    end = Verdict.above(
        "the field trained on the clone ends where the Gaussian flow does",
        0.9,
        float(_end_cosine(record).median()),
        predicted=1.0,
        or_equal=True,
        of="median cosine of the final fields",
        kind="prediction",
        source="note 002, equations 19 to 21",
        note="over gains and seeds; late in training the flow is slow, and minibatch noise turns the field a little",
    )
    return [*undecided(lacking(lasting(record, ENOUGH)), *apart), end]


def _apart(final: xr.DataArray, flow: xr.DataArray) -> Verdict:
    """Original and clone at one gain; what is expected of the clone is the IPR of the Gaussian flow."""
    original, clone = (float(final.sel(data=data)) for data in DATA)
    return Verdict.below(
        f"at gain {gain_text(float(final.gain))} the data localize the field and their Gaussian clone does not",
        0.1,
        clone,
        predicted=float(flow.median("seed")),
        of="median IPR on the clone",
        kind="claim",
        source="note 002, introduction and conclusion",
        note=f"on the original it is {original:.2f}; expected on the clone is that of the Gaussian flow",
    ).and_above(0.3, original, of="median IPR on the original")


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(9.5, 7.6))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.0, 1.1]))
    _ipr_panel(top.subplots(), record)
    panels = bottom.subplots(2, record.sizes["gain"], sharex=True, squeeze=False)
    for column, gain in zip(panels.T, record.gain.values, strict=True):
        one = record.sel(gain=gain).isel(seed=0)
        for data in DATA:
            small_field(column[0], one.inputs.sel(data=data), color=COLOURS[data])
            small_field(column[1], one.fields.sel(data=data).isel(step=-1, unit=0), color=COLOURS[data])
        small_field(column[1], one.flow_fields, "--", color="k", linewidth=1.0)
        column[0].set_title(f"gain {gain_text(gain)}")
    panels[0, 0].set_title(f"(b) gain {gain_text(record.gain.values[0])}")
    panels[1, 0].set_title("(c)")
    panels[0, 0].set_ylabel("one input of\nthe positive class")
    panels[1, 0].set_ylabel("final field")
    bottom.supxlabel("position (site); each curve scaled to its own maximum; colours as above", fontsize="medium")
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
    at = np.arange(record.sizes["gain"])
    names = {"original": "SGD on the data", "clone": "SGD on their Gaussian clone"}
    for data in DATA:
        values = record.ipr.sel(data=data).isel(step=-1, unit=0)
        dots_by_seed(axes, at, values, "gain", COLOURS[data])
        axes.plot(at, values.median("seed"), "_-", color=COLOURS[data], markersize=22, markeredgewidth=2.0, linewidth=0.8)
        axes.plot(
            [], [], "o-", color=COLOURS[data], markersize=4, linewidth=1.6, label=f"{names[data]} (dots: seeds, bar: median)"
        )
    axes.plot(at, record.flow_ipr.median("seed"), "k--", linewidth=1.0, label="Gaussian flow, same covariance")
    axes.axhline(1 / record.sizes["position"], color="0.4", linewidth=1.0, linestyle=":", label="flat field, 1/n")
    axes.set_xticks(at, [gain_text(g) for g in record.gain.values])
    axes.set(xlabel="gain (seeds side by side)", ylabel="inverse participation ratio (IPR)", ylim=(0, 1))
    axes.set(xlim=(-0.3, at[-1] + 0.3), title="(a) localization of the final fields")
    axes.legend(loc="upper left")


experiment = Experiment(
    name="gaussian-clone",
    title="The same covariance without the shape: does the field still localize?",
    source="note 002, introduction and conclusion: localization needs data that are not Gaussian",
    text="Two neurons start from the same field. One learns on the nonlinear Gaussian process, the other on its Gaussian "
    "clone: Gaussian noise with the same mean and covariance in each class. The first condenses onto a few sites, as its "
    "inverse participation ratio (IPR) shows. The second stays spread out and follows the gradient flow that is exact for "
    "Gaussian data. So it is not the covariance that makes a field localize, but what the covariance does not know.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"seeds": 4, "batch_size": 500}},
    durations={"quick": "20 s", "full": "2 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
