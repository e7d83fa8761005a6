"""Departure from the Gaussian."""

import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core.precision import exact, real
from gatefield.core.scaling import scaled


@exact
def excess_kurtosis(samples: Real[ArrayLike, "..."], axis: int = 0) -> Float[Array, "..."]:
    r"""Excess kurtosis $m_4/m_2^2 - 3$ of samples along an axis, $m_k$ their central moments.

    0 for a Gaussian, -1.2 for a uniform law, -2 for two equal atoms. The plain moment ratio: its bias is of order 1/N. It does
    not depend on the scale of the samples; equal samples have no ratio and give NaN.

    >>> float(excess_kurtosis([-1.0, 1.0, -1.0, 1.0]))
    -2.0
    """
    x = scaled(real(samples), axis)
    x = x - jnp.mean(x, axis=axis, keepdims=True)
    return jnp.mean(x**4, axis=axis) / jnp.mean(x**2, axis=axis) ** 2 - 3.0
