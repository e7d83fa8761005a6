"""Programs in files, as JAX gives and takes them.

JAX's own files can be torn by a kill, and are then neither used nor replaced; with a bound on their size each new one reads all
others. Here a file is whole or not there, and is taken only if its digest says so.
"""

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

MOST = 2**28
"""Bytes in all. All experiments and the ledger together take about a tenth of it."""
LEAVE = 0.75
"""The share that is left when there is too much, so that it is long until the next time."""
_DIGEST = hashlib.sha256().digest_size


class Kept:
    """Programs under their keys. What cannot be read is not there, and what cannot be written is not kept."""

    def __init__(self, folder: Path) -> None:
        self._path = self.folder = folder
        self.used = True
        self.taken = 0

    def get(self, key: str) -> bytes | None:
        """A program that was kept whole."""
        path = self._file(key)
        try:
            content = path.read_bytes() if self.used else b""
        except OSError:
            return None
        digest, program = content[:_DIGEST], content[_DIGEST:]
        if digest != _digest(key, program):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # so that those not used for long go first
        self.taken += 1
        return program

    def put(self, key: str, value: bytes) -> None:
        """Keep a program, in place of one that could not be taken."""
        if not self.used:
            return
        with contextlib.suppress(OSError):
            self._write(self._file(key), _digest(key, value) + value)

    def _write(self, path: Path, content: bytes) -> None:
        number, name = tempfile.mkstemp(dir=self.folder)
        try:
            with open(number, "wb") as file:
                file.write(content)
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise

    def _file(self, key: str) -> Path:
        return self.folder / hashlib.sha256(key.encode()).hexdigest()  # a key begins with a name, which may be long


def _digest(key: str, program: bytes) -> bytes:
    return hashlib.sha256(key.encode() + program).digest()


def trim(root: Path, most: int = MOST) -> None:
    """Remove the files in the folders of `root` that were not used for longest, if all together are larger than `most`."""
    files = []
    for path in root.glob("*/*"):
        with contextlib.suppress(OSError):  # another command may have removed it
            about = path.stat()
            files.append((about.st_mtime, about.st_size, path))
    size = sum(one[1] for one in files)
    if size <= most:
        return
    for _, less, path in sorted(files):
        if size <= LEAVE * most:
            return
        with contextlib.suppress(OSError):
            path.unlink()
            size -= less
