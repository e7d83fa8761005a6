"""Kernels of comparable size."""

from collections.abc import Sequence

import jax.numpy as jnp
from jaxtyping import ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.precision import exact, real
from gatefield.kernels.arrays import kernel

Kernels = Float[Exact, "*many samples samples"]
KernelsLike = Real[ArrayLike, "*many samples samples"] | Sequence


@given(K=kernel)
@exact
def trace_normalised(K: KernelsLike) -> Kernels:
    r"""The kernel divided by its trace, so that its eigenvalues sum to one; a kernel of trace zero stays zero.

    $$K\,/\,\textstyle\sum_s K(s,s)$$

    **Arguments**

    - `K`: one kernel, or many with leading axes.

    **Returns** the kernel of trace one; float64 NumPy unless traced, and then NaN where the trace is negative.

    >>> trace_normalised([[2.0, 1.0], [1.0, 2.0]])
    array([[0.5 , 0.25],
           [0.25, 0.5 ]])

    **Source:** paper 004, figure 6.
    """
    K = real(K)
    trace = jnp.trace(K, axis1=-2, axis2=-1)[..., None, None]
    return K / jnp.where(trace == 0, 1.0, jnp.where(trace < 0, jnp.nan, trace))


@given(K=kernel)
@exact
def cosine_normalised(K: KernelsLike) -> Kernels:
    r"""The kernel with ones on its diagonal: cosines between samples; a sample with K(s, s) = 0 has cosine zero with all.

    $$K(s,s')\,/\,\sqrt{K(s,s)\,K(s',s')}$$

    **Arguments**

    - `K`: one kernel, or many with leading axes.

    **Returns** the cosines; float64 NumPy unless traced, and then NaN for a sample with a negative K(s, s).

    >>> cosine_normalised([[4.0, 1.0], [1.0, 1.0]])
    array([[1. , 0.5],
           [0.5, 1. ]])

    **Source:** no source prints it; it takes out the scale of each sample, which is what spreads in deep networks.
    """
    K = real(K)
    power = jnp.diagonal(K, axis1=-2, axis2=-1)
    none = power <= 0  # false for NaN, which stays NaN
    length = jnp.where(none, 1.0, jnp.sqrt(jnp.where(none, 1.0, power)))
    wrong = power < -checks.KERNEL * jnp.abs(K).max((-2, -1))[..., None]  # known only when it is traced
    length = jnp.where(wrong, jnp.nan, length)
    cosines = K / (length[..., :, None] * length[..., None, :])
    none &= ~wrong
    return jnp.where(none[..., :, None] | none[..., None, :], 0.0, cosines)
