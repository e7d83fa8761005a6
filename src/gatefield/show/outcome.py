"""What a run says when it is done."""

from pathlib import Path

from rich.console import Console

from gatefield.core.errors import StoreError
from gatefield.core.text.words import seconds
from gatefield.lab import Experiment, Outcome
from gatefield.show.figures import FIGURE, draw, save
from gatefield.show.terminal import print_line, show_verdicts


def show_outcome(experiment: Experiment, outcome: Outcome, console: Console) -> None:
    """Print how the run went, its verdicts, and where its record and figure are; the figure is drawn beside the record."""
    print_line(_headline(experiment.name, outcome), console)
    show_verdicts(outcome.verdicts, console)
    print_line(f"  record: {outcome.entry.path}", console)
    print_line(f"  figure: {_figure(experiment, outcome)}", console)
    for remark in outcome.remarks:
        print_line(f"  remark: {remark}", console)


def _headline(name: str, outcome: Outcome) -> str:
    if outcome.reused:
        return f"{name}: already in the store: {outcome.entry.path}"
    went_on = ", going on from where it had stopped" if outcome.resumed else ""
    return f"{name}: finished in {seconds(outcome.seconds)}{went_on}"


def _figure(experiment: Experiment, outcome: Outcome) -> Path:
    """Drawn anew, since the code that draws may have changed; on a disk that is read-only by now, the one that is there."""
    path = outcome.entry.path / FIGURE
    try:
        return save(draw(experiment, outcome.record), path)
    except StoreError:
        if outcome.reused and path.exists():
            return path
        raise
