"""Committees trained on Gaussian data, their exact flow from the same starts, and the noise between them."""

from typing import Annotated, Any

import jax
import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.data import Gaussian, Task
from gatefield.dynamics import flow
from gatefield.experiments.batch_noise import random_walk
from gatefield.experiments.distance import relative_distance
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, LengthScale, Rate, Seed
from gatefield.nets import Committee
from gatefield.theory import descent, relu

Counts = Annotated[tuple[Count, ...], Field(min_length=1)]
PROBE = 0
"""The stream of the samples that measure the noise, folded into the training key beside the batch sizes: these are at least 1,
so that all streams are disjoint."""


class Settings(Parameters):
    """The settings of figure 1 of note 002, for several committee sizes K and batch sizes."""

    n: Count = 40
    xi1: LengthScale = 2.0
    xi0: LengthScale = 1.0
    committees: Counts = (2, 4, 12)
    batch_sizes: Counts = (625, 2_500, 10_000)
    learning_rate: Rate = 0.01
    steps: Count = 2_000
    record_every: Count = 20
    seeds: Count = 4
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    task = Task(Gaussian(p.n, p.xi1), Gaussian(p.n, p.xi0))
    parts = [_committee(p, K, task, bench) for K in p.committees]
    record = xr.concat(parts, dim="committee", join="outer", combine_attrs="drop_conflicts")
    record = record.assign_coords(committee=("committee", list(p.committees), {"long_name": "units in the committee"}))
    return record.assign_attrs(length_scales=[p.xi1, p.xi0])


def _committee(p: Settings, K: int, task: Task, bench: Bench) -> xr.Dataset:
    """All batch sizes and seeds for committees of K neurons, with the flow from the same starts."""
    net_key, train_key = jax.random.split(jax.random.fold_in(jax.random.key(p.seed), K))
    nets = Committee(p.n, K, key=jax.random.split(net_key, p.seeds))
    runs = [
        bench.train(
            f"K={K}-batch={size}",
            nets,
            task,
            steps=p.steps,
            batch_size=size,
            learning_rate=p.learning_rate,
            record_every=p.record_every,
            key=jax.random.split(jax.random.fold_in(train_key, size), p.seeds),
        ).record
        for size in p.batch_sizes
    ]
    cov1, cov0 = task.positive.covariance(), task.negative.covariance()

    def velocity(w: Any) -> Any:
        return relu.velocity(w, cov1, cov0)

    starts, time = runs[0].fields.values[:, 0].astype(float), runs[0].time.values
    exact, printed = (flow(velocity, starts, factor * time).fields.values for factor in (1.0, K))
    steps = np.moveaxis(descent(jax.vmap(velocity), starts, p.learning_rate, runs[0].step.values), 0, 1)
    fields = np.stack([run.fields.values.astype(float) for run in runs])
    walk = random_walk(exact, time, task, jax.random.fold_in(train_key, PROBE)) * p.learning_rate**0.5
    noise = walk / np.sqrt(np.asarray(p.batch_sizes, float))[:, None, None]
    lead = ("batch_size", "seed", "step")
    data = {
        "distance": (lead, relative_distance(fields, exact), {"long_name": "relative distance of SGD from the flow"}),
        "noise_distance": (lead, noise, {"long_name": "random walk of minibatch noise, relative to the flow"}),
        "printed_distance": (
            lead[1:],
            relative_distance(fields[-1], printed),
            {"long_name": "of SGD from the flow as printed"},
        ),
        "step_distance": (lead[1:], relative_distance(steps, exact), {"long_name": "of exact gradient steps from the flow"}),
        "travelled": (lead[1:], relative_distance(exact[:, :1], exact), {"long_name": "of the start from the flow"}),
        "loss": (lead, np.stack([run.loss.values for run in runs])),
        "start": (("unit", "position"), starts[0], {"long_name": "initial fields, first seed"}),
        "final": (("unit", "position"), fields[-1, 0, -1], {"long_name": "final fields by SGD, largest batch, first seed"}),
        "flow_final": (("unit", "position"), exact[0, -1], {"long_name": "final fields of the flow"}),
    }
    coords = {name: runs[0][name] for name in ("step", "time", "position")}
    coords |= {"batch_size": list(p.batch_sizes), "seed": np.arange(p.seeds), "unit": np.arange(K)}
    attrs = {name: value for name, value in runs[0].attrs.items() if name not in ("fingerprint", "batch_size")}
    return xr.Dataset(data, coords, attrs)
