"""Paths of gated linear networks: the exact solution against an ODE solver."""

from collections.abc import Iterator

import diffrax
import numpy as np

from gatefield.data import Gaussian, Task
from gatefield.gates import half_spaces
from gatefield.speed.contest import Contest, Contestant
from gatefield.speed.peers.ode import Problem, by_diffrax, reference
from gatefield.theory import gated_linear

SIZES = [(40, 2), (40, 12), (200, 4)]
"""Sites and units."""
HORIZONS = (10, 1000)
"""The last time, in units of K^2 tau: by then modes of eigenvalue one have settled, or those of a hundredth, too."""
TIGHT, LOOSE = 1e-13, 1e-6
"""Tolerances of the solver: the tightest that it keeps in float64, since the exact path is at rounding; and a usual one."""


def entries(quick: bool) -> Iterator[Contest]:
    for n, K in SIZES[:1] if quick else SIZES:
        for horizon in HORIZONS:
            yield contest(n, K, horizon)


def contest(n: int, K: int, horizon: int) -> Contest:
    """Weights at eight times; errors are the largest of all of them, relative to the largest weight."""
    rng = np.random.default_rng(0)
    task = Task(Gaussian(n, xi=2.0), Gaussian(n, xi=1.0))
    A, b, _ = gated_linear.statistics(half_spaces(rng.normal(size=(K, n))), task)
    w0, times = rng.normal(size=K * n) / np.sqrt(n), np.append(0.0, np.geomspace(0.1, horizon, 7) * K**2)
    problem = Problem(A, b, w0, times, K)
    right = reference(problem)

    def error(found: np.ndarray) -> float:
        return float(np.abs(found - right).max() / np.abs(right).max())

    peers = [
        Contestant(f"diffrax {type(solver).__name__}, tolerance {tolerance:g}", by_diffrax(problem, solver, tolerance))
        for solver, tolerance in ((diffrax.Dopri8(), TIGHT), (diffrax.Tsit5(), LOOSE))
    ]
    ours = Contestant("gated_linear.solve", lambda: gated_linear.solve(*problem))
    return Contest(f"n={n}, K={K}, 8 times to {horizon:,} K² tau", "path", ours, peers, error)
