"""The Gaussian field that lies under most sources: its correlation, a square root of it, and draws from it."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray, Real

from gatefield.core.arrays import Exact
from gatefield.core.precision import exact, real
from gatefield.data.arrays import Draw
from gatefield.data.numerics.correlation import lag_matrix, line_correlation, ring_correlation, ring_spectrum
from gatefield.data.numerics.normals import normal
from gatefield.data.numerics.symmetric_root import symmetric_root


@exact
def lag_correlation(n: int, xi: Real[ArrayLike, ""], boundary: str) -> Float[Exact, " lags"]:
    """Correlation at the distinct distances: 0, ..., n//2 on a ring, 0, ..., n-1 on a line.

    **Arguments**

    - `n`: number of sites.
    - `xi`: the length scale, in sites.
    - `boundary`: `"ring"` or `"line"`.
    """
    if boundary == "ring":
        return real(ring_correlation(n, xi)[: n // 2 + 1])
    return real(line_correlation(n, xi)[0])


@exact
def field_covariance(n: int, xi: Real[ArrayLike, ""], boundary: str) -> Float[Exact, "n n"]:
    """Correlation matrix of the latent Gaussian field.

    **Arguments**

    - `n`: number of sites.
    - `xi`: the length scale, in sites.
    - `boundary`: `"ring"` or `"line"`.
    """
    return lag_matrix(lag_correlation(n, xi, boundary), n, boundary)


@exact
def field_factor(n: int, xi: Real[ArrayLike, ""], boundary: str) -> Float[Exact, "n n"]:
    """The symmetric square root of the correlation matrix, by its spectrum: circulant on a ring, never a Cholesky factor.

    Its derivative in xi is exact on a ring. On a line it is that of `symmetric_root`: where the matrix is nearly singular,
    accurate to the square root of the rounding error, as the root itself.

    **Arguments**

    - `n`: number of sites.
    - `xi`: the length scale, in sites.
    - `boundary`: `"ring"` or `"line"`.
    """
    if boundary == "line":
        return symmetric_root(line_correlation(n, xi))
    lag, frequency = np.arange(n // 2 + 1), np.arange(n)
    phase = np.outer(lag, frequency) % n
    waves = np.cos(2 * np.pi * np.minimum(phase, n - phase) / n) / n
    row = jnp.matmul(real(waves), _amplitude(ring_spectrum(n, xi)), precision="highest")
    return lag_matrix(row, n, "ring")


def _amplitude(power: Float[ArrayLike, " n"]) -> Float[Array, " n"]:
    """Square roots. Those lost in rounding beside 1, which may have underflowed, count as constants in derivatives."""
    power = real(power)
    matters = power > jnp.finfo(power.dtype).eps ** 3
    return jnp.where(matters, jnp.sqrt(jnp.where(matters, power, 1.0)), jnp.sqrt(jax.lax.stop_gradient(power)))


def gaussian_draw(root: Float[ArrayLike, "n n"]) -> Draw:
    """Draws of a centred Gaussian whose covariance is root' root: one normal draw and one matrix product."""
    factor = real(root)

    def draw(key: PRNGKeyArray, size: int) -> Float[Array, "size n"]:
        noise = normal(key, (size, factor.shape[0]), factor.dtype)
        return jnp.matmul(noise, factor, precision="highest")

    return draw


def field_draw(n: int, xi: Real[ArrayLike, ""], boundary: str) -> Draw:
    """Draws of the Gaussian field."""
    return gaussian_draw(field_factor(n, xi, boundary))
