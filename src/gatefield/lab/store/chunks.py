"""The chunks of a record: which files there have to be, and which of them is not as it was written."""

import itertools
import math
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zarr

from gatefield.lab.store.disk import corrupted
from gatefield.lab.store.marker import DATA, MARKER, Marker


def open_arrays(folder: Path, names: tuple[str, ...], mode: Any = "r") -> dict[str, zarr.Array]:
    """The arrays of a record by name; a chunk that holds nothing but the fill value is written like any other."""
    group = _open_group(folder, mode)
    return {name: _open_array(folder, group, name) for name in names}


def read_attributes(folder: Path, marker: Marker) -> dict[str, Any]:
    """The attributes of a record, without its arrays."""
    _check_metadata(folder, marker)
    return dict(_open_group(folder, "r").attrs)


def _open_group(folder: Path, mode: Any) -> zarr.Group:
    try:
        return zarr.open_group(folder / DATA, mode=mode, use_consolidated=False)
    except PermissionError:
        raise
    except Exception:
        raise corrupted(folder, f"{DATA}/zarr.json", "cannot be read") from None


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
    """See that the arrays are the marker's, and each committed chunk is there: zarr reads a missing one as fill values."""
    arrays = open_arrays(folder, marker.arrays)
    _check_metadata(folder, marker)
    if marker.axis is not None and not all(_fits(arrays[name], marker) for name in marker.variables):
        raise corrupted(folder, MARKER, "does not fit the arrays")
    for name, array in arrays.items():
        for chunk in committed_chunks(array, marker):
            file = chunk_file(name, array, chunk)
            if not (folder / file).is_file():
                raise corrupted(folder, file, "is missing")


def metadata(folder: Path) -> dict[str, int]:
    """The CRC-32 of each file that says how the arrays are to be read; attributes are in them."""
    files = [path for pattern in ("zarr.json", "*/zarr.json") for path in (folder / DATA).glob(pattern)]
    return {str(path.relative_to(folder / DATA)): zlib.crc32(path.read_bytes()) for path in sorted(files)}


def _check_metadata(folder: Path, marker: Marker) -> None:
    found = metadata(folder) if marker.metadata else {}
    for file, crc32 in marker.metadata.items():
        if found.get(file) != crc32:
            what = "does not match its checksum" if file in found else "is missing"
            raise corrupted(folder, f"{DATA}/{file}", what)


def _fits(array: zarr.Array, marker: Marker) -> bool:
    """Whether an array has the marker's axis, as long as it says, in chunks of one commit."""
    along = dict(zip(dimensions(array), zip(array.shape, array.chunks, strict=True), strict=True))
    return along.get(marker.axis) == (marker.total, min(marker.block, marker.total))


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
