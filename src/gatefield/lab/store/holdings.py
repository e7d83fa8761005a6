"""What lies in a store, with its size, and how it is removed: whole, and nothing else with it."""

import contextlib
import dataclasses
import os
import re
import shutil
from pathlib import Path
from typing import Literal

from gatefield.core.errors import StoreError
from gatefield.lab.store.disk import free_name, writing
from gatefield.lab.store.lock import locked
from gatefield.lab.store.store import ID, Entry, Store, names_in, read_entry

State = Literal["finished", "unfinished", "problem", "moved aside", "rescued", "half removed"]
_ASIDE: dict[str, State] = {"old": "moved aside", "rescued": "rescued", "removed": "half removed"}
"""The last word of a folder's name beside an entry -> what it is."""
_BESIDE = re.compile(rf"({ID.pattern})(?:\.(?:old|rescued|removed)-[0-9]+)*\.(old|rescued|removed)-[0-9]+")


@dataclasses.dataclass(frozen=True)
class Holding:
    """A folder of the store: an entry, or what was one before it was moved aside, rescued, or not quite removed.

    `size` is what it takes on the disk, in bytes; `created` when the run was begun, if that is known.
    """

    entry: Entry
    state: State
    size: int
    created: str = ""

    @property
    def experiment(self) -> str:
        """The folder that it lies in."""
        return self.entry.path.parent.name

    @property
    def misplaced(self) -> str:
        """Of which experiment it is, in a few words, if the folder that it lies in has the name of another."""
        if self.entry.name == self.experiment:
            return ""
        return f"an entry of {self.entry.name}: rename its folder '{self.experiment}' to '{self.entry.name}'"

    @property
    def name(self) -> str:
        """What it is called by: NAME-ID."""
        return f"{self.experiment}-{self.entry.path.name}"


def holdings(store: Store) -> list[Holding]:
    """All that a store holds, sorted by experiment and id: its entries, and what lies beside them.

    >>> import tempfile
    >>> holdings(Store(tempfile.mkdtemp()))
    []
    """
    found = [_holding(entry, _state(entry)) for entry in store.entries()]
    for folder in store.folders():
        with contextlib.suppress(StoreError):  # a folder that may not be read is among the entries, with this problem
            beside = [(name, match) for name in names_in(folder) if (match := _BESIDE.fullmatch(name))]
            found += [_holding(read_entry(folder / name, match[1]), _ASIDE[match[2]]) for name, match in beside]
    return sorted(found, key=lambda holding: (holding.experiment, holding.entry.path.name))


def _state(entry: Entry) -> State:
    if entry.problem:
        return "problem"
    return "finished" if entry.status == "finished" else "unfinished"


def _holding(entry: Entry, state: State) -> Holding:
    created = ""
    with contextlib.suppress(StoreError):
        created = entry.about().created
    return Holding(entry, state, folder_size(entry.path), created)


def folder_size(folder: Path) -> int:
    """What a folder takes on the disk with all that is in it; of a link, what the link itself takes."""
    paths = [str(folder)]
    if not folder.is_symlink():
        for above, folders, files in os.walk(folder):
            paths += [os.path.join(above, name) for name in (*folders, *files)]
    return sum(map(_blocks, paths))


def _blocks(path: str) -> int:
    with contextlib.suppress(OSError):  # a run that goes on replaces its files
        return os.lstat(path).st_blocks * 512  # whatever the disk's own blocks are, the system counts in these
    return 0


def remove(holding: Holding) -> None:
    """Remove it for good; refused while a process computes it.

    Links are removed, never what they lead to. A kill on the way leaves the entry as it is, or what is left of it under another
    name, where nothing takes it for an entry.
    """
    path = holding.entry.path
    if not holding.entry.id:  # it stands for a folder that may not be read
        raise StoreError(holding.entry.problem or "")
    if path.parent.is_symlink():
        raise StoreError(
            f"'{path.parent}' is a link to '{os.path.realpath(path.parent)}', and links are not followed to remove something: "
            f"remove {holding.name} from the store that it lies in."
        )
    lock = path.with_name(f".{path.name}.lock")
    is_entry = ID.fullmatch(path.name) is not None
    with locked(lock, f"Run {holding.name}", "and then remove it") if is_entry else contextlib.nullcontext():
        if holding.state == "unfinished" and holding.entry.status == "finished":
            raise StoreError(f"{holding.name} was finished by another process just now: look at it, and then remove it.")
        with writing(path, "nothing of it is removed"):
            if path.is_symlink():
                path.unlink()
            elif holding.state != "half removed":
                path = path.rename(free_name(path, "removed"))
        with writing(path, f"what is left of it is called {path.parent.name}-{path.name}"):
            if os.path.lexists(path):
                shutil.rmtree(path)
            lock.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        path.parent.rmdir()  # if nothing else is in it
