"""Averages over Gaussian inputs: by quadrature along a direction, in the plane of two fields or along several; by sampling."""

import functools
import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import multivariate_normal

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(60)


def panels(edges: np.ndarray, count: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss-Legendre panels between the edges."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    low, width = edges[:-1, None], np.diff(edges)[:, None]
    return (low + width * (1 + nodes) / 2).ravel(), (width * weights / 2).ravel()


def sampled(values: np.ndarray) -> tuple[float, float]:
    """The mean and its standard error."""
    return float(values.mean()), float(values.std() / math.sqrt(len(values)))


def hermite_mean(
    function: Callable[..., np.ndarray],
    directions: Sequence[np.ndarray] | np.ndarray,
    cov: np.ndarray,
    count: int | None = None,
) -> float:
    """E function(d_1.x, d_2.x, ...) for x ~ N(0, C), by Gauss-Hermite quadrature; directions may be parallel or zero."""
    rows = np.array(directions)
    nodes, weights = np.polynomial.hermite_e.hermegauss(count or (48 if len(rows) < 3 else 32))
    values, vectors = np.linalg.eigh(rows @ cov @ rows.T)
    grid = np.array(np.meshgrid(*[nodes] * len(rows), indexing="ij")).reshape(len(rows), -1)
    mass = np.prod(np.meshgrid(*[weights] * len(rows), indexing="ij"), axis=0).ravel()
    return float(function(*(vectors * np.sqrt(np.maximum(values, 0)) @ grid)) @ mass / mass.sum())


def open_mean(w: np.ndarray, cov: np.ndarray, power: int = 0) -> np.ndarray:
    """E[1(w.x > 0) (w.x)^power x]: for each site, an integral over half a turn in the plane of the site and the field."""
    turn, weight = panels(np.linspace(-np.pi / 2, np.pi / 2, 5))
    length = math.sqrt(w @ cov @ w)
    along = cov @ w / length
    across = np.sqrt(np.maximum(np.diag(cov) - along**2, 0.0))
    radius = 2 ** ((power + 1) / 2) * math.gamma(1 + (power + 1) / 2)  # E r^(power + 1) in the plane
    inside = np.outer(np.cos(turn), along) + np.outer(np.sin(turn), across)
    return radius * ((weight * (length * np.cos(turn)) ** power) @ inside) / (2 * np.pi)


class Wedge:
    """Averages over x = root z, z standard normal, by Gauss-Legendre quadrature over the angles where two gates are open.

    In the plane of both fields z = r (sin s, cos s), with w.z = |w| r sin s and v.z = |v| r sin(phi - s), open for 0 < s < phi.
    Where the fields are so nearly parallel that rounding would decide, phi can be given.
    """

    def __init__(self, w: np.ndarray, v: np.ndarray, root: np.ndarray, phi: float | None = None):
        a, b = root.T @ w, root.T @ v
        self.lengths = np.linalg.norm(a), np.linalg.norm(b)
        first = a / self.lengths[0]
        rest = b - first * (first @ b)
        self.plane = np.stack([first, rest / np.linalg.norm(rest)])
        self.phi = np.pi - np.arctan2(np.linalg.norm(rest), first @ b) if phi is None else phi
        self.s, self.weights = self.phi * (_NODES + 1) / 2, self.phi * _WEIGHTS / 2 / (2 * np.pi)
        self.directions = np.stack([np.sin(self.s), np.cos(self.s)], axis=1)
        self.root = root

    def kernel(self) -> float:
        """E[relu(w.x) relu(v.x)]."""
        return float(self.lengths[0] * self.lengths[1] * 2 * self.weights @ (np.sin(self.s) * np.sin(self.phi - self.s)))

    def pair_mean(self) -> np.ndarray:
        """E[1(w.x > 0) relu(v.x) x]."""
        mean = 2 * (self.weights * np.sin(self.phi - self.s)) @ self.directions
        return self.root @ self.plane.T @ mean * self.lengths[1]

    def second_moment(self) -> np.ndarray:
        """E[1(w.x > 0) 1(v.x > 0) x x']."""
        inside = 2 * np.einsum("s,si,sj->ij", self.weights, self.directions, self.directions)
        outside = np.eye(self.root.shape[1]) - self.plane.T @ self.plane
        return self.root @ (self.plane.T @ inside @ self.plane + self.weights.sum() * outside) @ self.root.T


def pair_mean(w: np.ndarray, v: np.ndarray, cov: np.ndarray) -> np.ndarray:
    """E[1(w.x > 0) relu(v.x) x], also for v = w."""
    return open_mean(w, cov, 1) if np.array_equal(w, v) else Wedge(w, v, np.linalg.cholesky(cov)).pair_mean()


@functools.cache
def half_moment(degree: int) -> float:
    """E[relu(z)^degree] of a standard normal z."""
    return quad(lambda z: z**degree * math.exp(-z * z / 2) / math.sqrt(2 * math.pi), 0, 12, epsabs=1e-14)[0]


def relu_loss(
    fields: np.ndarray,
    covs: Sequence[np.ndarray],
    labels: Sequence[float] = (1.0, 0.0),
    readout: np.ndarray | None = None,
    bias: float = 0.0,
) -> float:
    """Half of the mean squared error of a ReLU committee, every mean by quadrature."""
    weights = np.full(len(fields), 1 / len(fields)) if readout is None else readout
    total = 0.0
    for cov, label in zip(covs, labels, strict=True):
        root, lengths = np.linalg.cholesky(cov), np.sqrt([w @ cov @ w for w in fields])
        gram = np.diag(half_moment(2) * lengths**2)
        for j, k in itertools.combinations(range(len(fields)), 2):
            gram[j, k] = gram[k, j] = Wedge(fields[j], fields[k], root).kernel()
        mean = weights @ lengths * half_moment(1)
        total += 0.25 * float(weights @ gram @ weights - mean**2 + (mean + bias - label) ** 2)
    return total


def sampled_relu_loss(
    fields: np.ndarray, covs: Sequence[np.ndarray], labels: Sequence[float], samples: int = 200_000
) -> tuple[float, float]:
    """The same on random inputs, with its standard error."""
    rng, errors = np.random.default_rng(0), []
    for cov, label in zip(covs, labels, strict=True):
        x = rng.multivariate_normal(np.zeros(len(cov)), cov, size=samples)
        errors.append(0.5 * (np.maximum(x @ fields.T, 0).mean(1) - label) ** 2)
    return float(np.mean(errors)), math.sqrt(sum(part.var() / samples for part in errors)) / 2


def agreement(w: np.ndarray, v: np.ndarray, cov: np.ndarray) -> float:
    """Probability that both gates are open or both shut, by SciPy's bivariate normal distribution function."""
    pair = np.stack([w, v]) / np.sqrt([[w @ cov @ w], [v @ cov @ v]])
    return 2 * float(multivariate_normal.cdf(np.zeros(2), cov=pair @ cov @ pair.T))  # pyright: ignore[reportArgumentType]


def bivariate_cdf(a: float, b: float, r: float) -> float:
    """P(X < a, Y < b): the integral of phi(x) Phi((b - r x)/sqrt(1 - r^2)) below a, cut around the step of Phi."""
    root = math.sqrt((1 - r) * (1 + r))
    cuts = [-38.0, -8.0, -4.0, -1.0, 0.0, 1.0, 4.0, 8.0, a]
    if r != 0:
        cuts += [b / r + c * root / abs(r) for c in (-9, -5, -2, 0, 2, 5, 9)]

    def density(x: float) -> float:
        return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi) * ndtr((b - r * x) / root)

    ends = itertools.pairwise(np.unique(np.clip(cuts, -38.0, a)))
    return sum(quad(density, p, q, epsabs=1e-15, epsrel=1e-12)[0] for p, q in ends)
