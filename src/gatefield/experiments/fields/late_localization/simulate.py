"""Training for a long time, and the exact states of few sites on the cube beside its ends."""

from typing import Annotated

import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.core.grid import Grid
from gatefield.data import NonlinearGP, Task
from gatefield.experiments.by_seed import train_by_seed
from gatefield.experiments.ends import settled
from gatefield.experiments.few_sites import reached, states
from gatefield.experiments.orders import Pairs, pair_names
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, Rate, Seed
from gatefield.measures import LOCALIZED, ipr


class Settings(Parameters):
    """One neuron for each pair of length scales (positive, negative class), gain and seed.

    Exact states are those of 1, 3, ... up to `most_sites` neighbouring sites of alternating sign.
    """

    n: Annotated[Count, Field(ge=9)] = 40
    pairs: Pairs = (
        (2.0, 1.0),
        (3.0, 1.0),
        (4.0, 2.0),
        (0.7, 0.4),
        (1.0, 1.0),
        (2.0, 2.0),
        (1.0, 2.0),
        (1.0, 3.0),
        (2.0, 4.0),
        (0.4, 0.7),
    )
    most_sites: Annotated[Count, Field(le=7)] = 7
    gains: Gains = (0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, float("inf"))
    learning_rate: Rate = 0.25
    batch_size: Count = 1_000
    steps: Count = 160_000
    record_every: Count = 800
    seeds: Count = 16
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    grid = Grid(pair=pair_names(p.pairs), gain=p.gains, seed=p.seeds)
    xi1, xi0 = grid.share(np.asarray(p.pairs), over="pair").T
    task = Task(NonlinearGP(p.n, xi1, grid.gain), NonlinearGP(p.n, xi0, grid.gain))
    record = train_by_seed(bench, "sgd", task, grid, p)
    out = xr.merge([_paths(record), _ends(record), states(p.n, p.pairs, p.most_sites)]).assign_attrs(record.attrs)
    lengths = np.asarray(p.pairs).T
    return _named(out.assign_coords(xi1=("pair", lengths[0], {"units": "site"}), xi0=("pair", lengths[1], {"units": "site"})))


def _paths(record: xr.Dataset) -> xr.Dataset:
    """The IPR over time, and when it is first that of a localized field."""
    path = ipr(record.fields.isel(unit=0, drop=True).drop_vars("step"))
    hit = path >= LOCALIZED
    first = record.time.isel(step=hit.argmax("step"))
    return xr.Dataset({"ipr": path, "localized_at": first.where(hit.any("step")).drop_vars(["step", "time"])})


def _ends(record: xr.Dataset) -> xr.Dataset:
    """The field at the end of each run, how localized it is, and the frequency of its largest Fourier mode."""
    fields = record.fields.isel(unit=0)
    end = settled(fields).fields
    modes = np.abs(np.fft.rfft(end.values))
    return xr.Dataset(
        {
            "end": end,
            "end_ipr": ipr(end),
            "peak_frequency": (end.dims[:-1], modes.argmax(-1)),
        }
    )


def _named(record: xr.Dataset) -> xr.Dataset:
    """Which state each end is, and the words for all variables."""
    record["reached"] = (record.end_ipr.dims, reached(record.end.values, record))
    names = {
        "ipr": "inverse participation ratio",
        "localized_at": f"time at which the IPR first reaches {LOCALIZED:g}",
        "end": "field, mean over the last quarter of the time if it stays in place",
        "end_ipr": "IPR of the end",
        "peak_frequency": "frequency of the largest Fourier mode of the end",
        "state": "exact steady state on the cube",
        "state_ipr": "IPR of the exact state",
        "state_exists": "whether the state keeps its gate",
        "state_loss": "loss of the exact state",
        "state_lead": "by how much the sites that decide lead",
        "sites": "sites that decide the gate",
        "reached": "sites of the exact state that the end is, 0 for none",
    }
    units = {"localized_at": "tau", "peak_frequency": "cycles per ring"}
    for name, words in names.items():
        record[name].attrs.update(long_name=words, **({"units": units[name]} if name in units else {}))
    return record
