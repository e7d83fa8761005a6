"""Tables for a terminal, and plain lines for pipes and files."""

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from gatefield.core.text.words import number

if TYPE_CHECKING:
    from gatefield.lab import Experiment, Verdict


MARKS = {"confirmed": "✓", "refuted": "✗", "not decided": "?", "off": "≠", "not judged": "–"}
"""A sign for each outcome of a verdict."""
STYLES = {True: "bold blue", False: "bold yellow", None: "dim"}
"""By whether a verdict holds."""


def print_line(text: str, console: Console) -> None:
    """One line as it is: not wrapped, and with nothing in it taken for markup."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def show_verdicts(verdicts: "Sequence[Verdict]", console: Console) -> None:
    """Each claim, the predicted and the measured number, what became of it, and whose claim it is."""
    if not console.is_terminal:
        for verdict in verdicts:
            print_line(_verdict_line(verdict), console)
            if verdict.note:
                print_line(f"    {verdict.note}", console)
        return
    table = Table(
        "claim", Column("predicted", justify="right"), Column("measured", justify="right"), "tolerance", "verdict", box=None
    )
    for verdict in verdicts:
        mark = Text(f"{MARKS[verdict.outcome]} {verdict.outcome}", STYLES[verdict.holds])
        claim = Text.assemble(verdict.claim, (f"\n{origin(verdict)}", "dim"))
        numbers = map(_shown, (verdict.predicted, verdict.measured)) if verdict.bounds else ("", "")
        table.add_row(claim, *map(Text, numbers), Text(verdict.tolerance or verdict.why), mark)
        for row in verdict.table:
            cells = map(Text, (f"  {row.at}", _shown(row.predicted), number(row.measured), row.rule, row.outcome))
            table.add_row(*cells, style="dim" if row.outcome == "holds" else "")
        if verdict.note:
            table.add_row(Text(verdict.note, "dim"))
    console.print(Padding(table, (0, 2)))


def show_experiments(listed: Sequence[Any], subjects: Mapping[str, str], console: Console) -> None:
    """Experiments by subject: name, what each shows, and how long its presets take."""
    groups = list(dict.fromkeys(item.subject for item in listed))
    if not console.is_terminal:
        for item in listed:
            title = f": {item.title}" if item.title else ""  # one of another package is not loaded for its title
            print_line(f"{item.name}{title} [{item.subject}{_durations(item.durations)}]", console)
        return
    table = Table("name", "what it shows", "presets", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for group in groups:
        table.add_row(Text(f"\n{subjects.get(group, f'from the package {group}')}", "italic"))
        for item in (item for item in listed if item.subject == group):
            times = ", ".join(f"{preset} {words}" for preset, words in item.durations.items())
            table.add_row(Text(item.name, "bold"), Text(item.title), Text(times))
    console.print(table)
    print_line("\ngatefield list NAME tells more of one, gatefield run NAME runs it.", console)


def describe_experiment(experiment: "Experiment", console: Console) -> None:
    """One experiment in full: what it asks, its presets, and its parameters with their defaults."""
    from gatefield.lab import written  # not before it is needed: a plain list is to be there at once

    source = f" [{experiment.source}]" if experiment.source else ""
    print_line(f"{experiment.name}: {experiment.title}{source}", console)
    for paragraph in filter(str.strip, experiment.text.split("\n\n")):
        print_line(textwrap.fill(paragraph.strip(), 100, initial_indent="  ", subsequent_indent="  "), console)
    print_line("  parameters, for --set name=value:", console)
    for name, field in experiment.Parameters.model_fields.items():
        default = "(no default)" if field.is_required() else written(field.get_default(call_default_factory=True))
        print_line(f"    {name} = {default}", console)
    for preset, values in experiment.presets.items():
        changes = ", ".join(f"{name}={written(value)}" for name, value in values.items())
        takes = f" (takes {experiment.durations[preset]})" if preset in experiment.durations else ""
        print_line(f"  preset {preset}: {changes or 'these defaults'}{takes}", console)


def origin(verdict: "Verdict") -> str:
    """Whose claim it is and of what kind, in a few words.

    >>> from gatefield.lab import Verdict
    >>> origin(Verdict.equals("n is 3", 3, 3, kind="reproduction", source="note 002, table 1"))
    'reproduction, note 002, table 1'
    """
    return f"{verdict.kind}, {verdict.source}" if verdict.source else verdict.kind


def parted(verdicts: "Sequence[Verdict]") -> "list[tuple[str, list[Verdict]]]":
    """Claims of sources and predictions; and checks: controls, regressions and reproductions, which find nothing new.

    Either as a word for one of them, and the verdicts; no checks where there are none.
    """
    checks = [verdict for verdict in verdicts if verdict.kind not in ("claim", "prediction")]
    claims = [verdict for verdict in verdicts if verdict.kind in ("claim", "prediction")]
    return [("claim", claims), *([("check", checks)] if checks else [])]


def headcount(verdicts: "Sequence[Verdict]") -> str:
    """How many claims and how many checks, in words.

    >>> from gatefield.lab import Verdict
    >>> headcount([Verdict.equals("n is 3", 3, 3), Verdict.equals("2 is 2", 2, 2, kind="control")])
    '1 claim + 1 check'
    """
    return " + ".join(f"{len(some)} {name}{'s' * (len(some) != 1)}" for name, some in parted(verdicts))


def tally(verdicts: "Sequence[Verdict]") -> dict[str, str]:
    """Outcome -> how many verdicts came to it, in words; findings and misses are told apart, with the kinds of claims they are.

    >>> from gatefield.lab import Verdict
    >>> tally([Verdict.equals("n is 3", 3, 3), Verdict.equals("so it is printed", 1, 2, kind="claim")])
    {'confirmed': '1 confirmed', 'refuted': '1 refuted, a finding (1 claim of a source)'}
    """
    by_outcome = {outcome: [verdict for verdict in verdicts if verdict.outcome == outcome] for outcome in MARKS}
    return {outcome: _counted(outcome, found) for outcome, found in by_outcome.items() if found}


def _counted(outcome: str, found: "Sequence[Verdict]") -> str:
    one, many = {"refuted": (", a finding", ", findings"), "off": (", a miss", ", misses")}.get(outcome, ("", ""))
    kinds = Counter(verdict.kind for verdict in found)
    each = ", ".join(f"{n} {kind}{'s' * (n > 1)}{' of a source' * (kind == 'claim')}" for kind, n in kinds.items())
    return f"{len(found)} {outcome}{one if len(found) == 1 else many}" + (f" ({each})" if one else "")


def _verdict_line(verdict: "Verdict") -> str:
    if not verdict.bounds:
        return f"  {verdict.outcome}: {verdict.claim}: {verdict.why} ({origin(verdict)})"
    if verdict.table:
        rows = "".join(f"\n    {row.outcome} at {row.at}: {_numbers(row)}, {row.rule}" for row in verdict.table)
        return f"  {verdict.outcome}: {verdict.claim} ({verdict.tolerance}; {origin(verdict)}){rows}"
    return f"  {verdict.outcome}: {verdict.claim} ({_numbers(verdict)}, {verdict.tolerance}; {origin(verdict)})"


def _numbers(of: Any) -> str:
    predicted = "" if of.predicted is None else f"predicted {number(of.predicted)}, "
    return f"{predicted}measured {number(of.measured)}"


def _shown(value: float | None) -> str:
    return "" if value is None else number(value)


def _durations(durations: Mapping[str, str]) -> str:
    return "".join(f"; {preset}: {words}" for preset, words in durations.items())
