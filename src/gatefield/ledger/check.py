"""The ledger: every formula of the sources against an independent estimate, evaluated anew."""

import dataclasses
import difflib
import math
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal

from gatefield.core.errors import UserError, unknown_name
from gatefield.ledger.formula import Entry, Estimate, Status
from gatefield.ledger.notes import SOURCES
from gatefield.ledger.notes import entries as all_entries

Result = Literal["agrees", "disagrees", "inconsistent", "fails"]
Progress = Callable[[str, int, int], object]
"""Called with an entry's name, the entries done and the entries in all."""


@dataclasses.dataclass(frozen=True)
class Finding:
    """What checking one entry gave.

    `agrees` says whether the library's value lies within the error of the estimate, `printed_disagrees` whether the printed
    equation's value does not (None where the entry has none). `error_text` says what is wrong, in words; it is empty where the
    entry is as it should be.
    """

    entry: Entry
    value: float | None
    estimate: Estimate | None
    printed: float | None
    agrees: bool
    printed_disagrees: bool | None
    seconds: float
    error_text: str

    @property
    def verdict(self) -> Status:
        """What became of the formula or claim as printed: it holds, holds with a condition, is corrected, refuted or open."""
        return self.entry.status

    @property
    def outcome(self) -> Result:
        """`agrees` or `disagrees`; `fails` when it raised an error, `inconsistent` when verdict and numbers do not fit."""
        if self.estimate is None:
            return "fails"
        return "disagrees" if not self.agrees else "inconsistent" if self.error_text else "agrees"


def ledger() -> tuple[Entry, ...]:
    """All entries, source by source."""
    order = list(SOURCES)
    return tuple(sorted(all_entries(), key=lambda entry: order.index(entry.source) if entry.source in order else len(order)))


def check(
    entries: Iterable[Entry] | None = None,
    sources: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> list[Finding]:
    """Evaluate entries of the ledger. One that raises an error is a finding like any other.

    **Arguments**

    - `entries`: which ones; by default all that the library has.
    - `sources`: only those of these sources, such as `["002"]`.
    - `names`: only those whose name contains one of these texts.
    - `progress`: called before each entry with its name, the entries done and the entries in all, and once at the end.

    **Returns** a `Finding` for each, in order.
    """
    chosen = _select(ledger() if entries is None else tuple(entries), sources or (), names or ())
    findings = []
    for done, entry in enumerate(chosen):
        if progress:
            progress(entry.name, done, len(chosen))
        findings.append(_examine(entry))
    if progress:
        progress("", len(chosen), len(chosen))
    return findings


def _select(entries: Sequence[Entry], sources: Sequence[str], names: Sequence[str]) -> list[Entry]:
    for source in sources:
        _check_source(source, {entry.source for entry in entries})
    for text in names:
        if not any(text in entry.name for entry in entries):
            near = difflib.get_close_matches(text, [entry.name for entry in entries], n=1, cutoff=0.5)
            hint = f"did you mean '{near[0]}'? " if near else ""
            raise UserError(
                f"No entry of the ledger has '{text}' in its name: {hint}Without --name all are checked and listed."
            )
    inside = [entry for entry in entries if not sources or entry.source in sources]
    chosen = [entry for entry in inside if not names or any(text in entry.name for text in names)]
    if not chosen:
        raise UserError("No entry of the ledger is of these sources and has such a name: give fewer conditions.")
    return chosen


def _check_source(source: str, known: Collection[str]) -> None:
    if source not in {*SOURCES, *known}:
        raise unknown_name("source", source, {*SOURCES, *known})
    if source not in known:
        raise UserError(f"The ledger has no entries of source {source} yet; there are some of {', '.join(sorted(known))}.")


def _examine(entry: Entry) -> Finding:
    start = time.monotonic()
    try:
        value, estimate = float(entry.value()), entry.estimate()
        printed = None if entry.printed is None else float(entry.printed())
    except Exception as error:  # one broken entry must not hide the others
        text = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return Finding(entry, None, None, None, False, None, time.monotonic() - start, text)
    agrees = bool(estimate.agrees(value))
    disagrees = None if printed is None else not estimate.agrees(printed)
    wrong = _disagreement(value, estimate) if not agrees else _inconsistency(entry, estimate, disagrees)
    return Finding(entry, value, estimate, printed, agrees, disagrees, time.monotonic() - start, wrong)


def _disagreement(value: float, estimate: Estimate) -> str:
    allowed = estimate.standard_errors * estimate.error
    distance = abs(value - estimate.value)
    return f"The library's value is {distance:.3g} away from the estimate, and {allowed:.3g} is allowed."


def _inconsistency(entry: Entry, estimate: Estimate, printed_disagrees: bool | None) -> str:
    """Where the verdict does not fit the numbers: the ledger would lie."""
    if not (math.isfinite(estimate.error) and estimate.error >= 0):
        return f"The error of the estimate must be finite and not negative, but is {estimate.error:g}."
    if entry.status == "corrected" and printed_disagrees is None:
        return "The verdict is 'corrected', but the entry does not evaluate the printed equation."
    if entry.status in ("corrected", "refuted") and printed_disagrees is False:
        return f"The verdict is '{entry.status}', but the printed equation agrees with the estimate."
    if entry.status == "holds" and printed_disagrees:
        return "The verdict is 'holds', but the printed equation disagrees with the estimate."
    return ""
