"""The marker: a small file beside the data that says how much of it is whole. What the marker does not name is not there."""

import json
from pathlib import Path
from typing import TypeVar

import pydantic

from gatefield.core.errors import StoreError
from gatefield.core.version import __version__
from gatefield.lab.store.disk import reading
from gatefield.lab.store.json import write_json

RECORD_FORMAT = 1
"""The number of this way of keeping records; another number is another way."""

MARKER = "committed.json"
DATA = "data.zarr"

Model = TypeVar("Model", bound=pydantic.BaseModel)


class Marker(pydantic.BaseModel):
    """What is committed: coordinates and variables, and of a growing record the first `records` of `total` along `axis`."""

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    format: int = RECORD_FORMAT
    gatefield: str = __version__
    coords: tuple[str, ...]
    variables: tuple[str, ...]
    complete: bool
    fingerprint: str = ""
    axis: str | None = None
    records: int = 0
    total: int = 0
    block: int = 0
    checkpoint: str | None = None
    checkpoint_crc32: int = 0

    @property
    def arrays(self) -> tuple[str, ...]:
        return (*self.coords, *self.variables)


def write_marker(folder: Path, marker: Marker) -> None:
    write_json(folder / MARKER, marker.model_dump(mode="json"))


def read_marker(folder: Path) -> Marker | None:
    """The marker of a folder, or None where nothing was committed."""
    return read_model(folder, MARKER, Marker)


def read_model(folder: Path, name: str, model: type[Model]) -> Model | None:
    """What a JSON file says, its format number checked first; None where there is no such file."""
    with reading(folder / name):
        text = (folder / name).read_bytes() if (folder / name).is_file() else None
    if text is None:
        return None
    try:
        content = json.loads(text)
        number, made_by = int(content["format"]), str(content["gatefield"])
    except (ValueError, KeyError, TypeError):
        raise corrupted(folder, name, "cannot be read") from None
    check_format(folder, number, made_by)
    try:
        return model.model_validate(content)
    except pydantic.ValidationError:
        raise corrupted(folder, name, "cannot be read") from None


def check_format(folder: Path, number: int, made_by: str) -> None:
    """Refuse a format other than this version's."""
    if number != RECORD_FORMAT:
        raise StoreError(
            f"The record in '{folder}' has format {number}, but gatefield {__version__} reads format {RECORD_FORMAT}: "
            f"open it with the version that made it, gatefield {made_by}, or run it again with --fresh, which moves it aside."
        )


def corrupted(folder: Path, file: str, what: str, delete: Path | None = None) -> StoreError:
    """The error for a file that is not as it was written; `delete` is what has to go, by default the whole folder."""
    return StoreError(
        f"The record in '{folder}' is corrupted, since {file} {what}: "
        f"delete '{delete or folder}' and run the same command again to make it anew; other records are untouched."
    )
