"""Which colours readers with another colour vision take for one."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb

# Machado, Oliveira and Fernandes (2009), full loss of one kind of cones; rows and columns are linear red, green and blue.
_LOSS = {
    "normal": np.eye(3),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
}
_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
"""From linear sRGB to XYZ."""
_WHITE = _XYZ.sum(1)

ALIKE = 20.0
"""Colours nearer than this in CIELAB are taken for one where thin lines or small marks have them. Neighbouring tints that
anybody tells apart on a map are some 10 apart; the green and the pink of Okabe and Ito, which readers without M cones
confuse, 18."""


def difference(one: Any, other: Any, vision: str = "deuteranopia") -> float:
    """How different two colours look, as a distance in CIELAB, to readers with that colour vision.

    >>> difference("#009E73", "#CC79A7") < ALIKE < difference("#009E73", "#CC79A7", "normal")
    True
    """
    return float(np.linalg.norm(_lab(one, vision) - _lab(other, vision)))


def confused(looks: Sequence[tuple[Any, Any]]) -> list[tuple[int, int]]:
    """Pairs of series that some readers cannot tell apart: colours alike to them, and no other difference.

    **Arguments**

    - `looks`: for each series its colour, and whatever else it looks like (marker, dash), which is compared as it is.

    Shades of one map, three or more whose lightness only rises or only falls, have an order that says which is which.

    >>> confused([("#009E73", "o-"), ("#CC79A7", "o-"), ("#009E73", "s--")])
    [(0, 1)]
    """
    found = []
    for look in dict.fromkeys(other for _, other in looks):
        same = [at for at, (_, other) in enumerate(looks) if other == look]
        lightness = np.diff([_lab(looks[at][0], "normal")[0] for at in same])
        if len(same) > 2 and (np.all(lightness > 1) or np.all(lightness < -1)):
            continue
        found += [(i, j) for i, j in combinations(same, 2) if _alike(looks[i][0], looks[j][0])]
    return found


def _alike(one: Any, other: Any) -> bool:
    return to_rgb(one) != to_rgb(other) and min(difference(one, other, vision) for vision in _LOSS) < ALIKE


def _lab(colour: Any, vision: str) -> np.ndarray:
    srgb = np.array(to_rgb(colour))
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(_LOSS[vision] @ linear, 0, 1)
    ratio = _XYZ @ seen / _WHITE
    x, y, z = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
