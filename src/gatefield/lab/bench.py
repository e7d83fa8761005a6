"""What experiments work with: trainings, and what else takes long, kept in the store or in memory only."""

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import xarray as xr

from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.dynamics import Training, train
from gatefield.lab.store.recorder import ZarrRecorder
from gatefield.lab.store.records import kept_part
from gatefield.lab.store.rescue import Finished

Progress = Callable[[str, int, int], None]
"""Called with the part's name, the steps done and the steps in all."""


@runtime_checkable
class Bench(Protocol):
    """What an experiment is given to work with: trainings go through it, so that they are recorded, resumed and shown.

    `bench.train(part, net, task, ...)` is `gatefield.train(net, task, ...)`, and gives network and record; `bench.keep(part,
    compute)` gives the dataset that `compute()` gives, and keeps it. Each part of an experiment has a name of its own, of
    letters, digits and `. = + - _`, under which it is found again.

    >>> import jax
    >>> from gatefield import Committee, Task
    >>> from gatefield.data import Gaussian
    >>> from gatefield.lab import Bench, MemoryBench
    >>> def simulate(parameters, bench: Bench):
    ...     task, net = Task(Gaussian(8, 2.0), Gaussian(8, 1.0)), Committee(8, 1, key=jax.random.key(0))
    ...     settings = {"steps": 4, "batch_size": 5, "learning_rate": 0.1, "key": jax.random.key(1)}
    ...     net, record = bench.train("sgd", net, task, **settings)
    ...     return record[["fields"]].merge(bench.keep("mean", lambda: record[["loss"]].mean()))
    >>> sorted(simulate(None, MemoryBench()).data_vars)
    ['fields', 'loss']
    """

    def train(self, part: str, net: Any, task: Any, **settings: Any) -> Training:
        """`gatefield.train(net, task, **settings)`, as the part of that name; each part of an experiment has its own."""
        ...

    def keep(self, part: str, compute: Callable[[], xr.Dataset]) -> xr.Dataset:
        """What `compute()` gives, as the part of that name: computed once, and read back after an interruption.

        For what takes long, and for what a training starts from: on a GPU the same computation in another process may
        differ in its last bits, and a training goes on only from what it began with.
        """
        ...


class MemoryBench:
    """Trains without a store, for use from Python: `experiment.simulate(parameters, MemoryBench())`.

    **Arguments**

    - `progress`: called between chunks with the part's name, the steps done and the steps in all.

    >>> from gatefield import experiments
    >>> study = experiments.get("gaussian-neuron")
    >>> parameters = study.Parameters(n=12, batch_size=20, steps=20, seeds=2)
    >>> study.simulate(parameters, MemoryBench()).sizes["position"]
    12
    """

    def __init__(self, progress: Progress | None = None) -> None:
        self._progress, self._done = progress, set[str]()

    def train(self, part: str, net: Any, task: Any, **settings: Any) -> Training:
        """`gatefield.train`, its record in memory."""
        _check_part(part, self._done)
        return train(net, task, progress=_bound(self._progress, part), **settings)

    def keep(self, part: str, compute: Callable[[], xr.Dataset]) -> xr.Dataset:
        """What `compute()` gives."""
        _check_part(part, self._done)
        return _computed(part, compute)


class StoreBench:
    """Trains into the folder of a run, each part into one of its own."""

    def __init__(self, parts: Path, progress: Progress | None = None, guard: Callable[[], None] = lambda: None) -> None:
        self._parts, self._progress, self._guard, self._done = parts, progress, guard, set[str]()
        self.diverged: dict[str, None] = {}
        """Sentences of trainings in which runs diverged, each once."""
        self.finite = 0
        """How many runs did not."""
        self.finished = Finished()

    def train(self, part: str, net: Any, task: Any, **settings: Any) -> Training:
        """`gatefield.train`, recorded as the named part, from its last commit on if there is one."""
        _check_part(part, self._done)
        self._guard()
        recorder = ZarrRecorder(self._parts / part, self._guard)
        trained = train(net, task, progress=_bound(self._progress, part), recorder=recorder, **settings)
        self.finished.hold(self._parts / part)
        self.diverged |= dict.fromkeys(filter(None, [trained.record.attrs.get("diverged")]))
        if "status" in trained.record:
            self.finite += int((trained.record.status.max("step") == 0).sum())
        return trained

    def keep(self, part: str, compute: Callable[[], xr.Dataset]) -> xr.Dataset:
        """What `compute()` gives, or gave before an interruption."""
        _check_part(part, self._done)
        self._guard()
        kept = kept_part(self._parts / part, lambda: _computed(part, compute), self._guard)
        self.finished.hold(self._parts / part)
        return kept


def _computed(part: str, compute: Callable[[], xr.Dataset]) -> xr.Dataset:
    found = compute()
    if not isinstance(found, xr.Dataset):
        raise UserError(f"What bench.keep({part!r}, ...) computes must be an xarray.Dataset, but is {quoted(found)}.")
    return found


def _check_part(part: str, done: set[str]) -> None:
    """See that a part can be the name of a folder, and is no other part's."""
    if not isinstance(part, str) or not re.fullmatch(r"\w[\w.=+-]*", part):
        raise UserError(
            f"A part's name must be letters, digits and . = + - _, but is {quoted(part)}; "
            f"write for instance bench.train('sgd', ...)."
        )
    if part in done:
        raise UserError(f"The part {quoted(part)} is there twice in one simulation: give each part a name of its own.")
    done.add(part)


def _bound(progress: Progress | None, part: str) -> Callable[[int, int], None] | bool:
    return functools.partial(progress, part) if progress else False
