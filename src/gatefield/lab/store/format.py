"""The format of what is on disk: a number in each JSON file of the store, looked at before anything else is read from it."""

import json
from pathlib import Path
from typing import TypeVar

import pydantic

from gatefield.core.errors import StoreError
from gatefield.core.version import __version__
from gatefield.lab.store.disk import corrupted, reading

RECORD_FORMAT = 1
"""The number of this way of keeping records; another number is another way."""

Model = TypeVar("Model", bound=pydantic.BaseModel)


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
    _check_format(folder, number, made_by)
    try:
        return model.model_validate(content)
    except pydantic.ValidationError:
        raise corrupted(folder, name, "cannot be read") from None


def _check_format(folder: Path, number: int, made_by: str) -> None:
    """Refuse a format other than this version's."""
    if number != RECORD_FORMAT:
        raise StoreError(
            f"The record in '{folder}' has format {number}, but gatefield {__version__} reads format {RECORD_FORMAT}: "
            f"open it with the version that made it, gatefield {made_by}, or run it again with --fresh, which moves it aside."
        )
