"""Deep gated networks by their paths, one by one: features, gradients, all signs of the weights, counts, second moments."""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from gatefield.ledger.routes.calculus import slopes

Arrays = Sequence[Any]


def paths(dims: Sequence[int]) -> list[tuple[int, ...]]:
    """All paths through layers of these sizes."""
    return list(itertools.product(*map(range, dims)))


def sizes(weights: Arrays) -> list[int]:
    return [len(weights[0]), *(w.shape[1] for w in weights)]


def path_features(dims: Sequence[int], gates: Arrays, x: np.ndarray) -> np.ndarray:
    """x_i(s) A(s, p), one row for each path; the last of `dims` is the output."""
    rows = [x[:, p[0]] * np.prod([g[:, i] for g, i in zip(gates, p[1:-1], strict=True)], axis=0) for p in paths(dims)]
    return np.array(rows)


def activations(gates: Arrays) -> np.ndarray:
    """A(s, p), one row for each path from one input."""
    return path_features((1, *(g.shape[1] for g in gates), 1), gates, np.ones((len(gates[0]), 1)))


def strength(weights: Arrays, path: Sequence[int]) -> float:
    """The product of the weights along a path, the last node of which is the output."""
    return math.prod(float(w[edge]) for w, edge in zip(weights, itertools.pairwise(path), strict=True))


def alone(weights: Arrays, path: Sequence[int]) -> float:
    """The output for the input 1 at the path's begin and 0 elsewhere, with the path's gates open and all others shut."""
    units = [np.eye(size)[[node]] for size, node in zip(sizes(weights), path[:-1], strict=False)]
    return float(output(weights, units[1:], units[0])[0, path[-1]])


def path_gradients(weights: Arrays) -> np.ndarray:
    """Derivatives of each path's strength by each weight, one row for each path."""
    dims, offsets = sizes(weights), np.cumsum([0, *(w.size for w in weights)])
    rows = np.zeros((len(paths(dims)), offsets[-1]))
    for row, p in zip(rows, paths(dims), strict=True):
        edges = list(itertools.pairwise(p))
        along = [w[edge] for w, edge in zip(weights, edges, strict=True)]
        for layer, edge in enumerate(edges):
            place = offsets[layer] + np.ravel_multi_index(edge, weights[layer].shape)
            row[place] = np.prod(along[:layer] + along[layer + 1 :])
    return rows


def all_pairs(weights: Arrays, gates: Arrays, x: np.ndarray, *, same_input: bool = False) -> np.ndarray:
    """The tangent kernel as a sum over all pairs of paths, or only over those that begin at the same input."""
    features, gradients = path_features(sizes(weights), gates, x), path_gradients(weights)
    products = gradients @ gradients.T
    if same_input:
        begin = np.array([p[0] for p in paths(sizes(weights))])
        products = products * (begin[:, None] == begin)
    return features.T @ products @ features


def all_signs(shapes: Iterable[tuple[int, ...]], sigma: float | Sequence[float] | np.ndarray) -> Iterator[list[np.ndarray]]:
    """Every choice of +-sigma for all weights in arrays of these shapes; sigma may differ between them."""
    shapes = list(shapes)
    counts, scales = [math.prod(shape) for shape in shapes], np.broadcast_to(sigma, len(shapes))
    for signs in itertools.product((-1.0, 1.0), repeat=sum(counts)):
        cuts = np.split(np.array(signs), np.cumsum(counts)[:-1])
        yield [scale * cut.reshape(shape) for cut, shape, scale in zip(cuts, shapes, scales, strict=True)]


def kernels_over_signs(dims: Sequence[int], gates: Arrays, x: np.ndarray, sigma: float) -> np.ndarray:
    """The tangent kernel for every choice of signs, (choices, samples, samples)."""
    features = path_features(dims, gates, x)
    rows = [features.T @ path_gradients(weights) for weights in all_signs(itertools.pairwise(dims), sigma)]
    return np.array([one @ one.T for one in rows])


def output(weights: Arrays, gates: Arrays, x: np.ndarray) -> Any:
    """Output (samples, outputs) of the gated network."""
    z = x
    for w, gate in zip(weights[:-1], gates, strict=True):
        z = (z @ w) * gate
    return z @ weights[-1]


def soft_gates(gating: Arrays, x: np.ndarray, beta: float, eps: float) -> list[np.ndarray]:
    """The gates of a soft gating network."""
    z, found = x, []
    for w in gating:
        q = z @ w
        found.append((1 + eps) / (1 + np.exp(-beta * q)))
        z = q * found[-1]
    return found


def steepest_sum(gating: Arrays, x: np.ndarray, beta: float, eps: float) -> float:
    """The largest |dq/dtheta| of all sums of a soft gating network, by differences."""

    def sums(g: Arrays) -> np.ndarray:
        gates = soft_gates(g, x, beta, eps)
        entering = [x, *(np.log(gate / (1 + eps - gate)) / beta * gate for gate in gates)]
        return np.concatenate([z @ w for z, w in zip(entering, g, strict=False)], axis=1)

    return float(abs(slopes(sums, list(gating))).max())


def least_sensitive_term(gating: Arrays, x: np.ndarray, soft: tuple[float, float], active: float, sensitive: float) -> float:
    """Over all samples and paths with one sensitive gate and the rest active: the least of their steepest terms."""
    gates, found = soft_gates(gating, x, *soft), []
    steep = [abs(slopes(lambda g, at=at: soft_gates(g, x, *soft)[at], list(gating))) for at in range(len(gating))]
    for p in paths([gate.shape[1] for gate in gates]):
        for s, at in itertools.product(range(len(x)), range(len(p))):
            rest = [gates[k][s, i] for k, i in enumerate(p) if k != at]
            most = steep[at][s, :, p[at]].max()
            if most > sensitive and min(rest) > active:
                found.append(most * math.prod(rest))
    return min(found)


def path_slope(gating: Arrays, x: np.ndarray, soft: tuple[float, float], units: tuple[int, ...]) -> float:
    """The length of dA/dtheta for the path through these units, of the first sample, by differences."""

    def activation(g: Arrays) -> np.ndarray:
        return np.prod([gate[:, i] for gate, i in zip(soft_gates(g, x, *soft), units, strict=True)], axis=0)

    return float(np.linalg.norm(slopes(activation, list(gating))[0]))


def rate_of_step(weights: Arrays, gates: Arrays, x: np.ndarray, step: float = 1e-6) -> float:
    """(e_0 - e_1)/(alpha e_0) after one step on the sum of squared errors, one sample; its slope by differences."""
    target = output(weights, gates, x) - 1.0
    found = slopes(lambda w: (output(w, gates, x) - target)[:, 0] ** 2, weights, 1e-4)[0]
    cuts = np.split(found, np.cumsum([w.size for w in weights])[:-1])
    moved = [w - step * cut.reshape(w.shape) for w, cut in zip(weights, cuts, strict=True)]
    return (1.0 - (output(moved, gates, x) - target).item()) / step


def moments_of_gates(samples: int, power: int = 1) -> float:
    """Mean of lambda^power for d = 3, w = 2 over all gates, of one sample with itself or of two samples."""
    total = 0.0
    for bits in itertools.product((0.0, 1.0), repeat=4 * samples):
        first, second = np.reshape(bits, (samples, 2, 2))[[0, -1]]
        total += float(np.prod((first * second).sum(1))) ** power
    return total / 2 ** (4 * samples)


def largest_overlap(layer: np.ndarray, *, itself: bool) -> float:
    """The largest share of a sample's gates that another sample opens too, or that any sample does."""
    pairs = itertools.product(range(len(layer)), repeat=2)
    return max(float(layer[s] @ layer[t] / layer[s].sum()) for s, t in pairs if itself or s != t)


def tied_gates(width: int) -> list[np.ndarray]:
    """Gates of all ReLU networks without biases with signs as weights, one input 1, d = 3; a tied gate is shut."""
    rows = []
    for first in itertools.product((-1, 1), repeat=width):
        for second in itertools.product((-1, 1), repeat=width**2):
            z = np.maximum(first, 0)
            rows.append((z > 0, z @ np.reshape(second, (width, width)) > 0))
    return [np.array(layer, float) for layer in zip(*rows, strict=True)]


def crossings(depth: int, width: int = 2) -> float:
    """Pairs of paths through a common weight of a middle layer, times the d^2 choices of m and m', over w^(2(d-2)).

    Paths before and behind the layer are counted by products of matrices of ones.
    """
    step = np.full((width, width), 1, dtype=object)
    ways = [np.full(width, 1, dtype=object)]
    for _ in range(depth - 3):
        ways.append(ways[-1] @ step)
    pairs = sum(int(((before[:, None] * after) ** 2).sum()) for before, after in zip(ways, ways[::-1], strict=True))
    return pairs * depth**2 / width ** (2 * (depth - 2))


def exact_variance(depth: int, width: int, mu: Fraction = Fraction(1), *, cross: bool = False) -> float:
    """Variance of K for random gates, one input 1 and sigma^2 = 1/(mu w), from plain second moments in fractions."""
    both, pairs, s2 = mu**2 if cross else mu, width * (width - 1), 1 / (mu * width)
    square = plain_second_moment(width * both, pairs * both**2, pairs * mu**2, depth, s2**2)
    return float(square - (depth * (s2 * width * both) ** (depth - 1)) ** 2)


def plain_second_moment(same: Any, apart: Any, crossed: Any, depth: int, s4: Any, kurtosis: int = 1) -> Any:
    """E[K^2] for one input x = 1 by the recursion of plain second moments, in whatever numbers are given."""
    c = 3 - kurtosis

    def vectors() -> Iterator[Any]:
        al, nu, q = 1, 1, 1
        yield al
        for _ in range(depth - 1):
            y = nu + 2 * al - c * q
            al, nu, q = s4 * (apart * al + same * y), s4 * (crossed * nu + same * y), s4 * same * y
            yield al

    a = list(vectors())
    b = a[::-1]
    total = sum(a[k] * b[k] for k in range(depth))
    for low in range(depth - 1):
        T, U, V, D = apart + same, same, same, same
        for high in range(low + 1, depth):
            total += 2 * a[low] * b[high] * s4 * T
            Y = T + U + V - c * D
            T, U = s4 * (apart * T + same * Y), s4 * (crossed * U + same * Y)
            V, D = s4 * (apart * V + same * Y), s4 * same * Y
    return total
