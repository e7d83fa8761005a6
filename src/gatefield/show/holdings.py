"""What a store holds, for a terminal, and as plain lines for pipes and files."""

import textwrap
from collections.abc import Callable, Sequence

import pydantic
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from gatefield.core.errors import UserError
from gatefield.core.text.words import size
from gatefield.lab import Experiment, Holding, command, written
from gatefield.show.setting import setting, store_option
from gatefield.show.terminal import print_line

Find = Callable[[str], Experiment]
_MOST = 100
"""Characters of a setting in a line; `gatefield store NAME-ID` shows all of it."""


def show_holdings(holdings: Sequence[Holding], find: Find, console: Console) -> None:
    """A line for each: its name, state, size, when it was begun, and its setting in short. `find` gives experiments by name."""
    if not console.is_terminal:
        for holding in holdings:
            print_line(_line(holding, _short(holding, find)), console)
        return
    table = Table("entry", "state", Column("size", justify="right"), "begun", "setting", box=None, pad_edge=False)
    for holding in holdings:
        cells = (holding.name, holding.state, size(holding.size), _time(holding), _short(holding, find))
        table.add_row(*map(Text, cells))
    console.print(table)
    print_line(
        f"\n{total(holdings)}; gatefield store NAME-ID tells more of one, gatefield store remove NAME-ID removes it.", console
    )


def describe_holding(holding: Holding, find: Find, console: Console) -> None:
    """One of them in full: how far it is, its setting, where it lies, and the command that makes it."""
    print_line(_line(holding), console)
    entry = holding.entry
    for words in (entry.problem, holding.misplaced, _committed(holding), _setting(holding, find)):
        if words:
            print_line(f"  {words}", console)
    print_line(f"  folder: {entry.path}", console)
    if entry.parameters:
        print_line(f"  command: {_command(holding)}{store_option(entry.path)}", console)


def total(holdings: Sequence[Holding]) -> str:
    """How many there are, and how much they take together.

    >>> total([])
    'nothing, 0 B'
    """
    count = f"{len(holdings)} {'entry' if len(holdings) == 1 else 'entries'}" if holdings else "nothing"
    return f"{count}, {size(sum(holding.size for holding in holdings))}"


def _line(holding: Holding, words: str = "") -> str:
    return ", ".join(filter(None, (f"{holding.name}: {holding.state}", size(holding.size), _time(holding), words)))


def _time(holding: Holding) -> str:
    """When it was begun, to the minute."""
    return holding.created[:16].replace("T", " ")


def _short(holding: Holding, find: Find) -> str:
    words = holding.entry.problem or holding.misplaced or _setting(holding, find)
    return textwrap.shorten(words, _MOST, placeholder=" ...")


def _setting(holding: Holding, find: Find) -> str:
    """What differs from the nearest preset; of an experiment that is not at hand, or has changed, all parameters."""
    entry = holding.entry
    try:
        experiment = find(entry.name)
        experiment.Parameters(**entry.parameters)
        return setting(experiment, entry.parameters)
    except (UserError, pydantic.ValidationError):
        return ", ".join(f"{name} = {written(value)}" for name, value in entry.parameters.items())


def _committed(holding: Holding) -> str:
    try:
        return holding.entry.committed
    except UserError as error:
        return str(error)


def _command(holding: Holding) -> str:
    """What makes this entry, by the file of its experiment if it has one."""
    try:
        name = holding.entry.about().origin or holding.entry.name
    except UserError:
        name = holding.entry.name
    return command(name, holding.entry.parameters)
