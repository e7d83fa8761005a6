"""A small sweep that the scripts break: commands on it, the processes of its cluster, and what it must give in the end."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from disk import Wrong
from harness import environment, shortened
from small import content, difference

WITH_US = ("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") else ()
"""Starts a program that ends when the script does."""
SWEEP = """
name = "faults"
keep = ["fields"]
[training]
network = { kind = "Committee", K = 1, activation = "relu" }
positive = { kind = "NonlinearGP", n = 12, xi = 2.0, gain = 3.0 }
negative = { kind = "NonlinearGP", n = 12, xi = 1.0, gain = 3.0 }
steps = 100
batch_size = 50
learning_rate = 0.05
[axes]
gain = { values = [0.5, 3.0], sets = ["positive.gain", "negative.gain"] }
seed = 4
steps = [%s]
"""
SHORT, LONG = range(1000, 1012), range(16_000, 16_005)
"""Steps; each is a block of its own: those of SHORT take less than a second, those of LONG several, with some commits."""


def _hear_signals() -> None:
    """`nohup`, and shells that start the script in the background, tell it and all that it starts to ignore some."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Swept:
    """One sweep in a store: commands on it, the processes of its cluster, and what is in it."""

    def __init__(self, scratch: Path, folder: Path) -> None:
        self.scratch, self.folder, self.store = scratch, folder, folder / "store"
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / "sweep.toml"
        self.file.write_text(SWEEP % ", ".join(map(str, [*LONG, *SHORT])))
        self.driver: subprocess.Popen[str] | None = None

    def start(
        self, cluster: str = "local:3", before: tuple[str, ...] = (), path: Path | None = None
    ) -> "subprocess.Popen[str]":
        """A driver; `before` is a program that starts it, and `path` a folder where Python looks first."""
        cache = {"JAX_COMPILATION_CACHE_DIR": str(self.scratch / "programs"), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
        found = environment()
        first = {"PYTHONPATH": os.pathsep.join([str(path), found["PYTHONPATH"]])} if path else {}
        words = ["sweep", str(self.file), "--store", str(self.store), *(["--cluster", cluster] if cluster else [])]
        self.driver = subprocess.Popen(
            [*WITH_US, *before, sys.executable, "-W", "ignore", "-m", "gatefield", *words],
            env={**found, **cache, **first},
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=_hear_signals,
        )
        return self.driver

    def processes(self, role: str) -> list[int]:
        """The processes of the driver's cluster that are schedulers or workers."""
        if self.driver is None or self.driver.poll() is not None:
            return []
        found = subprocess.run(
            ["ps", "-ww", "-o", "pid=,stat=,args=", "--ppid", str(self.driver.pid)], capture_output=True, text=True, check=False
        ).stdout
        lines = [line.split() for line in found.splitlines()]
        return [int(words[0]) for words in lines if "Z" not in words[1] and role in words[2:]]

    def finished(self) -> set[str]:
        """The ids of blocks that are finished."""
        return {path.parent.name for path in self.store.glob("sweeps/blocks/*/record")}

    def commits(self) -> dict[str, int]:
        """For each block that is not finished, how many records are committed."""
        found = {}
        for path in self.store.glob("sweeps/blocks/*/parts/*/committed.json"):
            try:
                found[path.parts[-4]] = int(json.loads(path.read_text())["records"])
            except FileNotFoundError:  # its block has just been finished
                continue
        return found

    def ended(self, limit: float) -> tuple[int, str]:
        """Wait for the driver: its exit code, and what it said."""
        assert self.driver is not None
        try:
            said = self.driver.communicate(timeout=limit)[1]
        except subprocess.TimeoutExpired:
            self.driver.kill()
            raise Wrong(f"longer than {limit:g} s: {shortened(self.driver.communicate()[1][-300:])}") from None
        return self.driver.returncode, said

    def works(self, limit: float) -> str:
        code, said = self.ended(limit)
        if code != 0 or re.search("Traceback|Error", said):
            raise Wrong(f"exit code {code}: {shortened(' | '.join(said.splitlines()[-6:]), 500)}")
        return said

    def refused(self, limit: float, pattern: str) -> str:
        """The driver must end with one sentence and exit code 2."""
        code, said = self.ended(limit)
        lines = [line for line in said.splitlines() if line.startswith("gatefield: ")]
        if code != 2 or len(lines) != 1 or "Traceback" in said or not re.search(pattern, lines[0]):
            raise Wrong(f"exit code {code}, not {pattern!r}: {shortened(' | '.join(said.splitlines()[-6:]), 500)}")
        return lines[0]

    def until(self, condition: Callable[[], object], limit: float) -> None:
        """Wait until it is so, or the driver has ended."""
        assert self.driver is not None
        end = time.monotonic() + limit
        while not condition() and self.driver.poll() is None:
            if time.monotonic() > end:
                raise Wrong(f"nothing happens for {limit:g} s; {len(self.finished())} blocks are finished")
            time.sleep(0.02)

    def result(self) -> dict[str, Any]:
        """All that a finished sweep holds: each record, and the dataset."""
        from gatefield import open_record
        from gatefield.lab import open_sweep

        records = {id: content(open_record(self.store / "sweeps/blocks" / id)) for id in sorted(self.finished())}
        dataset = open_sweep(self.file, self.store).drop_vars("seconds").load()
        return {**records, "dataset": {name: v.values.tobytes() for name, v in dataset.variables.items()}}

    def compare(self, right: dict[str, Any]) -> None:
        """An error if this is not the same as another sweep, or something is left over."""
        mine = self.result()
        differ = [name for name in {*mine, *right} if mine.get(name) != right.get(name)]
        if differ:
            first = min(differ)
            what = difference(right[first], mine[first]) if first in right and first in mine and first != "dataset" else ""
            raise Wrong(f"the end differs in {len(differ)} records, the first {first}: {what}")
        below = self.store / "sweeps"
        left = [str(path.relative_to(below)) for path in below.rglob("*") if path.name.endswith((".tmp", ".partial"))]
        if left:
            raise Wrong(f"left over: {', '.join(left)}")

    def end(self) -> None:
        """Whatever it does, and however the case went."""
        if self.driver is not None and self.driver.poll() is None:
            self.driver.kill()
            self.driver.communicate()


_RIGHT: dict[Path, dict[str, Any]] = {}


def right(scratch: Path) -> dict[str, Any]:
    """What an undisturbed sweep without a cluster gives."""
    if scratch not in _RIGHT:
        swept = Swept(scratch, scratch / "undisturbed")
        swept.start("")
        swept.works(900.0)
        _RIGHT[scratch] = swept.result()
    return _RIGHT[scratch]


def resumed(swept: Swept, id: str) -> bool:
    """Whether a finished block was once taken up from a commit."""
    from gatefield import open_record

    return bool(open_record(swept.store / "sweeps/blocks" / id).attrs["resumed"])
