"""Probabilities of sign patterns of a Gaussian vector."""

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.errors import UserError, unknown_name
from gatefield.core.precision import exact, real
from gatefield.data import arcsine_covariance
from gatefield.theory.hypercube import inputs
from gatefield.theory.hypercube.genz import replicate_means, shifted_points
from gatefield.theory.hypercube.law import law
from gatefield.theory.hypercube.moments import MOST_SITES

METHODS = ("auto", "closed", "recursion", "sampled")
MOST_AUTO = 8
_RELATIVE_GOAL = 1e-4
_FACTOR_ERROR = 1e-13

CorrLike = Float[ArrayLike, "n n"]
PatternLike = Real[ArrayLike, " n"] | Sequence[float]


class Orthant(eqx.Module):
    """A probability, its error and the method that gave it.

    The error is a bound of rounding and truncation for "closed" and "recursion". For "sampled" it is one standard error, plus
    what rounding of the correlation changes, plus, where few points bear all the weight, what the points may have missed.
    """

    value: Float[Array, ""]
    error: Float[Array, ""]
    method: str = eqx.field(static=True)


def orthant(
    corr: CorrLike,
    pattern: PatternLike,
    *,
    method: str = "auto",
    points: int = 4096,
    replicates: int = 12,
    seed: int = 0,
) -> Float[Array, ""]:
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

    **Arguments:** `corr`: correlation of z. `pattern`: signs, 1 or -1. `method`: as above. `points`, `replicates`, `seed`: for
    "sampled": points of one scrambled Sobol sequence, a power of 2; number of sequences; where their scrambling starts.

    **Returns:** the probability; float64 NumPy unless traced. See `orthant_estimate` for its error.

    >>> import numpy as np
    >>> half = (1 + np.eye(7)) / 2
    >>> round(float(orthant(half, np.ones(7))), 10)
    0.125

    **Source:** note 003, equations 14 to 19, which sum over such patterns; Genz (1992), Botev (2017).
    """
    estimate = orthant_estimate(corr, pattern, method=method, points=points, replicates=replicates, seed=seed)
    return estimate.value


def orthant_estimate(
    corr: CorrLike,
    pattern: PatternLike,
    *,
    method: str = "auto",
    points: int = 4096,
    replicates: int = 12,
    seed: int = 0,
) -> Orthant:
    """The probability of an `orthant` together with its error and the method used.

    **Arguments:** as for `orthant`.

    **Returns:** an `Orthant` with `value`, `error` and `method`. If `corr` is traced, the error of "recursion" is not
    known and NaN. Traced results have the user's precision: float32 unless inside `with jax.enable_x64(True)`.

    >>> import numpy as np
    >>> half = (1 + np.eye(10)) / 2
    >>> estimate = orthant_estimate(half, np.ones(10))
    >>> estimate.method, bool(abs(estimate.value - 1 / 11) < 4 * estimate.error), bool(estimate.error < 1e-4)
    ('sampled', True, True)
    """
    n = inputs.correlation(corr)
    inputs.signs(pattern, n)
    if method not in METHODS:
        raise unknown_name("method", method, METHODS)
    points, replicates = _check_points(points), checks.count("replicates", replicates, least=2)
    chosen = _route(n, corr) if method == "auto" else method
    _check_sites(chosen, n)
    u = shifted_points(max(n - 1, 1), points, replicates, checks.count("seed", seed, least=0))
    value, error = _estimate(corr, pattern, chosen, u)
    plain = not isinstance(value, Tracer)
    if method == "auto" and chosen == "recursion" and plain and error > _RELATIVE_GOAL * value:
        other = _estimate(corr, pattern, "sampled", u)
        if _better((float(other[0]), float(other[1])), (float(value), float(error))):
            return Orthant(*other, "sampled")
    return Orthant(value, error, chosen)


def _better(sampled: tuple[float, float], summed: tuple[float, float]) -> bool:
    """Whether a sampled value, whose error is a standard error, is finer than a bounded one and agrees with it."""
    return 0 < sampled[1] < summed[1] and abs(sampled[0] - summed[0]) <= summed[1] + 4 * sampled[1]


def _route(n: int, corr: CorrLike) -> str:
    """What "auto" tries first; the recursion only where its error can be told."""
    return "closed" if n <= 3 else "recursion" if n <= MOST_AUTO and not isinstance(corr, Tracer) else "sampled"


@exact
def _estimate(corr: CorrLike, pattern: PatternLike, method: str, u: np.ndarray) -> tuple[Array, Array]:
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


def _closed(corr: CorrLike, pattern: Float[Array, " n"]) -> tuple[Array, Array]:
    n = len(pattern)
    pairs = jnp.triu(real(arcsine_covariance(real(corr), np.inf)) * jnp.outer(pattern, pattern), 1)
    value = (1 + pairs.sum()) / 2**n
    return jnp.maximum(value, 0.0), 0 * value + _eps(value)


def _recursion(corr: CorrLike, pattern: Float[Array, " n"]) -> tuple[Array, Array]:
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
