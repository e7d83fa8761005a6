r"""One error-function unit under the Gaussian tilted by the slope of another, without cancellation at large fields.

There unit k has the field $w_k - c\,w_j$ and the mean $b_k - c\,b_j$, with $c = s_{jk}/(1+s_{jj})$, and
$h_k$ has the variance $s_{kk} - c\,s_{jk}$. For nearly parallel fields of power $s \gg 1$ all three are differences of
numbers that are up to s times as large. With $w_k = \alpha w_j + u$ and any $\alpha$ near $s_{jk}/s_{jj}$ they are

$$u + \gamma w_j, \qquad (b_k - \alpha b_j) + \gamma b_j, \qquad
u^\top C u + \frac{2\alpha s_{ju} - s_{ju}^2}{1+s_{jj}} + \frac{\alpha^2 s_{jj}}{1+s_{jj}}, \qquad
\gamma = \frac{\alpha - s_{ju}}{1+s_{jj}},$$

which are sums of parts that are small themselves. As $\alpha$ is free, it is taken with half of the digits: it is then exactly
1 for equal fields, whatever their rounding, and products with it can be made exact. It needs no derivative either.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from gatefield.core.arrays import Exact, Fields, Matrix

Pairs = Float[Array, "J K"]


class Units(NamedTuple):
    """Fields w, their images C w, their powers w'Cw, and biases."""

    fields: Fields
    images: Fields
    powers: Float[Array, " K"]
    biases: Float[Array, " K"]


class Tilt(NamedTuple):
    """Of each pair, mean and variance of h_k under the tilted Gaussian, and its field u + gamma w_j in two parts."""

    mean: Pairs
    variance: Pairs
    rest: Float[Exact, "J K n"]
    """u."""
    keep: Pairs
    """gamma."""


def units(fields: Fields, biases: Float[Array, " K"], cov: Matrix) -> Units:
    images = jnp.matmul(fields, cov, precision="highest")
    return Units(fields, images, jnp.sum(fields * images, axis=1), biases)


def tilted(ones: Units, others: Units) -> Tilt:
    """The `others`, k, under the Gaussians tilted by the slopes of `ones`, j."""
    b_j, s_jj = ones.biases[:, None], ones.powers[:, None]
    large = s_jj > 1  # else nothing cancels
    power = jnp.where(large, s_jj, 1.0)
    part = jnp.where(large, _half(jnp.matmul(ones.images, others.fields.T, precision="highest") / power), 0.0)
    rest = _rest(others.fields, part[..., None], ones.fields[:, None])
    along = jnp.einsum("jki,ji->jk", rest, ones.images, precision="highest")
    square = jnp.sum(rest * others.images, axis=-1) - part * along
    variance = square + (2 * part - along) * along / (1 + s_jj) + part**2 / (1 + 1 / power)
    keep = (part - along) / (1 + s_jj)
    mean = (others.biases - part * b_j) + keep * b_j
    return Tilt(mean, jnp.where(variance < 0, 0.0, variance), rest, keep)


def _half(ratio: Array) -> Array:
    """The ratio with half of its digits, and without derivative."""
    return _rounded(jax.lax.stop_gradient(ratio), (jnp.finfo(ratio.dtype).nmant - 1) // 2)


def _rest(field: Exact, part: Array, other: Exact) -> Exact:
    """field - part other, where both products are exact: each factor has half of the digits."""
    head = _rounded(jax.lax.stop_gradient(other), jnp.finfo(other.dtype).nmant // 2)
    return (field - part * head) - part * (other - head)


def _rounded(value: Exact, digits: int) -> Array:
    return jax.lax.reduce_precision(value, exponent_bits=jnp.finfo(value.dtype).nexp, mantissa_bits=digits)
