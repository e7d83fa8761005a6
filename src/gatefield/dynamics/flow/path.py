"""The integrator behind `flow`: adaptive steps for every start, all starts together."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, cast

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import optimistix as optx
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Bool, Float

from gatefield.dynamics.flow.state import State, Velocity, move

SolverName = Literal["dopri8", "kvaerno5"]
SOLVERS: Mapping[SolverName, type[diffrax.AbstractSolver]] = {"dopri8": diffrax.Dopri8, "kvaerno5": diffrax.Kvaerno5}
"""Explicit, of order 8, for most flows; implicit, of order 5, for stiff ones."""

# When a state gets steady matters to a thousandth of tau, or to seven digits of a late time; the state itself is refined
# afterwards. The excess of velocity falls through zero, from above: hence `flip`.
_FIND_STEADY_TIME = optx.Bisection(rtol=1e-7, atol=1e-3, flip=True)
_SHORTEST_STEP = 1e-14
"""As part of the longest time: a shorter step would be lost in the rounding of time, so that a flow that needs one is stuck."""


class Tolerances(NamedTuple):
    """Those of the integrator, and of steadiness."""

    rtol: Float[Array, ""]
    atol: Float[Array, ""]
    steady: Float[Array, ""]


class Path(NamedTuple):
    """One run's path: its states on the grid, and how and where it ended."""

    states: State
    end: State
    end_time: Float[Array, ""]
    steady: Bool[Array, ""]
    starts_well: Bool[Array, ""]
    out_of_steps: Bool[Array, ""]
    stuck: Bool[Array, ""]


@eqx.filter_jit
def integrate(
    velocity: Velocity,
    starts: State,
    grid: Array,
    tolerances: Tolerances,
    solver: diffrax.AbstractSolver,
    until_steady: bool,
    timed: bool,
    max_steps: int,
) -> Path:
    """The paths of all starts. Compiled once for each velocity function, shapes and solver."""
    return jax.vmap(lambda start: _path(velocity, start, grid, tolerances, solver, until_steady, timed, max_steps))(starts)


def _path(
    velocity: Velocity,
    start: State,
    grid: Array,
    tolerances: Tolerances,
    solver: diffrax.AbstractSolver,
    until_steady: bool,
    timed: bool,
    max_steps: int,
) -> Path:
    starts_well = jnp.all(jnp.isfinite(ravel_pytree(move(velocity, start, grid[0] if timed else None))[0]))
    size = _norm(start)

    def excess(t: Array, y: State, args: None, **_: object) -> Array:
        """By how much the state still moves too fast to be steady, in units of what is allowed."""
        allowed = tolerances.steady * jnp.maximum(_norm(y), size)
        return _norm(move(velocity, y)) / jnp.where(allowed > 0, allowed, 1.0) - jnp.where(allowed > 0, 1.0, 0.0)

    steady_at_once = excess(grid[0], start, None) <= 0 if until_steady else jnp.asarray(False)
    moves = starts_well & ~steady_at_once

    def hold(v: Array) -> Array:
        """No velocity for a run that does not move."""
        return jnp.where(moves, v, 0.0)

    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(lambda t, y, args: jax.tree.map(hold, move(velocity, y, t if timed else None))),
        solver,
        t0=grid[0],
        t1=grid[-1],
        dt0=None,
        y0=start,
        saveat=diffrax.SaveAt(subs=[diffrax.SubSaveAt(ts=grid), diffrax.SubSaveAt(t1=True)]),
        stepsize_controller=diffrax.PIDController(
            rtol=tolerances.rtol, atol=tolerances.atol, dtmin=_SHORTEST_STEP * jnp.max(jnp.abs(grid)), force_dtmin=False
        ),
        event=diffrax.Event(excess, _FIND_STEADY_TIME, direction=False) if until_steady else None,
        max_steps=max_steps,
        throw=False,
    )
    (states, ends), (_, end_times) = cast(Any, (solution.ys, solution.ts))
    stopped = cast(Array, solution.event_mask) if until_steady else jnp.asarray(False)
    return Path(
        states=states,
        end=jax.tree.map(lambda y, y0: jnp.where(moves, y[-1], y0), ends, start),
        end_time=jnp.where(steady_at_once, grid[0], end_times[-1]),
        steady=steady_at_once | (moves & stopped),
        starts_well=starts_well,
        out_of_steps=solution.result == diffrax.RESULTS.max_steps_reached,
        stuck=solution.result == diffrax.RESULTS.dt_min_reached,
    )


def _norm(state: State) -> Array:
    return jnp.linalg.norm(ravel_pytree(state)[0])
