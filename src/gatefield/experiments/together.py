"""Many tasks, trained as the runs of one: laws of few points by their support, others by their Gaussian clones."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from gatefield.data import Finite, GaussianClone, Source, Task


def cloned(tasks: Sequence[Task], repeats: int) -> Task:
    """A task whose runs are the Gaussian clones of these tasks, each of one run, `repeats` times in a row.

    >>> from gatefield.data import Hypercube
    >>> cube, wide = Hypercube(6, xi=1.0), Hypercube(6, xi=2.0)
    >>> cloned([Task(cube, wide), Task(wide, cube)], repeats=3).positive.covariance().shape
    (6, 6, 6)
    """
    return _together(tasks, repeats, lambda sources: [GaussianClone(source) for source in sources])


def listed(tasks: Sequence[Task], repeats: int) -> Task:
    """A task whose runs are these tasks, each of one run, `repeats` times in a row; their sources are laws of few points.

    >>> from gatefield.data import SinglePulse
    >>> narrow, wide = SinglePulse(6, (1, 2)), SinglePulse(6, (3, 3))
    >>> listed([Task(narrow, wide), Task(wide, narrow)], repeats=3).positive.points.shape
    (6, 12, 6)
    """
    return _together(tasks, repeats, _lists)


def _together(tasks: Sequence[Task], repeats: int, made: Callable[[Sequence[Source]], Sequence[Any]]) -> Task:
    """Both classes as sources with a run axis."""
    classes = [made([getattr(task, side) for task in tasks]) for side in ("positive", "negative")]
    return Task(*(jax.tree.map(lambda *each: np.repeat(np.stack(each), repeats, axis=0), *sources) for sources in classes))


def _lists(sources: Sequence[Source]) -> list[Finite]:
    """The points of each source, filled up with points that never come to as many as the longest has."""
    supports = [source.support() for source in sources]
    most = max(len(support.points) for support in supports if support is not None)
    return [Finite(*(_filled(part, most) for part in support)) for support in supports if support is not None]


def _filled(values: Any, most: int) -> np.ndarray:
    values = np.asarray(values, float)
    return np.concatenate([values, np.zeros((most - len(values), *values.shape[1:]))])
