"""Do the gates of a committee flip while it learns, or do they freeze?"""

from typing import Annotated

import jax
import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.core.grid import Grid
from gatefield.experiments.by_seed import train_by_seed
from gatefield.experiments.gates.gate_stability.paths import follow, marks
from gatefield.experiments.orders import squashed_task
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed

Rates = Annotated[tuple[Rate, ...], Field(min_length=1)]


class Settings(Parameters):
    """The settings of figure 3 of note 002, at its learning rate, at K times that, and at a much higher one.

    The units of a committee part ways more slowly than it learns: only the last rate brings them to their final shapes.
    """

    n: Count = 40
    xi1: LengthScale = 2.0
    xi0: LengthScale = 1.0
    gains: Gains = (0.01, 3.0)
    units: Count = 12
    learning_rates: Rates = (0.01, 0.12, 2.4)
    batch_size: Count = 10_000
    steps: Count = 5_000
    record_every: Count = 20
    samples: Count = 20_000
    seeds: Count = 4
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    record = _train(p, bench)
    fields = record.fields.transpose("gain", "rate", "seed", "step", "unit", "position").values
    parts = [
        follow(fields[g], squashed_task(p, gain), jax.random.fold_in(jax.random.key(p.seed), g), p.samples)
        for g, gain in enumerate(p.gains)
    ]
    lead, steps = ("gain", "rate", "seed"), record.step.values
    data = {name: ((*lead, *parts[0][name][0]), np.stack([part[name][1] for part in parts])) for name in parts[0]}
    data["final"] = ((*lead, "unit", "position"), fields[..., -1, :, :])
    data["loss"] = ((*lead, "step"), record.loss.transpose(*lead, "step").values)
    coords = {
        "gain": list(p.gains),
        "rate": list(p.learning_rates),
        "seed": np.arange(p.seeds),
        "step": steps,
        "interval": ("interval", steps[:-1]),
        "mark": ("mark", steps[marks(len(steps))]),
        "inputs": ["positive", "negative", "both"],
    }
    return xr.Dataset(data, coords, {"units": p.units, "samples": p.samples, "n": p.n, "xi1": p.xi1, "xi0": p.xi0})


def _train(p: Settings, bench: Bench) -> xr.Dataset:
    """All rates, gains and seeds; starts and keys depend on the seed alone."""
    grid = Grid(rate=p.learning_rates, gain=p.gains, seed=p.seeds)
    return train_by_seed(bench, "sgd", squashed_task(p, grid.gain), grid, p, units=p.units, learning_rate=grid.rate)
