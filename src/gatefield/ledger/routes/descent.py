"""Slow routes along training: explicit derivatives, gates that a network makes itself, errors after many steps."""

import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from gatefield.ledger.routes import kernels as routes

Arrays = Sequence[np.ndarray]
Gating = Callable[[list[np.ndarray]], list[np.ndarray]]
"""From the weights to the gates, one array (samples, width) for each gated layer."""


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


def errors_by_steps(jacobian: np.ndarray, e: np.ndarray, rate: float, steps: int) -> float:
    """|e_T|/|e_0| of the linear recursion with products of derivatives, step by step."""
    products = jacobian @ jacobian.T
    start, scale = np.linalg.norm(e), rate / np.linalg.norm(products, 2)
    for _ in range(steps):
        e = e - scale * (products @ e)
    return float(np.linalg.norm(e) / start)


def errors_by_spectrum(kernel: np.ndarray, e: np.ndarray, rate: float, steps: int) -> float:
    """The same from the eigenvalues of the kernel."""
    values, vectors = np.linalg.eigh(np.asarray(kernel))
    left = (1 - rate * values / values[-1]) ** steps * (vectors.T @ e)
    return float(np.linalg.norm(left) / np.linalg.norm(e))


def descent(
    weights: Arrays, gating: Gating, x: np.ndarray, y: np.ndarray, rate: float, steps: int
) -> Iterator[list[np.ndarray]]:
    """Weights before each step of gradient descent on half the sum of squares, and after the last."""
    now = [w.copy() for w in weights]
    for _ in range(steps):
        yield now
        gates = gating(now)
        slope = (routes.output(now, gates, x)[:, 0] - y) @ derivatives(now, gates, x)
        cuts = np.split(slope, np.cumsum([w.size for w in now])[:-1])
        now = [w - rate * cut.reshape(w.shape) for w, cut in zip(now, cuts, strict=True)]
    yield now
