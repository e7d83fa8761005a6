"""The last check of the whole ledger, kept in the store as `ledger.json`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pydantic

from gatefield.core.errors import StoreError
from gatefield.core.plain import plain
from gatefield.core.provenance import now, provenance
from gatefield.core.version import __version__
from gatefield.lab.store.disk import make_folder, reading, writing
from gatefield.lab.store.json import write_json
from gatefield.ledger.check import Finding, Result

LEDGER = "ledger.json"
FORMAT = 2


class Row(pydantic.BaseModel):
    """A finding as plain data; numbers are None where the entry failed or has none.

    `verdict` says what became of the formula or claim as printed, `outcome` whether the library's value agrees with the
    estimate.
    """

    model_config = pydantic.ConfigDict(frozen=True)

    name: str
    source: str
    place: str
    says: str
    verdict: str
    implements: str
    note: str
    value: float | None
    estimate: float | None
    error: float | None
    standard_errors: float | None
    how: str
    printed: float | None
    agrees: bool
    printed_disagrees: bool | None
    outcome: Result
    error_text: str
    seconds: float

    @classmethod
    def of(cls, finding: Finding) -> "Row":
        entry, estimate = finding.entry, finding.estimate
        words = {name: getattr(entry, name) for name in ("name", "source", "place", "says", "implements", "note")}
        numbers = {name: getattr(finding, name) for name in ("value", "printed", "agrees", "printed_disagrees")}
        return cls(
            **words,
            **numbers,
            verdict=finding.verdict,
            outcome=finding.outcome,
            estimate=None if estimate is None else float(estimate.value),
            error=None if estimate is None else float(estimate.error),
            standard_errors=None if estimate is None else float(estimate.standard_errors),
            how="" if estimate is None else estimate.how,
            error_text=finding.error_text,
            seconds=round(finding.seconds, 3),
        )


class Ledger(pydantic.BaseModel):
    """A check: its rows, when and with what it was made; `problem` says why it cannot be read, if so."""

    model_config = pydantic.ConfigDict(frozen=True)

    rows: tuple[Row, ...]
    format: int = FORMAT
    gatefield: str = __version__
    checked: str = ""
    made: dict[str, Any] = {}
    problem: str = ""

    @classmethod
    def of(cls, findings: Sequence[Finding]) -> "Ledger":
        return cls(rows=tuple(map(Row.of, findings)), checked=now(), made=provenance())

    def json_rows(self) -> str:
        """The rows as a JSON list; infinite numbers and NaN are words that `float` reads."""
        return json.dumps(plain([row.model_dump() for row in self.rows]), indent=2, allow_nan=False)


def write_ledger(root: str | Path, ledger: Ledger) -> Path:
    """Keep a check in the store, in place of the last one."""
    path = Path(root).expanduser() / LEDGER
    make_folder(path.parent)
    with writing(path):
        write_json(path, ledger.model_dump(exclude={"problem"}))
    return path


def read_ledger(root: str | Path) -> Ledger | None:
    """The last check in the store, or None if there is none; one that cannot be read says so in its `problem`."""
    path = Path(root).expanduser() / LEDGER
    try:
        with reading(path):
            text = path.read_bytes() if path.is_file() else None
        return None if text is None else _parse(text, path)
    except StoreError as error:
        return Ledger(rows=(), problem=str(error))


def _parse(text: bytes, path: Path) -> Ledger:
    try:
        content = json.loads(text)
        if content["format"] == FORMAT:
            return Ledger.model_validate(content)
    except (ValueError, KeyError, TypeError):  # pydantic's errors are ValueErrors
        pass
    raise StoreError(f"The last check in '{path}' cannot be read by gatefield {__version__}: run gatefield check again.")
