"""One neuron along the gain axis, and what theory says of its end."""

import numpy as np
import xarray as xr

from gatefield.core.grid import Grid
from gatefield.data import Gaussian, NonlinearGP, Source, Task
from gatefield.experiments.by_seed import gaussian_ends, train_by_seed
from gatefield.experiments.fields.training import PACE, Boundary, Conditions, Loss, Optimizer, Readout, Start
from gatefield.experiments.orders import ORDERS, length_scales, sources
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.measures import ipr
from gatefield.theory import nlgp


class Settings(Parameters):
    """One neuron for each order of the length scales, gain and seed; the same starts at every gain.

    The last six are those that `conditions` changes one by one; other optimisers and losses need other learning rates.
    """

    n: Count = 40
    xi_long: LengthScale = 2.0
    xi_short: LengthScale = 1.0
    gains: Gains = (0.01, 0.3, 0.6, 1.0, 1.7, 3.0, 10.0, float("inf"))
    learning_rate: Rate = 0.05
    batch_size: Count = 1_000
    steps: Count = 4_000
    record_every: Count = 100
    seeds: Count = 16
    seed: Seed = 0
    boundary: Boundary = "ring"
    init: Start = "xavier"
    readout: Readout = "mean"
    output_bias: bool = False
    loss: Loss = "mse"
    optimizer: Optimizer = "sgd"


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    grid = Grid(order=ORDERS, gain=p.gains, seed=p.seeds)
    classes, how = sources(grid, p, boundary=p.boundary), Conditions.of(p)
    record = train_by_seed(bench, "sgd", Task(*classes), grid, p, net=how.net, training=how.training)
    record = record.assign_attrs(length_scales=[p.xi_long, p.xi_short], **how.attrs)
    record["ipr"] = ipr(record.fields)
    record["flow_ipr"] = (("order", "gain", "seed"), _flow_ipr(record, classes, how), {"long_name": "IPR of the Gaussian flow"})
    bumps = [[_bump_ipr(p, xi1, xi0, gain) for gain in p.gains] for xi1, xi0 in length_scales(p)]
    record["bump_ipr"] = (("order", "gain"), bumps)
    return record


def _flow_ipr(record: xr.Dataset, classes: tuple[Source, Source], how: Conditions) -> np.ndarray:
    """IPR at the end of the Gaussian flow, in the time of the training; NaN where that has no such flow."""
    if not how.has_flow():
        return np.full([record.sizes[name] for name in ("order", "gain", "seed")], np.nan)
    return np.asarray(ipr(gaussian_ends(record.assign_coords(time=PACE[how.optimizer] * record.time), classes)))


def _bump_ipr(p: Settings, xi1: float, xi0: float, gain: float) -> float:
    """IPR of the least-squares field 2 (S0 + S1)^-1 f(e_i) behind the fixed gate 1(x_i > 0), i in the middle of a line."""
    total = sum(np.asarray(NonlinearGP(p.n, xi, gain, boundary=p.boundary).covariance()) for xi in (xi1, xi0))
    row = Gaussian(p.n, xi1, boundary=p.boundary).covariance()[0 if p.boundary == "ring" else p.n // 2]
    return float(ipr(np.linalg.solve(total, nlgp.half_gate_mean(row, gain))))
