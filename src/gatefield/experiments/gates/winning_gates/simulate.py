"""Which gates win the race, and is it they that ReLU networks learn?"""

from typing import Annotated, Any

import jax
import numpy as np
import pydantic
import xarray as xr

from gatefield.core.grid import Grid
from gatefield.data import Task
from gatefield.experiments.gates.winning_gates.sets import (
    LEARNED,
    MEASURES,
    SEARCHED,
    SETS,
    learned_by_mode,
    named_sets,
    race,
    task_of,
    time_to_half,
)
from gatefield.experiments.gates.winning_gates.winner import likeness, variance_by_frequency
from gatefield.experiments.orders import squashed_task
from gatefield.gates import half_spaces, learned
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
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
    train_key, search_key, judge_key, race_key, set_key = jax.random.split(jax.random.key(p.seed), 5)
    sizes = sorted({*p.race_units, *p.units})
    trained = {K: _train(bench, p, K, jax.random.fold_in(train_key, K)) for K in sizes}
    winners = {K: _winners(p, K, trained.get(K), search_key, judge_key) for K in sorted({1, *sizes})}
    parts = [_race_record(p, trained, winners, race_key, set_key), _search_record(p, trained, winners, judge_key)]
    settings = {name: getattr(p, name) for name in ("n", "xi1", "xi0", "samples", "steps", "learning_rate")}
    return xr.merge([*parts, _small_record(p, search_key)]).assign_attrs(settings)


def _task(p: Settings, gain: float) -> Task:
    return task_of(p.n, p.xi1, p.xi0, gain)


def _train(bench: Bench, p: Settings, K: int, key: Any) -> np.ndarray:
    """Final fields (gain, seed, unit, position) of ReLU committees."""
    net_key, train_key = jax.random.split(key)
    grid = Grid(gain=p.gains, seed=p.seeds)
    record = bench.train(
        f"K={K}",
        Committee(p.n, K, key=jax.random.split(net_key, len(grid))),
        squashed_task(p, grid.gain),
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate * K,
        record_every=max(1, p.steps // 4),
        key=jax.random.split(train_key, len(grid)),
        runs=grid,
    ).record
    return record.fields.isel(step=-1).values.astype(float)


def _winners(p: Settings, K: int, trained: np.ndarray | None, key: Any, judge_key: Any) -> list[Any]:
    """For each gain what the search found, from random starts and from trained fields, and how it is judged."""
    out = []
    for g, gain in enumerate(p.gains):
        task = _task(p, gain)
        found = best_half_spaces(
            task,
            K,
            key=jax.random.fold_in(key, K),
            starts=p.starts,
            steps=p.climb,
            tries=p.tries,
            samples=p.search_samples,
            further_starts=None if trained is None else trained[g, :FROM_TRAINED],
        )
        out.append((found, judge(found.directions, task, key=judge_key, samples=p.samples)))
    return out


def _race_record(p: Settings, trained: dict, winners: dict, key: Any, set_key: Any) -> xr.Dataset:
    """The race of all sets, for each number of gates and gain."""
    times = np.concatenate([[0.0], np.geomspace(0.01, 1e4, 160)])
    cells = Grid(race_units=p.race_units, gain=p.gains, set=SETS)
    found = []
    for K in p.race_units:
        for g, gain in enumerate(p.gains):
            sets = named_sets(p.n, K, set_key)
            sets |= {LEARNED: learned(trained[K][g, 0]), SEARCHED: half_spaces(winners[K][g][0].directions)}
            found += [race(sets[name], _task(p, gain), times, key=key, samples=p.samples) for name in SETS]
    modes = max(p.race_units) * p.n
    data: dict[str, Any] = {name: (tuple(cells.axes), cells.fold([one[name] for one in found])) for name in MEASURES}
    data["loss"] = ((*cells.axes, "time"), cells.fold([one["loss"] for one in found]))
    data["spectrum"] = ((*cells.axes, "mode"), cells.fold([_padded(one["spectrum"], (modes,)) for one in found]))
    times_learned = [
        [[time_to_half(learned(rows), _task(p, gain), key=key, samples=p.samples) for rows in fields] for gain, fields in each]
        for each in (zip(p.gains, trained[K], strict=True) for K in p.race_units)
    ]
    words = {"units": "tau", "long_name": "half time behind the gates of each trained committee"}
    data["learned_half_time"] = (("race_units", "gain", "seed"), times_learned, words)
    rates, shares = learned_by_mode(named_sets(p.n, 2, set_key)["± delta"], _task(p, 0.0))
    data |= {"mode_rate": ("acting_mode", rates), "mode_learned": ("acting_mode", shares)}
    return xr.Dataset(data, {**cells.coords, "time": times})


def _search_record(p: Settings, trained: dict, winners: dict, key: Any) -> xr.Dataset:
    """The winners beside the trained committees, for each number of gates and gain."""
    cells = Grid(units=p.units, gain=p.gains)
    found = [_compare(p, trained[K][g], winners[K][g], gain, key) for K in p.units for g, gain in enumerate(p.gains)]
    data: dict[str, Any] = {
        name: ((*cells.axes, *dims), cells.fold([one[name][1] for one in found])) for name, (dims, _) in found[0].items()
    }
    pairs = [
        judge(np.outer([1, -1], one.directions[0]), _task(p, gain), key=key, samples=p.samples).explained.value
        for gain, (one, _) in zip(p.gains, winners[1], strict=True)
    ]
    data["tiling"] = ("gain", pairs, {"long_name": "explained by the best exclusive pair"})
    data["one_gate"] = ("gain", [one.explained for one, _ in winners[1]], {"long_name": "explained by the best single gate"})
    ranges = {"seed": p.seeds, "position": p.n, "frequency": p.n // 2 + 1}
    coords = {name: np.arange(size) for name, size in ranges.items()}
    return xr.Dataset(data, {**cells.coords, "class": ["positive", "negative"], **coords})


def _compare(p: Settings, fields: np.ndarray, winner: Any, gain: float, key: Any) -> dict[str, Any]:
    """One winner beside the trained committees of the same size and gain; each variable with its axes."""
    found, won = winner
    task, K, most = _task(p, gain), fields.shape[1], max(p.units)
    cov = np.asarray(task.positive.covariance() + task.negative.covariance())
    judged = [judge(one, task, key=key, samples=p.samples) for one in fields]
    strangers = np.asarray(jax.random.normal(jax.random.fold_in(key, K), fields.shape), float)  # what chance makes alike
    best = int(np.argmax([one.explained.value for one in judged]))
    by_seed, by_unit = ("seed",), ("unit", "position")
    variance = _padded(variance_by_frequency(found.directions, task), (2, most, p.n // 2 + 1))
    return {
        "winner": ((), won.explained.value),
        "winner_error": ((), won.explained.error),
        "winner_consistent": ((), won.consistent),
        "one_open": (("class",), won.one_open),
        "trained_one_open": (by_seed, [one.one_open.mean() for one in judged]),
        "winner_variance": (("class", "unit", "frequency"), variance),
        "on_search_sample": ((), found.explained),
        "refined": ((), found.refined),
        "search_ends": (("start",), found.end_explained),
        "trained": (by_seed, [one.explained.value for one in judged]),
        "trained_error": ((), max(one.explained.error for one in judged)),
        "trained_consistent": (by_seed, [one.consistent for one in judged]),
        "relu": (by_seed, [one.relu for one in judged]),
        "alike": (by_seed, [likeness(found.directions, one, cov) for one in fields]),
        "chance": (by_seed, [likeness(found.directions, one, cov) for one in strangers]),
        "winner_directions": (by_unit, _padded(found.directions, (most, p.n))),
        "winner_fields": (by_unit, _padded(won.fields, (most, p.n))),
        "trained_fields": (by_unit, _padded(fields[best], (most, p.n))),
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
