"""Steady states of one ReLU neuron on the cube from many starts, and where the localized one exists."""

from typing import Any, NamedTuple

import jax
import numpy as np

from gatefield.data import Hypercube, NonlinearGP, ring_correlation
from gatefield.experiments.fixed_sample import Law, law
from gatefield.experiments.gates.self_consistency import map as maps
from gatefield.measures import cosine
from gatefield.theory import hypercube

SAME = 0.95
"""Fields with this cosine or more count as the same."""


class Found(NamedTuple):
    """Where starts came to rest: fields, losses, whether the gate keeps itself there, and also on other samples."""

    fields: np.ndarray
    losses: np.ndarray
    settled: np.ndarray
    lasting: np.ndarray


class Site(NamedTuple):
    """The limit field behind the gate of one site in the middle, its loss, and by how much its largest weight leads."""

    field: np.ndarray
    loss: float
    lead: float


def covariances(n: int, xi1: float, xi0: float) -> np.ndarray:
    return np.asarray(Hypercube(n, np.array([xi1, xi0])).covariance(), float)


def site_state(n: int, xi1: float, xi0: float) -> Site:
    """The localized state in closed form; it exists if `lead` is positive."""
    cov1, cov0 = covariances(n, xi1, xi0)
    pull = cov1[:, n // 2]
    field = np.linalg.solve(cov0 + cov1, pull)
    return Site(field, float(0.25 - field @ pull / 8), float(2 * field[n // 2] - np.abs(field).sum()))


def exact_states(n: int, xi1: float, xi0: float, starts: np.ndarray, *, step: float, most: int) -> Found:
    """By the flow on the law itself, all corners of the cube with their probabilities."""
    corr = np.array([np.roll(ring_correlation(n, xi1), k) for k in range(n)])
    points = hypercube.corners(n)
    chances = np.maximum(hypercube.pattern_law(corr), 0.0)  # rounding, near 1e-11, may make rare corners negative
    cov1, cov0 = covariances(n, xi1, xi0)
    found = hypercube.steady_states(points, cov1, cov0, starts, chances=chances, time_step=step, most_steps=most)
    settled = np.asarray(found.settled)
    return Found(np.asarray(found.fields), np.asarray(found.losses), settled, settled)


def sampled_states(
    n: int, xi1: float, xi0: float, starts: np.ndarray, key: Any, *, samples: int, time: float, step: float, most: int
) -> Found:
    """By the flow on a sample that stays fixed, then cell by cell to the state of the last cell.

    A state lasts if the same search on another sample, begun there, ends in the same field. Losses are those on that other
    sample, because on its own sample a state is fitted to its noise.
    """
    one, other = (law(NonlinearGP(n, xi1, np.inf), k, samples) for k in jax.random.split(key))
    total = covariances(n, xi1, xi0).sum(0)
    room = max(most, maps.step_count(time, step))

    def settle(on: Law, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        flowed = maps.flow(on, total, w, time=time, step=step, room=room).end
        path = maps.iterate(on, total, flowed, steps=most, tolerance=1e-12, room=room)
        return path.end, path.moved[-1] <= 1e-9

    fields, settled = settle(one, starts)
    again, _ = settle(other, fields)
    return Found(fields, maps.evaluate(other, total, fields).loss, settled, cosine(fields, again) >= SAME)


def sampled_values(n: int, xi1: float, xi0: float, fields: np.ndarray, key: Any, samples: int) -> maps.Values:
    """The limit field behind each field's gate, and each field's loss, on a sample."""
    return maps.evaluate(law(NonlinearGP(n, xi1, np.inf), key, samples), covariances(n, xi1, xi0).sum(0), fields)


def lead_map(n: int, xis: np.ndarray) -> np.ndarray:
    r"""By how much the largest weight of the localized state leads, $(w_i - \sum_{j\ne i}|w_j|)/w_i$, for all pairs (xi1, xi0).

    $w = (C_0+C_1)^{-1}C_1e_i$ has the Fourier coefficients $\lambda_1/(\lambda_0+\lambda_1)$.
    """
    power = np.maximum(np.fft.rfft(np.asarray(Hypercube(n, xis).covariance(), float)[:, 0]).real, 1e-300)
    w = np.fft.irfft(power[:, None] / (power[:, None] + power[None]), n)
    return 2 - np.abs(w).sum(-1) / w[..., 0]
