"""The spectrum of a kernel."""

from collections.abc import Sequence

import jax.numpy as jnp
from jaxtyping import ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.precision import exact, real
from gatefield.measures.inputs import kernel, sound
from gatefield.measures.labels import LAST_TWO, labelled


@labelled(("cumulative_spectrum", "sum of the smallest eigenvalues"), dim=LAST_TWO, out=("mode",))
@given(K=kernel)
@exact
def cumulative_spectrum(K: Real[ArrayLike, "*batch samples samples"] | Sequence) -> Float[Exact, "*batch samples"]:
    """Sums of the k smallest eigenvalues of a kernel, k = 1 to n; the last is the trace.

    It is not divided by the trace, and is no distribution function. Where eigenvalues k and k+1 are equal, the sum of the first
    k has no derivative, but a kink; then `grad` gives the slope for one choice of eigenvectors out of many. The trace, and sums
    that end at a gap, have their true derivatives even where other eigenvalues are equal.

    **Arguments**

    - `K`: symmetric kernel, or many with leading axes; or a `DataArray`.
    - `dim`: the two dimensions of a `DataArray` that hold the samples.

    **Returns** the n sums, ascending; float64 NumPy unless traced, or a `DataArray` with the dimension `mode` for k. It is
    NaN where K has a NaN, or, if traced, a negative eigenvalue.

    >>> cumulative_spectrum([[2.0, 1.0], [1.0, 2.0]])
    array([1., 4.])

    **Source:** paper 004, figure 1, where it is called e.c.d.f.
    """
    K = real(K)
    good = sound(K)
    eigenvalues = jnp.linalg.eigvalsh(jnp.where(good[..., None, None], K, 0.0))
    good &= eigenvalues[..., 0] >= -checks.KERNEL * jnp.abs(K).sum(-1).max(-1)
    return jnp.where(good[..., None], jnp.cumsum(eigenvalues, axis=-1), jnp.nan)
