"""What a run says when it is done."""

from pathlib import Path
from typing import Any

from rich.console import Console

from gatefield.core.errors import StoreError
from gatefield.core.words import seconds
from gatefield.lab.experiment import Experiment
from gatefield.show.figures import FIGURE, draw, save
from gatefield.show.terminal import say, show_verdicts


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
    """Drawn anew, since the code that draws may have changed; on a disk that is read-only by now, the one that is there."""
    path = Path(outcome.entry.path) / FIGURE
    try:
        return save(draw(experiment, outcome.record), path)
    except StoreError:
        if outcome.reused and path.exists():
            return path
        raise
