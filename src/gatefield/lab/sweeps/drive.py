"""Running a sweep: block after block, beside other processes that do the same."""

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import xarray as xr

from gatefield.core.errors import UserError
from gatefield.core.progress import training_progress
from gatefield.core.text.quoted import quoted
from gatefield.core.tracing.programs import forget_programs
from gatefield.lab.experiment import Experiment
from gatefield.lab.store.disk import as_path
from gatefield.lab.store.store import Store
from gatefield.lab.sweeps.definition.definition import read_definition
from gatefield.lab.sweeps.do_block import BlockOutcome, do_block
from gatefield.lab.sweeps.plan import Plan
from gatefield.lab.sweeps.planner import planned
from gatefield.lab.sweeps.results import open_sweep
from gatefield.lab.sweeps.state import state_of
from gatefield.lab.sweeps.sweep import Find, Measure, Sweep, in_file, made_sweep, of_experiment, read_sweep
from gatefield.lab.sweeps.trainings.work import Recipes

WAIT = 1.0
"""Seconds between looks at blocks that other processes compute."""
PROGRAMS = 16
"""Programs that are kept compiled: each takes some 20 MB."""
Shard = tuple[int, int]
"""The number of a part, from 1 on, and how many parts there are."""


@dataclasses.dataclass(frozen=True)
class Swept:
    """What came of running a sweep: its plan, what is wrong with points of blocks, by block, and remarks for the user."""

    plan: Plan
    errors: Mapping[int, Mapping[int, str]]
    computed: int
    """Points that were computed now."""
    remarks: Sequence[str] = ()


def run_sweep(
    sweep: Sweep, store: Store, *, shard: Shard = (1, 1), progress: Callable[[int, int], object] = lambda done, total: None
) -> Swept:
    """Do all blocks of a sweep, or those of a shard; what other processes do meanwhile is waited for at the end.

    **Arguments**

    - `sweep`: the sweep, as `read_sweep` gives it.
    - `store`: where plan, blocks and entries are kept.
    - `shard`: (i, n) for the i-th of n parts, every n-th block.
    - `progress`: called with the points done and the points in all.

    **Returns** the plan, and what went wrong.
    """
    plan, remark = planned(store, sweep)
    waiting = list(range(plan.own))[shard[0] - 1 :: shard[1]]
    sizes = [len(members) for members in plan.members]
    driver = _Driver(store, sweep, plan, progress, total=sum(sizes[number] for number in waiting))
    try:
        while waiting:
            waiting = [number for number in waiting if driver.does(number) == "busy"]
            if waiting:
                time.sleep(WAIT)
    except KeyboardInterrupt as stop:
        state = state_of(store, plan)
        raise KeyboardInterrupt(f"Stopped; {state.done} of {state.points} points are done.") from stop
    return Swept(plan, driver.errors, driver.computed, (remark,) if remark else ())


class _Driver:
    """Does blocks, and counts points."""

    def __init__(self, store: Store, sweep: Sweep, plan: Plan, progress: Callable[[int, int], object], total: int) -> None:
        self._store, self._sweep, self._plan, self._progress, self._total = store, sweep, plan, progress, total
        self._done, self.computed, self.errors = 0, 0, dict[int, Mapping[int, str]]()
        self._groups = set[int]()
        progress(0, total)

    def does(self, number: int) -> str:
        """Do one block; what became of it."""
        points = len(self._plan.members[number])
        self._make_room(self._plan.group[number])

        def part(name: str, steps: int, total: int) -> None:
            self._progress(self._done + points * steps // max(total, 1), self._total)

        outcome: BlockOutcome = do_block(self._store, self._sweep, number, progress=part, plan=self._plan)
        if outcome.state != "busy":
            self._done += points
            self.computed += points * (outcome.state == "done")
            self._progress(self._done, self._total)
        if outcome.errors:
            self.errors[number] = outcome.errors
        return outcome.state

    def _make_room(self, group: int) -> None:
        """Give back programs when many were compiled: a sweep over shapes would fill memory with them."""
        self._groups.add(group)
        if len(self._groups) > PROGRAMS:
            forget_programs()
            self._groups = {group}


def sweep(
    what: str | Path | Sweep | Experiment | Mapping[str, Any] | Callable[..., Any],
    axes: Mapping[str, Any] | None = None,
    *,
    store: str | Path | Store = "gatefield-store",
    name: str | None = None,
    keep: Sequence[str] = (),
    measures: Sequence[str] | Mapping[str, Measure] | None = None,
    preset: str = "quick",
    set: Mapping[str, Any] | None = None,
    find: Find = in_file,
    shard: Shard = (1, 1),
    cluster: str | None = None,
    progress: bool | Callable[[int, int], None] | None = None,
    **more_axes: Any,
) -> xr.Dataset:
    """Sweep an experiment or a training over axes, into a store: what is finished there is not computed again.

    Points that can share one compiled program are trained together, in blocks that are sized to the device. A kill costs no
    more than what was not yet committed; the same call goes on.

    **Arguments**

    - `what`: an `Experiment`; a *recipe*, which is a function of a point's parameters that gives the network, the task and the
      settings of `gatefield.train`, `key` among them; a table as `[training]` in TOML; or the path of a TOML file, or a sweep
      from `read_sweep`, which say all of the following themselves.
    - `axes`, and further keywords: parameter -> values, a count, or a table, as under `[axes]` in TOML; axes multiply.

    Then, as needed:

    - `store`: the store, or its folder.
    - `name`: what the sweep is called; by default as the experiment or the function.
    - `keep`: "history" (the loss at the recorded steps), "fields" (the trained fields).
    - `measures`: names of `gatefield.measures` to take of trained fields, by default `ipr`; or name -> function.
    - `preset`, `set`: for an experiment, as for `gatefield run`; `set` gives a recipe parameters that are not swept.

    Rarely:

    - `find`: from the name of an experiment in a TOML file to experiments.
    - `shard`: (i, n) does the i-th of n parts only.
    - `cluster`: "local:N", the address of a scheduler, or "slurm": workers do the blocks, and write to the store themselves.
    - `progress`: as for `train`; here it counts points.

    **Returns** a dataset over the axes, read from the store when it is used: `loss`, `ipr`, `status` (0 ok, 1 diverged, 2
    failed), `seconds`, and what was kept; or what the records of an experiment have in common. NaN where a point is not there.

    >>> import jax, tempfile
    >>> from gatefield import Committee, Task
    >>> from gatefield.data import NonlinearGP
    >>> def neuron(gain, seed):
    ...     task = Task(NonlinearGP(8, 2.0, gain), NonlinearGP(8, 1.0, gain))
    ...     start, run = jax.random.split(jax.random.key(seed))
    ...     return Committee(8, 1, key=start), task, {"steps": 10, "batch_size": 20, "learning_rate": 0.05, "key": run}
    >>> found = sweep(neuron, gain=[1.0, 3.0], seed=2, store=tempfile.mkdtemp())
    >>> dict(found.ipr.sizes), bool(found.loss.notnull().all())
    ({'gain': 2, 'seed': 2, 'unit': 1}, True)
    """
    store = store if isinstance(store, Store) else Store(as_path("store", store))
    given = {**(axes or {}), **more_axes}
    if isinstance(what, str | Path | Sweep):
        if given or name or keep or measures:
            raise UserError(
                "A TOML file says itself what is swept, over which axes and what is kept: leave the other arguments out."
            )
        made = what if isinstance(what, Sweep) else read_sweep(what, find)
    else:
        own = dict(measures) if isinstance(measures, Mapping) else {}
        named = None if measures is None or own else measures
        table = _table(what, given, name, keep, named, preset, dict(set or {}))
        made = _made(what, table, own, dict(set or {}))
    with training_progress(progress, name=made.definition.name, unit="points") as report:
        _run(made, store, cluster, find, shard=_checked(shard), progress=report)
    return open_sweep(made, store)


def _run(sweep: Sweep, store: Store, cluster: str | None, find: Find, **more: Any) -> Swept:
    """Here, or by a cluster."""
    if cluster is None:
        return run_sweep(sweep, store, **more)
    from gatefield.lab.sweeps.cluster.drive import run_on_cluster  # which needs this module

    return run_on_cluster(sweep, store, cluster, find=find, **more)


def _table(
    what: Any,
    axes: Mapping[str, Any],
    name: str | None,
    keep: Sequence[str],
    measures: Any,
    preset: str,
    set: Mapping[str, Any],
) -> dict[str, Any]:
    """The table of a definition, without what the kind of sweep does not have."""
    word = what.name if isinstance(what, Experiment) else getattr(what, "__name__", "training").strip("<>")
    table: dict[str, Any] = {"name": name or word.replace("_", "-").strip("-").lower(), "axes": dict(axes)}
    others = {"keep": list(keep), "measures": None if measures is None else list(measures)}
    if isinstance(what, Experiment):
        others |= {"preset": preset, "set": dict(set), "experiment": what.name}
    elif isinstance(what, Mapping):
        others |= {"training": dict(what)}
    elif not callable(what):
        raise UserError(
            f"What is swept must be an experiment, a function, a table or the path of a TOML file, but is {quoted(what)}."
        )
    else:
        others |= {"training": {}}
    return table | {key: value for key, value in others.items() if value is not None}


def _made(what: Any, table: Mapping[str, Any], own: Mapping[str, Measure], set: Mapping[str, Any]) -> Sweep:
    definition = read_definition(table)
    if isinstance(what, Experiment):
        return of_experiment(definition, what)
    if isinstance(what, Mapping):
        return made_sweep(definition, own=own)
    return Sweep(definition, Recipes(what, set), own)


def _checked(shard: Any) -> Shard:
    """A shard (i, n) with 1 <= i <= n."""
    match shard:
        case (int(i), int(n)) if 1 <= i <= n:
            return i, n
    raise UserError(f"A shard is i of n with i from 1 to n, such as (1, 4), but is {quoted(shard)}.")
