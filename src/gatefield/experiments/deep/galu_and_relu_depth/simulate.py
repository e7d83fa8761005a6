"""GaLU and ReLU networks on random points of a square: spectrum and speed of training against depth."""

from typing import Any

import numpy as np
import xarray as xr

from gatefield.experiments.deep import descent as deep
from gatefield.kernels import ntk
from gatefield.lab.bench import Bench
from gatefield.lab.experiment import Parameters
from gatefield.lab.kinds import Count, Depths, Rate, Seed, Several

NETS = ("GaLU", "ReLU")


class Settings(Parameters):
    """`samples` inputs from U([-1, 1]^2), labels from U(-1, 1), weights of standard deviation sqrt(2/w) by both laws.

    The gating network of GaLU has the same law and its own draws. `runs` kernels and recursions at each depth, of which the
    first `trained_runs` are also trained.
    """

    samples: Count = 100
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
    laws = tuple(deep.LAWS)
    found = [xr.concat([_one_depth(p, net, law, d) for d in p.depths], "depth") for net in NETS for law in laws]
    trained = [xr.concat([_trained(p, net, laws, d) for d in p.depths], "depth") for net in NETS]
    rows = [xr.concat(found[at : at + len(laws)], "law") for at in range(0, len(found), len(laws))]
    record = xr.merge([xr.concat(rows, "net"), xr.concat(trained, "net")])
    record.attrs.update(samples=p.samples, width=p.width, rate=p.rate)
    return record.assign_coords(net=list(NETS), law=list(laws), depth=list(p.depths), step=_steps(p))


def _steps(p: Settings) -> np.ndarray:
    return np.arange(p.steps // p.record_every + 1) * p.record_every


def _case(p: Settings, net: str, law: str, depth: int, run: int) -> tuple[deep.Layers, np.ndarray, np.ndarray, np.ndarray]:
    """Weights, gates before training, inputs and labels of one run; data and weights are those of both kinds of network."""
    rng = np.random.default_rng([p.seed, depth, run, tuple(deep.LAWS).index(law)])
    x, y = rng.uniform(-1, 1, (p.samples, 2)), rng.uniform(-1, 1, p.samples)
    layers, gating = (deep.draw(rng, law, (2 / p.width) ** 0.5, depth, p.width, 2) for _ in range(2))
    return layers, deep.own_gates(gating if net == "GaLU" else layers, x), x, y


def _one_depth(p: Settings, net: str, law: str, depth: int) -> xr.Dataset:
    """Spectra over the runs and errors by the linear recursion."""
    spectra, ratios = [], []
    for run in range(p.runs):
        layers, gates, x, y = _case(p, net, law, depth, run)
        kernel = np.asarray(ntk(layers.listed(), list(gates), x))
        values, ratio = deep.recursion(kernel, deep.outputs(layers, gates, x) - y, p.rate, _steps(p))
        spectra.append(np.maximum(values, 0.0))
        ratios.append(ratio)
    values = np.array(spectra)
    total = values.sum(1, keepdims=True)
    return xr.Dataset(
        {
            "rank": ("run", (values > 1e-9 * values[:, -1:]).sum(1), {"long_name": "eigenvalues above 1e-9 of the largest"}),
            "spread": ("run", total[:, 0] / values[:, -1], {"long_name": "trace of K over its largest eigenvalue"}),
            "sums": ("k", np.cumsum(values / total, 1).mean(0), {"long_name": "share of the k smallest eigenvalues"}),
            "recursion": (("run", "step"), np.array(ratios), {"long_name": "|e_t|/|e_0| with K fixed"}),
        },
        {"k": np.arange(1, p.samples + 1)},
    )


def _trained(p: Settings, net: str, laws: tuple[str, ...], depth: int) -> xr.Dataset:
    """Errors by gradient descent in float32, all laws and runs at once."""
    cases = [_case(p, net, law, depth, run) for law in laws for run in range(p.trained_runs)]
    layers, gates, x, y = (deep.stacked(part) for part in zip(*cases, strict=True))
    largest = [np.linalg.eigvalsh(ntk(one.listed(), list(open_), at))[-1] for one, open_, at, _ in cases]
    settings: dict[str, Any] = {"steps": p.steps, "record_every": p.record_every, "gates": gates if net == "GaLU" else None}
    ended = deep.descend(deep.Layers(*(w.astype(np.float32) for w in layers)), x, y, p.rate / np.array(largest), **settings)
    ratio = ended.ratio.reshape(len(laws), p.trained_runs, -1)
    return xr.Dataset({"descent": (("law", "trained_run", "step"), ratio, {"long_name": "|e_t|/|e_0| by gradient descent"})})
