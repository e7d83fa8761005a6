"""Gradient flow: the path of fields under a velocity, integrated in float64."""

from collections.abc import Callable
from typing import Any

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float

from gatefield import _checks
from gatefield._errors import UserError
from gatefield._provenance import provenance

Velocity = Callable[[Float[Array, "K n"]], Float[Array, "K n"]]


def flow(velocity: Velocity, w0: Any, times: Any, *, rtol: float = 1e-9, atol: float = 1e-12) -> xr.Dataset:
    r"""Integrate $\tau\,dw/dt = v(w)$ from `w0` and record the fields at `times` (in units of tau).

    **Arguments**

    - `velocity`: a function of the fields (K, n) that JAX can trace, such as `theory.relu.velocity` with covariances given.
    - `w0`: initial fields (K, n), or (run, K, n) for many starts at once.
    - `times`: increasing times, the first of which is that of `w0`.
    - `rtol`, `atol`: tolerances of the adaptive integrator.

    **Returns** a record with `fields` (run, time, unit, position) in float64.

    >>> import numpy as np
    >>> record = flow(lambda w: -w, np.ones((1, 3)), [0.0, 1.0])
    >>> round(float(record.fields[0, -1, 0, 0]), 9)
    0.367879441
    """
    start, grid = _starts(w0), _grid(times)
    with jax.enable_x64(True):
        paths = _integrate(velocity, jnp.asarray(start, jnp.float64), jnp.asarray(grid, jnp.float64), rtol, atol)
        fields = np.asarray(paths)
    if not np.isfinite(fields).all():
        raise UserError("The flow left the finite numbers: the velocity diverges on the way; start elsewhere or end sooner.")
    coords = {
        "run": np.arange(fields.shape[0]),
        "time": ("time", grid, {"units": "tau"}),
        "unit": np.arange(fields.shape[2]),
        "position": ("position", np.arange(fields.shape[3]), {"units": "site"}),
    }
    attrs = {"kind": "flow", "rtol": rtol, "atol": atol, **provenance()}
    return xr.Dataset({"fields": (("run", "time", "unit", "position"), fields)}, coords, attrs)


def _integrate(velocity: Velocity, starts: Array, grid: Array, rtol: float, atol: float) -> Array:
    """All starts together, each with its own adaptive steps."""

    def one(start: Array) -> Array:
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(lambda t, w, args: velocity(w)),
            diffrax.Dopri8(),
            t0=grid[0],
            t1=grid[-1],
            dt0=None,
            y0=start,
            saveat=diffrax.SaveAt(ts=grid),
            stepsize_controller=diffrax.PIDController(rtol=rtol, atol=atol),
            max_steps=100_000,
            throw=False,
        )
        assert solution.ys is not None
        return solution.ys

    return jax.jit(jax.vmap(one))(starts)


def _starts(w0: Any) -> np.ndarray:
    start = np.asarray(_checks.finite("w0", w0))
    if start.ndim not in (2, 3):
        raise UserError(f"w0 must have shape (K, n) or (runs, K, n), but has {start.shape}.")
    return start if start.ndim == 3 else start[None]


def _grid(times: Any) -> np.ndarray:
    grid = np.asarray(_checks.finite("times", times))
    if grid.ndim != 1 or len(grid) < 2 or np.any(np.diff(grid) <= 0):
        raise UserError(f"times must be two or more increasing numbers, but are {times!r}.")
    return grid
