"""The marker: a small file beside the data that says how much of it is whole. What the marker does not name is not there."""

from pathlib import Path

import pydantic

from gatefield.core.version import __version__
from gatefield.lab.store.format import RECORD_FORMAT, read_model, sealed
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
    metadata: dict[str, int] = {}
    """The CRC-32 of each `zarr.json` of the data; empty in records of earlier versions, as is the marker's own checksum."""

    @pydantic.model_validator(mode="after")
    def _holds_together(self) -> "Marker":
        """See that the numbers can all be true at once, and that the checkpoint is that of the last record."""
        if self.axis is None:
            holds = self.complete and self.records == self.total == 0
        else:
            own = checkpoint_name(self.records)
            states = (own, None) if self.complete or not self.records else (own,)
            holds = self.block > 0 and 0 <= self.records <= self.total and self.checkpoint in states
            holds = holds and self.complete == (self.records == self.total)
        if not holds:
            raise ValueError("these numbers contradict each other")
        return self

    @property
    def arrays(self) -> tuple[str, ...]:
        return (*self.coords, *self.variables)


def checkpoint_name(records: int) -> str:
    """The file of the state after that many records."""
    return f"checkpoint-{records:09d}.eqx"


def write_marker(folder: Path, marker: Marker) -> None:
    write_json(folder / MARKER, sealed(marker))


def read_marker(folder: Path) -> Marker | None:
    """The marker of a folder, or None where nothing was committed."""
    return read_model(folder, MARKER, Marker)
