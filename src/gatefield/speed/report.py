"""All findings of one call, kept as JSON."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic

from gatefield.core.errors import UserError
from gatefield.core.provenance import now
from gatefield.core.text.quoted import quoted
from gatefield.lab import reading, sealed
from gatefield.speed.contest import Standing
from gatefield.speed.growth import Growth
from gatefield.speed.machine import machine, versions

WHAT, CHECKSUM = "gatefield bench", "checksum"
Finding = Annotated[Standing | Growth, pydantic.Field(discriminator="kind")]


class Report(pydantic.BaseModel):
    """What was found, where, and with which versions. `what` stands first: by it a file is known that may be replaced."""

    what: Literal["gatefield bench"] = WHAT
    quick: bool
    repeats: int
    time: str
    machine: dict[str, Any]
    versions: dict[str, str]
    cases: dict[str, list[Finding]] = {}

    def add(self, case: str, finding: Standing | Growth) -> None:
        self.cases.setdefault(case, []).append(finding)

    def to_json(self) -> bytes:
        """As JSON, with a checksum that tells whether anything was changed since."""
        content = json.loads(self.model_dump_json(exclude_none=True))
        return (json.dumps({**content, CHECKSUM: _checksum(self)}, indent=1, ensure_ascii=False) + "\n").encode()


def _checksum(report: Report) -> str:
    return sealed(report)[CHECKSUM]


def new_report(quick: bool, repeats: int) -> Report:
    """One without findings, of this machine and moment."""
    return Report(quick=quick, repeats=repeats, time=now(), machine=machine(), versions=versions())


def read_report(path: Path) -> Report:
    """What an earlier call wrote. Files of earlier versions have no checksum."""
    with reading(path):
        text = path.read_bytes()
    try:
        report = Report.model_validate_json(text)
        written = json.loads(text).get(CHECKSUM)
    except (ValueError, RecursionError):  # pydantic's errors are ValueErrors
        raise UserError(
            f"The file {quoted(str(path))} is no result of gatefield bench: give one that --output wrote."
        ) from None
    if written not in (None, _checksum(report)):
        raise UserError(
            f"The file {quoted(str(path))} was changed after gatefield bench wrote it (its checksum is another): measure anew "
            "with --output, or give another file."
        )
    return report
