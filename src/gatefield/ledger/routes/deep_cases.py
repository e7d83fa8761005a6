"""Networks of paper 004's experiments 1, 2 and 8 and of its hard dataset: the library's numbers, and slow routes to them."""

import functools
import math
from typing import Any

import numpy as np

from gatefield.kernels.paths import path_kernel
from gatefield.kernels.tangent import ntk
from gatefield.ledger.formula import Estimate
from gatefield.ledger.routes import descent as slow
from gatefield.ledger.routes import kernels as routes

Case = tuple[list[np.ndarray], list[np.ndarray], np.ndarray]
JACOBIAN = "products of all derivatives, by backpropagation"
HARD_X, HARD_Y = np.array([[0.6, -0.8], [1.2, -1.6]]), np.array([1.0, -1.0])
"""A point x and 2x, with labels that no homogeneous function fits."""
DEEP = (20, 40, 24)
"""Depth, width and samples."""
OWN = [np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]])]
"""Gates that differ between the two points."""


@functools.cache
def random_gates(depth: int, width: int, samples: int, run: int = 0) -> Case:
    """Experiment 1: inputs 1, mu = 1/2, weights +-sqrt(2/w)."""
    rng = np.random.default_rng([1, depth, width, run])
    gates = [(rng.random((samples, width)) < 0.5).astype(float) for _ in range(depth - 1)]
    return slow.signs(rng, (1, *[width] * (depth - 1), 1), math.sqrt(2 / width)), gates, np.ones((samples, 1))


@functools.cache
def plane(depth: int, *, frozen: bool, run: int, signs: bool = False) -> Case:
    """Experiment 2: points of a square; gates of another network (GaLU) or of the network itself (ReLU)."""
    rng = np.random.default_rng([2, run])
    dims, x = (2, *[50] * (depth - 1), 1), rng.uniform(-1, 1, (50, 2))
    rng = np.random.default_rng([3, depth, run])
    first, second = (slow.signs(rng, dims, 0.2) if signs else slow.normals(rng, dims) for _ in range(2))
    return first, slow.hard_gates(second if frozen else first, x), x


def labels(samples: int, run: int) -> np.ndarray:
    return np.random.default_rng([4, run]).uniform(-1, 1, samples)


def left(case: Case, run: int, steps: int, *, slowly: bool) -> float:
    """|e_T|/|e_0| by the linear recursion with the step 0.1/rho_max: from the library's kernel, or slowly without one."""
    e = -labels(len(case[2]), run)
    if slowly:
        return slow.errors_by_steps(slow.derivatives(*case), e, 0.1, steps)
    return slow.errors_by_spectrum(np.asarray(ntk(*case)), e, 0.1, steps)


def random_ratio(deep: tuple[int, int], shallow: tuple[int, int], *, slowly: bool) -> float:
    """Error after 100 steps at one (depth, width) over that at another, experiment 1 with 60 samples, two runs."""
    runs = range(2)
    logs = [
        math.log(left(random_gates(*deep, 60, r), r, 100, slowly=slowly))
        - math.log(left(random_gates(*shallow, 60, r), r, 100, slowly=slowly))
        for r in runs
    ]
    return math.exp(sum(logs) / len(logs))


def plane_ratio(top: tuple[int, bool], bottom: tuple[int, bool], *, slowly: bool) -> float:
    """The same for (depth, frozen gates or not) of experiment 2 after 300 steps."""
    runs = range(2)
    logs = [
        math.log(left(plane(depth, frozen=frozen, run=r), r, 300, slowly=slowly)) * sign
        for r in runs
        for (depth, frozen), sign in ((top, 1), (bottom, -1))
    ]
    return math.exp(sum(logs) / len(runs))


def conditions(K: Any) -> float:
    values = np.linalg.eigvalsh(np.asarray(K))
    return float(values[-1] / values[0])


def spread_by_derivatives() -> Estimate:
    """Condition number with rows of equal length over that with rows as they are."""
    rows = slow.derivatives(*random_gates(*DEEP))
    equal = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return Estimate(conditions(equal @ equal.T) / conditions(rows @ rows.T), 1e-9, JACOBIAN)


def top_share(*, scale: float = 1.0, slowly: bool = False) -> float:
    """What a step of 0.1/rho leaves of an error along the top eigenvector, if rho is the largest eigenvalue of K/scale."""
    case = random_gates(20, 25, 40)
    rows, K = slow.derivatives(*case), np.asarray(ntk(*case))
    largest = [float(np.linalg.eigvalsh(found)[-1]) for found in (K, rows @ rows.T)]
    return 1 - 0.1 * scale / largest[not slowly] * largest[slowly]


def rank(K: Any) -> float:
    values = np.linalg.eigvalsh(np.asarray(K))
    return float((values > 1e-10 * values[-1]).sum())


def sign_rank() -> Estimate:
    """+-(1, 1) and +-(1, -1) are all first-layer weights there are: derivatives are x_i times 1, 1(q_1 > 0) or 1(q_2 > 0)."""
    x = plane(2, frozen=False, run=0, signs=True)[2]
    open_ = [np.ones(len(x)), x @ [1, 1] > 0, x @ [1, -1] > 0]
    basis = np.stack([x[:, i] * gate for i in range(2) for gate in open_], 1)
    return Estimate(rank(basis.T @ basis), 0.0, "rank of the functions that the derivatives are")


@functools.cache
def linear_runs(depth: int, runs: int, steps: int) -> list[list[list[np.ndarray]]]:
    """Experiment 8: weights before each of the first steps with rate 0.1/d and half the squared error; x = y = 1, w = 100."""
    rng, one = np.random.default_rng([8, depth]), np.ones((1, 1))
    dims, gates = (1, *[100] * (depth - 1), 1), [np.ones((1, 100))] * (depth - 1)
    starts = [slow.signs(rng, dims, 0.1) for _ in range(runs)]
    return [list(slow.descent(w, lambda _: gates, one, np.ones(1), 0.1 / depth, steps)) for w in starts]


def first_step() -> Estimate:
    gates, one = [np.ones((1, 100))], np.ones((1, 1))
    errors = np.array([[routes.output(w, gates, one).item() - 1 for w in run] for run in linear_runs(2, 200, 1)])
    shares = (errors[:, 1] / errors[:, 0]) ** 2
    return Estimate(float(shares.mean()), float(shares.std() / math.sqrt(len(shares))), "200 trainings, d = 2", 4.0)


def growth(depth: int, *, slowly: bool = False) -> float:
    """Mean of K/d after ten steps of experiment 8."""
    gates, one = [np.ones((1, 100))] * (depth - 1), np.ones((1, 1))
    ends = [run[-1] for run in linear_runs(depth, 10, 10)]
    each = [float((slow.derivatives(w, gates, one) ** 2).sum()) if slowly else ntk(w, gates, one).item() for w in ends]
    return float(np.mean(each)) / depth


@functools.cache
def linear_end() -> tuple[float, float]:
    """K/2 after slow training of a network of depth 2 to y = 1, and the output before it."""
    rng, one, gates = np.random.default_rng(9), np.ones((1, 1)), [np.ones((1, 100))]
    path = list(slow.descent(slow.signs(rng, (1, 100, 1), 0.1), lambda _: gates, one, np.ones(1), 0.002, 3000))
    return ntk(path[-1], gates, one).item() / 2, routes.output(path[0], gates, one).item()


def unfitted(gates: list[np.ndarray]) -> float:
    """Least sum of squared errors over all strengths of the paths: what of the labels lies outside the range of M."""
    M = np.asarray(path_kernel(gates, HARD_X))
    return float(HARD_Y @ (HARD_Y - M @ np.linalg.pinv(M, rcond=1e-10) @ HARD_Y))


def trained_on_pair(own: bool) -> Estimate:
    """A network of width 3 and depth 2 at the end of its training: ReLU, or with gates that differ between the points."""
    start = slow.normals(np.random.default_rng(11), (2, 3, 1))
    path = slow.descent(start, lambda w: OWN if own else slow.hard_gates(w, HARD_X), HARD_X, HARD_Y, 0.05, 1500)
    *_, end = path
    errors = routes.output(end, OWN if own else slow.hard_gates(end, HARD_X), HARD_X)[:, 0] - HARD_Y
    return Estimate(float(errors @ errors), 1e-9, "training of a network of width 3")
