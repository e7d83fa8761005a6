"""The ledger in words: what a terminal and a page both show of each entry."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gatefield.core.words import seconds
from gatefield.ledger.file import Ledger, Row
from gatefield.ledger.notes import SOURCES

MARKS = {"agrees": "✓ agrees", "disagrees": "✗ disagrees", "inconsistent": "✗ inconsistent", "fails": "✗ fails"}
_VERDICTS = {
    "holds": ("holds", "hold"),
    "holds with a condition": ("holds with a condition", "hold with a condition"),
    "corrected": ("corrected", "corrected"),
    "refuted": ("refuted", "refuted"),
    "open": ("open", "open"),
}


@dataclass(frozen=True)
class Line:
    """One entry, its numbers as text, with as many digits as it takes to see that two of them differ."""

    row: Row
    value: str
    estimate: str
    error: str
    printed: str

    @property
    def mark(self) -> str:
        return MARKS[self.row.outcome]

    @property
    def how(self) -> str:
        """How the estimate was found; for sampling, also how many standard errors its error stands for."""
        several = self.row.standard_errors not in (None, 1.0)
        return self.row.how + (f", {self.row.standard_errors:g} standard errors" if several else "")

    @property
    def good(self) -> bool:
        return self.row.outcome == "agrees"

    @property
    def printed_is_wrong(self) -> bool:
        return bool(self.row.printed_disagrees)


@dataclass(frozen=True)
class Group:
    """The entries of one source."""

    source: str
    title: str
    lines: tuple[Line, ...]

    @property
    def anchor(self) -> str:
        return f"ledger-{self.source}"

    @property
    def bad(self) -> int:
        return sum(not line.good for line in self.lines)


def view(ledger: Ledger) -> dict[str, Any]:
    """What the templates read."""
    made = f"Checked {ledger.checked} with gatefield {ledger.gatefield} on {ledger.made.get('device', 'an unknown device')}."
    bad = [row.name for row in ledger.rows if row.outcome != "agrees"]
    numbers = {"total": len(ledger.rows), "counts": counts(ledger.rows), "bad": bad}
    return {"groups": groups(ledger.rows), "made": made, "problem": ledger.problem, **numbers}


def groups(rows: Sequence[Row]) -> list[Group]:
    """Source by source, each in the order in which its entries are listed."""
    sources = sorted({row.source for row in rows}, key=lambda source: (source not in SOURCES, source))
    return [
        Group(source, SOURCES.get(source, source), tuple(line(row) for row in rows if row.source == source))
        for source in sources
    ]


def line(row: Row) -> Line:
    """An entry's numbers as text."""
    allowed = (row.error or 0.0) * (row.standard_errors or 1.0)
    apart = [row.value] * (row.outcome == "disagrees") + [row.printed] * bool(row.printed_disagrees)
    digits = next((d for d in range(4, 13) if all(_text(x, d) != _text(row.estimate, d) for x in apart)), 13)
    value, estimate = (_text(x, digits, allowed) for x in (row.value, row.estimate))
    return Line(row, value, estimate, _error(row, allowed), _text(row.printed, digits))


def counts(rows: Sequence[Row]) -> list[tuple[str, int, str]]:
    """Each verdict that occurs, how often, and in words, such as ("holds", 3, "hold")."""
    found = Counter(row.verdict for row in rows)
    return [(verdict, found[verdict], words[found[verdict] > 1]) for verdict, words in _VERDICTS.items() if found[verdict]]


def summary(rows: Sequence[Row]) -> str:
    """One sentence: how many of each verdict, and whether all is as it should be."""
    parts = ", ".join(f"{number} {words}" for _, number, words in counts(rows))
    bad = [row.name for row in rows if row.outcome != "agrees"]
    state = "every library value agrees with its independent estimate" if not bad else f"not in order: {', '.join(bad)}"
    return f"{len(rows)} {'entry' if len(rows) == 1 else 'entries'}: {parts}; {state}."


def times(rows: Sequence[Row], slowest: int = 3) -> str:
    """How long the check took, and which entries took longest."""
    longest = sorted(rows, key=lambda row: -row.seconds)[:slowest]
    named = ", ".join(f"{row.name} {row.seconds:.1f} s" for row in longest)
    return f"Checked in {seconds(sum(row.seconds for row in rows))}; the longest: {named}."


def _text(value: float | None, digits: int, error: float = 0.0) -> str:
    """A number; what is zero within the error is zero.

    >>> _text(-0.12345678, 4), _text(1e-18, 4, error=1e-12), _text(float("nan"), 4), _text(None, 4)
    ('−0.1235', '0', 'undefined', '')
    """
    if value is None:
        return ""
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return "0" if abs(value) <= error else f"{value:.{digits}g}".replace("-", "−")


def _error(row: Row, allowed: float) -> str:
    if row.estimate is None:
        return ""
    return f"± {allowed:.1g}".replace("-", "−")
