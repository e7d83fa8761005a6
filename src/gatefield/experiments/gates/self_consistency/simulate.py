"""Which gates lead to a field that has those very gates?"""

import functools
from typing import Any

import jax
import numpy as np
import xarray as xr

from gatefield import gates
from gatefield.core.grid import Grid
from gatefield.data import NonlinearGP, Task, fourier_basis
from gatefield.experiments.gates.self_consistency.verdicts import SAME
from gatefield.experiments.nearly_gaussian import GAUSSIAN, class_at
from gatefield.experiments.orders import ORDERS, length_scales, sources
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.measures import circular_distance, cosine, groups, ipr, peak_position, shifted_cosine
from gatefield.nets import Committee
from gatefield.theory.classes import EmpiricalClass, GaussianClass
from gatefield.theory.neuron import GatePath, gate_flow, gate_map, iterate_gate_map

NOISE = 1e-3
"""Every start carries this much noise, relative to its length, so that none stays on an unstable fixed point."""
KICK = 0.1
"""How far the end states are pushed, relative to their length, to see whether they are stable."""
STEP = 1.0
"""Step of the flow in tau; exponential Euler steps, which are exact for fixed gates."""


class Settings(Parameters):
    """One neuron for each order of the length scales and each gain; `samples` inputs of the positive class stand for its law.

    `iterations` bounds the map on a sample, `gaussian_iterations` the map in closed form.
    """

    n: Count = 40
    xi_long: LengthScale = 2.0
    xi_short: LengthScale = 1.0
    gains: Gains = (0.01, 1.0, 3.0, float("inf"))
    starts: Count = 64
    samples: Count = 400_000
    iterations: Count = 2_000
    gaussian_iterations: Count = 20_000
    learning_rate: Rate = 0.1
    batch_size: Count = 1_000
    steps: Count = 6_000
    seeds: Count = 16
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    start_key, noise_key, train_key, sample_key = jax.random.split(jax.random.key(p.seed), 4)
    kinds, starts, noise = _starts(p, start_key, noise_key)
    sgd = _train(p, bench, starts[: min(p.seeds, p.starts)], train_key)
    trained = sgd.fields.isel(step=-1, unit=0).values.astype(float)
    parts = [
        xr.concat(
            [_study(p, xi1, xi0, gain, starts, noise, trained[i, g], sample_key) for g, gain in enumerate(p.gains)], "gain"
        )
        for i, (xi1, xi0) in enumerate(length_scales(p))
    ]
    record = xr.concat(parts, "order").assign_coords(order=list(ORDERS), gain=list(p.gains), kind=("start", kinds))
    record["multiplier_theory"], record["multiplier"] = _multipliers(p, noise)
    return record.assign_attrs(sgd.attrs, length_scales=[p.xi_long, p.xi_short], samples=p.samples)


def _starts(p: Settings, key: Any, noise_key: Any) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Random fields first, then one site, bumps and sinusoids, all of the random fields' mean length; their kinds; noise."""
    random = np.asarray(Committee(p.n, 1, key=jax.random.split(key, p.starts)).fields, float)[:, 0]
    shaped = [("site", gates.delta(p.n, p.n // 2))]
    shaped += [("bump", gates.bump(p.n, p.n // 2, width)) for width in (1.0, 2.0, 4.0)]
    frequencies = np.unique(np.round(np.linspace(0, p.n // 2, 9)).astype(int))
    shaped += [("sinusoid", gates.fourier_mode(p.n, int(k))) for k in frequencies]
    length = np.sqrt(np.mean(np.sum(random**2, axis=-1)))
    fields = np.concatenate([random, [length * np.asarray(gate.direction, float) for _, gate in shaped]])
    first, second = np.asarray(jax.random.normal(noise_key, (2, *fields.shape)), float)
    return ["random"] * p.starts + [name for name, _ in shaped], pushed(fields, NOISE, first), second


def pushed(fields: np.ndarray, size: float, noise: np.ndarray) -> np.ndarray:
    """Fields with noise of the given size relative to their length."""
    lengths = np.linalg.norm(fields, axis=-1, keepdims=True) / np.linalg.norm(noise, axis=-1, keepdims=True)
    return fields + size * lengths * noise


def _train(p: Settings, bench: Bench, starts: np.ndarray, key: Any) -> xr.Dataset:
    """SGD from the first random starts."""
    grid = Grid(order=ORDERS, gain=p.gains, seed=len(starts))
    return bench.train(
        "sgd",
        Committee(p.n, 1, init=grid.share(starts, over="seed")[:, None]),
        Task(*sources(grid, p)),
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate,
        record_every=max(1, p.steps // 4),
        key=jax.random.split(key, len(grid)),
        runs=grid,
    ).record


def _study(
    p: Settings,
    xi1: float,
    xi0: float,
    gain: float,
    starts: np.ndarray,
    noise: np.ndarray,
    trained: np.ndarray,
    key: Any,
) -> xr.Dataset:
    """End states of the map and of the flow for one law, whether they are stable, and those of SGD beside them."""
    one, other = (class_at(p.n, xi1, gain, k, p.samples) for k in jax.random.split(key))
    total = one.cov + np.asarray(NonlinearGP(p.n, xi0, gain).covariance(), float)
    steps, time = (p.gaussian_iterations if gain <= GAUSSIAN else p.iterations), p.learning_rate * p.steps
    settle = functools.partial(iterate_gate_map, steps=steps, tolerance=1e-7)
    follow = functools.partial(gate_flow, time=time, step=STEP)
    path, flowed = settle(one, total, starts), follow(one, total, starts).end
    away = pushed(path.end, KICK, noise)
    back, flowed_back = settle(other, total, away).end, follow(other, total, away).end
    values = gate_map(one, total, np.concatenate([path.end, trained, flat_limit(one, total)]))
    out = _ends(path, flowed, values.loss[: len(starts)])
    out |= {
        "map_return": ("start", cosine(path.end, back), {"long_name": "cosine with the end state after a push, map"}),
        "flow_return": ("start", cosine(path.end, flowed_back), {"long_name": "cosine with the end state after a push, flow"}),
    }
    out |= _sgd(path.end, flowed, trained, values.loss[len(starts) : -1])
    cell = np.linalg.solve(total, one.cov[:, p.n // 2])
    out["site_state"] = ("position", cell, {"long_name": "limit of the gate of one site on the hypercube"})
    out["site_margin"] = ((), 2 * np.abs(cell).max() - np.abs(cell).sum())
    out["flat_loss"] = ((), float(values.loss[-1]))
    return xr.Dataset(out)


def flat_limit(one: GaussianClass | EmpiricalClass, total: np.ndarray) -> np.ndarray:
    """The limit field behind the gate of a flat field, which is flat on a ring; on a sample, the mean over its sites."""
    n = len(total)
    return np.full((1, n), gate_map(one, total, np.ones((1, n))).limit.mean())


def _ends(path: GatePath, flowed: np.ndarray, losses: np.ndarray) -> dict[str, Any]:
    """What the map and the flow come to from the same starts."""
    ends, where = path.end, ("start", "position")
    return {
        "ends": (where, ends, {"long_name": "end states of the map"}),
        "state": ("start", groups(ends, SAME), {"long_name": "number of the end state, up to shift and sign"}),
        "ipr": ("start", ipr(ends), {"long_name": "inverse participation ratio"}),
        "loss": ("start", losses),
        "rise": ((), float(np.diff(path.loss, axis=0).max(initial=-1.0)), {"long_name": "largest rise of the loss"}),
        "iterations": ((), len(path.moved)),
        "contraction": ("start", contraction(path.moved), {"long_name": "late ratio of steps; -1 if it stops at once"}),
        "flow_ends": (where, flowed, {"long_name": "end states of the gradient flow after the time of training"}),
        "flow_match": ("start", cosine(ends, flowed), {"long_name": "cosine of map and flow from the same start"}),
    }


def contraction(moved: np.ndarray) -> np.ndarray:
    """The mean ratio of one step to the step before, over the steps from 1e-2 down to 1e-5; -1 if fewer than five are such."""
    out = np.full(moved.shape[1], -1.0)
    for i, steps in enumerate(moved.T):
        late = np.flatnonzero((steps < 1e-2) & (steps > 1e-5))
        late = late[late >= len(steps) // 2] if len(late) > 500 else late
        if len(late) >= 5:
            out[i] = (steps[late[-1]] / steps[late[0]]) ** (1 / (late[-1] - late[0]))
    return out


def _sgd(ends: np.ndarray, flowed: np.ndarray, trained: np.ndarray, losses: np.ndarray) -> dict[str, Any]:
    """The end states of SGD, and which end states of the map they resemble."""
    n, count = trained.shape[-1], len(trained)
    apart = circular_distance(peak_position(trained), peak_position(ends[:count]), n)
    return {
        "sgd": (("seed", "position"), trained, {"long_name": "end states of SGD"}),
        "sgd_loss": ("seed", losses),
        "sgd_ipr": ("seed", ipr(trained), {"long_name": "inverse participation ratio"}),
        "sgd_match": ("seed", shifted_cosine(trained[:, None], ends[None]).max(-1)),
        "sgd_same_start": ("seed", cosine(trained, ends[:count]), {"long_name": "cosine with the map from the same start"}),
        "sgd_flow": ("seed", cosine(trained, flowed[:count]), {"long_name": "cosine with the flow from the same start"}),
        "sgd_distance": ("seed", np.asarray(apart), {"units": "site", "long_name": "distance of the peaks of SGD and map"}),
    }


def _multipliers(p: Settings, noise: np.ndarray) -> tuple[xr.DataArray, xr.DataArray]:
    """By how much one iteration shrinks each mode against the winning one on Gaussian data: D_min/D_k, and as measured."""
    frequency, column = np.arange(p.n // 2 + 1), np.maximum(2 * np.arange(p.n // 2 + 1) - 1, 0)
    basis, theory, measured = np.asarray(fourier_basis(p.n), float), [], []
    for xi1, xi0 in length_scales(p):
        covs = [np.asarray(NonlinearGP(p.n, xi, 0.0).covariance(), float) for xi in (xi1, xi0)]
        lam1, lam0 = (np.diag(basis.T @ cov @ basis)[column] for cov in covs)
        ratio = 1 + lam0 / lam1
        limit = gate_map(GaussianClass(covs[0]), covs[0] + covs[1], noise).limit
        found = (limit @ basis)[0, column] / (noise @ basis)[0, column]
        theory.append(ratio.min() / ratio)
        measured.append(found / found[ratio.argmin()])
    coords = {"order": list(ORDERS), "frequency": ("frequency", frequency, {"units": "cycles per ring"})}
    theory, measured = (xr.DataArray(rows, coords, ("order", "frequency")) for rows in (theory, measured))
    return theory, measured
