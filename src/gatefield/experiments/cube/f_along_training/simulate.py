"""The drift f(w) along training: how many entries of the field decide the gate, and when f leaves the Gaussian form."""

from collections.abc import Sequence
from typing import Annotated, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array
from pydantic import Field

from gatefield.core.grid import Grid
from gatefield.data import NonlinearGP, Task, ring_correlation
from gatefield.experiments.many_drifts import relative, sampled_drifts
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.measures import cosine, ipr
from gatefield.nets import Committee
from gatefield.theory import nlgp
from gatefield.theory.hypercube import head_errors

Pairs = Annotated[tuple[tuple[LengthScale, LengthScale], ...], Field(min_length=1)]
STRICT, LOOSE = 0.01, 0.05
"""The gates of all entries and of the head may differ on this share of inputs; claims are about the larger one."""


class Settings(Parameters):
    """One neuron for each pair (xi1, xi0), gain and seed; f and the heads are read at `times` records, spread evenly in log t.

    `samples` inputs of the positive class stand for its law.
    """

    n: Count = 40
    pairs: Pairs = ((2.0, 1.0), (1.0, 2.0), (4.0, 2.0), (2.0, 4.0))
    gains: Gains = (1.0, 3.0, 10.0, float("inf"))
    learning_rate: Rate = 0.05
    batch_size: Count = 1_000
    steps: Count = 6_000
    records: Count = 600
    times: Annotated[int, Field(ge=2)] = 40
    samples: Count = 100_000
    seeds: Count = 16
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    train_key, sample_key = jax.random.split(jax.random.key(p.seed))
    grid = Grid(pair=[f"{xi1:g}, {xi0:g}" for xi1, xi0 in p.pairs], gain=p.gains, seed=p.seeds)
    trained = _train(p, grid, bench, train_key)
    chosen = log_spaced(trained.sizes["step"], p.times)
    fields = trained.fields.drop_vars("time").isel(step=chosen, unit=0).transpose(*grid.axes, "step", "position")
    rows = [
        [_study(p, *pair, gain, fields.values[i, g].astype(float), sample_key) for g, gain in enumerate(p.gains)]
        for i, pair in enumerate(p.pairs)
    ]
    record = xr.concat([xr.concat(row, "gain") for row in rows], "pair")
    xi1, xi0 = zip(*p.pairs, strict=True)
    record = record.assign_coords(grid.coords).assign_coords(
        share=[STRICT, LOOSE],
        xi1=("pair", list(xi1)),
        xi0=("pair", list(xi0)),
        time=("step", p.learning_rate * trained.step.values[chosen], {"units": "tau"}),
    )
    record["end"] = fields.isel(step=-1, drop=True).assign_attrs(long_name="final field")
    record["ipr"] = ipr(fields.drop_vars("step"))
    return record.assign_attrs(trained.attrs, samples=p.samples)


def _train(p: Settings, grid: Grid, bench: Bench, key: Any) -> xr.Dataset:
    """All pairs, gains and seeds at once; a seed has the same start everywhere."""
    xi1, xi0 = grid.share(np.asarray(p.pairs), over="pair").T
    net_key, run_key = jax.random.split(key)
    return bench.train(
        "sgd",
        grid.share(Committee(p.n, 1, key=jax.random.split(net_key, p.seeds)), over="seed"),
        Task(NonlinearGP(p.n, xi1, grid.gain), NonlinearGP(p.n, xi0, grid.gain)),
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate,
        record_every=max(1, p.steps // p.records),
        key=jax.random.split(run_key, len(grid)),
        runs=grid,
    ).record


def log_spaced(count: int, wanted: int) -> np.ndarray:
    """About `wanted` of the numbers from 0 to count - 1, both ends among them, spread evenly in the logarithm.

    >>> log_spaced(101, 5).tolist(), log_spaced(101, 2).tolist()
    ([0, 1, 5, 22, 100], [0, 100])
    """
    between = np.round(np.geomspace(1, max(1, count - 1), wanted - 1)).astype(int)
    return np.unique(np.concatenate([[0], between[1:] if wanted == 2 else between, [count - 1]]))


def head_sizes(errors: np.ndarray, shares: Sequence[float]) -> np.ndarray:
    """The smallest k whose error is at most each share; errors (..., n) of k = 1, ..., n, the last of which is 0."""
    # whole numbers of samples over all, in float32: rounding must not decide whether one is at most the share
    return np.stack([(errors <= share + 1e-6).argmax(-1) + 1 for share in shares], axis=-1)


def _study(p: Settings, xi1: float, xi0: float, gain: float, fields: np.ndarray, key: Any) -> xr.Dataset:
    """Drifts and heads of the fields (seed, step, position) of one setting."""
    cov1, cov0 = np.asarray(NonlinearGP(p.n, np.array([xi1, xi0]), gain).covariance(), float)
    flat = fields.reshape(-1, p.n)
    sampled = sampled_drifts(NonlinearGP(p.n, [xi1], [gain]), flat, key, p.samples)
    drift, error = sampled.value[0], sampled.error[0]
    image, alone = flat @ cov1, site_drifts(flat, xi1, gain)
    gaussian = image / np.sqrt(2 * np.pi * np.sum(image * flat, axis=-1, keepdims=True))
    brake = np.linalg.norm(flat @ (cov0 + cov1), axis=-1)
    data = {
        "gaussian_distance": (relative(gaussian, drift, error)[0], "distance of f from the Gaussian form"),
        "site_distance": (relative(alone, drift, error)[0], "distance of f from that of the largest entry alone"),
        "gaussian_cosine": (cosine(drift, gaussian), "cosine of f and C1 w"),
        "site_cosine": (cosine(drift, alone), "cosine of f and the drift of the largest entry alone"),
        "pull": (2 * np.linalg.norm(drift, axis=-1) / brake, "|f/2| over |(C0+C1)w/4|"),
    }
    lead = fields.shape[:2]
    out: dict[str, Any] = {name: (("seed", "step"), v.reshape(lead), {"long_name": text}) for name, (v, text) in data.items()}
    x = NonlinearGP(p.n, xi1, gain).sample(key, p.samples)
    errors = np.asarray(_head_errors(x, jnp.asarray(flat, jnp.float32)))
    heads = head_sizes(errors, (STRICT, LOOSE)).reshape(*lead, 2)
    out["head_size"] = (("seed", "step", "share"), heads, {"long_name": "entries that decide the gate"})
    forms = {
        "drift": (drift, "f(w) of the first seed"),
        "gaussian_form": (gaussian, "the Gaussian form of f, first seed"),
        "site_form": (alone, "the drift of the largest entry alone, first seed"),
    }
    out |= {name: (("step", "position"), v.reshape(fields.shape)[0], {"long_name": text}) for name, (v, text) in forms.items()}
    return xr.Dataset(out, {"position": np.arange(p.n)})


def site_drifts(fields: np.ndarray, xi: float, gain: float) -> np.ndarray:
    """The drift that each field (fields, n) would have if its largest entry alone decided the gate, in closed form."""
    n, rows = fields.shape[-1], np.arange(len(fields))
    largest = np.abs(fields).argmax(-1)
    row = np.asarray(nlgp.half_gate_mean(ring_correlation(n, xi), gain))
    return row[(np.arange(n) - largest[:, None]) % n] * np.sign(fields[rows, largest])[:, None]


@eqx.filter_jit
def _head_errors(x: Array, fields: Array) -> Array:
    """For each field the errors of all heads, on the same sample."""
    return jax.lax.map(lambda w: head_errors(w, x), fields)
