"""Where a run's records go, and where an interrupted run finds them again."""

import dataclasses
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
import xarray as xr

PyTree = Any


@dataclasses.dataclass(frozen=True)
class Variable:
    """One recorded quantity: its dimensions (the record axis among them), type and attributes."""

    dims: tuple[str, ...]
    dtype: np.dtype
    attrs: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Layout:
    """All that is known of a record before its first step.

    `axis` is the dimension along which records come in ("step"); `sizes` and `coords` cover all dimensions, `axis` too.
    `block` is the number of records in one commit. `fingerprint` says which run this is: equal ones give equal numbers.
    """

    axis: str
    sizes: Mapping[str, int]
    variables: Mapping[str, Variable]
    coords: Mapping[str, tuple[tuple[str, ...], np.ndarray, Mapping[str, Any]]]
    attrs: Mapping[str, Any]
    fingerprint: str
    block: int

    def shape(self, name: str, records: int) -> tuple[int, ...]:
        """The shape of `records` records of one variable."""
        return tuple(records if dim == self.axis else self.sizes[dim] for dim in self.variables[name].dims)


@dataclasses.dataclass(frozen=True)
class Resumable:
    """What an earlier, interrupted or finished run left: records committed, their block size, and the state after the last.

    The state is None if the run is finished and its network was not kept.
    """

    records: int
    block: int
    state: PyTree


@runtime_checkable
class Recorder(Protocol):
    """A place for one run's records. `find` first; then `create` if there was nothing; then `commit` block after block."""

    def find(self, fingerprint: str, like: PyTree) -> Resumable | None:
        """What is there already of the run with this fingerprint; `like` is a state of the same structure."""
        ...

    def create(self, layout: Layout) -> None:
        """Make room for all records."""
        ...

    def commit(self, start: int, block: Mapping[str, np.ndarray], state: PyTree) -> None:
        """Keep the records from `start` on, and the state after them, so that no kill can part or tear them.

        The state is None after the last record of a run whose network is not to be kept.
        """
        ...

    def dataset(self) -> xr.Dataset:
        """The committed records."""
        ...


class MemoryRecorder:
    """Keeps records in memory only."""

    def __init__(self) -> None:
        self._layout: Layout | None = None
        self._blocks: list[Mapping[str, np.ndarray]] = []

    def find(self, fingerprint: str, like: PyTree) -> Resumable | None:
        return None

    def create(self, layout: Layout) -> None:
        self._layout = layout

    def commit(self, start: int, block: Mapping[str, np.ndarray], state: PyTree) -> None:
        self._blocks.append(block)

    def dataset(self) -> xr.Dataset:
        layout = self._layout
        if layout is None:
            return xr.Dataset()
        data = {name: self._joined(layout, name) for name in layout.variables}
        records = data[next(iter(data))][1].shape[layout.variables[next(iter(data))].dims.index(layout.axis)]
        coords = xr.Dataset(coords=dict(layout.coords)).isel({layout.axis: slice(records)}).coords
        return xr.Dataset(data, coords, dict(layout.attrs))

    def _joined(self, layout: Layout, name: str) -> tuple[tuple[str, ...], np.ndarray, Mapping[str, Any]]:
        variable = layout.variables[name]
        axis = variable.dims.index(layout.axis)
        empty = [np.empty(layout.shape(name, 0), variable.dtype)]
        return variable.dims, np.concatenate([block[name] for block in self._blocks] or empty, axis), variable.attrs
