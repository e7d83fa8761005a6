"""The marker: a small file beside the data that says how much of it is whole. What the marker does not name is not there."""

from pathlib import Path

import pydantic

from gatefield.core.version import __version__
from gatefield.lab.store.format import RECORD_FORMAT, read_model
from gatefield.lab.store.json import write_json

MARKER = "committed.json"
DATA = "data.zarr"


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
