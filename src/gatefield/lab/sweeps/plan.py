"""The plan of a sweep: which block has which points. It is made once and kept, so that every process cuts the same blocks."""

import base64
import functools
import math
import re
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pydantic

from gatefield.core.errors import StoreError, UserError
from gatefield.core.provenance import now
from gatefield.core.text.quoted import quoted
from gatefield.core.version import __version__
from gatefield.lab.store.disk import Damaged, make_folder, move_aside, reading, writing
from gatefield.lab.store.format import RECORD_FORMAT, read_model, sealed
from gatefield.lab.store.json import write_json
from gatefield.lab.store.lock import Busy, locked
from gatefield.lab.store.store import ID, Store
from gatefield.lab.sweeps.definition.ids import DIGITS
from gatefield.lab.sweeps.definition.points import Points
from gatefield.lab.sweeps.definition.tables import reread

FOLDER = "sweeps"
"""The folder of a store that has plans, and blocks of trainings."""
MOST = 2**31
"""Bytes that a column may have when it is unpacked: a few bytes can be made to unpack to more than any memory."""
_WAIT = 0.05
"""Seconds between looks while another process makes the plan."""


class Plan(pydantic.BaseModel):
    """What a plan file says, in columns.

    `blocks` are the ids of the blocks, first the `own` ones, then blocks of other sweeps that had points of this one when it
    was planned. `home` and `row` say for each point in which block it is and where in it, `group` for each block which program
    it shares, `runs` how many runs that program has. Columns of numbers are packed.
    """

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    format: int = RECORD_FORMAT
    gatefield: str = __version__
    name: str
    created: str
    definition: dict[str, Any]
    swept: dict[str, Any]
    recorded: dict[str, Any]
    shape: tuple[int, ...]
    points: str
    home: str
    row: str
    blocks: tuple[str, ...]
    own: int
    group: tuple[int, ...]
    runs: tuple[int, ...]

    @pydantic.model_validator(mode="after")
    def _holds_together(self) -> "Plan":
        _check_names(self)
        _check_axes(self)
        count = math.prod(self.shape)
        lengths = {len(unpacked(self.home)), len(unpacked(self.row)), len(self.points) // DIGITS}
        within = not count or (unpacked(self.home).max() < len(self.blocks) and unpacked(self.home).min() >= 0)
        if lengths != {count} or not within or not len(self.group) == len(self.runs) == len(self.blocks) >= self.own:
            raise ValueError("these columns contradict each other")
        return self

    @functools.cached_property
    def ids(self) -> np.ndarray:
        """The ids of all points."""
        return np.frombuffer(self.points.encode("ascii"), f"S{DIGITS}").astype(f"U{DIGITS}")

    @functools.cached_property
    def homes(self) -> np.ndarray:
        return unpacked(self.home)

    @functools.cached_property
    def rows(self) -> np.ndarray:
        return unpacked(self.row)

    @functools.cached_property
    def members(self) -> list[np.ndarray]:
        """For each block the numbers of this sweep's points in it, in the order of its rows."""
        homes, rows = self.homes, self.rows
        order = np.lexsort((rows, homes))
        return np.split(order, np.searchsorted(homes[order], np.arange(1, len(self.blocks))))

    def table(self) -> dict[str, Any]:
        """The definition, as it was given."""
        return reread(self.definition)


def _check_names(plan: Plan) -> None:
    """See that nothing in a plan can lead out of the store: who wrote it may have meant harm, and names become paths."""
    experiment = plan.swept.get("experiment", "none")
    if not is_name(plan.name) or not all(map(ID.fullmatch, plan.blocks)) or not all(size > 0 for size in plan.shape):
        raise ValueError("names and sizes are not those of a plan")
    if not isinstance(experiment, str) or experiment in ("", ".", "..") or {"/", "\0"} & set(experiment):
        raise ValueError("an experiment cannot be called so")


def _check_axes(plan: Plan) -> None:
    """See that the definition has axes of the plan's sizes."""
    axes = plan.table().get("axes")
    if not isinstance(axes, dict) or Points(axes).shape != plan.shape:  # an error of `Points` is a `ValueError` too
        raise ValueError("the axes are not those of the plan")


def is_name(name: str) -> bool:
    """Whether a sweep in a store can be called so.

    >>> is_name("gain-and-range-0123456789ab"), is_name("../up-0123456789ab")
    (True, False)
    """
    return re.fullmatch(r"[a-z0-9-]{1,200}-[0-9a-f]{12}", name) is not None


def packed(numbers: Any) -> str:
    """Whole numbers as text: 100,000 of them as numbers in JSON take longer to read than to plan.

    >>> unpacked(packed([3, 1, 2])).tolist()
    [3, 1, 2]
    """
    return base64.b64encode(zlib.compress(np.asarray(numbers, "<i4").tobytes(), 1)).decode()


def unpacked(text: str) -> np.ndarray:
    """The numbers again; a `ValueError` if it is not such a text."""
    try:
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(base64.b64decode(text, validate=True), MOST)
        if unpacker.unconsumed_tail or not unpacker.eof:
            raise ValueError("the numbers are cut off, or too many")
        return np.frombuffer(content, "<i4").astype(np.int64)
    except zlib.error as error:
        raise ValueError(str(error)) from None


def plan_file(store: Store, name: str) -> Path:
    """Where the plan of the sweep NAME-ID lies."""
    if not is_name(name):
        raise UserError(f"A sweep in a store is called NAME-ID, as `gatefield store` shows it, but this is {quoted(name)}.")
    return store.root / FOLDER / f"{name}.json"


def read_plan(store: Store, name: str) -> Plan | None:
    """The plan of a sweep; None if there is none."""
    path = plan_file(store, name)
    advice = "blocks are not lost with it: run the same sweep again, which plans it anew and finds those that are cut as before"
    plan = read_model(path.parent, path.name, Plan, advice, unsealed=False, what="plan")
    if plan is not None and plan.name != name:
        raise StoreError(
            f"The plan '{path}' is that of another sweep, {plan.name}: move it away and run the same command again."
        )
    return plan


def plans(store: Store) -> Iterator[Plan | StoreError]:
    """All plans of a store, the oldest names first; in place of one that cannot be read, its problem."""
    folder = store.root / FOLDER
    with reading(folder):
        files = sorted(path for path in folder.glob("*-*.json") if is_name(path.stem)) if folder.is_dir() else []
    for path in files:
        try:
            plan = read_plan(store, path.stem)
        except StoreError as problem:
            yield problem
        else:
            if plan is not None:
                yield plan


def keep_plan(
    store: Store, name: str, make: Callable[[Plan | None], Plan], is_whole: Callable[[Plan], bool]
) -> tuple[Plan, str]:
    """The plan of a sweep, made and kept if there is none; and a remark for the user, if there is one.

    While another process makes it, this one waits. A plan that is damaged, or whose blocks are no longer there, is moved aside
    and made anew: the same blocks have the same ids, so that what was computed is found.

    **Arguments**

    - `make`: gives a new plan; it gets the one that is moved aside, if that can be read.
    - `is_whole`: whether what a plan relies on is there.
    """
    remark = ""
    while True:
        plan, problem = _read(store, name, is_whole)
        if plan is not None and not problem:
            return plan, remark
        remark = problem or remark
        try:
            with locked(plan_file(store, name).with_name(f".{name}.lock"), f"The plan of {name}"):
                return _made(store, name, make, is_whole), remark
        except Busy:
            time.sleep(_WAIT)


def _read(store: Store, name: str, is_whole: Callable[[Plan], bool]) -> tuple[Plan | None, str]:
    """The plan that is there, and what is wrong with it."""
    try:
        plan = read_plan(store, name)
    except Damaged as error:
        return None, f"{error} It is made anew now."
    if plan is None or is_whole(plan):
        return plan, ""
    return plan, f"Blocks of other sweeps, on which the plan of {name} relied, are gone: it is made anew now."


def _made(store: Store, name: str, make: Callable[[Plan | None], Plan], is_whole: Callable[[Plan], bool]) -> Plan:
    """Looked for once more, now that no other process can make it."""
    path = plan_file(store, name)
    plan, problem = _read(store, name, is_whole)
    if plan is not None and not problem:
        return plan
    if problem:
        move_aside(path)
    plan = make(plan)
    make_folder(path.parent)
    with writing(path, "nothing is planned yet"):
        write_json(path, sealed(plan))
    return plan


def new_plan(**columns: Any) -> Plan:
    """A plan made now."""
    return Plan(created=now(), **columns)
