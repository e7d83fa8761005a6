"""The chunks of a record: which files there have to be, and which of them is not as it was written."""

import asyncio
import itertools
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
import zarr
from zarr.api.asynchronous import open_group
from zarr.core.sync import sync

from gatefield.lab.store.disk import corrupted
from gatefield.lab.store.marker import DATA, MARKER, Marker

Array = zarr.Array | zarr.AsyncArray[Any]


def open_arrays(folder: Path, names: tuple[str, ...], mode: Any = "r") -> dict[str, zarr.Array]:
    """The arrays of a record by name; a chunk that holds nothing but the fill value is written like any other."""
    arrays = _opened(folder, names, mode)[1]
    return {name: zarr.Array(array).with_config({"write_empty_chunks": True}) for name, array in arrays.items()}


def read_attributes(folder: Path, marker: Marker) -> dict[str, Any]:
    """The attributes of a record, without its arrays."""
    check_metadata(folder, marker)
    return _opened(folder, (), "r")[0]


def _opened(folder: Path, names: tuple[str, ...], mode: Any) -> tuple[dict[str, Any], dict[str, zarr.AsyncArray[Any]]]:
    """The attributes of a record, and its arrays, which are opened together: one by one takes zarr several times as long."""

    async def everything() -> tuple[dict[str, Any], Sequence[Any]]:
        group = await open_group(folder / DATA, mode=mode, use_consolidated=False, zarr_format=3)  # format 2 may hold pickle
        return dict(group.attrs), await asyncio.gather(*map(group.getitem, names), return_exceptions=True)

    try:
        attrs, found = sync(everything())
    except PermissionError:
        raise
    except Exception:
        raise corrupted(folder, f"{DATA}/zarr.json", "cannot be read") from None
    for name, array in zip(names, found, strict=True):
        if isinstance(array, PermissionError):
            raise array
        if not isinstance(array, zarr.AsyncArray):
            raise corrupted(folder, f"{DATA}/{name}/zarr.json", "cannot be read")
    return attrs, dict(zip(names, found, strict=True))


def check_present(folder: Path, marker: Marker) -> None:
    """See that the arrays are the marker's, and each committed chunk is there: zarr reads a missing one as fill values."""
    _check_present(folder, marker, _opened(folder, marker.arrays, "r")[1])


def _check_present(folder: Path, marker: Marker, arrays: Mapping[str, Array]) -> None:
    check_metadata(folder, marker)
    if marker.axis is not None and not all(_fits(arrays[name], marker) for name in marker.variables):
        raise corrupted(folder, MARKER, "does not fit the arrays")
    for name, array in arrays.items():
        for chunk in committed_chunks(array, marker):
            file = chunk_file(name, array, chunk)
            if not (folder / file).is_file():
                raise corrupted(folder, file, "is missing")


def read_committed(folder: Path, marker: Marker) -> xr.Dataset:
    """All that is committed as zarr keeps it, still to be decoded; every chunk is there, and its checksum is right."""
    attrs, arrays = _opened(folder, marker.arrays, "r")
    _check_present(folder, marker, arrays)

    async def values() -> Sequence[Any]:
        return await asyncio.gather(*(array.getitem(_committed(array, marker)) for array in arrays.values()))

    try:
        found = zip(arrays.items(), sync(values()), strict=True)
    except Exception:
        check_readable(folder, marker)  # names the file, if it is one
        raise
    return xr.Dataset({name: _variable(array, value) for (name, array), value in found}, attrs=attrs)


def _committed(array: Array, marker: Marker) -> tuple[slice, ...]:
    grown = [marker.axis is not None and dim == marker.axis for dim in dimensions(array)]
    return tuple(slice(marker.records) if grows else slice(None) for grows in grown)


def _variable(array: Array, value: Any) -> xr.Variable:
    """Texts as objects, as xarray has them."""
    value = np.asarray(value)
    dims = [str(dim) for dim in dimensions(array)]
    return xr.Variable(dims, value.astype(object) if value.dtype.kind == "T" else value, dict(array.attrs))


def metadata(folder: Path) -> dict[str, int]:
    """The CRC-32 of each file that says how the arrays are to be read; attributes are in them."""
    files = [path for pattern in ("zarr.json", "*/zarr.json") for path in (folder / DATA).glob(pattern)]
    return {str(path.relative_to(folder / DATA)): zlib.crc32(path.read_bytes()) for path in sorted(files)}


def check_metadata(folder: Path, marker: Marker) -> None:
    """See that the files that say how the arrays are to be read are those that the marker knows."""
    found = metadata(folder) if marker.metadata else {}
    for file, crc32 in marker.metadata.items():
        if found.get(file) != crc32:
            what = "does not match its checksum" if file in found else "is missing"
            raise corrupted(folder, f"{DATA}/{file}", what)


def _fits(array: Array, marker: Marker) -> bool:
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


def committed_chunks(array: Array, marker: Marker) -> Iterator[tuple[int, ...]]:
    """The places in the grid of chunks that hold committed values."""
    grown = [marker.axis is not None and dim == marker.axis for dim in dimensions(array)]
    sizes = [marker.records if grows else size for grows, size in zip(grown, array.shape, strict=True)]
    return itertools.product(*(range(math.ceil(size / width)) for size, width in zip(sizes, array.chunks, strict=True)))


def dimensions(array: Array) -> tuple[str | None, ...]:
    """The names of an array's dimensions."""
    return tuple(getattr(array.metadata, "dimension_names", None) or (None,) * array.ndim)


def chunk_file(name: str, array: Array, chunk: tuple[int, ...]) -> str:
    """Where a chunk lies, seen from the record's folder."""
    return f"{DATA}/{name}/{array.metadata.encode_chunk_key(chunk)}"
