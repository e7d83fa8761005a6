"""The ledger in a terminal: a table for each source where it is wide, else a few lines for each formula."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from gatefield.ledger import Finding
from gatefield.show.ledger.view import groups, summary, times
from gatefield.show.terminal import print_line

_COLOURS = {"holds": "blue", "holds with a condition": "cyan", "corrected": "yellow", "refuted": "magenta", "open": "white"}
_WIDE = 110
"""Columns that the table needs; narrower terminals get lines."""
_WITH_NOTE = ("holds with a condition", "corrected", "refuted", "open")
"""Statuses that say little without their condition, correction or reason."""


def show_ledger(findings: Sequence[Finding], console: Console) -> None:
    """Each formula: what it says, its status, the function and its value, the estimate, what is printed, and the result.

    In the end, what a reader looks for: the claims that are refuted, the counts, and whether the library is in order.
    """
    for group in groups(findings):
        if console.is_terminal and console.width >= _WIDE:
            console.print(_table(group), "")
        else:
            _lines(group, console)
    _refuted(findings, console)
    print_line(summary(findings), console)
    print_line(times(findings), console)


def _refuted(findings: Sequence[Finding], console: Console) -> None:
    """A line for each claim that is refuted."""
    found = [finding for finding in findings if finding.status == "refuted"]
    if found:
        print_line(f"Refuted claims of the sources, {len(found)} of {len(findings)} formulas:", console)
    for finding in found:
        print_line(f"  {finding.name}, {finding.place}: {finding.says}", console)


def _table(group: dict[str, Any]) -> Table:
    right: Any = {"justify": "right", "no_wrap": True}
    table = Table(
        Column("formula", max_width=20, overflow="fold"),
        Column("what it says, where, by which function, estimated how", ratio=1),
        Column("source's claim", max_width=14),
        Column("library", **right),
        Column("estimate", **right),
        Column("printed", **right),
        Column("library checked", max_width=15),
        title=Text(group["title"], "bold"),
        title_justify="left",
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        expand=True,
    )
    for finding, text in group["lines"]:
        table.add_row(*_cells(finding, text))
    return table


def _cells(finding: Finding, text: dict[str, str]) -> list[Text]:
    """One row."""
    origin = "; ".join(filter(None, (finding.place, finding.implements, text["method"])))
    says = Text.assemble(finding.says, (f"\n{origin}", "dim"))
    for line in _remarks(finding):
        says.append(f"\n{line}", "italic")
    if finding.error_text:
        says.append(f"\n{finding.error_text}", "bold yellow")
    estimate = Text.assemble(text["estimate"], "\n", (text["error"], "dim"))
    printed = Text(text["printed"], "yellow" if finding.printed_disagrees else "")
    name, mark = Text(finding.name, "bold"), Text(text["mark"], _mark(finding))
    return [name, says, _status(finding), Text(text["value"]), estimate, printed, mark]


def _lines(group: dict[str, Any], console: Console) -> None:
    """The formulas of one source; words are kept whole in a terminal, and lines in a pipe."""
    parts = [part for finding, text in group["lines"] for part in _formula(finding, text)]
    for depth, text in [(0, Text(group["title"], "bold")), *parts]:
        if console.is_terminal:
            console.print(Padding(text, (0, 0, 0, depth)))
        else:
            print_line(" " * depth + text.plain, console)


def _formula(finding: Finding, text: dict[str, str]) -> Iterator[tuple[int, Text]]:
    """Indents and texts: the source's claim, the library's value beside its estimate, and the note or what is wrong."""
    yield 2, Text.assemble(_status(finding), ": ", (finding.name, "bold"), f", {finding.place}: {finding.says}")
    if finding.estimate is not None:
        result = (f"library {text['mark'][2:]}", _mark(finding))
        numbers = ": {implements} {value}, estimate {estimate} {error} by {method}".format(
            **text, implements=finding.implements
        )
        printed = f", printed {text['printed']}" if finding.printed is not None else ""
        yield 4, Text.assemble(result, numbers, printed)
    for line in _remarks(finding):
        yield 4, Text(line, "italic")
    if finding.error_text:
        where = "" if finding.estimate is not None else f"library {text['mark'][2:]}: {finding.implements}: "
        yield 4, Text(where + finding.error_text, "bold yellow")


def _remarks(finding: Finding) -> list[str]:
    """What the number is, and the note: where the status needs them, or something is not in order; the page has them all."""
    needed = finding.status in _WITH_NOTE or finding.printed_disagrees or not finding.in_order
    return [f"number: {finding.number}"] * bool(needed and finding.number) + [finding.note] * bool(needed and finding.note)


def _status(finding: Finding) -> Text:
    return Text(finding.status, _COLOURS.get(finding.status, ""))


def _mark(finding: Finding) -> str:
    return "bold blue" if finding.in_order else "bold yellow"
