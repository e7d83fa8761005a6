"""How far the noise of minibatches carries a committee from its flow."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy import stats

from gatefield.data import Task

PROBES = 2_000
"""Samples of each class by which the gradient's noise is measured."""
PARTS = 15
"""About so many independent parts has what the noise adds to a field; a force drives them back, so that they walk less."""
CHANCE = 0.001
"""How often noise alone may carry the worst of all runs beyond what is allowed."""


def slack(runs: int) -> float:
    r"""How far above the random walk of the noise the worst of so many runs may lie.

    The walk is the root mean square over runs; the square of one run's distance over that mean is $\chi^2_{15}/15$.

    >>> round(slack(1), 2), round(slack(16), 2)
    (1.59, 1.74)
    """
    return float(np.sqrt(stats.chi2.ppf((1 - CHANCE) ** (1 / runs), PARTS) / PARTS))


def random_walk(fields: np.ndarray, time: np.ndarray, task: Task, key: Any) -> np.ndarray:
    """Distance that noise of unit rate and batch size 1 makes by itself: sqrt(integral of its variance) / |w|, (seed, step).

    With learning rate eta and batches of b samples it is sqrt(eta/b) times that.

    **Arguments**

    - `fields`: of the flow, (seed, step, unit, position), at these times.
    """
    classes = [
        source.sample(k, PROBES) for source, k in zip((task.positive, task.negative), jax.random.split(key), strict=True)
    ]

    @jax.jit
    @jax.vmap
    @jax.vmap
    def variance(w: Any) -> Any:
        return sum(0.5 * gradient_variance(w, x, y) for x, y in zip(classes, task.labels, strict=True))

    power = np.asarray(variance(jnp.asarray(fields, float)), np.float64)
    middle = (power[:, 1:] + power[:, :-1]) / 2 * np.diff(time)
    walked = np.concatenate([np.zeros((len(power), 1)), np.cumsum(middle, axis=1)], axis=1)
    return np.sqrt(walked / (fields**2).sum((-2, -1)))


def gradient_variance(w: Any, x: Any, y: Any) -> Any:
    """Variance, summed over all weights, of one sample's gradient (yhat - y) 1(w_j.x > 0) x / K within a class."""
    h = jnp.matmul(x, w.T, precision="highest")
    error = jax.nn.relu(h).mean(-1) - y
    gates = (h > 0) / w.shape[0]  # shut on the edge, as the derivative of ReLU is in training
    square = (error**2 * (gates**2).sum(-1) * (x**2).sum(-1)).mean()
    mean = jnp.matmul((error[:, None] * gates).T, x, precision="highest") / len(x)
    return square - (mean**2).sum()
