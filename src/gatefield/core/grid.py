"""The axes of many runs, named once."""

import difflib
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
import xarray as xr

from gatefield.core.errors import UserError, unknown_name
from gatefield.core.machine import RUN, check_room
from gatefield.core.runs import map_run_axes, run_count
from gatefield.core.text.quoted import quoted

_KEPT = ("time",)
"""Coordinates of single runs that `unfold` keeps; the others say what the axes say, or can be drawn again from the seed."""
_TAKEN = ("axes", "run", "step", "unit", "position")
"""Names that a grid or a record has for something else."""
_CHOSEN = ("seed",)
"""Coordinates of single runs whose values a grid may choose: a record only counts its runs there."""


class Grid:
    """Every combination of the values of some axes, one run for each; the last axis runs fastest.

    **Arguments**

    - one keyword for each axis: its values, all different, or a whole number m for 0, ..., m-1.

    A grid gives what its runs need, and takes their record apart again, so that the order of the axes is typed once:

    - `grid.gain` is the value of that axis in each run, (runs,);
    - `grid.share(values, over="seed")` hands values that belong to one axis to the runs;
    - `train(..., runs=grid)` and `flow(..., runs=grid)` give records with these axes in place of `run`.

    >>> grid = Grid(gain=[1.0, 3.0], seed=3)
    >>> grid.gain
    array([1., 1., 1., 3., 3., 3.])
    >>> grid.share(["a", "b", "c"], over="seed").tolist()
    ['a', 'b', 'c', 'a', 'b', 'c']
    >>> grid
    Grid(gain=2, seed=3), 6 runs
    """

    axes: dict[str, np.ndarray]
    """The values along each axis."""

    def __init__(self, **axes: Sequence[Any] | np.ndarray | int) -> None:
        if not axes:
            raise UserError("A grid needs at least one axis; write for instance Grid(gain=[1.0, 3.0], seed=8).")
        _check_room(axes)
        self.axes = {name: _values(name, values) for name, values in axes.items()}
        places = np.meshgrid(*(np.arange(len(values)) for values in self.axes.values()), indexing="ij")
        self._places = {name: place.ravel() for name, place in zip(self.axes, places, strict=True)}

    def __getattr__(self, name: str) -> np.ndarray:
        axes = self.__dict__.get("axes", {})
        if name not in axes:
            near = difflib.get_close_matches(name, axes, n=1)
            hint = f"; did you mean '{near[0]}'?" if near else "."
            raise AttributeError(f"This grid has no axis '{name}'{hint} It has {', '.join(axes)}.")
        return axes[name][self._places[name]]

    def __len__(self) -> int:
        return len(next(iter(self._places.values())))

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}={len(values)}" for name, values in self.axes.items())
        return f"Grid({sizes}), {len(self)} runs"

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return tuple(len(values) for values in self.axes.values())

    def share(self, values: Any, *, over: str | Sequence[str]) -> Any:
        """For each run the value that belongs to it: `values` have one for each value of the axis `over`.

        **Arguments**

        - `values`: an array, an array of keys, a list, or a module (such as a network) with a run axis; with several axes in
          `over`, an array has one leading axis for each of them.
        - `over`: the axis, or several, that `values` belong to.

        >>> Grid(order=2, seed=2).share(np.array([[2.0, 1.0], [1.0, 2.0]]), over="order").tolist()
        [[2.0, 1.0], [2.0, 1.0], [1.0, 2.0], [1.0, 2.0]]
        """
        names = (over,) if isinstance(over, str) else tuple(over)
        for name in names:
            if name not in self.axes:
                raise unknown_name("axis", name, self.axes)
        index = tuple(self._places[name] for name in names)
        sizes = tuple(len(self.axes[name]) for name in names)
        if isinstance(values, list | tuple | np.ndarray | jax.Array):
            array = values if isinstance(values, jax.Array) else np.asarray(values)
            self._check(np.shape(array)[: len(names)], sizes, names)
            return array[index]
        self._check((run_count(values) or 1,), sizes, names)
        return map_run_axes(lambda value, axis: value if axis is None else value[index], values)

    def index(self, **values: Any) -> int:
        """The number of the run with these values, for `gatefield.one_run`.

        >>> Grid(gain=[1.0, 3.0], seed=3).index(gain=3.0, seed=1)
        4
        """
        for name in values:
            if name not in self.axes:
                raise unknown_name("axis", name, self.axes)
        found = np.flatnonzero(np.all([getattr(self, name) == value for name, value in values.items()], axis=0))
        if len(found) != 1:
            raise UserError(f"{len(found)} runs of {quoted(self)} have {values}; give one value of each axis that it has.")
        return int(found[0])

    def fold(self, values: Any) -> np.ndarray:
        """An array with one entry for each run, (runs, ...), with the grid's axes in place of the first.

        >>> Grid(gain=2, seed=3).fold(np.arange(6)).tolist()
        [[0, 1, 2], [3, 4, 5]]
        """
        array = np.asarray(values)
        self._check(array.shape[:1], (len(self),), ("run",))
        return array.reshape(*self.shape, *array.shape[1:])

    def unfold(self, record: xr.Dataset) -> xr.Dataset:
        """A record with the grid's axes and coordinates in place of its run axis.

        >>> record = xr.Dataset({"loss": (("run", "step"), np.arange(12.0).reshape(6, 2))})
        >>> Grid(gain=[1.0, 3.0], seed=3).unfold(record).loss.sel(gain=3.0, seed=1).values
        array([8., 9.])
        """
        self._check((record.sizes.get("run", 1),), (len(self),), ("run",))
        one_each = {str(name): value.values for name, value in record.coords.items() if value.dims == ("run",)}
        self.check_names({**dict.fromkeys(map(str, (*record.dims, *record.variables))), **one_each})
        data = {name: self._unfolded(value) for name, value in record.data_vars.items()}
        kept = {
            name: self._unfolded(value) for name, value in record.coords.items() if "run" not in value.dims or name in _KEPT
        }
        return xr.Dataset(data, {**kept, **self.coords}, record.attrs)

    def check_runs(self, runs: int, given: str) -> None:
        """See that what was `given` ("w0 is") is for as many runs as the grid has."""
        if len(self) != runs:
            raise UserError(
                f"runs is {quoted(self)}, but {given} for {runs}; give one value for each run of the grid, such as grid.gain "
                f"or grid.share(starts, over='seed')."
            )

    def check_names(self, taken: Mapping[str, np.ndarray | None], way_out: str = "choose another name") -> None:
        """See that no axis has a name that the record has for something else, before there is one.

        `taken`: name -> the value of each run, which an axis of that name may have too; None where a name has no such values.
        """
        for name in [name for name in self.axes if name in taken]:
            values, given = taken[name], getattr(self, name)
            if values is None:
                raise UserError(
                    f"An axis of a grid cannot be called '{name}', which its record has for something else; {way_out}."
                )
            if name not in _CHOSEN and not _same(given, values):
                have, asked = quoted(np.asarray(values).tolist()), quoted(given.tolist())
                raise UserError(
                    f"The axis '{name}' of a grid must be what the runs are trained with, {have}, but is {asked}; train with "
                    f"grid.{name}, or {way_out}."
                )

    @property
    def coords(self) -> dict[str, tuple[str, np.ndarray]]:
        """The coordinates of the grid's axes, for `xarray`."""
        return {name: (name, values) for name, values in self.axes.items()}

    def _unfolded(self, value: xr.DataArray) -> xr.Variable:
        variable = value.variable
        if "run" not in variable.dims:
            return variable
        first = variable.transpose("run", ...)
        return xr.Variable((*self.axes, *first.dims[1:]), self.fold(first.values), variable.attrs)

    def _check(self, found: tuple[int, ...], wanted: tuple[int, ...], names: Sequence[str]) -> None:
        if found != wanted:
            raise UserError(
                f"There must be {' x '.join(map(str, wanted))} values along {' and '.join(names)} of {quoted(self)}, "
                f"but there are {' x '.join(map(str, found)) or 'none'}; give one for each."
            )


def check_grid(runs: Any) -> Grid:
    """What was given as `runs`, if it is a grid."""
    if not isinstance(runs, Grid):
        raise UserError(f"runs must be a Grid, but is {quoted(runs)}; write for instance runs=Grid(seed=3).")
    return runs


def _check_room(axes: dict[str, Any]) -> None:
    """See that there is memory for so many runs, before a list of them is made."""
    sizes = {name: _length(values) for name, values in axes.items()}
    runs = math.prod(max(length, 0) for length in sizes.values())
    longest = max(sizes, key=lambda name: sizes[name])
    check_room(
        f"A grid of {runs:,} runs ({' x '.join(f'{length:,} along {name}' for name, length in sizes.items())})",
        runs * RUN,
        f"choose fewer along {longest}",
    )


def _length(values: Any) -> int:
    if isinstance(values, int):
        return values
    return len(values) if hasattr(values, "__len__") else 1


def _same(axis: np.ndarray, values: np.ndarray) -> bool:
    """Whether these are the same numbers, as far as the float32 of a training can tell."""
    values = np.asarray(values)
    if axis.dtype.kind not in "biuf" or values.dtype.kind not in "biuf":
        return np.array_equal(axis, values)
    return np.array_equal(axis.astype(np.float32), values.astype(np.float32))


def _array(values: Any) -> np.ndarray:
    if isinstance(values, int) and not isinstance(values, bool):
        return np.arange(values)
    try:
        return np.asarray(values)
    except ValueError:  # lists of unequal lengths
        return np.asarray(None)


def _values(name: str, values: Any) -> np.ndarray:
    if name.startswith("_") or name in dir(Grid) or name in _TAKEN:
        raise UserError(f"An axis of a grid cannot be called '{name}', which means something else there; choose another name.")
    if not re.fullmatch(r"\w[\w .-]*", name):
        raise UserError(
            f"An axis of a grid must be named by letters and digits, but has the name {quoted(name)}; write for instance "
            f"Grid(gain=[1.0, 3.0])."
        )
    array = _array(values)
    if array.ndim != 1 or not len(array) or array.dtype.kind not in "biufUS":
        raise UserError(
            f"The axis '{name}' of a grid must be a list of numbers or names, or a whole number, but is {quoted(values)}."
        )
    if len(np.unique(array)) != len(array):
        raise UserError(f"The values along the axis '{name}' of a grid must differ from each other, but are {array.tolist()}.")
    return array
