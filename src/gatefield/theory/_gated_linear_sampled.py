"""Moments of gated inputs by sampling."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield._precision import exact, real
from gatefield.data import Source
from gatefield.gates import GateSet
from gatefield.theory._gated_linear_closed import symmetric

GROUPS = 16
"""Blocks of samples whose spread gives the standard error."""
CHUNK = 4096


@exact
def sampled_moments(gates: GateSet, source: Source, key: PRNGKeyArray, samples: int) -> tuple[Array, Array, Array, Array]:
    """E[g x] (Kn,) and E[g g' x x'] (Kn, Kn) of one class, and their standard errors.

    If the law is symmetric about 0, each sample is used with both signs.
    """
    chunks = max(1, -(-samples // (GROUPS * CHUNK)))
    size = min(CHUNK, -(-samples // GROUPS))
    groups = [_group(gates, source, jax.random.fold_in(key, i), chunks, size, symmetric(source)) for i in range(GROUPS)]
    first, second = (jnp.stack(parts) for parts in zip(*groups, strict=True))
    scale = np.sqrt(GROUPS * (GROUPS - 1))
    errors = (jnp.linalg.norm(part - part.mean(0), axis=0) / scale for part in (first, second))
    return first.mean(0), second.mean(0), *errors


@eqx.filter_jit
def _group(
    gates: GateSet, source: Source, key: PRNGKeyArray, chunks: int, size: int, mirror: bool
) -> tuple[Float[Array, " m"], Float[Array, "m m"]]:
    """The moments of `chunks` draws of `size` samples each."""
    draw = source.sampler()

    def one(i: Array) -> tuple[Array, Array]:
        x = real(draw(jax.random.fold_in(key, i), size))
        x = jnp.concatenate([x, -x]) if mirror else x
        gated = (gates(x)[:, :, None] * x[:, None, :]).reshape(len(x), -1)
        return gated.mean(0), gated.T @ gated / len(x)

    def add(i: Array, sums: tuple[Array, Array]) -> tuple[Array, Array]:
        return jax.tree.map(lambda total, part: total + part / chunks, sums, one(i))

    shapes = jax.eval_shape(one, jnp.zeros((), int))
    return jax.lax.fori_loop(0, chunks, add, jax.tree.map(lambda s: jnp.zeros(s.shape, s.dtype), shapes))
