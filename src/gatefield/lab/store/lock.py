"""One process at a time."""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path

from gatefield.core.errors import StoreError
from gatefield.lab.store.disk import make_folder, writing


@contextlib.contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Hold the lock file at `path`; the system lets go of it when the process ends, however it ends."""
    make_folder(path.parent)
    with writing(path):
        file = path.open("a")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(
                f"{what} is being computed by another process: wait until that one ends, or stop it, "
                f"and run the same command again; it goes on from the last commit."
            ) from None
        except OSError as error:  # some network disks have no locks
            raise StoreError(
                f"'{path.parent}' cannot be locked ({(error.strerror or str(error)).lower()}), and without a lock two "
                f"processes could write the same run: choose a folder on another disk by --store."
            ) from error
        yield
