"""Paths of gated linear networks by an ODE solver: diffrax in float64, jitted."""

from collections.abc import Callable
from typing import Any, NamedTuple

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
from scipy.linalg import expm


class Problem(NamedTuple):
    """The flow K dw/dt = b - A w/K, where it starts, and the times at which weights are asked for, the first of them 0."""

    A: np.ndarray
    b: np.ndarray
    w0: np.ndarray
    times: np.ndarray
    K: int

    @property
    def size(self) -> float:
        """That of the weights at the end, by which an absolute tolerance is scaled."""
        return float(np.abs(np.linalg.lstsq(self.A, self.K * self.b, rcond=None)[0]).max())


def by_diffrax(problem: Problem, solver: diffrax.AbstractSolver, tolerance: float) -> Callable[[], np.ndarray]:
    """What integrates the flow and gives the weights at the times."""
    *_, times, K = problem
    control = diffrax.PIDController(rtol=tolerance, atol=tolerance * problem.size)

    def path(A: Any, b: Any, w0: Any) -> Any:
        terms = diffrax.ODETerm(lambda t, w, _: (b - A @ w / K) / K)  # pyright: ignore[reportArgumentType]
        ends: Any = {"t0": 0.0, "t1": float(times[-1]), "dt0": None}
        saved = diffrax.SaveAt(ts=jnp.asarray(times))
        return diffrax.diffeqsolve(
            terms, solver, **ends, y0=w0, saveat=saved, stepsize_controller=control, max_steps=1_000_000
        ).ys

    jitted = jax.jit(path)
    with jax.enable_x64(True):
        arrays = [jnp.asarray(array, float) for array in problem[:3]]

    def go() -> np.ndarray:
        with jax.enable_x64(True):
            return np.asarray(jax.block_until_ready(jitted(*arrays)))

    return go


def reference(problem: Problem) -> np.ndarray:
    """The same weights by the exponential of a matrix, time by time: slow, and independent of eigenvalues and steps."""
    A, b, w0, times, K = problem
    m = len(b)
    matrix = np.zeros((m + 1, m + 1))
    matrix[:m, :m], matrix[:m, m] = -A / K**2, b / K
    return np.stack([expm(time * matrix)[:m] @ np.append(w0, 1.0) for time in times])
