"""The best gates a search can find, beside the gates of trained ReLU committees."""

import numpy as np

from gatefield.data import Task
from gatefield.measures import best_match


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
    Cosines are those of <v, x> and <w, x>, in the metric of a covariance of x.

    >>> V = np.array([[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    >>> round(likeness(V, -np.roll(V[::-1, ::-1], 1, axis=1), np.eye(4)), 6)
    1.0
    """
    values, basis = np.linalg.eigh(cov)
    root = basis * np.sqrt(np.maximum(values, 0.0))
    turned = [np.roll(rows, shift, axis=1) for rows in (W, W[:, ::-1]) for shift in range(W.shape[1])]
    return max(best_match(V @ root, sign * rows @ root) for rows in turned for sign in (1, -1))
