"""Checkpoints: the state after the last committed record, one file each."""

import io
import zlib
from pathlib import Path
from typing import Any

import equinox as eqx

from gatefield.lab.store.disk import corrupted, read_file, replace_file
from gatefield.lab.store.marker import Marker, checkpoint_name


def write_checkpoint(folder: Path, records: int, state: Any) -> tuple[str, int]:
    """Write the state after `records` records; the file's name and CRC-32."""
    buffer = io.BytesIO()
    eqx.tree_serialise_leaves(buffer, state)
    name = checkpoint_name(records)
    replace_file(folder / name, buffer.getvalue())
    return name, zlib.crc32(buffer.getvalue())


def read_checkpoint(folder: Path, marker: Marker, like: Any) -> Any:
    """The state that belongs to the committed records, in the structure of `like`."""
    name = str(marker.checkpoint)
    try:
        content = read_file(folder / name)
    except FileNotFoundError:
        raise corrupted(folder, name, "is missing") from None
    if zlib.crc32(content) != marker.checkpoint_crc32:
        raise corrupted(folder, name, "does not match its checksum")
    try:
        return eqx.tree_deserialise_leaves(io.BytesIO(content), like)
    except Exception:  # a fitting checksum can be written by anybody; NumPy refuses pickle
        raise corrupted(folder, name, "cannot be read") from None


def remove_checkpoints(folder: Path, keep: str | None = None) -> None:
    """Remove all checkpoints but one."""
    for path in folder.glob("checkpoint-*"):
        if path.name != keep:
            path.unlink(missing_ok=True)
