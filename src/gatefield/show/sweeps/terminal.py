"""How far a sweep is, for a terminal."""

from rich.console import Console

from gatefield.core.text.words import seconds
from gatefield.lab import SweepState
from gatefield.show.terminal import print_line


def show_state(state: SweepState, console: Console) -> None:
    """How far a sweep is: counts of points, time left, and the first error of each kind."""
    print_line(f"{state.name}: {state_words(state)}", console)
    for text, count in state.errors.items():
        print_line(f"  {count} {'point' if count == 1 else 'points'} failed: {text}", console)


def state_words(state: SweepState, *, timed: bool = True) -> str:
    """The counts of a sweep in a line, with the time left if that is asked for and known."""
    axes = " x ".join(f"{name} {size}" for name, size in state.axes.items())
    counts = [f"{state.done} done", f"{state.running} running", f"{state.failed} failed", f"{state.left} left"]
    timed = timed and state.seconds_left is not None and state.left + state.running > 0
    time = f", about {seconds(state.seconds_left or 0.0)} left" if timed else ""
    return f"{state.points} points ({axes}), {', '.join(counts)}{time}"
