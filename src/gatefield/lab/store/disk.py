"""Writing so that a kill leaves the old file or the new one, and a sentence for each thing that can go wrong."""

import concurrent.futures
import contextlib
import errno
import functools
import itertools
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gatefield.core.errors import StoreError, UserError
from gatefield.core.text.expanded import expanded
from gatefield.core.text.quoted import quoted

FRESH = "--fresh (in Python fresh=True)"
AT_ONCE = 16
"""Files that are waited for together."""
_AGAIN = "run the same command again"
_WAYS_OUT = {
    errno.ENOSPC: f"free some space there and {_AGAIN}",
    errno.EDQUOT: f"free some space there and {_AGAIN}",
    errno.EFBIG: f"raise the limit on file sizes (ulimit -f) and {_AGAIN}",
    errno.EACCES: "choose a folder that you may write to",
    errno.EPERM: "choose a folder that you may write to",
    errno.EROFS: "choose a folder that you may write to",
    errno.ENOTDIR: "choose a path that leads through folders only",
    errno.EEXIST: "choose a path that leads through folders only",
    errno.ENAMETOOLONG: "choose a shorter path",
    errno.ELOOP: "choose a path without links that lead in a circle",
}
_KINDS = {stat.S_ISDIR: "a folder", stat.S_ISFIFO: "a FIFO", stat.S_ISSOCK: "a socket"}


class Damaged(StoreError):
    """A file is not as it was written; `what` says which, and `usual` whether it asks for the record to be made anew."""

    def __init__(self, what: str, advice: str, *, usual: bool = False) -> None:
        super().__init__(f"{what}: {advice}.")
        self.what, self.usual = what, usual

    def made_by(self, command: str) -> "Damaged":
        """The same, with the command that makes the record anew."""
        return Damaged(self.what, f"`{command}` makes it anew, and moves what is there aside (in Python fresh=True)")


@contextlib.contextmanager
def writing(path: Path, kept: str = "nothing is written there, and what was there before is kept") -> Iterator[None]:
    """Turn what the system says about a failed write below `path` into one sentence; `kept` says what is safe."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        way_out = _WAYS_OUT.get(error.errno or 0, f"put that right and {_AGAIN}")
        raise StoreError(f"Cannot write to {quoted(str(path))} ({reason}): {kept}; {way_out}.") from error


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """The same for reading."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        way_out = _WAYS_OUT.get(error.errno or 0, "") if error.errno in (errno.ENAMETOOLONG, errno.ELOOP) else ""
        raise StoreError(
            f"Cannot read {quoted(str(path))} ({reason}): {way_out or 'give a path that you may read'}."
        ) from error


def as_path(name: str, value: Any) -> Path:
    """A path that the system can be asked for."""
    if not isinstance(value, str | os.PathLike) or "\0" in str(value) or not str(value):
        raise UserError(f"{name} must be the path of a folder, but is {quoted(value)}; write for instance {name}='my-run'.")
    return expanded(value)


def make_folder(path: Path) -> None:
    """Make a folder and those above it."""
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)


def free_name(path: Path, word: str) -> Path:
    """The first name beside `path` that nothing has: `path.word-1`, `path.word-2`, ..."""
    return next(new for n in itertools.count(1) if not os.path.lexists(new := path.with_name(f"{path.name}.{word}-{n}")))


def move_aside(path: Path) -> None:
    """Give what is at `path` another name, so that nothing of it is lost."""
    with writing(path):
        os.rename(path, free_name(path, "old"))


def replace_file(path: Path, data: bytes) -> None:
    """Put `data` at `path` in one step: whoever reads, now or after a power cut, finds the old file or the new one."""
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def write_file(path: str | Path, data: bytes) -> Path:
    """Put `data` at `path` in one step, making the folders above it; where a link is, at what it leads to."""
    path = Path(path)
    check_file(path)
    target = Path(os.path.realpath(path))
    make_folder(target.parent)
    with writing(path):
        replace_file(target, data)
    return path


def check_file(path: Path) -> None:
    """See that at `path`, or at what a link there leads to, is a plain file or nothing: no device, no folder."""
    with writing(path, "nothing is lost"):
        try:
            mode = os.stat(path).st_mode
        except FileNotFoundError:
            return
    if not stat.S_ISREG(mode):
        kind = next((words for is_kind, words in _KINDS.items() if is_kind(mode)), "a device")
        raise StoreError(
            f"Cannot write to {quoted(str(path))}, which is {kind}: give a plain file, or a name that is not taken."
        )


def read_file(path: Path) -> bytes:
    """The bytes of a plain file; where there is something else, such as a FIFO that would be waited for, there is no file."""
    if not path.is_file():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return path.read_bytes()


def flush_file(path: Path) -> None:
    """Wait until a file that was written is on the disk itself."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def flush_files(paths: Iterable[Path]) -> None:
    """The same for many files, for which the disk is asked at once: one wait, not one for each."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in pool.map(flush_file, paths):
            pass


def flush_tree(folder: Path) -> None:
    """The same for all files of a folder."""
    flush_files(path for path in folder.rglob("*") if path.is_file())


def remove_tree(folder: Path) -> None:
    """Remove a folder as far as it can be removed, its innermost folders together."""
    leaves = [Path(path) for path, folders, _ in os.walk(folder) if not folders]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in pool.map(functools.partial(shutil.rmtree, ignore_errors=True), leaves):
            pass
    shutil.rmtree(folder, ignore_errors=True)


def corrupted(folder: Path, file: str, what: str, advice: str = "") -> Damaged:
    """The error for a file that is not as it was written; `advice` says what stands and what to do, if not the usual."""
    usual = f"move '{folder}' away and run the same command again to make it anew; other records are untouched"
    return Damaged(f"The record in '{folder}' is corrupted, since {file} {what}", advice or usual, usual=not advice)
