"""The integrator behind `flow`: adaptive steps for every start, all starts together."""

import time
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, cast

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import optimistix as optx
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Bool, Float, Int

from gatefield.dynamics.flow.pieces import Begin, GoOn
from gatefield.dynamics.flow.state import State, Velocity, move
from gatefield.dynamics.pace import Pace, nothing_left_behind

SolverName = Literal["dopri8", "kvaerno5"]
SOLVERS: Mapping[SolverName, type[diffrax.AbstractSolver]] = {"dopri8": diffrax.Dopri8, "kvaerno5": diffrax.Kvaerno5}
"""Explicit, of order 8, for most flows; implicit, of order 5, for stiff ones."""

# When a state gets steady matters to a thousandth of tau, or to seven digits of a late time; the state itself is refined
# afterwards. The excess of velocity falls through zero, from above: hence `flip`.
_FIND_STEADY_TIME = optx.Bisection(rtol=1e-7, atol=1e-3, flip=True)
FIRST, FASTER = 1, 1000
"""Steps of the first piece, since one step of a velocity estimated from many samples may take a second; and by how much the
next may be longer, since most flows are over in a thousand steps and should not be cut often."""
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


class Problem(NamedTuple):
    """What is integrated, and how."""

    velocity: Velocity
    grid: Float[Array, " time"]
    tolerances: Tolerances
    solver: diffrax.AbstractSolver
    until_steady: bool
    timed: bool


def integrate(problem: Problem, starts: State, max_steps: int) -> Path:
    """The paths of all starts. Compiled once for each velocity function, shapes and solver.

    Ctrl-C ends it within a piece of about a second: what is sent to the device cannot be called back.
    """
    pace, stop = Pace(FIRST, FASTER), 0
    with nothing_left_behind():
        carried = _begin(problem, starts)
        while True:
            begin, steps = time.perf_counter(), min(pace.steps, max_steps - stop)
            stop += steps
            carried, path = _go_on(problem, starts, carried, jnp.asarray(stop))
            if stop == max_steps or not path.out_of_steps.any():  # which waits for the piece
                return path
            pace.learn(steps, time.perf_counter() - begin)


@eqx.filter_jit
def _begin(problem: Problem, starts: State) -> Any:
    """What the integrator carries at the starts."""
    return jax.vmap(lambda start: _solve(problem, start, Begin())[0].solver_state)(starts)


@eqx.filter_jit
def _go_on(problem: Problem, starts: State, carried: Any, stop: Int[Array, ""]) -> tuple[Any, Path]:
    """What the integrator carries after `stop` steps in all, and the paths up to there."""
    return jax.vmap(lambda start, carried: _path(problem, start, GoOn(carried, stop)))(starts, carried)


def _path(problem: Problem, start: State, pieces: GoOn) -> tuple[Any, Path]:
    """One path, as far as it goes."""
    solution, at_start = _solve(problem, start, pieces)
    (states, ends), (_, end_times) = cast(Any, (solution.ys, solution.ts))
    stopped = cast(Array, solution.event_mask) if problem.until_steady else jnp.asarray(False)
    return solution.solver_state, Path(
        states=states,
        end=jax.tree.map(lambda y, y0: jnp.where(at_start.moves, y[-1], y0), ends, start),
        end_time=jnp.where(at_start.steady, problem.grid[0], end_times[-1]),
        steady=at_start.steady | (at_start.moves & stopped),
        starts_well=at_start.well,
        out_of_steps=solution.result == diffrax.RESULTS.max_steps_reached,
        stuck=solution.result == diffrax.RESULTS.dt_min_reached,
    )


class _Start(NamedTuple):
    """What is to be said of a start: whether its velocity is finite, whether it is steady at once, and whether it moves."""

    well: Bool[Array, ""]
    steady: Bool[Array, ""]
    moves: Bool[Array, ""]


def _solve(problem: Problem, start: State, adjoint: diffrax.AbstractAdjoint) -> tuple[diffrax.Solution, _Start]:
    velocity, grid, tolerances, solver, until_steady, timed = problem
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
        saveat=diffrax.SaveAt(
            subs=[diffrax.SubSaveAt(ts=grid), diffrax.SubSaveAt(t1=True)],
            solver_state=True,  # where the pieces put what they hand on
        ),
        stepsize_controller=diffrax.PIDController(
            rtol=tolerances.rtol, atol=tolerances.atol, dtmin=_SHORTEST_STEP * jnp.max(jnp.abs(grid)), force_dtmin=False
        ),
        event=diffrax.Event(excess, _FIND_STEADY_TIME, direction=False) if until_steady else None,
        adjoint=adjoint,
        max_steps=None,  # the pieces end it
        throw=False,
    )
    return solution, _Start(starts_well, steady_at_once, moves)


def _norm(state: State) -> Array:
    return jnp.linalg.norm(ravel_pytree(state)[0])
