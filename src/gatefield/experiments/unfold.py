"""The run axis of a record, taken apart into the axes it was made of."""

from collections.abc import Mapping, Sequence
from typing import Any

import xarray as xr


def unfold(record: xr.Dataset, axes: Mapping[str, Sequence[Any]]) -> xr.Dataset:
    """The record with its run axis replaced by `axes` (name -> values), the last of which runs fastest.

    The keys of single runs, which one can recompute from the experiment's seed, are left out.

    >>> import numpy as np
    >>> record = xr.Dataset({"loss": (("run", "step"), np.arange(12.0).reshape(6, 2))})
    >>> unfold(record, {"gain": [1.0, 3.0], "seed": [0, 1, 2]}).loss.sel(gain=3.0, seed=1).values
    array([8., 9.])
    """
    sizes = [len(values) for values in axes.values()]
    data = {
        name: ((*axes, *value.dims[1:]), value.values.reshape(*sizes, *value.shape[1:]), value.attrs)
        for name, value in record.data_vars.items()
    }
    kept = {name: value for name, value in record.coords.items() if "run" not in value.dims}
    return xr.Dataset(data, {**kept, **{name: list(values) for name, values in axes.items()}}, record.attrs)
