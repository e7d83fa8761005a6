"""Moments of the signs of a Gaussian vector, by a recursion over pairs."""

import functools
import itertools
from typing import Any, Literal, NamedTuple, overload

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Float

from gatefield.core import checks
from gatefield.core.arrays import MatrixLike, Scalar
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.estimate import Estimate
from gatefield.core.precision import exact, real
from gatefield.theory.hypercube import inputs
from gatefield.theory.inputs import unless_nan

MOST_SITES = 12  # three quarters of a minute; 14 would take hours
_NODES = {4: 32, 6: 20, 8: 16, 10: 10, 12: 8}
"""Nodes per level: to k = 8 enough for 1e-12 on a line with length scale 2, above as many as a minute allows."""
_CHUNK = {4: 64, 6: 8, 8: 1, 10: 1, 12: 1}
"""Moments computed at once. Batches are padded to a multiple of it, so that all share one compiled program; moments of many
sites take long, and none is computed in vain."""
_TINY = 1e-14  # a conditional variance below is rounding: that site is decided by the pair at zero
_DIGITS = 13  # correlations that agree so far are taken as the same matrix
_ROUNDING, _CANCELLED = 4e-14, 1e-18  # rounding per site, and what determinants lose as (1 - largest correlation)^-2
_GOAL = 5e-10  # a moment less precise is computed again
_SAME = 4e-15  # correlations this near to 1 or -1 are 1 or -1 but for rounding

Corr = Float[Array, "*batch k k"]


@overload
def sign_moment(corr: MatrixLike) -> Scalar: ...
@overload
def sign_moment(corr: MatrixLike, *, with_error: Literal[True]) -> Estimate: ...
@given(with_error=checks.flag)
@exact
def sign_moment(corr: MatrixLike, *, with_error: bool = False) -> Scalar | Estimate:
    r"""Moment $m_k = E[x_1 x_2 \cdots x_k]$ of the signs $x_i = \operatorname{sign} z_i$ of a Gaussian vector.

    $m_0 = 1$, $m_2 = \tfrac2\pi\arcsin\rho$, odd moments vanish. Let R(t) be the correlation R with the first row and column
    times t off the diagonal. The moment is 0 at t = 0, and its derivative in a correlation is a moment of the other signs
    where both sites are at zero, so that

    $$m_k(R) = \int_0^1 \sum_{j\ge2} \frac2\pi \frac{R_{1j}}{\sqrt{1-t^2R_{1j}^2}}\; m_{k-2}\big(R(t)\,|\,z_1=z_j=0\big)\,dt$$

    with the correlation of the other sites given $z_1 = z_j = 0$. The site of weakest correlations is taken first, and
    $t = \sin(\pi u/2)$ with Gauss-Legendre nodes in u. Two sites that always agree, or always differ, are first replaced by
    their constant product, and to k = 8 a moment that is not precise to 5e-10 is computed again with a finer rule. For
    correlations of a line with a length scale of 2 sites the error is below 1e-12 to k = 8; it grows as R comes near to
    singular. Under a transformation none of this is done: R must be far from singular there, and the result has the user's
    precision, float32 unless inside `with jax.enable_x64(True)`.

    The error is twice the change of the moment with two or three nodes fewer per level (twice as many with the finer rule),
    plus rounding; above k = 8, the change with two.

    **Arguments**

    - `corr`: correlation R of z; k up to 12 if even (milliseconds to k = 8 once compiled, under a minute at 12).
    - `with_error`: whether to give the error too.

    **Returns** the moment, float64 NumPy unless traced; with `with_error` an `Estimate` of it, whose error is not known and NaN
    under a transformation.

    >>> import numpy as np
    >>> half = (1 + np.eye(4)) / 2
    >>> round(float(sign_moment(half)), 12)
    0.2
    >>> moment = sign_moment(np.ones((4, 4)), with_error=True)
    >>> float(moment.value), bool(moment.error < 1e-12)
    (1.0, True)

    **Source:** note 003, section 3, where the moments of the signs are needed; the derivative is Plackett's (1954).
    """
    value, error = _moment_and_error(corr)
    return Estimate(value, error, "recursion") if with_error else value


def _moment_and_error(corr: Any) -> tuple[Array, Array]:
    k = inputs.correlation(corr)
    if k % 2:
        return 0 * real(corr)[0, 0], 0 * real(corr)[0, 0]
    if k > MOST_SITES:
        raise UserError(f"The recursion reaches {MOST_SITES} sites, but corr has {k}; sample the signs instead.")
    if isinstance(corr, Tracer):
        value = unless_nan(even_moments(real(corr)[None])[0], corr)
        return value, jnp.full_like(value, jnp.nan)
    with jax.enable_x64(True), jax.ensure_compile_time_eval():
        value, error = _moment_host(np.asarray(corr, dtype=np.float64))
    return real(value), real(error)


def _moment_host(corr: np.ndarray) -> tuple[float, float]:
    """The moment of an even number of sites and its error; pairs of sites that always agree or differ drop out."""
    first = _first_alike(corr)
    kept = np.flatnonzero(np.bincount(first, minlength=len(corr)) % 2)
    sign = float(np.prod(np.sign(corr[np.arange(len(corr)), first])))
    if not len(kept):
        return sign, _ROUNDING
    value, error = _in_chunks(corr[np.ix_(kept, kept)][None])
    return sign * float(value[0]), float(error[0])


def _first_alike(corr: np.ndarray) -> np.ndarray:
    """For each site the first whose sign is always its own or the opposite."""
    return (np.abs(corr) > 1 - _SAME).argmax(1)


def even_moments(corr: Float[ArrayLike, "batch k k"], *, fewer: int = 0, hard: bool = False) -> Float[Array, " batch"]:
    """Moments of a batch of the same even order, with `fewer` nodes per level; twice as many, denser near 1, if `hard`."""
    corr = real(corr)
    k = corr.shape[-1]
    if k == 2:
        return (2 / np.pi) * _arcsine(corr[:, 0, 1])
    return _compiled(corr, *map(real, rule(_NODES[k] * (1 + hard), fewer, hard)))


@jax.jit
def _compiled(corr: Array, t: Array, weight: Array) -> Array:
    """The moments, the site of weakest correlations taken first."""
    order = jnp.argsort(jnp.sum(corr**2, axis=-1), axis=-1, stable=True)
    return _moment(jax.vmap(lambda c, o: c[o][:, o])(corr, order), t, weight)


@functools.cache
def rule(count: int, fewer: int = 0, hard: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Nodes t and weights on [0, 1], dense near 1; `fewer` of them have weight 0, so that all rules share a shape."""
    x, weight = np.polynomial.legendre.leggauss(count - fewer)
    t, weight = (1 + x) / 2, weight / 2
    for _ in range(1 + hard):
        t, weight = np.sin(np.pi * t / 2), np.pi / 2 * weight * np.cos(np.pi * t / 2)
    return np.append(t, np.zeros(fewer)), np.append(weight, np.zeros(fewer))


def _moment(corr: Corr, t: Array, weight: Array) -> Float[Array, "*batch"]:
    k = corr.shape[-1]
    if k == 4:
        return _fourth(corr, t, weight)
    first = corr[..., 0, 1:]

    def at(node: Array) -> Array:
        rho = node * first
        return jnp.sum(first / jnp.sqrt(1 - rho**2) * _moment(_given_pair(corr, rho), t, weight), axis=-1)

    values = jax.lax.map(at, t) if k > 6 else jax.vmap(at)(t)
    return (2 / np.pi) * jnp.tensordot(weight, values, axes=1)


def _given_pair(corr: Corr, rho: Float[Array, "*batch k-1"]) -> Float[Array, "*batch k-1 k-2 k-2"]:
    """Correlations of the other sites given that the first and one more are at zero, for each choice of that one."""
    sites = np.arange(corr.shape[-1] - 1)
    others = np.array([np.delete(sites, j) for j in sites])
    rest = corr[..., 1:, 1:]
    a, b = rho[..., others], rest[..., sites[:, None], others]
    r = rho[..., None]
    mixed = (a - r * b)[..., :, None] * a[..., None, :] + (b - r * a)[..., :, None] * b[..., None, :]
    cov = rest[..., others[:, :, None], others[:, None, :]] - mixed / (1 - r**2)[..., None]
    variance = jnp.diagonal(cov, axis1=-2, axis2=-1)
    inverse = jnp.where(variance > _TINY, 1 / jnp.sqrt(jnp.where(variance > _TINY, variance, 1.0)), 0.0)
    return jnp.clip(cov * inverse[..., :, None] * inverse[..., None, :], -1.0, 1.0)


def _fourth(corr: Float[Array, "*batch 4 4"], t: Array, weight: Array) -> Float[Array, "*batch"]:
    """The fourth moment: the inner moments are arcsines, written out because most of the time is spent here."""
    total = 0.0
    for j, a, b in ((1, 2, 3), (2, 1, 3), (3, 1, 2)):
        c = corr[..., None]
        rho, pa, pb, qa, qb = t * c[..., 0, j, :], t * c[..., 0, a, :], t * c[..., 0, b, :], c[..., j, a, :], c[..., j, b, :]
        det = 1 - rho**2
        variance_a = det - pa**2 - qa**2 + 2 * rho * pa * qa
        variance_b = det - pb**2 - qb**2 + 2 * rho * pb * qb
        joint = det * c[..., a, b, :] - pa * pb - qa * qb + rho * (pa * qb + qa * pb)
        square = variance_a * variance_b - joint**2
        inside = (square > 0) & (variance_a > _TINY) & (variance_b > _TINY)
        angle = jnp.arctan2(joint, jnp.sqrt(jnp.where(inside, square, 1.0)))
        edge = jnp.where((variance_a > _TINY) & (variance_b > _TINY), jnp.sign(joint) * (np.pi / 2), 0.0)
        total += jnp.sum(weight / jnp.sqrt(det) * c[..., 0, j, :] * jnp.where(inside, angle, edge), axis=-1)
    return (2 / np.pi) ** 2 * total  # pyright: ignore[reportReturnType]


def _arcsine(rho: Array) -> Array:
    """The arcsine, with derivative 0 in place of an infinite one."""
    inside = jnp.abs(rho) < 1
    return jnp.where(inside, jnp.arcsin(jnp.where(inside, rho, 0.0)), jnp.sign(rho) * (np.pi / 2))


class Moments(NamedTuple):
    """Moments of all sets of sites, the set being the binary digits of the place, and bounds of their errors."""

    value: np.ndarray
    error: np.ndarray


def subset_moments(corr: Float[Array, "n n"]) -> Float[Array, " sets"]:
    """Moments of all sets of sites, under a transformation; odd sets have 0."""
    n = corr.shape[-1]
    value = jnp.zeros(2**n, corr.dtype).at[0].set(1.0)
    for k in range(2, n + 1, 2):
        sets = np.array(list(itertools.combinations(range(n), k)))
        value = value.at[(1 << sets).sum(1)].set(even_moments(corr[sets[:, :, None], sets[:, None, :]]))
    return value


def subset_moments_host(corr: np.ndarray) -> Moments:
    """Moments of all sets of sites; a site whose sign is always that of an earlier one, or its opposite, stands for it."""
    first = _first_alike(corr)
    kept, place = np.unique(first, return_inverse=True)
    moments = _distinct_moments(corr[np.ix_(kept, kept)])
    if len(kept) == len(corr):
        return moments
    sets, sign = np.zeros(1, dtype=int), np.ones(1)
    for i, j in enumerate(first):
        sets = np.concatenate([sets, sets ^ (1 << place[i])])
        sign = np.concatenate([sign, sign * np.sign(corr[i, j])])
    return Moments(sign * moments.value[sets], moments.error[sets])


def _distinct_moments(corr: np.ndarray) -> Moments:
    """Moments of all sets of sites; sets whose correlations agree after a turn or a reflection are computed once."""
    n = len(corr)
    value, error = np.zeros(2**n), np.zeros(2**n)
    value[0] = 1.0
    for k in range(2, n + 1, 2):
        sets = np.array(list(itertools.combinations(range(n), k)))
        small = corr[sets[:, :, None], sets[:, None, :]]
        _, first, kind = np.unique(_canonical(small), axis=0, return_index=True, return_inverse=True)
        places = (1 << sets).sum(1)
        value[places], error[places] = (part[kind.ravel()] for part in _in_chunks(small[first]))
    return Moments(value, error)


def _in_chunks(corr: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Moments of a batch and their errors; what is not precise enough is computed again with a finer rule."""
    k = corr.shape[-1]
    if k == 2:
        return 2 / np.pi * np.arcsin(np.clip(corr[:, 0, 1], -1, 1)), np.full(len(corr), _ROUNDING)
    value, error = _with_error(corr, hard=False)
    poor = error > _GOAL
    if k <= 8 and poor.any():
        value[poor], error[poor] = _with_error(corr[poor], hard=True)
    return value, error


def _with_error(corr: np.ndarray, *, hard: bool) -> tuple[np.ndarray, np.ndarray]:
    """Moments of a batch, and bounds of their errors: how much they change with fewer nodes per level, and rounding.

    To k = 8 twice the larger change with two and with three nodes fewer (twice as many if `hard`), because the errors of one
    pair of rules can agree by chance; above, where three fewer are too few, the change with two.
    """
    count, k, _ = corr.shape
    size = _CHUNK[k]
    padded = np.concatenate([corr, np.repeat(corr[-1:], -count % size, axis=0)]).reshape(-1, size, k, k)

    def moments(fewer: int) -> np.ndarray:
        return np.concatenate([even_moments(c, fewer=fewer * (1 + hard), hard=hard) for c in padded])[:count]

    value = moments(0)
    change = np.max([np.abs(moments(fewer) - value) for fewer in ((2, 3) if k <= 8 else (2,))], axis=0)
    return value, (2 if k <= 8 else 1) * change + _rounding(corr)


def _rounding(corr: np.ndarray) -> np.ndarray:
    """What rounding explains: it grows where the largest correlation comes near to 1, as determinants cancel."""
    k = corr.shape[-1]
    gap = 1 - np.abs(corr - np.eye(k)).max((-2, -1))
    return k * (_ROUNDING + _CANCELLED / np.maximum(gap, 1e-4) ** 2)


def _canonical(corr: np.ndarray) -> np.ndarray:
    """For each matrix, the first in dictionary order of its rounded turns and reflections, flattened."""
    batch, k, _ = corr.shape
    rounded = np.round(corr, _DIGITS) + 0.0
    turns = [(np.arange(k) * sign + shift) % k for shift in range(k) for sign in (1, -1)]
    best = rounded.reshape(batch, -1)
    for turn in turns:
        other = rounded[:, turn][:, :, turn].reshape(batch, -1)
        differ = other != best
        place = differ.argmax(1)
        rows = np.arange(batch)
        best = np.where((other[rows, place] < best[rows, place])[:, None], other, best)
    return best
