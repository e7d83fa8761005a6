"""The store: one folder for each run, named by the hash of its parameters."""

import dataclasses
import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pydantic
import xarray as xr

from gatefield.core.errors import StoreError
from gatefield.core.version import __version__
from gatefield.lab.store.disk import corrupted, reading
from gatefield.lab.store.format import RECORD_FORMAT, read_model
from gatefield.lab.store.json import canonical
from gatefield.lab.store.marker import MARKER, read_marker
from gatefield.lab.store.records import ABOUT, PARTS, RECORD, open_record
from gatefield.lab.verdict import Verdict

VERDICTS = "verdicts.json"
_VERDICTS = pydantic.TypeAdapter(list[Verdict])
_ID = re.compile(r"[0-9a-f]{12}")


def run_id(name: str, parameters: pydantic.BaseModel | Mapping[str, Any]) -> str:
    """The name of a run: the first 12 hexadecimal digits of the SHA-256 of its experiment, parameters and record format."""
    text = canonical({"experiment": name, "format": RECORD_FORMAT, "parameters": parameter_values(parameters)})
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def parameter_values(parameters: pydantic.BaseModel | Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON keeps them."""
    values = parameters.model_dump(mode="json") if isinstance(parameters, pydantic.BaseModel) else dict(parameters)
    return json.loads(canonical(values))


class About(pydantic.BaseModel):
    """What `about.json` says: which run this is, and what its experiment says of itself, for readers who do not have it."""

    experiment: str
    title: str = ""
    source: str = ""
    text: str = ""
    origin: str = ""
    parameters: dict[str, Any]
    gatefield: str = __version__
    format: int = RECORD_FORMAT
    created: str


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
        names = _names(self.path)
        if RECORD in names:  # it comes by one rename, so that it is whole
            return "finished"
        return "unfinished" if names else "absent"

    @property
    def committed(self) -> str:
        """How far an interrupted run had come, part by part, in words; empty where no part was begun, or all is done."""
        if self.status != "unfinished":
            return ""
        markers = [(part.name, read_marker(part)) for part in sorted((self.path / PARTS).glob("[!.]*"))]
        return ", ".join(f"record {marker.records} of {marker.total} of {name}" for name, marker in markers if marker)

    def record(self) -> xr.Dataset:
        """The finished record."""
        self.check_marker()
        return open_record(self.path)

    def check_marker(self) -> None:
        """See that the marker of the finished record, if there is one, can be read."""
        if self.status == "finished" and read_marker(self.path / RECORD) is None:
            raise corrupted(self.path, f"{RECORD}/{MARKER}", "is missing")

    def verdicts(self) -> list[Verdict]:
        """What was concluded from the record when it was last read with its experiment at hand; none if it never was."""
        if not (self.path / VERDICTS).is_file():
            return []
        with reading(self.path / VERDICTS):
            text = (self.path / VERDICTS).read_bytes()
        try:
            return _VERDICTS.validate_json(text)
        except pydantic.ValidationError:
            raise corrupted(self.path, VERDICTS, "cannot be read", delete=self.path / VERDICTS) from None

    def about(self) -> About:
        """What run this is, and which version began it when."""
        about = read_model(self.path, ABOUT, About)
        if about is None:
            raise corrupted(self.path, ABOUT, "is missing")
        return about


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
        self.root = Path(root).expanduser()

    def entry(self, name: str, parameters: pydantic.BaseModel | Mapping[str, Any]) -> Entry:
        """The run of an experiment with these parameters."""
        id = run_id(name, parameters)
        return Entry(self.root / name / id, id, name, parameter_values(parameters))

    def entries(self) -> list[Entry]:
        """All runs, sorted by experiment and id; one that cannot be read says so in its `problem`."""
        with reading(self.root):
            if self.root.exists() and not self.root.is_dir():
                raise StoreError(f"The store '{self.root}' is a file: give a folder.")
            folders = sorted(path for path in self.root.glob("*") if path.is_dir())
        return [entry for folder in folders for entry in _entries(folder)]


def _entries(folder: Path) -> list[Entry]:
    """The runs of one experiment; where its folder may not be read, one that says so stands for them all."""
    try:
        names = sorted(_names(folder))
    except StoreError as error:
        return [Entry(folder / "*", "", folder.name, {}, problem=str(error))]
    return [_entry(folder / name) for name in names if _ID.fullmatch(name) and _holds_something(folder / name)]


def _holds_something(folder: Path) -> bool:
    try:
        return bool(_names(folder))
    except StoreError:  # its entry says why
        return True


def _entry(folder: Path) -> Entry:
    entry = Entry(folder, folder.name, folder.parent.name, {})
    try:
        about = entry.about()
        entry.check_marker()
    except StoreError as error:
        return dataclasses.replace(entry, problem=str(error))
    return dataclasses.replace(entry, name=about.experiment, parameters=about.parameters)


def _names(folder: Path) -> set[str]:
    """What a folder holds, but for temporary files; nothing if there is no such folder."""
    with reading(folder):
        try:
            return {name for name in os.listdir(folder) if not name.startswith(".")}
        except (FileNotFoundError, NotADirectoryError):
            return set()
