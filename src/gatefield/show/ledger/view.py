"""The ledger in words: what a terminal and a page both show of each formula."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from gatefield.core.text.words import seconds
from gatefield.ledger import SOURCES, Finding, Ledger

_MARKS = {"agrees": "✓ agrees", "disagrees": "✗ differs", "inconsistent": "✗ contradicts the status", "fails": "✗ fails"}
"""Of the library's value, never of the source's claim."""
_SHORT = {"004": "Paper 004", "sheet": "not printed"}
"""Sources whose title is too long for a line."""
_BY_INTEREST = ("refuted", "corrected", "holds with a condition", "open", "holds")
"""Statuses as a reader looks for them."""
_LISTED = ("refuted", "corrected")
"""Statuses that one wants to see at once."""
_STATUSES = {
    "holds": ("holds", "hold"),
    "holds with a condition": ("holds with a condition", "hold with a condition"),
    "corrected": ("corrected", "corrected"),
    "refuted": ("refuted", "refuted"),
    "open": ("open", "open"),
}
"""Each status of one formula, and of several."""


def view(ledger: Ledger) -> dict[str, Any]:
    """What the templates read."""
    made = f"Checked {ledger.checked} with gatefield {ledger.gatefield} on {ledger.made.get('device', 'an unknown device')}."
    found = counts(ledger.findings)
    return {
        "total": len(ledger.findings),
        "counts": found,
        "by_interest": sorted(found, key=lambda count: _BY_INTEREST.index(count[0])),
        "bad": ledger.bad,
        "groups": groups(ledger.findings),
        "lists": _lists(ledger.findings),
        "made": made,
        "problem": ledger.problem,
    }


def _lists(findings: Sequence[Finding]) -> dict[str, dict[str, Any]]:
    """What is refuted, and what is corrected: a title, an anchor, and the findings."""
    found = {status: [finding for finding in findings if finding.status == status] for status in _LISTED}
    return {
        status: {"title": f"{len(some)} {status}", "anchor": f"list-{status}", "findings": some}
        for status, some in found.items()
        if some
    }


def groups(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Source by source: its title, and each finding with its texts, in the order in which the formulas are listed."""
    sources = sorted({finding.source for finding in findings}, key=lambda source: (source not in SOURCES, source))
    return [
        {
            "source": source,
            "title": SOURCES.get(source, source),
            "short": _short(source),
            "anchor": f"ledger-{source}",
            "lines": [(finding, texts(finding)) for finding in findings if finding.source == source],
        }
        for source in sources
    ]


def _short(source: str) -> str:
    return _SHORT.get(source) or SOURCES.get(source, source)


def texts(finding: Finding) -> dict[str, str]:
    """The numbers of a finding as text, with as many digits as it takes to see that two of them differ; and other words."""
    allowed = (finding.error or 0.0) * (finding.standard_errors or 1.0)
    apart = [finding.value] * (finding.result == "disagrees") + [finding.printed] * bool(finding.printed_disagrees)
    digits = next((d for d in range(4, 13) if all(_text(x, d) != _text(finding.estimate, d) for x in apart)), 13)
    several = finding.standard_errors not in (None, 1.0)
    return {
        "value": _text(finding.value, digits, allowed),
        "estimate": _text(finding.estimate, digits, allowed),
        "error": "" if finding.estimate is None else f"± {allowed:.1g}".replace("-", "−"),
        "printed": _text(finding.printed, digits),
        "method": finding.method + (f", {finding.standard_errors:g} standard errors" if several else ""),
        "mark": _MARKS[finding.result],
        "whose": "no source prints it:" if finding.source == "sheet" else "source's claim:",
        "source": "" if finding.source == "sheet" else f"{_short(finding.source)}, ",
        "label": "right" if finding.printed_equation or finding.status in _LISTED else "formula",
    }


def counts(findings: Sequence[Finding]) -> list[tuple[str, int, str]]:
    """Each status that occurs, how often, and in words, such as ("holds", 3, "hold")."""
    found = Counter(finding.status for finding in findings)
    return [(status, found[status], words[found[status] > 1]) for status, words in _STATUSES.items() if found[status]]


def summary(findings: Sequence[Finding]) -> str:
    """One sentence: how many of each status, and whether all is as it should be."""
    parts = ", ".join(f"{number} {words}" for _, number, words in counts(findings))
    bad = ", ".join(finding.name for finding in findings if not finding.in_order)
    state = f"not in order: {bad}" if bad else "every library value agrees with its independent estimate"
    return f"{len(findings)} {'formula' if len(findings) == 1 else 'formulas'}, as printed: {parts}; {state}."


def times(findings: Sequence[Finding], slowest: int = 3) -> str:
    """How long the check took, and which formulas took longest."""
    longest = sorted(findings, key=lambda finding: -finding.seconds)[:slowest]
    named = ", ".join(f"{finding.name} {finding.seconds:.1f} s" for finding in longest)
    return f"Checked in {seconds(sum(finding.seconds for finding in findings))}; the longest: {named}."


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
