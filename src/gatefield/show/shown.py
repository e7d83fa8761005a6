"""What the report shows of a record, kept beside it: worked out again when a byte of the record, or the code, has changed."""

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pydantic
import xarray as xr

from gatefield.core.errors import StoreError
from gatefield.lab import Entry, Experiment, Verdict, judge, read_file, write_file
from gatefield.show.kept import FIGURE, code_digest
from gatefield.show.pictures import PICTURES, UNREADABLE, Pictures, digest_of, kept_pictures, pictures_of, sealed, unsealed

SHOWN = "shown.json"
"""The file beside the record."""
_VERDICTS = pydantic.TypeAdapter(list[Verdict])


@dataclass(frozen=True)
class Shown:
    """What follows from one record."""

    verdicts: Sequence[Verdict]
    pictures: Pictures
    provenance: Sequence[tuple[str, str]]


def shown_of(experiment: Experiment, entry: Entry) -> Shown:
    """What follows from the record of an entry: as it is kept, if it was worked out from these very files by this code, else
    worked out now and kept.

    Of an experiment in a file of the user's own it is not known what that file reads, so that nothing is taken as it was.
    """
    folder, files = Path(entry.path), "" if experiment.origin else entry.files_digest()
    source = [entry.id, files, code_digest(experiment)]
    kept = _read(folder, source) if files else None
    if kept:
        return kept
    record = entry.record()
    verdicts = judge(experiment, record)
    shown = Shown(verdicts, pictures_of(experiment, record, folder, verdicts), provenance(record))
    if files:
        _keep(folder, shown, source)
    return shown


def _keep(folder: Path, shown: Shown, source: Sequence[str]) -> None:
    """Keep it, unless JSON loses some of it, or the folder cannot be written to, or its pictures are not kept there."""
    with contextlib.suppress(StoreError, OSError):
        text = _text(shown, source, folder)
        kept = _VERDICTS.validate_python(json.loads(text)["verdicts"])
        if repr(kept) == repr(list(shown.verdicts)):  # NaN, of what is not judged, is not equal to itself
            write_file(folder / SHOWN, text)


def _text(shown: Shown, source: Sequence[str], folder: Path) -> bytes:
    content = {
        "source": source,
        "drawn": _drawn(folder),
        "verdicts": _VERDICTS.dump_python(list(shown.verdicts), mode="json"),
        "provenance": shown.provenance,
    }
    return sealed(content)


def _read(folder: Path, source: Sequence[str]) -> Shown | None:
    """What is kept; None if it is not whole, or is of another record, by other code or beside other pictures."""
    try:
        content = unsealed(read_file(folder / SHOWN))
        if content["source"] != source or content["drawn"] != _drawn(folder):
            return None
        pictures = kept_pictures(folder)
        verdicts = _VERDICTS.validate_python(content["verdicts"])
    except UNREADABLE:
        return None
    return pictures and Shown(verdicts, pictures, [(name, value) for name, value in content["provenance"]])


def _drawn(folder: Path) -> list[str]:
    """Of the pictures that are kept beside the record."""
    return [digest_of(read_file(folder / name)) for name in (FIGURE, PICTURES)]


_FIRST: dict[str, str] = {
    "finished": "made",
    "seconds": "seconds",
    "device": "device",
    "system": "system",
    "gatefield_version": "gatefield",
    "commit": "commit",
    "packages": "hash of the packages",
    "jax_version": "jax",
    "python_version": "Python",
    "parameters": "parameters",
}
"""Attributes that readers want to see, in that order, and their names."""
_LEFT = {"command", "complete", "kind", "experiment", "record_format", "created", "resumed", "fingerprint", "finite_runs"}
"""Attributes for the store, which say nothing to readers."""


def provenance(record: xr.Dataset) -> list[tuple[str, str]]:
    """How it was made, what most readers look for first; then what else the experiment noted that is no parameter."""
    parameters = record.attrs.get("parameters", "")
    repeated = json.loads(parameters) if isinstance(parameters, str) and parameters.startswith("{") else {}
    others = sorted(set(map(str, record.attrs)) - set(_FIRST) - _LEFT - set(repeated))
    names = [*(name for name in _FIRST if name in record.attrs), *others]
    return [(_FIRST.get(name, name), _plain(record.attrs[name])) for name in names]


def _plain(value: Any) -> str:
    """An attribute as text; a table of values, or JSON of one, becomes one line for each."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            value = json.loads(value)
        except ValueError:
            return value
    if isinstance(value, dict):
        return "\n".join(f"{name} = {json.dumps(item, ensure_ascii=False, default=str)}" for name, item in value.items())
    return str(value)
