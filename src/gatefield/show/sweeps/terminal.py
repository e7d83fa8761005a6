"""How far a sweep is, for a terminal."""

from collections.abc import Sequence

from rich.console import Console

from gatefield.core.text.words import seconds, size
from gatefield.lab import Holding, SweepState
from gatefield.show.terminal import print_line


def show_state(state: SweepState, console: Console) -> None:
    """How far a sweep is: counts of points, time left, and the first error of each kind."""
    print_line(f"{state.name}: {state_words(state)}", console)
    for text, count in state.errors.items():
        print_line(f"  {count} {'point' if count == 1 else 'points'} failed: {text}", console)


def show_sweep(state: SweepState, blocks: Sequence[Holding], console: Console, *, fully: bool) -> None:
    """A sweep among what a store holds: its counts and what its own blocks take; in full, also what failed."""
    taken = size(sum(block.size for block in blocks))
    if fully:
        show_state(state, console)
        print_line(f"  {len(blocks)} blocks of its own, {taken}", console)
    else:
        print_line(f"{state.name}: sweep, {taken}, {state_words(state, timed=False)}", console)


def state_words(state: SweepState, *, timed: bool = True) -> str:
    """The counts of a sweep in a line, with the time left if that is asked for and known."""
    axes = " x ".join(f"{name} {length}" for name, length in state.axes.items())
    counts = [f"{state.done} done", f"{state.running} running", f"{state.failed} failed", f"{state.left} left"]
    timed = timed and state.seconds_left is not None and state.left + state.running > 0
    time = f", about {seconds(state.seconds_left or 0.0)} left" if timed else ""
    return f"{state.points} points ({axes}), {', '.join(counts)}{time}"
