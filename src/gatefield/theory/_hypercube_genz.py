r"""Probabilities of orthants by randomised quasi-Monte-Carlo: Genz's transformation with Botev's tilting."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import log_ndtr, ndtri
from jaxtyping import Array, Float
from scipy.stats import qmc

_NEWTON = 30
_SHARES = 0.5 ** np.arange(12)

Factor = Float[Array, "n n"]


@functools.lru_cache(maxsize=32)
def shifted_points(dimension: int, points: int, replicates: int, seed: int) -> np.ndarray:
    """Sobol points, scrambled anew and shifted for each replicate; never 0 or 1."""
    draws = (qmc.Sobol(dimension, rng=np.random.default_rng([seed, r])) for r in range(replicates))
    return np.stack([draw.random(points) for draw in draws]) * (1 - 2.0**-30) + 2.0**-31


@jax.jit
def replicate_means(corr: Float[Array, "n n"], u: Float[Array, "replicates points n-1"]) -> Float[Array, " replicates"]:
    r"""Estimates of $P(z > 0)$ for a Gaussian z of this correlation, one per replicate.

    With $z = Ly$, the points y are drawn one after the other from normal laws of mean $\mu_k$, cut off where $z_k < 0$; each
    carries the ratio of the normal density to that of the draws. Any $\mu$ gives an unbiased estimate; it is chosen so that
    the ratio varies little (Botev's saddle point), and the sites are taken in the order of least probability.
    """
    scaled = _scaled_rows(_ordered_factor(corr))
    mu = jax.lax.stop_gradient(_tilt(scaled))
    return jax.lax.map(lambda points: jnp.exp(_log_mean(scaled, mu, points)), u)


def _log_mean(scaled: Factor, mu: Float[Array, " n"], u: Float[Array, "points n-1"]) -> Float[Array, ""]:
    """The logarithm of the mean weight."""
    n = scaled.shape[0]
    tiny = jnp.finfo(u.dtype).tiny * 10

    def step(carry: tuple[Array, Array], k: Array) -> tuple[tuple[Array, Array], None]:
        level, total = carry
        log_open = log_ndtr(level[:, k] + mu[k])
        draw = jnp.clip(u[:, jnp.minimum(k, n - 2)] * jnp.exp(log_open), tiny, 1.0)
        y = mu[k] - ndtri(jnp.minimum(draw, 1 - jnp.finfo(u.dtype).epsneg))
        total = total + log_open + jnp.where(k < n - 1, mu[k] ** 2 / 2 - mu[k] * y, 0.0)
        return (level + y[:, None] * scaled[:, k], total), None

    start = (jnp.zeros((u.shape[0], n), u.dtype), jnp.zeros(u.shape[0], u.dtype))
    (_, total), _ = jax.lax.scan(step, start, jnp.arange(n))
    return jax.nn.logsumexp(total) - np.log(u.shape[0])


def _ordered_factor(corr: Float[Array, "n n"]) -> Factor:
    """A Cholesky factor of the correlation, its sites in an order that puts those least likely to be positive first."""
    n = corr.shape[0]
    floor = 100 * jnp.finfo(corr.dtype).eps

    def step(carry: tuple[Array, ...], k: Array) -> tuple[tuple[Array, ...], tuple[Array, Array]]:
        rest, level, free = carry
        variance = jnp.maximum(jnp.diagonal(rest), floor)
        score = level / jnp.sqrt(variance)
        pick = jax.lax.stop_gradient(jnp.argmin(jnp.where(free, score, jnp.inf)))
        column = jnp.where(free, rest[:, pick], 0.0) / jnp.sqrt(variance[pick])
        column = column.at[pick].set(jnp.sqrt(variance[pick]))
        mean = jnp.exp(-(score[pick] ** 2) / 2 - log_ndtr(score[pick])) / np.sqrt(2 * np.pi)
        return (rest - jnp.outer(column, column), level + mean * column, free.at[pick].set(False)), (pick, column)

    start = (corr, jnp.zeros(n, corr.dtype), jnp.ones(n, bool))
    _, (order, columns) = jax.lax.scan(step, start, jnp.arange(n))
    return columns.T[order]


def _scaled_rows(factor: Factor) -> Factor:
    """Rows over their diagonal, which is taken off: site k is positive where y_k > -(row k) . y."""
    diagonal = jnp.diagonal(factor)
    return jnp.tril(factor / diagonal[:, None], -1)


def _tilt(scaled: Factor) -> Float[Array, " n"]:
    r"""The means $\mu$ at the saddle point of $\sum_k \mu_k^2/2 - \mu_k x_k + \log\Phi(\mu_k + (\text{row } k)\cdot x)$.

    By damped Newton steps; zero if they do not get closer to it.
    """
    n = scaled.shape[0]

    def slopes(both: Float[Array, " 2n-2"]) -> Float[Array, " 2n-2"]:
        return jax.grad(_exponent)(both, scaled)

    def step(_: int, both: Array) -> Array:
        move = jnp.linalg.solve(jax.jacfwd(slopes)(both), slopes(both))
        tries = both - real_like(_SHARES, both)[:, None] * jnp.where(jnp.isfinite(move), move, 0.0)
        sizes = jax.vmap(lambda t: jnp.sum(slopes(t) ** 2))(tries)
        best = jnp.argmin(jnp.where(jnp.isfinite(sizes), sizes, jnp.inf))
        return jnp.where(sizes[best] < jnp.sum(slopes(both) ** 2), tries[best], both)

    start = jnp.zeros(2 * (n - 1), scaled.dtype)
    found = jax.lax.fori_loop(0, _NEWTON, step, start)
    good = jnp.sum(slopes(found) ** 2) < 1e-3
    return jnp.append(jnp.where(good, found[n - 1 :], 0.0), 0.0)


def _exponent(both: Float[Array, " 2n-2"], scaled: Factor) -> Float[Array, ""]:
    n = scaled.shape[0]
    x, mu = jnp.append(both[: n - 1], 0.0), jnp.append(both[n - 1 :], 0.0)
    return jnp.sum(mu**2 / 2 - mu * x + log_ndtr(mu + scaled @ x))


def real_like(values: np.ndarray, like: Array) -> Array:
    return jnp.asarray(values, like.dtype)
