"""One block as a piece of work that any process may do, as often as it likes."""

import dataclasses
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

from gatefield.core.errors import Diverged, StoreError, UserError
from gatefield.core.text.quoted import quoted
from gatefield.lab.bench import Progress
from gatefield.lab.experiment import Experiment
from gatefield.lab.runner import run
from gatefield.lab.store.disk import Damaged
from gatefield.lab.store.lock import Busy
from gatefield.lab.store.store import Entry, Store
from gatefield.lab.sweeps.blocks import block_entry, block_of, run_block
from gatefield.lab.sweeps.definition.definition import read_definition
from gatefield.lab.sweeps.failures import failure_of, has_failed, note_failure
from gatefield.lab.sweeps.plan import Plan, read_plan
from gatefield.lab.sweeps.planner import planned
from gatefield.lab.sweeps.sweep import Find, Sweep, in_file, made_sweep
from gatefield.lab.sweeps.trainings.work import Trained

State = Literal["done", "found", "busy", "failed"]


@dataclasses.dataclass(frozen=True)
class BlockOutcome:
    """What became of a block: `done` now, `found` done, `busy` in another process, or `failed`, some of its points or all.

    `errors` says what is wrong with points, by their rows.
    """

    number: int
    state: State
    points: int
    seconds: float
    errors: Mapping[int, str] = dataclasses.field(default_factory=dict)


def do_block(
    store: Store | str | Path,
    sweep: Sweep | str,
    number: int,
    *,
    find: Find = in_file,
    progress: Progress | None = None,
    plan: Plan | None = None,
) -> BlockOutcome:
    """Do one block of a sweep: nothing if it is done, or while another process does it; else compute it, from its last commit.

    It may be called anywhere, any number of times, by any number of processes: the store keeps what was done. A failure of the
    store itself (a full disk) is raised; whatever goes wrong with points is kept, given back, and tried again by the next call.
    A block of trainings of which something was damaged before it was finished moves aside and is computed from its beginning.

    **Arguments**

    - `store`: the store, or its folder.
    - `sweep`: the sweep, or the name NAME-ID of one that is planned in the store and described by a TOML file.
    - `number`: which of its blocks, from 0 on.
    - `find`: from the name of an experiment to the experiment, for a sweep that is given by its name.
    - `progress`: called between chunks with the name of a part, the steps done and the steps in all.
    - `plan`: the plan of the sweep, if it is at hand.

    **Returns** what became of it.
    """
    store = store if isinstance(store, Store) else Store(store)
    sweep = stored_sweep(store, sweep, find) if isinstance(sweep, str) else sweep
    plan = plan or planned(store, sweep)[0]
    start, members = time.monotonic(), plan.members[number]
    try:
        state, errors = _done(store, sweep, plan, number, members, progress)
    except Busy:
        state, errors = "busy", {}
    return BlockOutcome(number, state, len(members), time.monotonic() - start, errors)


def stored_sweep(store: Store, name: str, find: Find = in_file) -> Sweep:
    """A sweep that is planned in a store, from its definition there."""
    plan = read_plan(store, name)
    if plan is None:
        raise UserError(f"There is no sweep {quoted(name)} in the store '{store.root}': run `gatefield sweep FILE.toml` first.")
    if "recipe" in plan.swept:
        raise UserError(f"The sweep {quoted(name)} is of a function, which the store does not have: pass the sweep itself.")
    sweep = made_sweep(read_definition(plan.table(), f"The sweep {name}"), find)
    if sweep.name != name:
        raise UserError(
            f"The sweep {quoted(name)} cannot be made again from the store, which has no functions, such as measures of your "
            f"own, and knows experiments as they were: pass the sweep itself."
        )
    return sweep


def _done(
    store: Store, sweep: Sweep, plan: Plan, number: int, members: np.ndarray, progress: Progress | None
) -> tuple[State, dict[int, str]]:
    id, trained = plan.blocks[number], isinstance(sweep.work, Trained)
    entry = block_entry(store, id) if trained else entry_of(store, sweep, id)
    if entry.status == "finished" and not entry.is_blocked() and not has_failed(store, id):
        return "found", {}
    try:
        if trained:
            errors = _block(store, sweep, plan, number, members, progress)
        else:
            _entry(store, sweep, int(members[0]), progress)
            errors = {}
    except StoreError as error:
        if not isinstance(error, Damaged):
            raise
        errors = dict.fromkeys(range(len(members)), str(error))
    except Exception as error:  # one block must not stop the others
        errors = dict.fromkeys(range(len(members)), reason(error))
    note_failure(store, id, errors)
    return ("failed" if errors else "done"), errors


def reason(error: Exception) -> str:
    """What an error says, in one sentence."""
    return str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {quoted(str(error))[1:-1]}"


def _block(
    store: Store, sweep: Sweep, plan: Plan, number: int, members: np.ndarray, progress: Progress | None
) -> dict[int, str]:
    """Compute a block of trainings; what is wrong with some of its points, if so."""
    block, id = block_of(sweep, members, plan.runs[number]), plan.blocks[number]
    again = block_entry(store, id).status == "finished" and _can_be_made_now(store, sweep, id, block.columns)
    if block_entry(store, id).status == "finished" and not again:
        known = failure_of(store, id)
        return {} if known is None else dict(known.errors)
    try:
        outcome = run_block(store, sweep, block, progress, fresh=again)
    except Damaged:  # what was committed of it moves aside, and it is computed from its beginning
        outcome = run_block(store, sweep, block, progress, fresh=True)
    if outcome.entry.id != id:
        raise StoreError(
            f"Block {number} of {plan.name} is not the one that was planned: plan the sweep anew, by another name."
        )
    texts = outcome.record["error"].values.tolist()
    return {row: text for row, text in enumerate(texts) if text}


def _can_be_made_now(store: Store, sweep: Sweep, id: str, columns: Mapping[str, list[Any]]) -> bool:
    """Whether some point that could not be made when its block was computed can be made now."""
    failure = failure_of(store, id)
    rows = sorted(failure.errors) if failure else []
    assert isinstance(sweep.work, Trained)
    if not rows:
        return False
    pieces = sweep.work.pieces({name: [column[row] for row in rows] for name, column in columns.items()})
    return len(pieces.errors) < len(rows)


def entry_of(store: Store, sweep: Sweep, id: str) -> Entry:
    """The entry of a point of an experiment."""
    assert isinstance(sweep.work, Experiment)
    return Entry(store.root / sweep.work.name / id, id, sweep.work.name, {})


def _entry(store: Store, sweep: Sweep, number: int, progress: Progress | None) -> None:
    assert isinstance(sweep.work, Experiment)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Diverged)  # its record says so
        run(sweep.work, sweep.parameters(number), store, progress=progress)
