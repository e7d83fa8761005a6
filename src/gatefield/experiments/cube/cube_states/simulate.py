"""Steady states of one ReLU neuron on the cube: those of one site and others, their basins and losses."""

from typing import Annotated, Any

import jax
import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.core.grid import Grid
from gatefield.data import Hypercube, Task
from gatefield.experiments.cube.cube_states import search
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, LengthScale, Rate, Seed
from gatefield.measures import cosine, groups, ipr, shifted_cosine
from gatefield.nets import Committee
from gatefield.theory.hypercube import is_localized

Pairs = Annotated[tuple[tuple[LengthScale, LengthScale], ...], Field(min_length=1)]
Sizes = Annotated[tuple[Count, ...], Field(min_length=1)]
OTHER = 1
"""`fold_in(key, 1)` is the second key of `split(key)`: SGD is judged on the sample on which the states' losses are measured,
not on that on which they were found."""


class Settings(Parameters):
    """Rings of several sizes and pairs (xi1, xi0); up to `exact_to` sites the law is summed, above a sample stands for it.

    `time` and `time_step` are those of the flow, in tau; `most_steps` bounds the steps of the search. The first `seeds` starts
    are also those of SGD. The map of where the one-site state exists has `grid` length scales from 0.2 to `longest`.
    """

    sizes: Sizes = (7, 10, 16, 24, 40)
    pairs: Pairs = ((0.8, 1.6), (1.0, 2.0), (2.0, 1.0), (4.0, 1.0))
    exact_to: Annotated[int, Field(ge=2, le=12)] = 10
    starts: Count = 400
    samples: Count = 400_000
    time: Rate = 200.0
    time_step: Rate = 0.25
    most_steps: Count = 3_000
    learning_rate: Rate = 0.05
    batch_size: Count = 1_000
    steps: Count = 6_000
    seeds: Count = 32
    map_sizes: Sizes = (7, 16, 40, 100)
    grid: Count = 241
    longest: LengthScale = 5.0
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    parts = [_size(p, n, bench, jax.random.fold_in(jax.random.key(p.seed), n)) for n in p.sizes]
    record = xr.concat(parts, "size", join="outer").assign_coords(
        size=list(p.sizes),
        pair=_names(p),
        xi1=("pair", [pair[0] for pair in p.pairs]),
        xi0=("pair", [pair[1] for pair in p.pairs]),
        exact=("size", [n <= p.exact_to for n in p.sizes]),
    )
    xis = np.linspace(0.2, p.longest, p.grid)
    lead = np.array([search.lead_map(n, xis) for n in p.map_sizes])
    record["lead_map"] = (("map_size", "map_xi1", "map_xi0"), lead, {"long_name": "lead of the localized state's peak"})
    record = record.assign_coords(map_size=list(p.map_sizes), map_xi1=xis, map_xi0=xis)
    return record.assign_attrs(samples=p.samples, trained=p.learning_rate * p.steps)


def _names(p: Settings) -> list[str]:
    return [f"{xi1:g}, {xi0:g}" for xi1, xi0 in p.pairs]


def _size(p: Settings, n: int, bench: Bench, key: Any) -> xr.Dataset:
    """All pairs on a ring of n sites: states from random starts and from one site, and where SGD ends."""
    start_key, train_key, sample_key = jax.random.split(key, 3)
    starts = np.asarray(Committee(n, 1, key=jax.random.split(start_key, p.starts)).fields, float)[:, 0]
    trained = _train(p, n, bench, starts[: min(p.seeds, p.starts)], train_key)
    parts = [_pair(p, n, *pair, starts, trained[i], sample_key) for i, pair in enumerate(p.pairs)]
    return xr.concat(parts, "pair").assign_coords(position=np.arange(n))


def _train(p: Settings, n: int, bench: Bench, starts: np.ndarray, key: Any) -> np.ndarray:
    """SGD from the first starts: final fields (pair, seed, position)."""
    grid = Grid(pair=_names(p), seed=len(starts))
    xi1, xi0 = grid.share(np.asarray(p.pairs), over="pair").T
    record = bench.train(
        f"sgd-n{n}",
        Committee(n, 1, init=grid.share(starts, over="seed")[:, None]),
        Task(Hypercube(n, xi1), Hypercube(n, xi0)),
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate,
        record_every=max(1, p.steps // 4),
        key=jax.random.split(key, len(grid)),
        runs=grid,
    ).record
    return record.fields.isel(step=-1, unit=0).values.astype(float)


def _pair(p: Settings, n: int, xi1: float, xi0: float, starts: np.ndarray, trained: np.ndarray, key: Any) -> xr.Dataset:
    """States from the random starts, then from one site; the closed form; and SGD beside them."""
    site = search.site_state(n, xi1, xi0)
    begin = np.concatenate([starts, np.linalg.norm(starts, axis=1).mean() * np.eye(n)[[n // 2]]])
    settings = {"time": p.time, "time_step": p.time_step, "most_steps": p.most_steps}
    if n <= p.exact_to:
        found = search.exact_states(n, xi1, xi0, begin, **settings)
    else:
        found = search.sampled_states(n, xi1, xi0, begin, key, p.samples, **settings)
    values = search.sampled_values(n, xi1, xi0, trained, jax.random.fold_in(key, OTHER), p.samples)
    nearest = shifted_cosine(trained[:, None], np.concatenate([found.fields, [site.field]])[None]).max(1)
    peaked = is_localized(found.fields)
    data = {
        "states": (("start", "position"), found.fields[:-1], "stable states from random starts"),
        "loss": ("start", found.losses[:-1], "loss of the state"),
        "settled": ("start", found.settled[:-1], "whether the state lies in its cell"),
        "lasting": ("start", found.lasting[:-1], "whether the state is also one on another sample"),
        "localized": ("start", peaked[:-1], "whether one site decides the gate"),
        "ipr": ("start", np.asarray(ipr(found.fields[:-1])), "inverse participation ratio"),
        "group": ("start", groups(found.fields[:-1], 0.99), "number of the state, up to shift and sign"),
        "from_site": ((), float(peaked[-1]), "whether the start from one site ends localized"),
        "site_cosine": ((), float(cosine(found.fields[-1], np.asarray(site.field))), "cosine of that end with the closed form"),
        "site_state": ("position", site.field, "localized state in closed form"),
        "site_loss": ((), float(site.loss), "loss of the localized state, closed form"),
        "site_lead": ((), float(site.lead), "lead of its largest weight over the sum of the others"),
        "sgd": (("seed", "position"), trained, "field at the end of SGD"),
        "sgd_loss": ("seed", values.loss, "loss at the end of SGD, on a sample"),
        "sgd_limit": ("seed", cosine(trained, values.limit), "cosine with the limit field behind its own gate"),
        "sgd_nearest": ("seed", nearest, "cosine with the nearest state found, up to shift and sign"),
        "sgd_same_start": ("seed", cosine(trained, found.fields[: len(trained)]), "cosine with the state from the same start"),
        "sgd_localized": ("seed", is_localized(trained), "whether one site decides the gate"),
    }
    return xr.Dataset({name: (dims, value, {"long_name": text}) for name, (dims, value, text) in data.items()})
