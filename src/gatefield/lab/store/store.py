"""The store: one folder for each run, named by the hash of its parameters."""

import contextlib
import dataclasses
import hashlib
import itertools
import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import pydantic
import xarray as xr

from gatefield.core.errors import StoreError
from gatefield.core.version import __version__
from gatefield.lab.parameters import command
from gatefield.lab.store.chunks import read_attributes
from gatefield.lab.store.disk import Damaged, as_path, corrupted, reading
from gatefield.lab.store.format import RECORD_FORMAT, read_model
from gatefield.lab.store.json import canonical
from gatefield.lab.store.marker import DATA, Marker, read_marker
from gatefield.lab.store.records import ABOUT, PARTS, RECORD, open_record, without_marker
from gatefield.lab.verdict import Verdict

VERDICTS = "verdicts.json"
_VERDICTS = pydantic.TypeAdapter(list[Verdict])
ID = re.compile(r"[0-9a-f]{12}")
"""How an entry's folder is called."""


def run_id(name: str, parameters: pydantic.BaseModel | Mapping[str, Any]) -> str:
    """The name of a run: the first 12 hexadecimal digits of the SHA-256 of its experiment, parameters and record format."""
    text = canonical({"experiment": name, "format": RECORD_FORMAT, "parameters": _values(parameters)})
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def parameter_values(parameters: pydantic.BaseModel | Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON keeps them."""
    return json.loads(canonical(_values(parameters)))


def _values(parameters: pydantic.BaseModel | Mapping[str, Any]) -> dict[str, Any]:
    return parameters.model_dump(mode="json") if isinstance(parameters, pydantic.BaseModel) else dict(parameters)


class About(pydantic.BaseModel):
    """What `about.json` says: which run this is, and what its experiment says of itself, for readers who do not have it."""

    experiment: str
    title: str = ""
    source: str = ""
    text: str = ""
    caption: str = ""
    more_caption: str = ""
    frames_caption: str = ""
    origin: str = ""
    parameters: dict[str, Any]
    gatefield: str = __version__
    format: int = RECORD_FORMAT
    created: str


class Kept(pydantic.BaseModel):
    """What `verdicts.json` says."""

    run: str
    verdicts: list[Verdict]
    gatefield: str = __version__
    format: int = RECORD_FORMAT


@dataclasses.dataclass(frozen=True)
class Entry:
    """One run in the store, whether it is there or not; `problem` says why it cannot be read, if so."""

    path: Path
    id: str
    name: str
    parameters: Mapping[str, Any]
    problem: str | None = None

    @property
    def status(self) -> Literal["absent", "unfinished", "finished"]:
        """`finished` when the record is there: verdicts and figure follow from it. The disk is asked each time, once."""
        names = names_in(self.path)
        if RECORD in names:  # it comes by one rename, so that it is whole
            return "finished"
        return "unfinished" if names else "absent"

    @property
    def committed(self) -> str:
        """How far an interrupted run had come, part by part, in words; empty where no part was begun, or all is done."""
        markers = self._parts() if self.status == "unfinished" else {}
        return ", ".join(f"record {m.records} of {m.total} of {name}" if m.total else name for name, m in markers.items())

    def begun_by(self) -> str:
        """The version of gatefield that began the parts, or this one if there are none."""
        return next((marker.gatefield for marker in self._parts().values()), __version__)

    def _parts(self) -> dict[str, Marker]:
        markers = {part.name: read_marker(part) for part in sorted((self.path / PARTS).glob("[!.]*"))}
        return {name: marker for name, marker in markers.items() if marker is not None}

    def record(self) -> xr.Dataset:
        """The finished record, once it is seen to be that of this run."""
        with self._advised():
            self.check_marker()
            record = open_record(self.path)
            check_owner(self.path, self.id, record.attrs)
            return record

    def files_digest(self) -> str:
        """Of all that the finished record has on the disk, byte for byte; empty if there is none."""
        folder, digest = self.path / RECORD, hashlib.sha256()
        with reading(folder):
            files = sorted(path for path in folder.rglob("*") if path.is_file())
            for path in files:
                content = path.read_bytes()
                digest.update(f"{path.relative_to(folder)} {len(content)}\n".encode())
                digest.update(content)
        return digest.hexdigest()[:32] if files else ""

    def check_marker(self) -> None:
        """See that the marker of the finished record, if there is one, can be read."""
        with self._advised():
            if self.status == "finished" and read_marker(self.path / RECORD) is None:
                raise without_marker(self.path)

    @contextlib.contextmanager
    def _advised(self) -> Iterator[None]:
        """Let what is said of a damaged record name the command that makes it anew, whoever reads it, if that is known."""
        try:
            yield
        except Damaged as error:
            if not (error.usual and self.status == "finished" and self.parameters):
                raise
            raise error.made_by(f"{self.command()} --fresh") from error

    def command(self) -> str:
        """What to type for this run, with its store."""
        origin = ""
        with contextlib.suppress(StoreError):
            origin = self.about().origin
        return f"{command(origin or self.name, self.parameters)} --store {shlex.quote(str(self.path.parent.parent))}"

    def is_blocked(self) -> bool:
        """Whether something without content has the name of the record: a file, or an empty folder."""
        record = self.path / RECORD
        return os.path.lexists(record) and not names_in(record)

    def verdicts(self) -> list[Verdict]:
        """What was concluded from the record when it was last read with its experiment at hand; none if it never was."""
        again = f"`{self.command()}`" if self.parameters else "the command that began this run"
        advice = f"only the verdicts are lost, and {again} writes {VERDICTS} anew"
        with reading(self.path / VERDICTS):
            text = (self.path / VERDICTS).read_bytes() if (self.path / VERDICTS).is_file() else b""
        if text.startswith(b"[") and not self.is_sealed():  # an earlier version
            try:
                return _VERDICTS.validate_json(text)
            except pydantic.ValidationError:
                raise corrupted(self.path, VERDICTS, "cannot be read", advice) from None
        kept = read_model(self.path, VERDICTS, Kept, advice, unsealed=False)
        if kept is not None and kept.run != self.id:
            raise corrupted(self.path, VERDICTS, "does not belong to this run", advice)
        return [] if kept is None else kept.verdicts

    def about(self) -> About:
        """What run this is, and which version began it when: as `about.json` says or, if that is damaged, the record."""
        try:
            return self.read_about()
        except Damaged:
            about = _about_of(self._attributes(), self.id)
            if about is None:
                raise
            return about

    def read_about(self) -> About:
        """What `about.json` says."""
        advice = "all else is kept; run the command that began this run again, which writes it anew"
        about = read_model(self.path, ABOUT, About, advice, unsealed=not self.is_sealed())
        if about is None:
            raise corrupted(self.path, ABOUT, "is missing", advice)
        if run_id(about.experiment, about.parameters) != self.id:
            raise corrupted(self.path, ABOUT, "does not belong to this run", advice)
        return about

    def _attributes(self) -> Mapping[str, Any]:
        """Those of the record, if there is one that is not damaged."""
        with contextlib.suppress(StoreError), reading(self.path):
            marker = read_marker(self.path / RECORD)
            return {} if marker is None else read_attributes(self.path / RECORD, marker)
        return {}

    def is_sealed(self) -> bool:
        """Whether the record is of a version that keeps checksums of all files."""
        with contextlib.suppress(StoreError):
            marker = read_marker(self.path / RECORD)
            return marker is not None and bool(marker.metadata)
        return False


def check_owner(path: Path, id: str, attrs: Mapping[str, Any]) -> None:
    """See that the finished record in a run's folder is of that run, as far as its attributes say: whoever copies or moves
    folders may put it in the place of another."""
    if "parameters" in attrs and _about_of(attrs, id) is None:
        raise corrupted(path / RECORD, f"{DATA}/zarr.json", "does not belong to this run")


def _about_of(attrs: Mapping[str, Any], id: str) -> About | None:
    """What the attributes of a record say of its run, if it is the run of that id."""
    try:
        about = About(
            experiment=attrs["experiment"],
            parameters=json.loads(attrs["parameters"]),
            gatefield=attrs["gatefield_version"],
            created=attrs["created"],
            origin=_origin(attrs["command"]),
        )
    except (KeyError, IndexError, TypeError, ValueError):
        return None
    return about if run_id(about.experiment, about.parameters) == id else None


def _origin(command: str) -> str:
    """The file in `gatefield run FILE.py ...`, or nothing; only the first words are read of a command that may be long."""
    words = shlex.shlex(command, posix=True)
    words.whitespace_split, words.commenters = True, ""
    _, _, named = itertools.islice(words, 3)
    return named if ".py" in named else ""


class Store:
    """A folder of runs: `root/<experiment>/<id>/`, with `about.json`, `parts/`, `record/` and `verdicts.json` in each.

    **Arguments**

    - `root`: the folder; it is made when the first run starts.

    >>> import tempfile
    >>> store = Store(tempfile.mkdtemp())
    >>> store.entry("my-study", {"gain": 3.0}).status, store.entries()
    ('absent', [])
    """

    def __init__(self, root: str | Path) -> None:
        self.root = as_path("root", root)

    def __repr__(self) -> str:
        return f"Store({str(self.root)!r})"

    def entry(self, name: str, parameters: pydantic.BaseModel | Mapping[str, Any]) -> Entry:
        """The run of an experiment with these parameters."""
        id = run_id(name, parameters)
        return Entry(self.root / name / id, id, name, parameter_values(parameters))

    def entries(self) -> list[Entry]:
        """All runs, sorted by experiment and id; one that cannot be read says so in its `problem`."""
        return [entry for folder in self.folders() for entry in _entries(folder)]

    def folders(self) -> list[Path]:
        """One for each experiment, in order."""
        with reading(self.root):
            if self.root.exists() and not self.root.is_dir():
                raise StoreError(f"The store '{self.root}' is a file: give a folder.")
            return sorted(path for path in self.root.glob("*") if path.is_dir())


def _entries(folder: Path) -> list[Entry]:
    """The runs of one experiment; where its folder may not be read, one that says so stands for them all."""
    try:
        names = sorted(names_in(folder))
    except StoreError as error:
        return [Entry(folder / "*", "", folder.name, {}, problem=str(error))]
    return [read_entry(folder / name, name) for name in names if ID.fullmatch(name) and _holds_something(folder / name)]


def _holds_something(folder: Path) -> bool:
    try:
        return bool(names_in(folder))
    except StoreError:  # its entry says why
        return True


def read_entry(folder: Path, id: str) -> Entry:
    """The run of that id in a folder, with what it says of itself, or with its problem."""
    entry = Entry(folder, id, folder.parent.name, {})
    try:
        about = entry.about()
        entry = dataclasses.replace(entry, name=about.experiment, parameters=about.parameters)
        entry.check_marker()
    except StoreError as error:
        return dataclasses.replace(entry, problem=str(error))
    return entry


def names_in(folder: Path) -> set[str]:
    """What a folder holds, but for temporary files; nothing if there is no such folder."""
    with reading(folder):
        try:
            return {name for name in os.listdir(folder) if not name.startswith(".")}
        except (FileNotFoundError, NotADirectoryError):
            return set()
