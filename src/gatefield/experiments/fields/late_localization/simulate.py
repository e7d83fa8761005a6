"""Training for a long time, and the exact states of few sites on the cube beside its ends."""

from typing import Annotated, Any

import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.core.grid import Grid
from gatefield.data import Hypercube, NonlinearGP, Task
from gatefield.experiments.by_seed import train_by_seed
from gatefield.experiments.localized import LOCALIZED
from gatefield.experiments.orders import Pairs, pair_names
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, Rate, Seed
from gatefield.measures import cosine, ipr, shifted_cosine
from gatefield.theory import hypercube

SAME = 0.95
"""From which cosine on, over all shifts, an end counts as a state: the states themselves are 0.6 and less alike."""
LAST = 0.25
"""Ends are means over this last part of the records, unless the field moves meanwhile."""
STAYS = 0.99
"""From which cosine on, between the two halves of that part, a field has stayed where it was."""


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
    out = xr.merge([_paths(record), _ends(record), _states(p)]).assign_attrs(record.attrs)
    lengths = np.asarray(p.pairs).T
    return _named(out.assign_coords(xi1=("pair", lengths[0], {"units": "site"}), xi0=("pair", lengths[1], {"units": "site"})))


def head(n: int, sites: int) -> np.ndarray:
    """Equal weights of alternating sign on neighbouring sites in the middle of the ring.

    >>> head(7, 3).tolist()
    [0.0, 0.0, 1.0, -1.0, 1.0, 0.0, 0.0]
    """
    out = np.zeros(n)
    out[n // 2 - sites // 2 : n // 2 + sites // 2 + 1] = (-1.0) ** np.arange(sites)
    return out


def _paths(record: xr.Dataset) -> xr.Dataset:
    """The IPR over time, and when it is first that of a localized field."""
    values = record.fields.isel(unit=0)
    path = xr.DataArray(ipr(values.values), dims=values.dims[:-1], coords={"time": record.time})
    hit = path >= LOCALIZED
    first = record.time.isel(step=hit.argmax("step"))
    return xr.Dataset({"ipr": path, "localized_at": first.where(hit.any("step")).drop_vars(["step", "time"])})


def _ends(record: xr.Dataset) -> xr.Dataset:
    """The field at the end of each run, how localized it is, and the frequency of its largest Fourier mode."""
    fields = record.fields.isel(unit=0)
    end = _settled(fields.isel(step=slice(-max(2, round(LAST * fields.sizes["step"])), None)).astype(float))
    modes = np.abs(np.fft.rfft(end.values))
    return xr.Dataset(
        {
            "end": end,
            "end_ipr": (end.dims[:-1], ipr(end.values)),
            "peak_frequency": (end.dims[:-1], modes.argmax(-1)),
        }
    )


def _settled(late: xr.DataArray) -> xr.DataArray:
    """The mean of fields that stay in place, which takes out the noise of the batches; of others the last one."""
    half = late.sizes["step"] // 2
    stays = cosine(late[..., :half, :].mean("step").values, late[..., half:, :].mean("step").values) >= STAYS
    return late.mean("step").copy(data=np.where(stays[..., None], late.mean("step"), late.isel(step=-1)))


def _states(p: Settings) -> xr.Dataset:
    """The exact states on the cube, for each pair and number of sites."""
    sites = range(1, p.most_sites + 1, 2)
    found = [[_state(p.n, pair, m) for m in sites] for pair in p.pairs]
    fields = np.array([[one.field for one in row] for row in found])
    data: dict[str, Any] = {
        "state": (("pair", "sites", "position"), fields),
        "state_ipr": (("pair", "sites"), ipr(fields)),
        "state_exists": (("pair", "sites"), [[bool(one.exists) for one in row] for row in found]),
        "state_loss": (("pair", "sites"), [[float(one.loss) for one in row] for row in found]),
        "state_lead": (("pair", "sites"), [[float(one.lead) for one in row] for row in found]),
    }
    return xr.Dataset(data, {"sites": list(sites)})


def _state(n: int, pair: tuple[float, float], sites: int) -> hypercube.LocalizedState:
    positive, negative = (Hypercube(n, xi) for xi in pair)
    return hypercube.head_state(positive.squashed.correlation, negative.covariance(), head(n, sites))


def _named(record: xr.Dataset) -> xr.Dataset:
    """Which state each end is, and the words for all variables."""
    alike = shifted_cosine(record.end.values[..., None, :], record.state.values[:, None, None])
    alike = np.where(record.state_exists.values[:, None, None], alike, 0.0)  # else the state is none
    sites = np.where(alike.max(-1) >= SAME, record.sites.values[alike.argmax(-1)], 0)
    record["reached"] = (record.end_ipr.dims, sites)
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
