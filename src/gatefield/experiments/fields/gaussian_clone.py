"""The same covariance, nothing else: does the Gaussian clone of localizing data localize?"""

from collections.abc import Sequence
from typing import Any, cast

import jax
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.data import GaussianClone, NonlinearGP, Task
from gatefield.dynamics import flow
from gatefield.experiments.unfold import unfold
from gatefield.lab.bench import Bench
from gatefield.lab.experiment import Experiment, Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.lab.verdict import Verdict
from gatefield.measures import ipr
from gatefield.nets import Committee
from gatefield.plot import dots_by_seed, gain_text, small_field
from gatefield.theory import relu

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
    gain = np.repeat(p.gains, p.seeds)
    sources = {"original": (NonlinearGP(p.n, p.xi1, gain), NonlinearGP(p.n, p.xi0, gain))}
    sources["clone"] = cast(Any, tuple(map(GaussianClone, sources["original"])))
    axes = {"gain": p.gains, "seed": range(p.seeds)}
    parts = [unfold(_train(bench, data, sources[data], p), axes) for data in DATA]
    record = xr.concat(parts, xr.IndexVariable("data", list(DATA)), combine_attrs="drop_conflicts")
    record["ipr"] = (record.fields.dims[:-1], ipr(record.fields.values), {"long_name": "inverse participation ratio"})
    ends = _flow_ends(parts[1], sources["original"])
    record["flow_fields"] = (("gain", "seed", "position"), ends, {"long_name": "final fields of the Gaussian flow"})
    record["flow_ipr"] = (("gain", "seed"), ipr(ends), {"long_name": "IPR of the Gaussian flow"})
    record["inputs"] = (("data", "gain", "position"), [_examples(sources[data][0], p) for data in DATA])
    return record


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    final = record.ipr.isel(step=-1, unit=0).median("seed")
    out = []
    for gain in record.gain.values:
        original, clone = (float(final.sel(data=data, gain=gain)) for data in DATA)
        theory = float(record.flow_ipr.sel(gain=gain).median("seed"))
        out.append(
            Verdict.judged(
                f"at gain {gain_text(gain)} the data localize the field and their Gaussian clone does not",
                theory,
                clone,
                "median IPR of the clone below 0.1, of the original above 0.3",
                clone < 0.1 and original > 0.3,
                f"the original's median IPR is {original:.2f}; expected of the clone is that of the Gaussian flow",
            )
        )
    cosine = float(_end_cosine(record).median())
    return [
        *out,
        Verdict.judged(
            "the clone ends where the Gaussian flow does",
            1.0,
            cosine,
            "median cosine of the final fields at least 0.9",
            cosine >= 0.9,
            "over gains and seeds; late in training the flow is slow, and minibatch noise turns the field a little",
        ),
    ]


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


def _train(bench: Bench, data: str, sources: tuple[Any, Any], p: Settings) -> xr.Dataset:
    """All gains and seeds on one kind of data; starts and keys depend on the seed alone."""
    net_key, train_key = jax.random.split(jax.random.key(p.seed))
    starts = np.asarray(Committee(p.n, 1, key=jax.random.split(net_key, p.seeds)).fields)
    copies = len(p.gains)
    return bench.train(
        data,
        Committee(p.n, 1, init=np.tile(starts, (copies, 1, 1)), key=net_key),
        Task(*sources),
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate,
        record_every=p.record_every,
        key=jax.numpy.tile(jax.random.split(train_key, p.seeds), copies),
    ).record


def _flow_ends(record: xr.Dataset, sources: tuple[Any, Any]) -> np.ndarray:
    """Where the Gaussian flow from the same starts ends, for all gains and seeds as one system: (gain, seed, position)."""
    starts = record.fields.isel(step=0, unit=0).values
    cov1, cov0 = (source.covariance() for source in sources)
    each = jax.vmap(lambda w, a, b: relu.velocity(w[None], a, b)[0])
    path = flow(lambda w: each(w, cov1, cov0), starts.reshape(-1, starts.shape[-1]), [0.0, float(record.time[-1])])
    return path.fields.values[0, -1].reshape(starts.shape)


def _examples(source: Any, p: Settings) -> np.ndarray:
    """One input for each gain, made from the same noise."""
    return np.asarray(source.sample(jax.random.key(p.seed), 1))[:: p.seeds, 0]


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
    title="The same covariance without the shape: no localization",
    source="note 002, introduction and conclusion: localization needs data that are not Gaussian",
    text="Two neurons start from the same field. One learns on the nonlinear Gaussian process, the other on its Gaussian "
    "clone: Gaussian noise with exactly the same mean and covariance in each class. The first condenses onto a few "
    "sites, as its inverse participation ratio (IPR) shows; the clone stays spread out and follows the gradient flow "
    "that is exact for Gaussian data. So it is not the covariance that makes a field localize, but what the "
    "covariance does not know.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"seeds": 4, "batch_size": 500}},
    durations={"quick": "20 s", "full": "2 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
