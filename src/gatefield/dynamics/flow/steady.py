"""Where a flow rests: steady states, found to rounding, and their stability."""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from gatefield.core.errors import UserError
from gatefield.dynamics.flow.state import State, Velocity, check_velocity, flattened, starts

NEUTRAL = 1e-8
"""Rates smaller than this part of the largest one count as zero."""

_NEAR = 0.05
"""A refined state lies within this part of the state's size."""


class Rest(NamedTuple):
    """A refined state: where, how fast it still moves, whether refining succeeded, and the Jacobian of the velocity there."""

    state: State
    residual: Float[Array, ""]
    refined: Bool[Array, ""]
    jacobian: Float[Array, "mode mode"]


def stability(velocity: Velocity, w: Any, *, neutral: float = NEUTRAL) -> tuple[np.ndarray, Any]:
    r"""Growth rates of small deviations from a steady state: the eigenvalues of the Jacobian $\partial v/\partial w$.

    **Arguments**

    - `velocity`, `w`: as for `flow`; `w` may have a run axis.
    - `neutral`: rates below this part of the largest one count as zero, such as that of a shift along a line of steady states.

    **Returns** the eigenvalues (mode,), the largest real part first, and how many of them have a positive real part; for a `w`
    with a run axis an array of each. The eigenvalues are complex only if some of them are not real.

    >>> import numpy as np
    >>> rates, unstable = stability(lambda w: w * np.array([1.0, -2.0, 0.0]), np.zeros((1, 3)))
    >>> print(rates, unstable)
    [ 1.  0. -2.] 1
    """
    arrays, has_runs = starts(w)
    with jax.enable_x64(True):
        check_velocity(velocity, arrays)
        jacobians = np.asarray(_jacobians(velocity, tuple(map(jnp.asarray, arrays.values()))))
    rates, unstable = spectrum(jacobians, neutral)
    return (rates, unstable) if has_runs else (rates[0], int(unstable[0]))


def spectrum(jacobians: np.ndarray, neutral: float = NEUTRAL) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (run, mode), the largest real part first, and the number of unstable ones in each run."""
    if not np.isfinite(jacobians).all():
        raise UserError(
            "The derivative of the velocity is not finite at this state: take a state where the velocity is smooth."
        )
    rates = np.stack([_eigenvalues(matrix) for matrix in jacobians])
    largest = np.abs(rates).max(axis=1, keepdims=True)
    return rates, (np.real(rates) > neutral * largest).sum(axis=1)


def _eigenvalues(matrix: np.ndarray) -> np.ndarray:
    """Sorted by falling real part. Where the velocity is a gradient the matrix is symmetric, and they are real."""
    if np.abs(matrix - matrix.T).max() <= 1e-12 * np.abs(matrix).max():
        return np.linalg.eigvalsh(matrix)[::-1]
    return np.array(sorted(np.linalg.eigvals(matrix), key=lambda rate: (-rate.real, -rate.imag)))


@eqx.filter_jit
def _jacobians(velocity: Velocity, states: State) -> Array:
    def one(state: State) -> Array:
        vector, change, _ = flattened(velocity, state)
        return jax.jacfwd(change)(vector)

    return jax.vmap(one)(states)


@eqx.filter_jit
def refine(velocity: Velocity, states: State, sizes: Float[Array, " run"], wanted: Bool[Array, " run"]) -> Rest:
    """Newton's method from each wanted state; what does not converge nearby, measured by `sizes`, stays as it was."""
    return jax.vmap(lambda state, size, flag: _refine(velocity, state, size, flag))(states, sizes, wanted)


def _refine(velocity: Velocity, state: State, size: Array, wanted: Array, iterations: int = 12) -> Rest:
    start, change, back = flattened(velocity, state)

    def step(_: Any, x: Array) -> Array:
        new = x - _newton(change, x, size)
        return jnp.where(jnp.linalg.norm(change(new)) < jnp.linalg.norm(change(x)), new, x)

    found = jax.lax.fori_loop(0, iterations, step, start)
    near = jnp.linalg.norm(found - start) <= _NEAR * size
    converged = jnp.linalg.norm(change(found)) <= 1e-3 * jnp.linalg.norm(change(start))
    refined = wanted & near & converged
    end = jnp.where(refined, found, start)
    return Rest(back(end), jnp.linalg.norm(change(end)), refined, jax.jacfwd(change)(end))


def _newton(change: Any, x: Array, size: Array) -> Array:
    """The damped least-squares step; directions along which the velocity does not change are left alone."""
    velocity = change(x)
    left, factors, right = jnp.linalg.svd(jax.jacfwd(change)(x))
    damping = (velocity @ velocity) / jnp.maximum(size, 1e-150) ** 2
    moves = factors > 1e-10 * factors[0]
    inverse = jnp.where(moves, factors / jnp.where(moves, factors**2 + damping, 1.0), 0.0)
    return right.T @ (inverse * (left.T @ velocity))
