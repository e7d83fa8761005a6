"""What the ledger of the hypercube compares with: a law of signs by one-dimensional quadrature, enumeration, and equations as
printed. Nothing here uses the library's recursion or search."""

import itertools
import math

import numpy as np
from scipy.special import ndtr

from gatefield.ledger.formula import Estimate
from gatefield.ledger.routes.closure_cases import panels

ENUMERATION = "enumeration, probabilities by one-dimensional quadrature"

LOADS = np.array([0.9, 0.7, -0.4, 0.6, 0.5])
CORR = np.outer(LOADS, LOADS) + np.diag(1 - LOADS**2)
FIELD = np.array([0.9, -0.37, 0.21, 1.3, -0.55])
OTHER = np.array([0.2, 1.1, -0.4, 0.35, 0.8])
CORNERS = np.array(list(itertools.product([-1.0, 1.0], repeat=5)))


def one_factor(loads: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Probabilities of sign patterns of z_i = a_i t + sqrt(1 - a_i^2) e_i with t and all e_i independent and normal."""
    t, weight = panels(np.linspace(-9, 9, 37))
    odds = ndtr(points[:, :, None] * (loads / np.sqrt(1 - loads**2))[:, None] * t)
    return odds.prod(axis=1) @ (weight * np.exp(-(t**2) / 2) / math.sqrt(2 * math.pi))


LAW = one_factor(LOADS, CORNERS)
COV = CORNERS.T @ (LAW[:, None] * CORNERS)


def opened(w: np.ndarray, law: np.ndarray = LAW, points: np.ndarray = CORNERS) -> np.ndarray:
    """E[1(w.x >= 0) x], a tie counting one half; fields here have exact or no ties."""
    return (law * (0.5 + 0.5 * np.sign((points @ w).round(12)))) @ points


def site(w, where: int) -> Estimate:
    return Estimate(float(opened(np.asarray(w, dtype=float))[where]), 1e-10, ENUMERATION)


def entrywise(inside: bool) -> float:
    """The line between equations 17 and 18 for four sites and j = 0, the factor x_j inside the product or outside it."""
    points = CORNERS[::2, :4]
    law, w, total = one_factor(LOADS[:4], points), FIELD[:4], 0.0
    for shown in points[points @ w >= 0]:
        factors = np.sign(shown) / 2 * (points + shown)
        term = (factors * points[:, :1]).prod(1) if inside else factors.prod(1) * points[:, 0]
        total += float(law @ term)
    return total


def printed_sum() -> float:
    """The first entry of the right side of equation 20 as printed, by enumeration."""
    inside = CORNERS[CORNERS @ FIELD >= 0]
    counts = np.array([[np.sum(inside[:, j] == x[j]) for j in range(5)] for x in CORNERS])
    return float(LAW @ (counts.sum(1) * CORNERS[:, 0]))


def nearest(w, *, square: bool = False) -> float:
    sums = np.array(list(itertools.product([-1, 1], repeat=len(w)))) @ np.array(w)
    return float((sums**2).min() if square else abs(sums).min())


def sites_that_matter(w) -> Estimate:
    """How many sites the gate depends on, by flipping each sign at each corner."""
    points = np.array(list(itertools.product([-1, 1], repeat=len(w))))
    gate = np.sign(points @ np.array(w))
    matter = [np.any(np.sign(points @ (np.array(w) * (1 - 2 * np.eye(len(w))[j]))) != gate) for j in range(len(w))]
    return Estimate(float(sum(matter)), 0.0, "enumeration of the cube")


def sticks(w, steps: int = 4000) -> Estimate:
    """Minus the least squared length of a chain of sticks with lengths |w_i| in three dimensions, by descent."""
    w, rng = np.array(w, dtype=float), np.random.default_rng(0)
    v = rng.normal(size=(len(w), 3))
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    for _ in range(steps):
        v -= 0.2 / np.sum(w**2) * np.outer(w, w @ v)
        v /= np.linalg.norm(v, axis=1, keepdims=True)
    return Estimate(-float(np.sum((w @ v) ** 2)), 1e-6, "descent over unit vectors in three dimensions")


def settled_loss(low: np.ndarray, steps: int = 3000) -> Estimate:
    """The loss where the flow from a single site comes to rest; negative class of independent signs with covariance `low`."""
    w, both = np.eye(5)[0], COV + low
    for _ in range(steps):
        w = w + 0.2 * (opened(w) / 2 - both @ w / 4)
    output = np.maximum(CORNERS @ w, 0)
    loss = 0.25 * float(LAW @ (output - 1) ** 2) + 0.25 * float(w @ low @ w) / 2
    return Estimate(loss, 1e-8, f"{steps} Euler steps and the loss, both by {ENUMERATION}")


def convexity_gap() -> Estimate:
    """E relu at two fields less the tangents from the other one, which is <f(w) - f(v), w - v>."""

    def output(w: np.ndarray) -> float:
        return float(LAW @ np.maximum(CORNERS @ w, 0))

    def slope(w: np.ndarray, v: np.ndarray) -> float:
        return (output(w + 1e-6 * v) - output(w - 1e-6 * v)) / 2e-6

    gap = output(FIELD) + output(OTHER) - slope(FIELD, OTHER) - slope(OTHER, FIELD)
    return Estimate(gap, 1e-8, f"differences of E relu, {ENUMERATION}")


def uniform_chow(w: np.ndarray, j: int) -> Estimate:
    """Half of E[sign(w.x) x_j] for independent signs, by convolving the law of the other sites' sum."""
    others = np.delete(w, j)
    total = int(others.sum())
    law = np.zeros(2 * total + 1)
    law[total] = 1.0
    for size in others:
        law = (np.roll(law, size) + np.roll(law, -size)) / 2
    at = np.abs(np.arange(-total, total + 1))
    return Estimate(float(law[at < w[j]].sum() + law[at == w[j]].sum() / 2) / 2, 1e-12, "convolution of the law of the others")
