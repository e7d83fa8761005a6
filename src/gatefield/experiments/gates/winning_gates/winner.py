"""The best gates a search can find, beside the gates of trained ReLU committees."""

from typing import Any

import jax
import numpy as np
from scipy.optimize import linear_sum_assignment

from gatefield.data import Task
from gatefield.gates import half_spaces
from gatefield.theory import gated_linear


def best_pair(direction: np.ndarray, task: Task, *, key: Any, samples: int) -> float:
    """What the exclusive pair of a direction and its opposite explains."""
    stat_key, _ = jax.random.split(key)
    A, b, _ = gated_linear.statistics(half_spaces(np.stack([direction, -direction])), task, key=stat_key, samples=samples)
    return float(gated_linear.explained(A, b))


def covariance(task: Task) -> np.ndarray:
    """Of both classes together."""
    return np.asarray(task.proportion * task.positive.covariance() + (1 - task.proportion) * task.negative.covariance())


def cosines(V: np.ndarray, W: np.ndarray, cov: np.ndarray) -> np.ndarray:
    """Between all rows of V and W, in the metric of a covariance; 0 for a row of zeros.

    >>> cosines(np.array([[1.0, 0.0]]), np.array([[2.0, 0.0], [0.0, -1.0]]), np.eye(2)).tolist()
    [[1.0, 0.0]]
    """
    lengths = [np.sqrt(np.einsum("ki,ij,kj->k", rows, cov, rows)) for rows in (V, W)]
    scale = np.outer(*lengths)
    return np.where(scale > 0, V @ cov @ W.T / np.where(scale > 0, scale, 1.0), 0.0)


def variance_by_frequency(V: np.ndarray, task: Task) -> np.ndarray:
    """Which share of the variance of <v, x> lies at each frequency, 0 to n/2, for each class: (class, gate, frequency)."""
    power = np.abs(np.fft.rfft(V, axis=1)) ** 2
    power[:, 1 : (V.shape[1] + 1) // 2] *= 2
    spectra = [np.fft.rfft(np.asarray(source.covariance())[0]).real for source in (task.positive, task.negative)]
    variance = np.stack([power * np.maximum(spectrum, 0.0) for spectrum in spectra])
    return variance / variance.sum(-1, keepdims=True)


def likeness(V: np.ndarray, W: np.ndarray, cov: np.ndarray) -> float:
    """Mean cosine of the rows of V and W at their best: up to order, and up to the symmetries of ring and labels.

    Those are rotation, reflection, and the sign of all directions together: they change nothing of what gates explain.

    >>> V = np.array([[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    >>> round(likeness(V, -np.roll(V[::-1, ::-1], 1, axis=1), np.eye(4)), 6)
    1.0
    """
    best = -1.0
    for turned in (W, W[:, ::-1]):
        for shift in range(W.shape[1]):
            between = cosines(V, np.roll(turned, shift, axis=1), cov)
            for signed in (between, -between):
                rows, columns = linear_sum_assignment(-signed)
                best = max(best, float(signed[rows, columns].mean()))
    return best
