"""What a run says when it is done."""

from pathlib import Path
from typing import Any

from rich.console import Console

from gatefield.lab.experiment import Experiment
from gatefield.lab.store.marker import MARKER, read_marker
from gatefield.lab.store.records import PARTS, RECORD
from gatefield.show.figures import draw, save
from gatefield.show.terminal import say, show_verdicts
from gatefield.show.words import seconds

FIGURE = "figure.svg"


def committed(run: Path) -> str:
    """How far an interrupted run had come, part by part, in words; empty where none of its parts was begun, or all is done."""
    if (run / RECORD / MARKER).is_file():
        return ""
    markers = [(part.name, read_marker(part)) for part in sorted((run / PARTS).glob("[!.]*"))]
    return ", ".join(f"record {marker.records} of {marker.total} of {name}" for name, marker in markers if marker)


def show_outcome(experiment: Experiment, outcome: Any, console: Console) -> None:
    """Print how the run went, its verdicts, and where its record and figure are; the figure is drawn beside the record."""
    say(_headline(experiment.name, outcome), console)
    show_verdicts(outcome.verdicts, console)
    say(f"  record: {outcome.entry.path}", console)
    say(f"  figure: {_figure(experiment, outcome)}", console)


def _headline(name: str, outcome: Any) -> str:
    if outcome.reused:
        return f"{name}: already in the store: {outcome.entry.path}"
    went_on = ", going on from where it had stopped" if outcome.resumed else ""
    return f"{name}: finished in {seconds(outcome.seconds)}{went_on}"


def _figure(experiment: Experiment, outcome: Any) -> Path:
    path = Path(outcome.entry.path) / FIGURE
    if outcome.reused and path.exists():
        return path
    return save(draw(experiment, outcome.record), path)
