"""Probabilities of sign patterns of a Gaussian vector."""

from typing import Any, Literal, overload

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.arrays import FieldLike, MatrixLike, Scalar
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.estimate import Estimate
from gatefield.core.keys import as_key
from gatefield.core.precision import exact, real
from gatefield.data.numerics import arcsine_covariance
from gatefield.theory.drift.sampled import STANDARD_ERRORS
from gatefield.theory.hypercube import inputs
from gatefield.theory.hypercube.genz import replicate_means, shifted_points
from gatefield.theory.hypercube.law import law
from gatefield.theory.hypercube.moments import MOST_SITES
from gatefield.theory.inputs import one_key, unless_nan

METHODS = ("auto", "closed", "recursion", "sampled")
MOST_AUTO = 8  # above, the recursion takes longer than sampling
_RELATIVE_GOAL = 1e-4  # four digits; a recursion with fewer is compared with sampling
_FACTOR_ERROR = 1e-13  # relative error per site of the factor and of the tails, found by comparing with quadrature


@overload
def orthant(
    corr: MatrixLike, pattern: FieldLike, *, method: str = ..., points: int = ..., replicates: int = ..., key: Any = ...
) -> Scalar: ...
@overload
def orthant(
    corr: MatrixLike,
    pattern: FieldLike,
    *,
    method: str = ...,
    points: int = ...,
    replicates: int = ...,
    key: Any = ...,
    with_error: Literal[True],
) -> Estimate: ...
@given(key=one_key, with_error=checks.flag)
def orthant(
    corr: MatrixLike,
    pattern: FieldLike,
    *,
    method: str = "auto",
    points: int = 4096,
    replicates: int = 12,
    key: PRNGKeyArray | None = None,
    with_error: bool = False,
) -> Scalar | Estimate:
    r"""Probability $P(\operatorname{sign} z = x)$ of a pattern of signs x of a Gaussian vector z.

    | method | for | error |
    |---|---|---|
    | "closed" | up to 3 sites: $2^{-n}\big(1 + \sum_{i<j} x_i x_j \tfrac2\pi\arcsin\rho_{ij}\big)$ | rounding |
    | "recursion" | up to 12 sites: $2^{-n}\sum_S m_S x^S$ over even sets S, see `pattern_law` | absolute, about 1e-10 |
    | "sampled" | any number: Genz's transformation with Botev's tilting at scrambled Sobol points | relative |
    | "auto" | "closed" to 3, "recursion" to 8, else "sampled"; "sampled" too if "recursion" gives under four digits | |

    Where "auto" has both, the sampled value is taken only if it is the finer one and agrees with the other.
    All of it works under `jit`, `vmap` and `grad` ("recursion" to 8 sites there), with the same points for all of a batch. If
    `corr` is traced, "auto" is "sampled" above 3 sites: it keeps the relative accuracy of small probabilities. Traced results
    have the user's precision: float32, where "recursion" is off by 1e-7 or so, unless inside `with jax.enable_x64(True)`.

    The error is a bound of rounding and truncation for "closed" and "recursion". For "sampled" it is one standard error, plus
    what rounding of the correlation changes, plus, where few points bear all the weight, what the points may have missed.

    **Arguments**

    - `corr`: correlation of z.
    - `pattern`: signs, 1 or -1.
    - `method`: as above.
    - `points`, `replicates`: for "sampled": points of one scrambled Sobol sequence, a power of 2, and number of sequences.
    - `key`: for "sampled": scrambles the sequences; by default they are the same at each call.
    - `with_error`: whether to give the error and the method too.

    **Returns** the probability, float64 NumPy unless traced; with `with_error` an `Estimate` of it. If `corr` is traced, the
    error of "recursion" is not known and NaN.

    >>> import numpy as np
    >>> half = (1 + np.eye(7)) / 2
    >>> round(float(orthant(half, np.ones(7))), 10)
    0.125
    >>> estimate = orthant((1 + np.eye(10)) / 2, np.ones(10), with_error=True)
    >>> estimate.method, bool(estimate.agrees(1 / 11)), bool(estimate.error < 1e-4)
    ('sampled', True, True)

    **Source:** note 003, equations 14 to 19, which sum over such patterns; Genz (1992), Botev (2017).
    """
    n = inputs.correlation(corr)
    inputs.signs(pattern, n)
    checks.choice("method", method, METHODS)
    points, replicates = _check_points(points), checks.count("replicates", replicates, least=2)
    first = _route(n, corr) if method == "auto" else method
    _check_sites(first, n)
    u = shifted_points(max(n - 1, 1), points, replicates, _entropy(key))
    found = _estimate(corr, pattern, first, u)
    if method == "auto" and first == "recursion":
        found = _finer(corr, pattern, u, found)
    return found if with_error else found.value


def _entropy(key: Any) -> tuple[int, ...]:
    """What the scrambling starts from."""
    return (0,) if key is None else tuple(np.asarray(jax.random.key_data(as_key(key))).ravel().tolist())


def _finer(corr: Any, pattern: Any, u: np.ndarray, summed: Estimate) -> Estimate:
    """The sampled probability where the recursion gives too few digits, if it is the better one."""
    if isinstance(summed.value, Tracer) or summed.error <= _RELATIVE_GOAL * summed.value:
        return summed
    sampled = _estimate(corr, pattern, "sampled", u)
    pairs = [(float(one.value), float(one.error)) for one in (sampled, summed)]
    return sampled if _better(*pairs) else summed


def _better(sampled: tuple[float, float], summed: tuple[float, float]) -> bool:
    """Whether a sampled value, whose error is a standard error, is finer than a bounded one and agrees with it."""
    return 0 < sampled[1] < summed[1] and abs(sampled[0] - summed[0]) <= summed[1] + 4 * sampled[1]


def _route(n: int, corr: Any) -> str:
    """What "auto" tries first; the recursion only where its error is known."""
    return "closed" if n <= 3 else "recursion" if n <= MOST_AUTO and not isinstance(corr, Tracer) else "sampled"


def _estimate(corr: Any, pattern: Any, method: str, u: np.ndarray) -> Estimate:
    errors = STANDARD_ERRORS if method == "sampled" else 1.0
    value, error = _value_and_error(corr, pattern, method, u)
    return Estimate(unless_nan(value, corr) if isinstance(corr, Tracer) else value, error, method, errors)


@exact
def _value_and_error(corr: Any, pattern: Any, method: str, u: np.ndarray) -> tuple[Array, Array]:
    pattern = real(pattern)
    routes = {"closed": _closed, "recursion": _recursion}
    if method in routes:
        return routes[method](corr, pattern)
    signed = real(corr) * jnp.outer(pattern, pattern)
    if len(pattern) == 1:
        return real(0.5), real(0.0)
    means, doubt = replicate_means(signed, real(u))
    spread = means.std(ddof=1) / np.sqrt(u.shape[0])
    rounding = (len(pattern) * _FACTOR_ERROR + _eps(means)) * means.mean() + jnp.finfo(means.dtype).tiny
    return means.mean(), jax.lax.stop_gradient(spread + doubt + rounding)


def _closed(corr: Any, pattern: Float[Array, " n"]) -> tuple[Array, Array]:
    n = len(pattern)
    pairs = jnp.triu(real(arcsine_covariance(real(corr), np.inf)) * jnp.outer(pattern, pattern), 1)
    value = (1 + pairs.sum()) / 2**n
    return jnp.maximum(value, 0.0), 0 * value + _eps(value)


def _recursion(corr: Any, pattern: Float[Array, " n"]) -> tuple[Array, Array]:
    n = len(pattern)
    known = law(corr)
    place = jnp.sum(jnp.where(pattern < 0, 2 ** np.arange(n), 0))
    value = jnp.maximum(known.chances[place], 0.0)
    return value, jax.lax.stop_gradient(known.errors.sum() / 2**n + _eps(value) * value)


def _eps(value: Array) -> float:
    """What rounding explains of a number of size 1."""
    return 8 * float(jnp.finfo(value.dtype).eps)


def _check_points(points: int) -> int:
    points = checks.count("points", points, least=2)
    if points & (points - 1):
        raise UserError(f"points must be a power of 2, but is {points}; give {1 << points.bit_length()}.")
    return points


def _check_sites(method: str, n: int) -> None:
    most = {"closed": 3, "recursion": MOST_SITES, "sampled": 20_000}[method]
    if n > most:
        raise UserError(f"The method '{method}' reaches {most} sites, but corr has {n}; use 'sampled'.")
