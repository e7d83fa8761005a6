"""The ledger in a terminal: a table for each source where it is wide, else two or three lines for each entry."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from gatefield.ledger.file import Row
from gatefield.show.ledger import Group, Line, groups, summary, times
from gatefield.show.terminal import print_line

_COLOURS = {"holds": "blue", "holds with a condition": "cyan", "corrected": "yellow", "refuted": "magenta", "open": "white"}
_WIDE = 110
_WITH_NOTE = ("holds with a condition", "corrected", "refuted")
"""Verdicts that say little without their condition, correction or reason."""


def show_ledger(rows: Sequence[Row], console: Console) -> None:
    """Each entry: what it says, the verdict, the function and its value, the estimate, what is printed, and the outcome."""
    for group in groups(rows):
        if console.is_terminal and console.width >= _WIDE:
            console.print(_table(group), "")
        else:
            _lines(group, console)
    print_line(summary(rows), console)
    print_line(times(rows), console)


def _table(group: Group) -> Table:
    right: Any = {"justify": "right", "no_wrap": True}
    table = Table(
        Column("entry", max_width=20, overflow="fold"),
        Column("what it says, where, by which function, estimated how", ratio=1),
        Column("verdict", max_width=11),
        Column("library", **right),
        Column("estimate", **right),
        Column("printed", **right),
        Column("outcome", no_wrap=True),
        title=Text(group.title, "bold"),
        title_justify="left",
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        expand=True,
    )
    for line in group.lines:
        table.add_row(*_cells(line))
    return table


def _cells(line: Line) -> list[Text]:
    """One row."""
    row = line.row
    says = Text.assemble(row.says, ("\n" + "; ".join(filter(None, (row.place, row.implements, line.how))), "dim"))
    if _shows_note(line):
        says.append(f"\n{row.note}", "italic")
    if row.error_text:
        says.append(f"\n{row.error_text}", "bold yellow")
    estimate = Text.assemble(line.estimate, "\n", (line.error, "dim"))
    printed = Text(line.printed, "yellow" if line.printed_is_wrong else "")
    return [Text(row.name, "bold"), says, _verdict(row), Text(line.value), estimate, printed, Text(line.mark, _mark(line))]


def _lines(group: Group, console: Console) -> None:
    """The entries of one source; words are kept whole in a terminal, and lines in a pipe."""
    for depth, text in [(0, Text(group.title, "bold")), *(part for line in group.lines for part in _entry(line))]:
        if console.is_terminal:
            console.print(Padding(text, (0, 0, 0, depth)))
        else:
            print_line(" " * depth + text.plain, console)


def _entry(line: Line) -> Iterator[tuple[int, Text]]:
    """Indents and texts: the claim, its numbers, and the note or what is wrong."""
    row = line.row
    outcome = (row.outcome, _mark(line))
    yield 2, Text.assemble(outcome, ": ", (row.name, "bold"), f", {row.place}: {row.says} [", _verdict(row), "]")
    if row.estimate is not None:
        numbers = f"{row.implements} {line.value}, estimate {line.estimate} {line.error} by {line.how}"
        yield 4, Text(numbers + (f", printed {line.printed}" if row.printed is not None else ""))
    if _shows_note(line):
        yield 4, Text(row.note, "italic")
    if row.error_text:
        yield 4, Text(f"{row.error_text}" if row.estimate is not None else f"{row.implements}: {row.error_text}", "bold yellow")


def _shows_note(line: Line) -> bool:
    """Notes are shown where the verdict needs one, or the outcome is not in order; the page has all of them."""
    return bool(line.row.note) and (line.row.verdict in _WITH_NOTE or line.printed_is_wrong or not line.good)


def _verdict(row: Row) -> Text:
    return Text(row.verdict, _COLOURS.get(row.verdict, ""))


def _mark(line: Line) -> str:
    return "bold blue" if line.good else "bold yellow"
