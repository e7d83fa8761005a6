"""What a run says when it is done."""

from rich.console import Console

from gatefield.core.text.words import seconds
from gatefield.lab import Experiment, Outcome, headline
from gatefield.show.kept import FIGURE, kept_figure
from gatefield.show.pictures import pictures_of
from gatefield.show.terminal import print_line, show_verdicts


def show_outcome(experiment: Experiment, outcome: Outcome, console: Console) -> None:
    """Print how the run went, what it found, its verdicts, and where its record and figure are, which is drawn if need be."""
    print_line(_went(experiment.name, outcome), console)
    print_line(f"  {headline(experiment.title, outcome.verdicts)}", console)
    show_verdicts(outcome.verdicts, console)
    print_line(f"  record: {outcome.entry.path}", console)
    print_line(f"  figure: {_figure(experiment, outcome)}", console)
    for remark in outcome.remarks:
        print_line(f"  remark: {remark}", console)


def _went(name: str, outcome: Outcome) -> str:
    if outcome.reused:
        return f"{name}: already in the store: {outcome.entry.path}"
    went_on = ", going on from where it had stopped" if outcome.resumed else ""
    return f"{name}: finished in {seconds(outcome.seconds)}{went_on}"


def _figure(experiment: Experiment, outcome: Outcome) -> str:
    """Where the figure is; a store may be read-only by now, which does not make the run a failure."""
    folder = outcome.entry.path
    drawn = pictures_of(experiment, outcome.record, folder, outcome.verdicts).figure
    if kept_figure(folder) == drawn:
        return str(folder / FIGURE)
    return "not kept, since nothing can be written there; `gatefield report` draws it on its page"
