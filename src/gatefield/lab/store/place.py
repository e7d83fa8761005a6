"""A folder that is written to for hours: whether it is still where it was, and where else to keep what was computed."""

import contextlib
import dataclasses
import os
from collections.abc import Iterable
from pathlib import Path

from gatefield.core.errors import StoreError
from gatefield.lab.store.disk import free_name

Identity = tuple[int, int]
DELETED = "was deleted"


@dataclasses.dataclass(frozen=True)
class Refuge:
    """Where to keep what was meant for a folder that is gone: `folder`, in `new`, which is to come in the place of `old`."""

    old: Path
    new: Path
    folder: Path
    what: str

    def error(self, kept: str) -> "Gone":
        """The end of the run: what happened, what is kept, how to go on."""
        way_out = f"{kept} is kept in '{self.new}'; move that to '{self.old}' and run the same command again."
        if not kept:
            way_out = "nothing of it is left; run the same command again to begin anew."
        return Gone(f"'{self.old}' {self.what} while this run went on: {way_out}", self, kept)


class Gone(StoreError):
    """The folder of a run went while it was written to: where to keep what was computed, and what is kept there already."""

    def __init__(self, said: str, refuge: Refuge, kept: str) -> None:
        super().__init__(said)
        self.refuge, self.kept = refuge, kept

    def with_more(self, more: str) -> "Gone":
        """The same, once more is kept there."""
        return self.refuge.error(f"{self.kept}, and {more}," if self.kept else more)


class Place:
    """A folder, held open: others may move or delete it, and a path alone does not tell."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._identities = [(folder, identity(folder)) for folder in (path, *path.parents)]
        self._file: int | None = os.open(path, os.O_RDONLY)

    def __enter__(self) -> "Place":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    __del__ = __exit__

    def close(self) -> None:
        """Let go of the folder, whose disk could not be unmounted otherwise; where it is moved is not known any more."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)

    def here(self) -> bool:
        """Whether the folder is still where it was."""
        return identity(self.path) == self._identities[0][1]

    def check(self) -> None:
        """Raise the sentence if it is not."""
        if self.here():
            return
        refuge = self.refuge()
        raise refuge.error("what was committed" if refuge.new.exists() else "")

    def refuge(self) -> Refuge:
        """Where it was moved to; or, if it was deleted, a new name beside the highest folder that is gone."""
        now = self._now()
        changed = [folder for folder, known in self._identities if identity(folder) != known] or [self.path]
        for old in reversed(changed):  # the highest one, unless links lead elsewhere
            new = None if now is None else [now, *now.parents][len(self.path.relative_to(old).parts)]
            if now and new and identity(new) == dict(self._identities)[old]:
                return Refuge(old, new, now, f"was moved to '{new}'")
        old = changed[-1]
        new = free_name(old, "rescued")
        what = "lost files" if self.here() else DELETED
        return Refuge(old, new, new / self.path.relative_to(old), what)

    def _now(self) -> Path | None:
        """Where the folder that is held open is by now, if that can be told."""
        with contextlib.suppress(OSError):
            now = Path(os.readlink(f"/proc/self/fd/{self._file}"))
            return now if identity(now) == self._identities[0][1] and not self.here() else None
        return None


def identity(path: Path) -> Identity | None:
    """What a path leads to; None if to nothing."""
    with contextlib.suppress(OSError):
        status = os.stat(path)
        return status.st_dev, status.st_ino
    return None


def remove_pieces(files: Iterable[Path], top: Path) -> None:
    """Remove files, and the folders above them, up to `top`, that hold nothing else."""
    for file in files:
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
            for folder in file.parents:
                if folder.is_relative_to(top):
                    folder.rmdir()
