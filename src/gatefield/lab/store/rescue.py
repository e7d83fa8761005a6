"""Finished parts of a run, held in memory until its record is written: the folder with them may be deleted meanwhile."""

import contextlib
import os
from pathlib import Path

from gatefield.lab.store.disk import flush_tree, make_folder, writing

MOST = 2**28
"""Bytes of files that are held at most; all parts of most experiments take a few million."""


class Finished:
    """The files of finished parts, as they are on the disk."""

    def __init__(self) -> None:
        self._parts: dict[str, dict[Path, bytes]] = {}
        self._room = MOST

    def hold(self, part: Path) -> None:
        """Hold the files of one part, unless they are too large, or cannot be read by now."""
        with contextlib.suppress(OSError):
            paths = [path for path in sorted(part.rglob("*")) if path.is_file()]
            size = sum(path.stat().st_size for path in paths)
            if paths and size <= self._room:
                self._parts[part.name] = {path.relative_to(part): path.read_bytes() for path in paths}
                self._room -= size

    def write(self, parts: Path) -> list[str]:
        """Write all that are held, each whole or not at all, into the folder of parts; their names."""
        for name, files in self._parts.items():
            temporary = parts / f".{name}.tmp"
            with writing(parts, "nothing of the finished parts is kept"):
                for file, content in files.items():
                    make_folder((temporary / file).parent)
                    (temporary / file).write_bytes(content)
                flush_tree(temporary)
                os.rename(temporary, parts / name)
        return list(self._parts)
