"""The symmetric square root of a covariance, with derivatives that hold for repeated eigenvalues."""

import functools

import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from gatefield.core.precision import exact, real

Matrix = Float[Array, "*runs n n"]


@exact
def symmetric_root(matrix: Float[ArrayLike, "*runs n n"]) -> Matrix:
    r"""The symmetric square root of a covariance; eigenvalues below zero, which only rounding can bring, count as zero.

    Its derivative solves $X\,dX + dX\,X = dC$ with $X = C^{1/2}$. Between directions in which X is lost in rounding, where the
    derivative may be infinite, it is 0.
    """
    return _root(real(matrix))


@functools.partial(jnp.vectorize, signature="(n,n)->(n),(n,n)")
def _eigh(matrix: Matrix) -> tuple[Array, Matrix]:
    """Eigenvalues and eigenvectors, on a CPU of one matrix after the other.

    On a CPU LAPACK's batches are handed to the threads that the program itself runs on. Where there are as many batches in it
    as threads, such as those of two classes on two cores, each thread waits for another one, for ever. A batch of one waits
    for none.
    """
    return _one_by_one(matrix) if jax.default_backend() == "cpu" else _decomposed(matrix)


def _decomposed(matrix: Float[Array, "n n"]) -> tuple[Float[Array, " n"], Float[Array, "n n"]]:
    values, vectors = jnp.linalg.eigh(matrix)
    return values, vectors


_one_by_one = jax.custom_batching.sequential_vmap(_decomposed)


@jax.custom_jvp
def _root(matrix: Matrix) -> Matrix:
    values, vectors = _eigh(matrix)
    scaled = vectors * jnp.sqrt(jnp.maximum(values, 0.0))[..., None, :]
    return jnp.matmul(scaled, jnp.swapaxes(vectors, -1, -2), precision="highest")


@_root.defjvp
def _root_slope(primals: tuple[Matrix], tangents: tuple[Matrix]) -> tuple[Matrix, Matrix]:
    root = _root(*primals)
    return root, _lyapunov(root, *tangents)


def _lyapunov(root: Matrix, change: Matrix) -> Matrix:
    """The solution L of X L + L X = B, B symmetric, as a linear solve, so that its own derivatives are such solves too."""

    def both_sides(L: Matrix) -> Matrix:
        return jnp.matmul(root, L, precision="highest") + jnp.matmul(L, root, precision="highest")

    change = (change + jnp.swapaxes(change, -1, -2)) / 2
    return jax.lax.custom_linear_solve(both_sides, change, lambda _, B: _solved(root, B), symmetric=True)


def _solved(root: Matrix, change: Matrix) -> Matrix:
    """The solution in the eigenvectors of X."""
    values, vectors = _eigh(root)
    sums = values[..., :, None] + values[..., None, :]
    matters = sums > jnp.sqrt(values.shape[-1] * jnp.finfo(values.dtype).eps) * values[..., -1:, None]
    inside = _between(jnp.swapaxes(vectors, -1, -2), change)
    return _between(vectors, jnp.where(matters, inside / jnp.where(matters, sums, 1.0), 0.0))


def _between(basis: Matrix, matrix: Matrix) -> Matrix:
    """V M V'."""
    return jnp.matmul(jnp.matmul(basis, matrix, precision="highest"), jnp.swapaxes(basis, -1, -2), precision="highest")
