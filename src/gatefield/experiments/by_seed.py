"""Trainings in which all runs of one seed start and draw alike, the Gaussian flow from their starts, and means over seeds."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import jax
import numpy as np
import xarray as xr

from gatefield.core.grid import Grid
from gatefield.core.intervals import standard_error
from gatefield.data import Source, Task
from gatefield.dynamics import flow
from gatefield.lab import Bench
from gatefield.nets import Committee
from gatefield.theory import relu

NOTHING: Mapping[str, Any] = MappingProxyType({})


def train_by_seed(
    bench: Bench,
    part: str,
    task: Task,
    grid: Grid,
    p: Any,
    *,
    units: int = 1,
    keys: Any = None,
    learning_rate: Any = None,
    net: Mapping[str, Any] = NOTHING,
    training: Mapping[str, Any] = NOTHING,
) -> xr.Dataset:
    """Train a ReLU committee for each run of the grid; its start and its key depend on the axis `seed` alone.

    **Arguments**

    - `p`: parameters with `n`, `seed`, `seeds`, `steps`, `batch_size`, `learning_rate` and `record_every`.
    - `units`, `keys`, `learning_rate`: one unit, keys of starts and trainings from `p.seed`, and the rate of `p`, unless others
      are given.
    - `net`, `training`: further settings of the committee and of `train`.

    **Returns** the record, with the axes of the grid.
    """
    net_key, train_key = jax.random.split(jax.random.key(p.seed)) if keys is None else keys
    return bench.train(
        part,
        grid.share(Committee(p.n, units, key=jax.random.split(net_key, p.seeds), **net), over="seed"),
        task,
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate if learning_rate is None else learning_rate,
        record_every=p.record_every,
        key=grid.share(jax.random.split(train_key, p.seeds), over="seed"),
        runs=grid,
        **training,
    ).record


def gaussian_ends(record: xr.Dataset, sources: tuple[Source, Source]) -> np.ndarray:
    """Where the flow of Gaussian data with the sources' covariances ends, from the starts and after the time of the record.

    The sources have one covariance for each run; all runs go as one system. **Returns** fields, (axes of the runs, position).
    """
    starts = record.fields.isel(step=0, unit=0).values
    cov1, cov0 = (source.covariance() for source in sources)
    path = gaussian_path(starts.reshape(-1, starts.shape[-1]), cov1, cov0, [0.0, float(record.time[-1])])
    return path[-1].reshape(starts.shape)


def gaussian_path(starts: np.ndarray, cov1: Any, cov0: Any, times: Any) -> np.ndarray:
    """The flow of single neurons on Gaussian classes, all runs as one system: fields (times, runs, n).

    **Arguments**

    - `starts`: fields (runs, n).
    - `cov1`, `cov0`: covariances (runs, n, n).
    - `times`: in tau, from 0.
    """
    each = jax.vmap(lambda w, a, b: relu.velocity(w[None], a, b)[0])
    return flow(lambda w: each(w, cov1, cov0), starts, times).fields.values[0]


def seeds_text(values: xr.DataArray) -> str:
    """The mean over seeds with its standard error, and the range, in words.

    >>> seeds_text(xr.DataArray([0.5, 0.7], dims="seed"))
    '0.600 ± 0.100 (mean and standard error over 2 seeds, from 0.50 to 0.70)'
    """
    found = np.asarray(values, float).ravel()
    error = standard_error(found) if len(found) > 1 else float("nan")
    span = f"from {found.min():.2f} to {found.max():.2f}"
    return f"{found.mean():.3f} ± {error:.3f} (mean and standard error over {len(found)} seeds, {span})"


def spread(values: xr.DataArray, scale: float | int = 1.0) -> str:
    """Mean and standard deviation over seeds.

    >>> spread(xr.DataArray([0.98, 0.99], dims="seed"), 100)
    '98.50 ± 0.71'
    """
    deviation = float(values.std("seed", ddof=1)) if values.sizes["seed"] > 1 else 0.0
    return f"{scale * float(values.mean('seed')):.2f} ± {scale * deviation:.2f}"
