"""Two classes of squashed fields that differ in their length scale: in one order, or in both."""

from typing import Any

import numpy as np

from gatefield.core.grid import Grid
from gatefield.data import NonlinearGP, Task

ORDERS = ("long", "short")
ORDER_NAMES = {"long": "positive class has the longer range", "short": "positive class has the shorter range"}


def length_scales(p: Any) -> np.ndarray:
    """(xi1, xi0) for each order, from parameters with `xi_long` and `xi_short`."""
    return np.array([[p.xi_long, p.xi_short], [p.xi_short, p.xi_long]])


def sources(grid: Grid, p: Any) -> tuple[NonlinearGP, NonlinearGP]:
    """The positive and the negative class of every run of a grid with the axes `order` and `gain`."""
    xi1, xi0 = grid.share(length_scales(p), over="order").T
    return NonlinearGP(p.n, xi1, grid.gain), NonlinearGP(p.n, xi0, grid.gain)


def squashed_task(p: Any, gain: Any, **settings: Any) -> Task:
    """One order at a gain, or at one for each run, from parameters with `n`, `xi1` and `xi0`; `settings` as for `Task`."""
    return Task(NonlinearGP(p.n, p.xi1, gain), NonlinearGP(p.n, p.xi0, gain), **settings)
