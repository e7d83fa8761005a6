"""From a sweep to its plan."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from gatefield.core.errors import StoreError
from gatefield.lab.store.store import Store, run_id
from gatefield.lab.sweeps.blocks import NAME, block_entry, block_of
from gatefield.lab.sweeps.plan import Plan, keep_plan, new_plan, packed, plans
from gatefield.lab.sweeps.sweep import Sweep
from gatefield.lab.sweeps.trainings.groups import check_some, grouped, size_of
from gatefield.lab.sweeps.trainings.work import Trained


def planned(store: Store, sweep: Sweep) -> tuple[Plan, str]:
    """The plan of a sweep, as it is kept in the store, or made now; and a remark for the user, if there is one."""
    return keep_plan(store, sweep.name, lambda old: make_plan(store, sweep, old), lambda plan: _is_whole(store, plan))


def _is_whole(store: Store, plan: Plan) -> bool:
    """Whether the blocks of other sweeps that have points of this one are still there."""
    return all(_is_finished(store, id) for id in plan.blocks[plan.own :])


def _is_finished(store: Store, id: str) -> bool:
    return block_entry(store, id).status == "finished"


def make_plan(store: Store, sweep: Sweep, old: Plan | None = None) -> Plan:
    """Plan all points: those of an experiment one by one, those of trainings in blocks that share a program.

    Points that are finished in blocks of other sweeps, or of an `old` plan of this one, are taken from there.
    """
    columns = _trained(store, sweep, old) if isinstance(sweep.work, Trained) else _entries(sweep)
    return new_plan(
        name=sweep.name,
        definition=sweep.definition.model_dump(exclude_defaults=True, exclude={"cluster"}),
        swept=sweep.work.description if isinstance(sweep.work, Trained) else {"experiment": sweep.work.name},
        recorded=sweep.recorded,
        shape=sweep.points.shape,
        points="".join(sweep.ids),
        **columns,
    )


def _entries(sweep: Sweep) -> dict[str, Any]:
    """Each point is an entry of its own."""
    count = len(sweep.points)
    ones = (1,) * count
    return {
        "home": packed(np.arange(count)),
        "row": packed(np.zeros(count)),
        "blocks": tuple(sweep.ids.tolist()),
        "own": count,
        "group": (0,) * count,
        "runs": ones,
    }


class _Cut(NamedTuple):
    """A block to be: its points, its group and its runs."""

    numbers: np.ndarray
    group: int
    runs: int


def _trained(store: Store, sweep: Sweep, old: Plan | None) -> dict[str, Any]:
    assert isinstance(sweep.work, Trained)
    check_some(sweep.work, sweep.points)
    home, row, elsewhere = _elsewhere(store, sweep, old)
    groups = grouped(sweep.work, sweep.points)
    cuts = list(_cuts(sweep, groups, home < 0))
    for number, cut in enumerate(cuts):
        home[cut.numbers], row[cut.numbers] = number, np.arange(len(cut.numbers))
    taken = np.isin(np.arange(len(home)), np.concatenate([cut.numbers for cut in cuts] or [np.zeros(0, np.int64)]))
    home[~taken] += len(cuts)
    own = [run_id(NAME, block_of(sweep, cut.numbers, cut.runs)) for cut in cuts]
    others = _groups_elsewhere(home, groups, len(cuts), len(elsewhere))
    return {
        "home": packed(home),
        "row": packed(row),
        "blocks": (*own, *elsewhere),
        "own": len(own),
        "group": (*(cut.group for cut in cuts), *others),
        "runs": (*(cut.runs for cut in cuts), *(0 for _ in elsewhere)),
    }


def _groups_elsewhere(home: np.ndarray, groups: np.ndarray, own: int, others: int) -> list[int]:
    """The group of the points of this sweep that each block of another one has."""
    first = {int(block): int(group) for block, group in zip(home[::-1], groups[::-1], strict=True) if block >= own}
    return [first.get(own + other, 0) for other in range(others)]


def _cuts(sweep: Sweep, groups: np.ndarray, left: np.ndarray) -> Iterator[_Cut]:
    """The blocks of what is left, group by group; all blocks of a group have as many runs, so that one program serves them."""
    assert isinstance(sweep.work, Trained)
    order = np.argsort(groups, kind="stable")
    for numbers in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        todo = np.sort(numbers[left[numbers]])
        if not len(todo):
            continue
        size = size_of(sweep.work, sweep.points, int(todo[0]), len(todo))
        for start in range(0, len(todo), size.block):
            yield _Cut(todo[start : start + size.block], int(groups[todo[0]]), size.runs)


def _elsewhere(store: Store, sweep: Sweep, old: Plan | None) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """For each point where it is finished already: the number of the block among those that are given back, or -1; its row."""
    ids = sweep.ids
    home, row, blocks = np.full(len(ids), -1), np.zeros(len(ids), np.int64), list[str]()
    for plan in [*([] if old is None else [old]), *plans(store)]:
        if isinstance(plan, StoreError) or not _has_all(plan.recorded, sweep.recorded):
            continue
        _, mine, theirs = np.intersect1d(ids, plan.ids, return_indices=True)
        used, which = np.unique(plan.homes[theirs], return_inverse=True)
        finished = np.asarray([_is_finished(store, plan.blocks[block]) for block in used], bool)
        good = finished[which] & (home[mine] < 0) if len(used) else np.zeros(0, bool)
        number = len(blocks) + np.cumsum(finished) - 1
        home[mine[good]], row[mine[good]] = number[which[good]], plan.rows[theirs[good]]
        blocks += [plan.blocks[block] for block in used[finished]]
    return home, row, blocks


def _has_all(theirs: Mapping[str, Any], mine: Mapping[str, Any]) -> bool:
    """Whether all that this sweep keeps of a point was kept by another."""
    keeps = set(mine["keep"]) <= set(theirs.get("keep", ()))
    return keeps and mine["measures"].items() <= theirs.get("measures", {}).items()
