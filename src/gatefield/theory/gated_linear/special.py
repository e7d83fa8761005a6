"""Gated linear networks in special cases, and with gates that change in time."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.theory.gated_linear.path import Matrix, Times, Vector, checked, limit, solve


@exact
def solve_redundant(
    A11: Matrix, b1: Vector, w0: Float[ArrayLike, "copies n"], t: Times, K: int
) -> Float[Array, "*times copies n"]:
    r"""The weights of units that share one gate, if all other gates exclude it.

    For m such units the sum $s = \sum_k w_k$ obeys $K\tau\,\dot s = m\,(b_1 - A_{11} s/K)$, and differences never change:

    $$w_k(t) = \tfrac1m s(t) + \Bigl(w_k(0) - \tfrac1m s(0)\Bigr), \qquad
    s(t) = K A_{11}^+ b_1 + e^{-m t A_{11}/(K^2\tau)}\,(s(0) - K A_{11}^+ b_1)$$

    **Arguments:** `A11`: $E[g\,x x^\top]$ (n, n); `b1`: $E[y\,g\,x]$ (n,); `w0`: weights (m, n) at 0; `t`: times; `K`: number
    of units.

    **Returns:** the weights (*times, m, n); float64 NumPy unless traced.

    >>> solve_redundant([[1.0]], [1.0], [[1.0], [0.0]], [0.0, 100.0], K=2).round(6).tolist()
    [[[1.0], [0.0]], [[1.5], [0.5]]]

    **Source:** note 000, equations 27 to 32, corrected: the factor 1/K, the exponent, and half the difference.
    """
    w0 = real(w0)
    copies = w0.shape[0]
    if copies > checks.count("K", K):
        raise UserError(f"There are {copies} units that share the gate, but K = {K} in all; give K of at least {copies}.")
    total = solve(A11, b1, w0.sum(0), copies * real(t), K)
    return total[..., None, :] / copies + (w0 - w0.mean(0))


def solve_pieces(pieces: Sequence[tuple[float, Matrix, Vector]], w0: Vector, t: Any, K: int) -> Float[np.ndarray, "times m"]:
    """The weights under gates that change at given times, exactly: the end of one piece is the start of the next.

    **Arguments:** `pieces`: (start time, A, b) in order of time, the first from 0 on. `w0`: initial weights (m,). `t`: times.
    `K`: number of units.

    **Returns:** the weights (times, m), float64.

    >>> pieces = [(0.0, [[1.0]], [1.0]), (2.0, [[0.0]], [0.0])]
    >>> solve_pieces(pieces, [0.0], [1.0, 2.0, 9.0], K=1).round(4).ravel().tolist()
    [0.6321, 0.8647, 0.8647]

    **Source:** note 000, section 5, first idea.
    """
    starts, times = np.array([float(piece[0]) for piece in pieces]), np.atleast_1d(np.asarray(checks.finite("t", t), float))
    if len(starts) == 0 or starts[0] != 0 or np.any(np.diff(starts) <= 0) or np.any(times < 0):
        raise UserError(
            f"Pieces must start at increasing times, the first at 0, and t must not be negative, but they start at "
            f"{starts.tolist()}."
        )
    out, w = np.zeros((len(times), np.size(w0))), np.asarray(w0, float)
    for i, (_, A, b) in enumerate(pieces):
        end = starts[i + 1] if i + 1 < len(starts) else np.inf
        inside = (times >= starts[i]) & (times < end)
        out[inside] = np.asarray(solve(A, b, w, times[inside] - starts[i], K))
        w = np.asarray(solve(A, b, w, end - starts[i], K)) if np.isfinite(end) else w
    return out


@exact
def half_time(A: Matrix, b: Vector, K: int) -> Float[Array, ""]:
    r"""When half of what can be explained is explained, from weights zero: $L(t) = \tfrac12(L(0) + L_\infty)$.

    Found by bisection on the exact path. Infinite if the gates explain nothing.

    >>> float(half_time([[1.0]], [1.0], K=1).round(6))
    0.346574
    """
    A, b, _ = checked(A, b, b)
    rates, basis = jnp.linalg.eigh(A)
    weight = jnp.where(rates > 1e-12 * rates[-1], (basis.T @ real(b)) ** 2 / jnp.where(rates > 0, rates, 1.0), 0.0)
    share = weight / jnp.where(jnp.sum(weight) > 0, jnp.sum(weight), 1.0)

    def halve(_: Any, ends: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = ends
        middle = (low + high) / 2
        late = jnp.sum(share * jnp.exp(-2 * rates * middle / K**2)) < 0.5
        return jnp.where(late, low, middle), jnp.where(late, middle, high)

    low, high = jax.lax.fori_loop(0, 120, halve, (jnp.zeros(()), 1e6 * K**2 / jnp.max(rates)))
    return jnp.where(jnp.sum(weight) > 0, (low + high) / 2, jnp.inf)


@exact
def single_gate_field(cov1: Matrix, cov0: Matrix, pull: Vector) -> Float[Array, " n"]:
    r"""Where a single unit behind a half-space gate ends, on symmetric data with labels (1, 0): $2 (S_0+S_1)^{-1} f_1(v)$.

    Its A is $(S_0+S_1)/4$ for every direction v of the gate, and its b is $f_1(v)/2$, the drift of the positive class.

    **Arguments:** `cov1`, `cov0`: class covariances (n, n). `pull`: the drift $f_1(v) = E[1(\langle v,x\rangle>0)x]$ (n,).

    >>> single_gate_field([[1.0]], [[1.0]], [0.4]).tolist()
    [0.4]

    **Source:** note 002, section 5; the fixed points of v -> field are the steady states of a ReLU neuron.
    """
    A, b = (real(cov1) + real(cov0)) / 4, real(pull) / 2
    return limit(A, b, jnp.zeros(b.shape), 1)
