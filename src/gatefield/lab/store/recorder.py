"""Records on disk that survive a kill at any moment."""

import errno
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
import zarr

from gatefield.core.errors import StoreError
from gatefield.core.version import __version__
from gatefield.dynamics import Layout, Resumable
from gatefield.lab.store.arrays import make_arrays, read_arrays, read_layout
from gatefield.lab.store.checkpoint import read_checkpoint, remove_checkpoints, write_checkpoint
from gatefield.lab.store.chunks import check_present, check_readable, chunk_file, dimensions, metadata, open_arrays
from gatefield.lab.store.disk import as_path, flush_files, flush_tree, make_folder, reading, writing
from gatefield.lab.store.marker import DATA, Marker, read_marker, write_marker
from gatefield.lab.store.place import Place, remove_pieces

Rows = dict[str, np.ndarray]


class ZarrRecorder:
    """Keeps the records of one run in a folder, as a zarr group `data.zarr` that any zarr reader opens.

    The whole record axis is there from the start. A commit writes chunks that no other commit touches, then a checkpoint, then
    replaces the marker `committed.json` in one step; only what the marker names counts. So after a kill at any moment there are
    a whole number of commits and the state that belongs to them. One process writes at a time.

    **Arguments**

    - `path`: a folder of its own for this run; it is made when the run starts.
    - `guard`: called before anything is written; it raises an error if nothing may be.

    >>> import jax, tempfile
    >>> from gatefield import Committee, Task, open_record, train
    >>> from gatefield.data import Gaussian
    >>> folder, key = tempfile.mkdtemp() + "/my-run", jax.random.key(0)
    >>> task = Task(Gaussian(8, 2.0), Gaussian(8, 1.0))
    >>> settings = {"steps": 4, "batch_size": 2, "learning_rate": 0.1, "record_every": 2, "key": key}
    >>> _ = train(Committee(8, 1, key=key), task, recorder=ZarrRecorder(folder), **settings)
    >>> open_record(folder).step.values.tolist()
    [0, 2, 4]
    """

    def __init__(self, path: str | Path, guard: Callable[[], None] = lambda: None) -> None:
        self.path = as_path("path", path)
        self._guard = guard
        self._marker: Marker | None = None
        self._arrays: dict[str, zarr.Array] = {}
        self._marks: list[np.ndarray] = []
        self._layout: Layout | None = None
        self._rows: list[tuple[int, Rows]] = []  # all that was committed: written again if the folder is deleted

    def find(self, fingerprint: str, like: Any) -> Resumable | None:
        marker = read_marker(self.path)
        if marker is None:
            return None
        self._check_same_run(marker, fingerprint)
        with reading(self.path):
            check_present(self.path, marker)
            check_readable(self.path, marker)
            state = None if marker.complete and marker.checkpoint is None else read_checkpoint(self.path, marker, like)
            self._open(marker)
            if not marker.complete:
                self._layout = read_layout(self.path, marker)
                self._rows = [(0, {name: self._committed(array) for name, array in self._arrays.items()})]
        if marker.complete:
            self._held.close()
        else:
            self._guard()
            _remove_leftovers(self.path)
        return Resumable(marker.records, marker.block, state)

    def create(self, layout: Layout) -> None:
        if read_marker(self.path) is not None:
            raise StoreError(f"The folder '{self.path}' holds a record already: move it away, or record into another folder.")
        self._guard()
        make_folder(self.path)
        with writing(self.path, "nothing of this run was recorded yet"):
            shutil.rmtree(self.path / DATA, ignore_errors=True)
            remove_checkpoints(self.path)
            make_arrays(self.path, layout)
            flush_tree(self.path / DATA)  # names and coordinates must not be younger than the first marker
        self._layout, self._rows = layout, []
        self._open(
            Marker(
                coords=tuple(layout.coords),
                variables=tuple(layout.variables),
                complete=False,
                fingerprint=layout.fingerprint,
                axis=layout.axis,
                total=layout.sizes[layout.axis],
                block=layout.block,
                metadata=metadata(self.path),
            )
        )

    def commit(self, start: int, block: Mapping[str, np.ndarray], state: Any) -> None:
        self._stop(start, block)
        block = {name: np.array(values) for name, values in block.items()}  # a copy: the rows may be a part of larger buffers
        is_last = start + self._opened().block >= self._opened().total
        if not (self._is_whole(is_last) and self._has_written(start, block, state)):
            raise self._take_refuge(start, block, state)
        self._rows.append((start, block))
        if self._opened().complete:
            self._rows.clear()
            self._held.close()

    def _has_written(self, start: int, block: Rows, state: Any) -> bool:
        """Write a block; False if the folder went meanwhile."""
        try:
            self._guard()
            with writing(self.path, self._kept()):
                self._write(start, block, state)
        except StoreError:
            if not self._is_whole():
                return False
            self._held.close()
            raise
        return True

    def _write(self, start: int, block: Rows, state: Any) -> None:
        stop = self._stop(start, block)
        for name, values in block.items():
            self._write_rows(name, start, values)
        flush_files(self._chunk_file(name, start) for name, values in block.items() if values.size)
        if not self._is_whole():  # zarr makes folders anew that are gone
            raise FileNotFoundError(errno.ENOENT, "the folder is gone")
        self._mark(stop, state)

    def _mark(self, stop: int, state: Any) -> None:
        """Say that all up to `stop` is there, once the state after it is."""
        marker = self._opened()
        checkpoint, crc32 = (None, 0) if state is None else write_checkpoint(self.path, stop, state)
        news = {"records": stop, "complete": stop == marker.total, "checkpoint": checkpoint, "checkpoint_crc32": crc32}
        write_marker(self.path, marker.model_copy(update=news))
        self._marker = marker.model_copy(update=news)
        remove_checkpoints(self.path, keep=checkpoint)

    def _is_whole(self, thoroughly: bool = False) -> bool:
        """Whether the folder is still where it was, with the last marker and the first chunk of each array, or with all."""
        marker = self._opened()
        try:
            if not self._held.here() or read_marker(self.path) != (marker if marker.records else None):
                return False
            if thoroughly:
                check_present(self.path, marker)
        except StoreError:
            return False
        first = [self._chunk_file(name, 0) for name, array in self._arrays.items() if array.size and marker.records]
        return all(path.is_file() for path in (*first, *(self.path / DATA / file for file in marker.metadata)))

    def _take_refuge(self, start: int, block: Rows, state: Any) -> StoreError:
        """Commit where the folder was moved to or, if it was deleted, all of it to a new one; the error that says so."""
        stop, refuge = self._stop(start, block), self._held.refuge()
        remove_pieces([self._chunk_file(name, start) for name in self._arrays if not self._held.here()], refuge.old)
        other = ZarrRecorder(refuge.folder)
        if refuge.folder.exists() and other._is_copy(self._opened()):
            with writing(other.path, "nothing new is written"):
                other._write(start, block, state)
        else:
            self._held.close()
            refuge = self._held.refuge()
            other = ZarrRecorder(refuge.folder)
            other._write_anew(self._layout, [*self._rows, (start, block)], stop, state)
        for place in (self._held, other._held):
            place.close()
        return refuge.error(other._reached())

    def _is_copy(self, marker: Marker) -> bool:
        """Whether all that another recorder committed is here too."""
        try:
            self._open(marker)
        except (StoreError, OSError):
            return False
        return self._is_whole(thoroughly=True)

    def _write_anew(self, layout: Layout | None, rows: Sequence[tuple[int, Rows]], stop: int, state: Any) -> None:
        """A whole record up to `stop` in one step."""
        assert layout is not None, "a record that is written to was created or found"
        self.create(layout)
        with writing(self.path, "nothing of it is written"):
            for start, block in rows:
                for name, values in block.items():
                    self._write_rows(name, start, values)
            flush_tree(self.path / DATA)
            self._mark(stop, state)

    def dataset(self) -> xr.Dataset:
        with reading(self.path):
            return read_arrays(self.path, self._marker) if self._marker else xr.Dataset()

    def _open(self, marker: Marker) -> None:
        self._held = Place(self.path)
        self._arrays = open_arrays(self.path, marker.variables, mode="r+")
        axis = (marker.axis,) if marker.axis in marker.coords else ()
        self._marks = [np.asarray(array[:]) for array in open_arrays(self.path, axis).values()]
        self._marker = marker

    def _committed(self, array: zarr.Array) -> np.ndarray:
        grows = self._grows(array)
        return np.asarray(array[tuple(slice(self._opened().records) if g else slice(None) for g in grows)])

    def _opened(self) -> Marker:
        if self._marker is None:
            raise RuntimeError("A recorder is asked to `find` or `create` before it can commit.")
        return self._marker

    def _check_same_run(self, marker: Marker, fingerprint: str) -> None:
        if marker.fingerprint != fingerprint:
            raise StoreError(
                f"The folder '{self.path}' holds another run (fingerprint {marker.fingerprint[:12]}, this one has "
                f"{fingerprint[:12]}): move it away, or record into another folder."
            )
        if marker.gatefield != __version__ and not marker.complete:
            raise StoreError(
                f"The run in '{self.path}' was begun by gatefield {marker.gatefield} and this is {__version__}: only the "
                f"version that began a run continues it; finish it with that version, or move it away to start again."
            )

    def _stop(self, start: int, block: Mapping[str, np.ndarray]) -> int:
        """Where the block ends, once it is seen to be the next one and whole."""
        marker = self._opened()
        stop = min(start + marker.block, marker.total)
        shapes = {name: self._shape(array, stop - start) for name, array in self._arrays.items()}
        given = {name: np.shape(values) for name, values in block.items()}
        if start != marker.records or given != shapes:
            raise ValueError(f"The next commit starts at {marker.records} with shapes {shapes}, not at {start} with {given}.")
        return stop

    def _shape(self, array: zarr.Array, records: int) -> tuple[int, ...]:
        return tuple(records if grows else size for grows, size in zip(self._grows(array), array.shape, strict=True))

    def _grows(self, array: zarr.Array) -> list[bool]:
        """For each dimension, whether it is the record axis."""
        return [dim == self._opened().axis for dim in dimensions(array)]

    def _write_rows(self, name: str, start: int, values: np.ndarray) -> None:
        """Write one chunk, which no other commit touches, or several."""
        array, grows = self._arrays[name], self._grows(self._arrays[name])
        places = (slice(start, start + size) if g else slice(None) for g, size in zip(grows, values.shape, strict=True))
        array[tuple(places)] = values

    def _chunk_file(self, name: str, start: int) -> Path:
        """Where the chunk that begins with that record lies."""
        array = self._arrays[name]
        chunk = tuple(start // self._opened().block if g else 0 for g in self._grows(array))
        return self.path / chunk_file(name, array, chunk)

    def _kept(self) -> str:
        """What a failed commit leaves."""
        return f"{self._reached()} is kept" if self._opened().records else "nothing of this run was committed yet"

    def _reached(self) -> str:
        marker = self._opened()
        where = "".join(f" ({marker.axis} {marks[marker.records - 1]})" for marks in self._marks)
        return f"everything up to record {marker.records} of {marker.total}{where}"


def _remove_leftovers(folder: Path) -> None:
    """Remove the temporary files of a process that was killed while it wrote a chunk."""
    with writing(folder):
        for path in (folder / DATA).rglob("*.partial"):
            path.unlink(missing_ok=True)
