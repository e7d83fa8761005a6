"""How well kernels of a network agree with the labels while it trains: kernels are recorded, and judged afterwards."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Float

from gatefield.core.arrays import Exact
from gatefield.data import Images
from gatefield.kernels import path_kernel, strength_and_gate_ntk, trace_normalised
from gatefield.measures import label_alignment

Kernel = Callable[[Any, Any], Exact]


class Probe:
    """Samples on which kernels are evaluated, and the ridge in units of the mean eigenvalue."""

    def __init__(self, x: np.ndarray, y: np.ndarray, ridge: float) -> None:
        self.x, self.y, self.ridge = x, y, ridge
        self.triangle = functools.cache(lambda kernel: _packed(kernel, x))  # the same function again compiles once

    def watch(self, kernels: Mapping[str, Kernel]) -> dict[str, Any]:
        """What `train` takes as `observe`: the triangle of each kernel."""
        return {name: (("pair",), self.triangle(kernel)) for name, kernel in kernels.items()}

    def judge(self, recorded: xr.DataArray) -> dict[str, Any]:
        """Of a recorded kernel: `nu` with trace one, the `trace`, and `least`, the smallest over the mean eigenvalue."""
        K = unpacked(recorded.values, len(self.y))
        spectrum = np.linalg.eigvalsh(K)
        found = {
            "nu": label_alignment(trace_normalised(_nonnegative(K)), self.y, self.ridge),
            "trace": spectrum.sum(-1),
            "least": spectrum[..., 0] / spectrum.mean(-1),
        }
        return {name: (recorded.dims[:-1], values) for name, values in found.items()}


def probe(images: Images, samples: int, ridge: float, seed: int) -> Probe:
    """So many training images, as many of each label."""
    chosen = images.subset(samples, seed=seed, balanced=True)
    return Probe(chosen.x, chosen.y, ridge)


def by_gates(net: Any, x: Any) -> Float[Exact, "samples samples"]:
    """K^a, the part of a soft-GaLU network's tangent kernel that comes from its gating network."""
    return strength_and_gate_ntk(net.weights, net.gating_layers, x, net.beta, net.eps)[1]


def paths(net: Any, x: Any) -> Float[Exact, "samples samples"]:
    """M, the Gram matrix of path features."""
    return path_kernel(net.gates(x), x)


def unpacked(triangle: np.ndarray, samples: int) -> Float[np.ndarray, "... samples samples"]:
    """Symmetric matrices in float64 from their upper triangles, row by row.

    >>> unpacked(np.array([1.0, 2.0, 3.0]), 2)
    array([[1., 2.],
           [2., 3.]])
    """
    rows, columns = np.triu_indices(samples)
    K = np.empty((*triangle.shape[:-1], samples, samples))
    K[..., rows, columns] = K[..., columns, rows] = triangle
    return K


def _packed(kernel: Kernel, x: np.ndarray) -> Callable[[Any], Exact]:
    def triangle(net: Any) -> Exact:
        return kernel(net, jnp.asarray(x))[np.triu_indices(len(x))]

    return triangle


def _nonnegative(K: np.ndarray) -> np.ndarray:
    """Without the negative eigenvalues that rounding makes of small ones."""
    values, vectors = np.linalg.eigh(K)
    return K if (values >= 0).all() else (vectors * np.maximum(values, 0)[..., None, :]) @ np.swapaxes(vectors, -1, -2)
