"""The last check of the whole ledger, kept in the store as `ledger.json`."""

import json
from pathlib import Path
from typing import Any

import pydantic

from gatefield.core.errors import StoreError
from gatefield.core.text.expanded import expanded
from gatefield.core.text.plain import plain
from gatefield.core.version import __version__
from gatefield.lab import make_folder, reading, sealed, write_json, writing
from gatefield.ledger.formula import Finding

LEDGER = "ledger.json"
FORMAT = 4
"""Raised whenever a field of `Ledger` or `Finding` changes its name or meaning. From 4 on there is a checksum."""


class Ledger(pydantic.BaseModel):
    """A check: its findings, when and with what it was made; `problem` says why it cannot be read, if so."""

    model_config = pydantic.ConfigDict(frozen=True)

    findings: tuple[Finding, ...]
    format: int = FORMAT
    gatefield: str = __version__
    checked: str = ""
    made: dict[str, Any] = {}
    problem: str = ""

    @property
    def bad(self) -> list[str]:
        """The names of the formulas that are not in order."""
        return [finding.name for finding in self.findings if not finding.in_order]

    def to_json(self) -> str:
        """The findings as a JSON list; infinite numbers and NaN are words that `float` reads."""
        return json.dumps(plain([finding.model_dump() for finding in self.findings]), indent=2, allow_nan=False)


def write_ledger(root: str | Path, ledger: Ledger) -> Path:
    """Keep a check in the store, in place of the last one."""
    path = expanded(root) / LEDGER
    make_folder(path.parent)
    with writing(path):
        write_json(path, sealed(ledger))
    return path


def read_ledger(root: str | Path) -> Ledger | None:
    """The last check in the store, or None if there is none; one that cannot be read says so in its `problem`."""
    path = expanded(root) / LEDGER
    try:
        with reading(path):
            text = path.read_bytes() if path.is_file() else None
        return None if text is None else _parse(text, path)
    except StoreError as error:
        return Ledger(findings=(), problem=str(error))


def _parse(text: bytes, path: Path) -> Ledger:
    try:
        content = json.loads(text)
        ledger = Ledger.model_validate(content)
        if ledger.format == FORMAT and sealed(ledger) == content:  # nothing was changed, added or left out
            return ledger
    except (ValueError, TypeError, RecursionError):  # pydantic's errors are ValueErrors
        pass
    raise StoreError(f"The last check in '{path}' cannot be read by gatefield {__version__}: run gatefield check again.")
