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

EARLY, RECORDS = 10, 40
"""Units that start alike part early: they are trained for so small a part of the time, with so many records."""
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
    """Every pair of length scales, gain and seed, and further axes."""
    return Grid(pair=[f"{xi1:g}, {xi0:g}" for xi1, xi0 in p.pairs], gain=p.gains, seed=p.seeds, **axes)


def _task(p: Settings, grid: Grid) -> Task:
    xi1, xi0 = grid.share(np.asarray(p.pairs), over="pair").T
    return Task(NonlinearGP(p.n, xi1, grid.gain), NonlinearGP(p.n, xi0, grid.gain))


def _size(p: Settings, bench: Bench, K: int) -> xr.Dataset:
    """Committees of K units, and each of their units alone."""
    net_key, train_key = jax.random.split(jax.random.fold_in(jax.random.key(p.seed), K))
    cells = _grid(p)
    own, alike = _starts(p, cells, K, net_key)
    keys, early = jax.random.split(train_key, len(cells)).reshape(cells.shape), max(1, p.steps // EARLY)
    together = _train(p, bench, f"together-{K}", cells, own, keys, p.steps, 4)
    parting = _train(p, bench, f"parting-{K}", cells, alike, keys, early, RECORDS)
    # Read out by the mean, a unit without the other K - 1 is a neuron from 1/K of its start, in time over K²
    alone = _train(p, bench, f"alone-{K}", _grid(p, unit_=K), own[..., None, :] / K, keys, p.steps, 4)
    ends, lone = together.fields.isel(step=-1).values, alone.fields.isel(step=-1, unit=0).values
    return xr.merge([_record(p, ends, lone, own), _parting(p, parting.fields)])


def _starts(p: Settings, cells: Grid, K: int, key: Any) -> tuple[np.ndarray, np.ndarray]:
    """Fields at the start (*cells, unit, position), fresh in every cell: each unit's own; and alike, as long as the others."""
    own, other = (cells.fold(Committee(p.n, K, key=jax.random.split(k, len(cells))).fields) for k in jax.random.split(key))
    alike = (other[..., :1, :] + p.difference * own) / np.hypot(1.0, p.difference)
    return own, alike


def _train(
    p: Settings, bench: Bench, part: str, grid: Grid, starts: np.ndarray, keys: Any, steps: int, records: int
) -> xr.Dataset:
    """From starts (*grid, unit, position). All runs of a cell see the same inputs, each cell its own."""
    K = starts.shape[-2]
    return bench.train(
        part,
        Committee(p.n, K, init=starts.reshape(-1, K, p.n), key=keys.ravel()[0]),
        _task(p, grid),
        steps=steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate * K**2,
        record_every=max(1, steps // records),
        key=grid.share(keys, over=SETTING),
        runs=grid,
    ).record


def _record(p: Settings, ends: np.ndarray, alone: np.ndarray, starts: np.ndarray) -> xr.Dataset:
    """What is read off the final fields (pair, gain, seed, unit, position), together and alone."""
    lead, cells = (*SETTING, "unit"), _grid(p)
    cov = np.asarray(_task(p, cells).positive.covariance(), float)
    filtered = np.einsum("rij,rkj->rki", cov, starts.reshape(len(cells), -1, p.n).astype(float))
    found = {**_peaks("", ends), **_peaks("alone_", alone), "start_site": peak_position(cells.fold(filtered)).astype(float)}
    data: dict[str, Any] = {name: (lead, values) for name, values in found.items()}
    data["sum_share"] = (SETTING, _sum_share(ends), {"long_name": "|sum of all fields|² / sum of their |field|²"})
    data["field"] = (("pair", "gain", "unit", "position"), ends[:, :, 0], {"long_name": "final fields of the first seed"})
    data["alone_field"] = (("pair", "gain", "unit", "position"), alone[:, :, 0])
    return xr.Dataset(data, {**cells.coords, "unit": np.arange(ends.shape[-2]), "position": np.arange(p.n)})


def _parting(p: Settings, fields: xr.DataArray) -> xr.Dataset:
    """How like each other units are over time that start alike."""
    time = ("step", p.learning_rate * fields.step.values, {"units": "K² tau", "long_name": "flow time over K²"})
    words = {"long_name": "mean cosine between units that start alike"}
    data = {"parting_cosine": ((*SETTING, "step"), _mean_cosine(fields.values), words)}
    return xr.Dataset(data, {**_grid(p).coords, "step": fields.step.values, "time": time})


def _peaks(prefix: str, fields: np.ndarray) -> dict[str, np.ndarray]:
    """Site and sign of the largest weight of each field, and how localized it is."""
    sites = np.asarray(peak_position(fields))
    signs = np.sign(np.take_along_axis(fields, sites[..., None], axis=-1)[..., 0])
    return {f"{prefix}site": sites.astype(float), f"{prefix}sign": signs, f"{prefix}ipr": np.asarray(ipr(fields))}


def _sum_share(fields: np.ndarray) -> np.ndarray:
    """0 if fields (..., unit, position) cancel, near 1 for independent ones, K if all are the same."""
    return (fields.astype(float).sum(-2) ** 2).sum(-1) / (fields.astype(float) ** 2).sum((-2, -1))


def _mean_cosine(fields: np.ndarray) -> np.ndarray:
    """Over all pairs of units, of fields (..., unit, position)."""
    one, two = np.triu_indices(fields.shape[-2], 1)
    return np.asarray(cosine(fields[..., one, :], fields[..., two, :])).mean(-1)
