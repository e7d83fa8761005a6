"""How far a sweep is: counted from the store, whoever computes it."""

import contextlib
import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from gatefield.core.errors import StoreError
from gatefield.lab.store.lock import is_locked
from gatefield.lab.store.records import open_variables
from gatefield.lab.store.store import Store
from gatefield.lab.sweeps.failures import failed_blocks, failure_of, first_of_each_kind
from gatefield.lab.sweeps.plan import Plan
from gatefield.lab.sweeps.results import Reader

TIMED = 20
"""Blocks of a group whose times are looked at, the last of them: times of all would have to be read one by one."""


@dataclasses.dataclass(frozen=True)
class SweepState:
    """Counts of points; `seconds_left` for one process, None where no block was timed yet; the first error of each kind, with
    how many there are of it."""

    name: str
    axes: Mapping[str, int]
    points: int
    done: int
    running: int
    failed: int
    seconds_left: float | None
    errors: Mapping[str, int]

    @property
    def left(self) -> int:
        """Points that nobody has begun with, or that were interrupted."""
        return self.points - self.done - self.running - self.failed


def state_of(store: Store, plan: Plan) -> SweepState:
    """How far a sweep is."""
    reader, failed = Reader(store, plan), failed_blocks(store)
    sizes = np.asarray([len(members) for members in plan.members])
    kinds = np.asarray([_kind(reader, failed, block) for block in range(len(plan.blocks))])
    errors = {block: _errors(store, plan, block) for block in np.flatnonzero([id in failed for id in plan.blocks]).tolist()}
    wrong = {block: len(found) for block, found in errors.items()}
    within = sum(wrong[block] for block in wrong if kinds[block] == "done")  # beside points of the block that are done
    counts = {kind: int(sizes[kinds == kind].sum()) for kind in ("done", "running", "failed", "left")}
    return SweepState(
        name=plan.name,
        axes=dict(zip(plan.table()["axes"], plan.shape, strict=True)),
        points=int(sizes.sum()),
        done=counts["done"] - within,
        running=counts["running"],
        failed=counts["failed"] + within,
        seconds_left=_seconds_left(reader, plan, kinds, sizes),
        errors=first_of_each_kind(text for found in errors.values() for text in found.values()),
    )


def _kind(reader: Reader, failed: set[str], block: int) -> str:
    folder = reader.folder(block)
    if (folder / "record").exists():
        return "done"
    if is_locked(folder.with_name(f".{folder.name}.lock")):
        return "running"
    return "failed" if reader.plan.blocks[block] in failed else "left"


def _errors(store: Store, plan: Plan, block: int) -> dict[int, str]:
    """What is wrong with points of a block that are of this sweep."""
    failure, rows = failure_of(store, plan.blocks[block]), set(plan.rows[plan.members[block]].tolist())
    return {} if failure is None else {row: text for row, text in failure.errors.items() if row in rows}


def _seconds_left(reader: Reader, plan: Plan, kinds: np.ndarray, sizes: np.ndarray) -> float | None:
    """From the times of finished blocks: of the same group, where there are such."""
    waits = np.isin(kinds, ("left", "running"))
    if not waits.any():
        return 0.0
    groups, own = np.asarray(plan.group), np.arange(len(sizes)) < plan.own
    pace: dict[Any, float] = {}
    for group in np.unique(groups).tolist():
        timed = np.flatnonzero((kinds == "done") & (groups == group) & own)[-TIMED:]
        seconds = [_seconds(reader, int(block)) for block in timed]
        if seconds:
            pace[group] = sum(seconds) / int(sizes[timed].sum())
    if not pace:
        return None
    usual = sum(pace.values()) / len(pace)
    return float(sum(sizes[waits & (groups == group)].sum() * pace.get(group, usual) for group in np.unique(groups).tolist()))


def _seconds(reader: Reader, block: int) -> float:
    with contextlib.suppress(StoreError, KeyError):
        found = open_variables(reader.folder(block), ())
        return 0.0 if found is None else float(found.attrs["seconds"])
    return 0.0
