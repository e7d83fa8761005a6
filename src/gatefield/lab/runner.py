"""Running an experiment into a store: finished runs are reused, interrupted ones go on."""

import contextlib
import dataclasses
import functools
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import xarray as xr

from gatefield.core.errors import StoreError, UserError
from gatefield.core.machine import RUN, check_room
from gatefield.core.provenance import now, provenance
from gatefield.core.text.quoted import quoted
from gatefield.core.version import __version__
from gatefield.lab.bench import Progress, StoreBench
from gatefield.lab.experiment import Experiment, Parameters
from gatefield.lab.judge import DIVERGED, FINITE, judge
from gatefield.lab.parameters import command
from gatefield.lab.store.disk import FRESH, Damaged, free_name, make_folder, move_aside, writing
from gatefield.lab.store.format import RECORD_FORMAT, sealed
from gatefield.lab.store.json import canonical, update_json
from gatefield.lab.store.lock import locked
from gatefield.lab.store.place import DELETED, Gone, Place
from gatefield.lab.store.records import ABOUT, PARTS, RECORD, write_whole
from gatefield.lab.store.store import VERDICTS, About, Entry, Kept, Store
from gatefield.lab.verdict import Verdict


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a run gave: its place in the store, the record and the verdicts.

    `reused` says that it was finished already, `resumed` that it went on from where an earlier process stopped;
    `remarks` are sentences that a reader should see.
    """

    entry: Entry
    record: xr.Dataset
    verdicts: Sequence[Verdict]
    reused: bool
    resumed: bool
    seconds: float
    remarks: Sequence[str] = ()


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
    _check_room(experiment, parameters)
    entry = store.entry(experiment.name, parameters)
    if not fresh and entry.status == "finished" and not entry.is_blocked():
        return _outcome(experiment, entry, start, reused=True)
    with locked(entry.path.with_name(f".{entry.id}.lock"), f"Run {entry.name}/{entry.id}") as held:
        if fresh and entry.status != "absent":
            move_aside(entry.path)
        if entry.is_blocked():
            move_aside(entry.path / RECORD)
        status = entry.status  # asked again: another process may have had the lock until now
        if status == "finished":
            return _outcome(experiment, entry, start, reused=True)
        about = _resume(experiment, entry) if status == "unfinished" else _begin(experiment, entry)
        resumed = bool(entry.committed)
        with Place(entry.path) as place:
            bench = StoreBench(entry.path / PARTS, progress, functools.partial(_check, place, held))
            with _rescuing(entry, bench):
                record = _simulated(experiment, parameters, bench).assign_attrs(_made(experiment, parameters, about))
            record = record.assign_attrs(_diverged(bench))
            _write(entry, place, record.assign_attrs(seconds=round(time.monotonic() - start, 3), resumed=int(resumed)))
        return _outcome(experiment, entry, start, resumed=resumed)


def _check_room(experiment: Experiment, parameters: Parameters) -> None:
    """See that there is memory for so many seeds, by what most experiments call them, before anything is made of them."""
    seeds, n = (getattr(parameters, name, 0) for name in ("seeds", "n"))
    if isinstance(seeds, int) and isinstance(n, int):
        needed = seeds * (RUN + 8 * n)  # a field at the start and one at the end, in single precision
        check_room(f"{experiment.name} with seeds={seeds}", needed, "choose fewer seeds")


@contextlib.contextmanager
def _rescuing(entry: Entry, bench: StoreBench) -> Iterator[None]:
    """If the folder of the run is deleted, write the finished parts, too, to where the rest is kept, and say so."""
    try:
        yield
    except Gone as gone:
        refuge = gone.refuge
        if refuge.what != DELETED or not entry.path.is_relative_to(refuge.old):
            raise
        names = bench.finished.write(refuge.new / entry.path.relative_to(refuge.old) / PARTS)
        if not names:
            raise
        raise gone.with_more(f"all of the finished part{'s' * (len(names) > 1)} {', '.join(names)}") from gone


def _simulated(experiment: Experiment, parameters: Parameters, bench: StoreBench) -> xr.Dataset:
    record = experiment.simulate(parameters, bench)
    if not isinstance(record, xr.Dataset):
        raise UserError(
            f"simulate of the experiment '{experiment.name}' must return an xarray.Dataset, but returned {quoted(record)}; "
            "what was trained is kept, so the next run is short."
        )
    return record


def _diverged(bench: StoreBench) -> dict[str, Any]:
    """What the record says of runs that diverged."""
    return {DIVERGED: " ".join(bench.diverged), FINITE: bench.finite} if bench.diverged else {}


def _outcome(experiment: Experiment, entry: Entry, start: float, *, reused: bool = False, resumed: bool = False) -> Outcome:
    """The record and what follows from it now."""
    record = entry.record()  # also if it was made just now: what is judged is what every later reader gets
    verdicts = judge(experiment, record)
    remarks = _remarks(experiment, entry, record) if reused else ()
    with contextlib.suppress(StoreError) if reused else contextlib.nullcontext():  # a store may be read-only by now
        _keep(experiment, entry, verdicts)
    return Outcome(entry, record, verdicts, reused, resumed, time.monotonic() - start, remarks)


def _remarks(experiment: Experiment, entry: Entry, record: xr.Dataset) -> tuple[str, ...]:
    """What is to be told of a run that was found: damage beside the record, runs that diverged, and code that is not that of
    the record."""
    remarks = []
    verdicts = [(VERDICTS, entry.verdicts)] if entry.is_sealed() else []  # earlier versions kept other verdicts
    for file, read in ((ABOUT, entry.read_about), *verdicts):
        try:
            read()
        except Damaged:
            remarks.append(f"{file} was damaged, and is made anew from the record, which is whole.")
        except StoreError as error:
            remarks.append(str(error))
    if DIVERGED in record.attrs:
        remarks.append(record.attrs[DIVERGED])
    if experiment.code and record.attrs.get("code", experiment.code) != experiment.code:
        remarks.append(f"{experiment.origin} has changed since this run; {FRESH} computes it again.")
    return tuple(remarks)


def _keep(experiment: Experiment, entry: Entry, verdicts: Sequence[Verdict]) -> None:
    """Keep the verdicts, and what the experiment says of itself by now, for readers who do not have the experiment."""
    if (entry.path / "figure.svg").is_dir():  # who shows the outcome draws it
        move_aside(entry.path / "figure.svg")
    _note(entry.path / VERDICTS, Kept(run=entry.id, verdicts=list(verdicts)), "the record is kept")
    _note(entry.path / ABOUT, entry.about().model_copy(update=_words(experiment)), "the record is kept")


def _note(path: Path, content: Kept | About, kept: str = "what was there before is kept") -> None:
    """Write a file beside the record, unless it says so already; a folder of its name moves aside."""
    if path.is_dir():
        move_aside(path)
    with writing(path, kept):
        update_json(path, sealed(content))


def _words(experiment: Experiment) -> dict[str, str]:
    names = ("title", "source", "text", "caption", "more_caption", "frames_caption", "origin")
    return {name: getattr(experiment, name) for name in names}


def _begin(experiment: Experiment, entry: Entry, version: str = __version__) -> About:
    """Note what this run is."""
    make_folder(entry.path)
    about = About(experiment=entry.name, parameters=dict(entry.parameters), created=now(), gatefield=version)
    about = about.model_copy(update=_words(experiment))
    _note(entry.path / ABOUT, about)
    return about


def _resume(experiment: Experiment, entry: Entry) -> About:
    """See that this very version began it; what run it is, if that note is damaged, is known from the parameters."""
    try:
        about = entry.about()
    except Damaged:
        about = _begin(experiment, entry, entry.begun_by())
    if about.gatefield != __version__:
        raise StoreError(
            f"Run {entry.name}/{entry.id} was begun by gatefield {about.gatefield} and this is {__version__}: only the version "
            f"that began a run continues it; finish it with that version, or pass {FRESH} to start again "
            f"(the old records move aside to {free_name(entry.path, 'old').name})."
        )
    return about


def _check(place: Place, held: Callable[[], None]) -> None:
    """See that the folder of the run is where it was, and that no other process can write to it."""
    place.check()
    held()


def _write(entry: Entry, place: Place, record: xr.Dataset) -> None:
    """Write the record, wherever the folder of the run is by now."""
    if place.here():
        return write_whole(entry.path / RECORD, record, f"{entry.committed or 'nothing of it'} is kept")
    refuge = place.refuge()
    write_whole(refuge.folder / RECORD, record, "nothing of it is kept")
    raise refuge.error("the finished record")


def _made(experiment: Experiment, parameters: Parameters, about: About) -> dict[str, object]:
    """How the record was made, so that it can be made again."""
    return {
        "experiment": about.experiment,
        "parameters": canonical(about.parameters),
        "record_format": RECORD_FORMAT,
        **provenance(),
        **({"code": experiment.code} if experiment.code else {}),
        "created": about.created,
        "finished": now(),
        "command": command(experiment.origin or experiment.name, parameters.model_dump()),
    }
