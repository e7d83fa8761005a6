"""How well a kernel's leading directions agree with the labels."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.measures.inputs import fields, kernel, sound
from gatefield.measures.labels import LAST_TWO, labelled

LIFTED = 1e-14
"""Where a ridge that is proposed puts the smallest eigenvalue, as a part of the largest."""
SINGULAR = 1e-15
"""A smallest eigenvalue below this part of the largest is rounding, in float64: nothing is known of its inverse."""
KernelLike = Real[ArrayLike, "*#batch samples samples"] | Sequence


@labelled(("label_alignment", "inverse-kernel size of the labels"), dim=LAST_TWO)
@given(K=kernel, y=fields)
@exact
def label_alignment(
    K: KernelLike, y: Real[ArrayLike, "*#batch samples"] | Sequence, ridge: Real[ArrayLike, "*#batch"] | Sequence
) -> Float[Exact, "..."]:
    r"""Inverse-kernel size of the labels, small where the labels lie along the kernel's leading directions.

    $$\nu = y^\top(K+rI)^{-1}y=\sum_i\frac{\langle u_i,y\rangle^2}{\rho_i+r},\qquad r=\text{ridge}\cdot\tfrac1n\mathrm{tr}K$$

    with eigenvalues rho_i and eigenvectors u_i of K. With trace one and no ridge it is at least
    $(\sum_i|\langle u_i,y\rangle|)^2$.

    **Arguments**

    - `K`: kernel, or many with leading axes, or a `DataArray`; normalise it first (`kernels.trace_normalised`) if sizes differ.
    - `y`: labels, one for each sample.
    - `ridge`: what is added to each eigenvalue, in units of the mean eigenvalue; 1e-8 is usual, and a singular kernel needs
      one. `alignment_ridge` gives the number that is added, for the report.
    - `dim`: the two dimensions of a `DataArray` that hold the samples, by default its last two.

    **Returns** nu; float64 NumPy unless traced, or a `DataArray`. It is NaN where K is zero, as it is when all gates have
    closed, where K has a NaN, and if traced where K with its ridge has a negative eigenvalue. Its
    derivatives in K, y and the ridge hold for repeated eigenvalues too:
    $\partial\nu/\partial K = -uu^\top - |u|^2\,\frac{\text{ridge}}n I$ with $u = (K+rI)^{-1}y$.

    >>> import numpy as np
    >>> float(label_alignment(np.eye(4) / 4, [1, -1, 1, 1], ridge=0.0))
    16.0

    **Source:** paper 004, section 3 and figures 6 and 8; the ridge is not mentioned there.
    """
    K, y = real(K), real(y)
    if y.shape[-1] != K.shape[-1]:
        raise UserError(
            f"y must have one label for each of the {K.shape[-1]} samples of K, but has {y.shape[-1]}; give as many."
        )
    added = real(alignment_ridge(K, ridge))
    good = sound(K) & (_trace(K) > 0)
    whole = jnp.where(good[..., None, None], K, jnp.eye(K.shape[-1]))
    nu, least = _alignment(whole, y, jnp.where(good, added, 0.0))
    if not isinstance(least, Tracer) and bool((least <= SINGULAR).any()):
        raise UserError(
            f"K is singular with ridge {np.max(ridge):g}, so that nu is not finite; give a larger one, such as "
            f"ridge={_enough(np.asarray(whole)):g}."
        )
    return jnp.where(good & (least >= 0), nu, jnp.nan)


@labelled(("alignment_ridge", "what is added to each eigenvalue"), dim=LAST_TWO)
@given(K=kernel)
@exact
def alignment_ridge(K: KernelLike, ridge: Real[ArrayLike, "*#batch"] | Sequence) -> Float[Exact, "..."]:
    """What `label_alignment` adds to each eigenvalue of K: `ridge` times their mean.

    **Arguments**

    - `K`, `ridge`, `dim`: as for `label_alignment`.

    **Returns** one number for each kernel.

    >>> float(alignment_ridge([[2.0, 0.0], [0.0, 4.0]], 1e-3))
    0.003
    """
    K = real(K)
    ridge = checks.real("ridge", ridge, "zero or more and finite", lambda r: (r >= 0) & np.isfinite(r))
    return jnp.where(sound(K), real(ridge) * _trace(K) / K.shape[-1], jnp.nan)


def _trace(K: Array) -> Array:
    return jnp.trace(K, axis1=-2, axis2=-1)


def _enough(K: np.ndarray) -> float:
    """A power of ten that as a ridge lifts all eigenvalues well above rounding; 1e-8, the usual one, if that does."""
    eigenvalues = np.linalg.eigvalsh(K)
    lacking = 2 * (LIFTED * eigenvalues[..., -1] - eigenvalues[..., 0]) / eigenvalues.mean(-1)
    return max(1e-8, 10.0 ** np.ceil(np.log10(lacking.max())))


@jax.custom_jvp
@jax.jit
def _alignment(K: Array, y: Array, added: Array) -> tuple[Array, Array]:
    """nu, and the smallest eigenvalue with its ridge, relative to the largest, which counts as a constant."""
    lifted, _, along = _modes(K, y, added)
    return jnp.sum(along**2 / lifted, axis=-1), lifted[..., 0] / lifted[..., -1]


@_alignment.defjvp
def _alignment_slope(primals: tuple[Array, Array, Array], tangents: tuple[Array, Array, Array]) -> tuple[Any, Any]:
    """dnu = 2 u.dy - u.(dK + dr) u with u = (K + r)^-1 y: no differences of eigenvalues, which may be zero."""
    K, y, added = primals
    dK, dy, dr = tangents
    nu, least = _alignment(K, y, added)
    u = _solved(K, y, added)
    slope = jnp.sum(u * (2 * dy - _applied(dK, dr, u)), axis=-1)
    return (nu, least), (slope, jnp.zeros_like(least))


@jax.custom_jvp
@jax.jit
def _solved(K: Array, y: Array, added: Array) -> Array:
    """(K + r)^-1 y, by the modes of K."""
    lifted, vectors, along = _modes(K, y, added)
    return jnp.einsum("...ij,...j->...i", vectors, along / lifted)


@_solved.defjvp
def _solved_slope(primals: tuple[Array, Array, Array], tangents: tuple[Array, Array, Array]) -> tuple[Array, Array]:
    """du = (K + r)^-1 (dy - (dK + dr) u), for second and higher derivatives of nu."""
    K, y, added = primals
    dK, dy, dr = tangents
    u = _solved(K, y, added)
    return u, _solved(K, dy - _applied(dK, dr, u), added)


def _applied(dK: Array, dr: Array, u: Array) -> Array:
    """The symmetric part of dK, and dr, applied to u."""
    return jnp.einsum("...ij,...j->...i", (dK + jnp.swapaxes(dK, -1, -2)) / 2, u) + dr[..., None] * u


def _modes(K: Array, y: Array, added: Array) -> tuple[Array, Array, Array]:
    """Eigenvalues with their ridge, eigenvectors, and the labels along them."""
    eigenvalues, vectors = jnp.linalg.eigh(K)
    return eigenvalues + added[..., None], vectors, jnp.einsum("...ij,...i->...j", vectors, y)
