"""The map in words: what pages, Markdown and a terminal show of each row."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from gatefield.core.text.words import number
from gatefield.ledger import SOURCES, Formula
from gatefield.show.map.rows import Row, rows
from gatefield.show.map.status import Status
from gatefield.show.terminal import MARKS

_SEVERAL: dict[str, str] = {"holds": "hold", "holds with a condition": "hold with a condition"}
"""A status of several items, where it is another word."""


def map_view(links: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What the templates of the map read, `map_table.html` among them.

    **Arguments**

    - `links`: name of a formula or experiment -> where the page has it, such as `#formula-002-eq25`; others are not linked.
    """
    found = rows()
    sources = dict.fromkeys(row.item.source for row in found)
    groups = [
        {
            "source": source,
            "title": SOURCES[source],
            "anchor": f"map-{source}",
            "counts": counts(own),
            "rows": [row_view(row, links or {}) for row in own],
        }
        for source in sources
        if (own := [row for row in found if row.item.source == source])
    ]
    gaps = sum(bool(row.missing) for row in found)
    return {"total": len(found), "counts": counts(found), "missing": gaps, "groups": groups}


def counts(found: Sequence[Row]) -> list[tuple[Status, int, str]]:
    """Each status that occurs, how often, and in words, such as ("holds", 3, "hold")."""
    times = Counter[str](row.status for row in found)
    statuses: tuple[Status, ...] = get_args(Status)
    return [(one, times[one], one if times[one] == 1 else _SEVERAL.get(one, one)) for one in statuses if times[one]]


def row_view(row: Row, links: Mapping[str, str]) -> dict[str, Any]:
    """One row as texts."""
    item = row.item
    return {
        "anchor": row.anchor,
        "place": item.place,
        "kind": item.kind,
        "says": item.says,
        "status": row.status,
        "answer": row.answer,
        "remark": item.remark,
        "missing": row.missing,
        "functions": item.functions,
        "formulas": [{"name": f.name, "status": f.status, "note": _note(f), "link": links.get(f.name)} for f in row.formulas],
        "experiments": [_experiment(row, name, links) for name in item.shown_by],
    }


def _note(formula: Formula) -> str:
    """What is right, or when: notes on what simply holds are for the ledger."""
    return "" if formula.status == "holds" else formula.note


def _experiment(row: Row, name: str, links: Mapping[str, str]) -> dict[str, Any]:
    quotes = [quote for quote in row.quotes if quote.experiment == name]
    outcomes = Counter(quote.outcome for quote in quotes)
    return {
        "name": name,
        "link": links.get(name),
        "summary": ", ".join(f"{times} {outcome}" for outcome, times in outcomes.items()),
        "quotes": [
            {"mark": MARKS[q.outcome], "outcome": q.outcome, "claim": q.claim, "measured": number(q.measured)} for q in quotes
        ],
    }


def map_rows() -> list[dict[str, Any]]:
    """All rows as plain data, for `gatefield map --json`.

    >>> map_rows()[0]["status"]
    'implemented'
    """
    return [_plain(row) for row in rows()]


def _plain(row: Row) -> dict[str, Any]:
    """One row, with the names that other commands take."""
    quotes = [{"experiment": q.experiment, "claim": q.claim, "outcome": q.outcome, "measured": q.measured} for q in row.quotes]
    words = row.item.model_dump(include={"source", "name", "place", "kind", "says", "remark", "functions"})
    ours = {
        "status": row.status,
        "answer": row.answer,
        "formulas": {formula.name: formula.status for formula in row.formulas},
        "experiments": row.item.shown_by,
        "verdicts": quotes,
        "missing": row.missing,
    }
    return words | ours
