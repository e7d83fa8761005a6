"""Kernels of comparable size."""

from collections.abc import Sequence

import jax.numpy as jnp
from jaxtyping import ArrayLike, Float, Real

from gatefield.core.arrays import Exact
from gatefield.core.precision import exact, real

Kernels = Float[Exact, "*many samples samples"]
KernelsLike = Real[ArrayLike, "*many samples samples"] | Sequence


@exact
def trace_normalised(K: KernelsLike) -> Kernels:
    r"""The kernel divided by its trace, so that its eigenvalues sum to one; a kernel of trace zero stays zero.

    $$K\,/\,\textstyle\sum_s K(s,s)$$

    **Arguments**

    - `K`: one kernel, or many with leading axes.

    **Returns** the kernel of trace one; float64 NumPy unless traced.

    >>> trace_normalised([[2.0, 1.0], [1.0, 2.0]])
    array([[0.5 , 0.25],
           [0.25, 0.5 ]])

    **Source:** paper 004, figure 6.
    """
    K = real(K)
    trace = jnp.trace(K, axis1=-2, axis2=-1)[..., None, None]
    return K / jnp.where(trace == 0, 1.0, trace)


@exact
def cosine_normalised(K: KernelsLike) -> Kernels:
    r"""The kernel with ones on its diagonal: cosines between samples; a sample with K(s, s) = 0 has cosine zero with all.

    $$K(s,s')\,/\,\sqrt{K(s,s)\,K(s',s')}$$

    **Arguments**

    - `K`: one kernel, or many with leading axes.

    **Returns** the cosines; float64 NumPy unless traced.

    >>> cosine_normalised([[4.0, 1.0], [1.0, 1.0]])
    array([[1. , 0.5],
           [0.5, 1. ]])

    **Source:** no source prints it; it takes out the scale of each sample, which is what spreads in deep networks.
    """
    K = real(K)
    power = jnp.diagonal(K, axis1=-2, axis2=-1)
    length = jnp.where(power > 0, jnp.sqrt(jnp.where(power > 0, power, 1.0)), 1.0)
    cosines = K / (length[..., :, None] * length[..., None, :])
    return jnp.where((power > 0)[..., :, None] & (power > 0)[..., None, :], cosines, 0.0)
