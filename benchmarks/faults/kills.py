"""Kills of `gatefield run`: SIGKILL at random times and at chosen system calls, then a look, another run, and a comparison.

    python benchmarks/faults/kills.py [--seed 0] [--count 100] [--limit 300] [--jobs 2]

A case starts the command in a process of its own and kills it: every third one at a system call or file operation, the
others at a random time. Calls and operations are those that an undisturbed run makes (by strace, where it is installed, or by
the audit hooks of `child.py`). In one case of three, drawn by chance, the process that goes on is killed as well. After each
kill all that was committed must open and be equal, bit for bit, to the beginning of the undisturbed record. Then the same
command runs to its end; record, coordinates, attributes, verdicts, parameters and figure must be those of the undisturbed run,
and nothing may be left over. Commits come after every other record, or, in one case of four, as they do by default, about
every two seconds.
"""

import collections
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from harness import Case, Finding, environment, main, shortened
from small import content, difference, outcome_of, run_folder

RUNS = {
    "short commits": ("gaussian-neuron", "n=8 batch_size=20 steps=200 seeds=2"),
    "short commits, two parts": ("localization", "n=8 gains=3.0 batch_size=20 steps=200 record_every=10 seeds=2"),
    "default commits": ("gaussian-neuron", "n=20 batch_size=500 steps=8000 seeds=2"),
}
WEIGHTS = {"short commits": 2, "short commits, two parts": 1, "default commits": 1}
CALLS = "write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,mkdir,mkdirat,unlink,unlinkat,rmdir,ftruncate,flock"
CHILD = Path(__file__).with_name("child.py")


class Command:
    """One experiment as a process, and its undisturbed run."""

    def __init__(self, scratch: Path, kind: str) -> None:
        self.kind, self.scratch = kind, scratch
        self.name, self.settings = RUNS[kind]
        self.commit = "2.0" if kind.startswith("default") else "0.0"
        store = scratch / f"undisturbed {kind}"
        count = scratch / "count"
        begin = time.monotonic()
        process = self.start(store, child=["--count-to", str(count)])
        while not list(store.glob("*/*/about.json")):
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.01)
        self.before = time.monotonic() - begin
        said = process.communicate()[1]
        assert process.returncode == 0, said
        self.seconds, self.operations = time.monotonic() - begin, int(count.read_text())
        folder = run_folder(store, self.name)
        self.result, self.records = outcome_of(folder), _records(folder)
        self.calls = self._traced()

    def words(self, store: Path) -> list[str]:
        return ["run", self.name, *self.settings.split(), "--store", str(store)]

    def start(self, store: Path, before: tuple[str, ...] = (), child: list[str] | None = None) -> "subprocess.Popen[str]":
        options = ["--commit", self.commit, "--below", str(store), *(child or [])]
        plain = self.commit == "2.0" and not child
        program = ["-m", "gatefield"] if plain else [str(CHILD), *options, "--"]
        cache = {"JAX_COMPILATION_CACHE_DIR": str(self.scratch / "programs"), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
        command = [*before, sys.executable, "-W", "ignore", *program, *self.words(store)]
        streams: dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.PIPE,
            "text": True,
        }
        return subprocess.Popen(command, env={**environment(), **cache}, cwd=self.scratch, **streams)

    def _traced(self) -> list[tuple[str, int]]:
        """The system calls on the store: which one, and its number in its thread; none without strace."""
        if not shutil.which("strace"):
            return []
        store, log = self.scratch / f"traced {self.kind}", self.scratch / "log"
        process = self.start(store, _strace("-y", "-o", str(log), "-e", f"trace={CALLS}"))
        process.communicate()
        if process.returncode:
            return []
        found, counts = [], collections.Counter[tuple[str, str]]()
        for line in log.read_text(errors="replace").splitlines():
            if called := re.match(r"(\d+) +(\w+)\(", line):
                counts[called[1], called[2]] += 1
                if str(store) in line:
                    found.append((called[2], counts[called[1], called[2]]))
        return found


def _strace(*options: str) -> tuple[str, ...]:
    return ("strace", "-f", "-qq", "--seccomp-bpf", *options)


def _records(folder: Path) -> dict[str, Any]:
    """The record and the parts of a run, as far as they are committed, by their place."""
    from gatefield import open_record

    markers = sorted(folder.rglob("committed.json"))
    return {
        str(marker.parent.relative_to(folder)): open_record(marker.parent) for marker in markers if ".tmp" not in str(marker)
    }


class Trial:
    """One store, killed and finished."""

    def __init__(self, command: Command, rng: random.Random, limit: float, *, placed: bool) -> None:
        self.command, self.rng, self.limit, self.placed = command, rng, limit, placed
        self.store, self.how = command.scratch / "store", list[str]()

    def run(self) -> tuple[str, str]:
        """The outcome, and what failed."""
        kill = self._kill_at_call if self.placed else self._kill_at_time
        killed = any(kill(within) for within in (1.0, 0.6, 0.3, 0.1))  # again and earlier where the run was faster
        if wrong := self._looked_at():
            return "committed records are lost or changed", wrong
        if self.rng.random() < 1 / 3:
            kill(0.6, begin=False)
            if wrong := self._looked_at():
                return "committed records are lost or changed by a second kill", wrong
        if wrong := self._finished():
            return "the end differs", wrong
        where = "at a system call" if self.placed else "at a random time"
        return (f"killed {where}, the same in the end" if killed else "was faster than the kill"), ""

    def _kill_at_time(self, within: float, *, begin: bool = True) -> bool:
        """Whether it was killed: at any time of a share of its duration, which mostly counts from the time it has begun."""
        self._begin(begin)
        process = self.command.start(self.store)
        if self.rng.random() < 0.2:
            wait = self.rng.uniform(0.0, within * self.command.seconds)
        else:
            wait = self.rng.uniform(0.0, within * (self.command.seconds - self.command.before))
            while process.poll() is None and not list(self.store.glob("*/*/about.json")):
                time.sleep(0.005)
        self.how.append(f"after {wait:.3f} s")
        try:
            process.wait(wait)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        process.communicate()
        return process.returncode == -signal.SIGKILL

    def _begin(self, begin: bool) -> None:
        """Forget what was there, unless it is to go on."""
        if begin:
            shutil.rmtree(self.store, ignore_errors=True)
            self.how.clear()

    def _kill_at_call(self, within: float, *, begin: bool = True) -> bool:
        """Whether it was killed; a thread may make fewer calls than in the undisturbed run, so that it is not always."""
        self._begin(begin)
        if self.command.calls and within == 1.0 and self.rng.random() < 0.7:
            call, k = self.rng.choice(self.command.calls)
            self.how.append(f"at {call} number {k} of a thread")
            inject = f"inject={call}:signal=SIGKILL:when={k}"
            process = self.command.start(self.store, _strace("-o", "/dev/null", "-e", f"trace={call}", "-e", inject))
        else:
            k = self.rng.randint(1, max(1, int(within * self.command.operations)))
            self.how.append(f"at file operation {k}")
            process = self.command.start(self.store, child=["--kill-at", str(k)])
        process.communicate(timeout=self.limit)
        return process.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)

    def _looked_at(self) -> str:
        """What is wrong with what was committed, if anything."""
        folders = [path for path in self.store.glob("*/*") if len(path.name) == 12]
        try:
            found = {place: record for folder in folders for place, record in _records(folder).items()}
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        for place, record in found.items():
            right = self.command.records[place]
            steps = {"step": slice(record.sizes["step"])} if place != "record" and "step" in record.dims else {}
            one, other = content(record), content(right.isel(steps))
            if wrong := difference({"variables": other["variables"]}, {"variables": one["variables"]}):
                return f"{place} differs in {wrong}"
        return ""

    def _finished(self) -> str:
        process = self.command.start(self.store)
        said = process.communicate(timeout=self.limit)[1]
        if process.returncode:
            return f"exit code {process.returncode}: {shortened(said, 300)}"
        folder = run_folder(self.store, self.command.name)
        if left := [str(path.relative_to(folder)) for path in folder.rglob("*") if path.name.endswith((".tmp", ".partial"))]:
            return f"left over: {', '.join(left)}"
        return difference(self.command.result, outcome_of(folder))


def is_placed(case: int) -> bool:
    """Whether the kill of a case is placed at a system call: every third one, of both workers."""
    return case % 3 == 0


def start(scratch: Path, limit: float) -> Case:
    """The function that tries one kill. Undisturbed runs are made when first needed."""
    commands: dict[str, Command] = {}

    def attempt(rng: random.Random, case: int) -> Finding:
        kind = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        if kind not in commands:
            commands[kind] = Command(scratch, kind)
        trial = Trial(commands[kind], rng, limit, placed=is_placed(case))
        outcome, wrong = trial.run()
        words = f"gatefield {' '.join(commands[kind].words(Path('S')))}, killed {', then '.join(trial.how)}"
        return Finding(
            outcome,
            bool(wrong),
            f"{outcome}: {shortened(wrong, 150)}" if wrong else "",
            f"{words}: {wrong}" if wrong else "",
            kind,
        )

    return attempt


if __name__ == "__main__":
    main(__file__, __doc__ or "", start, count=100, limit=300.0)
