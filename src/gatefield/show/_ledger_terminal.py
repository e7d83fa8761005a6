"""The ledger in a terminal: a table for each source, and plain lines for pipes and files."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from gatefield.lab._ledger_file import Row
from gatefield.show._ledger import Group, Line, groups, summary, times
from gatefield.show._terminal import say

_COLOURS = {"holds": "blue", "holds with a condition": "cyan", "corrected": "yellow", "refuted": "magenta", "open": "white"}


def show_ledger(rows: Sequence[Row], console: Console) -> None:
    """Each entry: what it says, its status, the library's value, the estimate, what is printed, and the verdict."""
    for group in groups(rows):
        if console.is_terminal:
            console.print(_table(group), "")
        else:
            say(group.title, console)
            for line in group.lines:
                _plain(line, console)
    say(summary(rows), console)
    say(times(rows), console)


def _table(group: Group) -> Table:
    right: Any = {"justify": "right", "no_wrap": True}
    table = Table(
        Column("entry", max_width=20, overflow="fold"),
        Column("what it says, where, estimated how", ratio=1),
        Column("status", max_width=11),
        Column("library", **right),
        Column("estimate", **right),
        Column("printed", **right),
        Column("verdict", no_wrap=True),
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
    """One row; notes are shown where something printed or computed is wrong, and in full on the page."""
    row = line.row
    says = Text.assemble(row.says, ("\n" + "; ".join(filter(None, (row.place, line.how))), "dim"))
    if row.note and (line.printed_is_wrong or not line.good):
        says.append(f"\n{row.note}", "italic")
    if row.error_text:
        says.append(f"\n{row.error_text}", "bold yellow")
    estimate = Text.assemble(line.estimate, "\n", (line.error, "dim"))
    printed = Text(line.printed, "yellow" if line.printed_is_wrong else "")
    mark = Text(line.mark, "bold blue" if line.good else "bold yellow")
    return [
        Text(row.name, "bold"),
        says,
        Text(row.status, _COLOURS.get(row.status, "")),
        Text(line.value),
        estimate,
        printed,
        mark,
    ]


def _plain(line: Line, console: Console) -> None:
    """One line, one more for the note, and one for what is wrong."""
    row = line.row
    numbers = f"library {line.value}, estimate {line.estimate} {line.error} by {line.how}" if row.estimate is not None else ""
    printed = f", printed {line.printed}" if row.printed is not None else ""
    detail = f" ({numbers}{printed})" if numbers else ""
    say(f"  {row.verdict}: {row.name}, {row.place}: {row.says} [{row.status}]{detail}", console)
    for text in (row.note, row.error_text):
        if text:
            say(f"    {text}", console)
