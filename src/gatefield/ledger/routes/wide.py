"""Wide networks: every mean over two Gaussian sums by quadrature, and kernels of sampled networks."""

import itertools

import numpy as np

from gatefield.ledger.routes.descent import derivatives, hard_gates
from gatefield.ledger.routes.gaussian import Wedge, half_moment


def pair_kernel(x: np.ndarray, depth: int, gain: float, *, own: bool) -> float:
    """K(1, 2) of a wide network with gates of its own or of another, w sigma^2 = gain, by quadrature over the open wedge."""
    products, K = x @ x.T, float(x[0] @ x[1])
    linear = K
    for _ in range(depth - 1):
        first, second = np.linalg.cholesky(products)
        wedge = Wedge(first, second, np.eye(2))
        both = gain * float(wedge.weights.sum())
        linear, cross = linear * both, gain * wedge.kernel()
        products = np.diag(gain * half_moment(2) * np.diag(products)) + cross * np.eye(2)[::-1]
        K = K * both + (cross if own else linear)
    return K


def sampled_kernels(x: np.ndarray, depth: int, width: int, *, own: bool, runs: int) -> np.ndarray:
    """K(1, 2) of networks with normal weights of variance 2/w, as products of whole Jacobians."""
    found, dims = [], (x.shape[1], *[width] * (depth - 1), 1)
    for run in range(runs):
        rng = np.random.default_rng([12, run])
        first, second = ([np.sqrt(2 / width) * rng.normal(size=shape) for shape in itertools.pairwise(dims)] for _ in range(2))
        rows = derivatives(first, hard_gates(first if own else second, x), x)
        found.append(rows[0] @ rows[1])
    return np.array(found)
