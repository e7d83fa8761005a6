"""Moments of gated inputs by sampling."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PRNGKeyArray

from gatefield.core.precision import exact, real
from gatefield.data import AbstractTask, Source
from gatefield.gates import GateSet

Draw = Callable[[PRNGKeyArray, int], tuple[Any, ...]]

GROUPS = 16
"""Blocks of samples whose spread gives the standard error."""
CHUNK = 4096
"""Samples drawn at a time."""


@exact
def sampled_moments(gates: GateSet, source: Source, key: PRNGKeyArray, samples: int) -> tuple[Array, Array, Array, Array]:
    """E[g x] (Kn,) and E[g g' x x'] (Kn, Kn) of one class, and their standard errors.

    If the law is symmetric about 0, each sample is used with both signs.
    """
    inputs = _mirrored if source.symmetric else _inputs
    (first, second, _), (first_error, second_error, _) = _moments(gates, source, inputs, key, samples)
    return first, second, first_error, second_error


@exact
def sampled_task_moments(gates: GateSet, task: AbstractTask, key: PRNGKeyArray, samples: int) -> tuple[Any, Any]:
    """(b, A, E y^2) of any task, and their standard errors."""
    return _moments(gates, task, _labelled, key, samples)


def _inputs(source: Source) -> Draw:
    """Samples of one class, all with the label 1."""
    draw = source.sampler()

    def one(key: PRNGKeyArray, size: int) -> tuple[Array, Array]:
        x = real(draw(key, size))
        return x, jnp.ones(len(x), x.dtype)

    return one


def _mirrored(source: Source) -> Draw:
    """The same, each sample with both signs."""
    draw = source.sampler()

    def both(key: PRNGKeyArray, size: int) -> tuple[Array, Array]:
        x = real(draw(key, size))
        return jnp.concatenate([x, -x]), jnp.ones(2 * len(x), x.dtype)

    return both


def _labelled(task: AbstractTask) -> Draw:
    draw = task.sampler()
    return lambda key, size: tuple(map(real, draw(key, size)))


def _moments(gates: GateSet, law: Any, sampler: Callable[[Any], Draw], key: PRNGKeyArray, samples: int) -> tuple[Any, Any]:
    """E[y g x], E[g g' x x'] and E y^2 over draws (x, y) of a law, and their standard errors by the spread of groups."""
    chunks = max(1, -(-samples // (GROUPS * CHUNK)))
    size = min(CHUNK, -(-samples // GROUPS))
    groups = [_group(gates, law, sampler, jax.random.fold_in(key, i), chunks, size) for i in range(GROUPS)]
    parts = [jnp.stack(part) for part in zip(*groups, strict=True)]
    scale = np.sqrt(GROUPS * (GROUPS - 1))
    return tuple(part.mean(0) for part in parts), tuple(jnp.linalg.norm(part - part.mean(0), axis=0) / scale for part in parts)


@eqx.filter_jit  # compiled once for all gates and laws of one kind
def _group(
    gates: GateSet, law: Any, sampler: Callable[[Any], Draw], key: PRNGKeyArray, chunks: int, size: int
) -> tuple[Array, Array, Array]:
    """The moments of `chunks` draws of `size` samples each."""
    draw = sampler(law)

    def one(i: Array) -> tuple[Array, Array, Array]:
        x, y = draw(jax.random.fold_in(key, i), size)
        gated = (gates(x)[:, :, None] * x[:, None, :]).reshape(len(x), -1)
        second = gated.T @ gated + (_of_chance(gates, x) if gates.random else 0.0)
        return y @ gated / len(x), second / len(x), jnp.mean(y**2)

    def add(i: Array, sums: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        return jax.tree.map(lambda total, part: total + part / chunks, sums, one(i))

    shapes = jax.eval_shape(one, jnp.zeros((), int))
    return jax.lax.fori_loop(0, chunks, add, jax.tree.map(lambda s: jnp.zeros(s.shape, s.dtype), shapes))


def _of_chance(gates: GateSet, x: Array) -> Array:
    """What random gates add to the second moment beyond that of their means."""
    added = jnp.einsum("sjk,sa,sb->jakb", gates.covariance(x), x, x, precision="highest")
    return added.reshape(gates.K * x.shape[1], -1)
