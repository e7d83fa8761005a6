"""Section 3 of note 002 as printed: equations that the ledger sets beside the right ones.

s stands for w'Cw, gram for the matrix of w_j'Cw_k in one class (1: positive, 0: negative).
"""

import numpy as np
from scipy.special import erf


def equation_39(b: float, s1: float) -> float:
    """E[2/sqrt(pi) exp(-(w.x + b)^2)]; 0/0 at s1 = 0."""
    return 2 / np.sqrt(np.pi) / np.sqrt(2 * s1 + 1) * np.exp(b**2 / (2 * s1) * (1 / (2 * s1 + 1) - 1))


def equation_41(b: float, s1: float) -> float:
    """E[erf(w.x + b) 2/sqrt(pi) exp(-(w.x + b)^2)]."""
    return -2 / (np.sqrt(np.pi) * np.sqrt(2 * s1 + 1)) * _single(b, s1)


def equation_42(b: float, s1: float, s0: float) -> float:
    """The bias velocity of a single neuron, labels (1, 0)."""
    first = np.exp(1 / (2 * s1) * (1 / (2 * s1 + 1) - 1) * b**2)
    brackets = first + _single(b, s1) + np.sqrt((2 * s1 + 1) / (2 * s0 + 1)) * _single(b, s0)
    return 1 / (np.sqrt(np.pi) * np.sqrt(2 * s1 + 1)) * brackets


def equation_43(s1: float) -> float:
    """The same at initialization."""
    return 1 / (np.sqrt(np.pi) * np.sqrt(2 * s1 + 1))


def committee_bias(b: np.ndarray, gram1: np.ndarray, gram0: np.ndarray) -> float:
    """K tau db_1/dt of several neurons, labels (1, -1)."""
    others = sum(_other(b[0], b[k], gram[0, 0], gram[0, k], gram[k, k]) for gram in (gram1, gram0) for k in range(1, len(b)))
    return _common(b, gram1, gram0) - np.sqrt(2 / np.pi) * others / (2 * len(b))


def committee_bias_around_init(b: np.ndarray, gram1: np.ndarray, gram0: np.ndarray) -> float:
    """The same "around init", which is what it gives for fields that do not overlap."""
    return committee_bias(b, np.diag(np.diag(gram1)), np.diag(np.diag(gram0)))


def _single(b: float, s: float) -> float:
    share = 2 * s / (2 * s + 1)
    return np.exp((share - 1) * b**2) * erf((share - 1) / np.sqrt(1 + share) * b)


def _common(b: np.ndarray, gram1: np.ndarray, gram0: np.ndarray) -> float:
    """The label term and the term k = 1."""
    bias, s, t = b[0], gram1[0, 0], gram0[0, 0]
    label = np.exp(-(bias**2) / (2 * (s + 1))) / np.sqrt(s + 1) - np.exp(-(bias**2) / (2 * (t + 1))) / np.sqrt(t + 1)
    return np.sqrt(2 / np.pi) * label - (_own(bias, s) + _own(bias, t)) / (2 * len(b))


def _own(bias: float, s: float) -> float:
    rest = 1 - s / (s + 1)
    return np.exp(-0.5 * rest * bias**2) / np.sqrt(s + 1) * erf(rest * bias / np.sqrt(1 + s / (s + 1)) / np.sqrt(2))


def _other(b1: float, bk: float, s11: float, s1k: float, skk: float) -> float:
    shift = -s1k / s11 * b1 / (s11 + 1) + bk
    spread = np.sqrt(1 + s1k**2 / (s11 + (s11 * skk - s1k**2)) / (s11 + 1))
    inside = shift / spread / (np.sqrt(2) * np.sqrt(1 + (skk - s1k**2 / s11)))
    return np.exp(-(b1**2) / (2 * (s11 + 1))) / np.sqrt(s11 + 1) * erf(inside)
