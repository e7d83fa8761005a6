"""What a sweep of trainings will keep of each point, before anything is trained."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.runs import one_run
from gatefield.dynamics import Training
from gatefield.lab.sweeps.blocks import kept
from gatefield.lab.sweeps.definition.axes import Axis
from gatefield.lab.sweeps.sweep import Sweep
from gatefield.lab.sweeps.trainings.work import Tables
from gatefield.nets import Network

Beside = dict[str, Mapping[str, int]]
"""Of each quantity its dimensions beside the axes of the sweep, with their sizes."""


def foreseen(sweep: Sweep) -> Beside | None:
    """What will be kept of each point, each with its dimensions beside the axes; None where only a point can tell.

    >>> from gatefield.lab import read_sweep
    >>> source = {"kind": "Gaussian", "n": 8, "xi": 2.0}
    >>> training = {"network": {"kind": "Committee", "K": 1}, "positive": source, "negative": source}
    >>> training |= {"steps": 10, "batch_size": 5, "learning_rate": 0.1}
    >>> sweep = read_sweep({"name": "small", "training": training, "axes": {"seed": 3}, "keep": ["fields"]})
    >>> foreseen(sweep)
    {'loss': {}, 'status': {}, 'ipr': {'unit': 1}, 'fields': {'unit': 1, 'position': 8}, 'seconds': {}}
    """
    if not isinstance(sweep.work, Tables):
        return None
    base, axes = sweep.points.at(0), sweep.points.axes.values()
    rows = [base, *({**base, **axis.at(place)} for axis in axes if _of_kinds(axis) for place in range(len(axis)))]
    pieces = sweep.work.pieces({name: [row[name] for row in rows] for name in base})
    if pieces.errors:
        return None
    found: Beside = {}
    for net in pieces.nets:
        shown = kept(Training(None, _toy_record(one_run(net, 0))), sweep)
        found |= {str(name): {str(d): shown.sizes[d] for d in one.dims if d != "point"} for name, one in shown.items()}
    return {**found, "seconds": {}}


def _of_kinds(axis: Axis) -> bool:
    """Whether places of an axis may differ in more than a number, so that other things may be recorded of them."""
    return any(isinstance(value, bool) or not isinstance(value, int | float) for row in axis.settings.values() for value in row)


def _toy_record(net: Network) -> xr.Dataset:
    """A record of one step of one run, with arbitrary numbers in the place of results."""
    numbers = np.random.default_rng(0)
    columns: dict[str, Any] = {name: (("run", "step"), np.ones((1, 1))) for name in ("loss", "status")}
    for name, (dims, array) in net.observables().items():
        columns[name] = (("run", "step", *dims), numbers.normal(size=(1, 1, *np.shape(array))))
    return xr.Dataset(columns, {"run": [0], "step": [0]})
