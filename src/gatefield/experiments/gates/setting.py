"""What figures of gates say of their setting."""

import xarray as xr


def seeds(count: int) -> str:
    """How many seeds there are.

    >>> seeds(1), seeds(4)
    ('1 seed', '4 seeds')
    """
    return f"{count} seed{'s' * (count != 1)}"


def scales(record: xr.Dataset) -> str:
    """The length scales of both classes, if the record has them.

    >>> scales(xr.Dataset(attrs={"xi1": 2.0, "xi0": 1.0}))
    'length scales 2 and 1'
    """
    known = {"xi1", "xi0"} <= record.attrs.keys()
    return f"length scales {record.attrs['xi1']:g} and {record.attrs['xi0']:g}" if known else ""
