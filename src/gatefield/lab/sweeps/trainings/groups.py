"""Which points can share one program, found by making a few of them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from gatefield.core.errors import UserError
from gatefield.core.runs import one_run, run_count
from gatefield.data import AbstractTask
from gatefield.dynamics import runs_side_by_side
from gatefield.lab.sweeps.definition.axes import Axis
from gatefield.lab.sweeps.definition.points import Points
from gatefield.lab.sweeps.trainings.work import Trained
from gatefield.nets import Network

MANY, FEW = 64, 8
"""Of an axis with more than so many places, so few are made first: if they are alike, all are taken to be."""
SECONDS = 30.0
"""How long a block should take: a kill costs little, a cluster balances, and writing its record counts for nothing."""
RATES = {"cpu": 1e8, "gpu": 3e10}
"""Numbers of a batch that a device works through in a second, times steps, as the benchmarks of the engine have them."""
SHARED = 10
"""About how many times as many runs go through in a second where all share one stream: on a CPU with n = 40, 3 with a
gain for each, so that samples differ, and 26 with one task for all."""
NARROW = {"cpu": 8, "gpu": 1024}
"""Fewer runs side by side leave the device idle, however long they take."""
UNMADE = 1000
"""Points in a block of such that cannot be made: they only have to be told."""


class Size(NamedTuple):
    """How the points of a group are cut: points in each block."""

    block: int
    runs: int


def grouped(work: Trained, points: Points) -> np.ndarray:
    """The number of the group of each point: points of a group have the same structure, settings and shapes.

    One axis is looked at after the other, the others at their first place. A block looks again before it trains, so that
    what is found here costs time if it is wrong, but no result.
    """
    kinds = {name: _kinds(work, points, axis) for name, axis in points.axes.items()}
    places = points.places(np.arange(len(points)))
    number = np.zeros(len(points), np.int64)
    for name, kind in kinds.items():
        number = number * (kind.max() + 1) + kind[places[name]]
    return np.unique(number, return_inverse=True)[1]


def _kinds(work: Trained, points: Points, axis: Axis) -> np.ndarray:
    """A number for each place of an axis, equal where points can share a program."""
    if axis.settings.keys() <= {"seed"} and work.seeded:
        return np.zeros(len(axis), np.int64)  # a seed makes a key, and nothing else
    if len(axis) > MANY:
        some = np.unique([*np.linspace(0, len(axis) - 1, FEW).astype(int), *_special(axis)])
        found = _numbered(work, points, axis, some)
        if not found.any():
            return np.zeros(len(axis), np.int64)
    return _numbered(work, points, axis, np.arange(len(axis)))


def _special(axis: Axis) -> list[int]:
    """Places of values at which a law may take another form."""
    if axis.places.dtype.kind not in "if":
        return []
    return np.flatnonzero(np.isinf(axis.places.astype(float)) | (axis.places == 0)).tolist()[:FEW]


def _numbered(work: Trained, points: Points, axis: Axis, places: Sequence[int] | np.ndarray) -> np.ndarray:
    base = points.at(0)
    rows = [{**base, **axis.at(int(place))} for place in places]
    signatures = work.pieces({name: [row[name] for row in rows] for name in base}).signatures()
    known: dict[Any, int] = {}
    return np.asarray([known.setdefault(signature, len(known)) for signature in signatures])


def size_of(work: Trained, points: Points, first: int, count: int) -> Size:
    """How many points of a group of `count` make a block, from its first point: what fits side by side, for some seconds."""
    pieces = work.pieces(points.columns([first]))
    if pieces.errors:
        return Size(min(count, UNMADE), 0)
    net, task, settings = one_run(pieces.nets[0], 0), pieces.tasks[0], pieces.settings[0]
    device = "cpu" if jax.default_backend() == "cpu" else "gpu"
    seconds = seconds_of(net, task, settings, device)
    shared = bool(settings.get("shared_stream"))
    wide = 1 if net.sequential else runs_side_by_side(count, _samples(task, settings), net.footprint, shared_stream=shared)
    wide = max(1, min(wide, max(NARROW[device], int(SECONDS / seconds))))
    rows = -(-count // wide)  # of runs side by side
    blocks = -(-rows // max(1, int(SECONDS / (seconds * wide))))
    runs = min(-(-rows // blocks) * wide, count)
    return Size(runs, runs)


def seconds_of(net: Network, task: AbstractTask, settings: Mapping[str, Any], device: str) -> float:
    """About how long a training takes, all runs together."""
    work = settings["steps"] * _samples(task, settings) * net.footprint
    work /= SHARED if settings.get("shared_stream") else 1
    return (run_count(net) or 1) * work / RATES[device]


def _samples(task: AbstractTask, settings: Mapping[str, Any]) -> int:
    batch = settings.get("batch_size")
    return batch if isinstance(batch, int) else task.size or 1


def check_some(work: Trained, points: Points) -> None:
    """An error if no point along the axes can be made: then the definition is wrong, and not some of its points."""
    first = ""
    for axis in points.axes.values():
        base, places = points.at(0), range(min(len(axis), FEW))
        rows = [{**base, **axis.at(place)} for place in places]
        pieces = work.pieces({key: [row[key] for row in rows] for key in base})
        if len(pieces.errors) < len(rows):
            return
        first = first or pieces.errors[0]
    raise UserError(first)
