"""Gated linear networks behind the gates of many ReLU committees at once: their limits and losses."""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core.precision import exact, real
from gatefield.data import NonlinearGP
from gatefield.experiments.fixed_sample import Law, gate_signs, law
from gatefield.theory import gated_linear, relu

LABEL_POWER = 0.5
"""E y^2 for labels (1, 0) in equal shares."""
Sets = Float[Any, "sets K n"]


class Pair(eqx.Module):
    """Both classes, labels 1 and 0, in equal shares."""

    positive: Law
    negative: Law


class Solved(NamedTuple):
    """What the gated linear networks come to."""

    limit: Sets
    """From zero weights, for ever."""
    limit_from_start: Sets
    """From the given weights, for ever; the same unless gates are redundant."""


def pair(n: int, xi1: float, xi0: float, gain: float, key: PRNGKeyArray, samples: int) -> Pair:
    """Both classes of a task, each with a sample unless data count as Gaussian."""
    keys = jax.random.split(key)
    return Pair(*(law(NonlinearGP(n, xi, gain), k, samples) for xi, k in zip((xi1, xi0), keys, strict=True)))


@exact
def solve(data: Pair, v: Sets, w0: Sets) -> Solved:
    """Gated linear networks with the gates of the committees `v`, from the weights `w0`, for each set.

    A and b are exact for one unit up to the drift, and exact for Gaussian data; else both come from the same sample, each input
    with both signs.
    """
    return _solve(data, real(v), real(w0))


@exact
def loss(data: Pair, v: Sets, w: Sets) -> Float[Array, " sets"]:
    """The loss of gated linear networks with weights `w` behind the gates of `v`; with v = w that of the ReLU committees."""
    return _losses(data, real(v), real(w))


@eqx.filter_jit
def _solve(data: Pair, v: Array, w0: Array) -> Solved:
    K = v.shape[1]

    def one(args: tuple[Array, Array]) -> tuple[Array, Array]:
        gates, start = args
        A, b = _moments(data, gates)
        ends = jax.vmap(lambda w: gated_linear.limit(A, b, w, K))(jnp.stack([0 * start.ravel(), start.ravel()]))
        return ends[0].reshape(start.shape), ends[1].reshape(start.shape)

    return Solved(*jax.lax.map(one, (v, w0)))


def _moments(data: Pair, v: Float[Array, "K n"]) -> tuple[Array, Array]:
    """A (Kn, Kn) and b (Kn,) of one set of gates."""
    b = 0.5 * data.positive.drift(v).ravel()
    if len(v) == 1:
        return 0.25 * (real(data.positive.cov) + real(data.negative.cov)), b
    parts = [_second(one, v) for one in (data.positive, data.negative)]
    return 0.5 * (parts[0] + parts[1]), b


def _second(one: Law, v: Float[Array, "K n"]) -> Float[Array, "m m"]:
    r"""$E[g_j g_k\,xx^\top]$, which for a sample with both signs is $E[(1 + s_j s_k)\,xx^\top]/4$ with the gates' signs s."""
    m = v.size
    if one.x is None:
        rows = jax.vmap(lambda a: jax.vmap(lambda b: relu.gate_second_moment(a, b, one.cov))(v))(v)
        return rows.transpose(0, 2, 1, 3).reshape(m, m)
    signed = gate_signs(one.x, v)[:, :, None] * one.x[:, None, :]
    signed, plain = signed.reshape(len(one.x), m).astype(v.dtype), one.x.astype(v.dtype)
    return 0.25 * (signed.T @ signed + jnp.tile(plain.T @ plain, (len(v), len(v)))) / len(one.x)


@eqx.filter_jit
def _losses(data: Pair, v: Array, w: Array) -> Array:
    if data.positive.x is None:
        return jax.lax.map(lambda a: _gaussian_loss(data, *a), (v, w))
    return jax.lax.map(lambda a: _sampled_loss(data, *a), (v, w))


def _gaussian_loss(data: Pair, v: Float[Array, "K n"], w: Float[Array, "K n"]) -> Float[Array, ""]:
    A, b = _moments(data, v)
    return gated_linear.loss(A, b, w.ravel(), len(v), LABEL_POWER)


def _sampled_loss(data: Pair, v: Float[Array, "K n"], w: Float[Array, "K n"]) -> Float[Array, ""]:
    return 0.5 * (_error(data.positive, v, w, 1.0) + _error(data.negative, v, w, 0.0))


def _error(one: Law, v: Float[Array, "K n"], w: Float[Array, "K n"], label: float) -> Float[Array, ""]:
    """Half of the mean squared error on one class, each input with both signs."""
    assert one.x is not None
    gates = (1 + gate_signs(one.x, v)) / 2
    h = jnp.matmul(one.x, w.astype(one.x.dtype).T, precision="highest")
    ahead, behind = jnp.mean(gates * h, axis=-1), -jnp.mean((1 - gates) * h, axis=-1)
    return 0.25 * jnp.mean(((ahead - label) ** 2 + (behind - label) ** 2).astype(v.dtype))


def gates_of_another(v: np.ndarray) -> np.ndarray:
    """For each seed the fields of the next one: (seeds, K, n)."""
    return np.roll(v, -1, axis=0)
