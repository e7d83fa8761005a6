"""Signs on the corners of a cube: laws by enumeration and quadrature, what a gate lets through, sums of signed weights."""

import cmath
import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.special import ndtr

from gatefield.ledger.routes import gaussian, rings
from gatefield.ledger.routes.calculus import derivative


def corners(n: int) -> np.ndarray:
    return np.array(list(itertools.product([-1.0, 1.0], repeat=n)))


def ring_law(n: int, coupling: float) -> np.ndarray:
    """Probabilities of the corners under a nearest-neighbour coupling on the ring."""
    points = corners(n)
    weights = np.exp(coupling * np.sum(points * np.roll(points, 1, axis=1), axis=1))
    return weights / weights.sum()


def three_signs(xi: float) -> np.ndarray:
    """Probabilities of the signs of a Gaussian field on a ring of three sites: (1 + sum of s_i s_j c_ij) / 8."""
    c, x = 2 / np.pi * np.arcsin(rings.wrapped(3, xi)[1]), corners(3)
    return (1 + c * (x[:, 0] * x[:, 1] + x[:, 1] * x[:, 2] + x[:, 2] * x[:, 0])) / 8


def one_factor(loads: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Probabilities of sign patterns of z_i = a_i t + sqrt(1 - a_i^2) e_i with t and all e_i independent and normal."""
    t, weight = gaussian.panels(np.linspace(-9, 9, 37))
    odds = ndtr(points[:, :, None] * (loads / np.sqrt(1 - loads**2))[:, None] * t)
    return odds.prod(axis=1) @ (weight * np.exp(-(t**2) / 2) / math.sqrt(2 * math.pi))


def product_mean(loads: np.ndarray) -> float:
    """E of the product of all signs of that law."""
    t, weight = gaussian.panels(np.linspace(-9, 9, 37))
    odds = 2 * ndtr((loads / np.sqrt(1 - loads**2))[:, None] * t) - 1
    return float(odds.prod(0) @ (weight * np.exp(-(t**2) / 2))) / math.sqrt(2 * math.pi)


def covariance(law: np.ndarray, points: np.ndarray) -> np.ndarray:
    return points.T @ (law[:, None] * points)


def opened(w: np.ndarray, law: np.ndarray, points: np.ndarray) -> np.ndarray:
    """E[1(w.x >= 0) x], a tie counting one half; fields here have exact or no ties."""
    return (law * (0.5 + 0.5 * np.sign((points @ w).round(12)))) @ points


def output(w: np.ndarray, law: np.ndarray, points: np.ndarray) -> float:
    """E relu(w.x)."""
    return float(law @ np.maximum(points @ w, 0))


def loss(w: np.ndarray, laws: Sequence[np.ndarray], points: np.ndarray, labels: Sequence[float] = (1.0, 0.0)) -> float:
    """Half of the mean squared error of one neuron on two laws."""
    outputs = np.maximum(points @ w, 0)
    return sum(0.25 * float(law @ (outputs - y) ** 2) for law, y in zip(laws, labels, strict=True))


def slope(w: np.ndarray, along: np.ndarray, law: np.ndarray, points: np.ndarray) -> float:
    """Derivative of `output` along a direction."""
    return derivative(lambda e: output(w + e * along, law, points), 1e-6, order=2)


def settled_loss(
    law: np.ndarray, points: np.ndarray, low: np.ndarray, start: Sequence[float] = (1.0,), steps: int = 3000
) -> float:
    """The loss of the steady state from a start on the first sites; negative class of signs with covariance `low`."""
    w, both = np.pad(np.asarray(start, float), (0, len(low) - len(start))), covariance(law, points) + low
    for _ in range(steps):
        w = w + 0.2 * (opened(w, law, points) / 2 - both @ w / 4)
    return 0.25 * float(law @ (np.maximum(points @ w, 0) - 1) ** 2) + 0.25 * float(w @ low @ w) / 2


def entrywise(w: np.ndarray, law: np.ndarray, points: np.ndarray, *, inside: bool) -> float:
    """The line between equations 17 and 18 of note 003 for j = 0, the factor x_j inside the product or outside it."""
    total = 0.0
    for shown in points[points @ w >= 0]:
        factors = np.sign(shown) / 2 * (points + shown)
        term = (factors * points[:, :1]).prod(1) if inside else factors.prod(1) * points[:, 0]
        total += float(law @ term)
    return total


def sum_over_sites(w: np.ndarray, law: np.ndarray, points: np.ndarray) -> float:
    """The first entry of the right side of equation 20 of note 003 as printed."""
    inside = points[points @ w >= 0]
    counts = np.array([[np.sum(inside[:, j] == x[j]) for j in range(len(w))] for x in points])
    return float(law @ (counts.sum(1) * points[:, 0]))


def nearest(w: Sequence[Any], *, square: bool = False) -> float:
    """The smallest |sum of +-w_i|, or its square; exact for whole numbers."""
    sums = np.array(list(itertools.product([-1, 1], repeat=len(w)))) @ np.array(w)
    return float((sums**2).min() if square else abs(sums).min())


def sites_that_matter(w: Sequence[Any]) -> int:
    """How many sites the gate depends on, by flipping each sign at each corner."""
    points, field = corners(len(w)), np.array(w)
    gate = np.sign(points @ field)
    return sum(bool(np.any(np.sign(points @ (field * (1 - 2 * one))) != gate)) for one in np.eye(len(w)))


def sticks(w: Sequence[Any], steps: int = 4000) -> float:
    """Minus the least squared length of a chain of sticks with lengths |w_i| in three dimensions, by descent."""
    lengths, v = np.array(w, dtype=float), np.random.default_rng(0).normal(size=(len(w), 3))
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    for _ in range(steps):
        v -= 0.2 / np.sum(lengths**2) * np.outer(lengths, lengths @ v)
        v /= np.linalg.norm(v, axis=1, keepdims=True)
    return -float(np.sum((lengths @ v) ** 2))


def uniform_chow(w: np.ndarray, j: int) -> float:
    """Half of E[sign(w.x) x_j] for independent signs, by convolving the law of the other sites' sum."""
    others = np.delete(w, j)
    total = int(others.sum())
    law = np.zeros(2 * total + 1)
    law[total] = 1.0
    for size in others:
        law = (np.roll(law, size) + np.roll(law, -size)) / 2
    at = np.abs(np.arange(-total, total + 1))
    return float(law[at < w[j]].sum() + law[at == w[j]].sum() / 2) / 2


def skewed_image(w: Sequence[Fraction]) -> float:
    """The first entry of E[1(w.x > 0) x x'] w for independent x that are 2 with probability 1/3, else -1."""
    total = Fraction(0)
    for x in itertools.product((2, -1), repeat=len(w)):
        field = sum(a * b for a, b in zip(w, x, strict=True))
        if field > 0:
            total += field * x[0] * Fraction(2 ** x.count(-1), 3 ** len(w))
    return float(total)


def sampled_skewed_image(w: Sequence[Fraction], size: int = 400_000) -> tuple[float, float]:
    x = np.where(np.random.default_rng(0).random((size, len(w))) < 1 / 3, 2.0, -1.0)
    return gaussian.sampled(np.maximum(x @ np.array(w, dtype=float), 0) * x[:, 0])


def characteristic(w: np.ndarray, points: np.ndarray, law: np.ndarray) -> complex:
    """E exp(i w.x), point by point."""
    return sum(p * cmath.exp(1j * float(w @ x)) for p, x in zip(law, points, strict=True))
