"""Functions of a symmetric matrix, with derivatives that hold where eigenvalues coincide."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

CLOSE = 1e-5
"""Two eigenvalues closer than this, relative to the largest, share the slope at their middle.

The slope is then off by 1e-10, relative, as is the divided difference by rounding where they are just not so close.
"""

OfRates = Callable[[Array, Any], Array]


@partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def apply(function: OfRates, slope: OfRates, A: Float[Array, "m m"], v: Float[Array, " m"], scale: Any) -> Float[Array, " m"]:
    r"""$f(A)\,v$ for a symmetric matrix A, with $f(\lambda)$ = `function(rates, scale)` on its eigenvalues.

    The derivative by A is that of Daleckii and Krein, with divided differences of f; `slope(rates, scale)` is $f'(\lambda)$,
    which stands in for them where eigenvalues coincide: automatic differentiation of the eigenvectors would give NaN there.
    """
    rates, basis = jnp.linalg.eigh(A)
    return basis @ (function(rates, scale) * (basis.T @ v))


@apply.defjvp
def _derivative(function: OfRates, slope: OfRates, primals: Any, tangents: Any) -> tuple[Array, Array]:
    (A, v, scale), (dA, dv, dscale) = primals, tangents
    rates, basis = jnp.linalg.eigh(A)
    values, later = jax.jvp(lambda s: function(rates, s), (scale,), (dscale,))
    gap = rates[:, None] - rates[None, :]
    close = jnp.abs(gap) <= CLOSE * jnp.max(jnp.abs(rates))
    middle = slope((rates[:, None] + rates[None, :]) / 2, scale)
    divided = jnp.where(close, middle, (values[:, None] - values[None, :]) / jnp.where(close, 1.0, gap))
    turned = divided * (basis.T @ ((dA + dA.T) / 2) @ basis)
    projected = basis.T @ v
    return basis @ (values * projected), basis @ (turned @ projected + later * projected + values * (basis.T @ dv))
