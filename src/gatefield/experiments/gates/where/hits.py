"""How often predictions hit: shares, paired differences, and their intervals."""

import numpy as np
import xarray as xr

from gatefield.core.intervals import Interval, mean_interval, proportion, share
from gatefield.experiments.gates.where.predictors import CHOSEN, PREDICTORS
from gatefield.measures import localized_ipr

NEAR = 1
"""A prediction hits if it is at most so many sites away."""
FEW = 10
"""A setting in which fewer units localize says nothing by itself, and is not shown by itself."""
OTHERS = tuple(name for name in PREDICTORS if name != CHOSEN)


def network(record: xr.Dataset, name: str) -> xr.Dataset:
    """What the record says of one network, "neuron" or "committee", with plain names."""
    prefix = name + "_"
    names = [str(x) for x in record.data_vars if str(x).startswith(prefix)]
    part = record[names].rename({x: x.removeprefix(prefix) for x in names})
    return part.rename({x: str(x).removeprefix(prefix) for x in part.dims if str(x).startswith(prefix)})


def localized(part: xr.Dataset) -> xr.DataArray:
    """Which units count: those that are localized at the end."""
    return part.ipr > localized_ipr(part.attrs["n"])


def hits(part: xr.Dataset) -> xr.DataArray:
    """Whether the predicted site is within one site of the final peak."""
    return part.distance <= NEAR


def again(part: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray]:
    """Whether two trainings from the same start end within one site of each other, and which units count: both localized."""
    return part.again_distance <= NEAR, part.again_ipr > localized_ipr(part.attrs["n"])


def rate(holds: xr.DataArray, counted: xr.DataArray) -> Interval:
    """How often something holds among the units that count, all settings together.

    Single neurons are independent, and have Wilson's interval. The units of a committee are not: there each committee has its
    own share, and the interval is Student's over committees.

    >>> one = xr.DataArray(np.arange(10)[:, None] < 9, dims=("seed", "unit"))
    >>> print(rate(one, xr.ones_like(one)))
    0.900 (95 % interval over seeds 0.596 to 0.982)
    """
    if holds.sizes["unit"] > 1:
        return share(_runs(holds), _runs(counted))
    return proportion(int((holds & counted).sum()), int(counted.sum()))


def gain_over_chosen(part: xr.Dataset, name: str, level: float = 1 - 0.05 / len(OTHERS)) -> Interval:
    """How much more often a predictor hits than the chosen one on the same units: mean over runs, Student's t interval.

    The level leaves 5 % for all comparisons together.
    """
    counted, hit = localized(part), hits(part)
    more = hit.sel(predictor=name).astype(int) - hit.sel(predictor=CHOSEN).astype(int)
    more, counted = _runs(more.where(counted)), _runs(counted)
    values = more.mean("unit", skipna=True).values[counted.any("unit").values] if counted.any() else np.zeros(0)
    mean, low, high = mean_interval(values, level)
    return Interval(mean, max(-1.0, low), min(1.0, high))


def _runs(values: xr.DataArray) -> xr.DataArray:
    """All settings' runs along one axis, named `seed`; the units of each along the other."""
    dims = [dim for dim in values.dims if dim != "unit"]
    return xr.DataArray(values.transpose(*dims, "unit").values.reshape(-1, values.sizes["unit"]), dims=("seed", "unit"))
