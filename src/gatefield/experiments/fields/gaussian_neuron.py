"""One ReLU neuron on Gaussian data, beside its exact gradient flow."""

from collections.abc import Sequence
from typing import Any, cast

import jax
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.core.intervals import standard_error
from gatefield.data import NonlinearGP, Task, fourier_basis
from gatefield.dynamics import flow
from gatefield.experiments.batch_noise import CHANCE, random_walk, slack
from gatefield.lab import Bench, Experiment, Parameters, Verdict
from gatefield.lab.kinds import Count, Gain, LengthScale, Rate, Seed
from gatefield.lab.needs import Need, lacking
from gatefield.nets import Committee
from gatefield.plot import DATA, THEORY, WIDTH, field_over_time, legend_below, letter, say_setting
from gatefield.theory import relu

SIGMAS = 3
"""Standard errors of the mean loss over the last batches of all seeds, within which it is not told from another."""
FLOW = "note 002, equations 19 to 21"


class Settings(Parameters):
    """As in figure 1 of note 002; `seeds` neurons are trained side by side."""

    n: Count = 40
    xi1: LengthScale = 2.0
    xi0: LengthScale = 1.0
    gain: Gain = 0.01
    learning_rate: Rate = 0.01
    batch_size: Count = 10_000
    steps: Count = 2_000
    record_every: Count = 20
    seeds: Count = 4
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    positive, negative = NonlinearGP(p.n, p.xi1, p.gain), NonlinearGP(p.n, p.xi0, p.gain)
    task, (net_key, train_key) = Task(positive, negative), jax.random.split(jax.random.key(p.seed))
    record = bench.train(
        "sgd",
        Committee(p.n, 1, key=jax.random.split(net_key, p.seeds)),
        task,
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate,
        record_every=p.record_every,
        key=jax.random.split(train_key, p.seeds),
    ).record
    cov1, cov0 = positive.covariance(), negative.covariance()
    theory = flow(lambda w: relu.velocity(w, cov1, cov0), record.fields.isel(step=0).values, record.time.values)
    record["flow_fields"] = (record.fields.dims, theory.fields.values, {"long_name": "fields of the gradient flow"})
    record["flow_loss"] = (
        ("run", "step"),
        [[float(relu.loss(w, cov1, cov0)) for w in path] for path in theory.fields.values],
    )
    record["distance"] = _distance(record.fields.astype(float), record.flow_fields)
    probe = jax.random.fold_in(jax.random.key(p.seed), 2)  # beside the two parts that it was split into
    walk = random_walk(theory.fields.values, record.time.values, task, probe) * np.sqrt(p.learning_rate / p.batch_size)
    record["noise_distance"] = (("run", "step"), walk, {"long_name": "random walk of minibatch noise, relative to the flow"})
    return record.assign_attrs(length_scales=[p.xi1, p.xi0], gain=p.gain)


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    return [_follows(record), _loss(record)]


def _follows(record: xr.Dataset) -> Verdict:
    claim = "one ReLU neuron trained by SGD on Gaussian data leaves its exact gradient flow by no more than the batches' noise"
    end, time = float(record.distance.isel(step=-1).median()), float(record.time[-1])
    apart = f"after {time:g} τ one neuron on Gaussian data is {100 * end:.2g} % (median) away from its exact gradient flow"
    words: Any = {
        "kind": "prediction",
        "source": FLOW,
        "found": f"{apart}, within what the noise of batches predicts",
        "otherwise": f"{apart}, more than the noise of the batches explains",
    }
    if "noise_distance" not in record:
        why = lacking(Need("the noise of the batches", "none", {"seeds": record.sizes["run"]}))
        return Verdict.not_judged(claim, f"{why} --fresh", **words)
    far, walk = record.distance.max("step"), record.noise_distance.max("step")
    allowed = slack(record.sizes["run"])
    return Verdict.below(
        claim,
        allowed,
        float((far / walk).max()),
        of="largest distance from the flow on the way over that of the noise's random walk, for the worst seed,",
        note=f"distances |w - w_flow| / |w_flow| of {float(far.max()):.2g} and {float(walk.median()):.2g}; of {far.size} runs "
        f"noise alone takes one beyond {allowed:.2f} times the walk in {100 * CHANCE:g} % of cases",
        **words,
    )


def _loss(record: xr.Dataset) -> Verdict:
    """The mean over fresh batches has an error, which the scatter of the batches tells."""
    last = record.isel(step=slice(-10, None))
    off, flow_loss = (last.loss - last.flow_loss).values, float(last.flow_loss.mean())
    error, explained = standard_error(off), 0.25 - flow_loss
    share = f", {100 * SIGMAS * error / explained:.2g} % of what the neuron explains of 1/4" if explained > 0 else ""
    return Verdict.within(
        "the loss of one ReLU neuron trained by SGD on Gaussian data ends as that of its exact gradient flow",
        flow_loss,
        flow_loss + float(off.mean()),
        atol=SIGMAS * error,
        of="mean loss over the last ten records and all seeds",
        kind="prediction",
        source=FLOW,
        note=f"SGD's is measured on fresh batches: {SIGMAS} standard errors are allowed" + share,
    )


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    one = record.isel(run=0, unit=0)
    figure = Figure(figsize=(WIDTH, 5.7))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.0, 1.05]))
    maps, below = top.subplots(1, 2, sharey=True), bottom.subplots(1, 3, width_ratios=[1.0, 1.0, 1.1])
    shown = one.fields, one.fields - one.flow_fields
    sizes = [float(abs(values).max()) for values in shown]
    limits = [size or 1.0 for size in sizes]
    for axes, values, limit, label in zip(maps, shown, limits, ("weight", "weight difference"), strict=True):
        image = field_over_time(axes, values, "", limit)
        axes.set_xlabel("time (τ)")
        top.colorbar(image, ax=axes, label=label, shrink=0.9, pad=0.02)
    maps[1].set_ylabel("")
    _final(below[0], one.isel(step=-1))
    _spectra(below[1], one)
    _distances(below[2], record)
    legend_below(bottom, below[0], below[2])
    letter(
        [*maps, *below],
        [
            f"the field over time, by SGD: up to {sizes[0]:.2g}",
            f"SGD minus exact flow: up to {sizes[1]:.2g}",
            f"at the end: cosine {_cosine(one.isel(step=-1)):.3f}",
            f"spectra: within {_apart(one):.1g}",
            "all seeds within chance" if _within_chance(record) else "distance beside noise",
        ],
    )
    say_setting(figure, *_setting(record))
    return figure


def _setting(record: xr.Dataset) -> list[str]:
    known, size = record.attrs, record.sizes["run"]
    scales = "length scales {:g} and {:g} sites".format(*known["length_scales"]) if "length_scales" in known else ""
    batch = f"batches of {int(known['batch_size']):,}" if "batch_size" in known else ""
    return [
        f"n = {record.sizes['position']}",
        scales,
        f"{float(record.time[-1]):g} τ",
        batch,
        f"(a) to (d): one of {size} seeds, (e): all of them",
        f"grey: noise alone takes one of {size} seeds beyond it in {100 * CHANCE:g} % of cases",
    ]


def _within_chance(record: xr.Dataset) -> bool:
    """Whether no seed goes farther from the flow than noise alone may take it."""
    if "noise_distance" not in record:
        return False
    far, walk = record.distance.max("step"), record.noise_distance.max("step")
    return bool((far < slack(record.sizes["run"]) * walk).all())


def _cosine(one: xr.Dataset) -> float:
    """Of the field of SGD with that of the flow."""
    trained, flow = one.fields.astype(float), one.flow_fields
    return float((trained * flow).sum() / ((trained**2).sum() * (flow**2).sum()) ** 0.5)


def _final(axes: Any, one: xr.Dataset) -> None:
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.plot(one.position, one.flow_fields, **THEORY, linewidth=1.2, label="(c, d) exact flow")
    axes.plot(one.position, one.fields, **DATA, color="C0", markersize=3, label="SGD")
    axes.set(xlabel="position (site)", ylabel="weight")


def _spectra(axes: Any, one: xr.Dataset) -> None:
    """Amplitude of each frequency of the final fields: cosine and sine parts together."""
    for values, look in [
        (one.flow_fields, {**THEORY, "linewidth": 1.2}),
        (one.fields, {**DATA, "color": "C0", "markersize": 3}),
    ]:
        axes.plot(_amplitudes(values.isel(step=-1)), **look)
    axes.set(xlabel="frequency (cycles per ring)", ylabel="amplitude")
    axes.set_ylim(bottom=0)


def _amplitudes(field: xr.DataArray) -> np.ndarray:
    """Of each frequency of a field."""
    basis = fourier_basis(field.sizes["position"])
    return np.sqrt(np.bincount((np.arange(len(basis)) + 1) // 2, (basis.T @ field.values) ** 2))


def _apart(one: xr.Dataset) -> float:
    """The largest difference of the amplitudes of both final fields."""
    last = one.isel(step=-1)
    return float(abs(_amplitudes(last.fields) - _amplitudes(last.flow_fields)).max())


def _distances(axes: Any, record: xr.Dataset) -> None:
    """The distance of every seed from its flow, and how far the noise of the batches carries by itself."""
    every = max(1, record.sizes["step"] // 25)
    late = record.isel(step=slice(1, None, every))
    for seed in late.distance.transpose("run", "step").values:
        axes.plot(late.time, 100 * seed, **DATA, color="C0", markersize=2.5)
    most = float(record.distance.max())
    if "noise_distance" in record:
        noise = record.noise_distance.median("run")
        allowed = slack(record.sizes["run"]) * noise
        axes.plot(record.time, 100 * noise, **THEORY, linewidth=1.2, label="(e) noise of batches alone")
        axes.fill_between(
            record.time,
            0,
            100 * allowed,
            color="0.9",
            linewidth=0,
            zorder=0,
            label=f"{100 * (1 - CHANCE):g} % of farthest seeds",
        )
        most = max(most, float(record.noise_distance.max()), float(allowed.max()))
    axes.set(xlabel="time (τ)", ylabel="off the flow (%)")
    _say_median(axes, float(record.time[-1]), 100 * float(record.distance.isel(step=-1).median()))
    axes.set(xlim=(0, None), ylim=(0, 105 * most))


def _say_median(axes: Any, time: float, middle: float) -> None:
    """The number of the title, at the end."""
    axes.plot([time], [middle], "_", color="C0", markersize=9, clip_on=False)
    look: Any = {"xytext": (5, 0), "textcoords": "offset points", "va": "center", "fontsize": 8, "color": "C0"}
    axes.annotate(f"median\n{middle:.2g} %", (time, middle), annotation_clip=False, **look)


def _distance(a: xr.DataArray, b: xr.DataArray) -> xr.DataArray:
    dims = ("unit", "position")
    return (((a - b) ** 2).sum(dims) / (b**2).sum(dims)) ** 0.5


experiment = Experiment(
    name="gaussian-neuron",
    title="Does one neuron on Gaussian data follow its exact gradient flow?",
    source="note 002, figure 1 and equations 19 to 21",
    text="A single ReLU neuron learns to tell long-range from short-range correlated noise. On Gaussian data its average "
    "motion has a closed form: each Fourier mode of the receptive field (the neuron's input weights) grows or decays at a "
    "rate set by the two spectra and by the size of the field. Stochastic gradient descent (SGD) is laid beside that flow, "
    "from the same start. Gradients of batches have noise, whose random walk is predicted too.",
    caption="(a) The weights of one neuron over the time of its training (learning rate times step). (b) (a) minus the "
    "exact flow from the same start, on finer colours of its own. (c) The final field, and the cosine of the two: dots SGD, "
    "line flow. A smooth trace "
    "of the random start is left; nothing condenses onto single sites, and much later the field is flat. (d) The size of "
    "each frequency of (c). (e) |w − w_flow| / |w_flow| of every seed (dots), and the random walk that the noise of the "
    "batches makes by itself (line); grey: what chance lets the farthest of all seeds do.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"batch_size": 2_500, "seeds": 2}},
    durations={"quick": "10 s", "full": "1 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
