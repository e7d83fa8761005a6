"""GaLU and ReLU networks on random points of a square: spectrum and speed of training against depth."""

import itertools
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.grid import Grid
from gatefield.experiments.deep.networks import LAWS, Case, descend, draw, own_gates, ratio, recorded, recursion
from gatefield.kernels import cosine_normalised, wide_galu_ntk, wide_relu_ntk
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Depths, Rate, Seed, Several

NETS = ("GaLU", "ReLU")
FIRST = {"signs": tuple(itertools.product((1.0, -1.0), repeat=2)), "gaussian": None}
"""Weights of the first layer, over sigma, for theory: four choices, or normal."""
NOTHING = 1e-9
"""Eigenvalues below this part of the largest are rounding, which is near 1e-13 of it."""


class Settings(Parameters):
    """`samples` inputs from U([-1, 1]^2), labels from U(-1, 1), weights of standard deviation sqrt(2/w) by both laws.

    The gating network of GaLU has the same law and its own draws. `runs` kernels and recursions at each depth, of which the
    first `trained_runs` are also trained.
    """

    samples: Several = 100
    width: Count = 100
    depths: Depths = (2, 4, 8, 12, 20)
    runs: Several = 20
    trained_runs: Several = 5
    rate: Rate = 0.1
    steps: Count = 300
    record_every: Count = 5
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    found = [
        xr.concat([xr.concat([_spectra(p, net, law, d) for d in p.depths], "depth") for law in LAWS], "law") for net in NETS
    ]
    trained = [xr.concat([_trained(p, bench, net, d) for d in p.depths], "depth") for net in NETS]
    record = xr.merge([xr.concat(found, "net"), xr.concat(trained, "net")])
    record.attrs.update(samples=p.samples, width=p.width, rate=p.rate)
    return record.assign_coords(net=list(NETS), law=list(LAWS), depth=list(p.depths))


def _case(p: Settings, net: str, law: str, depth: int, run: Any) -> Case:
    """One run; data and weights are those of both kinds of network."""
    rng = np.random.default_rng([p.seed, depth, run, tuple(LAWS).index(law)])
    x, y = rng.uniform(-1, 1, (p.samples, 2)), rng.uniform(-1, 1, p.samples)
    weights, gating = (draw(rng, law, (2 / p.width) ** 0.5, depth, p.width, 2) for _ in range(2))
    return Case(weights, own_gates(gating if net == "GaLU" else weights, x), x, y)


def _spectra(p: Settings, net: str, law: str, depth: int) -> xr.Dataset:
    """Spectra over the runs and errors by the linear recursion."""
    steps, cases = recorded(p.steps, p.record_every), [_case(p, net, law, depth, run) for run in range(p.runs)]
    kernels, limits = [case.kernel() for case in cases], [_wide(p, net, law, depth, case.x) for case in cases]
    found = [recursion(K, case.error(), p.rate, steps) for K, case in zip(kernels, cases, strict=True)]
    spectra, ratios = map(np.array, zip(*found, strict=True))
    values, ideal = (np.maximum(one, 0.0) for one in (spectra, np.linalg.eigvalsh(limits)))
    return xr.Dataset(
        {
            "rank": ("run", (values > NOTHING * values[:, -1:]).sum(1), {"long_name": "eigenvalues above 1e-9 of the largest"}),
            "spread": ("run", values.sum(1) / values[:, -1], {"long_name": "trace of K over its largest eigenvalue"}),
            "sums": ("k", _shares(values), {"long_name": "share of the k smallest eigenvalues"}),
            "plain_sums": (
                "k",
                np.cumsum(values, 1).mean(0),
                {"long_name": "sum of the k smallest eigenvalues of K, mean over runs"},
            ),
            "recursion": (("run", "step"), ratios, {"long_name": "|e_t|/|e_0| with K fixed"}),
            "likeness": ("run", _likeness(kernels), {"long_name": "mean cosine of two samples in K"}),
            "spread_wide": ("run", ideal.sum(1) / ideal[:, -1], {"long_name": "trace over largest eigenvalue, wide limit"}),
            "sums_wide": ("k", _shares(ideal), {"long_name": "share of the k smallest eigenvalues, wide limit"}),
            "likeness_wide": ("run", _likeness(limits), {"long_name": "mean cosine of two samples in K, wide limit"}),
        },
        {"k": np.arange(1, p.samples + 1), "step": steps},
    )


def _wide(p: Settings, net: str, law: str, depth: int, x: np.ndarray) -> np.ndarray:
    """The kernel of such a network in the limit of large width, on the same inputs."""
    kernel = {"GaLU": wide_galu_ntk, "ReLU": wide_relu_ntk}[net]
    return np.asarray(kernel(x, depth, p.width, (2 / p.width) ** 0.5, first=FIRST[law]))


def _shares(values: np.ndarray) -> np.ndarray:
    """Mean over runs of the share that the k smallest eigenvalues have in the trace."""
    return np.cumsum(values / values.sum(1, keepdims=True), 1).mean(0)


def _likeness(kernels: list[np.ndarray]) -> np.ndarray:
    """Mean cosine of two different samples, in each kernel."""
    cosines = np.asarray(cosine_normalised(np.stack(kernels)))
    pairs = cosines.shape[1] * (cosines.shape[1] - 1)
    return (cosines.sum((1, 2)) - np.trace(cosines, axis1=1, axis2=2)) / pairs


def _trained(p: Settings, bench: Bench, net: str, depth: int) -> xr.Dataset:
    """Errors by gradient descent, all laws and runs at once."""
    runs = Grid(law=list(LAWS), trained_run=p.trained_runs)
    part = descend(
        bench,
        f"{net}-d={depth}",
        [_case(p, net, law, depth, run) for law, run in zip(runs.law, runs.trained_run, strict=True)],
        p.rate,
        gating="free" if net == "GaLU" else "relu",  # GaLU's gates come from a frozen network, so that they stay
        steps=p.steps,
        record_every=p.record_every,
        runs=runs,
        keep_network=False,
    ).record
    errors = ratio(part.loss)
    return xr.Dataset({"descent": (errors.dims, errors.values.astype(float), {"long_name": "|e_t|/|e_0| by gradient descent"})})
