"""The map as Markdown, for `docs/reproduction.md`."""

from typing import Any

from gatefield.experiments import listed
from gatefield.show.map.view import map_view

_FULL = "../benchmarks/results/full"
_HEAD = """# The reproduction map

Every figure, table, numbered equation, lemma, experiment, claim and question of the five sources; what gatefield has of it;
what became of it; what is missing. Written by `make map` from the inventory (`src/gatefield/ledger/inventory`), the ledger and
the verdicts at full size; `gatefield map` shows the same as a page, with each verdict.

The status of an item is that of its formulas in the ledger, or else what [verdicts at full size](../benchmarks/results/full)
say of it; where these look at one setting of many, and the remark says that in others it is not so, the claim holds with a
condition. *Implemented* is what can be used or drawn and claims nothing; *answered* is a question. An item
may have several formulas, and some have none, so that these counts differ from those of the ledger.
"""


def markdown() -> str:
    """The text of the file."""
    view = map_view({one.name: f"{_FULL}/{one.subject}.md#{one.name}" for one in listed()})
    total = ", ".join(f"{times} {words}" for _, times, words in view["counts"])
    parts = [_HEAD, f"**{view['total']} items: {total}. {view['missing']} rows say what is missing.**\n"]
    return "\n".join([*parts, *(_group(group) for group in view["groups"])])


def _group(group: dict[str, Any]) -> str:
    total = ", ".join(f"{times} {words}" for _, times, words in group["counts"])
    head = f"## {group['title']}\n\n{len(group['rows'])} items: {total}.\n\n"
    head += "| place | theirs | ours | status | missing |\n|---|---|---|---|---|\n"
    return head + "".join(f"| {' | '.join(map(_cell, _cells(row)))} |\n" for row in group["rows"])


def _cells(row: dict[str, Any]) -> list[str]:
    formulas = [f"`{one['name']}`" + (f" ({one['note']})" if one["note"] else "") for one in row["formulas"]]
    experiments = [
        f"[`{one['name']}`]({one['link']})" + (f" ({one['summary']})" if one["summary"] else "") for one in row["experiments"]
    ]
    functions = [f"`{name}`" for name in row["functions"]]
    names = "; ".join(", ".join(found) for found in (formulas, experiments, functions) if found)
    ours = " ".join(filter(None, [row["answer"], row["remark"], names]))
    return [row["place"], row["says"], ours, row["status"], row["missing"]]


def _cell(text: str) -> str:
    """A text as it is, in a cell of a table.

    >>> _cell("|w| < 1 *")
    '\\\\|w\\\\| &lt; 1 \\\\*'
    """
    for sign, written in (("|", "\\|"), ("<", "&lt;"), ("*", "\\*"), ("^", "\\^")):
        text = text.replace(sign, written)
    return text
