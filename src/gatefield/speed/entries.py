"""Cases, one after the other."""

import importlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from gatefield.speed.contest import Contest, Standing, hold
from gatefield.speed.growth import Growth, Ladder, grow
from gatefield.speed.names import chosen


def entries(case: str, quick: bool) -> Iterator[Contest | Ladder]:
    """The contests and ladders of a case, each made when it is its turn: the arrays of all would not fit into memory."""
    yield from importlib.import_module(f"gatefield.speed.cases.{case}").entries(quick)


def bench(
    names: Sequence[str], *, quick: bool, repeats: int, say: Callable[[str], object] = lambda text: None
) -> Iterator[tuple[str, Standing | Growth]]:
    """Hold all contests of some cases.

    **Arguments**

    - `names`: the cases; all of `CASES` if empty.
    - `quick`: whether fewer and smaller sizes do.
    - `repeats`: rounds of each contest.
    - `say`: is told what is measured next.

    **Returns** pairs of case and finding, each as soon as it is there.
    """
    rng = np.random.default_rng()
    for case in chosen(names):
        for entry in entries(case, quick):
            say(f"{case}: {entry.name}")
            yield case, hold(entry, repeats, rng) if isinstance(entry, Contest) else grow(entry, repeats, rng)
