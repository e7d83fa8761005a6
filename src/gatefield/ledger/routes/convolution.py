"""Slow routes to the moments of circular convolutions: all signs of the weights, all paths, one by one."""

import itertools
from collections.abc import Sequence

import numpy as np

Arrays = Sequence[np.ndarray] | np.ndarray


def convolve(z: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """q(i) = sum of theta_j z(i + j) on the ring; z (samples, positions, channels), kernel (size, channels, channels)."""
    n = z.shape[1]
    return np.stack([sum(z[:, (i + j) % n] @ theta for j, theta in enumerate(kernel)) for i in range(n)], 1)


def conv_output(kernels: Arrays, gates: Arrays, x: np.ndarray) -> np.ndarray:
    """Output (samples, positions, channels) of the gated convolutions."""
    z = np.reshape(x, (*x.shape[:2], -1))
    for kernel, gate in zip(kernels, gates, strict=True):
        z = convolve(z, kernel) * np.reshape(gate, (*x.shape[:2], -1))
    return z


def pooled(kernels: Arrays, gates: Arrays, x: np.ndarray) -> np.ndarray:
    """Mean over the positions, (samples, channels)."""
    return conv_output(kernels, gates, x).mean(1)


def conv_gates(kernels: Arrays, x: np.ndarray) -> list[np.ndarray]:
    """Gates 1[q > 0] of a convolutional ReLU network: they rotate with the input."""
    z, found = x[:, :, None], []
    for kernel in kernels:
        q = convolve(z, kernel)
        found.append((q > 0).astype(float))
        z = q * found[-1]
    return found


def conv_sums(kernels: Arrays, x: np.ndarray) -> np.ndarray:
    """The last sums (samples, positions, channels) of a convolutional ReLU network."""
    z = x[:, :, None]
    for kernel in kernels[:-1]:
        z = np.maximum(convolve(z, kernel), 0.0)
    return convolve(z, kernels[-1])


def block_maxima(z: np.ndarray) -> np.ndarray:
    """The larger of positions 0 and 1, of 2 and 3, ..."""
    return np.maximum(z[:, ::2], z[:, 1::2])


def independent_maxima(z: np.ndarray) -> float:
    """E[y y'] of outputs (choices, 2, positions), their largest, as if where that is did not depend on the weights."""
    first, second = (np.eye(z.shape[2])[one.argmax(1)] for one in (z[:, 0], z[:, 1]))
    chances, products = (np.einsum("ci,cj->ij", a, b) / len(z) for a, b in ((first, second), (z[:, 0], z[:, 1])))
    return float((chances * products).sum())


def conv_paths(n: int, size: int, layers: int) -> list[tuple[int, ...]]:
    """All paths: sequences of positions, each of which the next one sees through its kernel."""
    every = itertools.product(range(n), repeat=layers + 1)
    return [p for p in every if all((a - b) % n < size for a, b in itertools.pairwise(p))]


def steps(path: tuple[int, ...], n: int) -> tuple[int, ...]:
    """Which weight of each kernel a path uses."""
    return tuple((a - b) % n for a, b in itertools.pairwise(path))


def path_pairs(gates: Arrays, x: np.ndarray, size: int, *, rotation: int | None = None) -> np.ndarray:
    """Sum over pairs of paths with the same weights of x A x' A', or of pairs that end `rotation` positions apart."""
    n = x.shape[1]
    paths = conv_paths(n, size, len(gates))
    features = [x[:, p[0]] * np.prod([g[:, i] for g, i in zip(gates, p[1:], strict=True)], axis=0) for p in paths]
    total = np.zeros((len(x), len(x)))
    for (p, one), (q, other) in itertools.product(zip(paths, features, strict=True), repeat=2):
        if steps(p, n) == steps(q, n) and rotation in (None, (q[-1] - p[-1]) % n):
            total += np.outer(one, other)
    return total
