"""Where will a field localize? A predictor named beforehand, put to the test on fresh starts."""

from typing import Annotated, Any

import jax
import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.data import NonlinearGP, Task
from gatefield.experiments.gates.where.predictors import CHOSEN, PREDICTORS, predict
from gatefield.lab.bench import Bench
from gatefield.lab.experiment import Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.measures import circular_distance, ipr, peak_position
from gatefield.nets import Committee

Pairs = Annotated[tuple[tuple[LengthScale, LengthScale], ...], Field(min_length=1)]


class Settings(Parameters):
    """Fresh starts for each pair (xi1, xi0) of length scales and each gain.

    The units of a committee share the pull of the labels and part ways slowly: hence its higher rate. The first `repeats`
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
    pairs = [f"{xi1:g}, {xi0:g}" for xi1, xi0 in p.pairs]
    coords = {"pair": pairs, "gain": list(p.gains), "predictor": list(PREDICTORS)}
    xis = {name: ("pair", list(values)) for name, values in zip(("xi1", "xi0"), zip(*p.pairs, strict=True), strict=True)}
    return xr.Dataset({**neuron, **committee}, {**coords, **xis}, {"n": p.n, "noise": p.learning_rate / p.batch_size})


def _study(bench: Bench, p: Settings, name: str, K: int, seeds: int, learning_rate: float) -> dict[str, Any]:
    """Starts, ends and predictions of one kind of network; every variable's name begins with that of the network."""
    xi1, xi0, gain = _settings(p)
    repeats = min(p.repeats, seeds)
    net_key, train_key = jax.random.split(jax.random.fold_in(jax.random.key(p.seed), K))
    starts = np.asarray(Committee(p.n, K, key=jax.random.split(net_key, len(gain) * seeds)).fields)
    starts = starts.reshape(len(gain), seeds, K, p.n)
    twice = np.concatenate([starts, starts[:, :repeats]], axis=1)
    ends, others = np.split(_train(bench, p, name, twice, learning_rate, train_key), [seeds], axis=1)
    cov1, cov0 = (NonlinearGP(p.n, xi, gain).covariance() for xi in (xi1, xi0))
    guesses = predict(starts, cov1, cov0, gain)
    variables = _outcome(ends, guesses) | _agreement(ends[:, :repeats], others)
    variables["example_guess"] = (("position",), guesses[CHOSEN][:, 0, 0])
    variables["example_end"] = (("position",), ends[:, 0, 0])
    lead, shape = ("pair", "gain"), (len(p.pairs), len(p.gains))
    return {f"{name}_{key}": _named(name, lead, shape, *value) for key, value in variables.items()}


def _settings(p: Settings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both length scales and the gain of every setting."""
    pair, gain = (axis.ravel() for axis in np.meshgrid(np.arange(len(p.pairs)), p.gains, indexing="ij"))
    xi1, xi0 = np.asarray(p.pairs)[pair].T
    return xi1, xi0, gain


def _train(bench: Bench, p: Settings, part: str, starts: np.ndarray, learning_rate: float, key: Any) -> np.ndarray:
    """Final fields (settings, seeds, units, n) from the given starts, each run on samples of its own."""
    settings, seeds, K, n = starts.shape
    xi1, xi0, gain = (np.repeat(values, seeds) for values in _settings(p))
    record = bench.train(
        part,
        Committee(n, K, init=starts.reshape(-1, K, n), key=key),
        Task(NonlinearGP(n, xi1, gain), NonlinearGP(n, xi0, gain)),
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=learning_rate,
        record_every=max(1, p.steps // 4),
        key=jax.random.split(key, settings * seeds),
    ).record
    return record.fields.isel(step=-1).values.reshape(starts.shape)


def _outcome(ends: np.ndarray, guesses: dict[str, np.ndarray]) -> dict[str, Any]:
    """How far each prediction is from the final peak and whether its sign is right; how localized the field is."""
    lead, fields = ("seed", "unit"), np.stack(list(guesses.values()), axis=1)
    sites, peaks = np.asarray(peak_position(fields)), np.asarray(peak_position(ends))
    apart = np.asarray(circular_distance(sites, peaks[:, None], ends.shape[-1]))
    signs = np.sign(_at(fields, sites)) == np.sign(_at(ends, peaks))[:, None]
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


def _named(name: str, lead: tuple[str, str], shape: tuple[int, int], dims: Any, values: np.ndarray, *attrs: Any) -> Any:
    """A variable with the settings' axis taken apart, and the network's own axes under its name."""
    own = tuple(f"{name}_{dim}" if dim in ("seed", "unit", "repeat") else dim for dim in dims)
    return ((*lead, *own), np.reshape(values, (*shape, *np.shape(values)[1:])), *attrs)
