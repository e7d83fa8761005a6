"""Progress of a run: bars in a terminal, plain lines elsewhere."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from gatefield.core.text.words import seconds


class Report(Protocol):
    """What a run calls between chunks."""

    def __call__(self, part: str, steps_done: int, steps_total: int, /) -> None: ...


AFTER = "computing goes on"
"""What is said when a part is trained: another part, the theory or the end may follow."""


class Lines:
    """Plain lines: at most one in `every` seconds, with the share done and the time left, and one at the end of long parts."""

    def __init__(
        self,
        name: str,
        write: Callable[[str], object],
        every: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
        unit: str = "steps",
    ):
        self._name, self._write, self._every, self._clock, self._unit = name, write, every, clock, unit
        self._written = clock()
        self._calls: dict[str, list[tuple[float, int]]] = {}
        self._ended: tuple[str, int] | None = None

    def __call__(self, part: str, steps_done: int, steps_total: int, /) -> None:
        now = self._clock()
        calls = self._calls.setdefault(part, [])
        if len(calls) < 2:
            calls.append((now, steps_done))
        end = (part, steps_total) if steps_done >= steps_total else None
        if end is not None and end == self._ended:  # it was said
            return
        ends = end is not None and now - calls[0][0] >= self._every
        if now - self._written >= self._every or ends:
            self._written, self._ended = now, end
            left = f", {AFTER}" if ends and part else _seconds_left(*calls[-1], now, steps_done, steps_total)
            self._write(f"{_label(self._name, part)}: {_share(steps_done, steps_total, self._unit)}{left}")


def _label(name: str, part: str) -> str:
    return f"{name}, {part}" if part else name


def _share(done: int, total: int, unit: str) -> str:
    return f"{100 * done // max(total, 1)} % ({done} of {total} {unit})"


def _seconds_left(then: float, before: int, now: float, done: int, total: int) -> str:
    """From the pace since the second call: compiling, and the leap to where an interrupted run goes on, come before it."""
    if not before < done < total:
        return ""
    left = (now - then) * (total - done) / (done - before)
    return f", about {seconds(max(left, 1.0))} left"


class Bars:
    """One bar for each part."""

    def __init__(self, name: str, bars: Progress, unit: str = "steps"):
        self._name, self._bars, self._unit = name, bars, unit
        self._tasks = {}
        self._waiting = bars.add_task(name, total=None, steps="starting")

    def __call__(self, part: str, steps_done: int, steps_total: int, /) -> None:
        self._bars.update(self._waiting, visible=bool(part) and steps_done >= steps_total, steps=AFTER)
        if part not in self._tasks:
            self._tasks[part] = self._bars.add_task(_label(self._name, part), steps="")
        steps = f"{steps_done} of {steps_total} {self._unit}"
        self._bars.update(self._tasks[part], completed=steps_done, total=steps_total, steps=steps)


@contextlib.contextmanager
def progress(name: str, *, bars: bool | None = None, unit: str = "steps") -> Iterator[Report]:
    """Show the progress of `name` on standard error for as long as the block lasts: bars in a terminal, or if so asked."""
    if not (sys.stderr.isatty() if bars is None else bars):
        yield Lines(name, lambda line: sys.stderr.write(line + "\n"), unit=unit)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[steps]}"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as display:
        yield Bars(name, display, unit)


@contextlib.contextmanager
def training_progress(
    asked: bool | Callable[[int, int], None] | None = None, name: str = "train", unit: str = "steps"
) -> Iterator[Callable[[int, int], None]]:
    """What a training calls between chunks: the function that was asked for; a bar in terminals and notebooks, or where one is
    asked for; else nothing."""
    if callable(asked):
        yield asked
    elif asked or (asked is None and (sys.stderr.isatty() or _in_notebook())):
        with progress(name, bars=True, unit=unit) as report:
            yield lambda done, total: report("", done, total)
    else:
        yield lambda done, total: None


def _in_notebook() -> bool:
    """Whether this runs in a Jupyter kernel, whose shell is not a terminal."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"
