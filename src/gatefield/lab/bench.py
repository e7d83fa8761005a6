"""What experiments work with: trainings that are kept in the store, or in memory only."""

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from gatefield.core.errors import UserError
from gatefield.dynamics import Training, train
from gatefield.lab.store.recorder import ZarrRecorder

Progress = Callable[[str, int, int], None]
"""Called with the part's name, the steps done and the steps in all."""


class Bench(Protocol):
    """What an experiment is given to work with: trainings go through it, so that they are recorded, resumed and shown."""

    def train(self, part: str, net: Any, task: Any, **settings: Any) -> Training:
        """`gatefield.train`, as the named part of the experiment."""
        ...


class MemoryBench:
    """Trains without a store, for use from Python: `experiment.simulate(parameters, MemoryBench())`.

    **Arguments:** `progress`: called between chunks with the part's name, the steps done and the steps in all.
    """

    def __init__(self, progress: Progress | None = None) -> None:
        self._progress = progress

    def train(self, part: str, net: Any, task: Any, **settings: Any) -> Training:
        """`gatefield.train`, its record in memory."""
        return train(net, task, progress=_bound(self._progress, part), **settings)


class StoreBench:
    """Trains into the folder of a run, each part into one of its own."""

    def __init__(self, parts: Path, progress: Progress | None = None) -> None:
        self._parts, self._progress = parts, progress

    def train(self, part: str, net: Any, task: Any, **settings: Any) -> Training:
        """`gatefield.train`, recorded as the named part, from its last commit on if there is one."""
        if not re.fullmatch(r"\w[\w.=+-]*", part):
            raise UserError(f"A part's name must be letters, digits and . = + - _, but is {part!r}; choose such a name.")
        recorder = ZarrRecorder(self._parts / part)
        return train(net, task, progress=_bound(self._progress, part), recorder=recorder, **settings)


def _bound(progress: Progress | None, part: str) -> Callable[[int, int], None] | bool:
    return functools.partial(progress, part) if progress else False
