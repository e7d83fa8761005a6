"""Removing a sweep: its plan, and the blocks that no other sweep needs."""

from gatefield.core.errors import StoreError
from gatefield.lab.store.disk import writing
from gatefield.lab.store.holdings import Holding, folder_size, remove
from gatefield.lab.store.lock import locked
from gatefield.lab.store.store import Store
from gatefield.lab.sweeps.blocks import block_entry
from gatefield.lab.sweeps.failures import note_failure
from gatefield.lab.sweeps.plan import Plan, plan_file, plans


def own_blocks(store: Store, plan: Plan) -> list[Holding]:
    """The blocks of trainings that a sweep has for itself, with what they take on the disk."""
    if "experiment" in plan.swept:
        return []  # entries like any others
    others = {id for other in plans(store) if isinstance(other, Plan) and other.name != plan.name for id in other.blocks}
    entries = [block_entry(store, id) for id in plan.blocks if id not in others]
    there = [entry for entry in entries if entry.status != "absent"]
    return [
        Holding(entry, "finished" if entry.status == "finished" else "unfinished", folder_size(entry.path)) for entry in there
    ]


def remove_sweep(store: Store, plan: Plan) -> None:
    """Remove a sweep for good; refused while a process computes a block of it. Entries of experiments stay."""
    problems = [problem for problem in plans(store) if isinstance(problem, StoreError)]
    if problems:
        raise StoreError(f"It is not known which blocks other sweeps need: {problems[0]}")
    path = plan_file(store, plan.name)
    with locked(path.with_name(f".{plan.name}.lock"), f"The plan of {plan.name}", "and then remove it"):
        for holding in own_blocks(store, plan):
            remove(holding)
            note_failure(store, holding.entry.id, {})
        with writing(path, "its blocks are removed"):
            path.unlink(missing_ok=True)
