"""The best gates a search can find, beside the gates of trained ReLU committees."""

from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import linear_sum_assignment

from gatefield.data import Task
from gatefield.gates import GateSet, half_spaces, learned
from gatefield.theory import gated_linear

PROBES = 4_000
"""Samples of each class for shares of open gates and for standard errors."""


class Judged(NamedTuple):
    """What one set of gates is worth, on samples that no search has seen."""

    explained: float
    error: float
    """Standard error of what it explains; 0 in closed form."""
    fields: np.ndarray
    """The limit fields (K, n) of the gated linear network behind these gates."""
    consistent: float
    """Mean cosine between a gate's direction and its limit field: 1 for the gates of a ReLU network at rest."""
    one_open: np.ndarray
    """Share of inputs of the positive and of the negative class for which exactly one gate is open: 1 for a tiling."""
    relu: float
    """What the ReLU network explains whose fields are the directions as given."""


def judge(directions: np.ndarray, task: Task, *, key: Any, samples: int) -> Judged:
    """Judge half-space gates; `directions` (K, n), with lengths if they are a network's fields."""
    stat_key, probe_key = jax.random.split(key)
    gates, K = learned(directions), len(directions)
    found = gated_linear.statistics_estimate(gates, task, key=stat_key, samples=samples)
    with jax.enable_x64(True):
        explained, fields, loss = map(np.asarray, _worth(found.A, found.b, np.ravel(directions), found.label_power, K))
    fields = fields.reshape(K, -1)
    spread, one_open = _probe(gates, fields, task, probe_key)
    error = 0.0 if found.method == "closed" else spread / np.sqrt(2 * samples)
    near = float(np.mean(np.diagonal(cosines(directions, fields, covariance(task)))))
    return Judged(float(explained), error, fields, near, one_open, found.label_power - 2 * float(loss))


@partial(jax.jit, static_argnums=4)
def _worth(A: Any, b: Any, w: Any, power: Any, K: int) -> tuple[Any, Any, Any]:
    """What the gates explain, their limit fields, and the loss with weights w."""
    limit = gated_linear.limit(A, b, jnp.zeros(b.shape), K)
    return gated_linear.explained(A, b), limit, gated_linear.loss(A, b, w, K, power)


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


def _probe(gates: GateSet, fields: np.ndarray, task: Task, key: Any) -> tuple[float, np.ndarray]:
    """The spread over inputs of 2 y yhat - yhat^2, whose mean is what the gates explain; how often one gate is open."""
    x, y, g = (np.asarray(part, float) for part in _draw(gates, task, key))
    guess = np.einsum("sk,sk->s", g, x @ fields.T) / gates.K
    one = np.sum(g > 0.5, axis=1) == 1
    positive = y == np.asarray(task.labels[0], float)
    return float(np.std(2 * y * guess - guess**2)), np.array([one[positive].mean(), one[~positive].mean()])


@eqx.filter_jit
def _draw(gates: GateSet, task: Task, key: Any) -> tuple[Any, Any, Any]:
    """Inputs, labels, and which gates are open."""
    x, y = task.sample(key, 2 * PROBES)
    return x, y, gates(x)
