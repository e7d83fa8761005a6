"""How often predictions hit: shares, paired differences, and their intervals."""

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.experiments.gates.where.predictors import CHOSEN, PREDICTORS
from gatefield.experiments.shares import Share, share

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
    """Which units count: those with an inverse participation ratio above 6/n at the end, twice that of a random field."""
    return part.ipr > 6 / part.attrs["n"]


def hits(part: xr.Dataset) -> xr.DataArray:
    """Whether the predicted site is within one site of the final peak."""
    return part.distance <= NEAR


def rate(holds: xr.DataArray, counted: xr.DataArray) -> Share:
    """How often something holds among the units that count, all settings together.

    Single neurons are independent, and have Wilson's interval. The units of a committee are not: there each committee has its
    own share, and the interval is Student's over committees.

    >>> one = xr.DataArray(np.arange(10)[:, None] < 9, dims=("seed", "unit"))
    >>> print(rate(one, xr.ones_like(one)))
    0.900 (95 % interval over seeds 0.596 to 0.982)
    """
    holds, counted = xr.broadcast(holds, counted)
    if holds.sizes["unit"] > 1:
        return share(_runs(holds), _runs(counted))
    total = int(counted.sum())
    if not total:
        return Share(0.0, 0.0, 1.0)
    found = stats.binomtest(int((holds & counted).sum()), total)
    low, high = found.proportion_ci(method="wilson")
    return Share(found.statistic, float(low), float(high))


def gain_over_chosen(part: xr.Dataset, name: str, level: float = 1 - 0.05 / len(OTHERS)) -> Share:
    """How much more often a predictor hits than the chosen one on the same units: mean over runs, Student's t interval.

    The level leaves 5 % for all comparisons together.
    """
    counted, hit = localized(part), hits(part)
    more = hit.sel(predictor=name).astype(int) - hit.sel(predictor=CHOSEN).astype(int)
    more, counted = _runs(more.where(counted)), _runs(counted)
    values = more.mean("unit", skipna=True).values[counted.any("unit").values] if counted.any() else np.zeros(0)
    if len(values) < 2:
        return Share(float(values.sum()), -1.0, 1.0)
    half = stats.t.ppf((1 + level) / 2, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return Share(float(values.mean()), float(values.mean() - half), float(values.mean() + half))


def _runs(values: xr.DataArray) -> xr.DataArray:
    """All settings' runs along one axis, named `seed`; the units of each along the other."""
    dims = [dim for dim in values.dims if dim != "unit"]
    return xr.DataArray(values.transpose(*dims, "unit").values.reshape(-1, values.sizes["unit"]), dims=("seed", "unit"))
