"""The sets of gates that race in `winning-gates`, and what the race measures of each."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gatefield import gates as gating
from gatefield.data import Gaussian, NonlinearGP, Task, fourier_basis
from gatefield.gates import GateSet, half_spaces
from gatefield.theory import gated_linear

WIDTH = 2.0
"""Width of bumps and Mexican hats, in sites."""
LEARNED, SEARCHED = "learned", "searched"
NAMES = {LEARNED: "learned by ReLU", SEARCHED: "found by search"}
"""What figures call them."""
PAIRS = ("± random", "± delta", "± bump", "± Mexican hat", "± flat", "± cos 1", "± Nyquist")
"""Sets of opposite pairs."""
SETS = (
    *("shut", "random", "deltas", "bumps", "Mexican hats", "lowest modes"),
    *PAIRS,
    *("redundant flat", "redundant delta", LEARNED, SEARCHED),
)
SINGLES = {"random": "random", "deltas": "delta", "bumps": "bump", "Mexican hats": "Mexican hat", "lowest modes": "flat"}
"""Sets of gates of one shape, and that shape."""
MEASURES = ("explained", "pull", "rate", "largest", "half_time", "limiting_loss")


def task_of(n: int, xi1: float, xi0: float, gain: float) -> Task:
    """The task at a gain: Gaussian at gain 0."""
    if gain == 0:
        return Task(Gaussian(n, xi1), Gaussian(n, xi0))
    return Task(NonlinearGP(n, xi1, gain), NonlinearGP(n, xi0, gain))


def named_sets(n: int, K: int, key: Any) -> dict[str, GateSet]:
    """The sets of K gates that need neither training nor search. Pairs are as many as fit; the last may lack its opposite."""
    modes = np.asarray(fourier_basis(n)).T
    rows = np.asarray(jax.random.normal(key, (K, n)), float)
    shapes: dict[str, Callable[[int], np.ndarray]] = {
        "random": lambda count: rows[:count],
        "delta": lambda count: _around(n, count, gating.delta),
        "bump": lambda count: _around(n, count, partial(gating.bump, width=WIDTH)),
        "Mexican hat": lambda count: _around(n, count, partial(gating.mexican_hat, width=WIDTH)),
        "flat": lambda count: modes[:count],
        "cos 1": lambda count: modes[1 : 1 + count],
        "Nyquist": lambda count: modes[::-1][:count],
    }
    sets = {"shut": GateSet([gating.Shut()] * K)}
    sets |= {name: half_spaces(shapes[shape](K)) for name, shape in SINGLES.items()}
    sets |= {f"± {shape}": half_spaces(opposite(make((K + 1) // 2))[:K]) for shape, make in shapes.items()}
    return sets | {f"redundant {shape}": half_spaces(np.repeat(shapes[shape](1), K, axis=0)) for shape in ("flat", "delta")}


def opposite(rows: np.ndarray) -> np.ndarray:
    """Each row, followed by its opposite."""
    return np.stack([rows, -rows], axis=1).reshape(-1, rows.shape[1])


def race(gates: GateSet, task: Task, times: np.ndarray, *, key: Any, samples: int) -> dict[str, np.ndarray]:
    """All measures of one set, its loss over time and the spectrum of its A.

    Sampled for all sets alike if the data are not Gaussian: the same samples for all, so that sets can be compared.
    """
    A, b, power = _moments(gates, task, key, samples)
    with jax.enable_x64(True):
        return {name: np.asarray(value) for name, value in _summary(*map(jnp.asarray, (A, b, power, times)), K=gates.K).items()}


def time_to_half(gates: GateSet, task: Task, *, key: Any, samples: int) -> float:
    """The half time of one set alone, on the same samples as in the race."""
    A, b, _ = _moments(gates, task, key, samples)
    return float(gated_linear.half_time(A, b, gates.K))


def _moments(gates: GateSet, task: Task, key: Any, samples: int) -> gated_linear.Statistics:
    method = "closed" if task.positive.gaussian else "sampled"
    return gated_linear.statistics(gates, task, method=method, key=key, samples=samples)


def learned_by_mode(gates: GateSet, task: Task) -> tuple[np.ndarray, np.ndarray]:
    """At its half time: the eigenvalues of A on which b acts, and the share of its limit that each such mode has reached.

    The weights come from the exact path from zero.
    """
    A, b, _ = gated_linear.statistics(gates, task, method="closed")
    rates, basis = np.linalg.eigh(A)
    with jax.enable_x64(True):
        now, end = (basis.T @ np.asarray(w) for w in _halfway(A, b, K=gates.K))
    acts = np.abs(end) > 1e-6 * np.abs(end).max()
    return rates[acts], now[acts] / end[acts]


@partial(jax.jit, static_argnames="K")
def _summary(A: Any, b: Any, power: Any, times: Any, K: int) -> dict[str, Any]:
    spectrum = jnp.linalg.eigvalsh(A)[::-1]
    return {
        "explained": gated_linear.explained(A, b),
        "pull": b @ b,
        "rate": gated_linear.initial_rate(b, K),
        "largest": spectrum[0],
        "half_time": gated_linear.half_time(A, b, K),
        "limiting_loss": gated_linear.limiting_loss(A, b, power),
        "loss": gated_linear.loss_path(A, b, jnp.zeros(b.shape), times, K, power),
        "spectrum": spectrum,
    }


@partial(jax.jit, static_argnames="K")
def _halfway(A: Any, b: Any, K: int) -> tuple[Any, Any]:
    """The weights at half time, and in the end."""
    start = jnp.zeros(b.shape)
    return gated_linear.solve(A, b, start, gated_linear.half_time(A, b, K), K), gated_linear.limit(A, b, start, K)


def _around(n: int, count: int, shape: Any) -> np.ndarray:
    """Gates of one shape, evenly around the ring."""
    return np.stack([np.asarray(shape(n, i * n // count).direction, float) for i in range(count)])
