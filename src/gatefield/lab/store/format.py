"""The format of what is on disk: a number in each JSON file of the store, looked at before anything else is read from it."""

import json
import zlib
from pathlib import Path
from typing import Any, TypeVar

import pydantic

from gatefield.core.errors import StoreError
from gatefield.core.text.plain import plain
from gatefield.core.version import __version__
from gatefield.lab.store.disk import corrupted, reading
from gatefield.lab.store.json import canonical

RECORD_FORMAT = 1
"""The number of this way of keeping records; another number is another way."""

CHECKSUM = "checksum"

Model = TypeVar("Model", bound=pydantic.BaseModel)


def sealed(model: pydantic.BaseModel) -> dict[str, Any]:
    """What a JSON file is to say, with a checksum that tells whether anything in it was changed since."""
    content = plain(model.model_dump())
    return {**content, CHECKSUM: checksum(content)}


def checksum(content: Any) -> str:
    """The CRC-32 of a value's one JSON text.

    >>> checksum({"records": 20, "block": 4}) == checksum({"block": 4, "records": 20}), checksum({"records": 16})
    (True, '4d9a2d40')
    """
    return f"{zlib.crc32(canonical(content).encode()):08x}"


def read_model(
    folder: Path, name: str, model: type[Model], advice: str = "", *, unsealed: bool = True, what: str = ""
) -> Model | None:
    """What a JSON file says, its format number checked first, then its checksum; None where there is no such file.

    Files of earlier versions have no checksum: `unsealed` says whether this may be one. `advice` is for a file that is damaged;
    `what` names one that is no part of a record.
    """
    with reading(folder / name):
        if not (folder / name).exists():
            return None
        text = (folder / name).read_bytes() if (folder / name).is_file() else b""
    try:
        content = json.loads(text)
        number, made_by = int(content["format"]), str(content["gatefield"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        raise corrupted(folder, name, "cannot be read", advice) from None
    _check_format(f"The {what} '{folder / name}'" if what else f"The record in '{folder}'", number, made_by)
    written = content.pop(CHECKSUM, None)
    if written != checksum(content) if written is not None else not unsealed:
        raise corrupted(folder, name, "does not match its checksum", advice)
    try:
        return model.model_validate(content)
    except pydantic.ValidationError as error:
        contradicts = any(problem["type"] == "value_error" for problem in error.errors())
        raise corrupted(folder, name, "contradicts itself" if contradicts else "cannot be read", advice) from None


def _check_format(what: str, number: int, made_by: str) -> None:
    """Refuse a format other than this version's."""
    if number != RECORD_FORMAT:
        raise StoreError(
            f"{what} has format {number}, but gatefield {__version__} reads format {RECORD_FORMAT}: "
            f"open it with the version that made it, gatefield {made_by[:20]}, or move it away and run it again."
        )
