"""Both orders of two length scales: the positive class has the longer range, or the shorter."""

from typing import Any

import numpy as np

from gatefield.core.grid import Grid
from gatefield.data import NonlinearGP

ORDERS = ("long", "short")
ORDER_NAMES = {"long": "positive class has the longer range", "short": "positive class has the shorter range"}


def length_scales(p: Any) -> np.ndarray:
    """(xi1, xi0) for each order, from parameters with `xi_long` and `xi_short`."""
    return np.array([[p.xi_long, p.xi_short], [p.xi_short, p.xi_long]])


def sources(grid: Grid, p: Any) -> tuple[NonlinearGP, NonlinearGP]:
    """The positive and the negative class of every run of a grid with the axes `order` and `gain`."""
    xi1, xi0 = grid.share(length_scales(p), over="order").T
    return NonlinearGP(p.n, xi1, grid.gain), NonlinearGP(p.n, xi0, grid.gain)
