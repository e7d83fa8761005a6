"""Where will a field localize? A predictor named beforehand, put to the test on fresh starts."""

from typing import Any

import jax
import numpy as np
import xarray as xr

from gatefield.core.grid import Grid
from gatefield.data import NonlinearGP, Task
from gatefield.experiments.gates.where.predictors import CHOSEN, PREDICTORS, predict
from gatefield.experiments.orders import Pairs, pair_names
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, Rate, Seed
from gatefield.measures import circular_distance, ipr, peak_position
from gatefield.nets import Committee

SETTING = ("pair", "gain")
"""The axes that every variable of a network begins with."""


class Settings(Parameters):
    """Fresh starts for each pair (xi1, xi0) of length scales and each gain.

    The units of a committee learn from the same labels and part ways slowly: hence its higher rate. The first `repeats`
    starts of each setting are trained a second time on other samples.
    """

    n: Count = 40
    pairs: Pairs = ((2.0, 1.0), (3.0, 1.0), (2.0, 0.5), (4.0, 2.0))
    gains: Gains = (0.5, 1.0, 3.0, 10.0, 100.0, float("inf"))
    units: Count = 12
    learning_rate: Rate = 0.05
    committee_rate: Rate = 2.4
    batch_size: Count = 1_000
    steps: Count = 4_000
    seeds: Count = 500
    committees: Count = 500
    repeats: Count = 100
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    neuron = _study(bench, p, "neuron", 1, p.seeds, p.learning_rate)
    committee = _study(bench, p, "committee", p.units, p.committees, p.committee_rate)
    coords = {**_grid(p).coords, "predictor": list(PREDICTORS)}
    xis = {name: ("pair", list(values)) for name, values in zip(("xi1", "xi0"), zip(*p.pairs, strict=True), strict=True)}
    return xr.Dataset({**neuron, **committee}, {**coords, **xis}, {"n": p.n, "noise": p.learning_rate / p.batch_size})


def _grid(p: Settings, **more: int) -> Grid:
    return Grid(pair=pair_names(p.pairs), gain=p.gains, **more)


def _task(p: Settings, grid: Grid) -> Task:
    """One for each run."""
    xi1, xi0 = grid.share(np.asarray(p.pairs), over="pair").T
    return Task(NonlinearGP(p.n, xi1, grid.gain), NonlinearGP(p.n, xi0, grid.gain))


def _study(bench: Bench, p: Settings, name: str, K: int, seeds: int, learning_rate: float) -> dict[str, Any]:
    """Starts, ends and predictions of one kind of network; every variable's name begins with that of the network."""
    repeats, settings, first = min(p.repeats, seeds), _grid(p), _grid(p, seed=seeds)
    net_key, train_key = jax.random.split(jax.random.fold_in(jax.random.key(p.seed), K))
    starts = first.fold(Committee(p.n, K, key=jax.random.split(net_key, len(first))).fields)
    twice = np.concatenate([starts, starts[:, :, :repeats]], axis=2)
    ends, others = np.split(_train(bench, p, name, twice, learning_rate, train_key), [seeds], axis=2)
    task = _task(p, settings)
    covariances = task.positive.covariance(), task.negative.covariance()
    guesses = predict(starts.reshape(-1, seeds, K, p.n), *covariances, settings.gain)
    guesses = {predictor: settings.fold(fields) for predictor, fields in guesses.items()}
    variables = _outcome(ends, guesses) | _agreement(ends[:, :, :repeats], others)
    variables["example_guess"] = (("position",), guesses[CHOSEN][:, :, 0, 0])
    variables["example_end"] = (("position",), ends[:, :, 0, 0])
    return {f"{name}_{key}": _named(name, *value) for key, value in variables.items()}


def _train(bench: Bench, p: Settings, part: str, starts: np.ndarray, learning_rate: float, key: Any) -> np.ndarray:
    """Final fields (pair, gain, start, unit, position) from the given starts, each run on samples of its own."""
    *_, count, K, n = starts.shape
    grid = _grid(p, start=count)
    record = bench.train(
        part,
        Committee(n, K, init=starts.reshape(-1, K, n), key=key),
        _task(p, grid),
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=learning_rate,
        record_every=max(1, p.steps // 4),
        key=jax.random.split(key, len(grid)),
        runs=grid,
    ).record
    return record.fields.isel(step=-1).values


def _outcome(ends: np.ndarray, guesses: dict[str, np.ndarray]) -> dict[str, Any]:
    """How far each prediction is from the final peak and whether its sign is right; how localized the field is."""
    lead, fields = ("seed", "unit"), np.stack(list(guesses.values()), axis=2)
    sites, peaks = np.asarray(peak_position(fields)), np.asarray(peak_position(ends))
    apart = np.asarray(circular_distance(sites, peaks[:, :, None], ends.shape[-1]))
    signs = np.sign(_at(fields, sites)) == np.sign(_at(ends, peaks))[:, :, None]
    return {
        "distance": (("predictor", *lead), apart, {"units": "site", "long_name": "distance of the prediction from the peak"}),
        "sign_right": (("predictor", *lead), signs),
        "ipr": (lead, ipr(ends), {"long_name": "inverse participation ratio of the final field"}),
    }


def _agreement(ends: np.ndarray, others: np.ndarray) -> dict[str, Any]:
    """How far apart two trainings from the same start end, and whether both localized."""
    lead, n = ("repeat", "unit"), ends.shape[-1]
    apart = np.asarray(circular_distance(peak_position(ends), peak_position(others), n))
    both = np.minimum(ipr(ends), ipr(others))
    return {
        "again_distance": (lead, apart, {"units": "site", "long_name": "distance of the peaks of two trainings"}),
        "again_ipr": (lead, both, {"long_name": "the smaller of both inverse participation ratios"}),
    }


def _at(fields: np.ndarray, sites: np.ndarray) -> np.ndarray:
    return np.take_along_axis(fields, sites[..., None], axis=-1)[..., 0]


def _named(name: str, dims: tuple[str, ...], values: np.ndarray, *attrs: Any) -> Any:
    """A variable of one network, with the network's own axes under its name."""
    return ((*SETTING, *(f"{name}_{dim}" if dim in ("seed", "unit", "repeat") else dim for dim in dims)), values, *attrs)
