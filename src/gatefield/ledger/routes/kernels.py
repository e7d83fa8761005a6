"""Slow routes to the kernels, which use none of the library's formulas: lists of all paths, all signs, differences."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

Arrays = Sequence[np.ndarray]


def paths(dims: Sequence[int]) -> list[tuple[int, ...]]:
    """All paths through layers of these sizes."""
    return list(itertools.product(*map(range, dims)))


def sizes(weights: Arrays) -> list[int]:
    return [len(weights[0]), *(w.shape[1] for w in weights)]


def path_features(dims: Sequence[int], gates: Arrays, x: np.ndarray) -> np.ndarray:
    """x_i(s) A(s, p), one row for each path; the last of `dims` is the output."""
    rows = [x[:, p[0]] * np.prod([g[:, i] for g, i in zip(gates, p[1:-1], strict=True)], axis=0) for p in paths(dims)]
    return np.array(rows)


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


def all_signs(dims: Sequence[int], sigma: float) -> Iterator[list[np.ndarray]]:
    """Every choice of +-sigma for all weights."""
    shapes = list(itertools.pairwise(dims))
    counts = [rows * columns for rows, columns in shapes]
    for signs in itertools.product((-sigma, sigma), repeat=sum(counts)):
        cuts = np.split(np.array(signs), np.cumsum(counts)[:-1])
        yield [cut.reshape(shape) for cut, shape in zip(cuts, shapes, strict=True)]


def output(weights: Arrays, gates: Arrays, x: np.ndarray) -> np.ndarray:
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


def differences_kernel(function: Callable[[list[np.ndarray]], Any], params: Arrays, step: float = 1e-5) -> np.ndarray:
    """Gram matrix of the derivatives of `function(params)`, (samples,) or (samples, ...), by central differences."""
    columns = []
    for k, at in ((k, at) for k, p in enumerate(params) for at in np.ndindex(p.shape)):
        ends = []
        for sign in (1, -1):
            moved = [p.copy() for p in params]
            moved[k][at] += sign * step
            ends.append(np.asarray(function(moved)))
        columns.append(((ends[0] - ends[1]) / (2 * step)).reshape(len(ends[0]), -1))
    rows = np.stack(columns, 1).reshape(len(columns[0]), -1)
    return rows @ rows.T


def plain_second_moment(same: Any, apart: Any, crossed: Any, depth: int, s4: Any, kurtosis: int = 1) -> Any:
    """E[K^2] for one input x = 1 by the recursion of plain second moments, in whatever numbers are given."""
    c, start = 3 - kurtosis, (1, 1, 1)

    def vectors() -> Iterator[Any]:
        al, nu, q = start
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
