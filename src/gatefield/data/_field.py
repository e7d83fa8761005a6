"""The Gaussian field that lies under most sources: its correlation, a square root of it, and draws from it."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray, Real

from gatefield._precision import exact, real
from gatefield.data._correlation import lag_matrix, line_correlation, ring_correlation, ring_spectrum

Draw = Callable[[PRNGKeyArray, int], Float[Array, "size n"]]


@exact
def lag_correlation(n: int, xi: Real[ArrayLike, ""], boundary: str) -> Float[Array, " lags"]:
    """Correlation at the distinct distances: 0, ..., n//2 on a ring, 0, ..., n-1 on a line."""
    if boundary == "ring":
        return real(ring_correlation(n, xi)[: n // 2 + 1])
    return real(line_correlation(n, xi)[0])


@exact
def field_covariance(n: int, xi: Real[ArrayLike, ""], boundary: str) -> Float[Array, "n n"]:
    return lag_matrix(lag_correlation(n, xi, boundary), n, boundary)


@exact
def field_factor(n: int, xi: Real[ArrayLike, ""], boundary: str) -> Float[Array, "n n"]:
    """The symmetric square root of the correlation matrix, by its spectrum: circulant on a ring, never a Cholesky factor."""
    if boundary == "line":
        return symmetric_root(line_correlation(n, xi))
    lag, frequency = np.arange(n // 2 + 1), np.arange(n)
    phase = np.outer(lag, frequency) % n
    waves = np.cos(2 * np.pi * np.minimum(phase, n - phase) / n) / n
    row = jnp.matmul(real(waves), jnp.sqrt(ring_spectrum(n, xi)), precision="highest")
    return lag_matrix(row, n, "ring")


@exact
def symmetric_root(matrix: Float[ArrayLike, "*runs n n"]) -> Float[Array, "*runs n n"]:
    """The symmetric square root of a covariance; eigenvalues below zero, which only rounding can bring, count as zero."""
    values, vectors = jnp.linalg.eigh(real(matrix))
    scaled = vectors * jnp.sqrt(jnp.maximum(values, 0.0))[..., None, :]
    return jnp.matmul(scaled, jnp.swapaxes(vectors, -1, -2), precision="highest")


def gaussian_draw(root: Float[ArrayLike, "n n"]) -> Draw:
    """Draws of a centred Gaussian whose covariance is root' root: one normal draw and one matrix product."""
    factor = real(root)

    def draw(key: PRNGKeyArray, size: int) -> Float[Array, "size n"]:
        noise = jax.random.normal(key, (size, factor.shape[0]), factor.dtype)
        return jnp.matmul(noise, factor, precision="highest")

    return draw


def field_draw(n: int, xi: Real[ArrayLike, ""], boundary: str) -> Draw:
    """Draws of the Gaussian field."""
    return gaussian_draw(field_factor(n, xi, boundary))
