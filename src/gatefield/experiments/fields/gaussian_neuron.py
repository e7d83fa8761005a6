"""One ReLU neuron on Gaussian data, beside its exact gradient flow."""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.data import NonlinearGP, Task, fourier_basis
from gatefield.dynamics import flow
from gatefield.lab import Bench, Experiment, Parameters, Verdict
from gatefield.lab.kinds import Count, Gain, LengthScale, Rate, Seed
from gatefield.nets import Committee
from gatefield.plot import field_over_time, two_fields
from gatefield.theory import relu

SIGMAS = 2
"""Standard errors of the mean loss over the last batches of all seeds, within which it is not told from another."""


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
    net_key, train_key = jax.random.split(jax.random.key(p.seed))
    record = bench.train(
        "sgd",
        Committee(p.n, 1, key=jax.random.split(net_key, p.seeds)),
        Task(positive, negative),
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
    record["cosine"] = _cosine(record.fields.astype(float), record.flow_fields)
    record["distance"] = _distance(record.fields.astype(float), record.flow_fields)
    return record


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    first = min(200, int(record.step[-1]))
    late, last = record.isel(step=record.step >= first), record.isel(step=slice(-10, None))
    off = (last.loss - last.flow_loss).values
    return [
        Verdict.above(
            "the field found by SGD points where the flow's does",
            0.99,
            float(late.cosine.min()),
            predicted=1.0,
            or_equal=True,
            of=f"smallest cosine over seeds and recorded steps from {first} on",
            kind="prediction",
            source="note 002, equations 19 to 21",
        ),
        Verdict.below(
            "the final field has the flow's size and shape",
            0.1,
            float(record.distance.isel(step=-1).median()),
            predicted=0.0,
            of="relative distance, median over seeds",
            kind="prediction",
            source="note 002, equations 19 to 21",
            note="|w - w_flow| / |w_flow|; minibatch noise is what is left",
        ),
        Verdict.within(
            "the final loss is the flow's",
            float(last.flow_loss.mean()),
            float(last.loss.mean()),
            rtol=0.02,
            error=SIGMAS * float(off.std(ddof=1)) / off.size**0.5,
            of="loss",
            kind="prediction",
            note=f"both averaged over the last ten records; SGD's is measured on fresh batches, hence its error, {SIGMAS} "
            "standard ones",
        ),
    ]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    one = record.isel(run=0, unit=0)
    figure = Figure(figsize=(9.0, 6.2))
    axes = figure.subplots(2, 2)
    limit = float(abs(one.flow_fields).max())
    field_over_time(axes[0, 0], one.fields, "(a) trained by SGD", limit)
    image = field_over_time(axes[0, 1], one.flow_fields, "(b) gradient flow, exact", limit)
    figure.colorbar(image, ax=axes[0], label="weight", shrink=0.9)
    two_fields(axes[1, 0], one.fields.isel(step=-1), one.flow_fields.isel(step=-1), "(c) final receptive field")
    _spectra(axes[1, 1], one)
    return figure


def _spectra(axes: Any, one: xr.Dataset) -> None:
    """Amplitude of each frequency of the final fields: cosine and sine parts together."""
    basis = fourier_basis(one.sizes["position"])
    frequency = (np.arange(len(basis)) + 1) // 2
    for values, style, label in [(one.fields, "o", "SGD"), (one.flow_fields, "-", "flow")]:
        energy = (basis.T @ values.isel(step=-1).values) ** 2
        amplitude = np.sqrt(np.bincount(frequency, energy))
        axes.plot(amplitude, style, label=label, markersize=5)
    axes.set(xlabel="frequency (cycles per ring)", ylabel="amplitude", title="(d) the same in frequency space")
    axes.legend()


def _cosine(a: xr.DataArray, b: xr.DataArray) -> xr.DataArray:
    dims = ("unit", "position")
    return (a * b).sum(dims) / ((a**2).sum(dims) * (b**2).sum(dims)) ** 0.5


def _distance(a: xr.DataArray, b: xr.DataArray) -> xr.DataArray:
    dims = ("unit", "position")
    return (((a - b) ** 2).sum(dims) / (b**2).sum(dims)) ** 0.5


experiment = Experiment(
    name="gaussian-neuron",
    title="Does one neuron on Gaussian data follow its exact gradient flow?",
    source="note 002, figure 1 and equations 19 to 21",
    text="A single ReLU neuron learns to tell long-range from short-range correlated noise. On Gaussian data its average "
    "motion has a closed form: each Fourier mode of the receptive field (the neuron's input weights) grows or decays at a "
    "rate set by the two spectra and by the size of the field. The picture lays the field found by stochastic gradient "
    "descent (SGD) beside the one that the flow predicts from the same start. What stays at this time is a smooth trace of "
    "the random start and some slowly dying high frequencies; much later the field is flat. Nothing condenses onto single "
    "sites.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"batch_size": 2_500, "seeds": 2}},
    durations={"quick": "10 s", "full": "1 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
