"""Kernels of comparable size."""

import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from gatefield.core.precision import exact, real

Kernel = Float[Array, "... samples samples"]
KernelLike = Float[ArrayLike, "... samples samples"]


@exact
def trace_normalised(K: KernelLike) -> Kernel:
    """The kernel divided by its trace, so that its eigenvalues sum to one; a kernel of trace zero stays zero.

    **Arguments:** `K`: one kernel, or many with leading axes.

    **Returns:** K / trace K; float64 NumPy unless traced.

    >>> trace_normalised([[2.0, 1.0], [1.0, 2.0]])
    array([[0.5 , 0.25],
           [0.25, 0.5 ]])

    **Source:** paper 004, figure 6.
    """
    K = real(K)
    trace = jnp.trace(K, axis1=-2, axis2=-1)[..., None, None]
    return K / jnp.where(trace == 0, 1.0, trace)


@exact
def cosine_normalised(K: KernelLike) -> Kernel:
    """The kernel with ones on its diagonal: cosines between samples; a sample with K(s, s) = 0 has cosine zero with all.

    **Arguments:** `K`: one kernel, or many with leading axes.

    **Returns:** K(s, s') / sqrt(K(s, s) K(s', s')); float64 NumPy unless traced.

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
