"""What the tangent kernel is made of: a forward and a backward vector for each sample and layer, and their Gram matrices."""

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from gatefield.kernels.passes import dense, gated_pass
from gatefield.kernels.threads import side_by_side


class Features(NamedTuple):
    """The gradient with respect to layer l is the outer product of `forward[l]` and `backward[l]`."""

    forward: list[Any]
    """What enters each layer: z_0 = x to z_{d-1}, each (samples, width)."""
    backward: list[Any]
    """How the output answers to each layer's sums: b_1 to b_{d-1}, each (samples, outputs * width); b_d = 1 is left out."""
    outputs: int


def features(weights: list[Any], gates: list[Any], x: Any, biases: list[Any] | None = None) -> Features:
    """One forward and one backward pass for all samples, with the outputs side by side in the backward vectors."""
    size = 2 * len(x) * sum(w.size for w in weights) * x.dtype.itemsize / 4 if isinstance(x, np.ndarray) else 0
    passes = [lambda: _forward(weights, gates, x, biases), lambda: _backward(weights, gates, len(x))]
    forward, backward = side_by_side(passes, size)
    return Features(forward, backward, weights[-1].shape[1])


def with_biases(parts: Features, biases: list[Any] | None) -> Features:
    """The features of weights and biases: a bias is the weight of an input that is always one."""
    return parts if biases is None else parts._replace(forward=_with_ones(parts.forward))


def back(b: Any, weights: Any, outputs: int) -> Any:
    """Backward vectors (samples, outputs * width) one layer down: (samples, outputs, fan-in)."""
    return (b.reshape(len(b) * outputs, -1) @ weights.T).reshape(len(b), outputs, -1)


def _forward(weights: list[Any], gates: list[Any], x: Any, biases: list[Any] | None) -> list[Any]:
    return [x, *(z for _, _, z in gated_pass(dense(weights[:-1], biases), x, lambda at, q: gates[at]))]


def _backward(weights: list[Any], gates: list[Any], samples: int) -> list[Any]:
    outputs = weights[-1].shape[1]
    found = [(gates[-1][:, None, :] * weights[-1].T).reshape(samples, -1)]
    for w, gate in zip(weights[-2:0:-1], gates[-2::-1], strict=True):
        found.append((back(found[-1], w, outputs) * gate[:, None, :]).reshape(samples, -1))
    return found[::-1]


def _with_ones(forward: list[Any]) -> list[Any]:
    xp = np if isinstance(forward[0], np.ndarray) else jnp
    one = xp.ones((len(forward[0]), 1), forward[0].dtype)
    return [xp.concatenate([z, one], 1) for z in forward]


def kernel(rows: Features, columns: Features) -> Any:
    """Sum over the layers of the product of both Grams, between two sets of samples."""
    total: Any = 0.0
    if len(rows.forward) > len(rows.backward):
        total = rows.outputs * (rows.forward[-1] @ columns.forward[-1].T)
    for z, b, zz, bb in zip(rows.forward, rows.backward, columns.forward, columns.backward, strict=False):
        total = total + (z @ zz.T) * (b @ bb.T)
    return total


def cut(all_of: Features, which: slice) -> Features:
    """The features of some of the samples."""
    return Features([z[which] for z in all_of.forward], [b[which] for b in all_of.backward], all_of.outputs)


def strips(samples: int, height: int) -> Iterator[tuple[slice, slice]]:
    """Strips of rows, each with the columns up to its diagonal: together one half of a symmetric matrix."""
    for start in range(0, samples, height):
        stop = min(start + height, samples)
        yield slice(start, stop), slice(0, stop)


def host_kernel(weights: list[Any], gates: list[Any], x: np.ndarray, biases: list[Any] | None, height: int) -> np.ndarray:
    """The whole matrix on the host: half the work of full products, and little memory beside the result.

    Up to `height` samples each layer is one task; more samples are cut into strips of that height.
    """
    if len(x) > height:
        return _by_strips(with_biases(features(weights, gates, x, biases), biases), height)
    size = len(x) * (2 * sum(w.size for w in weights) + len(x) * sum(w.shape[0] for w in weights)) * x.dtype.itemsize / 4
    first = x if biases is None else _with_ones([x])[0]
    passes = [
        lambda: _forward(weights, gates, x, biases),
        lambda: first @ first.T,
        lambda: _backward(weights, gates, len(x)),
    ]
    forward, inputs, backward = side_by_side(passes, size)
    forward = forward if biases is None else _with_ones(forward)
    outputs = weights[-1].shape[1]
    layers = [lambda z=z, b=b: _into(z @ z.T, b @ b.T) for z, b in zip(forward[1:], backward[1:], strict=False)]
    tasks = [lambda: _into(inputs, backward[0] @ backward[0].T), *layers, lambda: outputs * (forward[-1] @ forward[-1].T)]
    return functools.reduce(_plus, side_by_side(tasks, size))


def _by_strips(parts: Features, height: int) -> np.ndarray:
    samples = len(parts.forward[0])
    matrix = np.empty((samples, samples), parts.forward[0].dtype)
    tasks = [functools.partial(_strip, parts, matrix, *strip) for strip in strips(samples, height)]
    side_by_side(tasks[::-1], samples**2 * sum(part.shape[1] for part in parts.forward))  # the longest first
    return matrix


def _into(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.multiply(first, second, out=first)


def _plus(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.add(first, second, out=first)


def _strip(parts: Features, matrix: np.ndarray, rows: slice, columns: slice) -> None:
    """Write some rows of the matrix up to the diagonal, and what mirrors them."""
    shape = (rows.stop - rows.start, columns.stop)
    total, first, second = np.empty((3, *shape), matrix.dtype)
    np.matmul(parts.forward[-1][rows], parts.forward[-1][columns].T, out=total)
    if parts.outputs > 1:
        total *= parts.outputs
    for z, b in zip(parts.forward, parts.backward, strict=False):
        np.matmul(z[rows], z[columns].T, out=first)
        first *= np.matmul(b[rows], b[columns].T, out=second)
        total += first
    matrix[rows, columns] = total
    matrix[: rows.start, rows] = total[:, : rows.start].T
