"""Which gates win the race, and is it they that ReLU networks learn?"""

from collections.abc import Sequence
from typing import Annotated, Any

import jax
import numpy as np
import pydantic
import xarray as xr

from gatefield.data import NonlinearGP, Task
from gatefield.experiments.gates.winning_gates.sets import (
    LEARNED,
    MEASURES,
    SEARCHED,
    SETS,
    learned_by_mode,
    named_sets,
    race,
    task_of,
)
from gatefield.experiments.gates.winning_gates.verdicts import judge_race, judge_winners
from gatefield.experiments.gates.winning_gates.winner import best_pair, covariance, likeness, variance_by_frequency
from gatefield.gates import half_spaces, learned
from gatefield.lab.bench import Bench
from gatefield.lab.experiment import Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.lab.verdict import Verdict
from gatefield.nets import Committee
from gatefield.theory.gated_linear import best_half_spaces, judge

Counts = Annotated[tuple[Count, ...], pydantic.Field(min_length=1)]
FROM_TRAINED = 4
"""How many trained committees the search starts from, beside its random starts."""
SMALL = {"n": 6, "xi1": 1.5, "xi0": 0.7, "gain": 0.0}
"""A small Gaussian task on which the best pair is known from an independent search."""


class Settings(Parameters):
    """The race is run for sets of `race_units` gates, the search for sets of `units` gates.

    `learning_rate` is for one unit; a committee of K trains at K times that. `samples` of each class judge a set of gates;
    `search_samples` are those that the search sees. Both only where there is no closed form.
    """

    n: Count = 40
    xi1: LengthScale = 2.0
    xi0: LengthScale = 1.0
    gains: Gains = (0.0, 3.0, float("inf"))
    race_units: Counts = (2, 4)
    units: Counts = (1, 2, 4, 8)
    seeds: Count = 16
    learning_rate: Rate = 0.2
    batch_size: Count = 1_000
    steps: Count = 10_000
    starts: Count = 6
    climb: Count = 120
    tries: Count = 300
    search_samples: Count = 20_000
    samples: Count = 500_000
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    keys = jax.random.split(jax.random.key(p.seed), 5)
    sizes = sorted({*p.race_units, *p.units})
    trained = {K: _train(bench, p, K, jax.random.fold_in(keys[0], K)) for K in sizes}
    winners = {K: _winners(p, K, trained.get(K), keys[1], keys[2]) for K in sorted({1, *sizes})}
    parts = [_race_record(p, trained, winners, keys[3], keys[4]), _search_record(p, trained, winners, keys[2])]
    return xr.merge([*parts, _small_record(p, keys[1])]).assign_attrs(n=p.n, xi1=p.xi1, xi0=p.xi0, samples=p.samples)


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    return [*judge_race(record), *judge_winners(record)]


def _train(bench: Bench, p: Settings, K: int, key: Any) -> np.ndarray:
    """Final fields (gain, seed, unit, position) of ReLU committees."""
    net_key, train_key = jax.random.split(key)
    gains = np.repeat(np.asarray(p.gains), p.seeds)
    record = bench.train(
        f"K={K}",
        Committee(p.n, K, key=jax.random.split(net_key, len(gains))),
        Task(NonlinearGP(p.n, p.xi1, gains), NonlinearGP(p.n, p.xi0, gains)),
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate * K,
        record_every=max(1, p.steps // 4),
        key=jax.random.split(train_key, len(gains)),
    ).record
    return record.fields.isel(step=-1).values.astype(float).reshape(len(p.gains), p.seeds, K, p.n)


def _winners(p: Settings, K: int, trained: np.ndarray | None, key: Any, judge_key: Any) -> list[Any]:
    """For each gain what the search found, from random starts and from trained fields, and how it is judged."""
    out = []
    for g, gain in enumerate(p.gains):
        task = task_of(p.n, p.xi1, p.xi0, gain)
        found = best_half_spaces(
            task,
            K,
            key=jax.random.fold_in(key, K),
            starts=p.starts,
            steps=p.climb,
            tries=p.tries,
            samples=p.search_samples,
            also=None if trained is None else trained[g, :FROM_TRAINED],
        )
        out.append((found, judge(found.directions, task, key=judge_key, samples=p.samples)))
    return out


def _race_record(p: Settings, trained: dict, winners: dict, key: Any, set_key: Any) -> xr.Dataset:
    """The race of all sets, for each number of gates and gain."""
    times = np.concatenate([[0.0], np.geomspace(0.01, 1e4, 160)])
    cells = []
    for K in p.race_units:
        for g, gain in enumerate(p.gains):
            sets = named_sets(p.n, K, set_key)
            sets |= {LEARNED: learned(trained[K][g, 0]), SEARCHED: half_spaces(winners[K][g][0].directions)}
            task = task_of(p.n, p.xi1, p.xi0, gain)
            cells.append([race(sets[name], task, times, key=key, samples=p.samples) for name in SETS])
    lead, shape = ("race_units", "gain", "set"), (len(p.race_units), len(p.gains), len(SETS))
    modes = max(p.race_units) * p.n
    data: dict[str, Any] = {name: (lead, np.reshape([[one[name] for one in row] for row in cells], shape)) for name in MEASURES}
    data["loss"] = ((*lead, "time"), np.reshape([[one["loss"] for one in row] for row in cells], (*shape, -1)))
    spectra = [[_padded(one["spectrum"], (modes,)) for one in row] for row in cells]
    data["spectrum"] = ((*lead, "mode"), np.reshape(spectra, (*shape, modes)))
    rates, shares = learned_by_mode(named_sets(p.n, 2, set_key)["± delta"], task_of(p.n, p.xi1, p.xi0, 0.0))
    data |= {"mode_rate": ("acting_mode", rates), "mode_learned": ("acting_mode", shares)}
    return xr.Dataset(data, {"race_units": list(p.race_units), "gain": list(p.gains), "set": list(SETS), "time": times})


def _search_record(p: Settings, trained: dict, winners: dict, key: Any) -> xr.Dataset:
    """The winners beside the trained committees, for each number of gates and gain."""
    most = max(p.units)
    cells = [_compare(p, trained[K][g], winners[K][g], gain, key, most) for K in p.units for g, gain in enumerate(p.gains)]
    dims: dict[str, tuple[str, ...]] = dict.fromkeys(
        ("trained", "trained_one_open", "trained_consistent", "relu", "alike", "chance"), ("seed",)
    )
    dims |= dict.fromkeys(("winner_directions", "winner_fields", "trained_fields"), ("unit", "position"))
    dims |= {"search_ends": ("start",), "one_open": ("class",), "winner_variance": ("class", "unit", "frequency")}
    shape = (len(p.units), len(p.gains))
    data: dict[str, Any] = {
        name: (("units", "gain", *dims.get(name, ())), np.reshape([cell[name] for cell in cells], (*shape, *np.shape(value))))
        for name, value in cells[0].items()
    }
    pairs = [
        best_pair(one[0].directions[0], task_of(p.n, p.xi1, p.xi0, gain), key=key, samples=p.samples)
        for gain, one in zip(p.gains, winners[1], strict=True)
    ]
    data["tiling"] = (("gain",), pairs, {"long_name": "explained by the best exclusive pair"})
    data["one_gate"] = (("gain",), [one[0].explained for one in winners[1]], {"long_name": "explained by the best single gate"})
    coords = {"units": list(p.units), "gain": list(p.gains), "class": ["positive", "negative"]}
    ranges = {"seed": p.seeds, "position": p.n, "frequency": p.n // 2 + 1}
    return xr.Dataset(data, coords | {name: np.arange(size) for name, size in ranges.items()})


def _compare(p: Settings, fields: np.ndarray, winner: Any, gain: float, key: Any, most: int) -> dict[str, Any]:
    """One winner beside the trained committees of the same size and gain."""
    found, won = winner
    task, K = task_of(p.n, p.xi1, p.xi0, gain), fields.shape[1]
    cov = covariance(task)
    judged = [judge(one, task, key=key, samples=p.samples) for one in fields]
    strangers = np.asarray(jax.random.normal(jax.random.fold_in(key, K), fields.shape), float)
    best = int(np.argmax([one.explained.value for one in judged]))
    return {
        "winner": won.explained.value,
        "winner_error": won.explained.error,
        "winner_consistent": won.consistent,
        "one_open": won.one_open,
        "trained_one_open": [one.one_open.mean() for one in judged],
        "winner_variance": _padded(variance_by_frequency(found.directions, task), (2, most, p.n // 2 + 1)),
        "on_search_sample": found.explained,
        "refined": found.refined,
        "search_ends": found.end_explained,
        "trained": [one.explained.value for one in judged],
        "trained_error": max(one.explained.error for one in judged),
        "trained_consistent": [one.consistent for one in judged],
        "relu": [one.relu for one in judged],
        "alike": [likeness(found.directions, one, cov) for one in fields],
        "chance": [likeness(found.directions, one, cov) for one in strangers],
        "winner_directions": _padded(found.directions, (most, p.n)),
        "winner_fields": _padded(won.fields, (most, p.n)),
        "trained_fields": _padded(fields[best], (most, p.n)),
    }


def _small_record(p: Settings, key: Any) -> xr.Dataset:
    """The search on the small task."""
    task = task_of(**SMALL)
    search = {"starts": max(p.starts, 16), "steps": max(p.climb, 100), "tries": p.tries}
    pair, one = (best_half_spaces(task, K, key=key, **search) for K in (2, 1))
    cosine = [pair.directions @ source.covariance() @ pair.directions.T for source in (task.positive, task.negative)]
    angles = [C[0, 1] / np.sqrt(C[0, 0] * C[1, 1]) for C in cosine]
    return xr.Dataset(
        {
            "small_pair": pair.explained,
            "small_tiling": 2 * one.explained,
            "small_cosines": ("class", angles),
            "small_ends": ("small_start", pair.end_explained),
        }
    )


def _padded(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """With NaN behind, up to a shape."""
    out = np.full(shape, np.nan)
    out[tuple(slice(0, size) for size in np.shape(values))] = values
    return out
