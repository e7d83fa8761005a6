"""Wide networks: every mean over two Gaussian sums by quadrature, and kernels of sampled networks."""

import itertools
from collections.abc import Callable

import numpy as np

from gatefield.ledger.routes.descent import derivatives, hard_gates
from gatefield.ledger.routes.gaussian import Wedge, half_moment, panels


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


def logistic(u: np.ndarray) -> np.ndarray:
    """1/(1 + exp(-u)), and where exp would overflow its limit."""
    return 1 / (1 + np.exp(-np.clip(u, -700, 700)))


def one_sum(function: Callable[[np.ndarray], np.ndarray], deviation: float, beta: float) -> float:
    """E[f(beta q)] of a normal q, by panels that are dense around the edge of a gate, and end on it."""
    edges = np.concatenate([np.linspace(0, 40, 41), np.geomspace(41, max(42, 10 * beta * deviation), 40)])
    u, weight = panels(np.concatenate([-edges[:0:-1], edges]))
    density = np.exp(-((u / (beta * deviation)) ** 2) / 2) / (np.sqrt(2 * np.pi) * beta * deviation)
    return float(weight @ (density * function(u)))


def two_sums(function: Callable[[np.ndarray], np.ndarray], cov: np.ndarray, beta: float) -> float:
    """E[f(beta q) f(beta q')] of two normal sums, by panels in both, dense around both edges."""
    edges = np.concatenate([[0, 2, 5, 10, 20, 40], np.geomspace(60, 10 * beta * np.sqrt(cov.max()), 8)])
    u, weight = panels(np.concatenate([-edges[:0:-1], edges]), 30)
    inverse = np.linalg.inv(cov) / beta**2
    first, second = u[:, None], u
    power = inverse[0, 0] * first**2 + 2 * inverse[0, 1] * first * second + inverse[1, 1] * second**2
    density = np.exp(-power / 2) / (2 * np.pi * beta**2 * np.sqrt(np.linalg.det(cov)))
    weighted = weight * function(u)
    return float(weighted @ density @ weighted)


def soft_slope(u: np.ndarray) -> np.ndarray:
    """d(q sigmoid(beta q))/dq by u = beta q."""
    return logistic(u) + u * logistic(u) * logistic(-u)


def soft_relu_kernel(x: np.ndarray, depth: int, width: int, sigma: float, beta: float, eps: float) -> float:
    """K(1, 2) of a wide soft-ReLU network: each layer by quadrature over both sums, and over each alone."""
    products, K, scale = x @ x.T, float(x[0] @ x[1]), width * (1 + eps) ** 2
    for _ in range(depth - 1):
        cov = sigma**2 * products
        cross = two_sums(lambda u: u * logistic(u), cov, beta)
        alone = [one_sum(lambda u: (u * logistic(u)) ** 2, float(s), beta) for s in np.sqrt(np.diag(cov))]
        products = scale / beta**2 * (np.diag(alone) + cross * np.eye(2)[::-1])
        K = float(products[0, 1]) + scale * sigma**2 * two_sums(soft_slope, cov, beta) * K
    return K


def sampled_soft_relu(x: np.ndarray, depth: int, width: int, beta: float, runs: int) -> np.ndarray:
    """K(1, 2) of soft-ReLU networks, eps = 0, with normal weights of variance 2/w, as products of whole Jacobians."""
    found, dims = [], (x.shape[1], *[width] * (depth - 1), 1)
    for run in range(runs):
        rng = np.random.default_rng([13, run])
        weights = [np.sqrt(2 / width) * rng.normal(size=shape) for shape in itertools.pairwise(dims)]
        entering, slopes = [x], []
        for w in weights[:-1]:
            q = entering[-1] @ w
            entering.append(q * logistic(beta * q))
            slopes.append(soft_slope(beta * q))
        back, total = np.ones((len(x), 1)), 0.0
        for layer in range(depth - 1, -1, -1):
            rows = (entering[layer][:, :, None] * back[:, None, :]).reshape(len(x), -1)
            total += rows[0] @ rows[1]
            if layer:
                back = (back @ weights[layer].T) * slopes[layer - 1]
        found.append(total)
    return np.array(found)
