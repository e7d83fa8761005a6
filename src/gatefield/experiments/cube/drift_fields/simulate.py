"""The drift of bumps, sinusoids, Gabors and others: sampled, exact and by the closure."""

from typing import Annotated, Any

import jax
import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.core.grid import Grid
from gatefield.data import Hypercube, NonlinearGP, ring_correlation
from gatefield.experiments.many_drifts import relative, sampled_drifts
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Seed
from gatefield.measures import gabor
from gatefield.theory import closure, hypercube, nlgp

Scales = Annotated[tuple[LengthScale, ...], Field(min_length=1)]
WIDTHS = (0.7, 1.5, 2.5, 4.0, 8.0)
ENVELOPE = 3.0
"""Width of the Gabors on 40 sites. Wider or faster ones nearly cancel on constant inputs, whose gate rounding would decide."""

SMALL = 1
"""Added to the seed of random fields on the small ring, so that they are not those of the large one."""


class Settings(Parameters):
    """Fields on a ring of n sites for each gain and length scale; on a ring of `small` sites the drift of signs is exact."""

    n: Count = 40
    small: Annotated[int, Field(ge=4, le=8)] = 8
    xis: Scales = (1.0, 2.0, 5.0)
    gains: Gains = (0.01, 1.0, 3.0, 100.0, float("inf"))
    random: Count = 32
    samples: Count = 8_000_000
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    key, small_key = jax.random.split(jax.random.key(p.seed))
    return xr.merge([_study(p, key), _small(p, small_key)]).assign_attrs(n=p.n, samples=p.samples)


def shapes(n: int, random: int, seed: int) -> tuple[list[str], list[float], np.ndarray]:
    """Kind, parameter and direction of each field: width of a bump, frequency of a sinusoid or Gabor, number of a random."""
    middle = n // 2
    turn = 2 * np.pi * (np.arange(n) - middle) / n
    rows: list[tuple[str, float, np.ndarray]] = [("site", 0.0, np.eye(n)[middle])]
    rows += [("bump", width, gabor(n, middle, width)) for width in WIDTHS if width <= n / 5]
    rows += [("sinusoid", float(k), np.cos(k * turn)) for k in (0, 1, 3, 6, 10) if k <= n // 2]
    rows += [("Gabor", float(f), gabor(n, middle, min(ENVELOPE, n / 8), f)) for f in range(1, min(10, n // 2) + 1)]
    noise = np.random.default_rng(seed).standard_normal((random, n))
    rows += [("random", float(i), w) for i, w in enumerate(noise)]
    fields = np.array([w for _, _, w in rows])
    return [kind for kind, _, _ in rows], [value for _, value, _ in rows], fields / np.linalg.norm(fields, axis=1)[:, None]


def _study(p: Settings, key: Any) -> xr.Dataset:
    """Sampled and closure drifts of all fields on the large ring, and the closed form of the gate of one site."""
    kinds, values, fields = shapes(p.n, p.random, p.seed)
    grid = Grid(gain=p.gains, xi=p.xis)
    source = NonlinearGP(p.n, grid.xi, grid.gain)
    cov = np.asarray(source.covariance(), float)
    sampled = sampled_drifts(source, fields, key, p.samples)
    approximate = closures(cov, grid.gain, fields)
    distance, noise = relative(approximate, sampled.value, sampled.error)
    rho = np.array([np.roll(ring_correlation(p.n, one), p.n // 2) for one in grid.xi])
    image = np.einsum("rij,fj->rfi", cov, fields)
    power = np.sum(image * fields, axis=-1)
    data = {
        "sampled": (sampled.value, "mean input where the gate is open, sampled"),
        "error": (sampled.error, "standard error of the sampled drift"),
        "closure": (approximate, "conditional-Gaussian closure of the drift"),
        "gaussian": (image / np.sqrt(2 * np.pi * power)[..., None], "drift of Gaussian data with the same covariance"),
        "closure_error": (distance, "relative error of the closure, without the noise of sampling"),
        "noise": (noise, "relative error of the sampled drift"),
        "passed": (
            power / np.linalg.norm(cov, 2, axis=(1, 2))[:, None],
            "power of the field in the data, of the most possible",
        ),
    }
    axes = (*grid.axes, "field", "position")
    out = {name: (axes[: v.ndim + 1], grid.fold(v), {"long_name": text}) for name, (v, text) in data.items()}
    site = grid.fold(nlgp.half_gate_mean(rho, grid.gain[:, None]))
    out["site_exact"] = ((*grid.axes, "position"), site, {"long_name": "drift of the gate of one site, closed form"})
    coords = {"kind": ("field", kinds), "value": ("field", values), "position": ("position", np.arange(p.n), {"units": "site"})}
    return xr.Dataset({**out, "w": (("field", "position"), fields, {"long_name": "field"})}, {**grid.coords, **coords})


def _small(p: Settings, key: Any) -> xr.Dataset:
    """Drifts of signs on the small ring: sampled, exact and by the closure."""
    kinds, values, fields = shapes(p.small, p.random, p.seed + SMALL)
    source = Hypercube(p.small, np.asarray(p.xis))
    sampled = sampled_drifts(source, fields, key, p.samples)
    turn = np.arange(p.small)
    corr = [np.array([np.roll(ring_correlation(p.small, xi), k) for k in turn]) for xi in p.xis]
    known = np.array([hypercube.drift(fields, one) for one in corr])
    approximate = closures(np.asarray(source.covariance(), float), np.full(len(p.xis), np.inf), fields)
    distance, _ = relative(approximate, known, np.zeros_like(known))
    where = ("xi", "small_field", "small_position")
    data = {
        "small_sampled": (where, sampled.value, {"long_name": "drift of signs on a small ring, sampled"}),
        "small_sampling_error": (where, sampled.error, {"long_name": "standard error of the sampled drift"}),
        "small_exact": (where, known, {"long_name": "drift of signs on a small ring, exact"}),
        "small_closure_error": (where[:2], distance, {"long_name": "relative error of the closure"}),
    }
    return xr.Dataset(data, {"xi": list(p.xis), "small_kind": ("small_field", kinds), "small_value": ("small_field", values)})


def closures(cov: np.ndarray, gain: np.ndarray, fields: np.ndarray) -> np.ndarray:
    """The closure's drift for each law, of sites with unit variance, and each field."""
    image = np.einsum("rij,fj->rfi", cov, fields)
    power = np.sum(image * fields, axis=-1, keepdims=True)
    return np.asarray(closure.amplifier(image / np.sqrt(power), gain[:, None, None]))
