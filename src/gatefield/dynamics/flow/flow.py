"""Gradient flow: the path of fields under a velocity, integrated in float64, and the steady states it ends in."""

from collections.abc import Iterable
from typing import Any, Literal

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from gatefield.core import checks
from gatefield.core.arrays import Numbers
from gatefield.core.errors import UserError
from gatefield.core.grid import Grid, check_grid
from gatefield.core.provenance import provenance
from gatefield.core.text.quoted import quoted
from gatefield.core.tracing.identity import Known
from gatefield.dynamics.flow.path import SOLVERS, Path, Problem, SolverName, Tolerances, integrate
from gatefield.dynamics.flow.state import DIMS, OneField, Velocity, check_velocity, starts
from gatefield.dynamics.flow.steady import refine, spectrum

_COORDS = {"unit": {}, "position": {"units": "site"}}
_ENDS = ("steady", "steady_time", "refined", "residual", "eigenvalues", "eigenvalues_imag", "unstable", "mode")
"""What a record holds of steady states."""
_FAR = 1e8
"""A flow that runs out of steps this many times farther out than it began diverges, rather than being stiff."""

_SHORTER = "ask for less time: --set a smaller number of steps, or a smaller learning rate."
"""The way out on the command line, where experiments integrate as long as their training lasts."""


def flow(
    velocity: Velocity,
    w0: Numbers | tuple[Numbers, ...],
    times: Numbers,
    *,
    runs: Grid | None = None,
    until: Literal["times", "steady"] = "times",
    solver: SolverName | diffrax.AbstractSolver = "dopri8",
    rtol: float = 1e-9,
    atol: float = 1e-12,
    steady_tol: float = 1e-8,
    max_steps: int = 100_000,
    timed: bool = False,
) -> xr.Dataset:
    r"""Integrate $\tau\,dw/dt = v(w)$ from `w0` and record the state at `times` (in units of tau).

    **Arguments**

    - `velocity`: a function of the fields (K, n) that JAX can trace, such as `theory.relu.velocity` with covariances given. For
        a `w0` of several arrays it takes one argument for each, and returns a tuple of their velocities. It is compiled once
        for each function object and shape, so that further calls with the same function are quick.
    - `w0`: initial fields (K, n), or a tuple (fields, bias) or (fields, bias, output_bias) with biases (K,) and (). Each array
        may have a run axis in front, for many starts at once. For a velocity of one field, such as that of
        `theory.elliptical`, a single start (n,).
    - `times`: increasing times, the first of which is that of `w0`.
    - `runs`: a `Grid` that names the axes of the runs; the record has them in place of `run`.
    - `until`: `"steady"` ends a run where $|v| \le \varepsilon\,\max(|w|, |w_0|)$, with $\varepsilon$ = `steady_tol`, or at the
        last time.
    - `solver`: `"dopri8"`, or `"kvaerno5"` for stiff flows, whose rates differ by a factor of thousands; or a solver of diffrax
        with adaptive steps, such as `diffrax.Tsit5()`.
    - `rtol`, `atol`, `max_steps`: tolerances and the longest path of the adaptive integrator. A velocity estimated from samples
        is not smooth, and at the default tolerances its steps get so short that a flow may take hours: give 1e-3 for both.
        Ctrl-C ends a flow within about a second.
    - `steady_tol`: how slow a steady state is, see `until`.
    - `timed`: the velocity depends on time, and takes it as the keyword `time`; such a flow has no steady states to stop at.

    **Returns** a record with `fields` (run, time, unit, position), and as far as given `bias` (run, time, unit) and
    `output_bias` (run, time), in float64. With `until="steady"` it also holds, for each run:

    - `steady`: whether the run reached a steady state, and `steady_time`: when (NaN if not). From then on the record holds the
        steady state, refined by Newton's method where that converges nearby (`refined`).
    - `residual`: |v| at the last state.
    - `eigenvalues` (run, mode): growth rates of small deviations from the last state, the largest first; `unstable`: how many
        are positive (see `stability`). Imaginary parts are in `eigenvalues_imag`, if there are any. A flow may linger at a
        saddle: a steady state attracts only if none of them is positive.

    >>> import numpy as np
    >>> record = flow(lambda w: -w, np.ones((1, 3)), [0.0, 1.0])
    >>> round(float(record.fields[0, -1, 0, 0]), 9)
    0.367879441
    >>> end = flow(lambda w: w - w**3, np.full((1, 1), 0.1), [0.0, 100.0], until="steady")
    >>> round(float(end.fields[0, -1, 0, 0]), 12), float(end.eigenvalues[0, 0].round(9)), int(end.unstable[0])
    (1.0, -2.0, 0)
    >>> late = flow(lambda w, time: 0 * w + time, np.zeros((1, 1)), [0.0, 2.0], timed=True)
    >>> round(float(late.fields[0, -1, 0, 0]), 9)
    2.0

    A training runs along `step`, which has the coordinate `time`: to subtract one from the other, ask the flow for the times
    of the training, and make them its dimension. Otherwise the difference has each step at each time.

    >>> import jax
    >>> from gatefield import Committee, Task, train
    >>> from gatefield.data import Gaussian
    >>> from gatefield.theory import relu
    >>> task, start = Task(Gaussian(6, 2.0), Gaussian(6, 1.0)), Committee(6, 1, key=jax.random.key(0))
    >>> settings = {"steps": 20, "batch_size": 50, "learning_rate": 0.1, "record_every": 10}
    >>> record = train(start, task, key=jax.random.key(1), **settings).record
    >>> path = flow(lambda w: relu.velocity(w, task), start.fields, record.time.values)
    >>> dict((record.swap_dims(step="time").fields - path.fields).sizes)
    {'run': 1, 'time': 3, 'unit': 1, 'position': 6}
    """
    if not callable(velocity):
        raise UserError(f"velocity must be a function of the fields, such as lambda w: -w, but is {quoted(velocity)}.")
    if hasattr(w0, "fields") and not isinstance(w0, tuple):
        raise UserError(f"w0 must be fields, but is a whole {type(w0).__name__}; write for instance w0=net.fields.")
    velocity = Known(velocity)
    w0 = w0 if isinstance(w0, tuple) else checks.numbers("w0", w0)
    if not isinstance(w0, tuple) and np.ndim(w0) == 1:
        velocity, w0 = OneField(velocity), np.asarray(w0)[None]
    arrays, grid = starts(w0)[0], _grid(times)
    if runs is not None:
        check_grid(runs).check_runs(len(arrays["fields"]), "w0 is")
    method, method_name = _solver(solver)
    until_steady = checks.choice("end of a flow", until, ("times", "steady")) == "steady"
    if runs is not None:
        runs.check_names(dict.fromkeys((*arrays, "time", *(_ENDS if until_steady else ()))))
    if checks.flag("timed", timed) and until_steady:
        raise UserError("A flow whose velocity depends on time has no steady states; use until='times' with timed=True.")
    sizes = {"rtol": rtol, "atol": atol, "steady_tol": steady_tol}
    tolerances = [checks.scalar(name, checks.positive(name, value)) for name, value in sizes.items()]
    max_steps = checks.count("max_steps", max_steps)
    with jax.enable_x64(True):
        check_velocity(velocity, arrays, timed)
        start = tuple(map(jnp.asarray, arrays.values()))
        limits = Tolerances(*map(jnp.asarray, tolerances))
        problem = Problem(velocity, jnp.asarray(grid), limits, method, until_steady, timed)
        path = jax.tree.map(np.asarray, integrate(problem, start, max_steps))
        _check_path(path, arrays, grid, method_name, max_steps)
        states = dict(zip(arrays, path.states, strict=True))
        ends = _steady_states(velocity, arrays, path, states, grid) if until_steady else {}
    used = {"until": until, "solver": method_name, **(sizes if until_steady else {"rtol": rtol, "atol": atol})}
    record = _record(states, ends, grid, {"kind": "flow", **used, **provenance()})
    return record if runs is None else runs.unfold(record)


def _solver(solver: SolverName | diffrax.AbstractSolver) -> tuple[diffrax.AbstractSolver, str]:
    """The solver and its name."""
    if isinstance(solver, diffrax.AbstractSolver):
        return solver, type(solver).__name__
    return SOLVERS[checks.choice("solver", solver, SOLVERS)](), solver


def _steady_states(
    velocity: Velocity, arrays: dict[str, np.ndarray], path: Path, states: dict[str, np.ndarray], grid: np.ndarray
) -> dict[str, Any]:
    """What the record says of the last states; puts steady states into `states`, from when they were reached."""
    size = np.maximum(_size(arrays.values()), _size(path.end))
    found = jax.tree.map(np.asarray, refine(velocity, path.end, jnp.asarray(size), jnp.asarray(path.steady)))
    for name, end in zip(states, found.state, strict=True):
        after = path.steady[:, None] & (grid >= path.end_time[:, None])
        after = after.reshape(after.shape + (1,) * (end.ndim - 1))
        states[name] = np.where(after, end[:, None], states[name])
    rates, unstable = spectrum(found.jacobian)
    ends = {
        "steady": ("run", path.steady),
        "steady_time": ("run", np.where(path.steady, path.end_time, np.nan), {"units": "tau"}),
        "refined": ("run", found.refined),
        "residual": ("run", found.residual),
        "eigenvalues": (("run", "mode"), np.real(rates), {"units": "1/tau"}),
        "unstable": ("run", unstable),
    }
    if np.iscomplexobj(rates):
        ends["eigenvalues_imag"] = (("run", "mode"), np.imag(rates), {"units": "1/tau"})
    return ends


def _size(arrays: Iterable[Any]) -> np.ndarray:
    """The norm of each run's state."""
    return np.sqrt(sum(np.sum(np.reshape(array, (len(array), -1)) ** 2, axis=1) for array in arrays))


def _record(states: dict[str, np.ndarray], ends: dict[str, Any], grid: np.ndarray, attrs: dict[str, Any]) -> xr.Dataset:
    fields = states["fields"]
    coords: dict[str, Any] = {"run": np.arange(len(fields)), "time": ("time", grid, {"units": "tau"})}
    coords |= {name: (name, np.arange(fields.shape[2 + axis]), units) for axis, (name, units) in enumerate(_COORDS.items())}
    variables = {name: (("run", "time", *DIMS[name]), values) for name, values in states.items()}
    return xr.Dataset({**variables, **ends}, coords, attrs)


def _check_path(path: Path, arrays: dict[str, np.ndarray], grid: np.ndarray, solver: str, max_steps: int) -> None:
    """Say what went wrong, and in which run first."""
    if not path.starts_well.all():
        raise UserError(
            f"The velocity is not finite at the start of run {np.argmin(path.starts_well)}: see that no field is zero there, "
            f"that covariances and labels are finite, and that covariances are positive."
        )
    lost = ~np.isfinite(_size(path.end)) | path.stuck
    lost |= path.out_of_steps & (_size(path.end) > _FAR * (1 + _size(arrays.values())))
    if lost.any():
        run = np.argmax(lost)
        what = f"The flow left the finite numbers: the velocity diverges in run {run} near time {path.end_time[run]:.6g}; "
        raise UserError(f"{what}start elsewhere or end sooner.", shell=what + _SHORTER)
    if path.out_of_steps.any():
        run = np.argmax(path.out_of_steps)
        other = " take solver='kvaerno5' for a stiff flow," if solver == "dopri8" else ""
        what = f"The flow made {max_steps} steps and reached time {path.end_time[run]:.6g} of {grid[-1]:g} in run {run}"
        rough = "give larger rtol and atol (1e-3 for a velocity estimated from samples, which is not smooth)"
        raise UserError(f"{what}:{other} {rough}, or raise max_steps.", shell=f"{what}; {_SHORTER}")


def _grid(times: Any) -> np.ndarray:
    grid = np.asarray(checks.finite("times", times), np.float64)
    if grid.ndim != 1 or len(grid) < 2 or np.any(np.diff(grid) <= 0):
        raise UserError(
            f"times must be two or more increasing numbers, but are {quoted(times)}; write for instance times=[0, 10, 100]."
        )
    return grid
