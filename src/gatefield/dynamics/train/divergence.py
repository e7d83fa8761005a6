"""What is said at the end of a training in which runs diverged."""

import jax
import numpy as np
import xarray as xr

from gatefield.dynamics.train.optimizers import Schedule
from gatefield.dynamics.train.problem import Setup

AT_ONCE = 2**16
"""Steps whose learning rates are asked for together: most schedules go wrong early."""


def divergence(record: xr.Dataset, setup: Setup) -> str | None:
    """How many runs diverged, when, and what to lower; None if none did."""
    status = np.asarray(record.status) if "status" in record else np.zeros((1, 1))
    lost = np.any(status, axis=1)
    if not lost.any():
        return None
    step = int(record.step[np.argmax(np.any(status, axis=0))])
    if not step:
        return (
            f"{lost.sum()} of {len(lost)} runs are not finite from the start; see the initial network, and samples of the task."
        )
    which = "The training diverged" if len(lost) == 1 else f"{lost.sum()} of {len(lost)} runs diverged, the first"
    wrong = None if setup.program.schedule is None else _first_wrong_rate(setup.program.schedule, step)
    if wrong is not None:
        return f"{which} by step {step:,}: the schedule gives a rate of {wrong[1]:g} at step {wrong[0]:,}; let it stay finite."
    return f"{which} by step {step:,}: fields or loss are not finite; {_way_out(setup, lost)}."


def _first_wrong_rate(schedule: Schedule, stop: int) -> tuple[int, float] | None:
    """The first step before `stop` at which a schedule is not finite, and what it gives there; None if there is none."""
    for start in range(0, stop, AT_ONCE):
        rates = np.asarray(jax.vmap(schedule)(np.arange(start, min(start + AT_ONCE, stop))), float)
        wrong = np.flatnonzero(~np.isfinite(rates))
        if wrong.size:
            return start + int(wrong[0]), float(rates[wrong[0]])
    return None


def _way_out(setup: Setup, lost: np.ndarray) -> str:
    rates = np.broadcast_to(np.asarray(setup.rate, float), lost.shape)[lost]
    if setup.program.schedule is not None:
        return "lower learning_rate, here a schedule"
    if np.isnan(rates).all():
        return "lower the learning rate of the optimizer"
    return f"lower learning_rate, here {rates.min():g}"
