"""Means over two Gaussian sums with soft gates, exact for every steepness: gates, their slopes, and what passes them.

A logistic variable is a normal one of random variance V (that of 4 times the square of a Kolmogorov variable), so that
sigmoid(beta q) is the mean of 1(q + noise > 0) over noise of the variance V/beta^2. Means over q and q' are those of hard
gates behind such noise, which are known, averaged over V and V'.
"""

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.precision import real
from gatefield.kernels.moments import MOST_LAYERS
from gatefield.kernels.paths import layer_deviations


def _variances() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights for means over V, by the trapezoid rule in log V, where both ends of the law fall off very fast.

    Forty nodes are good to 1e-15: in sum, for the mean pi^2/3 of V, and for the logistic function itself.
    """
    logs = np.linspace(-1.9, 1.5, 40)
    root, term = np.exp(logs), np.arange(1, 60)[:, None]
    density = 8 * root * ((-1.0) ** (term + 1) * term**2 * np.exp(-2 * term**2 * root**2)).sum(0)
    return 4 * root**2, density * root * (logs[1] - logs[0])


V, WEIGHTS = _variances()


def steepness(name: str, value: Any) -> None:
    """One positive number; infinite for hard gates."""
    checks.real(name, value, "positive, or infinite for hard gates", lambda beta: beta > 0)
    if checks.shape(name, value) != ():
        raise UserError(f"{name} must be one number, but has the shape {np.shape(value)}; write {name}=4.0.")


def reach(name: str, value: Any) -> None:
    checks.number(name, value)
    checks.real(name, value, "zero or more and finite", lambda eps: (eps >= 0) & np.isfinite(eps))


class Means(NamedTuple):
    """Means over two Gaussian sums, (samples, samples)."""

    gates: Any
    """E[G G']."""
    slopes: Any
    """E[dG/dq dG'/dq']."""
    passed: Any
    """E[q G q' G']."""
    answers: Any
    """E[d(q G)/dq d(q' G')/dq']."""


class Layer(NamedTuple):
    """A gated layer."""

    below: Any
    """Width times the variance of the weights below."""
    above: Any
    """Width times the variance of the weights above."""
    leaving: Any
    """Products of what leaves it where gates are its own, of two samples, summed over units."""
    means: Means
    """With the factor (1 + eps)^2."""


def soft_layers(x: Any, depth: int, width: int, sigma: Any, beta: Any, eps: Any) -> tuple[Any, Iterator[Layer]]:
    """The products of the inputs, and layer by layer a wide network that makes gates by its own sums."""
    checks.count("depth", depth, least=2, most=MOST_LAYERS)
    units, deviations = checks.count("width", width), layer_deviations(sigma, depth)
    if np.ndim(x) != 2:
        raise UserError(f"x must have the shape (samples, inputs), not {np.shape(x)}; put the samples first.")
    gram, steep, scale = jnp.matmul(real(x), real(x).T, precision="highest"), real(beta), (1 + real(eps)) ** 2

    def layers() -> Iterator[Layer]:
        products = gram
        for below, above in itertools.pairwise(deviations):
            means = Means(*(scale * part for part in soft_means(below**2 * products, steep, steep)))
            products = units * means.passed
            yield Layer(units * below**2, units * above**2, products, means)

    return gram, layers()


@jax.jit
def soft_means(cov: Any, beta: Any, other: Any) -> Means:
    r"""All means, node by node of V and V'; without the factor (1 + eps)^2.

    For hard gates behind noise of the variances $\alpha$, $\alpha'$, with $D=(s^2+\alpha)(s'^2+\alpha')-c^2$: the chance that
    both are open is $P=\frac14+\frac1{2\pi}\mathrm{atan2}(c,\sqrt D)$, the density of both sums at the edge $1/2\pi\sqrt D$,
    and $E[qq'1\,1']=cP+(s^2s'^2-c^2+c^2\alpha/(s^2+\alpha)+c^2\alpha'/(s'^2+\alpha'))/2\pi\sqrt D$, from integrations by
    parts. The mean of the derivatives of both factors is its derivative by c (Price),
    $P+c\left(e+(2+c^2/D)\alpha\alpha'\right)/2\pi\sqrt D(s^2+\alpha)(s'^2+\alpha')$ with
    $e=s^2\alpha'+s'^2\alpha+\alpha\alpha'$. Nothing cancels.
    """
    power = jnp.diagonal(cov)
    variances, weights = (real(np.array(part)) for part in (V, WEIGHTS))  # copies, as `core.precision.detached` says why
    gap = jnp.maximum(power[:, None] * power - cov**2, 0.0)

    def at(noise: Any, weight: Any, others: Any, each: Any) -> Means:
        first, second = power[:, None] + noise, power + others
        spread = power * noise + power[:, None] * others + noise * others
        root = jnp.sqrt(gap + spread)
        open_root = jnp.where(root == 0, 1.0, root)  # zero for hard gates and parallel samples, where what it divides is zero
        left, right = (cov**2 * jnp.where(part == 0, 0.0, part / jnp.where(sum_ == 0, 1.0, sum_))
                       for part, sum_ in ((noise, first), (others, second)))  # fmt: skip
        both = 0.25 + jnp.arctan2(cov, root) / (2 * jnp.pi)
        rest = jnp.where(root == 0, 0.0, (gap + left + right) / open_root) / (2 * jnp.pi)
        turn = (spread + (2 + (cov / open_root) ** 2) * noise * others) / jnp.where(root == 0, 1.0, first * second)
        share = weight * each
        return Means(
            share * both,
            share / (2 * jnp.pi * root),
            share * (cov * both + rest),
            share * (both + jnp.where(root == 0, 0.0, cov * turn / open_root) / (2 * jnp.pi)),
        )

    def row(node: Any) -> Means:
        each = jax.vmap(lambda others, weight: at(node[0], node[1], others, weight))(variances / other**2, weights)
        return jax.tree.map(lambda part: part.sum(0), each)

    return jax.tree.map(lambda part: part.sum(0), jax.lax.map(row, (variances / beta**2, weights)))
