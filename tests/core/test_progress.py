"""Progress: plain lines, bars, and what a training shows by itself."""

import io
import sys
from types import ModuleType, SimpleNamespace

import pytest
from rich.console import Console
from rich.progress import Progress

from gatefield.core.progress import Bars, Lines, progress, training_progress


def test_lines_come_at_most_every_five_seconds_with_the_time_left():
    now = SimpleNamespace(t=0.0)
    lines = []
    report = Lines("bump", lines.append, clock=lambda: now.t)
    report("", 0, 4000)
    for second in range(13):  # it leaps to 400 at once, as an interrupted run does
        now.t = float(second)
        report("", 400 + 100 * second, 4000)
    assert lines == [
        "bump: 22 % (900 of 4000 steps), about 31 s left",
        "bump: 35 % (1400 of 4000 steps), about 26 s left",
    ]


def test_lines_of_a_new_part_start_their_own_clock():
    now = SimpleNamespace(t=100.0)
    lines = []
    report = Lines("bump", lines.append, every=0.0, clock=lambda: now.t)
    report("first", 10, 10)
    report("second", 0, 10)
    report("second", 2, 10)
    now.t = 103.0
    report("second", 5, 10)
    assert lines == [
        "bump, first: 100 % (10 of 10 steps), computing goes on",
        "bump, second: 0 % (0 of 10 steps)",
        "bump, second: 20 % (2 of 10 steps)",
        "bump, second: 50 % (5 of 10 steps), about 5 s left",
    ]


def test_the_end_of_a_part_is_said_once():
    now = SimpleNamespace(t=0.0)
    lines = []
    report = Lines("bump", lines.append, clock=lambda: now.t)
    for second, done in [(0.0, 0), (6.0, 4), (7.0, 4), (20.0, 4), (26.0, 1), (32.0, 4)]:
        now.t = second
        report("", done, 4)
    assert [line.partition("(")[2] for line in lines] == ["4 of 4 steps)", "1 of 4 steps)", "4 of 4 steps)"]


def test_bars_show_each_part():
    bars = Progress(console=Console(file=io.StringIO(), force_terminal=True))
    report = Bars("bump", bars)
    report("first", 10, 10)
    report("second", 5, 10)
    shown = [(task.description, task.completed, task.total) for task in bars.tasks if task.visible]
    assert shown == [("bump, first", 10, 10), ("bump, second", 5, 10)]
    report("second", 10, 10)
    assert [task.fields["steps"] for task in bars.tasks if task.visible and task.total is None] == ["computing goes on"]


def test_a_pipe_gets_lines_and_a_terminal_bars(monkeypatch, capsys):
    with progress("bump") as report:
        assert isinstance(report, Lines)
    with progress("bump", bars=True) as report:
        assert isinstance(report, Bars)
    monkeypatch.setattr("sys.stderr", Terminal())
    with progress("bump") as report:
        assert isinstance(report, Bars)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_training_calls_the_function_that_was_asked_for():
    calls = []
    with training_progress(lambda done, total: calls.append((done, total))) as report:
        report(3, 10)
    assert calls == [(3, 10)]


@pytest.mark.parametrize("asked", [None, False])
def test_a_training_in_a_pipe_shows_nothing_unless_asked(asked, capsys):
    with training_progress(asked) as report:
        report(0, 10)
        report(10, 10)
    assert capsys.readouterr() == ("", "")


def test_a_training_shows_a_bar_where_one_is_asked_for(monkeypatch):
    """Also in a pipe; what is drawn there is what rich draws without a terminal: the bar as it stands at the end."""
    seen = watch_bars(monkeypatch)
    with training_progress(True) as report:
        report(5, 10)
    assert seen == [("", 5, 10)]


def test_a_training_in_a_terminal_shows_a_bar_unless_forbidden(monkeypatch):
    seen = watch_bars(monkeypatch)
    monkeypatch.setattr("sys.stderr", Terminal())
    with training_progress(None) as report:
        report(5, 10)
    with training_progress(False) as report:
        report(6, 10)
    assert seen == [("", 5, 10)]


@pytest.mark.parametrize(("shell", "shows"), [("ZMQInteractiveShell", True), ("TerminalInteractiveShell", False)])
def test_a_training_in_a_notebook_shows_a_bar(monkeypatch, shell, shows):
    seen = watch_bars(monkeypatch)
    kernel = ModuleType("IPython")
    kernel.get_ipython = type(shell, (), {})
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    with training_progress(None) as report:
        report(5, 10)
    assert seen == [("", 5, 10)] * shows


def watch_bars(monkeypatch):
    seen = []
    monkeypatch.setattr(Bars, "__call__", lambda self, *call: seen.append(call))
    return seen
