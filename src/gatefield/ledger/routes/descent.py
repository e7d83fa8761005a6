"""Training by hand: whole Jacobians, gates that a network makes itself, errors after many steps; the networks of paper 004."""

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from gatefield.ledger.routes.paths import output

Arrays = Sequence[np.ndarray]
Case = tuple[list[np.ndarray], list[np.ndarray], np.ndarray]
"""Weights, gates and inputs."""
Gating = Callable[[list[np.ndarray]], list[np.ndarray]]
"""From the weights to the gates, one array (samples, width) for each gated layer."""
HARD_X, HARD_Y = np.array([[0.6, -0.8], [1.2, -1.6]]), np.array([1.0, -1.0])
"""A point x and 2x, with labels that no homogeneous function fits."""
OWN = [np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]])]
"""Gates that differ between the two points."""


def signs(rng: np.random.Generator, dims: Sequence[int], sigma: float) -> list[np.ndarray]:
    """Weights +-sigma."""
    return [sigma * rng.choice([-1.0, 1.0], size=shape) for shape in itertools.pairwise(dims)]


def normals(rng: np.random.Generator, dims: Sequence[int]) -> list[np.ndarray]:
    """Normal weights with the variance 2/fan-in."""
    return [np.sqrt(2 / shape[0]) * rng.normal(size=shape) for shape in itertools.pairwise(dims)]


def hard_gates(weights: Arrays, x: np.ndarray) -> list[np.ndarray]:
    """The gates 1(q > 0) of a ReLU network without biases; its last layer makes none."""
    z, found = x, []
    for w in weights[:-1]:
        q = z @ w
        found.append((q > 0).astype(float))
        z = q * found[-1]
    return found


def derivatives(weights: Arrays, gates: Arrays, x: np.ndarray) -> np.ndarray:
    """The whole Jacobian, one row for each sample, by backpropagation with the gates held fixed."""
    entering = [x]
    for w, gate in zip(weights[:-1], gates, strict=True):
        entering.append((entering[-1] @ w) * gate)
    back, rows = np.ones((len(x), 1)), []
    for layer in range(len(weights) - 1, -1, -1):
        rows.insert(0, (entering[layer][:, :, None] * back[:, None, :]).reshape(len(x), -1))
        if layer:
            back = (back @ weights[layer].T) * gates[layer - 1]
    return np.concatenate(rows, axis=1)


def descent(
    weights: Arrays, gating: Gating, x: np.ndarray, y: np.ndarray, rate: float, steps: int
) -> Iterator[list[np.ndarray]]:
    """Weights before each step of gradient descent on half the sum of squares, and after the last."""
    now = [w.copy() for w in weights]
    for _ in range(steps):
        yield now
        gates = gating(now)
        slope = (output(now, gates, x)[:, 0] - y) @ derivatives(now, gates, x)
        cuts = np.split(slope, np.cumsum([w.size for w in now])[:-1])
        now = [w - rate * cut.reshape(w.shape) for w, cut in zip(now, cuts, strict=True)]
    yield now


@functools.cache
def random_gates(depth: int, width: int, samples: int, run: int = 0) -> Case:
    """Experiment 1: inputs 1, mu = 1/2, weights +-sqrt(2/w)."""
    rng = np.random.default_rng([1, depth, width, run])
    gates = [(rng.random((samples, width)) < 0.5).astype(float) for _ in range(depth - 1)]
    return signs(rng, (1, *[width] * (depth - 1), 1), math.sqrt(2 / width)), gates, np.ones((samples, 1))


@functools.cache
def plane(depth: int, *, frozen: bool, run: int, all_signs: bool = False) -> Case:
    """Experiment 2: points of a square; gates of another network (GaLU) or of the network itself (ReLU)."""
    dims, x = (2, *[50] * (depth - 1), 1), np.random.default_rng([2, run]).uniform(-1, 1, (50, 2))
    rng = np.random.default_rng([3, depth, run])
    first, second = (signs(rng, dims, 0.2) if all_signs else normals(rng, dims) for _ in range(2))
    return first, hard_gates(second if frozen else first, x), x


@functools.cache
def linear_runs(depth: int, runs: int, steps: int) -> list[list[list[np.ndarray]]]:
    """Experiment 8: weights before each of the first steps with rate 0.1/d and half the squared error; x = y = 1, w = 100."""
    rng, one = np.random.default_rng([8, depth]), np.ones((1, 1))
    starts = [signs(rng, (1, *[100] * (depth - 1), 1), 0.1) for _ in range(runs)]
    return [list(descent(w, lambda _: all_open(depth), one, np.ones(1), 0.1 / depth, steps)) for w in starts]


def all_open(depth: int) -> list[np.ndarray]:
    return [np.ones((1, 100))] * (depth - 1)


@functools.cache
def slow_run() -> list[list[np.ndarray]]:
    """The weights along slow training of a linear network of depth 2 to y = 1."""
    start = signs(np.random.default_rng(9), (1, 100, 1), 0.1)
    return list(descent(start, lambda _: all_open(2), np.ones((1, 1)), np.ones(1), 0.002, 3000))


def first_shares(runs: int = 200) -> np.ndarray:
    """What the first step of experiment 8 leaves of the squared error at d = 2, run by run."""
    one = np.ones((1, 1))
    errors = np.array([[output(w, all_open(2), one).item() - 1 for w in run] for run in linear_runs(2, runs, 1)])
    return (errors[:, 1] / errors[:, 0]) ** 2


def trained_on_pair(*, own: bool) -> float:
    """Sum of squares of a network of width 3 and depth 2 after training: ReLU, or with gates that differ between the points."""

    def gating(weights: list[np.ndarray]) -> list[np.ndarray]:
        return OWN if own else hard_gates(weights, HARD_X)

    *_, end = descent(normals(np.random.default_rng(11), (2, 3, 1)), gating, HARD_X, HARD_Y, 0.05, 1500)
    errors = output(end, gating(end), HARD_X)[:, 0] - HARD_Y
    return float(errors @ errors)


def random_errors(samples: int, run: int) -> np.ndarray:
    """Errors at the start for random labels, where the output is zero."""
    return -np.random.default_rng([4, run]).uniform(-1, 1, samples)


def errors_by_steps(kernel: np.ndarray, run: int, steps: int) -> float:
    """|e_T|/|e_0| for random labels by the linear recursion with the step 0.1/rho_max, step by step."""
    e = start = random_errors(len(kernel), run)
    scale = 0.1 / np.linalg.norm(kernel, 2)
    for _ in range(steps):
        e = e - scale * (kernel @ e)
    return float(np.linalg.norm(e) / np.linalg.norm(start))


def errors_by_spectrum(kernel: np.ndarray, run: int, steps: int) -> float:
    """The same from the eigenvalues of the kernel."""
    e, (values, vectors) = random_errors(len(kernel), run), np.linalg.eigh(kernel)
    left = (1 - 0.1 * values / values[-1]) ** steps * (vectors.T @ e)
    return float(np.linalg.norm(left) / np.linalg.norm(e))


def mean_ratio(left: Callable[[Case, int], float], top: Sequence[Case], bottom: Sequence[Case]) -> float:
    """What is left of the errors in some cases over that in others, by the geometric mean over runs."""
    logs = [math.log(left(a, run) / left(b, run)) for run, (a, b) in enumerate(zip(top, bottom, strict=True))]
    return math.exp(sum(logs) / len(logs))


def top_share(kernel: np.ndarray, scale: float = 1.0) -> float:
    """What one step of 0.1/rho leaves of an error along the top eigenvector, rho the largest eigenvalue of kernel/scale."""
    values, vectors = np.linalg.eigh(kernel)
    top = vectors[:, -1]
    return float(top @ (top - 0.1 * scale / values[-1] * (kernel @ top)))


def condition(kernel: np.ndarray) -> float:
    values = np.linalg.eigvalsh(kernel)
    return float(values[-1] / values[0])


def rank(kernel: np.ndarray) -> float:
    values = np.linalg.eigvalsh(kernel)
    return float((values > 1e-10 * values[-1]).sum())


def sign_rank(x: np.ndarray) -> float:
    """+-(1, 1) and +-(1, -1) are all first-layer weights there are: derivatives are x_i times 1, 1(q_1 > 0) or 1(q_2 > 0)."""
    open_ = [np.ones(len(x)), x @ [1, 1] > 0, x @ [1, -1] > 0]
    basis = np.stack([x[:, i] * gate for i in range(2) for gate in open_], 1)
    return rank(basis.T @ basis)
