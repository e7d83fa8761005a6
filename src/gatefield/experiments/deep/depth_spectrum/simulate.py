"""Fixed random gates: how the spectrum of the tangent kernel and the speed of training go with depth and width."""

from typing import Annotated, Any

import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.experiments.deep import descent as deep
from gatefield.kernels import cosine_normalised, ntk
from gatefield.lab.bench import Bench
from gatefield.lab.experiment import Parameters
from gatefield.lab.kinds import Count, Depths, Rate, Seed, Several, Widths


class Settings(Parameters):
    """`samples` all equal to 1, with labels from U(-1, 1), gates open with probability `mu`, weights +-1/sqrt(mu w).

    For each of `widths` and `depths`: `runs` kernels and recursions; at `trained_depths` the first `trained_runs` are trained.
    """

    samples: Count = 200
    widths: Widths = (25, 100, 500)
    depths: Depths = tuple(range(2, 21))
    trained_depths: Depths = (2, 4, 6, 8, 12, 16, 20)
    mu: Annotated[float, Field(gt=0, lt=1)] = 0.5
    runs: Several = 20
    trained_runs: Several = 5
    rate: Rate = 0.1
    steps: Count = 500
    record_every: Count = 5
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    kept = tuple(d for d in p.trained_depths if d in p.depths)
    spectra = xr.concat([xr.concat([_spectra(p, w, d) for d in p.depths], "depth") for w in p.widths], "width")
    trained = xr.concat([xr.concat([_trained(p, w, d) for d in kept], "trained_depth") for w in p.widths], "width")
    axes = {"width": list(p.widths), "depth": list(p.depths), "trained_depth": list(kept), "step": _steps(p)}
    record = xr.merge([spectra, trained]).assign_coords(axes)
    record.attrs.update(samples=p.samples, mu=p.mu, rate=p.rate)
    return record


def _steps(p: Settings) -> np.ndarray:
    return np.arange(p.steps // p.record_every + 1) * p.record_every


def _case(p: Settings, width: int, depth: int, run: int) -> tuple[deep.Layers, np.ndarray, np.ndarray]:
    """Weights, gates and labels of one run: the same for the recursion and for gradient descent."""
    rng = np.random.default_rng([p.seed, width, depth, run])
    layers = deep.draw(rng, "signs", (p.mu * width) ** -0.5, depth, width)
    gates = deep.random_gates(rng, p.mu, depth, p.samples, width)
    return layers, gates, rng.uniform(-1, 1, p.samples)


def _kernel(p: Settings, layers: deep.Layers, gates: np.ndarray) -> np.ndarray:
    return np.asarray(ntk(layers.listed(), list(gates), np.ones((p.samples, 1))))


def _spectra(p: Settings, width: int, depth: int) -> xr.Dataset:
    """Spectrum of K/d over the runs, two of its entries, and the errors by the linear recursion."""
    rows: dict[str, list[Any]] = {name: [] for name in ("values", "ratio", "cosine", "diagonal", "beside")}
    for run in range(p.runs):
        layers, gates, y = _case(p, width, depth, run)
        kernel = _kernel(p, layers, gates) / depth
        error = deep.outputs(layers, gates, np.ones((p.samples, 1))) - y
        values, ratio = deep.recursion(kernel, error, p.rate, _steps(p))
        found = (values, ratio, np.linalg.eigvalsh(cosine_normalised(kernel))[[0, -1]], kernel[0, 0], kernel[0, 1])
        for name, item in zip(rows, found, strict=True):
            rows[name].append(item)
    values, cosine = np.array(rows["values"]), np.array(rows["cosine"])
    sums = np.cumsum(values, 1)
    return xr.Dataset(
        {
            "smallest": ("run", values[:, 0], {"long_name": "smallest eigenvalue of K/d"}),
            "largest": ("run", values[:, -1], {"long_name": "largest eigenvalue of K/d"}),
            "rank": ("run", (values > 1e-9 * values[:, -1:]).sum(1), {"long_name": "eigenvalues above 1e-9 of the largest"}),
            "half_sum": ("run", sums[:, p.samples // 2 - 1], {"long_name": "sum of the smaller half of the eigenvalues"}),
            "sums": ("k", sums.mean(0), {"long_name": "sum of the k smallest eigenvalues, mean over runs"}),
            "scaled_smallest": ("run", cosine[:, 0], {"long_name": "smallest eigenvalue of K with unit diagonal"}),
            "scaled_largest": ("run", cosine[:, 1], {"long_name": "largest eigenvalue of K with unit diagonal"}),
            "diagonal": ("run", rows["diagonal"], {"long_name": "K(1,1)/d"}),
            "beside": ("run", rows["beside"], {"long_name": "K(1,2)/d"}),
            "recursion": (("run", "step"), rows["ratio"], {"long_name": "|e_t|/|e_0| with K fixed"}),
        },
        {"k": np.arange(1, p.samples + 1)},
    )


def _trained(p: Settings, width: int, depth: int) -> xr.Dataset:
    """Errors by gradient descent in float32, and how much the kernel's trace has grown at its end."""
    cases = [_case(p, width, depth, run) for run in range(p.trained_runs)]
    layers, gates, y = (deep.stacked(part) for part in zip(*cases, strict=True))
    kernels = [_kernel(p, one, open_) for one, open_, _ in cases]
    ended = deep.descend(
        deep.Layers(*(w.astype(np.float32) for w in layers)),
        np.ones((p.trained_runs, p.samples, 1)),
        y,
        np.array([p.rate / np.linalg.eigvalsh(kernel)[-1] for kernel in kernels]),
        gates=gates,
        steps=p.steps,
        record_every=p.record_every,
    )
    after = [_kernel(p, deep.Layers(*(w[i].astype(float) for w in ended.layers)), gates[i]) for i in range(p.trained_runs)]
    growth = [np.trace(late) / np.trace(early) for late, early in zip(after, kernels, strict=True)]
    return xr.Dataset(
        {
            "descent": (("trained_run", "step"), ended.ratio, {"long_name": "|e_t|/|e_0| by gradient descent"}),
            "growth": ("trained_run", growth, {"long_name": "trace of K after training over that before"}),
        }
    )
