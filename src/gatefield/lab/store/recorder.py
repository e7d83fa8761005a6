"""Records on disk that survive a kill at any moment."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
import zarr

from gatefield.core.errors import StoreError
from gatefield.core.version import __version__
from gatefield.dynamics import Layout, Resumable
from gatefield.lab.store.arrays import make_arrays, read_arrays
from gatefield.lab.store.checkpoint import read_checkpoint, remove_checkpoints, write_checkpoint
from gatefield.lab.store.chunks import check_present, check_readable, chunk_file, dimensions, open_arrays
from gatefield.lab.store.disk import flush_file, flush_tree, make_folder, reading, writing
from gatefield.lab.store.marker import DATA, Marker, read_marker, write_marker


class ZarrRecorder:
    """Keeps the records of one run in a folder, as a zarr group `data.zarr` that any zarr reader opens.

    The whole record axis is there from the start. A commit writes chunks that no other commit touches, then a checkpoint, then
    replaces the marker `committed.json` in one step; only what the marker names counts. So after a kill at any moment there are
    a whole number of commits and the state that belongs to them. One process writes at a time.

    **Arguments**

    - `path`: a folder of its own for this run; it is made when the run starts.

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

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._marker: Marker | None = None
        self._arrays: dict[str, zarr.Array] = {}
        self._marks: list[np.ndarray] = []

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
            _remove_leftovers(self.path)
        return Resumable(marker.records, marker.block, state)

    def create(self, layout: Layout) -> None:
        if read_marker(self.path) is not None:
            raise StoreError(f"The folder '{self.path}' holds a record already: move it away, or record into another folder.")
        make_folder(self.path)
        with writing(self.path, "nothing of this run was recorded yet"):
            shutil.rmtree(self.path / DATA, ignore_errors=True)
            remove_checkpoints(self.path)
            make_arrays(self.path, layout)
            flush_tree(self.path / DATA)  # names and coordinates must not be younger than the first marker
        self._open(
            Marker(
                coords=tuple(layout.coords),
                variables=tuple(layout.variables),
                complete=False,
                fingerprint=layout.fingerprint,
                axis=layout.axis,
                total=layout.sizes[layout.axis],
                block=layout.block,
            )
        )

    def commit(self, start: int, block: Mapping[str, np.ndarray], state: Any) -> None:
        marker = self._opened()
        stop = self._stop(start, block)
        with writing(self.path, self._kept()):
            for name, values in block.items():
                self._write_block(name, start, stop, values)
            checkpoint, crc32 = (None, 0) if state is None else write_checkpoint(self.path, stop, state)
            news = {"records": stop, "complete": stop == marker.total, "checkpoint": checkpoint, "checkpoint_crc32": crc32}
            write_marker(self.path, marker.model_copy(update=news))
            self._marker = marker.model_copy(update=news)
            remove_checkpoints(self.path, keep=checkpoint)

    def dataset(self) -> xr.Dataset:
        with reading(self.path):
            return read_arrays(self.path, self._marker) if self._marker else xr.Dataset()

    def _open(self, marker: Marker) -> None:
        self._arrays = open_arrays(self.path, marker.variables, mode="r+")
        axis = (marker.axis,) if marker.axis in marker.coords else ()
        self._marks = [np.asarray(array[:]) for array in open_arrays(self.path, axis).values()]
        self._marker = marker

    def _opened(self) -> Marker:
        if self._marker is None:
            raise RuntimeError("A recorder is asked to `find` or `create` before it can commit.")
        return self._marker

    def _check_same_run(self, marker: Marker, fingerprint: str) -> None:
        if marker.fingerprint != fingerprint:
            raise StoreError(
                f"The folder '{self.path}' holds another run (fingerprint {marker.fingerprint[:12]}, this one has "
                f"{fingerprint[:12]}): move it away or pass --fresh, or record into another folder."
            )
        if marker.gatefield != __version__ and not marker.complete:
            raise StoreError(
                f"The run in '{self.path}' was begun by gatefield {marker.gatefield} and this is {__version__}: only the "
                f"version that began a run continues it; finish it with that version, or start again in another folder."
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

    def _write_block(self, name: str, start: int, stop: int, values: np.ndarray) -> None:
        """Write one chunk, which no other commit touches, through to the disk."""
        array, grows = self._arrays[name], self._grows(self._arrays[name])
        array[tuple(slice(start, stop) if g else slice(None) for g in grows)] = np.asarray(values)
        if values.size:
            chunk = tuple(start // self._opened().block if g else 0 for g in grows)
            flush_file(self.path / chunk_file(name, array, chunk))

    def _kept(self) -> str:
        """What a failed commit leaves."""
        marker = self._opened()
        if not marker.records:
            return "nothing of this run was committed yet"
        where = "".join(f" ({marker.axis} {marks[marker.records - 1]})" for marks in self._marks)
        return f"everything up to record {marker.records} of {marker.total}{where} is kept"


def _remove_leftovers(folder: Path) -> None:
    """Remove the temporary files of a process that was killed while it wrote a chunk."""
    with writing(folder):
        for path in (folder / DATA).rglob("*.partial"):
            path.unlink(missing_ok=True)
