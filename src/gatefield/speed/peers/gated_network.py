"""The networks whose tangent kernels are compared: random weights, and random gates that are given. Needs NumPy alone."""

import itertools
from typing import Any, NamedTuple

import numpy as np


class Size(NamedTuple):
    depth: int
    width: int
    samples: int
    inputs: int

    @property
    def parameters(self) -> int:
        return self.inputs * self.width + (self.depth - 2) * self.width**2 + self.width


class GatedNetwork(NamedTuple):
    """Weights (fan-in, width) of each layer, gates (samples, width) of each hidden one, and inputs (samples, fan-in)."""

    weights: list[np.ndarray]
    gates: list[np.ndarray]
    x: np.ndarray


def network(depth: int, width: int, samples: int, inputs: int, kind: Any) -> GatedNetwork:
    """One of that size, of numbers of that type."""
    rng = np.random.default_rng(0)
    dims = [inputs, *[width] * (depth - 1), 1]
    weights = [(rng.normal(size=(a, b)) / np.sqrt(a)).astype(kind) for a, b in itertools.pairwise(dims)]
    gates = [(rng.random((samples, width)) < 0.5).astype(kind) for _ in range(depth - 1)]
    return GatedNetwork(weights, gates, rng.normal(size=(samples, inputs)).astype(kind))


def output(weights: Any, gates: Any, x: Any) -> Any:
    """What the network gives (samples, 1), in NumPy, JAX or PyTorch."""
    for w, gate in zip(weights[:-1], gates, strict=True):
        x = (x @ w) * gate
    return x @ weights[-1]


def layerwise(weights: Any, gates: Any, x: Any) -> Any:
    """Its tangent kernel by the plain formula: products of forward and of backward vectors, layer by layer."""
    forward, backward = [x], [gates[-1] * weights[-1][:, 0]]
    for w, gate in zip(weights[:-1], gates, strict=True):
        forward.append((forward[-1] @ w) * gate)
    for w, gate in zip(weights[-2:0:-1], gates[-2::-1], strict=True):
        backward.append((backward[-1] @ w.T) * gate)
    total = forward[-1] @ forward[-1].T
    for z, b in zip(forward, backward[::-1], strict=False):
        total = total + (z @ z.T) * (b @ b.T)
    return total
