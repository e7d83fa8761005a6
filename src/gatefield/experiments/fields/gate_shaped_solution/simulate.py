"""Least squares behind a fixed gate: moments, fields, how often the field's gate is the first one; and trained neurons."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from gatefield.core.grid import Grid
from gatefield.core.ties import opened
from gatefield.data import NonlinearGP, ring_correlation
from gatefield.experiments.by_seed import train_by_seed
from gatefield.experiments.orders import squashed_task
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.measures import ipr
from gatefield.theory import nlgp, relu

GATES = ("bump", "hat")
CLASSES = ("positive", "negative")
BLOCK = 10_000
"""Samples drawn at once: more would fill the memory, since all products of pairs of sites are made."""
MOMENTS, AGREEMENT = 0, 1
"""Streams of samples, folded into the key of the seed: they are disjoint, so that moments and shares are independent."""


class Settings(Parameters):
    """As in figure 5 of note 002; `samples` are drawn of each class, twice. `seeds` neurons are trained at each gain."""

    n: Count = 40
    site: int = 20
    xi1: LengthScale = 2.0
    xi0: LengthScale = 1.0
    gains: Gains = (0.01, 1.0, 3.0, 100.0)
    hat_width: Rate = 2.0
    samples: Count = 400_000
    learning_rate: Rate = 0.05
    batch_size: Count = 1_000
    steps: Count = 4_000
    record_every: Count = 1_000
    seeds: Count = 8
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    cov1, cov0 = (np.asarray(NonlinearGP(p.n, xi, p.gains).covariance()) for xi in (p.xi1, p.xi0))
    directions = _directions(p)
    drift, drift_error, moment, moment_error = _moments(p, directions)
    sites, gains = np.roll(ring_correlation(p.n, p.xi1), p.site), np.asarray(p.gains)[:, None]
    used = np.stack([nlgp.half_gate_mean(sites[None, :], gains), drift[:, GATES.index("hat")]], axis=1)
    fields = 2 * np.linalg.solve((cov1 + cov0)[:, None], used[..., None])[..., 0]
    gaussian = np.array([[relu.gate_mean(v, cov) for v in directions] for cov in cov1])
    agreement = _agreement(p, directions, fields)
    lead, matrix = ("gain", "gate", "position"), ("gain", "gate", "position", "position_")
    data = {
        "direction": (("gate", "position"), directions, {"long_name": "the gate opens where <v, x> > 0"}),
        "covariance": (("gain", "position", "position_"), (cov1 + cov0) / 4, {"long_name": "input-input covariance"}),
        "inverse": (("gain", "position", "position_"), np.linalg.inv(cov1 + cov0), {"long_name": "inverse of S0 + S1"}),
        "moment_z": (matrix, (moment - (cov1 + cov0)[:, None] / 4) / moment_error, {"units": "standard errors"}),
        "drift": (lead, used, {"long_name": "f(v), closed form for the bump, sampled for the hat"}),
        "drift_sampled": (lead, drift, {"long_name": "f(v), sampled"}),
        "drift_error": (lead, drift_error, {"long_name": "standard error of the sampled f(v)"}),
        "drift_gaussian": (lead, gaussian, {"long_name": "f(v) of Gaussian data with the same covariance"}),
        "field": (lead, fields, {"long_name": "least-squares field"}),
        "ipr": (("gain", "gate"), ipr(fields), {"long_name": "inverse participation ratio of the field"}),
        "agreement": (("gain", "gate", "label"), agreement, {"long_name": "share of inputs on which both gates agree"}),
        "agreement_error": (("gain", "gate", "label"), np.sqrt(agreement * (1 - agreement) / p.samples)),
        "agreement_gaussian": (("gain", "gate", "label"), _gaussian_agreement(directions, fields, cov1, cov0)),
        "trained_ipr": (("gain", "seed"), _trained_ipr(p, bench), {"long_name": "IPR of neurons that choose their own gate"}),
    }
    coords = {
        "gain": list(p.gains),
        "gate": list(GATES),
        "label": list(CLASSES),
        "position": ("position", np.arange(p.n), {"units": "site"}),
    }
    settings = {name: getattr(p, name) for name in ("samples", "xi1", "xi0", "learning_rate", "steps")}
    return xr.Dataset(data, coords, {"kind": "sampling", "site": p.site % p.n, **settings})


def _trained_ipr(p: Settings, bench: Bench) -> np.ndarray:
    """Of the final fields of one ReLU neuron for each gain and seed, whose gate is its own: (gain, seed)."""
    grid = Grid(gain=p.gains, seed=p.seeds)
    record = train_by_seed(bench, "trained", squashed_task(p, grid.gain), grid, p)
    return ipr(record.fields.isel(step=-1, unit=0)).values


def _directions(p: Settings) -> np.ndarray:
    """The gates' directions: one site, and (1 - d²/s²) exp(-d²/2s²) with d the distance from it on the ring."""
    lag = np.abs(np.arange(p.n) - p.site % p.n)
    square = (np.minimum(lag, p.n - lag) / p.hat_width) ** 2
    return np.stack([np.eye(p.n)[p.site % p.n], (1 - square) * np.exp(-square / 2)])


def _blocks(p: Settings, stream: int) -> tuple[int, Any]:
    """Samples per block, and a key for each block and gain."""
    blocks = -(-p.samples // BLOCK)
    key = jax.random.fold_in(jax.random.key(p.seed), stream)
    return -(-p.samples // blocks), jax.random.split(key, (blocks, len(p.gains)))


def _both_classes(p: Settings, gain: Any, key: Any, size: int) -> list[Any]:
    keys = jax.random.split(key)
    return [NonlinearGP(p.n, xi, gain).sample(k, size) for xi, k in zip((p.xi1, p.xi0), keys, strict=True)]


def _moments(p: Settings, directions: np.ndarray) -> tuple[np.ndarray, ...]:
    """f(v) in the positive class and E[gate x x'] over both, sampled, each followed by its standard error."""
    size, keys = _blocks(p, MOMENTS)
    vs = jnp.asarray(directions, float)

    @jax.jit
    @jax.vmap
    def block(gain: Any, key: Any) -> list[Any]:
        samples = _both_classes(p, gain, key, size)
        return [_class_moments(x, opened(x, vs).T) for x in samples]

    gains = jnp.asarray(p.gains)
    sums = [jax.tree.map(lambda a: np.asarray(a, np.float64), block(gains, key)) for key in keys]
    (f, f2, m1, s1), (_, _, m0, s0) = jax.tree.map(lambda *parts: np.mean(parts, axis=0), *sums)
    count = size * len(keys)
    drift_error = np.sqrt((f2 - f**2) / count)
    return f, drift_error, (m1 + m0) / 2, np.sqrt((s1 - m1**2 + s0 - m0**2) / count) / 2


def _class_moments(x: Any, gates: Any) -> tuple[Any, Any, Any, Any]:
    """Means of gate x and gate x x', and of their squares, for each gate."""
    means = [jnp.einsum("gs,sj->gj", gates**k, x**k, precision="highest") / len(x) for k in (1, 2)]
    pairs = [jnp.einsum("gs,si,sj->gij", gates**k, x**k, x**k, precision="highest") / len(x) for k in (1, 2)]
    return means[0], means[1], pairs[0], pairs[1]


def _agreement(p: Settings, directions: np.ndarray, fields: np.ndarray) -> np.ndarray:
    """Share of fresh samples of each class on which the field's gate is the gate it was made for."""
    size, keys = _blocks(p, AGREEMENT)
    vs = jnp.asarray(directions, float)

    @jax.jit
    @jax.vmap
    def block(gain: Any, ws: Any, key: Any) -> Any:
        samples = _both_classes(p, gain, key, size)
        return jnp.stack([(opened(x, vs) == opened(x, ws)).mean(0) for x in samples], axis=-1)

    gains, ws = jnp.asarray(p.gains), jnp.asarray(fields, float)
    return np.mean([np.asarray(block(gains, ws, key), np.float64) for key in keys], axis=0)


def _gaussian_agreement(directions: np.ndarray, fields: np.ndarray, cov1: np.ndarray, cov0: np.ndarray) -> np.ndarray:
    """The same for Gaussian data with the same covariances, in closed form."""
    return np.array(
        [
            [[relu.gate_agreement(v, w, cov) for cov in pair] for v, w in zip(directions, ws, strict=True)]
            for ws, pair in zip(fields, zip(cov1, cov0, strict=True), strict=True)
        ]
    )
