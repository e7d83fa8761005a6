"""Shares of units with their uncertainty over seeds."""

from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy import stats


class Share(NamedTuple):
    """A mean over seeds and its 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} (95 % interval over seeds {self.low:.3f} to {self.high:.3f})"


def share(holds: xr.DataArray, among: xr.DataArray | None = None) -> Share:
    """How often `holds` is true `among` the units that count: a share for each seed, then mean and Student's t interval.

    Seeds without any unit that counts are left out; without any at all, the share is 0 and so is the interval.

    >>> import xarray as xr
    >>> print(share(xr.DataArray([[True, True], [True, False]], dims=("seed", "unit"))))
    0.750 (95 % interval over seeds 0.000 to 1.000)
    """
    counts = xr.ones_like(holds, dtype=bool) if among is None else among
    others = [dim for dim in holds.dims if dim != "seed"]
    total = counts.sum(others).values
    parts = (holds & counts).sum(others).values[total > 0] / total[total > 0]
    if not len(parts):
        return Share(0.0, 0.0, 0.0)
    mean = float(parts.mean())
    half = stats.t.ppf(0.975, len(parts) - 1) * parts.std(ddof=1) / np.sqrt(len(parts)) if len(parts) > 1 else 1.0
    return Share(mean, max(0.0, mean - float(half)), min(1.0, mean + float(half)))
