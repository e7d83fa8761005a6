"""Whether two fields are the same, in place or up to a shift and a sign."""

import numpy as np
from scipy.optimize import linear_sum_assignment


def cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The cosine of the angle of two fields, axis by axis; 0 if one of them is 0.

    >>> float(cosine(np.array([1.0, 0.0]), np.array([0.0, 2.0])))
    0.0
    """
    size = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return np.sum(a * b, axis=-1) / np.where(size > 0, size, 1.0)


def shifted_cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The largest absolute cosine over all shifts around the ring: 1 if the fields are the same up to shift and sign.

    >>> round(float(shifted_cosine(np.array([0.0, 1.0, 0.0, 0.5]), np.array([-0.5, 0.0, -1.0, 0.0]))), 6)
    1.0
    """
    products = np.fft.ifft(np.fft.fft(a) * np.fft.fft(b).conj()).real
    size = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return np.abs(products).max(-1) / np.where(size > 0, size, 1.0)


def groups(fields: np.ndarray, least: float) -> np.ndarray:
    """A number for each field, the same for those whose `shifted_cosine` with the first of their group is `least` or more.

    >>> groups(np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.0, -1.0, 0.0]]), 0.99).tolist()
    [0, 1, 0]
    """
    out, firsts = np.full(len(fields), -1), []
    for i, field in enumerate(fields):
        near = shifted_cosine(np.asarray(firsts), field) if firsts else np.zeros(0)
        if len(near) and near.max() >= least:
            out[i] = int(near.argmax())
        else:
            out[i] = len(firsts)
            firsts.append(field)
    return out


def aligned(field: np.ndarray) -> np.ndarray:
    """The field shifted such that its largest entry stands in the middle, and is 1.

    >>> aligned(np.array([0.0, 1.0, 2.0, 4.0])).tolist()
    [0.25, 0.5, 1.0, 0.0]
    """
    peak = int(np.argmax(np.abs(field)))
    return np.roll(field / field[peak], len(field) // 2 - peak)


def best_match(a: np.ndarray, b: np.ndarray) -> float:
    """The mean cosine of the fields a (K, n) with the fields b (K, n), over the pairing that makes it largest.

    >>> round(best_match(np.eye(3), np.eye(3)[::-1]), 6)
    1.0
    """
    table = cosine(a[:, None], b[None])
    rows, columns = linear_sum_assignment(-table)
    return float(table[rows, columns].mean())
