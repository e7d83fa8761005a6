"""Two classes of squashed fields that differ in their length scale: in one order, in both, or pair after pair."""

from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from gatefield.core.grid import Grid
from gatefield.data import NonlinearGP, Task
from gatefield.lab.kinds import LengthScale

Pairs = Annotated[tuple[tuple[LengthScale, LengthScale], ...], Field(min_length=1)]
"""Length scales (positive class, negative class), pair after pair."""
ORDERS = ("long", "short")
ORDER_NAMES = {"long": "positive class has the longer range", "short": "positive class has the shorter range"}


def length_scales(p: Any) -> np.ndarray:
    """(xi1, xi0) for each order, from parameters with `xi_long` and `xi_short`."""
    return np.array([[p.xi_long, p.xi_short], [p.xi_short, p.xi_long]])


def scales_text(attrs: Any, first: str = "xi1", second: str = "xi0") -> str:
    """The length scales that a record names, for the setting of its figure; empty if it is an older one, which names none.

    >>> scales_text({"xi1": 2.0, "xi0": 1.0})
    'length scales 2 and 1'
    """
    return f"length scales {attrs[first]:g} and {attrs[second]:g}" if {first, second} <= attrs.keys() else ""


def pair_names(pairs: Any) -> list[str]:
    """What the coordinate of pairs says.

    >>> pair_names([(2.0, 1.0), (0.5, 3.0)])
    ['2, 1', '0.5, 3']
    """
    return [f"{xi1:g}, {xi0:g}" for xi1, xi0 in pairs]


def sources(grid: Grid, p: Any, **settings: Any) -> tuple[NonlinearGP, NonlinearGP]:
    """Positive and negative class of every run of a grid with the axes `order` and `gain`; `settings` as for a source."""
    xi1, xi0 = grid.share(length_scales(p), over="order").T
    return NonlinearGP(p.n, xi1, grid.gain, **settings), NonlinearGP(p.n, xi0, grid.gain, **settings)


def squashed_task(p: Any, gain: Any, **settings: Any) -> Task:
    """One order at a gain, or at one for each run, from parameters with `n`, `xi1` and `xi0`; `settings` as for `Task`."""
    return Task(NonlinearGP(p.n, p.xi1, gain), NonlinearGP(p.n, p.xi0, gain), **settings)


def listed(pairs: Iterable[str]) -> str:
    """Pairs of length scales in a sentence, the positive class first.

    >>> listed(["2, 1"]), listed(["2, 1", "4, 2"]), listed(["2, 1", "3, 1", "4, 2"])
    ('(2, 1)', '(2, 1) and (4, 2)', '(2, 1), (3, 1) and (4, 2)')
    """
    *before, last = (f"({pair})" for pair in pairs)
    return " and ".join(filter(None, [", ".join(before), last]))
