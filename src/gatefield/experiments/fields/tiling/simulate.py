"""Where the units of ReLU committees go, together and alone, and when units that start alike part."""

from typing import Annotated, Any

import jax
import numpy as np
import pydantic
import xarray as xr

from gatefield.core.grid import Grid
from gatefield.data import NonlinearGP, Task
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed, Several
from gatefield.measures import cosine, ipr, peak_position
from gatefield.nets import Committee

STARTS = ("own", "alike")
"""Units with starts of their own; units that share one start but for a small difference."""
SETTING = ("pair", "gain", "seed")


class Settings(Parameters):
    """Committees of each size in `units`, for each pair of length scales (xi1, xi0), gain and seed.

    The rate of a committee of K is `learning_rate` times K², so that time runs alike in units of K² tau. `difference` is that
    of starts that are alike: the length of what is a unit's own over that of what all units share.
    """

    n: Annotated[Several, pydantic.Field(le=128)] = 40
    pairs: Annotated[tuple[tuple[LengthScale, LengthScale], ...], pydantic.Field(min_length=1)] = (
        (2.0, 1.0),
        (3.0, 1.0),
        (4.0, 2.0),
    )
    gains: Gains = (1.0, 3.0, float("inf"))
    units: Annotated[tuple[Annotated[Several, pydantic.Field(le=64)], ...], pydantic.Field(min_length=1)] = (2, 4, 8, 16)
    difference: Rate = 0.1
    learning_rate: Rate = 0.05
    batch_size: Count = 1_000
    steps: Count = 4_000
    record_every: Count = 100
    seeds: Several = 16
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    parts = [_size(p, bench, K) for K in p.units]
    record = xr.concat(parts, "units", join="outer", combine_attrs="drop_conflicts").assign_coords(units=list(p.units))
    xis = {name: ("pair", list(values)) for name, values in zip(("xi1", "xi0"), zip(*p.pairs, strict=True), strict=True)}
    used = {"n": p.n, "steps": p.steps, "learning_rate": p.learning_rate, "batch_size": p.batch_size}
    return record.assign_coords(xis).assign_attrs(used, difference=p.difference)


def _grid(p: Settings, **axes: Any) -> Grid:
    """Every pair of length scales, gain and seed, with further axes in front or behind."""
    first = {name: axes.pop(name) for name in ("start",) if name in axes}
    return Grid(**first, pair=[f"{xi1:g}, {xi0:g}" for xi1, xi0 in p.pairs], gain=p.gains, seed=p.seeds, **axes)


def _task(p: Settings, grid: Grid) -> Task:
    xi1, xi0 = grid.share(np.asarray(p.pairs), over="pair").T
    return Task(NonlinearGP(p.n, xi1, grid.gain), NonlinearGP(p.n, xi0, grid.gain))


def _size(p: Settings, bench: Bench, K: int) -> xr.Dataset:
    """Committees of K units, and each of their units alone."""
    net_key, train_key = jax.random.split(jax.random.fold_in(jax.random.key(p.seed), K))
    starts = _starts(p, K, net_key)
    keys = jax.random.split(train_key, p.seeds)
    together = _train(p, bench, f"together-{K}", _grid(p, start=STARTS), starts, ("start", "seed"), keys, K)
    # Read out by the mean, a unit without the other K - 1 is a neuron from 1/K of its start, in time over K²
    lonely = starts[0].reshape(p.seeds, K, 1, p.n) / K
    alone = _train(p, bench, f"alone-{K}", _grid(p, unit_=K), lonely, ("seed", "unit_"), keys, 1)
    return _record(p, together.fields, alone.fields.isel(step=-1, unit=0).values, starts[0])


def _starts(p: Settings, K: int, key: Any) -> np.ndarray:
    """Fields at the start (start, seed, unit, position), those that are alike as long as the others."""
    own_key, shared_key = jax.random.split(key)
    own = np.asarray(Committee(p.n, K, key=jax.random.split(own_key, p.seeds)).fields)
    shared = np.asarray(Committee(p.n, K, key=jax.random.split(shared_key, p.seeds)).fields)[:, :1]
    alike = (shared + p.difference * own) / np.hypot(1.0, p.difference)
    return np.stack([own, alike])


def _train(
    p: Settings, bench: Bench, part: str, grid: Grid, starts: np.ndarray, over: tuple[str, str], keys: Any, K: int
) -> xr.Dataset:
    """All runs of a seed see the same inputs, whatever their start."""
    return bench.train(
        part,
        Committee(p.n, K, init=grid.share(starts, over=over), key=keys[0]),
        _task(p, grid),
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate * K**2,
        record_every=p.record_every if K > 1 else p.steps,
        key=grid.share(keys, over="seed"),
        runs=grid,
    ).record


def _record(p: Settings, fields: xr.DataArray, alone: np.ndarray, starts: np.ndarray) -> xr.Dataset:
    """What is read off the fields; those of units alone are (pair, gain, seed, unit, position)."""
    ends = fields.sel(start="own").isel(step=-1).values
    lead, cells = (*SETTING, "unit"), _grid(p)
    filtered = np.einsum("rij,rkj->rki", _positive_covariances(p, cells), cells.share(starts.astype(float), over="seed"))
    found = {**_peaks("", ends), **_peaks("alone_", alone), "start_site": peak_position(cells.fold(filtered))}
    data: dict[str, Any] = {name: (lead, values) for name, values in found.items()}
    data["cosine"] = (("start", *SETTING, "step"), _mean_cosine(fields.values), {"long_name": "mean cosine between units"})
    data["field"] = (("pair", "gain", "unit", "position"), ends[:, :, 0], {"long_name": "final fields of the first seed"})
    data["alone_field"] = (("pair", "gain", "unit", "position"), alone[:, :, 0])
    time = ("step", p.learning_rate * fields.step.values, {"units": "K² tau", "long_name": "flow time over K²"})
    coords = {"start": list(STARTS), **cells.coords, "unit": np.arange(ends.shape[-2]), "step": fields.step.values}
    return xr.Dataset(data, {**coords, "time": time, "position": np.arange(p.n)})


def _positive_covariances(p: Settings, cells: Grid) -> np.ndarray:
    return np.asarray(_task(p, cells).positive.covariance(), float)


def _peaks(prefix: str, fields: np.ndarray) -> dict[str, np.ndarray]:
    """Site and sign of the largest weight of each field, and how localized it is."""
    sites = np.asarray(peak_position(fields))
    signs = np.sign(np.take_along_axis(fields, sites[..., None], axis=-1)[..., 0])
    return {f"{prefix}site": sites.astype(float), f"{prefix}sign": signs, f"{prefix}ipr": np.asarray(ipr(fields))}


def _mean_cosine(fields: np.ndarray) -> np.ndarray:
    """Over all pairs of units, of fields (..., unit, position)."""
    one, two = np.triu_indices(fields.shape[-2], 1)
    return np.asarray(cosine(fields[..., one, :], fields[..., two, :])).mean(-1)
