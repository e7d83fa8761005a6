"""What the tangent kernel is made of: a forward and a backward vector for each sample and layer, and their Gram matrices."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np


class Features(NamedTuple):
    """The gradient with respect to layer l is the outer product of `forward[l]` and `backward[l]`."""

    forward: list[Any]
    """What enters each layer: z_0 = x to z_{d-1}, each (samples, width)."""
    backward: list[Any]
    """How the output answers to each layer's sums: b_1 to b_{d-1}, each (samples, outputs * width)."""
    outputs: int


def features(weights: list[Any], gates: list[Any], x: Any) -> Features:
    """One forward and one backward pass for all samples, with the outputs side by side in the backward vectors."""
    forward = [x]
    for w, gate in zip(weights[:-1], gates, strict=True):
        forward.append(_times(forward[-1] @ w, gate))
    samples, outputs = len(x), weights[-1].shape[1]
    backward = [gates[-1][:, None, :] * weights[-1].T]
    for w, gate in zip(weights[-2:0:-1], gates[-2::-1], strict=True):
        sums = (backward[-1].reshape(samples * outputs, -1) @ w.T).reshape(samples, outputs, -1)
        backward.append(_times(sums, gate[:, None, :]))
    return Features(forward, [b.reshape(samples, -1) for b in backward[::-1]], outputs)


def _times(fresh: Any, gate: Any) -> Any:
    """The product with the gate, on the host in the memory of the first factor, which nothing else needs."""
    if isinstance(fresh, np.ndarray):
        return np.multiply(fresh, gate, out=fresh)
    return fresh * gate


def kernel(rows: Features, columns: Features) -> Any:
    """Sum over the layers of the product of both Grams, between two sets of samples."""
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


def symmetric_kernel(parts: Features, height: int) -> np.ndarray:
    """The whole matrix on the host, strip by strip: half the work of full products, and little memory beside the result."""
    samples, kind = len(parts.forward[0]), parts.forward[0].dtype
    matrix = np.empty((samples, samples), kind)
    spare = np.empty((3, min(height, samples) * samples), kind)
    for rows, columns in strips(samples, height):
        shape = (rows.stop - rows.start, columns.stop)
        total, first, second = (s[: shape[0] * shape[1]].reshape(shape) for s in spare)
        np.matmul(parts.forward[-1][rows], parts.forward[-1][columns].T, out=total)
        if parts.outputs > 1:
            total *= parts.outputs
        for z, b in zip(parts.forward, parts.backward, strict=False):
            np.matmul(z[rows], z[columns].T, out=first)
            first *= np.matmul(b[rows], b[columns].T, out=second)
            total += first
        matrix[rows, columns] = total
        matrix[: rows.start, rows] = total[:, : rows.start].T
    return matrix
