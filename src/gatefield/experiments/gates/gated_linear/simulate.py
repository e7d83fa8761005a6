"""Gated linear networks trained by SGD, beside their exact solution."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from scipy.integrate import solve_ivp

from gatefield.data import NonlinearGP, Task
from gatefield.dynamics import flow
from gatefield.gates import Gate, GateSet, HalfSpace, Moving, Open, Scheduled, Shut, bump, delta, fourier_mode, half_spaces
from gatefield.lab.bench import Bench
from gatefield.lab.experiment import Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.lab.verdict import Verdict
from gatefield.nets import GatedLinear
from gatefield.theory import gated_linear, relu

PAIRS = ("general", "exclusive", "redundant")
CASES = ("single", *PAIRS, "scheduled", "moving")
BATCH, TOLERANCE = 10_000, 0.02
"""The tolerance holds at this batch size; at a smaller one it grows as one over its square root."""


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


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    parts = [_single(p, bench), *_pairs(p, bench), _scheduled(p, bench), _moving(p, bench)]
    record = xr.concat([_part(p, *part) for part in parts], "case", join="outer", coords="minimal", compat="override")
    attrs = {"kind": "training", "batch_size": p.batch_size, "learning_rate": p.learning_rate, "steps": p.steps}
    return record.assign_coords(case=[part[0] for part in parts], gain=list(p.gains)).assign_attrs(attrs)


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    allowed = TOLERANCE * max(1.0, (BATCH / record.attrs["batch_size"]) ** 0.5)
    worst = record.distance.max(("step", "seed"))
    out = []
    for case in record.case.values:
        one, curve = worst.sel(case=case), record.loss_distance.sel(case=case).max()
        measured = float(one.max())
        note = f"worst of seeds and gains, over the whole path; the loss is off by at most {float(curve):.4f} of its start"
        out.append(
            Verdict.judged(
                f"{case} gates: SGD follows the exact path", 0.0, measured, f"below {allowed:.3g}", measured < allowed, note
            )
        )
    ode = float(record.ode_distance.max())
    out.append(
        Verdict.judged(
            "the solution agrees with an ODE solver",
            0.0,
            ode,
            "below 1e-9 relative",
            ode < 1e-9,
            "general, exclusive and redundant gates, and a single one",
        )
    )
    off = float(record.printed_distance.sel(case=["general", "exclusive"]).isel(step=-1).min())
    out.append(
        Verdict.judged(
            "the printed solution, without 1/K before A, is wrong", 0.0, off, "more than 0.1 off at the end", off > 0.1
        )
    )
    kept = float(record.kept.max())
    out.append(
        Verdict.judged("redundant units keep their difference", 0.0, kept, "changes by less than 1e-4 of it", kept < 1e-4)
    )
    return out


class Run(NamedTuple):
    """One case: its fields by SGD and exactly (gain, seed, step, unit, position), and what else is known."""

    case: str
    time: np.ndarray
    trained: np.ndarray
    exact: np.ndarray
    printed: np.ndarray
    loss: np.ndarray
    exact_loss: np.ndarray
    ode: float


def _task(p: Settings, gain: Any) -> Task:
    return Task(NonlinearGP(p.n, p.xi1, gain), NonlinearGP(p.n, p.xi0, gain))


def _directions(p: Settings) -> dict[str, list[np.ndarray]]:
    """The pairs of gates; on squashed data, all but the crossing pair have closed moments."""
    site, wide = np.asarray(delta(p.n, p.n // 2).direction), np.asarray(bump(p.n, p.n // 4, 2.0).direction)
    return {"general": [site, wide], "exclusive": [site, -site], "redundant": [site, site]}


def _train(p: Settings, bench: Bench, part: str, gates: GateSet, task: Task, runs: int) -> xr.Dataset:
    net_key, train_key = jax.random.split(jax.random.fold_in(jax.random.key(p.seed), CASES.index(part.split("-")[0])))
    starts = jax.random.split(net_key, p.seeds)
    nets = GatedLinear(p.n, gates, key=jnp.tile(starts, runs // p.seeds))
    return bench.train(
        part, nets, task, steps=p.steps, batch_size=p.batch_size, learning_rate=p.learning_rate,
        record_every=p.record_every, key=jax.random.split(train_key, runs),
    ).record  # fmt: skip


def _single(p: Settings, bench: Bench) -> Run:
    """A gate on one site, at all gains."""
    gates = GateSet([delta(p.n, p.n // 2)])
    record = _train(p, bench, "single", gates, _task(p, np.repeat(p.gains, p.seeds)), len(p.gains) * p.seeds)
    return _solved(p, "single", record.fields.values.reshape(len(p.gains), p.seeds, -1, 1, p.n), record, [gates] * len(p.gains))


def _pairs(p: Settings, bench: Bench) -> list[Run]:
    """Crossing, opposite and equal gates, at all gains, in one training."""
    directions = _directions(p)
    each = len(p.gains) * p.seeds
    first, second = (np.repeat(np.stack([directions[name][unit] for name in PAIRS]), each, axis=0) for unit in (0, 1))
    task = _task(p, np.tile(np.repeat(p.gains, p.seeds), len(PAIRS)))
    record = _train(p, bench, "general", GateSet([HalfSpace(first), HalfSpace(second)]), task, len(PAIRS) * each)
    fields = record.fields.values.reshape(len(PAIRS), len(p.gains), p.seeds, -1, 2, p.n)
    return [
        _solved(p, name, fields[i], record, [half_spaces(np.stack(directions[name]))] * len(p.gains))
        for i, name in enumerate(PAIRS)
    ]


def _solved(p: Settings, case: str, trained: np.ndarray, record: xr.Dataset, gates: list[GateSet]) -> Run:
    """The exact paths from the same starts, and as printed, for gates that stay."""
    time, K = record.time.values, trained.shape[3]
    exact, printed = np.zeros(trained.shape), np.zeros(trained.shape)
    loss, exact_loss = np.zeros(trained.shape[:3]), np.zeros(trained.shape[:3])
    off = 0.0
    for g, gain in enumerate(p.gains):
        A, b, power = gated_linear.statistics(gates[g], _task(p, gain), key=jax.random.key(p.seed + 1), samples=p.samples)
        for s in range(p.seeds):
            w0 = trained[g, s, 0].astype(float).ravel()
            path = np.asarray(gated_linear.solve(A, b, w0, time, K))
            exact[g, s] = path.reshape(trained[g, s].shape)
            printed[g, s] = np.asarray(gated_linear.solve(K * A, b, w0, time, K)).reshape(trained[g, s].shape)
            exact_loss[g, s] = gated_linear.loss_path(A, b, w0, time, K, power)
            loss[g, s] = gated_linear.loss(A, b, trained[g, s].reshape(len(time), -1).astype(float), K, power)
        off = max(off, float(_distance(_integrated(A, b, exact[g, 0, 0], time), exact[g, 0]).max()))
    return Run(case, time, trained, exact, printed, loss, exact_loss, off)


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
    gates: list[Gate] = [Scheduled([0.0, half], list(pair)) for pair in zip(early, late, strict=True)]
    record = _train(p, bench, "scheduled", GateSet(gates), _task(p, 0.0), p.seeds)
    trained, time = record.fields.values[None], record.time.values
    moments = [gated_linear.statistics(GateSet(g), _task(p, 0.0)) for g in (early, late)]
    pieces = [(start, A, b) for start, (A, b, _) in zip((0.0, half), moments, strict=True)]
    starts = trained[0, :, 0].astype(float).reshape(p.seeds, -1)
    exact = np.stack([gated_linear.solve_pieces(pieces, w0, time, 2) for w0 in starts]).reshape(trained.shape)
    loss, exact_loss = (np.where(time < half, *(_loss(w, moment) for moment in moments)) for w in (trained, exact))
    return Run("scheduled", time, trained, exact, exact, loss, exact_loss, 0.0)


def _moving(p: Settings, bench: Bench) -> Run:
    """A wave as gate that goes once around the ring. Gaussian data; the flow has the moments of each moment."""
    end, sites = p.learning_rate * p.steps, np.arange(p.n)

    def direction(time: Any) -> Any:
        return jnp.cos(2 * jnp.pi * (jnp.asarray(sites / p.n) - time / end))

    record = _train(p, bench, "moving", GateSet([Moving(direction)]), _task(p, 0.0), p.seeds)
    task = _task(p, 0.0)
    cov1, cov0 = task.positive.covariance(), task.negative.covariance()

    def velocity(w: Any, time: Any) -> Any:
        return gated_linear.velocity(w, (cov1 + cov0) / 4, relu.gate_mean(direction(time), cov1) / 2)

    trained, time = record.fields.values[None], record.time.values
    exact = flow(velocity, trained[0, :, 0].astype(float), time, timed=True).fields.values[None]
    pulls = [np.asarray(relu.gate_mean(np.asarray(direction(t)), cov1)) / 2 for t in time]
    loss, exact_loss = (
        np.stack([_loss(w[:, :, i], ((cov1 + cov0) / 4, b, 0.5)) for i, b in enumerate(pulls)], axis=-1)
        for w in (trained, exact)
    )
    return Run("moving", time, trained, exact, exact, loss, exact_loss, 0.0)


def _loss(w: np.ndarray, moments: tuple[Any, Any, float]) -> np.ndarray:
    """The exact loss of fields (..., unit, position)."""
    A, b, power = moments
    return np.asarray(gated_linear.loss(A, b, w.reshape(*w.shape[:-2], -1).astype(float), w.shape[-2], power))


def _part(
    p: Settings, run_case: str, time: np.ndarray, trained: np.ndarray, exact: np.ndarray, printed: np.ndarray, *rest: Any
) -> xr.Dataset:
    """The record of one case; those on Gaussian data alone stand at the first gain."""
    loss, exact_loss, ode = rest
    gains, lead = list(p.gains)[: len(trained)], ("gain", "seed", "step")
    difference = trained[..., 0, :] - trained[..., -1, :]
    moved = np.linalg.norm(difference - difference[..., :1, :], axis=-1) / np.maximum(
        np.linalg.norm(difference, axis=-1), 1e-30
    )
    data = {
        "distance": (lead, _distance(trained, exact), {"long_name": "|w - w_exact| / |w_exact|"}),
        "printed_distance": (lead, _distance(printed, exact), {"long_name": "of the printed solution"}),
        "loss": (lead, loss, {"long_name": "exact loss of the trained weights"}),
        "exact_loss": (lead, exact_loss, {"long_name": "exact loss on the exact path"}),
        "loss_distance": (lead, np.abs(loss - exact_loss) / exact_loss[..., :1]),
        "final": (("gain", "unit", "position"), trained[:, 0, -1], {"long_name": "final weights by SGD, first seed"}),
        "exact_final": (("gain", "unit", "position"), exact[:, 0, -1], {"long_name": "exact final weights, first seed"}),
        "ode_distance": ((), ode, {"long_name": "largest distance from an ODE solver"}),
        "kept": ((), float(moved.max()) if run_case == "redundant" else 0.0, {"long_name": "change of w1 - w2"}),
    }
    coords = {"gain": gains, "step": np.arange(len(time)), "time": ("step", time, {"units": "tau"})}
    return xr.Dataset(data, coords | {"unit": np.arange(trained.shape[3])})


def _distance(w: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """|w - reference| / |reference| of all units together."""
    return np.sqrt(((w - reference) ** 2).sum((-2, -1)) / (reference**2).sum((-2, -1)))
