"""The spectrum of a kernel."""

import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from gatefield.core.precision import exact, real


@exact
def cumulative_spectrum(K: Float[ArrayLike, "... samples samples"]) -> Float[Array, "... samples"]:
    """Sums of the k smallest eigenvalues, k = 1 to n; the last is the trace.

    **Arguments:** `K`: symmetric kernel, or many with leading axes.

    **Returns:** the n sums, ascending; float64 NumPy unless traced. It is not divided by the trace, and is no
    distribution function. Where eigenvalues k and k+1 are equal, the sum of the first k has no derivative, but a kink; then
    `grad` gives the slope for one choice of eigenvectors out of many. The trace, and sums that end at a gap, have their true
    derivatives even where other eigenvalues are equal.

    >>> cumulative_spectrum([[2.0, 1.0], [1.0, 2.0]])
    array([1., 4.])

    **Source:** paper 004, figure 1, where it is called e.c.d.f.
    """
    return jnp.cumsum(jnp.linalg.eigvalsh(real(K)), axis=-1)
