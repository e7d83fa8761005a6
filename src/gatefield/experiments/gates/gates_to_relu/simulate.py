"""How early do the gates of a ReLU network know what it will become?"""

from typing import Annotated, Any

import jax
import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.core.grid import Grid
from gatefield.experiments.by_seed import train_by_seed
from gatefield.experiments.nearly_gaussian import class_at
from gatefield.experiments.orders import squashed_task
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.measures import best_match, ipr
from gatefield.theory.gated_linear import Mixture, frozen_limits, frozen_losses


class Settings(Parameters):
    """ReLU committees for each number of units, gain and seed. The rate is `learning_rate` times the square of the units.

    Gates are frozen at about `times` steps between `record_every` and the last, evenly on a logarithmic scale, and at step 0.
    """

    n: Count = 40
    xi1: LengthScale = 2.0
    xi0: LengthScale = 1.0
    gains: Gains = (0.01, 1.0, 3.0, float("inf"))
    units: Annotated[tuple[Count, ...], Field(min_length=1)] = (1, 4)
    learning_rate: Rate = 0.05
    batch_size: Count = 1_000
    steps: Count = 8_000
    record_every: Count = 5
    times: Count = 14
    samples: Count = 200_000
    seeds: Annotated[int, Field(ge=2)] = 16
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    parts = [_committee(p, bench, K) for K in p.units]
    record = xr.concat(parts, "units", combine_attrs="drop_conflicts").assign_coords(units=list(p.units))
    return record.assign_attrs(length_scales=[p.xi1, p.xi0], samples=p.samples)


def frozen_steps(steps: int, every: int, count: int) -> np.ndarray:
    """Step 0 and about `count` recorded steps up to the last one, evenly on a logarithmic scale.

    >>> frozen_steps(1000, 10, 5).tolist()
    [0, 10, 30, 100, 320, 1000]
    """
    first = min(every, steps)
    near = np.round(np.geomspace(first, steps, count) / every) * every
    return np.unique(np.concatenate([[0], near[:-1], [steps]])).astype(int)


def _committee(p: Settings, bench: Bench, K: int) -> xr.Dataset:
    """All measures for committees of K units."""
    sample_key, net_key, train_key = jax.random.split(jax.random.fold_in(jax.random.key(p.seed), K), 3)
    grid, rate = Grid(gain=p.gains, seed=p.seeds), p.learning_rate * K**2
    keys, task = (net_key, train_key), squashed_task(p, grid.gain)
    record = train_by_seed(bench, f"relu-{K}", task, grid, p, units=K, keys=keys, learning_rate=rate)
    fields = record.fields.sel(step=frozen_steps(p.steps, p.record_every, p.times))
    rows = [_study(p, gain, fields.isel(gain=g), sample_key) for g, gain in enumerate(p.gains)]
    time = ("step", p.learning_rate * fields.step.values, {"units": "K² tau", "long_name": "flow time over K²"})
    out = xr.concat(rows, "gain").assign_coords(gain=list(p.gains), step=fields.step.values, time=time)
    return out.assign_attrs(record.attrs)


def _study(p: Settings, gain: float, fields: xr.DataArray, key: Any) -> xr.Dataset:
    """Limits behind the gates of each seed at each time, and behind those of another seed at the end, at one gain."""
    w = fields.transpose("seed", "step", "unit", "position").values.astype(float)
    (seeds, times, K, n), ends = w.shape, w[:, -1]
    fit, test = (_both(p, gain, k) for k in jax.random.split(key))
    sets, count = w.reshape(-1, K, n), seeds * times
    gates = np.concatenate([sets, np.roll(ends, -1, axis=0)])  # the last ones are those of the next seed
    limit, started = (np.asarray(part) for part in frozen_limits(fit, gates, np.concatenate([sets, ends])))
    losses = np.asarray(frozen_losses(test, np.concatenate([gates, sets]), np.concatenate([limit, sets])))
    out = _measures("limit", limit[:count].reshape(w.shape), losses[:count])
    out |= _measures("own", w, losses[-count:])
    out["wrong_match"] = ("seed", [best_match(one, end) for one, end in zip(limit[count:], ends, strict=True)])
    for name, part in (("limit", limit[:count]), ("own", sets)):
        match = [best_match(one, ends[i // times]) for i, one in enumerate(part)]
        out[f"{name}_match"] = (("seed", "step"), np.reshape(match, (seeds, times)), {"long_name": "cosine with the end"})
    out["wrong_loss"] = ("seed", losses[count : count + seeds])
    apart = np.linalg.norm(started - limit, axis=(1, 2)) / np.linalg.norm(limit, axis=(1, 2))
    out["start_matters"] = ((), apart.max(), {"long_name": "largest relative change of the limit if it starts from the field"})
    out["example"] = (("step", "position"), limit[:times, 0], {"long_name": "limit field of the first unit, first seed"})
    out["example_end"] = ("position", ends[0, 0], {"long_name": "field of the ReLU network's first unit at the end"})
    return xr.Dataset(out)


def _both(p: Settings, gain: float, key: Any) -> Mixture:
    """Both classes at one gain."""
    key1, key0 = jax.random.split(key)
    return Mixture(class_at(p.n, p.xi1, gain, key1, p.samples), class_at(p.n, p.xi0, gain, key0, p.samples))


def _measures(name: str, fields: np.ndarray, losses: np.ndarray) -> dict[str, Any]:
    """Mean IPR of the units (seeds, times, K, n), and the loss of each network."""
    lead = ("seed", "step")
    return {
        f"{name}_ipr": (lead, ipr(fields).mean(-1), {"long_name": "inverse participation ratio"}),
        f"{name}_loss": (lead, np.reshape(losses, fields.shape[:2])),
    }
