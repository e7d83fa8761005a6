"""Colours and markers for families of things: those with a name keep theirs, those with an order are shades of one colour."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import to_hex

MARKERS = "^vP*X"


def family_styles(names: Sequence[str], known: Mapping[str, tuple[str, str]]) -> dict[str, dict[str, str]]:
    """Colour and marker of each family: as `known`, or for the others a shade of green, the darker the later.

    **Arguments**

    - `names`: the families, in their order.
    - `known`: name -> (colour, marker).

    **Returns** for each name the arguments `color` and `marker` of `axes.plot`.

    >>> family_styles(["random", "slow", "fast"], {"random": ("C6", "o")})["random"]
    {'color': 'C6', 'marker': 'o'}
    """
    graded = [name for name in names if name not in known]
    looks = zip(shades(len(graded), "YlGn", (0.4, 0.88)), (len(graded) // len(MARKERS) + 1) * MARKERS, strict=False)
    styles = {**known, **dict(zip(graded, looks, strict=True))}
    return {name: {"color": styles[name][0], "marker": styles[name][1]} for name in names}


def shades(count: int, colours: str = "viridis", between: tuple[float, float] = (0.0, 0.92)) -> list[str]:
    """Colours for `count` things with an order, evenly spaced along a colour map of matplotlib.

    **Arguments**

    - `count`: how many.
    - `colours`: the name of the map.
    - `between`: the part of the map that is used; its ends are often too pale to be seen on white.

    >>> shades(2)
    ['#440154', '#cae11f']
    """
    return [to_hex(shade) for shade in colormaps[colours](np.linspace(*between, max(2, count)))[:count]]
