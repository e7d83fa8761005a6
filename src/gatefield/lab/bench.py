"""What experiments work with: trainings that are kept in the store, or in memory only."""

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import xarray as xr

from gatefield.core.errors import UserError
from gatefield.lab.store.recorder import ZarrRecorder

Progress = Callable[[str, int, int], None]
"""Called with the part's name, the steps done and the steps in all."""


class MemoryBench:
    """Trains without a store, for use from Python: `experiment.simulate(parameters, MemoryBench())`.

    **Arguments:** `progress`: called between chunks with the part's name, the steps done and the steps in all.
    """

    def __init__(self, progress: Progress | None = None) -> None:
        self._progress = progress

    def train(self, part: str, net: Any, task: Any, **settings: Any) -> xr.Dataset:
        """`gatefield.train`, its record in memory."""
        return _train(net, task, progress=_bound(self._progress, part), **settings)


class StoreBench:
    """Trains into the folder of a run, each part into one of its own."""

    def __init__(self, parts: Path, progress: Progress | None = None) -> None:
        self._parts, self._progress = parts, progress

    def train(self, part: str, net: Any, task: Any, **settings: Any) -> xr.Dataset:
        """`gatefield.train`, recorded as the named part, from its last commit on if there is one."""
        if not re.fullmatch(r"\w[\w.=+-]*", part):
            raise UserError(f"A part's name must be letters, digits and . = + - _, but is {part!r}; choose such a name.")
        recorder = ZarrRecorder(self._parts / part)
        return _train(net, task, progress=_bound(self._progress, part), recorder=recorder, **settings)


def _bound(progress: Progress | None, part: str) -> Callable[[int, int], None] | None:
    return functools.partial(progress, part) if progress else None


def _train(net: Any, task: Any, **settings: Any) -> xr.Dataset:
    from gatefield.dynamics import train

    return train(net, task, **settings)
