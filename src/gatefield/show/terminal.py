"""Tables for a terminal, and plain lines for pipes and files."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from gatefield.core.words import number

if TYPE_CHECKING:
    from gatefield.lab import Experiment, Verdict


MARKS = {"confirmed": "✓", "refuted": "✗", "not decided": "?", "off": "≠"}
"""A sign for each outcome of a verdict."""


def say(text: str, console: Console) -> None:
    """One line as it is: not wrapped, and with nothing in it taken for markup."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def show_verdicts(verdicts: "Sequence[Verdict]", console: Console) -> None:
    """Each claim, the expected and the measured number, and what became of it."""
    if not console.is_terminal:
        for verdict in verdicts:
            say(_verdict_line(verdict), console)
            if verdict.note:
                say(f"    {verdict.note}", console)
        return
    table = Table(
        "claim", Column("expected", justify="right"), Column("measured", justify="right"), "tolerance", "verdict", box=None
    )
    for verdict in verdicts:
        mark = Text(f"{MARKS[verdict.outcome]} {verdict.outcome}", "bold blue" if verdict.holds else "bold yellow")
        cells = (verdict.claim, number(verdict.expected), number(verdict.measured), verdict.tolerance)
        table.add_row(*map(Text, cells), mark)
        if verdict.note:
            table.add_row(Text(verdict.note, "dim"))
    console.print(Padding(table, (0, 2)))


def show_experiments(listed: Sequence[Any], subjects: Mapping[str, str], console: Console) -> None:
    """Experiments by subject: name, what each shows, and how long its presets take."""
    groups = list(dict.fromkeys(item.subject for item in listed))
    if not console.is_terminal:
        for item in listed:
            say(f"{item.name}: {item.title} [{item.subject}{_durations(item.durations)}]", console)
        return
    table = Table("name", "what it shows", "presets", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for group in groups:
        table.add_row(Text(f"\n{subjects.get(group, f'from the package {group}')}", "italic"))
        for item in (item for item in listed if item.subject == group):
            times = ", ".join(f"{preset} {words}" for preset, words in item.durations.items())
            table.add_row(Text(item.name, "bold"), Text(item.title), Text(times))
    console.print(table)
    say("\ngatefield list NAME tells more of one, gatefield run NAME runs it.", console)


def describe_experiment(experiment: "Experiment", console: Console) -> None:
    """One experiment in full: what it asks, its presets, and its parameters with their defaults."""
    from gatefield.lab import written  # not before it is needed: a plain list is to be there at once

    say(f"{experiment.name}: {experiment.title} [{experiment.source}]", console)
    say(textwrap.fill(experiment.text, 100, initial_indent="  ", subsequent_indent="  "), console)
    say("  parameters, for --set name=value:", console)
    for name, field in experiment.Parameters.model_fields.items():
        say(f"    {name} = {written(field.default)}", console)
    for preset, values in experiment.presets.items():
        changes = ", ".join(f"{name}={written(value)}" for name, value in values.items())
        say(f"  preset {preset}: {changes or 'these defaults'}", console)


def _verdict_line(verdict: "Verdict") -> str:
    numbers = f"expected {number(verdict.expected)}, measured {number(verdict.measured)}, {verdict.tolerance}"
    return f"  {verdict.outcome}: {verdict.claim} ({numbers})"


def _durations(durations: Mapping[str, str]) -> str:
    return "".join(f"; {preset}: {words}" for preset, words in durations.items())
