"""What a set of half-space gates is worth, on samples that no search has seen."""

from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.arrays import FieldsLike
from gatefield.core.checks import given
from gatefield.core.estimate import Estimate
from gatefield.core.keys import as_key
from gatefield.data import Task
from gatefield.gates import GateSet, learned
from gatefield.theory.gated_linear.path import explained, limit, loss
from gatefield.theory.gated_linear.statistics import STANDARD_ERRORS, statistics
from gatefield.theory.inputs import fields, one_key

PROBES = 4_000
"""Samples of each class for shares of open gates and for standard errors: shares are then known to 0.01."""


class Judged(NamedTuple):
    """What one set of gates is worth."""

    explained: Estimate
    """How much of the label power the gates can explain; its error is 0 in closed form."""
    fields: Float[np.ndarray, "K n"]
    """The limit fields of the gated linear network behind these gates."""
    consistent: float
    """Mean cosine between a gate's direction and its limit field: 1 for the gates of a ReLU network in a steady state."""
    one_open: Float[np.ndarray, "2"]
    """Share of inputs of the positive and of the negative class for which exactly one gate is open: 1 for a tiling."""
    relu: float
    """What the ReLU network explains whose fields are the directions as given."""


@given(directions=fields, key=one_key, samples=checks.count)
def judge(directions: FieldsLike, task: Task, *, key: PRNGKeyArray, samples: int = 1_000_000) -> Judged:
    """Judge half-space gates by what they explain, by the fields behind them, and by how they share the inputs.

    **Arguments**

    - `directions`: of the gates (K, n), with lengths if they are the fields of a ReLU network.
    - `task`: two sources.
    - `key`: for samples.
    - `samples`: of each class, where `statistics` has no closed form.

    **Returns** what the gates are worth, as `Judged` (*host*).

    >>> import jax
    >>> from gatefield.data import Gaussian
    >>> found = judge([[1.0] * 6, [-1.0] * 6], Task(Gaussian(6, 1.5), Gaussian(6, 0.7)), key=jax.random.key(0))
    >>> round(float(found.explained.value), 4), found.explained.method
    (0.2159, 'closed')

    **Source:** note 000, section 3.3 and equation 18, corrected.
    """
    rows = np.asarray(directions, float)
    stat_key, probe_key = jax.random.split(as_key(key))
    gates, K = learned(rows), len(rows)
    A, b, power = statistics(gates, task, key=stat_key, samples=samples, with_error=True)
    with jax.enable_x64(True):
        worth, fields, own_loss = map(np.asarray, _worth(A.value, b.value, rows.ravel(), power.value, K))
    fields = fields.reshape(K, -1)
    spread, one_open = _probe(gates, fields, task, probe_key)
    error = 0.0 if b.method == "closed" else spread / np.sqrt(2 * samples)
    near = float(np.mean(_cosines(rows, fields, _covariance(task))))
    return Judged(
        Estimate(float(worth), error, b.method, 1.0 if b.method == "closed" else STANDARD_ERRORS),
        fields,
        near,
        one_open,
        power.value - 2 * float(own_loss),
    )


@partial(jax.jit, static_argnums=4)
def _worth(A: Any, b: Any, w: Any, power: Any, K: int) -> tuple[Any, Any, Any]:
    """What the gates explain, their limit fields, and the loss with weights w."""
    return explained(A, b), limit(A, b, jnp.zeros(b.shape), K), loss(A, b, w, K, power)


def _covariance(task: Task) -> np.ndarray:
    """Of both classes together."""
    return np.asarray(task.proportion * task.positive.covariance() + (1 - task.proportion) * task.negative.covariance())


def _cosines(V: np.ndarray, W: np.ndarray, cov: np.ndarray) -> np.ndarray:
    """Between each row of V and that of W, in the metric of a covariance; 0 for a row of zeros."""
    lengths = [np.sqrt(np.einsum("ki,ij,kj->k", rows, cov, rows)) for rows in (V, W)]
    scale = lengths[0] * lengths[1]
    return np.where(scale > 0, np.diagonal(V @ cov @ W.T) / np.where(scale > 0, scale, 1.0), 0.0)


def _probe(gates: GateSet, fields: np.ndarray, task: Task, key: PRNGKeyArray) -> tuple[float, np.ndarray]:
    """The spread over inputs of 2 y yhat - yhat^2, whose mean is what the gates explain; how often one gate is open."""
    x, y, g = (np.asarray(part, float) for part in _draw(gates, task, key))
    guess = np.einsum("sk,sk->s", g, x @ fields.T) / gates.K
    one = np.sum(g > 0.5, axis=1) == 1
    positive = y == np.asarray(task.labels[0], float)
    return float(np.std(2 * y * guess - guess**2)), np.array([one[positive].mean(), one[~positive].mean()])


@eqx.filter_jit
def _draw(gates: GateSet, task: Task, key: PRNGKeyArray) -> tuple[Any, Any, Any]:
    """Inputs, labels, and which gates are open."""
    x, y = task.sample(key, 2 * PROBES)
    return x, y, gates(x)
