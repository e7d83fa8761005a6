"""The chunks of a record: which files there have to be, and which of them is not as it was written."""

import itertools
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zarr

from gatefield.lab.store.disk import corrupted
from gatefield.lab.store.marker import DATA, Marker


def open_arrays(folder: Path, names: tuple[str, ...], mode: Any = "r") -> dict[str, zarr.Array]:
    """The arrays of a record by name; a chunk that holds nothing but the fill value is written like any other."""
    try:
        group = zarr.open_group(folder / DATA, mode=mode)
    except PermissionError:
        raise
    except Exception:
        raise corrupted(folder, f"{DATA}/zarr.json", "cannot be read") from None
    return {name: _open_array(folder, group, name) for name in names}


def _open_array(folder: Path, group: zarr.Group, name: str) -> zarr.Array:
    try:
        array = group[name]
    except PermissionError:
        raise
    except Exception:
        array = None
    if not isinstance(array, zarr.Array):
        raise corrupted(folder, f"{DATA}/{name}/zarr.json", "cannot be read")
    return array.with_config({"write_empty_chunks": True})


def check_present(folder: Path, marker: Marker) -> None:
    """See that each committed chunk is there: zarr itself reads a missing one as fill values."""
    for name, array in open_arrays(folder, marker.arrays).items():
        for chunk in committed_chunks(array, marker):
            file = chunk_file(name, array, chunk)
            if not (folder / file).is_file():
                raise corrupted(folder, file, "is missing")


def check_readable(folder: Path, marker: Marker) -> None:
    """See that each committed chunk can be read: its checksum tells. The error names the first one that cannot."""
    for name, array in open_arrays(folder, marker.arrays).items():
        for chunk in committed_chunks(array, marker):
            try:
                array.get_block_selection(chunk)
            except PermissionError:
                raise
            except Exception:
                raise corrupted(folder, chunk_file(name, array, chunk), "does not match its checksum") from None


def committed_chunks(array: zarr.Array, marker: Marker) -> Iterator[tuple[int, ...]]:
    """The places in the grid of chunks that hold committed values."""
    grown = [marker.axis is not None and dim == marker.axis for dim in dimensions(array)]
    sizes = [marker.records if grows else size for grows, size in zip(grown, array.shape, strict=True)]
    return itertools.product(*(range(math.ceil(size / width)) for size, width in zip(sizes, array.chunks, strict=True)))


def dimensions(array: zarr.Array) -> tuple[str | None, ...]:
    """The names of an array's dimensions."""
    return tuple(getattr(array.metadata, "dimension_names", None) or (None,) * array.ndim)


def chunk_file(name: str, array: zarr.Array, chunk: tuple[int, ...]) -> str:
    """Where a chunk lies, seen from the record's folder."""
    return f"{DATA}/{name}/{array.metadata.encode_chunk_key(chunk)}"
