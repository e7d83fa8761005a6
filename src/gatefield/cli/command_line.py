"""The command line. Heavy imports wait inside the commands, so that help answers at once."""

import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import Sequence
from importlib.machinery import ExtensionFileLoader
from types import FrameType
from typing import Any

from gatefield.cli.bench import Bench
from gatefield.cli.check import Check
from gatefield.cli.completion import Completion
from gatefield.cli.data import Data
from gatefield.cli.figure import Figure
from gatefield.cli.list import List
from gatefield.cli.map import Map
from gatefield.cli.messages import output_problem, prepare_streams, report_error, to_stderr
from gatefield.cli.programs import offer_cache
from gatefield.cli.report import Report
from gatefield.cli.run import Run
from gatefield.cli.store import Inventory
from gatefield.cli.sweep import Sweep
from gatefield.cli.tour import Tour
from gatefield.cli.words.parse import parse
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.core.version import __version__

_ABOUT = """A laboratory for gated networks and the receptive fields they learn.

Start with `gatefield tour`; `gatefield --version` says which version this is."""
COMMANDS = {
    "tour": Tour,
    "list": List,
    "run": Run,
    "sweep": Sweep,
    "report": Report,
    "figure": Figure,
    "store": Inventory,
    "check": Check,
    "map": Map,
    "bench": Bench,
    "data": Data,
    "completion": Completion,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    **Arguments**

    - `argv`: the words after `gatefield`; by default those that this process was started with.

    **Returns** the exit code: 0, 1 for a check that finds something wrong, 2 for what the user can put right, 130 when
    interrupted, 143 when ended by SIGTERM, as by a cluster, 129 by SIGHUP, as when a terminal is closed.

    >>> main(["--version"])  # doctest: +ELLIPSIS
    gatefield ...
    0
    """
    os.environ.setdefault("MPLBACKEND", "Agg")
    signals: list[int] = []
    if argv is None:
        prepare_streams()
        offer_cache()
        heed_signals(signals)
    try:
        code = _command(list(sys.argv[1:] if argv is None else argv))()
        sys.stdout.flush()
        return code
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except UserError as error:
        return report_error(error)
    except KeyboardInterrupt as stop:
        to_stderr(
            f"\ngatefield: {str(stop) or 'Stopped.'} What was committed is kept, and the same command goes on from there."
        )
        if argv is None:
            with contextlib.suppress(OSError):
                sys.stdout.flush()
            os._exit(128 + signals[0] if signals else 130)  # what the device is computing cannot be cancelled; do not wait
        return 130
    except OSError as error:
        problem = output_problem() if error.filename is None else None  # a file has a name
        if problem is None:
            raise
        return problem


def heed_signals(received: list[int]) -> None:
    """Let signals that end a command do it as an interruption does, with a sentence; those that are ignored stay so."""

    collection = _Collection()
    gc.callbacks.append(collection.note)

    def end(number: int, frame: FrameType | None) -> None:
        if collection.running or _within_what_loses_errors(frame):
            threading.Timer(0.01, os.kill, (os.getpid(), number)).start()
            return
        received.append(number)
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)


class _Collection:
    """Whether garbage is being collected just now: Python ignores all errors in what that calls."""

    running = False

    def note(self, phase: str, _: object) -> None:
        """Called by Python before and after."""
        self.running = phase == "start"


_LOADING = [ExtensionFileLoader.create_module.__code__, ExtensionFileLoader.exec_module.__code__]
"""Where compiled modules are loaded: those in C++ make an `ImportError` of an interruption, or end the process."""


def _within_what_loses_errors(frame: FrameType | None) -> bool:
    """Whether a compiled module is being loaded, or this is within what is called at each collection of garbage; JAX has such a
    function, which may come first."""
    codes = [*_LOADING, *(getattr(callback, "__code__", None) for callback in gc.callbacks)]
    while frame is not None:
        if frame.f_code in codes:
            return True
        frame = frame.f_back
    return False


def _command(argv: list[str]) -> Any:
    """The command that `argv` asks for, not yet run."""
    for word in argv:
        if "\0" in word:  # no shell can send it, but a script that calls `main` can
            raise UserError(f"A word on the command line must be without a zero byte, but is {quoted(word)}; leave it out.")
    if argv[:1] == ["--version"]:
        return lambda: print(f"gatefield {__version__}") or 0
    return parse(argv, COMMANDS, _ABOUT)
