"""Exact paths of gated linear networks, for regular and singular A."""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Float

from gatefield import _checks
from gatefield._errors import UserError
from gatefield._precision import exact, real

Matrix = Float[ArrayLike, "m m"]
Vector = Float[ArrayLike, " m"]
Times = Float[ArrayLike, "*times"]

NULL = 1e-12
"""Eigenvalues below this times the largest count as zero."""


class Modes(NamedTuple):
    """A in its eigenbasis: eigenvalues, eigenvectors in columns, and b in that basis."""

    rates: Float[Array, " m"]
    basis: Float[Array, "m m"]
    pull: Float[Array, " m"]


@exact
def solve(A: Matrix, b: Vector, w0: Vector, t: Times, K: int) -> Float[Array, "*times m"]:
    r"""The weights of a gated linear network at time t, exactly.

    The flow is $K\tau\,\dot w = b - \tfrac1K A w$, and with $z = -tA/(K^2\tau)$

    $$w(t) = e^{z} w(0) + \tfrac{t}{K\tau}\,\varphi_1(z)\,b, \qquad \varphi_1(x) = (e^x-1)/x,\ \varphi_1(0)=1$$

    which needs no inverse and holds for singular A: gates that are redundant, or shut.

    **Arguments:** `A`: $E[\tilde x\tilde x^\top]$ (Kn, Kn), `b`: $E[y\tilde x]$ (Kn,), with $\tilde x$ the gated inputs
    $(g_1 x, \dots, g_K x)$. `w0`: initial weights (Kn,). `t`: a time, or an array of times, in units of tau. `K`: number of
    units.

    **Returns:** the weights (*times, Kn); float64 NumPy unless traced.

    >>> solve([[2.0, 0.0], [0.0, 0.0]], [1.0, 0.0], [0.0, 3.0], [0.0, 1.0, 100.0], K=1).round(4).tolist()
    [[0.0, 3.0], [0.4323, 3.0], [0.5, 3.0]]

    **Source:** note 000, equations 9 to 11, corrected: the factor 1/K, and a constant of either sign.
    """
    modes = _modes(A, b, w0)
    t, K = real(_checks.finite("t", t)), _checks.count("K", K)
    z = -t[..., None] * modes.rates / K**2
    u = jnp.exp(z) * (modes.basis.T @ real(w0)) + t[..., None] / K * _phi(z) * modes.pull
    return u @ modes.basis.T


@exact
def limit(A: Matrix, b: Vector, w0: Vector, K: int) -> Float[Array, " m"]:
    r"""Where the weights end: $w(\infty) = K A^+ b + (I - A A^+)\,w(0)$.

    **Arguments:** as for `solve`; b must lie in the range of A, as it does for every network.

    **Returns:** the weights (Kn,); float64 NumPy unless traced.

    >>> limit([[2.0, 0.0], [0.0, 0.0]], [1.0, 0.0], [0.0, 3.0], K=1).tolist()
    [0.5, 3.0]

    **Source:** note 000, after equation 11, corrected by the factor K and for singular A.
    """
    modes, K = _modes(A, b, w0), _checks.count("K", K)
    _check_range(modes)
    u = jnp.where(modes.rates > 0, K * _over(modes.pull, modes.rates), modes.basis.T @ real(w0))
    return modes.basis @ u


@exact
def loss(
    A: Matrix, b: Vector, w: Float[ArrayLike, "*batch m"], K: int, label_power: Float[ArrayLike, ""]
) -> Float[Array, "*batch"]:
    r"""One half of the mean squared error: $L(w) = \tfrac12\left(w^\top A w/K^2 - 2\,b^\top w/K + E y^2\right)$.

    **Arguments:** `A`, `b`, `K`: as for `solve`. `w`: weights (..., Kn). `label_power`: $E y^2$.

    **Returns:** the loss; float64 NumPy unless traced.

    >>> float(loss([[2.0]], [1.0], [0.0], K=1, label_power=0.5))
    0.25

    **Source:** note 000, equations 13 to 15, with the factor one half.
    """
    A, b, w, K = real(A), real(b), real(w) / _checks.count("K", K), 1
    return 0.5 * (jnp.einsum("...i,ij,...j->...", w, A, w) - 2 * w @ b + real(label_power))


@exact
def loss_path(A: Matrix, b: Vector, w0: Vector, t: Times, K: int, label_power: Float[ArrayLike, ""]) -> Float[Array, "*times"]:
    r"""The loss along the exact path.

    $$L(t) = L_\infty + \tfrac{1}{2K^2}\sum_i \lambda_i\,(u_i(0)-u_i(\infty))^2\, e^{-2\lambda_i t/(K^2\tau)}$$

    with $\lambda_i$ the eigenvalues of A and u the weights in its eigenbasis: modes of large eigenvalue decay first.

    **Arguments:** as for `solve` and `loss`.

    **Returns:** the loss at each time; float64 NumPy unless traced.

    >>> loss_path([[2.0]], [1.0], [0.0], [0.0, 0.5], K=1, label_power=0.5).round(4).tolist()
    [0.25, 0.0338]

    **Source:** note 002, section 5.1, in place of the claim that the smallest eigenvalues win.
    """
    modes, K = _modes(A, b, w0), _checks.count("K", K)
    t = real(_checks.finite("t", t))
    start = modes.basis.T @ real(w0)
    left = jnp.where(modes.rates > 0, start - K * _over(modes.pull, modes.rates), 0.0)
    decay = jnp.exp(-2 * t[..., None] * modes.rates / K**2)
    return _limiting(modes, label_power) + jnp.sum(modes.rates * left**2 * decay, axis=-1) / (2 * K**2)


@exact
def limiting_loss(A: Matrix, b: Vector, label_power: Float[ArrayLike, ""]) -> Float[Array, ""]:
    r"""The loss at the end: $L_\infty = \tfrac12\,(E y^2 - b^\top A^+ b)$.

    >>> float(limiting_loss([[2.0]], [1.0], label_power=0.5))
    0.0

    **Source:** note 000, equations 15 and 16, with the factor one half and the pseudo-inverse; labels as given.
    """
    return _limiting(_modes(A, b, jnp.zeros(np.shape(b))), label_power)


@exact
def explained(A: Matrix, b: Vector) -> Float[Array, ""]:
    r"""How much of the label power the gates can explain: $b^\top A^+ b$.

    >>> float(explained([[2.0]], [1.0]))
    0.5

    **Source:** note 000, equation 18, corrected: second moments in place of products of means.
    """
    return _explained(_modes(A, b, jnp.zeros(np.shape(b))))


@exact
def initial_rate(b: Vector, K: int) -> Float[Array, ""]:
    r"""How fast the loss falls at first, from weights zero: $-\dot L(0) = |b|^2/(K^2\tau)$.

    >>> float(initial_rate([3.0, 4.0], K=5))
    1.0
    """
    return jnp.sum(real(b) ** 2) / _checks.count("K", K) ** 2


@exact
def velocity(w: Float[Array, "K n"], A: Matrix, b: Vector) -> Float[Array, "K n"]:
    r"""The gradient flow of a gated linear network, $\tau\,\dot w = (b - A w/K)/K$, for `flow`.

    **Arguments:** `w`: weights (K, n). `A`, `b`: as for `solve`.

    **Source:** note 000, equations 5 and 8, with the missing factor 1/K.
    """
    w = real(w)
    return ((real(b) - real(A) @ w.ravel() / w.shape[0]) / w.shape[0]).reshape(w.shape)


def _modes(A: Matrix, b: Vector, w0: Vector) -> Modes:
    A, b = _checked(A, b, w0)
    rates, basis = jnp.linalg.eigh((A + A.T) / 2)
    rates = jnp.where(rates > NULL * jnp.max(jnp.abs(rates)), rates, 0.0)
    return Modes(rates, basis, basis.T @ b)


def _checked(A: Matrix, b: Vector, w0: Vector) -> tuple[Array, Array]:
    for name, value in (("A", A), ("b", b), ("w0", w0)):
        _checks.finite(name, value)
    shapes = np.shape(A), np.shape(b), np.shape(w0)
    size = np.size(b)
    if shapes != ((size, size), (size,), (size,)):
        raise UserError(
            f"A, b and w0 must have shapes (m, m), (m,) and (m,) with the same m = K n, but have "
            f"{shapes[0]}, {shapes[1]} and {shapes[2]}."
        )
    return real(A), real(b)


def _check_range(modes: Modes) -> None:
    if isinstance(modes.pull, Tracer):
        return
    outside = float(jnp.linalg.norm(jnp.where(modes.rates > 0, 0.0, modes.pull)))
    if outside > 1e-6 * max(float(jnp.linalg.norm(modes.pull)), 1e-300):
        raise UserError(
            f"b has a part of length {outside:.3g} on which A is zero, so that the weights grow without end; "
            "see that A and b belong to the same gates."
        )


def _phi(z: Float[Array, "..."]) -> Float[Array, "..."]:
    """(exp(z) - 1)/z, 1 at 0."""
    safe = jnp.where(z == 0, 1.0, z)
    return jnp.where(z == 0, 1.0, jnp.expm1(safe) / safe)


def _over(top: Array, bottom: Array) -> Array:
    """top / bottom, 0 where bottom is 0."""
    return jnp.where(bottom > 0, top / jnp.where(bottom > 0, bottom, 1.0), 0.0)


def _explained(modes: Modes) -> Float[Array, ""]:
    return jnp.sum(_over(modes.pull**2, modes.rates))


def _limiting(modes: Modes, label_power: Float[ArrayLike, ""]) -> Float[Array, ""]:
    return 0.5 * (real(label_power) - _explained(modes))
