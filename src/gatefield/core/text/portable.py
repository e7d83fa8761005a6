"""Records in other formats than gatefield's own."""

import xarray as xr


def portable(record: xr.Dataset) -> xr.Dataset:
    """The same record, which says how its unsigned numbers, such as keys, are written to netCDF: its plain form has none.

    >>> import numpy as np
    >>> record = portable(xr.Dataset({"key": ("word", np.array([7, 2**32 - 1], np.uint32))}))
    >>> xr.load_dataset(record.to_netcdf()).key.values
    array([         7, 4294967295], dtype=uint32)
    """
    for variable in record.variables.values():
        if variable.dtype.kind == "u":
            variable.attrs["_Unsigned"] = "true"
            variable.encoding["dtype"] = f"int{8 * variable.dtype.itemsize}"
    return record
