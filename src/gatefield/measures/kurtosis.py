"""Departure from the Gaussian."""

from collections.abc import Sequence

import jax.numpy as jnp
from jaxtyping import ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real, scaled
from gatefield.measures.inputs import fields
from gatefield.measures.labels import labelled


@labelled(("excess_kurtosis", "excess kurtosis"), dim="sample", axis=-1)
@given(samples=fields)
@exact
def excess_kurtosis(samples: Real[ArrayLike, "..."] | Sequence, axis: int = 0) -> Float[Exact, "..."]:
    r"""Excess kurtosis of samples.

    $$\frac{m_4}{m_2^2} - 3,\qquad m_k = \frac1N\sum_s (x_s - \bar x)^k$$

    0 for a Gaussian, -1.2 for a uniform law, -2 for two equal atoms. The plain moment ratio: its bias is of order 1/N. It does
    not depend on the scale of the samples; equal samples have no ratio and give NaN.

    **Arguments**

    - `samples`: an array, or a `DataArray`.
    - `axis`: the axis of an array that counts the samples.
    - `dim`: the dimension of a `DataArray` that counts them.

    **Returns** the ratio, without the axis of samples.

    >>> float(excess_kurtosis([-1.0, 1.0, -1.0, 1.0]))
    -2.0
    """
    x, axis = real(samples), checks.count("axis", axis, least=-checks.MOST)
    if not -x.ndim <= axis < x.ndim or not x.shape[axis]:
        raise UserError(f"axis must be that of one or more samples, but samples have shape {x.shape}, and axis is {axis}.")
    x = scaled(x, axis)
    x = x - jnp.mean(x, axis=axis, keepdims=True)
    return jnp.mean(x**4, axis=axis) / jnp.mean(x**2, axis=axis) ** 2 - 3.0
