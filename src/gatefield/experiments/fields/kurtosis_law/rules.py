"""Four rules that say beforehand whether a field localizes, and how well they do."""

import numpy as np
import xarray as xr
from scipy.stats import rankdata

from gatefield.measures import localized_ipr

GAUSSIAN = 2 / np.pi
"""The sharpness of a Gaussian."""
DIP = 0.01
"""By which part the score may fall on the way from the wave to one site: less is the noise of samples and of minibatches."""


def margins(record: xr.Dataset) -> xr.Dataset:
    """How far each rule is on the side of localization, for each law and order: positive if it says so."""
    like = xr.zeros_like(record.site_score)
    return xr.Dataset(
        {
            "kurtosis": like - record.kurtosis,
            "sharpness": like + record.sharpness - GAUSSIAN,
            "depth": np.log(record.site_score / record.wave_score),
            "path": np.log(path_ipr(record) / edge(record)),
        }
    )


def path_ipr(record: xr.Dataset) -> xr.DataArray:
    """The IPR at the end of the way up: from the best wave through ever narrower packets, up to where the score falls.

    The best of the packets that are reached before the score falls by `DIP` below the best so far.
    """
    values, sizes = (
        np.concatenate([record[f"wave_{name}"].values[..., None], record[f"packet_{name}"].transpose(..., "width").values], -1)
        for name in ("score", "ipr")
    )
    best = np.maximum.accumulate(values, axis=-1)
    reached = np.logical_and.accumulate(values >= best * (1 - DIP), axis=-1)
    top = np.argmax(np.where(reached, values, -np.inf), axis=-1)
    return record.wave_ipr.copy(data=np.take_along_axis(sizes, top[..., None], axis=-1)[..., 0])


def edge(record: xr.Dataset) -> float:
    """The IPR above which a field counts as localized."""
    return localized_ipr(record.sizes["position"])


def localized(record: xr.Dataset) -> xr.DataArray:
    """Whether the median neuron of each law and order did."""
    return final(record).median("seed") > edge(record)


def final(record: xr.Dataset) -> xr.DataArray:
    """The IPR at the end of training."""
    return record.ipr.isel(step=-1, unit=0)


def share_right(margin: xr.DataArray, found: xr.DataArray) -> float:
    """In which share of cases the rule gives the answer that was found."""
    return float(((margin > 0) == found).mean())


def ranking(margin: xr.DataArray, found: xr.DataArray) -> float:
    """The chance that a case that localizes has a larger margin than one that does not, ties counted half; NaN without both.

    >>> ranking(xr.DataArray([1.0, 2.0, 3.0]), xr.DataArray([False, True, True]))
    1.0
    """
    yes = found.values.ravel()
    ranks, count = rankdata(margin.transpose(*found.dims).values.ravel()), yes.sum()
    if count in (0, yes.size):
        return float("nan")
    return float((ranks[yes].sum() - count * (count + 1) / 2) / (count * (yes.size - count)))


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Of two lists of numbers; 0 if one of them is always the same, as nothing follows it.

    >>> round(correlation(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 4.0])), 6), correlation(np.ones(2), np.arange(2.0))
    (1.0, 0.0)
    """
    return float(np.corrcoef(a, b)[0, 1]) if np.ptp(a) and np.ptp(b) else 0.0
