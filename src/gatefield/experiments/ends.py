"""Where long trainings end, without the noise of the batches as far as fields stay in place."""

from typing import NamedTuple

import xarray as xr

from gatefield.measures import cosine

LAST = 0.25
"""Ends are means over this last part of the records, unless the field moves meanwhile."""
STAYS = 0.99
"""From which cosine on, between the two halves of that part, a field has stayed where it was."""


class Ends(NamedTuple):
    """Where each run ends, how noisy its single records are, and how many of them the end is the mean of."""

    fields: xr.DataArray
    noise: xr.DataArray
    """The square of what batches add to a field, over that of the end."""
    records: xr.DataArray


def settled(fields: xr.DataArray) -> Ends:
    """The mean of fields that stay in place over the last quarter of `step`; of others the last one.

    >>> ends = settled(xr.DataArray([[5.0, 0.0]] * 6 + [[1.0, 0.05], [1.0, -0.05]], dims=("step", "position")))
    >>> ends.fields.values.tolist(), round(float(ends.noise), 6), int(ends.records)
    ([1.0, 0.0], 0.005, 2)
    """
    late = fields.isel(step=slice(-max(2, round(LAST * fields.sizes["step"])), None)).astype(float)
    half = late.sizes["step"] // 2
    early, later = (late.isel(step=part).mean("step") for part in (slice(half), slice(half, None)))
    stays = early.isel(position=0, drop=True).copy(data=cosine(early.values, later.values) >= STAYS)
    end = xr.where(stays, late.mean("step"), late.isel(step=-1, drop=True)).transpose(*early.dims)
    noise = late.var("step", ddof=1).sum("position") / (end**2).sum("position")
    return Ends(end, noise, xr.where(stays, late.sizes["step"], 1))


def spread_by(noise: xr.DataArray, ipr: xr.DataArray) -> xr.DataArray:
    """By how much noise over all sites lowers an IPR, to first order: twice its part of the square of the field.

    >>> float(spread_by(xr.DataArray(0.01), xr.DataArray(0.5)))
    0.01
    """
    return 2 * noise * ipr
