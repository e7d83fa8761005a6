"""The points of a sweep: every combination of the places of its axes, counted with the last axis fastest."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gatefield.core.errors import UserError
from gatefield.core.grid import Grid
from gatefield.lab.sweeps.definition.axes import Axis, read_axis

MOST = 10**7
"""More points are a mistake: the plan alone would fill memory."""


class Points:
    """The points over some axes, as columns: nothing is kept for a single point.

    **Arguments**

    - `axes`: name -> axis, as `read_axis` takes it.

    >>> points = Points({"gain": [1.0, 3.0], "seed": 3})
    >>> len(points), points.at(4), points.columns([0, 5])
    (6, {'gain': 3.0, 'seed': 1}, {'gain': [1.0, 3.0], 'seed': [0, 2]})
    """

    axes: dict[str, Axis]

    def __init__(self, axes: Mapping[str, Any]) -> None:
        if not axes:
            raise UserError("A sweep needs at least one axis: write for instance gain = [0.5, 1.0, 3.0] under [axes].")
        self.axes = {name: read_axis(name, given) for name, given in axes.items()}
        self._check_parameters()
        count = np.prod([float(len(axis)) for axis in self.axes.values()])
        if count > MOST:
            raise UserError(f"A sweep has at most {MOST:,} points, but these axes make {count:,.0f}: leave some values out.")
        self.grid = Grid(**{name: axis.places for name, axis in self.axes.items()})  # it knows which names are taken

    def _check_parameters(self) -> None:
        """See that no parameter is set by two axes, nor a table and something in it."""
        names = sorted(name for axis in self.axes.values() for name in axis.settings)
        for one, two in itertools.pairwise(names):
            if one == two or two.startswith(f"{one}."):
                raise UserError(f"The parameter '{two}' is set twice by the axes of the sweep: let one axis set it.")

    def __len__(self) -> int:
        return len(self.grid)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.grid.shape

    @property
    def parameters(self) -> list[str]:
        """All that the axes set."""
        return [name for axis in self.axes.values() for name in axis.settings]

    def places(self, numbers: Sequence[int] | np.ndarray) -> dict[str, np.ndarray]:
        """Where along each axis the points of these numbers are."""
        return dict(zip(self.axes, np.unravel_index(np.asarray(numbers, np.int64), self.shape), strict=True))

    def columns(self, numbers: Sequence[int] | np.ndarray) -> dict[str, list[Any]]:
        """What is set at the points of these numbers, parameter by parameter."""
        places = self.places(numbers)
        return {
            parameter: [values[place] for place in places[name].tolist()]
            for name, axis in self.axes.items()
            for parameter, values in axis.settings.items()
        }

    def at(self, number: int) -> dict[str, Any]:
        """What is set at one point."""
        return {name: column[0] for name, column in self.columns([number]).items()}

    @property
    def coords(self) -> dict[str, tuple[str, np.ndarray]]:
        """The coordinates of a dataset over the axes: what each axis shows, and other numbers that it sets."""
        coords = self.grid.coords
        for name, axis in self.axes.items():
            others = {parameter: read_axis(parameter, list(values)).places for parameter, values in axis.settings.items()}
            coords |= {key: (name, places) for key, places in others.items() if not np.array_equal(places, axis.places)}
        return coords
