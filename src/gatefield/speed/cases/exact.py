"""Signs of a Gaussian vector: exact drifts and orthants against SciPy, each call at a new correlation."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import numpy as np

from gatefield.speed.contest import Contest, Contestant
from gatefield.speed.peers import one_factor, scipy_signs
from gatefield.theory import hypercube

DRIFTS, ORTHANTS = (4, 6, 8), (5, 10, 25, 50)
"""Sites. SciPy needs an orthant for every second corner of the cube, 128 of them at 8 sites."""


class Answer(NamedTuple):
    """A value, and the loads of the common factor, by which it is judged later."""

    value: Any
    loads: np.ndarray


def entries(quick: bool) -> Iterator[Contest]:
    yield from map(drifts, DRIFTS[:1] if quick else DRIFTS)
    yield from map(orthants, ORTHANTS[:2] if quick else ORTHANTS)


def drifts(n: int) -> Contest:
    """f(w) = E[1(w.x > 0) x] for signs x; errors relative to the largest entry."""
    w = np.random.default_rng(1).normal(size=n)

    def error(found: Answer) -> float:
        right = one_factor.drift(w, found.loads)
        return float(np.abs(found.value - right).max() / np.abs(right).max())

    ours = Contestant("hypercube.drift", _anew(n, lambda corr, seed: hypercube.drift(w, corr)))
    scipy = Contestant("multivariate_normal.cdf", _anew(n, lambda corr, seed: scipy_signs.drift(w, corr)))
    return Contest(f"drift of {n} signs", "drift", ours, [scipy], error)


def orthants(n: int) -> Contest:
    """P(z > 0); errors relative to it."""
    ones = np.ones(n)

    def ours(corr: np.ndarray, seed: int) -> Any:
        return hypercube.orthant(corr, ones, key=jax.random.key(0))  # one key: its points are made once and kept

    def error(found: Answer) -> float:
        return abs(float(found.value) / one_factor.chance(found.loads, ones) - 1)

    scipy = Contestant("multivariate_normal.cdf", _anew(n, scipy_signs.orthant))
    return Contest(f"orthant of {n} sites", "orthant", Contestant("hypercube.orthant", _anew(n, ours)), [scipy], error)


def _anew(n: int, compute: Callable[[np.ndarray, int], Any]) -> Callable[[], Answer]:
    """What computes at loads that nobody had before: a law that was seen is kept, and would cost nothing."""
    counter = itertools.count()

    def call() -> Answer:
        seed = next(counter)
        loads = np.sqrt(np.random.default_rng([n, seed]).uniform(0.2, 0.8, n))
        return Answer(compute(one_factor.correlation(loads), seed), loads)

    return call
