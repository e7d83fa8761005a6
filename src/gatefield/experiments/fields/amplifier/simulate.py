"""Neurons trained along the gain axis, the closure flow from the same starts, and the amplifier itself."""

from typing import Any

import jax
import numpy as np
import xarray as xr

from gatefield.core.grid import Grid
from gatefield.data import Source, Task
from gatefield.dynamics import flow
from gatefield.experiments.by_seed import train_by_seed
from gatefield.experiments.orders import ORDERS, sources
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.measures import circular_distance, ipr, peak_position
from gatefield.theory import closure, nlgp


class Settings(Parameters):
    """One neuron for each order of the length scales, gain and seed; the same starts at every gain.

    As in `localization`, but for three times as long: with the shorter range positive, the closure takes its time.
    """

    n: Count = 40
    xi_long: LengthScale = 2.0
    xi_short: LengthScale = 1.0
    gains: Gains = (0.01, 0.3, 1.0, 3.0, 10.0, float("inf"))
    learning_rate: Rate = 0.1
    batch_size: Count = 1_000
    steps: Count = 6_000
    record_every: Count = 300
    seeds: Count = 16
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    grid = Grid(order=ORDERS, gain=p.gains, seed=p.seeds)
    classes = sources(grid, p)
    record = train_by_seed(bench, "sgd", Task(*classes), grid, p)
    record["ipr"] = ipr(record.fields)
    ends = _closure_ends(record, classes, grid.gain)
    lead = ("order", "gain", "seed")
    record["closure_fields"] = ((*lead, "position"), ends, {"long_name": "final fields of the closure flow"})
    record["closure_ipr"] = (lead, ipr(ends), {"long_name": "IPR of the closure flow"})
    peaks = [peak_position(w) for w in (record.fields.isel(step=-1, unit=0).values, ends)]
    apart = np.asarray(circular_distance(peaks[0], peaks[1], p.n))
    record["peak_distance"] = (lead, apart, {"units": "site", "long_name": "distance of the closure's peak from SGD's"})
    return record.assign(_curves(p)).assign_attrs(xi_long=p.xi_long, xi_short=p.xi_short)


def _closure_ends(record: xr.Dataset, sources: tuple[Source, Source], gain: np.ndarray) -> np.ndarray:
    """Where the closure flow dw/dt = f(w)/2 - (C0 + C1) w/4 ends, all runs as one system: (order, gain, seed, position)."""
    starts = record.fields.isel(step=0, unit=0).values
    cov1, cov0 = (source.covariance() for source in sources)
    velocity, times = jax.vmap(closure.velocity), [0.0, float(record.time[-1])]
    path = flow(lambda w: velocity(w, cov1, cov0, gain), starts.reshape(-1, starts.shape[-1]), times, rtol=1e-6, atol=1e-9)
    return path.fields.values[0, -1].reshape(starts.shape)


def _curves(p: Settings) -> dict[str, Any]:
    """The amplifier and its expansion at each gain, and the excess kurtosis, there and on a finer grid."""
    a, fine = np.linspace(0.0, 1.0, 101), np.logspace(-2, 2, 81)
    gains = np.asarray(p.gains)
    kurtosis = np.array([float(nlgp.excess_kurtosis(g)) for g in gains])
    both = ("gain", "correlation")
    return {
        "correlation": ("correlation", a, {"long_name": "correlation of a site with the gate's input"}),
        "fine_gain": ("fine_gain", fine),
        "amplifier": (both, closure.amplifier(a, gains[:, None]), {"long_name": "mean of the site behind the open gate"}),
        "expansion": (both, closure.expansion(a, kurtosis[:, None]), {"long_name": "amplifier for weak correlation"}),
        "kurtosis": ("gain", kurtosis, {"long_name": "excess kurtosis"}),
        "fine_kurtosis": ("fine_gain", [float(nlgp.excess_kurtosis(g)) for g in fine], {"long_name": "excess kurtosis"}),
    }
