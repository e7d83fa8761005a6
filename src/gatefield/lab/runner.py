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
from gatefield.lab.store.format import RECORD_FORMAT
from gatefield.lab.store.json import canonical, update_json, write_json
from gatefield.lab.store.lock import locked
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

    **Arguments**

    - `experiment`: a value of `Experiment`, such as `gatefield.experiments.get("localization")`.
    - `parameters`: its parameters, as `resolve` gives them.
    - `store`: where it is kept.
    - `progress`: called between chunks with the name of a part, the steps done and the steps in all.
    - `fresh`: start over, after moving what is there aside.

    **Returns** an `Outcome`. An error or a kill on the way costs nothing that was committed.

    >>> import tempfile
    >>> from gatefield import experiments
    >>> from gatefield.lab import Store, resolve
    >>> experiment = experiments.get("fourier-basis")
    >>> parameters, store = resolve(experiment, overrides={"n": 12}), Store(tempfile.mkdtemp())
    >>> run(experiment, parameters, store).reused, run(experiment, parameters, store).reused
    (False, True)
    """
    start = time.monotonic()
    entry = store.entry(experiment.name, parameters)
    if not fresh and entry.status == "finished":
        return _outcome(experiment, entry, start, reused=True)
    with locked(entry.path.with_name(f".{entry.id}.lock"), f"Run {entry.name}/{entry.id}"):
        status = entry.status  # asked again: another process may have had the lock until now
        if fresh and status != "absent":
            _move_aside(entry.path)
            status = "absent"
        if status == "finished":
            return _outcome(experiment, entry, start, reused=True)
        resumed = status == "unfinished"
        _begin(experiment, entry, resumed)
        _simulate(experiment, parameters, entry, progress, start, resumed)
        return _outcome(experiment, entry, start, resumed=resumed)


def _outcome(experiment: Experiment, entry: Entry, start: float, *, reused: bool = False, resumed: bool = False) -> Outcome:
    """The record and what follows from it now."""
    record = entry.record()  # also if it was made just now: what is judged is what every later reader gets
    verdicts = list(experiment.verdicts(record))
    with contextlib.suppress(StoreError) if reused else contextlib.nullcontext():  # a store may be read-only by now
        _keep(experiment, entry, verdicts)
    return Outcome(entry, record, verdicts, reused, resumed, time.monotonic() - start)


def _keep(experiment: Experiment, entry: Entry, verdicts: Sequence[Verdict]) -> None:
    """Keep the verdicts, and what the experiment says of itself by now, for readers who do not have the experiment."""
    with writing(entry.path, "the record is kept"):
        update_json(entry.path / VERDICTS, [dataclasses.asdict(verdict) for verdict in verdicts])
        update_json(entry.path / ABOUT, entry.about().model_copy(update=_words(experiment)).model_dump())


def _words(experiment: Experiment) -> dict[str, str]:
    return {name: getattr(experiment, name) for name in ("title", "source", "text", "origin")}


def _begin(experiment: Experiment, entry: Entry, resumed: bool) -> None:
    """Note what this run is; or see that this very version began it."""
    if not resumed:
        make_folder(entry.path)
        about = About(experiment=entry.name, parameters=dict(entry.parameters), created=now())
        with writing(entry.path):
            write_json(entry.path / ABOUT, about.model_copy(update=_words(experiment)).model_dump())
        return
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
        "command": command(experiment.origin or experiment.name, parameters.model_dump()),
    }


def _aside(path: Path) -> Path:
    """The first free name for what is moved aside."""
    return next(old for n in itertools.count(1) if not (old := path.with_name(f"{path.name}.old-{n}")).exists())


def _move_aside(path: Path) -> None:
    with writing(path):
        os.rename(path, _aside(path))
