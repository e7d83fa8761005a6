"""Steady states of a flow, found to rounding, and their stability."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import lineax as lx
import numpy as np
import optimistix as optx
from jaxtyping import Array, Bool, Float

from gatefield.core import checks
from gatefield.core.arrays import Numbers
from gatefield.core.errors import UserError
from gatefield.core.tracing.identity import Known
from gatefield.dynamics.flow.state import State, Velocity, check_velocity, flattened, starts

NEUTRAL = 1e-8
"""Rates smaller than this part of the largest one count as zero."""

_NEAR = 0.05
"""A refined state lies within this part of the state's size; one farther away is another steady state."""
_SLOWER = 1e-3
"""A refined state moves at least this much slower than before, or Newton's method has not converged."""
_ITERATIONS = 12
"""Newton's method doubles the digits at each step: from the eight of a steady state three steps reach rounding. The others are
for states where the velocity vanishes to a higher order, and each step gains a fixed factor."""
_FLAT = 1e-10
"""Directions along which the velocity changes by less than this part of the steepest one are left alone, such as a shift along
a line of steady states."""


class SteadyState(NamedTuple):
    """A refined state: where, how fast it still moves, whether refining succeeded, and the Jacobian of the velocity there."""

    state: State
    residual: Float[Array, "..."]
    refined: Bool[Array, "..."]
    jacobian: Float[Array, "... mode mode"]


def stability(
    velocity: Velocity, w: Numbers | tuple[Numbers, ...], *, neutral: float = NEUTRAL
) -> tuple[np.ndarray, int | np.ndarray]:
    r"""Growth rates of small deviations from a steady state: the eigenvalues of $\partial v/\partial w$.

    **Arguments**

    - `velocity`, `w`: as `velocity` and `w0` of `flow`; `w` may have a run axis.
    - `neutral`: rates below this part of the largest one count as zero, such as that of a shift along a line of steady states.

    **Returns** the eigenvalues (mode,), the largest real part first, and how many of them have a positive real part; for a `w`
    with a run axis an array of each. The eigenvalues are complex only if some of them are not real.

    >>> import numpy as np
    >>> rates, unstable = stability(lambda w: w * np.array([1.0, -2.0, 0.0]), np.zeros((1, 3)))
    >>> print(rates, unstable)
    [ 1.  0. -2.] 1
    """
    arrays, has_runs = starts(w)
    neutral = checks.scalar("neutral", checks.real("neutral", neutral, "from 0 to 1", lambda x: (x >= 0) & (x <= 1)))
    with jax.enable_x64(True):
        check_velocity(velocity, arrays)
        jacobians = np.asarray(_jacobians(Known(velocity), tuple(map(jnp.asarray, arrays.values()))))
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
    if np.abs(matrix - matrix.T).max() <= 1e-12 * np.abs(matrix).max():  # symmetric up to rounding
        return np.linalg.eigvalsh(matrix)[::-1]
    return np.array(sorted(np.linalg.eigvals(matrix), key=lambda rate: (-rate.real, -rate.imag)))


@eqx.filter_jit
def _jacobians(velocity: Velocity, states: State) -> Array:
    def one(state: State) -> Array:
        vector, change, _ = flattened(velocity, state)
        return jax.jacfwd(change)(vector)

    return jax.vmap(one)(states)


@eqx.filter_jit
def refine(velocity: Velocity, states: State, sizes: Float[Array, " run"], wanted: Bool[Array, " run"]) -> SteadyState:
    """Newton's method from each wanted state; what does not converge nearby, measured by `sizes`, stays as it was."""
    return jax.vmap(lambda state, size, flag: _refine(velocity, state, size, flag))(states, sizes, wanted)


def _refine(velocity: Velocity, state: State, size: Array, wanted: Array) -> SteadyState:
    start, change, back = flattened(velocity, state)
    newton = optx.BestSoFarRootFinder(optx.Newton(rtol=0.0, atol=0.0, linear_solver=lx.SVD(rcond=_FLAT)))
    found = optx.root_find(lambda x, _: change(x), newton, start, max_steps=_ITERATIONS, throw=False).value
    near = jnp.linalg.norm(found - start) <= _NEAR * size
    converged = jnp.linalg.norm(change(found)) <= _SLOWER * jnp.linalg.norm(change(start))
    refined = wanted & near & converged
    end = jnp.where(refined, found, start)
    return SteadyState(back(end), jnp.linalg.norm(change(end)), refined, jax.jacfwd(change)(end))
