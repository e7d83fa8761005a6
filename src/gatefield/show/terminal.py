"""Tables for a terminal, and plain lines for pipes and files."""

import textwrap
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from gatefield.lab.experiment import Experiment, Verdict
from gatefield.lab.parameters import written
from gatefield.show.words import holds, number


def say(text: str, console: Console) -> None:
    """One line as it is: not wrapped, and with nothing in it taken for markup."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def show_verdicts(verdicts: Sequence[Verdict], console: Console) -> None:
    """Each claim, the expected and the measured number, and whether it holds."""
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
        mark = Text(f"✓ {holds(True)}", "bold blue") if verdict.holds else Text(f"✗ {holds(False)}", "bold yellow")
        cells = (verdict.claim, number(verdict.expected), number(verdict.measured), verdict.tolerance)
        table.add_row(*map(Text, cells), mark)
        if verdict.note:
            table.add_row(Text(verdict.note, "dim"))
    console.print(Padding(table, (0, 2)))


def show_experiments(experiments: Iterable[Experiment], console: Console) -> None:
    """Name, what is shown, source, and how long the presets take."""
    if not console.is_terminal:
        for item in experiments:
            say(f"{item.name}: {item.title} [{item.source}; {_durations(item)}]", console)
        return
    table = Table("name", "what it shows", "source", "presets", box=None, pad_edge=False, padding=(0, 2, 1, 0))
    for item in experiments:
        table.add_row(Text(item.name, "bold"), Text(item.title), Text(item.source), Text(_durations(item).replace("; ", "\n")))
    console.print(table)


def describe_experiment(experiment: Experiment, console: Console) -> None:
    """One experiment in full: what it asks, its presets, and its parameters with their defaults."""
    say(f"{experiment.name}: {experiment.title} [{experiment.source}]", console)
    say(textwrap.fill(experiment.text, 100, initial_indent="  ", subsequent_indent="  "), console)
    say("  parameters, for --set name=value:", console)
    for name, field in experiment.Parameters.model_fields.items():
        say(f"    {name} = {written(field.default)}", console)
    for preset, values in experiment.presets.items():
        changes = ", ".join(f"{name}={written(value)}" for name, value in values.items())
        say(f"  preset {preset}: {changes or 'these defaults'}", console)


def _verdict_line(verdict: Verdict) -> str:
    numbers = f"expected {number(verdict.expected)}, measured {number(verdict.measured)}, {verdict.tolerance}"
    return f"  {holds(verdict.holds)}: {verdict.claim} ({numbers})"


def _durations(experiment: Experiment) -> str:
    return "; ".join(f"{preset}: {words}" for preset, words in experiment.durations.items() if preset != "tiny")
