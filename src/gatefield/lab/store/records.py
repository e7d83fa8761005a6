"""Reading records, and writing finished ones."""

import os
import shutil
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from gatefield.core.errors import StoreError
from gatefield.lab.store.arrays import consolidate, read_arrays, settle, write_arrays
from gatefield.lab.store.chunks import check_metadata, dimensions, metadata, open_arrays
from gatefield.lab.store.disk import Damaged, as_path, corrupted, flush_tree, make_folder, reading, writing
from gatefield.lab.store.marker import DATA, MARKER, Marker, read_marker, write_marker

ABOUT = "about.json"
RECORD = "record"
PARTS = "parts"


def open_record(path: str | Path) -> xr.Dataset:
    """Open a record: that of a run in the store, of one of its parts, or any other that gatefield wrote.

    Only what was committed is given, in memory and checked against its checksums; the attribute `complete` is 1 if that is all
    of it and 0 if the run is going on or was interrupted.

    **Arguments**

    - `path`: the run's folder, a part's, or a record's own.

    **Returns** the record, with how it was made in its attributes.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp() + "/fields"
    >>> write_record(folder, xr.Dataset({"loss": ("step", [0.5, 0.25])}))
    >>> open_record(folder).loss.values.tolist()
    [0.5, 0.25]
    """
    path = as_path("path", path)
    with reading(path):
        folder = _record_folder(path)
        marker = read_marker(folder)
        if marker is None:
            raise _not_a_record(path)
        return read_arrays(folder, marker)


class Described(NamedTuple):
    """What is known of a variable without its values."""

    dims: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: np.dtype
    is_coord: bool
    attrs: Mapping[str, Any]


def describe_record(path: Path) -> dict[str, Described] | None:
    """The variables of the finished record in a run's folder, without their values; None if there is none."""
    folder = path / RECORD
    with reading(folder):
        marker = _finished_marker(folder)
        if marker is None:
            return None
        check_metadata(folder, marker)
        arrays = open_arrays(folder, marker.arrays)
    return {
        name: Described(tuple(map(str, dimensions(array))), array.shape, array.dtype, name in marker.coords, dict(array.attrs))
        for name, array in arrays.items()
    }


def open_variables(path: Path, names: Sequence[str]) -> xr.Dataset | None:
    """Some variables of the finished record in a run's folder, checked, with all attributes; None if there is none."""
    folder = path / RECORD
    with reading(folder):
        marker = _finished_marker(folder)
        if marker is None:
            return None
        return read_arrays(folder, marker.model_copy(update={"coords": (), "variables": tuple(names)}))


def _finished_marker(folder: Path) -> Marker | None:
    """The marker of a finished record; None if there is no record. It comes with the record by one rename, so that a record
    without it has been damaged."""
    marker = read_marker(folder)
    if marker is None and os.path.lexists(folder):
        raise corrupted(folder, MARKER, "is missing")
    return marker


def write_record(path: str | Path, dataset: xr.Dataset) -> None:
    """Write a finished record in one step: `path` is there with all of it, or not at all.

    **Arguments**

    - `path`: a folder that is not there yet.
    - `dataset`: what to write, with its attributes.
    """
    path = as_path("path", path)
    with writing(path):
        if path.exists():
            raise StoreError(f"There is something at '{path}' already, and records are never overwritten: choose another path.")
    write_whole(path, dataset, "nothing of it is written")


def write_whole(path: Path, dataset: xr.Dataset, kept: str) -> None:
    """The same; `kept` says what a failure leaves."""
    make_folder(path.parent)
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with writing(path, kept):
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir()
            write_arrays(temporary, dataset)
            consolidate(temporary)
            write_marker(temporary, _marker(temporary, dataset))
            flush_tree(temporary)
            os.rename(temporary, path)
    finally:
        settle()
        shutil.rmtree(temporary, ignore_errors=True)


def kept_part(path: Path, compute: Callable[[], xr.Dataset], guard: Callable[[], None]) -> xr.Dataset:
    """What was computed once as the part of a run in that folder: read if it is there, or else computed and written whole.

    `guard` is asked before anything is written. What is read is what was written, so that both ways give the same.
    """
    if _finished_marker(path) is None:
        found = compute()
        guard()
        write_whole(path, found, "what was trained before is kept")
    return open_record(path)


def _marker(folder: Path, dataset: xr.Dataset) -> Marker:
    coords, variables = _names(dataset.coords), _names(dataset.data_vars)
    return Marker(coords=coords, variables=variables, complete=True, metadata=metadata(folder))


def _names(variables: Iterable[Hashable]) -> tuple[str, ...]:
    return tuple(str(name) for name in variables)


def _record_folder(path: Path) -> Path:
    """Where the record lies: in a run's folder it is `record`, and a zarr group belongs to the folder above it."""
    if path.name == DATA and (path.parent / MARKER).is_file():
        return path.parent
    return path / RECORD if (path / RECORD / MARKER).is_file() else path


def _not_a_record(path: Path) -> StoreError:
    """Why there is nothing to open, and what could be opened instead."""
    if os.path.lexists(path / RECORD):
        return without_marker(path)
    return StoreError(_nothing_here(path))


def without_marker(run: Path) -> Damaged:
    """The error for something named `record` that is none."""
    return corrupted(run / RECORD, MARKER, "is missing")


def _nothing_here(path: Path) -> str:
    if not path.exists():
        return f"There is no record at '{path}': give the folder of a run, or of one of its parts."
    if not path.is_dir():
        return f"The file '{path}' is not a record: give the folder of a run, or of one of its parts."
    inside = sorted({str(marker.parent.relative_to(path)) for marker in path.rglob(MARKER)} - {"."})
    if (path / ABOUT).is_file():
        parts = f"; its parts can be opened: {', '.join(inside)}" if inside else ""
        return f"The run in '{path}' is not finished: run the same command again to finish it{parts}."
    if inside:
        return f"The folder '{path}' is not a record itself: give one of those in it: {', '.join(inside)}."
    return f"The folder '{path}' is not a record, since nothing was committed in it: give the folder of a run, or of a part."
