"""Running an experiment into a store: finished runs are reused, interrupted ones go on."""

import contextlib
import dataclasses
import itertools
import os
import time
from collections.abc import Sequence
from pathlib import Path

import xarray as xr

from gatefield.core.errors import StoreError
from gatefield.core.provenance import now, provenance
from gatefield.core.version import __version__
from gatefield.lab.bench import Progress, StoreBench
from gatefield.lab.experiment import Experiment, Parameters
from gatefield.lab.parameters import command
from gatefield.lab.store.disk import make_folder, writing
from gatefield.lab.store.json import canonical, write_json
from gatefield.lab.store.lock import locked
from gatefield.lab.store.marker import RECORD_FORMAT
from gatefield.lab.store.records import ABOUT, PARTS, RECORD, write_record
from gatefield.lab.store.store import VERDICTS, About, Entry, Store
from gatefield.lab.verdict import Verdict


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a run gave: its place in the store, the record and the verdicts.

    `reused` says that it was finished already, `resumed` that it went on from where an earlier process stopped.
    """

    entry: Entry
    record: xr.Dataset
    verdicts: Sequence[Verdict]
    reused: bool
    resumed: bool
    seconds: float


def run(
    experiment: Experiment, parameters: Parameters, store: Store, *, progress: Progress | None = None, fresh: bool = False
) -> Outcome:
    """Run an experiment, or go on with it, or find that it is done.

    **Arguments:** `parameters`: as `resolve` gives them; `progress`: called between chunks with the name of a part, the steps
    done and the steps in all; `fresh`: start over, after moving what is there aside.

    **Returns** an `Outcome`. An error or a kill on the way costs nothing that was committed.
    """
    start = time.monotonic()
    entry = store.entry(experiment.name, parameters)
    if entry.status == "finished" and not fresh:
        return _outcome(experiment, entry, start, reused=True)
    with locked(entry.path.with_name(f".{entry.id}.lock"), f"Run {entry.name}/{entry.id}"):
        if fresh and entry.status != "absent":
            _move_aside(entry.path)
        if entry.status == "finished":  # by another process, since the first look
            return _outcome(experiment, entry, start, reused=True)
        resumed = entry.status == "unfinished"
        _begin(experiment, entry)
        _simulate(experiment, parameters, entry, progress, start, resumed)
    return _outcome(experiment, entry, start, resumed=resumed)


def _outcome(experiment: Experiment, entry: Entry, start: float, *, reused: bool = False, resumed: bool = False) -> Outcome:
    """The record and what follows from it now; the verdicts are kept too, for readers who do not have the experiment."""
    record = entry.record()
    verdicts = experiment.verdicts(record)
    forgiving = contextlib.suppress(StoreError) if reused else contextlib.nullcontext()  # a store may be read-only by now
    with forgiving, writing(entry.path, "the record is kept"):
        write_json(entry.path / VERDICTS, [dataclasses.asdict(verdict) for verdict in verdicts])
    return Outcome(entry, record, verdicts, reused, resumed, time.monotonic() - start)


def _begin(experiment: Experiment, entry: Entry) -> None:
    """Note what this run is; or see that this very version began it."""
    if entry.status == "absent":
        make_folder(entry.path)
        said = {name: getattr(experiment, name) for name in ("title", "source", "text", "origin")}
        about = About(experiment=entry.name, parameters=dict(entry.parameters), created=now(), **said)
        with writing(entry.path):
            write_json(entry.path / ABOUT, about.model_dump())
    begun = entry.about().gatefield
    if begun != __version__:
        raise StoreError(
            f"Run {entry.name}/{entry.id} was begun by gatefield {begun} and this is {__version__}: only the version that "
            f"began a run continues it; finish it with that version, or pass --fresh to start again "
            f"(the old records move aside to {_aside(entry.path).name})."
        )


def _simulate(
    experiment: Experiment, parameters: Parameters, entry: Entry, progress: Progress | None, start: float, resumed: bool
) -> None:
    """Simulate and write the record."""
    record = experiment.simulate(parameters, StoreBench(entry.path / PARTS, progress))
    made = _made(experiment, parameters, entry)
    write_record(
        entry.path / RECORD,
        record.assign_attrs({**made, "seconds": round(time.monotonic() - start, 3), "resumed": int(resumed)}),
    )


def _made(experiment: Experiment, parameters: Parameters, entry: Entry) -> dict[str, object]:
    """How the record was made, so that it can be made again."""
    return {
        "experiment": entry.name,
        "parameters": canonical(entry.parameters),
        "record_format": RECORD_FORMAT,
        **provenance(),
        "created": entry.about().created,
        "finished": now(),
        "command": command(experiment, parameters),
    }


def _aside(path: Path) -> Path:
    """The first free name for what is moved aside."""
    return next(old for n in itertools.count(1) if not (old := path.with_name(f"{path.name}.old-{n}")).exists())


def _move_aside(path: Path) -> None:
    with writing(path):
        os.rename(path, _aside(path))
