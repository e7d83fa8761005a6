"""All findings of one call, kept as JSON."""

from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic

from gatefield.core.errors import UserError
from gatefield.core.provenance import now
from gatefield.core.text.quoted import quoted
from gatefield.lab import reading
from gatefield.speed.contest import Standing
from gatefield.speed.growth import Growth
from gatefield.speed.machine import machine, versions

WHAT = "gatefield bench"
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
        return (self.model_dump_json(indent=1, exclude_none=True) + "\n").encode()


def new_report(quick: bool, repeats: int) -> Report:
    """One without findings, of this machine and moment."""
    return Report(quick=quick, repeats=repeats, time=now(), machine=machine(), versions=versions())


def read_report(path: Path) -> Report:
    """What an earlier call wrote."""
    with reading(path):
        text = path.read_bytes()
    try:
        return Report.model_validate_json(text)
    except pydantic.ValidationError:
        raise UserError(
            f"The file {quoted(str(path))} is no result of gatefield bench: give one that --output wrote."
        ) from None
