"""Gated linear networks in special cases, and with gates that change in time."""

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gatefield.core import checks
from gatefield.core.arrays import Exact, Field, FieldLike, FieldsLike, MatrixLike, Scalar
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.core.text.quoted import quoted
from gatefield.theory.gated_linear.path import (
    NULL,
    Count,
    MomentLike,
    TimesLike,
    WeightsLike,
    checked,
    checked_times,
    flat,
    limit,
    path_of,
    solve,
    units,
)
from gatefield.theory.inputs import check_sites, covariance, field, fields, some, unless_nan

HALVINGS = 64
"""Of an interval of times whose ends differ by a factor of 1e12 at most: what is left is below rounding."""


def _pieces(name: str, pieces: Any) -> None:
    """(start time, A, b) of each piece."""
    try:
        starts = [start for start, _, _ in pieces]
    except (TypeError, ValueError):
        raise UserError(
            f"{name} must be a list of (start time, A, b), but is {quoted(pieces)}; see gated_linear.pieces."
        ) from None
    for start in starts:
        checks.number("the start time of a piece", start)


@given(A11=checks.finite, b1=field, w0=fields, times=some)
@exact
def solve_redundant(
    A11: MatrixLike, b1: FieldLike, w0: FieldsLike, times: TimesLike, K: int
) -> Float[Exact, "*times copies n"]:
    r"""The weights of units that share one gate, if all other gates exclude it.

    For m such units the sum $s = \sum_k w_k$ obeys $K\tau\,\dot s = m\,(b_1 - A_{11} s/K)$, and differences never change:

    $$w_k(t) = \tfrac1m s(t) + \Bigl(w_k(0) - \tfrac1m s(0)\Bigr), \qquad
    s(t) = K A_{11}^+ b_1 + e^{-m t A_{11}/(K^2\tau)}\,(s(0) - K A_{11}^+ b_1)$$

    **Arguments**

    - `A11`: $E[g\,x x^\top]$ (n, n).
    - `b1`: $E[y\,g\,x]$ (n,).
    - `w0`: weights (m, n) at 0.
    - `times`: a time, or an array of times, in units of tau.
    - `K`: number of units.

    **Returns** the weights (*times, m, n); float64 NumPy unless traced.

    >>> solve_redundant([[1.0]], [1.0], [[1.0], [0.0]], [0.0, 100.0], K=2).round(6).tolist()
    [[[1.0], [0.0]], [[1.5], [0.5]]]

    **Source:** note 000, equations 27 to 32, corrected: the factor 1/K, the exponent, and half the difference.
    """
    w0 = real(w0)
    copies = w0.shape[0]
    if copies > checks.count("K", K):
        raise UserError(f"There are {copies} units that share the gate, but K = {K} in all; give K of at least {copies}.")
    A, b, start = checked(A11, b1, w0.sum(0))
    total = path_of(A, b, start, copies * checked_times(times), real(K))
    return total[..., None, :] / copies + (w0 - w0.mean(0))


@given(pieces=_pieces, w0=flat, times=some)
def solve_pieces(
    pieces: Sequence[tuple[float, MomentLike, WeightsLike]], w0: WeightsLike, times: TimesLike, K: Count
) -> Float[np.ndarray, "times m"]:
    """The weights under gates that change at given times, exactly: the end of one piece is the start of the next.

    **Arguments**

    - `pieces`: (start time, A, b) in order of time, the first from 0 on.
    - `w0`: initial weights (m,).
    - `times`: times, in units of tau.
    - `K`: number of units.

    **Returns** the weights (times, m), float64.

    >>> pieces = [(0.0, [[1.0]], [1.0]), (2.0, [[0.0]], [0.0])]
    >>> solve_pieces(pieces, [0.0], [1.0, 2.0, 9.0], K=1).round(4).ravel().tolist()
    [0.6321, 0.8647, 0.8647]

    **Source:** note 000, section 5, first idea.
    """
    starts = np.array([float(piece[0]) for piece in pieces])
    at = np.atleast_1d(
        np.asarray(checks.real("times", times, "a time of zero or more", lambda t: (t >= 0) & np.isfinite(t)), float)
    )
    if at.ndim > 1:
        raise UserError(f"times must be one time or a list of times, but have shape {at.shape}; write np.ravel(times).")
    if len(starts) == 0 or starts[0] != 0 or np.any(np.diff(starts) <= 0):
        raise UserError(f"Pieces must start at increasing times, the first at 0, but they start at {starts.tolist()}.")
    out, w = np.zeros((len(at), np.size(w0))), np.asarray(w0, float)
    for i, (_, A, b) in enumerate(pieces):
        end = starts[i + 1] if i + 1 < len(starts) else np.inf
        inside = (at >= starts[i]) & (at < end)
        if inside.any():
            out[inside] = np.asarray(solve(A, b, w, at[inside] - starts[i], K))
        w = np.asarray(solve(A, b, w, end - starts[i], K)) if np.isfinite(end) else w
    return out


@given(A=checks.finite, b=flat)
@exact
def half_time(A: MomentLike, b: WeightsLike, K: Count) -> Scalar:
    r"""When half of what can be explained is explained, from weights zero: $L(t) = \tfrac12(L(0) + L_\infty)$.

    With $\lambda_i$ the eigenvalues of A and $c_i = (u_i^\top b)^2/\lambda_i$ what each eigenvector explains, it solves
    $\sum_i c_i e^{-2\lambda_i t/K^2} = \tfrac12\sum_i c_i$.

    **Arguments**

    - `A`, `b`: as for `limit`.
    - `K`: number of units of the whole network.

    **Returns** the time in units of tau, infinite if the gates explain nothing; float64 NumPy unless traced.

    >>> float(half_time([[1.0]], [1.0], K=1).round(6))
    0.346574

    **Source:** note 002, section 5.1, which asks which gates win the race.
    """
    A, b, _ = checked(A, b, b)
    rates, basis = jnp.linalg.eigh(A)
    kept = ~(rates <= NULL * rates[-1])  # true for NaN, which stays NaN
    weight = jnp.where(kept, (basis.T @ b) ** 2 / jnp.where(kept, rates, 1.0), 0.0)
    share = weight / jnp.where(jnp.sum(weight) == 0, 1.0, jnp.sum(weight))
    time = _halved(share, rates, jnp.max(rates), jnp.min(jnp.where(kept, rates, jnp.inf)))
    return unless_nan(jnp.where(jnp.sum(weight) == 0, jnp.inf, units(K) ** 2 * time), weight)


def _halved(share: Array, rates: Array, fastest: Array, slowest: Array) -> Array:
    """Where the shares have decayed to one half: no sooner than if all had the fastest rate, no later than with the slowest.

    A fixed number of halvings serves all gates of a batch alike. A root finder that stops by tolerance would refuse the whole
    batch where one set of gates explains nothing, and so has no such time.
    """

    def halve(_: Any, ends: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = ends
        middle = jnp.sqrt(low * high)
        late = jnp.sum(share * jnp.exp(-2 * rates * middle)) < 0.5
        return jnp.where(late, low, middle), jnp.where(late, middle, high)

    low, high = jax.lax.fori_loop(0, HALVINGS, halve, (math.log(2) / (2 * fastest), math.log(2) / (2 * slowest)))
    return (low + high) / 2


@given(cov1=covariance, cov0=covariance, drift=field)
@exact
def single_gate_field(cov1: MatrixLike, cov0: MatrixLike, drift: FieldLike) -> Field:
    r"""Where a single unit behind a half-space gate ends, on symmetric data with labels (1, 0): $2 (S_0+S_1)^{-1} f_1(v)$.

    Its A is $(S_0+S_1)/4$ for every direction v of the gate, and its b is $f_1(v)/2$, the drift of the positive class.

    **Arguments**

    - `cov1`, `cov0`: class covariances (n, n).
    - `drift`: the drift $f_1(v) = E[1(\langle v,x\rangle>0)x]$ (n,) of the positive class.

    **Returns** the field (n,); float64 NumPy unless traced.

    >>> single_gate_field([[1.0]], [[1.0]], [0.4]).tolist()
    [0.4]

    **Source:** note 002, section 5; the fixed points of v -> field are the steady states of a ReLU neuron.
    """
    check_sites(drift, cov1, cov0)
    A, b = (real(cov1) + real(cov0)) / 4, real(drift) / 2
    return limit(A, b, jnp.zeros(b.shape), 1)
