"""Steady states of one ReLU neuron on the cube from many starts, and where that of one site exists."""

from typing import Any, NamedTuple

import jax
import numpy as np

from gatefield.data import Hypercube, NonlinearGP, ring_correlation
from gatefield.measures import cosine
from gatefield.theory import hypercube
from gatefield.theory.classes import EmpiricalClass
from gatefield.theory.neuron import GateValues, gate_map

SAME = 0.95
"""Fields with this cosine or more count as the same."""


class SearchResult(NamedTuple):
    """Steady states, one for each start: fields, losses, whether the gate keeps itself there, and also on other samples."""

    fields: np.ndarray
    losses: np.ndarray
    settled: np.ndarray
    lasting: np.ndarray


def covariances(n: int, xi1: float, xi0: float) -> np.ndarray:
    return np.asarray(Hypercube(n, np.array([xi1, xi0])).covariance(), float)


def site_state(n: int, xi1: float, xi0: float) -> hypercube.LocalizedState:
    """The one-site state in the middle; it exists if `lead` is positive."""
    return hypercube.localized_state(*covariances(n, xi1, xi0), site=n // 2)


def exact_states(n: int, xi1: float, xi0: float, starts: np.ndarray, **settings: Any) -> SearchResult:
    """By the flow on the law itself, all corners of the cube with their probabilities; `settings` as for `steady_states`."""
    corr = np.array([np.roll(ring_correlation(n, xi1), k) for k in range(n)])
    points = hypercube.corners(n)
    chances = np.maximum(hypercube.pattern_law(corr), 0.0)  # rounding, near 1e-11, may make rare corners negative
    cov1, cov0 = covariances(n, xi1, xi0)
    found = hypercube.steady_states(points, cov1, cov0, starts, chances=chances, **settings)
    settled = np.asarray(found.settled)
    return SearchResult(np.asarray(found.fields), np.asarray(found.losses), settled, settled)


def sampled_states(n: int, xi1: float, xi0: float, starts: np.ndarray, key: Any, samples: int, **settings: Any) -> SearchResult:
    """By the flow on a sample that stays fixed; `settings` as for `steady_states`.

    A state lasts if the same search on another sample, begun there, ends in the same field. Losses are those on that other
    sample, because on its own sample a state is fitted to its noise.
    """
    one, other = (EmpiricalClass.draw(NonlinearGP(n, xi1, np.inf), k, samples) for k in jax.random.split(key))
    cov1, cov0 = covariances(n, xi1, xi0)
    found = hypercube.steady_states(np.asarray(one.x), cov1, cov0, starts, **settings)
    again = hypercube.steady_states(np.asarray(other.x), cov1, cov0, found.fields, **settings)
    losses = gate_map(other, cov1 + cov0, found.fields).loss
    lasting = cosine(np.asarray(found.fields), np.asarray(again.fields)) >= SAME
    return SearchResult(np.asarray(found.fields), losses, np.asarray(found.settled), lasting)


def sampled_values(n: int, xi1: float, xi0: float, fields: np.ndarray, key: Any, samples: int) -> GateValues:
    """The limit field behind each field's gate, and each field's loss, on a sample."""
    return gate_map(EmpiricalClass.draw(NonlinearGP(n, xi1, np.inf), key, samples), covariances(n, xi1, xi0).sum(0), fields)


def lead_map(n: int, xis: np.ndarray) -> np.ndarray:
    r"""By how much the largest weight of the one-site state leads, $(w_i - \sum_{j\ne i}|w_j|)/w_i$, for all pairs (xi1, xi0).

    $w = (C_0+C_1)^{-1}C_1e_i$ has the Fourier coefficients $\lambda_1/(\lambda_0+\lambda_1)$.
    """
    power = np.maximum(np.fft.rfft(np.asarray(Hypercube(n, xis).covariance(), float)[:, 0]).real, 1e-300)
    w = np.fft.irfft(power[:, None] / (power[:, None] + power[None]), n)
    return 2 - np.abs(w).sum(-1) / w[..., 0]
