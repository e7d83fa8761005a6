"""One process at a time."""

import contextlib
import fcntl
import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from gatefield.core.errors import StoreError
from gatefield.lab.store.disk import make_folder, writing
from gatefield.lab.store.place import identity


class Busy(StoreError):
    """Another process computes it just now."""


_THEN = "and run the same command again; it goes on from the last commit"


@contextlib.contextmanager
def locked(path: Path, what: str, then: str = _THEN) -> Iterator[Callable[[], None]]:
    """Hold the lock file at `path`; the system lets go of it when the process ends, however it ends.

    Where another process holds it, the error says `what` that one computes, and what to do `then`. Gives a function that raises
    if the file was removed or moved meanwhile, and so keeps nobody out.
    """
    make_folder(path.parent)
    while True:
        with writing(path):
            file = path.open("a")
        with file:
            _take(file, path, what, then)
            if _is_at(file, path):  # else it was removed while it was taken
                yield functools.partial(_check, file, path)
                return


def is_locked(path: Path) -> bool:
    """Whether a process holds the lock file at `path` just now."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _take(file: IO[str], path: Path, what: str, then: str) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Busy(f"{what} is being computed by another process: wait until that one ends, or stop it, {then}.") from None
    except OSError as error:  # some network disks have no locks
        raise StoreError(
            f"'{path.parent}' cannot be locked ({(error.strerror or str(error)).lower()}), and without a lock two "
            f"processes could write the same run: choose a folder on another disk by --store."
        ) from error


def _is_at(file: IO[str], path: Path) -> bool:
    status = os.fstat(file.fileno())
    return identity(path) == (status.st_dev, status.st_ino)


def _check(file: IO[str], path: Path) -> None:
    if not _is_at(file, path):
        raise StoreError(
            f"The lock '{path}' was removed while this run went on, so that another process could write the same run: "
            f"what was committed is kept; run the same command again to go on."
        )
