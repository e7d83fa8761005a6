"""The arrays of a record as a zarr group: how they are made and read."""

import asyncio
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
import zarr
from zarr.codecs import Crc32cCodec, ZstdCodec
from zarr.core.sync import sync

from gatefield.core.text.portable import portable
from gatefield.dynamics import Layout, Variable
from gatefield.lab.store.chunks import read_committed
from gatefield.lab.store.json import attributes
from gatefield.lab.store.marker import DATA, Marker

COMPRESSORS = (ZstdCodec(level=1), Crc32cCodec())
"""Light compression, then a checksum of what is on the disk."""


def write_arrays(folder: Path, dataset: xr.Dataset) -> None:
    """A dataset as the zarr group of a record; texts are kept with variable length, which every zarr reader knows."""
    dataset = dataset.drop_encoding().copy()
    dataset.attrs = attributes(dataset.attrs)
    for name, variable in dataset.variables.items():
        if variable.dtype.kind == "U":
            texts = xr.Variable(variable.dims, variable.values.astype(object), variable.attrs)
            dataset = dataset.assign_coords({name: texts}) if name in dataset.coords else dataset.assign({name: texts})
        dataset[name].attrs = attributes(dataset[name].attrs)
    encoding = {name: {"compressors": COMPRESSORS} for name in dataset.variables}
    dataset.to_zarr(folder / DATA, zarr_format=3, consolidated=False, write_empty_chunks=True, encoding=encoding)


def consolidate(folder: Path) -> None:
    """All metadata in one place too: without it plain `xarray.open_zarr` warns that it is slow."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Consolidated metadata", UserWarning)  # not yet in the specification of zarr 3
        zarr.consolidate_metadata(folder / DATA, zarr_format=3)


def settle() -> None:
    """Wait for what zarr still writes beside a chunk that failed, and let it fail in silence."""

    async def others() -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*tasks, return_exceptions=True)

    sync(others())


def make_arrays(folder: Path, layout: Layout) -> None:
    """Room for all records: chunks hold one commit each."""
    write_arrays(folder, xr.Dataset(coords=dict(layout.coords), attrs=dict(layout.attrs)))
    group, total = zarr.open_group(folder / DATA, mode="r+", use_consolidated=False, zarr_format=3), layout.sizes[layout.axis]
    for name, variable in layout.variables.items():
        group.create_array(
            name,
            shape=layout.shape(name, total),
            dtype=variable.dtype,
            chunks=tuple(max(1, size) for size in layout.shape(name, min(layout.block, total))),
            compressors=COMPRESSORS,
            fill_value=_fill_value(variable.dtype),
            dimension_names=variable.dims,
            attributes=attributes(variable.attrs),
        )
    consolidate(folder)


def _fill_value(dtype: np.dtype) -> Any:
    """What a plain zarr reader sees in place of records still to come: NaN where there is one."""
    return np.array(np.nan if dtype.kind in "fc" else 0, dtype)[()]


def read_layout(folder: Path, marker: Marker) -> Layout:
    """What `make_arrays` was given."""
    stored = _stored(folder)
    variables = {name: Variable(_dims(stored, name), stored[name].dtype, stored[name].attrs) for name in marker.variables}
    values = {name: _in_memory(stored.variables[name]).values for name in marker.coords}
    coords = {name: (_dims(stored, name), values[name], stored[name].attrs) for name in marker.coords}
    sizes = {str(dim): size for dim, size in stored.sizes.items()}
    return Layout(str(marker.axis), sizes, variables, coords, stored.attrs, marker.fingerprint, marker.block)


def _dims(stored: xr.Dataset, name: str) -> tuple[str, ...]:
    return tuple(str(dim) for dim in stored[name].dims)


def read_arrays(folder: Path, marker: Marker) -> xr.Dataset:
    """The committed part of a record, in memory, every chunk of it checked."""
    whole = xr.decode_cf(read_committed(folder, marker), decode_timedelta=False)
    variables = {name: _in_memory(whole.variables[name]) for name in marker.variables}
    coords = {name: _in_memory(whole.variables[name]) for name in marker.coords}
    return portable(xr.Dataset(variables, coords, {**whole.attrs, "complete": int(marker.complete)}))


def _stored(folder: Path) -> xr.Dataset:
    return xr.open_zarr(folder / DATA, consolidated=False, chunks=None, decode_timedelta=False, zarr_format=3)


def _in_memory(variable: xr.Variable) -> xr.Variable:
    """Without the storage's own settings, and texts as NumPy texts."""
    values = variable.values.astype(object).astype(str) if variable.dtype.kind in "TO" else variable.values
    return xr.Variable(variable.dims, values, variable.attrs)
