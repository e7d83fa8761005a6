"""Ratios first, then times; tables in terminals, plain lines elsewhere."""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from gatefield.core.text.words import number
from gatefield.show.terminal import print_line

if TYPE_CHECKING:
    from gatefield.speed import Growth, Spread, Standing, Timed


def show_finding(case: str, finding: "Standing | Growth", console: Console) -> None:
    """One contest or one growth."""
    if finding.kind == "growth":
        _show_growth(case, finding, console)
    elif console.is_terminal:
        _show_table(case, finding, console)
    else:
        print_line(f"{case}, {finding.contest}, ms per {finding.unit}, load {finding.load}", console)
        for peer in finding.peers:
            print_line(f"  {_against(peer)}", console)
        print_line(f"  {_alone(finding.ours)}", console)


def _show_table(case: str, finding: "Standing", console: Console) -> None:
    right = {"justify": "right", "no_wrap": True}
    table = Table(
        Column("ratio", **right),
        Column("from – to", **right),
        Column("against", ratio=1),
        Column(f"ms per {finding.unit}", **right),
        Column("from – to", **right),
        Column("error", **right),
        title=Text(f"{case}: {finding.contest}", "bold"),
        title_justify="left",
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )
    for timed in (*finding.peers, finding.ours):
        table.add_row(*_cells(timed, timed is finding.ours))
    console.print(Padding(table, (0, 0, 1, 0)))


def _cells(timed: "Timed", ours: bool) -> list[Text]:
    if timed.ms is None:
        return [Text("–", "dim"), Text(""), Text(f"{timed.name}: {timed.missing}", "dim"), *map(Text, ("", "", ""))]
    ratio = [Text(""), Text("")]
    if timed.ratio:
        slower = timed.ratio.median < 1  # than a peer
        ratio = [Text(number(timed.ratio.median), "bold yellow" if slower else "bold blue"), Text(_range(timed.ratio))]
    name = Text(f"{timed.name} (gatefield)" if ours else timed.name)
    return [*ratio, name, *map(Text, (number(timed.ms.median), _range(timed.ms), _error(timed)))]


def _against(peer: "Timed") -> str:
    """A peer in a line."""
    if peer.ratio is None or peer.ms is None:
        return f"{peer.name}: {peer.missing}"
    return f"{number(peer.ratio.median)} times ({_range(peer.ratio)}) against {_alone(peer)}"


def _alone(timed: "Timed") -> str:
    assert timed.ms
    error = f", error {_error(timed)}" if timed.error is not None else ""
    return f"{timed.name}: {number(timed.ms.median)} ({_range(timed.ms)}){error}"


def _show_growth(case: str, finding: "Growth", console: Console) -> None:
    found = f"exponent {finding.exponent:.2f} ± {finding.error:.2f}, expected {number(finding.expected)} ({finding.why})"
    print_line(f"{case}, {finding.name}: {found}, load {finding.load}", console)
    times = ", ".join(f"{size:,}: {number(ms.median)}" for size, ms in zip(finding.sizes, finding.ms, strict=True))
    print_line(f"  ms per {finding.unit} at {finding.along} = {times}", console)


def _range(spread: "Spread") -> str:
    return f"{number(spread.least)}–{number(spread.most)}"


def _error(timed: "Timed") -> str:
    return "" if timed.error is None else f"{timed.error:.1g}"
