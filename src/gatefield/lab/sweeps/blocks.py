"""A block of trainings as an entry of the store: locks, commits, resuming and checksums are those of every entry."""

import functools
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.core.errors import Diverged, UserError
from gatefield.core.text.quoted import quoted
from gatefield.dynamics import Training
from gatefield.lab.bench import Bench, Progress
from gatefield.lab.experiment import Experiment, Parameters
from gatefield.lab.runner import Outcome, run
from gatefield.lab.store.disk import remove_tree
from gatefield.lab.store.records import PARTS
from gatefield.lab.store.store import Entry, Store, run_id
from gatefield.lab.sweeps.failures import note_failure
from gatefield.lab.sweeps.plan import FOLDER
from gatefield.lab.sweeps.sweep import Measure, Sweep
from gatefield.lab.sweeps.trainings.groups import seconds_of
from gatefield.lab.sweeps.trainings.stack import Stacked
from gatefield.lab.sweeps.trainings.work import Trained

NAME = "blocks"
FEW, MANY, APART = 20, 1000, 100
"""Records of a training whose history is not kept, at least and at most, and the steps between two of them at least: about one
in a second, so that a kill costs little, and so few that the loss on a fresh batch, which each takes, is a hundredth of the
work."""
STATUS = {"flag_values": [0, 1, 2], "flag_meanings": "ok diverged failed"}


class Block(Parameters):
    """What a block is: what is swept, the parameters of its points in columns, what is kept of them, and how many runs its
    program has, of which the last may be repeated."""

    swept: dict[str, Any]
    recorded: dict[str, Any]
    columns: dict[str, list[Any]]
    runs: int


def block_of(sweep: Sweep, numbers: np.ndarray, runs: int) -> Block:
    """The block of these points."""
    assert isinstance(sweep.work, Trained), "a block of an experiment is the entry itself"
    columns = sweep.points.columns(numbers)
    return Block(swept=sweep.work.description, recorded=sweep.recorded, columns=columns, runs=runs)


def block_store(store: Store) -> Store:
    """Where blocks of trainings are kept: beside the plans, out of sight of what lists entries."""
    return Store(store.root / FOLDER)


def block_entry(store: Store, id: str) -> Entry:
    """The entry of a block of trainings."""
    return Entry(store.root / FOLDER / NAME / id, id, NAME, {})


def run_block(store: Store, sweep: Sweep, block: Block, progress: Progress | None = None, fresh: bool = False) -> Outcome:
    """Compute a block, or go on with it, or find that it is done; what it committed on the way is removed at its end.

    What is wrong with some of its points is noted before its record is there: a kill in between cannot hide it.
    """
    note = functools.partial(note_failure, store, run_id(NAME, block))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Diverged)  # the status of a point says so
        outcome = run(experiment_of(sweep, note), block, block_store(store), progress=progress, fresh=fresh)
    remove_tree(outcome.entry.path / PARTS)
    return outcome


def experiment_of(sweep: Sweep, note: Callable[[Mapping[int, str]], None] = lambda errors: None) -> Experiment:
    """The hidden experiment whose entries are the blocks of a sweep; `note` is told what is wrong with points, by row."""

    def simulate(parameters: Block, bench: Bench) -> xr.Dataset:
        return _simulated(sweep, parameters, bench, note)

    return Experiment(
        name=NAME,
        title="A block of a sweep",
        Parameters=Block,
        simulate=simulate,
        verdicts=lambda record: [],
        figure=lambda record: Figure(),
    )


def _simulated(sweep: Sweep, block: Block, bench: Bench, note: Callable[[Mapping[int, str]], None]) -> xr.Dataset:
    """Train the points of a block, and take of each what is to be kept."""
    assert isinstance(sweep.work, Trained)
    pieces = sweep.work.pieces(block.columns)
    count, stacks = len(pieces.settings), pieces.stacked(block.runs)
    if not stacks:
        raise UserError(next(iter(pieces.errors.values())))
    parts = [_part(bench, f"trained-{at}" if at else "trained", stack, sweep) for at, stack in enumerate(stacks)]
    whole = parts[0] if len(parts) == 1 else _concatenated(parts)
    note(pieces.errors)
    errors = [pieces.errors.get(row, "") for row in range(count)]
    record = whole.reindex(point=np.arange(count))
    status = record.status.fillna(2).astype(np.int8).assign_attrs(STATUS)
    return record.assign(status=status, error=("point", np.asarray(errors, dtype=str)))


def _concatenated(parts: Sequence[xr.Dataset]) -> xr.Dataset:
    """Points of several programs, with NaN where they differ in size."""
    return xr.concat(parts, "point", data_vars="all", coords="minimal", compat="override", join="outer", fill_value=np.nan)


def _part(bench: Bench, name: str, stack: Stacked, sweep: Sweep) -> xr.Dataset:
    settings = {**stack.settings}
    if settings.get("record_every") is None and "history" not in sweep.definition.keep:
        settings["record_every"] = _steps_between(settings["steps"], seconds_of(stack.net, stack.task, settings, "cpu"))
    net, record = bench.train(name, stack.net, stack.task, keep_network=False, **settings)
    return kept(Training(net, record.isel(run=slice(len(stack.rows)))), sweep).assign_coords(point=stack.rows)


def _steps_between(steps: int, seconds: float) -> int:
    """Steps from record to record of a training of about so many seconds: not measured, since a run that goes on has the same.

    >>> _steps_between(60, 1.0), _steps_between(2000, 30.0), _steps_between(200_000, 1e4)
    (60, 100, 200)
    """
    between = min(int(steps / max(seconds, 1.0)), steps // FEW)
    return min(max(between, steps // MANY, APART), steps)


def kept(training: Training, sweep: Sweep) -> xr.Dataset:
    """What is kept of the runs of a training, as the points of a block: the last loss, the status and whatever else is one
    number, measures of the fields, and what was asked for."""
    record = training.record.rename(run="point").drop_vars(["point"], errors="ignore")
    last = record.isel(step=-1, drop=True)
    numbers = {str(name): last[name].variable for name in record.data_vars if record[name].dims == ("point", "step")}
    fields = last.get("fields")
    chosen: dict[str, Any] = {**numbers, **_measured(sweep.measures, fields, sweep.definition.measures is None)}
    if fields is not None and "fields" in sweep.definition.keep:
        chosen["fields"] = fields.variable
    if "history" in sweep.definition.keep:
        chosen["loss_history"] = record.loss.variable
    coords = {name: record[name].variable for name in ("unit", "position") if name in record.coords}
    if "history" in sweep.definition.keep:
        coords["step"] = record["step"].variable
    return xr.Dataset(chosen, {name: value for name, value in coords.items() if _used(name, chosen)})


def _used(dim: str, variables: Mapping[str, xr.Variable]) -> bool:
    return any(dim in variable.dims for variable in variables.values())


def _measured(measures: Mapping[str, Measure], fields: xr.DataArray | None, optional: bool) -> dict[str, xr.Variable]:
    """Measures of the fields of points that did not diverge; NaN for those that did."""
    if fields is None:
        if optional or not measures:
            return {}
        raise UserError(
            f"The network records no fields, of which '{next(iter(measures))}' could be taken: leave 'measures' out."
        )
    inner = [dim for dim in fields.dims if dim != "point"]
    good = np.flatnonzero(np.isfinite(fields.values).all(axis=fields.get_axis_num(inner)))
    found: dict[str, xr.Variable] = {}
    for name, measure in measures.items():
        results = measure(fields.isel(point=good)) if len(good) else ()
        for result in results if isinstance(results, tuple) else (results,):
            found |= _spread(name, result, good, fields.sizes["point"], several=isinstance(results, tuple))
    return found


def _spread(name: str, result: Any, good: np.ndarray, count: int, *, several: bool) -> dict[str, xr.Variable]:
    """A result for the good points as one for all."""
    if not isinstance(result, xr.DataArray) or "point" not in result.dims:
        raise UserError(f"The measure '{name}' must give a DataArray with the dimension 'point', but gives {quoted(result)}.")
    first = result.transpose("point", ...)
    values = np.full((count, *first.shape[1:]), np.nan)
    values[good] = first.values
    return {str(first.name) if several else name: xr.Variable(first.dims, values, first.attrs)}
