"""Where fields begin to localize: lines through the map, and whether two maps agree up to one step of their grid."""

import math
from itertools import product

import numpy as np
import xarray as xr

from gatefield.measures import LOCALIZED


def localized(ipr: xr.DataArray) -> xr.DataArray:
    """Whether the median over seeds is that of a localized field."""
    return ipr.median("seed") >= LOCALIZED


def disagree(one: xr.DataArray, other: xr.DataArray) -> xr.DataArray:
    """Where the answer of `one` is not that of `other`, there or one step of the grid away, along gain or ratio.

    >>> there = xr.DataArray([[True, False, False, False]], dims=("gain", "ratio"))
    >>> disagree(there, xr.DataArray([[False, False, True, False]], dims=("gain", "ratio"))).values.tolist()
    [[True, False, False, False]]
    """
    answer, near = one.astype(float), other.transpose(*one.dims).astype(float)
    out = answer != near
    for dim, k in product(("gain", "ratio"), (-1, 1)):
        out &= answer != near.shift({dim: k})  # beyond the edge of the map is NaN, which is no answer
    return out


def from_gain(values: xr.DataArray, level: float, gains: np.ndarray) -> float:
    """The finite gain from which on values (gain,) stay at or above a level, on a line in the logarithm of the gain.

    It is the lowest gain if all are, and the largest if that one is not. Infinity is left out.

    >>> values = xr.DataArray([0.0, 0.2, 0.1, 0.3, 0.5], dims="gain")
    >>> round(from_gain(values, 0.15, np.array([0.5, 1.0, 2.0, 4.0, np.inf])), 3)
    2.378
    """
    finite = np.isfinite(gains)
    value, log = np.asarray(values, float)[finite], np.log(gains[finite])
    below = np.flatnonzero(value < level)
    if not len(below) or below[-1] == len(value) - 1:
        return float(gains[finite][-1 if len(below) else 0])
    i = below[-1]
    part = (level - value[i]) / (value[i + 1] - value[i])
    return float(np.exp(log[i] + part * (log[i + 1] - log[i])))


def until(values: np.ndarray, ratios: np.ndarray) -> float:
    """Up to which ratio values are positive, on a line in its logarithm; infinite if all are, the first one if none is.

    >>> round(until(np.array([1.0, 0.5, -0.5]), np.array([1.0, 2.0, 4.0])), 3)
    2.828
    """
    below = np.flatnonzero(values <= 0)
    if not len(below):
        return math.inf
    i = below[0]
    part = values[i - 1] / (values[i - 1] - values[i]) if i else 0.0
    log = np.log(ratios)
    return float(np.exp(log[i - 1] + part * (log[i] - log[i - 1]))) if i else float(ratios[0])


def inside(gain: float, gains: np.ndarray) -> bool:
    """Whether a line is between the lowest and the largest finite gain, and not one of them."""
    finite = gains[np.isfinite(gains)]
    return bool(finite[0] < gain < finite[-1])


def step(values: np.ndarray) -> float:
    """The largest factor between neighbours on an axis, infinity left out; at least two have to be finite.

    >>> step(np.array([1.0, 2.0, 6.0, np.inf]))
    3.0
    """
    finite = values[np.isfinite(values)]
    return float((finite[1:] / finite[:-1]).max()) if len(finite) > 1 else np.inf


def falls(ipr: xr.DataArray) -> xr.DataArray:
    """How the median IPR falls with the size n of the ring, as n to the power of minus this: 0 localized, 1 spread.

    >>> sizes = xr.DataArray([[0.4], [0.2]], {"size": [20, 40]}, dims=("size", "seed"))
    >>> round(float(falls(sizes)), 6)
    1.0
    """
    log = np.log(ipr.median("seed"))
    x = np.log(ipr["size"]) - np.log(ipr["size"]).mean()
    return -((log * x).sum("size") / (x**2).sum()).drop_vars("size", errors="ignore")
