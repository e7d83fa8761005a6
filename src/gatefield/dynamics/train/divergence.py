"""What is said at the end of a training in which runs diverged."""

import numpy as np
import xarray as xr

from gatefield.dynamics.train.problem import Setup


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
    return f"{which} by step {step:,}: fields or loss are not finite; {_way_out(setup, lost)}."


def _way_out(setup: Setup, lost: np.ndarray) -> str:
    rates = np.broadcast_to(np.asarray(setup.rate, float), lost.shape)[lost]
    if setup.program.schedule is not None:
        return "lower learning_rate, here a schedule"
    if np.isnan(rates).all():
        return "lower the learning rate of the optimizer"
    return f"lower learning_rate, here {rates.min():g}"
