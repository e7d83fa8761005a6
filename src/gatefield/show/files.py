"""Files that are either whole or not there."""

from pathlib import Path

from gatefield.lab.store.disk import make_folder, replace_file, writing


def write_whole(path: Path, data: bytes) -> Path:
    """Put `data` at `path` in one step, making the folders above it."""
    make_folder(path.parent)
    with writing(path):
        replace_file(path, data)
    return path
