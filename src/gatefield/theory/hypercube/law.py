"""The law of the signs of a Gaussian vector: the probability of every corner of the cube."""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from gatefield.core.arrays import Exact, MatrixLike
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.theory.hypercube import inputs
from gatefield.theory.hypercube.moments import MOST_SITES, Moments, subset_moments, subset_moments_host
from gatefield.theory.inputs import unless_nan

MOST_TRACED = 8  # a transformation computes all sets of sites at once, without symmetries: seconds for 8 sites


class CornerLaw(NamedTuple):
    """Probabilities of the corners in the order of `corners`, the moments they come from, and bounds of the moments' errors."""

    chances: Float[Array, " corners"]
    moments: Float[Array, " corners"]
    errors: Float[Array, " corners"]


def hadamard(values: Any) -> Any:
    """Sum over corners x of values(x) times the product of x over a set, for every set; its own inverse but for 2^n."""
    stack = np.stack if isinstance(values, np.ndarray) else jnp.stack
    for digit in range(values.shape[0].bit_length() - 1):
        pairs = values.reshape(-1, 2, 2**digit)
        values = stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).reshape(-1)
    return values


@exact
def pattern_law(corr: MatrixLike) -> Float[Exact, " corners"]:
    r"""Probability of every corner of the cube under the signs $x_i = \operatorname{sign} z_i$ of a Gaussian vector.

    $$p(x) = 2^{-n} \sum_S m_S \prod_{i\in S} x_i$$

    over all even sets S of sites, with $m_S$ their `sign_moment`, by a fast Hadamard transform. Matrices that were seen before
    are not computed again; on a ring, sets of sites that a turn or a reflection maps onto each other are computed once.

    **Arguments**

    - `corr`: correlation of z, up to 12 sites (8 under a transformation). Seconds to n = 8; see `drift` for the time and error
      above.

    **Returns** 2^n probabilities, in the order of `corners(n)`; float64 NumPy unless traced. Traced results have the user's
    precision: float32, with absolute errors near 1e-7, unless inside `with jax.enable_x64(True)`.

    >>> pattern_law([[1.0, 0.5], [0.5, 1.0]]).round(6)
    array([0.333333, 0.166667, 0.166667, 0.333333])

    **Source:** note 003, equations 14 to 17, with the products multiplied out.
    """
    return law(corr).chances


def law(corr: MatrixLike) -> CornerLaw:
    """The law of the signs; under a transformation its errors are not known and NaN. Call it inside `exact`."""
    n = inputs.correlation(corr)
    if isinstance(corr, Tracer):
        if n > MOST_TRACED:
            raise UserError(
                f"Under a transformation the law of the signs is summed up to {MOST_TRACED} sites, but corr has {n}; "
                "give corr as plain numbers."
            )
        moments = unless_nan(subset_moments(real(corr)), corr)
        return CornerLaw(hadamard(moments) / 2**n, moments, jnp.full_like(moments, jnp.nan))
    if n > MOST_SITES:
        raise UserError(f"The law of the signs is summed up to {MOST_SITES} sites, but corr has {n}; sample the signs instead.")
    moments = _host_moments(np.asarray(corr, dtype=np.float64).tobytes(), n)
    return CornerLaw(real(hadamard(moments.value) / 2**n), real(moments.value), real(moments.error))


@functools.lru_cache(maxsize=256)
def _host_moments(content: bytes, n: int) -> Moments:
    with jax.enable_x64(True), jax.ensure_compile_time_eval():
        return subset_moments_host(np.frombuffer(content).reshape(n, n))
