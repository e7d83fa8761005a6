"""Sampled drifts of many fields for many laws at once, with the linear part of the gate as control variate."""

import functools
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.data import Hypercube, NonlinearGP
from gatefield.theory.classes import gate_signs

BLOCK = 4096


class Drifts(NamedTuple):
    """Drifts and their standard errors, for each run of the source and each field."""

    value: Float[np.ndarray, "runs fields n"]
    error: Float[np.ndarray, "runs fields n"]


def sampled_drifts(source: NonlinearGP | Hypercube, fields: np.ndarray, key: PRNGKeyArray, samples: int) -> Drifts:
    r"""$f(w) = \tfrac12 E[x\operatorname{sign}\langle w,x\rangle]$ for all fields from the same samples; ties count 0.

    From each term $\beta x\langle w,x\rangle$ less its known mean $\beta Cw$ is taken off, with $\beta$ by regression at each
    site. `source` is symmetric about 0 and has a run axis; at least `samples` are drawn, in blocks.
    """
    blocks = -(-samples // BLOCK)
    total = _moments(source, jnp.asarray(fields, jnp.float32), key, blocks)
    signed, linear, square, linear_square, product = np.moveaxis(np.asarray(total, float) / blocks, 1, 0)
    pull = np.einsum("rij,fj->rfi", np.asarray(source.covariance(), float), np.asarray(fields, float))
    spread, joint, power = square - signed**2, product - signed * linear, linear_square - linear**2
    beta = joint / np.where(power > 0, power, 1.0)
    error = np.sqrt(np.maximum(spread - beta * joint, 0.0) / (blocks * BLOCK))
    return Drifts(signed - beta * (linear - pull), error)


def relative(guess: np.ndarray, sampled: np.ndarray, error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """|guess - f|/|f| without what sampling adds to it on average, and the relative error of sampling itself.

    >>> far, noise = relative(np.array([1.0, 0.0]), np.array([1.0, 1.0]), np.array([0.0, 0.6]))
    >>> round(float(far), 4), round(float(noise), 4)
    (0.5657, 0.4243)
    """
    length, noise = np.linalg.norm(sampled, axis=-1), np.linalg.norm(error, axis=-1)
    square = np.sum((guess - sampled) ** 2, axis=-1) - noise**2
    return np.sqrt(np.maximum(square, 0.0)) / length, noise / length


@eqx.filter_jit
def _moments(source: NonlinearGP | Hypercube, fields: Array, key: PRNGKeyArray, blocks: int) -> Float[Array, "runs 5 fields n"]:
    """Sums over blocks of the means of signed and linear terms, their squares and their product."""
    add = functools.partial(jnp.matmul, precision="highest")

    def block(one: NonlinearGP | Hypercube, i: Array) -> Array:
        x = one.sampler()(jax.random.fold_in(key, i), BLOCK)
        sign, h = gate_signs(x, fields).T / 2, add(fields, x.T)
        terms = add(sign, x), add(h, x), add(sign**2, x**2), add(h**2, x**2), add(sign * h, x**2)
        return jnp.stack(terms) / BLOCK

    def step(total: Array, i: Array) -> tuple[Array, None]:
        return total + eqx.filter_vmap(block, in_axes=(eqx.if_array(0), None))(source, i), None

    runs = len(source.xi)
    zero = jnp.zeros((runs, 5, *fields.shape), fields.dtype)
    return jax.lax.scan(step, zero, jnp.arange(blocks))[0]
