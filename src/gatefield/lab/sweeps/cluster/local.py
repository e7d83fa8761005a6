"""A cluster on this host: a scheduler and workers, each a process of its own; those that die are started again."""

import contextlib
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.lab.sweeps.cluster import process
from gatefield.lab.sweeps.cluster.shares import Share

STARTS, ANSWERS, GOES = 60.0, 10.0, 25.0
"""Seconds that a scheduler may take to start and to answer, and a process to go when it is asked to."""
TRIES = 5
IN_A_ROW = 60
"""Deaths of workers between two blocks that are done: more mean that they cannot live here."""


class Local:
    """A cluster of processes on this host, one worker for each share."""

    def __init__(self, shares: Sequence[Share]) -> None:
        self._shares = shares
        self._logs: tempfile.TemporaryDirectory[str] | None = None
        self._scheduler: subprocess.Popen[bytes] | None = None
        self._workers: list[subprocess.Popen[bytes]] = []
        self._address, self._deaths = "", 0

    def client(self) -> Any:
        """A client of the scheduler, which is started, and workers with it, if it is not there."""
        from distributed import Client

        for _ in range(TRIES):
            if self._scheduler is None or self._scheduler.poll() is not None:
                self._start()
            with contextlib.suppress(OSError, TimeoutError):  # it may die at any moment
                return Client(self._address, timeout=ANSWERS, set_as_default=False)
        raise UserError(f"The scheduler on this host does not answer ({self._tail('scheduler')}): run without --cluster.")

    def tend(self, client: Any) -> bool:
        """Start dead workers again; False if the scheduler is dead."""
        if self._scheduler is None or self._scheduler.poll() is not None:
            return False
        for number, worker in enumerate(self._workers):
            if worker.poll() is not None:
                self._deaths += 1
                if self._deaths > IN_A_ROW:
                    raise UserError(
                        f"Workers on this host died {self._deaths} times without doing a block ({self._last(number)}): what "
                        f"was committed is kept; run the same command without --cluster to see why."
                    )
                self._workers[number] = self._worker(number)
        return True

    def landed(self) -> None:
        """A block was done: workers can live here."""
        self._deaths = 0

    def close(self) -> None:
        """Ask all processes to go, and end those that do not."""
        processes = [*self._workers, *([self._scheduler] if self._scheduler else [])]
        for one in processes:
            _let_go(one)
        until = time.monotonic() + GOES
        for one in processes:
            try:
                one.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()
        self._scheduler, self._workers = None, []
        if self._logs is not None:
            self._logs.cleanup()

    def _start(self) -> None:
        self.close()
        self._logs = tempfile.TemporaryDirectory(prefix="gatefield-cluster-", ignore_cleanup_errors=True)
        scheduler = self._process("scheduler", log="scheduler")
        self._scheduler = scheduler
        assert scheduler.stdout is not None
        ready = select.select([scheduler.stdout], [], [], STARTS)[0]
        self._address = scheduler.stdout.readline().decode().strip() if ready else ""
        if not self._address:
            raise UserError(f"No scheduler could be started on this host ({self._tail('scheduler')}): run without --cluster.")
        self._workers = [self._worker(number) for number in range(len(self._shares))]

    def _worker(self, number: int) -> "subprocess.Popen[bytes]":
        cores = ",".join(map(str, self._shares[number].cores))
        words = ("worker", self._address, f"worker-{number}-{time.monotonic_ns()}", cores)
        return self._process(*words, log=f"worker-{number}", environment=self._shares[number].environment)

    def _process(self, *words: str, log: str, environment: dict[str, str] | None = None) -> "subprocess.Popen[bytes]":
        """A process of Python that finds what this one finds; in a session of its own, since Ctrl-C is for the driver."""
        found = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        with self._log(log).open("wb") as said:
            return subprocess.Popen(
                [sys.executable, "-P", process.__file__, *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if words[0] == "scheduler" else said,
                stderr=said,
                env={**os.environ, **found, **(environment or {})},
                start_new_session=True,
            )

    def _log(self, name: str) -> Path:
        assert self._logs is not None, "made when the scheduler is"
        return Path(self._logs.name) / name

    def _last(self, number: int) -> str:
        code = self._workers[number].returncode
        return f"killed by signal {-code}" if code < 0 else self._tail(f"worker-{number}")

    def _tail(self, log: str) -> str:
        """The last line that a process said."""
        with contextlib.suppress(OSError):
            lines = self._log(log).read_text(errors="replace").split("\n")
            return quoted(next((line for line in reversed(lines) if line.strip()), "without a word"))[1:-1]
        return "without a word"


def _let_go(one: "subprocess.Popen[bytes]") -> None:
    """Close the pipe that keeps a process alive."""
    for pipe in (one.stdin, one.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
