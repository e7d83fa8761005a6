r"""Probabilities of orthants by randomised quasi-Monte-Carlo: Genz's transformation with Botev's tilting."""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import solve_triangular
from jaxtyping import Array, ArrayLike, Float
from scipy.stats import qmc

from gatefield.theory.hypercube.tail import cut_draw, hazard, log_scaled_tail, log_tail, scaled_tail, uncut_mean

_NEWTON = 20  # steps to the saddle point; eight are enough for correlations up to 0.999 and for smooth kernels of 20 sites
_SHARES = 0.5 ** np.arange(8)  # of a Newton step that the line search tries
_FLOORS = np.array([4.0, 16.0, 4.0])
"""Least conditional variance of a site, in units of rounding: for the correlation itself and for its two changed copies. The
first copy has a larger one, so that the floor shows in the error wherever it matters."""
_CHANGE = 1  # correlations are changed by one unit of rounding; those that a user hands in are off by half a unit
_ROUNDING = 2.0  # two changes show rounding in part; the larger of them is doubled
_ENOUGH = 100  # effective points that show the spread of the weights; with fewer, some weight may have been missed
_HUGE = 1e15  # levels and tilts are kept below, so that squares and products stay finite in float64

Factor = Float[Array, "n n"]


class Means(NamedTuple):
    """Estimates of a probability and what their spread cannot show: rounding of the correlation, points without weight."""

    value: Float[Array, " replicates"]
    doubt: Float[Array, ""]


class Tilt(NamedTuple):
    r"""The means $\mu$ at the saddle point, and the exponent there, which no weight's logarithm exceeds."""

    mu: Float[Array, " n"]
    bound: Float[Array, ""]


@functools.lru_cache(maxsize=32)
def shifted_points(dimension: int, points: int, replicates: int, entropy: tuple[int, ...]) -> np.ndarray:
    """Sobol points, scrambled anew and shifted for each replicate; never 0 or 1, where a quantile is infinite."""
    draws = (qmc.Sobol(dimension, rng=np.random.default_rng([*entropy, r])) for r in range(replicates))
    return np.stack([draw.random(points) for draw in draws]) * (1 - 2.0**-30) + 2.0**-31


@jax.jit
def replicate_means(corr: Float[Array, "n n"], u: Float[Array, "replicates points n-1"]) -> Means:
    r"""Estimates of $P(z > 0)$ for a Gaussian z of this correlation, one per replicate.

    With $z = Ly$, the points y are drawn one after the other from normal laws of mean $\mu_k$, cut off where $z_k < 0$; each
    carries the ratio of the normal density to that of the draws. Any $\mu$ gives an unbiased estimate; it is chosen so that
    the ratio varies little (Botev's saddle point), and the sites are taken in the order of least probability. The ratio is
    then nowhere larger than at the saddle point. The first replicate is repeated with correlations changed by rounding.
    """
    floors = jnp.asarray(_FLOORS, corr.dtype) * jnp.finfo(corr.dtype).eps
    scaled, start = jax.vmap(_scaled_rows)(jnp.concatenate([corr[None], jax.lax.stop_gradient(_rounded(corr))]), floors)
    tilt = jax.vmap(_tilt)(*jax.lax.stop_gradient((scaled, start)))
    which, points = np.append(np.zeros(len(u), int), [1, 2]), np.append(np.arange(len(u)), [0, 0])

    def one(places: tuple[Array, Array]) -> tuple[Array, Array]:
        c, r = places
        return _mean_weight(scaled[c], jax.tree.map(lambda leaf: leaf[c], tilt), u[r])

    share, square = jax.lax.map(one, (which, points))
    value = jnp.exp(tilt.bound[which]) * share
    rounding = _ROUNDING * jnp.max(jnp.abs(value[len(u) :] - value[0]))
    blind = _blind(share[: len(u)].mean(), square[: len(u)].mean(), u.shape[0] * u.shape[1]) * jnp.exp(tilt.bound[0])
    doubt = jax.lax.stop_gradient(rounding + blind)
    return Means(value[: len(u)], jnp.where(doubt < 1, doubt, 1.0))


def _rounded(corr: Float[Array, "n n"]) -> Float[Array, "2 n n"]:
    """The correlation with changes of the size of rounding: all closer to 0, and up or down by chance."""
    n = corr.shape[0]
    size, own = _CHANGE * jnp.finfo(corr.dtype).eps, np.eye(n)
    signs = np.triu(np.random.default_rng(n).choice([-1.0, 1.0], (n, n)), 1)
    return jnp.stack([corr - 2 * size * corr * (1 - own), corr + size * jnp.asarray(signs + signs.T, corr.dtype)])


def _blind(share: Float[Array, ""], square: Float[Array, ""], count: int) -> Float[Array, ""]:
    """What `count` points may have missed of a weight of at most 1, where few of them bear it all."""
    effective = count * share**2 / jnp.maximum(square, jnp.finfo(square.dtype).tiny)
    return jnp.where(effective > _ENOUGH, 0.0, 3 / count)  # an event that no point met: below 3/count with 95 %


def _mean_weight(scaled: Factor, tilt: Tilt, u: Float[Array, "points n-1"]) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """The means of the weight and of its square, as shares of the bound."""
    n = scaled.shape[0]

    def step(carry: tuple[Array, Array], k: Array) -> tuple[tuple[Array, Array], None]:
        level, total = carry
        here, mu = level[:, k], tilt.mu[k]
        low = -(here + mu)
        t, over = cut_draw(low, u[:, jnp.minimum(k, n - 2)])
        y = jnp.where(low > 0, over - here, mu + t)
        rest = jnp.where(low > 0, -(here**2) / 2 - mu * over, mu**2 / 2 - mu * y)
        level = jnp.clip(level + y[:, None] * scaled[:, k], -_HUGE, _HUGE)
        return (level, total + log_scaled_tail(low) + rest), None

    start = (jnp.zeros((u.shape[0], n), u.dtype), jnp.zeros(u.shape[0], u.dtype))
    (_, total), _ = jax.lax.scan(step, start, jnp.arange(n))
    weight = jnp.exp(total - tilt.bound)
    return weight.mean(), jax.lax.stop_gradient(jnp.mean(weight**2))


def _scaled_rows(corr: Float[Array, "n n"], floor: Float[ArrayLike, ""]) -> tuple[Factor, Float[Array, " n"]]:
    """Rows of the factor over their diagonal, which is taken off: site k is positive where y_k > -(row k) . y."""
    factor, excess = _ordered_factor(corr, floor)
    return jnp.tril(factor / jnp.diagonal(factor)[:, None], -1), excess


def _ordered_factor(corr: Float[Array, "n n"], floor: Float[ArrayLike, ""]) -> tuple[Factor, Float[Array, " n"]]:
    """A Cholesky factor of the correlation, the sites least likely to be positive first, and how far each then exceeds 0.

    The excess is its mean given the sites before it, in units of what they leave open, the variance `floor` at least.
    """
    n = corr.shape[0]

    def step(carry: tuple[Array, ...], k: Array) -> tuple[tuple[Array, ...], tuple[Array, Array, Array]]:
        rest, level, free = carry
        variance = jnp.maximum(jnp.diagonal(rest), floor)
        score = level / jnp.sqrt(variance)
        pick = jax.lax.stop_gradient(jnp.argmin(jnp.where(free, score, jnp.inf)))
        column = jnp.where(free, rest[:, pick], 0.0) / jnp.sqrt(variance[pick])
        column = column.at[pick].set(jnp.sqrt(variance[pick]))
        mean = hazard(-score[pick])
        left = (rest - jnp.outer(column, column), level + mean * column, free.at[pick].set(False))
        return left, (pick, column, score[pick] + mean)

    start = (corr, jnp.zeros(n, corr.dtype), jnp.ones(n, bool))
    _, (order, columns, excess) = jax.lax.scan(step, start, jnp.arange(n))
    return columns.T[order], excess


def _tilt(scaled: Factor, start: Float[Array, " n"]) -> Tilt:
    r"""The saddle point of $\sum_k \mu_k^2/2 - \mu_k x_k + \log\Phi(\mu_k + (\text{row } k)\cdot x)$, with $\mu_n = x_n = 0$.

    At the least over $\mu$ it is $-|x|^2/2 + \sum_{k<n} G(s_k) + \log\Phi(\text{row } n\cdot x)$ with the excess
    $s_k = x_k + \text{row } k\cdot x$ and $G(s) = \min_b (b - s)^2/2 + \log\Phi(b)$. This is strictly concave, with G a barrier
    that keeps the excess positive, so Newton steps with a line search from an excess `start` find its only maximum.
    """
    m = scaled.shape[0] - 1
    inverse = solve_triangular(scaled[:m, :m] + jnp.eye(m, dtype=scaled.dtype), jnp.eye(m, dtype=scaled.dtype), lower=True)
    last = scaled[m, :m] @ inverse

    def height(s: Float[Array, " m"]) -> Float[Array, ""]:
        return -jnp.sum((inverse @ s) ** 2) / 2 + jnp.sum(_barrier(s)) + log_tail(-last @ s)

    def step(_: Any, s: Array) -> Array:
        end = hazard(-last @ s)
        slope = -inverse.T @ (inverse @ s) + s - uncut_mean(s) + end * last
        bend = inverse.T @ inverse + jnp.diag(_barrier_bend(s)) + end * (end + last @ s) * jnp.outer(last, last)
        move = jnp.linalg.solve(bend, slope)
        move = jnp.where(jnp.isfinite(move), move, 0.0)
        reach = jnp.minimum(1.0, 0.95 / jnp.maximum(jnp.max(-move / s), 1e-3))  # the excess stays positive
        tries = s + reach * jnp.asarray(_SHARES, s.dtype)[:, None] * move
        heights = jax.vmap(height)(tries)
        best = jnp.argmax(jnp.where(jnp.isfinite(heights), heights, -jnp.inf))
        return jnp.where(heights[best] > height(s), tries[best], s)

    s = jax.lax.fori_loop(0, _NEWTON, step, jnp.maximum(start[:m], jnp.finfo(scaled.dtype).eps))
    mu = uncut_mean(s) - scaled[:m, :m] @ (inverse @ s)
    good = jnp.isfinite(height(s)) & jnp.all(jnp.abs(mu) < _HUGE)
    return Tilt(jnp.append(jnp.where(good, mu, 0.0), 0.0), jnp.where(good, height(s), 0.0))


def _barrier(s: Float[Array, " m"]) -> Float[Array, " m"]:
    """G(s), which grows like log s near 0."""
    b = uncut_mean(s)
    near = jnp.log(scaled_tail(jnp.maximum(-b, 0.0))) - b * s + s**2 / 2
    return jnp.where(b < 0, near, (b - s) ** 2 / 2 + log_tail(-jnp.maximum(b, 0.0)))


def _barrier_bend(s: Float[Array, " m"]) -> Float[Array, " m"]:
    """Minus the second derivative of G."""
    small, wide = jnp.minimum(s, 0.1), jnp.maximum(s, 0.1)
    rate = wide - uncut_mean(wide)
    return jnp.where(s < 0.1, 1 / small**2 + 1 - 6 * small**2, rate * wide / (1 - rate * wide))
