"""What becomes of gates along a training: how often they flip, how near they are to the last ones, what they see."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array

from gatefield.data import GaussianClone, Task
from gatefield.measures import gate_stability, ipr, localized_ipr

COARSE = 5
"""Costly quantities are taken at every so many records."""
BATCH = 32
"""States whose gates are sampled at once."""
SETTLED = 0.95
"""A gate has settled once it agrees with its final state on this share of inputs, and stays so."""


def follow(paths: np.ndarray, task: Task, key: Any, samples: int) -> dict[str, Any]:
    """Gates along paths of fields (..., step, unit, n) on one task, by name: (dimensions after the lead, values).

    `stability` is the probability that a gate is the same at a record and the next, `gaussian_stability` what it would be on
    Gaussian data of the same covariances, in closed form; `likeness` that it is as at the end; `kurtosis` the excess kurtosis
    of preactivations, for either class and both together.
    """
    clone = Task(GaussianClone(task.positive), GaussianClone(task.negative))
    now, after, some = (paths[..., at, :, :] for at in (slice(-1), slice(1, None), marks(paths.shape[-3])))
    last = np.broadcast_to(paths[..., -1:, :, :], some.shape)
    x = [source.sample(k, samples) for source, k in zip((task.positive, task.negative), jax.random.split(key), strict=True)]
    return {
        "stability": (("interval", "unit"), _sampled(now, after, task, key, samples)),
        "gaussian_stability": (("interval", "unit"), gate_stability(now, after, clone)),
        "likeness": (("mark", "unit"), _sampled(some, last, task, key, samples)),
        "kurtosis": (("mark", "unit", "inputs"), _kurtosis(some, x)),
        "ipr": (("mark", "unit"), ipr(some)),
    }


def marks(records: int) -> np.ndarray:
    """The records at which costly quantities are taken; the last is among them.

    >>> marks(12)
    array([ 0,  5, 10, 11])
    """
    return np.unique(np.append(np.arange(0, records, COARSE), records - 1))


def _sampled(before: np.ndarray, after: np.ndarray, task: Task, key: Any, samples: int) -> np.ndarray:
    """Agreement of gates, (..., unit), a batch of states at a time; the last batch is filled up with copies."""
    lead, (units, n) = before.shape[:-2], before.shape[-2:]
    pairs = [_batches(fields.reshape(-1, units, n)) for fields in (before, after)]
    found = [gate_stability(b, a, task, key=key, samples=samples) for b, a in zip(*pairs, strict=True)]
    return np.concatenate(found)[: int(np.prod(lead))].reshape(*lead, units)


def _batches(fields: np.ndarray) -> list[np.ndarray]:
    size = min(BATCH, len(fields))
    padded = np.concatenate([fields, np.repeat(fields[-1:], -len(fields) % size, axis=0)])
    return np.split(padded, len(padded) // size)


def _kurtosis(fields: np.ndarray, x: list[Array]) -> np.ndarray:
    """Excess kurtosis m4/m2^2 - 3 of preactivations (..., unit, inputs): positive class, negative class, both."""
    flat = fields.reshape(-1, *fields.shape[-2:])
    moments = np.stack([np.concatenate([_moments(part, one) for part in _batches(flat)]) for one in x])[:, : len(flat)]
    moments = np.concatenate([moments, moments.mean(0, keepdims=True)])
    excess = moments[..., 1] / moments[..., 0] ** 2 - 3
    return np.moveaxis(excess, 0, -1).reshape(*fields.shape[:-1], 3)


@jax.jit
def _moments(fields: Array, x: Array) -> Array:
    """Second and fourth moments of preactivations whose law is symmetric about 0: (state, unit, 2)."""
    square = jnp.einsum("tun,sn->tus", fields, x, precision="highest") ** 2
    return jnp.stack([square.mean(-1), (square**2).mean(-1)], axis=-1)


def first_for_good(holds: xr.DataArray, dim: str) -> xr.DataArray:
    """Index from which on `holds` is true up to the end; the length of `dim` if it is false there.

    >>> first_for_good(xr.DataArray([[True, False, True, True], [True, True, True, False]], dims=("u", "t")), "t").values
    array([2, 4])
    """
    backwards = holds.isel({dim: slice(None, None, -1)})
    kept = backwards.astype(int).cumprod(dim).sum(dim)
    return holds.sizes[dim] - kept


def settling(record: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray]:
    """Marks at which each unit's gate settles, and at which its field is half-way to its final participation ratio."""
    half = (record.ipr.isel(mark=0) + record.ipr.isel(mark=-1)) / 2
    return first_for_good(record.likeness >= SETTLED, "mark"), first_for_good(record.ipr >= half, "mark")


def localized(record: xr.Dataset) -> xr.DataArray:
    """Which units are localized at the end."""
    return record.ipr.isel(mark=-1) > localized_ipr(record.attrs["n"])


def settling_times(one: xr.Dataset) -> tuple[float, float]:
    """When the gate of the median localized unit settles, and when its field is half-way, in tau; 0 if none is localized."""
    gate, field = (_median_time(one, at) for at in settling(one))
    return gate, field


def halfway(record: xr.Dataset) -> xr.DataArray:
    """Marks at which each unit's gate is half-way from its first state to its last: as fields are judged."""
    half = (record.likeness.isel(mark=0) + record.likeness.isel(mark=-1)) / 2
    return first_for_good(record.likeness >= half, "mark")


def halfway_time(one: xr.Dataset) -> float:
    """When the gate of the median localized unit is half-way, in tau; 0 if none is localized."""
    return _median_time(one, halfway(one))


def _median_time(one: xr.Dataset, at: xr.DataArray) -> float:
    """The mark of the median localized unit as a time in tau; 0 if none is localized."""
    counted = localized(one)
    median = int(at.where(counted).median()) if counted.any() else 0
    return float(one.mark[min(median, one.sizes["mark"] - 1)] * one.rate)
