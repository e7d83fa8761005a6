"""The map in a terminal: how many items of each source came to what, and what is missing."""

import textwrap

from rich.console import Console

from gatefield.ledger import SOURCES
from gatefield.show.map.rows import Row, rows
from gatefield.show.map.view import counts
from gatefield.show.terminal import print_line


def show_map(console: Console) -> None:
    """Counts for each source, and the rows in which something is missing."""
    found = rows()
    for source in dict.fromkeys(row.item.source for row in found):
        own = [row for row in found if row.item.source == source]
        print_line(f"{SOURCES[source]}: {_counted(own)}", console)
    print_line(f"All: {_counted(found)}", console)
    gaps = [row for row in found if row.missing]
    if gaps:
        print_line(f"\nSomething is missing in {len(gaps)} of them:", console)
    for row in gaps:
        _gap(row, console)


def _counted(found: "list[Row] | tuple[Row, ...]") -> str:
    return f"{len(found)} items, {', '.join(f'{times} {words}' for _, times, words in counts(found))}"


def _gap(row: Row, console: Console) -> None:
    """One row: lines are wrapped in a terminal, and kept whole in a pipe."""
    text = f"{row.item.source}, {row.item.place} [{row.status}]: {row.item.says} Missing: {row.missing}"
    width = max(console.width, 40) if console.is_terminal else len(text) + 4
    print_line(textwrap.fill(text, width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False), console)
