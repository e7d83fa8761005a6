"""What a sweep has found so far, as one dataset over its axes, read when it is used."""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from xarray.backends import BackendArray
from xarray.core import indexing

from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.lab.store.records import Described, describe_record, open_variables
from gatefield.lab.store.store import Store, check_owner
from gatefield.lab.sweeps.blocks import STATUS, block_entry
from gatefield.lab.sweeps.definition.points import Points
from gatefield.lab.sweeps.failures import failed_blocks
from gatefield.lab.sweeps.plan import FOLDER, Plan, read_plan
from gatefield.lab.sweeps.sweep import Find, Sweep, in_file, read_sweep

POINT = "point"


def open_sweep(sweep: Sweep | str | Path, store: str | Path | Store, *, find: Find = in_file) -> xr.Dataset:
    """Open what a sweep has found so far: a dataset over its axes, with NaN for points that are not there yet.

    Numbers are read from the store when they are used, so that opening is quick, and what is finished meanwhile is seen.

    **Arguments**

    - `sweep`: the sweep; the path of its TOML file; or its name in the store, NAME-ID.
    - `store`: the store, or its folder.
    - `find`: from the name of an experiment in a TOML file to experiments.

    **Returns** the dataset: `loss`, `status`, `seconds` and what else was kept of each point of a training; of an experiment,
    the numbers that all finished records have, with equal dimensions.
    """
    store = store if isinstance(store, Store) else Store(store)
    plan = plan_of(sweep, store, find)
    return _dataset(Reader(store, plan), plan)


def plan_of(sweep: Sweep | str | Path, store: Store, find: Find = in_file) -> Plan:
    """The plan of a sweep that was begun."""
    if isinstance(sweep, Path) or (isinstance(sweep, str) and sweep.endswith(".toml")):
        sweep = read_sweep(sweep, find)
    name = sweep.name if isinstance(sweep, Sweep) else sweep
    if not isinstance(name, str) or "/" in name or "\0" in name:
        raise UserError(f"A sweep is named by its TOML file, or as `gatefield store` shows it, but is {quoted(name)}.")
    plan = read_plan(store, name)
    if plan is None:
        there = sorted(path.stem for path in (store.root / FOLDER).glob("*-*.json"))
        others = f"it has {', '.join(there)}" if there else "it has none"
        raise UserError(f"The sweep {quoted(name)} is not in the store '{store.root}', {others}: run it by `gatefield sweep`.")
    return plan


class Reader:
    """Reads points of a sweep from the records of its blocks."""

    def __init__(self, store: Store, plan: Plan) -> None:
        self._store, self.plan = store, plan
        self.experiment: str = plan.swept.get("experiment", "")

    def folder(self, block: int) -> Path:
        """Where the record of a block lies."""
        id = self.plan.blocks[block]
        return self._store.root / self.experiment / id if self.experiment else block_entry(self._store, id).path

    def finished(self) -> list[int]:
        """The blocks that are finished by now."""
        return [block for block in range(len(self.plan.blocks)) if (self.folder(block) / "record").exists()]

    def described(self, block: int) -> dict[str, Described]:
        """The variables of a block, with the points first."""
        found = describe_record(self.folder(block)) or {}
        if not self.experiment:
            return found
        return {
            name: one._replace(dims=(POINT, *one.dims), shape=(1, *one.shape)) if not one.is_coord else one
            for name, one in found.items()
        }

    def values(self, name: str, numbers: np.ndarray, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """A variable at some points, (points, *shape): NaN where there is nothing yet, and where a point has less."""
        values = np.full((len(numbers), *shape), np.nan, dtype)
        homes = self.plan.homes[numbers]
        failed = failed_blocks(self._store) if name == "status" else set()
        for block in np.unique(homes).tolist():
            at = np.flatnonzero(homes == block)
            found = self._of_block(block, name)
            if found is None:
                if self.plan.blocks[block] in failed:
                    values[at] = 2
                continue
            rows = found[self.plan.rows[numbers[at]]] if found.ndim else np.full(len(at), found)
            values[(at, *(slice(size) for size in rows.shape[1:]))] = rows
        return values

    def _of_block(self, block: int, name: str) -> np.ndarray | None:
        """A variable of all points of a block; None if it is not there."""
        found = self._read(block, () if name == "seconds" else (name,))
        if found is None:
            return None
        if name == "seconds":
            return np.asarray(found.attrs["seconds"] / self._points(block))
        array = found[name].values
        return array[None] if self.experiment else array

    def _read(self, block: int, names: tuple[str, ...]) -> xr.Dataset | None:
        """Some variables of a block, once it is seen that the record is its own; None if it is not there."""
        found = open_variables(self.folder(block), names)
        if found is not None:
            check_owner(self.folder(block), self.plan.blocks[block], found.attrs)
        return found

    def _points(self, block: int) -> int:
        described = describe_record(self.folder(block)) or {}
        return 1 if self.experiment else described["status"].shape[0]

    def coordinate(self, block: int, name: str) -> np.ndarray:
        """A coordinate of a record's own dimension."""
        found = self._read(block, (name,))
        assert found is not None
        return found[name].values


class _Column(BackendArray):
    """A variable over the axes of a sweep, as xarray reads it."""

    def __init__(self, reader: Reader, name: str, inner: tuple[int, ...], dtype: np.dtype) -> None:
        self._reader, self._name, self._inner = reader, name, inner
        self.shape, self.dtype = (*reader.plan.shape, *inner), dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> np.ndarray:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._read)

    def _read(self, key: tuple[Any, ...]) -> np.ndarray:
        axes = self._reader.plan.shape
        chosen = [np.atleast_1d(np.arange(size)[one]) for size, one in zip(axes, key, strict=False)]
        numbers = np.ravel_multi_index(np.ix_(*chosen), axes)
        values = self._reader.values(self._name, numbers.ravel(), self._inner, self.dtype)
        values = values.reshape(*numbers.shape, *self._inner)
        for axis in reversed(range(len(key))):
            one = key[axis]
            if axis < len(axes):
                values = values.take(0, axis) if isinstance(one, int | np.integer) else values
            else:
                values = values[(slice(None),) * axis + (one,)]
        return np.asarray(values)


def _dataset(reader: Reader, plan: Plan) -> xr.Dataset:
    points = Points(plan.table()["axes"])
    layout, dims_coords = _layout(reader, plan, points)
    axes = tuple(points.axes)
    variables = {
        _renamed(name, axes): xr.Variable(
            (*axes, *one.dims), indexing.LazilyIndexedArray(_Column(reader, name, one.shape, one.dtype)), one.attrs
        )
        for name, one in layout.items()
    }
    attrs = {
        "sweep": plan.name,
        "axes": list(axes),
        "created": plan.created,
        "swept": json.dumps(plan.swept),
        "gatefield_version": plan.gatefield,
    }
    coords = {f"set_{name}" if name in variables else name: value for name, value in points.coords.items()}
    return xr.Dataset(variables, {**coords, **dims_coords}, attrs)


class Inner(NamedTuple):
    """Of a variable its dimensions beside the axes, their sizes, its type, and its attributes."""

    dims: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: np.dtype
    attrs: Mapping[str, Any]


_ALWAYS = {"loss": Inner((), (), np.dtype(np.float32), {}), "status": Inner((), (), np.dtype(np.float64), STATUS)}
"""What every sweep of trainings has, also before its first block is done."""
_SECONDS = Inner((), (), np.dtype(np.float64), {"units": "s", "long_name": "time of a point"})


def _layout(reader: Reader, plan: Plan, points: Points) -> tuple[dict[str, Inner], dict[str, Any]]:
    """What each variable is like; and the coordinates of dimensions beside the axes."""
    blocks = reader.finished()
    if not reader.experiment:
        blocks = [block for _, block in sorted({plan.group[block]: block for block in reversed(blocks)}.items())]
    found = [reader.described(block) for block in blocks]
    layout: dict[str, Inner] = {} if reader.experiment else dict(_ALWAYS)
    names = _common(found) if reader.experiment else list(dict.fromkeys(name for one in found for name in one))
    for name in names:
        ones = [one[name] for one in found if name in one]
        if any(one.is_coord or one.dtype.kind not in "biuf" for one in ones) or len({one.dims for one in ones}) > 1:
            continue
        dims = tuple(_renamed(dim, points.coords) for dim in ones[0].dims[1:])
        shape = tuple(np.max([one.shape[1:] for one in ones], axis=0).astype(int).tolist())
        layout[name] = Inner(dims, shape, np.dtype(ones[0].dtype if ones[0].dtype.kind == "f" else np.float64), ones[0].attrs)
    layout["seconds"] = _SECONDS
    return layout, _coordinates(reader, blocks, found, layout, points)


def _common(found: Sequence[Mapping[str, Described]]) -> list[str]:
    """Names that all records have, with equal dimensions."""
    first = found[0] if found else {}
    return [name for name, one in first.items() if all(name in other and other[name][:2] == one[:2] for other in found)]


def _renamed(name: str, taken: Collection[str]) -> str:
    """A name that a record has, unless an axis of the sweep has it too."""
    return f"record_{name}" if name in taken else name


def _coordinates(
    reader: Reader, blocks: Sequence[int], found: Sequence[Mapping[str, Described]], layout: Mapping[str, Inner], points: Points
) -> dict[str, Any]:
    """Coordinates of the records' own dimensions, where all records have the same."""
    sizes = {dim: size for one in layout.values() for dim, size in zip(one.dims, one.shape, strict=True)}
    coords: dict[str, Any] = {}
    for dim, size in sizes.items():
        own = dim.removeprefix("record_") if _renamed(dim.removeprefix("record_"), points.coords) == dim else dim
        values = [reader.coordinate(block, own) for block, one in zip(blocks, found, strict=True) if own in one]
        longest = max(values, key=len, default=np.zeros(0))
        if len(longest) == size and all(np.array_equal(value, longest[: len(value)]) for value in values):
            coords[dim] = dim, longest
    return coords
