"""How the families of fields on the cube look in figures: the same everywhere."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib import colormaps
from matplotlib.colors import to_hex

from gatefield.experiments.cube import fields as cube

MARKS = "^vP*X"


def styles(record: xr.Dataset) -> dict[str, dict[str, Any]]:
    """Colour and marker of each family; geometric fields in shades of green, the darker the slower they fall."""
    out = cube.styles(record)
    geometric = [name for name in out if name.startswith("geometric")]
    shades = colormaps["YlGn"](np.linspace(0.4, 0.88, max(2, len(geometric))))
    for i, (name, shade) in enumerate(zip(geometric, shades, strict=False)):
        out[name] = {"color": to_hex(shade), "marker": MARKS[i % len(MARKS)]}
    return out
