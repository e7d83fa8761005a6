"""Fixed random gates: how the spectrum of the tangent kernel and the speed of training go with depth and width."""

from typing import Annotated, Any

import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float
from pydantic import Field

from gatefield.core.grid import Grid
from gatefield.experiments.deep.networks import Case, descend, draw, random_gates, ratio, recorded, recursion
from gatefield.kernels import cosine_normalised, tangent_kernel
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Depths, Rate, Seed, Several, Widths

NOTHING = 1e-9
"""Eigenvalues below this part of the largest are rounding, which is near 1e-13 of it."""


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
    trained = xr.concat([xr.concat([_trained(p, bench, w, d) for d in kept], "trained_depth") for w in p.widths], "width")
    axes = {"width": list(p.widths), "depth": list(p.depths), "trained_depth": list(kept)}
    record = xr.merge([spectra, trained]).assign_coords(axes)
    record.attrs.update(samples=p.samples, mu=p.mu, rate=p.rate)
    return record


def _case(p: Settings, width: int, depth: int, run: int) -> Case:
    """One run: the same for the recursion and for gradient descent."""
    rng = np.random.default_rng([p.seed, width, depth, run])
    weights = draw(rng, "signs", (p.mu * width) ** -0.5, depth, width)
    gates = random_gates(rng, p.mu, depth, p.samples, width)
    return Case(weights, gates, np.ones((p.samples, 1)), rng.uniform(-1, 1, p.samples))


def _spectra(p: Settings, width: int, depth: int) -> xr.Dataset:
    """Spectrum of K/d over the runs, two of its entries, and the errors by the linear recursion."""
    cases = (_case(p, width, depth, run) for run in range(p.runs))
    values, ratios, cosine, entries = map(np.array, zip(*(_spectrum(p, case, depth) for case in cases), strict=True))
    sums = np.cumsum(values, 1)
    return xr.Dataset(
        {
            "smallest": ("run", values[:, 0], {"long_name": "smallest eigenvalue of K/d"}),
            "largest": ("run", values[:, -1], {"long_name": "largest eigenvalue of K/d"}),
            "rank": ("run", (values > NOTHING * values[:, -1:]).sum(1), {"long_name": "eigenvalues above 1e-9 of the largest"}),
            "half_sum": ("run", sums[:, p.samples // 2 - 1], {"long_name": "sum of the smaller half of the eigenvalues"}),
            "sums": ("k", sums.mean(0), {"long_name": "sum of the k smallest eigenvalues, mean over runs"}),
            "relative_sums": (
                "k",
                (sums / values[:, -1:]).mean(0),
                {"long_name": "sum of the k smallest eigenvalues over the largest eigenvalue, mean over runs"},
            ),
            "scaled_smallest": ("run", cosine[:, 0], {"long_name": "smallest eigenvalue of K with unit diagonal"}),
            "scaled_largest": ("run", cosine[:, -1], {"long_name": "largest eigenvalue of K with unit diagonal"}),
            "diagonal": ("run", entries[:, 0], {"long_name": "K(1,1)/d"}),
            "beside": ("run", entries[:, 1], {"long_name": "K(1,2)/d"}),
            "recursion": (("run", "step"), ratios, {"long_name": "|e_t|/|e_0| with K fixed"}),
        },
        {"k": np.arange(1, p.samples + 1), "step": recorded(p.steps, p.record_every)},
    )


def _spectrum(p: Settings, case: Case, depth: int) -> tuple[np.ndarray, ...]:
    """Eigenvalues of K/d, errors by the recursion, eigenvalues with unit diagonal, and the first two entries of K/d."""
    kernel = case.kernel() / depth
    found = recursion(kernel, case.error(), p.rate, recorded(p.steps, p.record_every))
    return *found, np.linalg.eigvalsh(cosine_normalised(kernel)), kernel[0, :2]


def _trained(p: Settings, bench: Bench, width: int, depth: int) -> xr.Dataset:
    """Errors by gradient descent, and how much the kernel's trace has grown at its end."""
    part = descend(
        bench,
        f"w={width}-d={depth}",
        [_case(p, width, depth, run) for run in range(p.trained_runs)],
        p.rate,
        steps=p.steps,
        record_every=p.record_every,
        runs=Grid(trained_run=p.trained_runs),
        observe={"trace": ((), _trace)},
        keep_network=False,
    ).record
    growth = part.trace.isel(step=-1, drop=True) / part.trace.isel(step=0, drop=True)
    named = {"descent": (ratio(part.loss), "|e_t|/|e_0| by gradient descent"),
             "growth": (growth, "trace of K after training over that before")}  # fmt: skip
    return xr.Dataset({name: (a.dims, a.values.astype(float), {"long_name": text}) for name, (a, text) in named.items()})


def _trace(net: Any) -> Float[Array, ""]:
    return jnp.trace(jnp.asarray(tangent_kernel(net, jnp.ones((net.samples, 1)))))
