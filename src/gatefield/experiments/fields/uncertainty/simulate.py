"""Neurons and committees trained along the gain axis, exact flows, and how uncertain and how Gabor-like their fields are."""

import jax
import numpy as np
import xarray as xr

from gatefield.core.arrays import Exact
from gatefield.core.grid import Grid
from gatefield.core.precision import exact
from gatefield.data import Gaussian, Task
from gatefield.dynamics import flow
from gatefield.experiments.by_seed import train_by_seed
from gatefield.experiments.orders import ORDERS, length_scales, sources
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.measures import analytic_signal, entropies, gabor, gabor_fit, harper_slack, spreads
from gatefield.nets import Committee
from gatefield.theory import relu

MEASURES = {
    "entropy": "sum of the entropies of position and frequency",
    "slack": "Harper slack of the field",
    "analytic_slack": "Harper slack of its analytic signal",
}
CARRIER = 3.0
"""Carrier of the Gabor whose uncertainty is shown, in radians per width of its envelope."""
NOISE = 0
"""Seed of the white noise that Gabors are fitted to for comparison: the same whatever the seed of the experiment."""


class Settings(Parameters):
    """A neuron and a committee for each order of the length scales, gain and seed; the same starts at every gain.

    The units of a committee learn from the same labels and part ways slowly: hence its higher rate.
    """

    n: Count = 40
    xi_long: LengthScale = 2.0
    xi_short: LengthScale = 1.0
    gains: Gains = (0.01, 1.0, 3.0, float("inf"))
    units: Count = 8
    learning_rate: Rate = 0.05
    committee_rate: Rate = 2.0
    batch_size: Count = 1_000
    steps: Count = 6_000
    record_every: Count = 50
    seeds: Count = 8
    flow_starts: Count = 16
    flow_time: Rate = 60.0
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    sizes, rates = (1, p.units), (p.learning_rate, p.committee_rate)
    parts = [_train(bench, p, K, rate) for K, rate in zip(sizes, rates, strict=True)]
    record = _join(parts, sizes).assign_attrs(neuron_rate=p.learning_rate, xi_long=p.xi_long, xi_short=p.xi_short)
    record = record.assign_coords(flow_time=("flow_time", _flow_times(p), {"units": "tau"}))
    record["flow_fields"] = (("order", "start", "flow_time", "position"), _flow(p))
    for prefix, fields in (("", record.fields), ("flow_", record.flow_fields)):
        for name, value in _measures(fields.values).items():
            record[prefix + name] = (fields.dims[:-1], value, {"long_name": MEASURES[name]})
    final = record.fields.isel(step=-1)
    for name, value in gabor_fit(final.values)._asdict().items():
        record["fit_" + name] = (final.dims[:-1], value)
    record["noise_R2"] = ((), gabor_fit(np.random.default_rng(NOISE).normal(size=(64, p.n))).R2.mean())
    record["gabor_product"] = ((), _gabor_product(CARRIER))
    return record


def _train(bench: Bench, p: Settings, K: int, rate: float) -> xr.Dataset:
    """All orders, gains and seeds of one size of network, as one training."""
    grid = Grid(order=ORDERS, gain=p.gains, seed=p.seeds)
    # each size has its own stream; the flows take the key of the seed itself
    keys = jax.random.split(jax.random.fold_in(jax.random.key(p.seed), K))
    return train_by_seed(bench, f"K={K}", Task(*sources(grid, p)), grid, p, units=K, keys=keys, learning_rate=rate)


def _join(parts: list[xr.Dataset], sizes: tuple[int, int]) -> xr.Dataset:
    """One record of both networks: their units side by side, and each one's loss."""
    one = parts[0]
    data = {"fields": (one.fields.dims, np.concatenate([part.fields.values for part in parts], axis=-2), one.fields.attrs)}
    data |= {name: (("size", *one[name].dims), np.stack([part[name].values for part in parts])) for name in ("loss", "status")}
    coords = {name: one[name] for name in ("order", "gain", "seed", "step", "position")}
    coords |= {"unit": np.arange(sum(sizes)), "K": ("unit", np.repeat(sizes, sizes)), "size": list(sizes)}
    attrs = {name: value for name, value in one.attrs.items() if all(part.attrs.get(name) == value for part in parts)}
    return xr.Dataset(data, coords, attrs).drop_vars("time", errors="ignore")


def _flow_times(p: Settings) -> np.ndarray:
    """Close together at first, where the field changes fast."""
    return p.flow_time * np.linspace(0.0, 1.0, 201) ** 2


def _flow(p: Settings) -> np.ndarray:
    """Exact flows of one neuron on Gaussian data, for both orders of the length scales from the same starts, as one system."""
    grid = Grid(order=ORDERS, start=p.flow_starts)
    starts = Committee(p.n, 1, key=jax.random.split(jax.random.key(p.seed), p.flow_starts)).fields[:, 0]
    cov1, cov0 = (Gaussian(p.n, xi).covariance() for xi in grid.share(length_scales(p), over="order").T)
    each = jax.vmap(lambda w, a, b: relu.velocity(w[None], a, b)[0])
    path = flow(lambda w: each(w, cov1, cov0), np.asarray(grid.share(starts, over="start")), _flow_times(p), rtol=1e-8)
    return grid.fold(np.moveaxis(path.fields.values[0], 0, 1))


@exact
@jax.jit
def _measures(fields: Exact) -> dict[str, np.ndarray | jax.Array]:
    position, frequency = entropies(fields)
    return {
        "entropy": position + frequency,
        "slack": harper_slack(fields),
        "analytic_slack": harper_slack(analytic_signal(fields)),
    }


def _gabor_product(carrier: float, n: int = 20_000, s: float = 100.0) -> float:
    """Product of the spreads of a real Gabor in position and angular frequency, on a ring that is as good as a line."""
    position, frequency = spreads(gabor(n, n / 2, s, carrier * n / (2 * np.pi * s)))
    return float(2 * np.pi / n * position * frequency)
