"""Exact paths of gated linear networks, for regular and singular A."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Float, Int, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact, Fields, FieldsLike, Scalar, ScalarLike
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.theory.gated_linear.spectral import apply
from gatefield.theory.inputs import fields, some, values

MomentLike = Real[ArrayLike, "m m"] | Sequence
"""A (Kn, Kn), or a part of it."""
WeightsLike = Real[ArrayLike, " m"] | Sequence
"""The weights of all units in one (Kn,), or b."""
TimesLike = Real[ArrayLike, "*times"] | Sequence
Count = Int[ArrayLike, ""]

SLACK = 1e-5
"""How far, relative to its largest entry, A may be from symmetric and positive: rounding of sums in single precision."""
NULL = 1e-12
"""Eigenvalues below this times the largest count as zero: some thousand times what rounding leaves of one that is zero."""


def flat(name: str, value: Any) -> None:
    """The weights of all units in one, or b: finite."""
    sizes = checks.shape(name, value)
    if len(sizes) != 1 or not sizes[0]:
        raise UserError(f"{name} must have shape (K n,), all units in one, but has shape {sizes}; write np.ravel({name}).")
    checks.finite(name, value)


def power(name: str, value: Any) -> None:
    """A mean of squares: one number, zero or more."""
    checks.number(name, value)
    checks.real(name, value, "zero or more, being a mean of squares", lambda x: x >= 0)


_known = given(A=checks.finite, b=flat, w0=flat, w=values, times=some, label_power=power)


@_known
@exact
def solve(A: MomentLike, b: WeightsLike, w0: WeightsLike, times: TimesLike, K: Count) -> Float[Exact, "*times m"]:
    r"""The weights of a gated linear network at time t, exactly.

    The flow is $K\tau\,\dot w = b - \tfrac1K A w$, and with $z = -tA/(K^2\tau)$

    $$w(t) = e^{z} w(0) + \tfrac{t}{K\tau}\,\varphi_1(z)\,b, \qquad \varphi_1(x) = (e^x-1)/x,\ \varphi_1(0)=1$$

    which needs no inverse and holds for singular A: gates that are redundant, or shut.

    **Arguments**

    - `A`, `b`: $E[\tilde x\tilde x^\top]$ (Kn, Kn) and $E[y\tilde x]$ (Kn,), with $\tilde x$ the gated inputs
      $(g_1 x, \dots, g_K x)$, as from `statistics`.
    - `w0`: initial weights (Kn,).
    - `times`: a time, or an array of times, in units of tau.
    - `K`: number of units of the whole network, also where A, b and w0 are those of a block of exclusive units alone.

    **Returns** the weights (*times, Kn); float64 NumPy unless traced.

    >>> solve([[2.0, 0.0], [0.0, 0.0]], [1.0, 0.0], [0.0, 3.0], [0.0, 1.0, 100.0], K=1).round(4).tolist()
    [[0.0, 3.0], [0.4323, 3.0], [0.5, 3.0]]

    **Source:** note 000, equations 9 to 11, corrected: the factor 1/K, and a constant of either sign.
    """
    A, b, w0 = checked(A, b, w0)
    return path_of(A, b, w0, checked_times(times), units(K))


@_known
@exact
def limit(A: MomentLike, b: WeightsLike, w0: WeightsLike, K: Count) -> Float[Exact, " m"]:
    r"""Where the weights end: $w(\infty) = K A^+ b + (I - A A^+)\,w(0)$.

    **Arguments**

    - `A`: as for `solve`; eigenvalues below 1e-12 of the largest count as zero.
    - `b`: as for `solve`; it must lie in the range of A, as it does for every network.
    - `w0`, `K`: as for `solve`.

    **Returns** the weights (Kn,); float64 NumPy unless traced.

    >>> limit([[2.0, 0.0], [0.0, 0.0]], [1.0, 0.0], [0.0, 3.0], K=1).tolist()
    [0.5, 3.0]

    **Source:** note 000, after equation 11, corrected by the factor K and for singular A.
    """
    A, b, w0 = checked(A, b, w0)
    inverse = _inverse(A)
    _check_range(A, inverse, b)
    return _end(inverse, A, b, w0, units(K))


@_known
@exact
def loss(
    A: MomentLike, b: WeightsLike, w: Real[ArrayLike, "*batch m"] | Sequence, K: Count, label_power: ScalarLike
) -> Float[Exact, "*batch"]:
    r"""One half of the mean squared error: $L(w) = \tfrac12\left(w^\top A w/K^2 - 2\,b^\top w/K + E y^2\right)$.

    **Arguments**

    - `A`, `b`, `K`: as for `solve`.
    - `w`: weights (..., Kn).
    - `label_power`: $E y^2$.

    **Returns** the loss; float64 NumPy unless traced.

    >>> float(loss([[2.0]], [1.0], [0.0], K=1, label_power=0.5))
    0.25

    **Source:** note 000, equations 13 to 15, with the factor one half.
    """
    A, b, _ = checked(A, b, b)
    _check_units(K, b.size)
    w = real(w) / units(K)
    if w.shape[-1:] != b.shape:
        raise UserError(f"w must have shape (..., {b.size}), the weights of all units in one, but has {w.shape}; flatten them.")
    return _loss(A, b, w, real(label_power))


@_known
@exact
def loss_path(
    A: MomentLike, b: WeightsLike, w0: WeightsLike, times: TimesLike, K: Count, label_power: ScalarLike
) -> Float[Exact, "*times"]:
    r"""The loss along the exact path.

    $$L(t) = L_\infty + \tfrac{1}{2K^2}\sum_i \lambda_i\,(u_i(0)-u_i(\infty))^2\, e^{-2\lambda_i t/(K^2\tau)}$$

    with $\lambda_i$ the eigenvalues of A and u the weights in its eigenbasis: modes of large eigenvalue decay first.

    **Arguments**

    - `A`, `b`, `w0`, `times`, `K`: as for `solve`; K must divide the number of weights.
    - `label_power`: $E y^2$; if it is less than $b^\top A^+ b$ the path ends below zero, as `limiting_loss` says.

    **Returns** the loss at each time; float64 NumPy unless traced.

    >>> loss_path([[2.0]], [1.0], [0.0], [0.0, 0.5], K=1, label_power=0.5).round(4).tolist()
    [0.25, 0.0338]

    **Source:** note 002, section 5.1, in place of the claim that the smallest eigenvalues win.
    """
    _check_units(K, np.size(b))
    return real(loss(A, b, solve(A, b, w0, times, K), K, label_power))


@_known
@exact
def limiting_loss(A: MomentLike, b: WeightsLike, label_power: ScalarLike) -> Scalar:
    r"""The loss at the end: $L_\infty = \tfrac12\,(E y^2 - b^\top A^+ b)$.

    **Arguments**

    - `A`, `b`: as for `limit`.
    - `label_power`: $E y^2$, of the same samples as A and b. One below $b^\top A^+ b$ belongs to no samples, and the loss is
      negative; it is not refused, since A in closed form and b by sampling, as from `statistics`, may go below it by noise.

    **Returns** the loss; float64 NumPy unless traced.

    >>> float(limiting_loss([[2.0]], [1.0], label_power=0.5))
    0.0

    **Source:** note 000, equations 15 and 16, with the factor one half and the pseudo-inverse; labels as given.
    """
    return 0.5 * (real(label_power) - real(explained(A, b)))


@_known
@exact
def explained(A: MomentLike, b: WeightsLike) -> Scalar:
    r"""How much of the label power the gates can explain: $b^\top A^+ b$.

    **Arguments**

    - `A`, `b`: as for `limit`.

    **Returns** the part explained, between 0 and $E y^2$; float64 NumPy unless traced.

    >>> float(explained([[2.0]], [1.0]))
    0.5

    **Source:** note 000, equation 18, corrected: second moments in place of products of means.
    """
    A, b, _ = checked(A, b, b)
    return b @ _inverse(A) @ b


@_known
@exact
def initial_rate(b: WeightsLike, K: Count) -> Scalar:
    r"""How fast the loss falls at first, from weights zero: $-\dot L(0) = |b|^2/(K^2\tau)$.

    **Arguments**

    - `b`: $E[y\tilde x]$ (Kn,), as from `statistics`.
    - `K`: number of units of the whole network.

    **Returns** the rate in units of 1/tau; float64 NumPy unless traced.

    >>> float(initial_rate([3.0, 4.0], K=5))
    1.0

    **Source:** note 000, equation 13, at the start, with the factor 1/K.
    """
    return jnp.sum(real(b) ** 2) / units(K) ** 2


@given(w=fields, A=checks.finite, b=flat)
@exact
def velocity(w: FieldsLike, A: MomentLike, b: WeightsLike) -> Fields:
    r"""The gradient flow of a gated linear network, $\tau\,\dot w = (b - A w/K)/K$, for `flow`.

    **Arguments**

    - `w`: weights (K, n).
    - `A`, `b`: as for `solve`.

    **Returns** the velocity (K, n); float64 NumPy unless traced.

    >>> velocity([[1.0], [0.0]], [[1.0, 0.0], [0.0, 1.0]], [1.0, 1.0]).tolist()
    [[0.25], [0.5]]

    **Source:** note 000, equations 5 and 8, with the missing factor 1/K.
    """
    w = real(w)
    _check_shapes(A, b, w.ravel())
    if not isinstance(A, Tracer):
        _check_moment(np.asarray(A, float))
    return ((real(b) - real(A) @ w.ravel() / w.shape[0]) / w.shape[0]).reshape(w.shape)


def checked(A: MomentLike, b: WeightsLike, w0: WeightsLike) -> tuple[Array, Array, Array]:
    """A, b and w0 as arrays, with shapes checked, and whether A can be a second moment."""
    _check_shapes(A, b, w0)
    if not isinstance(A, Tracer):
        _check_moment(np.asarray(A, float))
    return _symmetric(real(A)), real(b), real(w0)


def _check_shapes(A: Any, b: Any, w0: Any) -> None:
    shapes, size = (np.shape(A), np.shape(b), np.shape(w0)), np.size(b)
    if shapes != ((size, size), (size,), (size,)):
        raise UserError(
            f"A, b and w0 must have shapes (m, m), (m,) and (m,) with the same m = K n, but have "
            f"{shapes[0]}, {shapes[1]} and {shapes[2]}; take all from the same K gates."
        )


@jax.jit
def _symmetric(A: Float[Array, "m m"]) -> Float[Array, "m m"]:
    return (A + A.T) / 2


@jax.jit
def path_of(A: Array, b: Array, w0: Array, t: Float[Array, "*times"], K: Float[Array, ""]) -> Float[Array, "*times m"]:
    """`solve` for arrays."""

    def at(time: Float[Array, ""]) -> Float[Array, " m"]:
        scale = time / K**2
        return apply(_decay, _decay_slope, A, w0, scale) + time / K * apply(_filling, _filling_slope, A, b, scale)

    return jnp.vectorize(at, signature="()->(m)")(t)


@jax.jit
def _end(inverse: Array, A: Array, b: Array, w0: Array, K: Float[Array, ""]) -> Float[Array, " m"]:
    """`limit` for arrays."""
    return K * inverse @ b + w0 - inverse @ (A @ w0)


@jax.jit
def _loss(A: Array, b: Array, w: Float[Array, "*batch m"], label_power: Array) -> Float[Array, "*batch"]:
    """`loss` for weights that are divided by K."""
    return 0.5 * (jnp.einsum("...i,ij,...j->...", w, A, w) - 2 * w @ b + label_power)


def _check_moment(A: np.ndarray) -> None:
    largest = np.abs(A).max(initial=0.0)
    if np.abs(A - A.T).max(initial=0.0) > SLACK * largest:
        raise UserError("A must be symmetric, as a matrix of second moments is; give E[x~ x~'].")
    lowest = np.linalg.eigvalsh((A + A.T) / 2).min(initial=0.0)
    if lowest < -SLACK * largest:
        raise UserError(f"A must be positive semidefinite, but has the eigenvalue {lowest:.3g}; give E[x~ x~'].")


def units(K: Count) -> Float[Array, ""]:
    """The number of units, which may be traced; a block of the weights alone moves with the K of the whole network."""
    return real(K if isinstance(K, Tracer) else checks.count("K", K))


def _check_units(K: Count, weights: int) -> None:
    """See that the weights are those of K units: the loss is that of a whole network."""
    if not isinstance(K, Tracer) and weights % checks.count("K", K):
        raise UserError(
            f"K must divide the number of weights, m = K n, but is {K} for {weights}; give the number of gates of A and b."
        )


def checked_times(times: TimesLike) -> Float[Array, "*times"]:
    return real(checks.real("times", times, "a time of zero or more", lambda x: (x >= 0) & np.isfinite(x)))


def _inverse(A: Float[Array, "m m"]) -> Float[Array, "m m"]:
    """The pseudo-inverse."""
    # in float32 rounding leaves about 1e-7 of an eigenvalue that is zero, so that `NULL` would keep it
    return jnp.linalg.pinv(A, rtol=NULL if A.dtype == jnp.float64 else 1e-6, hermitian=True)


def _check_range(A: Array, inverse: Array, b: Array) -> None:
    if any(isinstance(part, Tracer) for part in (A, b)):
        return
    moment, pseudo, pull = (np.asarray(part) for part in (A, inverse, b))
    outside = float(np.linalg.norm(pull - moment @ (pseudo @ pull)))
    if outside > 1e-6 * max(float(np.linalg.norm(pull)), 1e-300):  # moments from the same gates agree to rounding
        raise UserError(
            f"b has a part of length {outside:.3g} on which A is zero, so that the weights grow without end; "
            "see that A and b belong to the same gates."
        )


def _kept(rates: Array) -> Array:
    """The eigenvalues, those that are zero up to rounding set to zero."""
    return jnp.where(rates > NULL * jnp.max(jnp.abs(rates)), rates, 0.0)


def _decay(rates: Array, scale: Array) -> Array:
    return jnp.exp(-scale * _kept(rates))


def _decay_slope(rates: Array, scale: Array) -> Array:
    return -scale * _decay(rates, scale)


def _filling(rates: Array, scale: Array) -> Array:
    """phi_1(z) = (exp(z) - 1)/z at z = -scale * rates, 1 at 0."""
    z = -scale * _kept(rates)
    safe = jnp.where(z == 0, 1.0, z)
    return jnp.where(z == 0, 1.0, jnp.expm1(safe) / safe)


def _filling_slope(rates: Array, scale: Array) -> Array:
    """Its derivative by the rates: -scale * (exp(z) (z - 1) + 1)/z^2, by its series near 0."""
    z = -scale * _kept(rates)
    small = jnp.abs(z) < 1e-2  # there the fraction loses digits by cancellation, and the series is off by z^5/840 < 2e-13
    safe = jnp.where(small, 1.0, z)
    series = 0.5 + z * (1 / 3 + z * (1 / 8 + z * (1 / 30 + z / 144)))
    return -scale * jnp.where(small, series, (jnp.exp(safe) * (safe - 1) + 1) / safe**2)
