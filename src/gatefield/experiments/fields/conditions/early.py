"""The first moments from a standard normal start: which of the two terms of the velocity leads, and when."""

from typing import Any

import jax
import numpy as np
import xarray as xr

from gatefield.core.grid import Grid
from gatefield.data import NonlinearGP, Task
from gatefield.experiments.by_seed import gaussian_path
from gatefield.experiments.many_drifts import sampled_drifts
from gatefield.lab import Bench
from gatefield.measures import cosine, ipr
from gatefield.nets import Committee

MOMENTS = 100
"""How many records there are."""
PULL, EXPLAINED = 2, 3
"""Streams of samples for the first term of the velocity, and for what ends explain: 0 and 1 are the two keys of `split`."""


def early(p: Any, bench: Bench) -> xr.Dataset:
    """Size, IPR, both terms of the velocity f/2 - (S0 + S1) w/4, and the likeness with the flow of Gaussian data."""
    trained = _train(p, bench)
    fields = trained.fields.isel(unit=0).values.astype(float)
    cov1, cov0 = (np.asarray(NonlinearGP(p.n, np.full(len(p.gains), xi), p.gains).covariance(), float) for xi in p.pairs[0])
    starts, (own1, own0) = fields[:, :, 0].reshape(-1, p.n), (np.repeat(cov, p.seeds, axis=0) for cov in (cov1, cov0))
    gaussian = np.moveaxis(gaussian_path(starts, own1, own0, trained.time.values), 0, 1).reshape(fields.shape)
    pull = np.stack([_pull(p, gain, fields[g]) for g, gain in enumerate(p.gains)])
    values = {
        "early_size": (np.linalg.norm(fields, axis=-1), "|w| from a standard normal start"),
        "early_ipr": (ipr(fields), "IPR from a standard normal start"),
        "early_pull": (pull, "|f/2|, the first term of the velocity"),
        "early_brake": (second_term(fields, cov1, cov0), "|(S0 + S1) w/4|, the second term"),
        "early_likeness": (
            cosine(fields, gaussian),
            "cosine with the flow of Gaussian data of the same covariances",
        ),
    }
    data: dict[str, Any] = {name: (("gain", "seed", "moment"), v, {"long_name": text}) for name, (v, text) in values.items()}
    return xr.Dataset(data, {"early_time": ("moment", trained.time.values, {"units": "tau"}), "gain": list(p.gains)})


def _train(p: Any, bench: Bench) -> xr.Dataset:
    grid = Grid(gain=p.gains, seed=p.seeds)
    xi1, xi0 = p.pairs[0]
    net_key, train_key = jax.random.split(jax.random.key(p.seed))
    return bench.train(
        "early",
        grid.share(Committee(p.n, 1, init="normal", key=jax.random.split(net_key, p.seeds)), over="seed"),
        Task(NonlinearGP(p.n, xi1, grid.gain), NonlinearGP(p.n, xi0, grid.gain)),
        steps=p.early_steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate,
        record_every=max(1, p.early_steps // MOMENTS),
        key=grid.share(jax.random.split(train_key, p.seeds), over="seed"),
        runs=grid,
    ).record


def _pull(p: Any, gain: float, fields: np.ndarray) -> np.ndarray:
    """|f/2| of fields (seed, moment, position) at one gain, without what sampling adds to it on average."""
    key = jax.random.fold_in(jax.random.key(p.seed), PULL)
    found = sampled_drifts(NonlinearGP(p.n, [p.pairs[0][0]], [gain]), fields.reshape(-1, p.n), key, p.samples)
    square = np.sum(found.value[0] ** 2 - found.error[0] ** 2, axis=-1)
    return np.sqrt(np.maximum(square, 0.0)).reshape(fields.shape[:-1]) / 2


def second_term(fields: np.ndarray, cov1: np.ndarray, cov0: np.ndarray) -> np.ndarray:
    """|(S0 + S1) w/4| of fields (gain, seed, moment, n), with covariances (gain, n, n)."""
    return np.linalg.norm(np.einsum("gij,gstj->gsti", cov0 + cov1, fields), axis=-1) / 4
