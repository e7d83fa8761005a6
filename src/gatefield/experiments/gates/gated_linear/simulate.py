"""Gated linear networks trained by SGD, beside their exact solution."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from scipy.integrate import solve_ivp

from gatefield.core.grid import Grid
from gatefield.data import Task
from gatefield.dynamics import flow
from gatefield.experiments.distance import relative_distance
from gatefield.experiments.gates.gated_linear.verdicts import BATCH
from gatefield.experiments.orders import squashed_task
from gatefield.gates import Gate, GateSet, HalfSpace, Moving, Open, Scheduled, Shut, bump, delta, fourier_mode, half_spaces
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.nets import GatedLinear
from gatefield.theory import gated_linear, relu

PAIRS = ("general", "exclusive", "redundant")
CASES = ("single", *PAIRS, "scheduled", "moving")
MOMENTS = 1
"""The key of `seed + 1` draws the samples for moments; the key of `seed` starts and trains."""


class Settings(Parameters):
    """Data as in the notes; `samples` are drawn for moments that have no closed form."""

    n: Count = 40
    xi1: LengthScale = 2.0
    xi0: LengthScale = 1.0
    gains: Gains = (0.0, 3.0)
    learning_rate: Rate = 0.01
    steps: Count = 4_000
    batch_size: Count = BATCH
    record_every: Count = 50
    samples: Count = 2_000_000
    seeds: Count = 4
    seed: Seed = 0


class Run(NamedTuple):
    """One case: fields by SGD, exactly and as printed (gain, seed, step, unit, position); losses (gain, seed, step)."""

    time: np.ndarray
    trained: np.ndarray
    exact: np.ndarray
    printed: np.ndarray
    loss: np.ndarray
    exact_loss: np.ndarray
    ode: float = 0.0
    """How far the exact path is from that of an ODE solver."""


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    runs = [_single(p, bench), *_pairs(p, bench), _scheduled(p, bench), _moving(p, bench)]
    parts = [_part(p, case, run) for case, run in zip(CASES, runs, strict=True)]
    record = xr.concat(parts, "case", join="outer", coords="minimal", compat="override")
    attrs = {"kind": "training", "batch_size": p.batch_size, "learning_rate": p.learning_rate, "steps": p.steps}
    attrs |= {"xi1": p.xi1, "xi0": p.xi0}
    return record.assign_coords(case=list(CASES), gain=list(p.gains)).assign_attrs(attrs)


def _train(p: Settings, bench: Bench, part: str, gates: GateSet | Sequence[Gate], task: Task, grid: Grid) -> xr.Dataset:
    """All runs of a grid; starts depend on the seed alone."""
    net_key, train_key = jax.random.split(jax.random.fold_in(jax.random.key(p.seed), CASES.index(part)))
    return bench.train(
        part,
        GatedLinear(p.n, gates, key=grid.share(jax.random.split(net_key, p.seeds), over="seed")),
        task,
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate,
        record_every=p.record_every,
        key=jax.random.split(train_key, len(grid)),
        runs=grid,
    ).record


def _single(p: Settings, bench: Bench) -> Run:
    """A gate on one site, at all gains."""
    gates, grid = GateSet([delta(p.n, p.n // 2)]), Grid(gain=p.gains, seed=p.seeds)
    return solved(p, _train(p, bench, "single", gates, squashed_task(p, grid.gain), grid), gates)


def _pairs(p: Settings, bench: Bench) -> list[Run]:
    """Crossing, opposite and equal gates, at all gains, in one training; all but the crossing pair have closed moments."""
    site, wide = np.asarray(delta(p.n, p.n // 2).direction), np.asarray(bump(p.n, p.n // 4, 2.0).direction)
    pairs = np.array([[site, wide], [site, -site], [site, site]])
    grid = Grid(case=PAIRS, gain=p.gains, seed=p.seeds)
    gates = [HalfSpace(grid.share(pairs[:, unit], over="case")) for unit in (0, 1)]
    record = _train(p, bench, "general", gates, squashed_task(p, grid.gain), grid)
    return [solved(p, record.isel(case=i), half_spaces(pair)) for i, pair in enumerate(pairs)]


def solved(p: Settings, record: xr.Dataset, gates: GateSet) -> Run:
    """The exact paths from the same starts, and as printed, for gates that stay."""
    time, trained = record.time.values, record.fields.values
    exact, printed = np.zeros(trained.shape), np.zeros(trained.shape)
    loss, exact_loss = np.zeros(trained.shape[:3]), np.zeros(trained.shape[:3])
    K, off = gates.K, 0.0
    for g, gain in enumerate(p.gains):
        key = jax.random.key(p.seed + MOMENTS)
        A, b, power = gated_linear.statistics(gates, squashed_task(p, gain), key=key, samples=p.samples)
        for s in range(p.seeds):
            w0, shape = trained[g, s, 0].astype(float).ravel(), trained[g, s].shape
            exact[g, s] = np.reshape(gated_linear.solve(A, b, w0, time, K), shape)
            printed[g, s] = np.reshape(gated_linear.solve(K * A, b, w0, time, K), shape)
            loss[g, s] = _loss(trained[g, s], (A, b, power))
            exact_loss[g, s] = gated_linear.loss_path(A, b, w0, time, K, power)
        off = max(off, float(relative_distance(_integrated(A, b, exact[g, 0, 0], time), exact[g, 0]).max()))
    return Run(time, trained, exact, printed, loss, exact_loss, off)


def _integrated(A: np.ndarray, b: np.ndarray, w0: np.ndarray, time: np.ndarray) -> np.ndarray:
    """The path by a Runge-Kutta method of order 8."""
    K = len(w0)
    path = solve_ivp(lambda t, w: (b - A @ w / K) / K, (time[0], time[-1]), w0.ravel(), "DOP853", time, rtol=1e-12, atol=1e-14)
    return path.y.T.reshape(len(time), *w0.shape)


def _scheduled(p: Settings, bench: Bench) -> Run:
    """At first one unit is shut and one open; half way they become a pair of opposite gates. Gaussian data."""
    flat = np.asarray(fourier_mode(p.n, 0).direction)
    half = p.learning_rate * p.steps / 2
    early, late = [Shut(), Open()], [HalfSpace(flat), HalfSpace(-flat)]
    gates = [Scheduled([0.0, half], list(pair)) for pair in zip(early, late, strict=True)]
    record = _train(p, bench, "scheduled", gates, squashed_task(p, 0.0), Grid(seed=p.seeds))
    trained, time = record.fields.values[None], record.time.values
    moments = [gated_linear.statistics(GateSet(g), squashed_task(p, 0.0)) for g in (early, late)]
    pieces = [(start, A, b) for start, (A, b, _) in zip((0.0, half), moments, strict=True)]
    starts = trained[0, :, 0].astype(float).reshape(p.seeds, -1)
    exact = np.stack([gated_linear.solve_pieces(pieces, w0, time, 2) for w0 in starts]).reshape(trained.shape)
    loss, exact_loss = (np.where(time < half, *(_loss(w, moment) for moment in moments)) for w in (trained, exact))
    return Run(time, trained, exact, exact, loss, exact_loss)


def _moving(p: Settings, bench: Bench) -> Run:
    """A wave as gate that goes once around the ring. Gaussian data; the flow has the moments of each moment."""
    end, sites = p.learning_rate * p.steps, np.arange(p.n)

    def direction(time: Any) -> Any:
        return jnp.cos(2 * jnp.pi * (jnp.asarray(sites / p.n) - time / end))

    task = squashed_task(p, 0.0)
    record = _train(p, bench, "moving", [Moving(direction)], task, Grid(seed=p.seeds))
    cov1, cov0 = task.positive.covariance(), task.negative.covariance()
    A = (cov1 + cov0) / 4

    def b(time: Any) -> Any:
        return relu.gate_mean(direction(time), cov1) / 2

    def velocity(w: Any, time: Any) -> Any:
        return gated_linear.velocity(w, A, b(time))

    trained, time = record.fields.values[None], record.time.values
    exact = flow(velocity, trained[0, :, 0].astype(float), time, timed=True).fields.values[None]
    loss, exact_loss = (
        np.stack([_loss(w[:, :, i], (A, b(t), 0.5)) for i, t in enumerate(time)], axis=-1) for w in (trained, exact)
    )
    return Run(time, trained, exact, exact, loss, exact_loss)


def _loss(w: np.ndarray, moments: tuple[Any, Any, float]) -> np.ndarray:
    """The exact loss of fields (..., unit, position)."""
    A, b, power = moments
    return np.asarray(gated_linear.loss(A, b, w.reshape(*w.shape[:-2], -1).astype(float), w.shape[-2], power))


def _part(p: Settings, case: str, run: Run) -> xr.Dataset:
    """The record of one case; those on Gaussian data alone stand at the first gain."""
    lead, field = ("gain", "seed", "step"), ("gain", "unit", "position")
    data = {
        "distance": (lead, relative_distance(run.trained, run.exact), {"long_name": "|w - w_exact| / |w_exact|"}),
        "printed_distance": (lead, relative_distance(run.printed, run.exact), {"long_name": "of the printed solution"}),
        "loss": (lead, run.loss, {"long_name": "exact loss of the trained weights"}),
        "exact_loss": (lead, run.exact_loss, {"long_name": "exact loss on the exact path"}),
        "loss_distance": (lead, np.abs(run.loss - run.exact_loss) / run.exact_loss[..., :1]),
        "final": (field, run.trained[:, 0, -1], {"long_name": "final weights by SGD, first seed"}),
        "exact_final": (field, run.exact[:, 0, -1], {"long_name": "exact final weights, first seed"}),
        "ode_distance": ((), run.ode, {"long_name": "largest distance from an ODE solver"}),
        "kept": ((), _moved(run.trained) if case == "redundant" else 0.0, {"long_name": "change of w1 - w2"}),
    }
    coords = {
        "gain": list(p.gains)[: len(run.trained)],
        "step": np.arange(len(run.time)),
        "time": ("step", run.time, {"units": "tau"}),
        "unit": np.arange(run.trained.shape[3]),
    }
    return xr.Dataset(data, coords)


def _moved(fields: np.ndarray) -> float:
    """The largest change of the difference of two units along a path, as a share of it."""
    difference = fields[..., 0, :] - fields[..., 1, :]
    change = np.linalg.norm(difference - difference[..., :1, :], axis=-1)
    return float((change / np.linalg.norm(difference, axis=-1)).max())
