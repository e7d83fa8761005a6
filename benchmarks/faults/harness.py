"""What the fault scripts share: numbered cases, workers that are watched, a journal, and one JSON with the counts.

A case depends on the seed and its number alone, so that any of them can be tried again by itself (`--only NUMBER`). Workers
write each case to a journal when it begins and when it ends; the leader counts a case that ends its worker, or never ends, as a
failure, and starts another worker behind it. Started again after an interruption, a script goes on from its journals.
"""

import argparse
import collections
import contextlib
import dataclasses
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
RESULTS = REPOSITORY / "benchmarks" / "results" / "faults"
sys.path.insert(0, str(REPOSITORY / "src"))  # what is tried is the tree in which the scripts lie


@dataclasses.dataclass(frozen=True)
class Finding:
    """How one case ended. Failures of the same `what` are listed once, with their number and the first `reproduction`."""

    outcome: str
    failed: bool = False
    what: str = ""
    reproduction: str = ""
    kind: str = ""


Case = Callable[[random.Random, int], Finding]
"""Tries one thing, drawn from random numbers that belong to the number of the case."""


class TooLong(BaseException):
    """Not an `Exception`, so that nothing that is tried catches it."""


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise `TooLong` in the block after that time, or as soon after it as Python code runs again."""

    def stop(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def chance(seed: int, case: int) -> random.Random:
    """The random numbers of a case."""
    return random.Random(f"{seed} {case}")


def shortened(text: str, most: int = 600) -> str:
    """The beginning of a text and its length, for the JSON."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"


def environment() -> dict[str, str]:
    """That of all processes: this tree's gatefield, no screen, no accelerator, the store where the command says."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONDONTWRITEBYTECODE", "GATEFIELD_STORE")}
    path = os.pathsep.join(filter(None, [str(REPOSITORY / "src"), os.environ.get("PYTHONPATH")]))
    return {**kept, "PYTHONPATH": path, "MPLBACKEND": "Agg", "JAX_PLATFORMS": "cpu"}


def main(script: str, about: str, start: Callable[[Path, float], Case], *, count: int, limit: float = 15.0) -> None:
    """Read the options, then lead, work, or try one case.

    `start(scratch, limit)` gives the function that tries a case, once in every worker; `count` is the full number of cases.
    """
    options = _options(script, about, count, limit)
    if options.only is not None:
        with tempfile.TemporaryDirectory() as scratch:
            print(
                json.dumps(
                    dataclasses.asdict(start(Path(scratch), options.limit)(chance(options.seed, options.only), options.only)),
                    indent=1,
                )
            )
    elif options.worker is not None:
        _work(options, start)
    else:
        raise SystemExit(_Leader(script, about, options).lead())


def _options(script: str, about: str, count: int, limit: float) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=count, help=f"cases (default {count})")
    parser.add_argument("--limit", type=float, default=limit, help=f"seconds that a case may take (default {limit:g})")
    parser.add_argument("--jobs", type=int, default=2, help="workers (default 2)")
    parser.add_argument("--output", type=Path, default=RESULTS / f"{Path(script).stem}.json")
    parser.add_argument("--only", type=int, help="try this one case and print what is found")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--scratch", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _journal(options: argparse.Namespace, worker: int) -> Path:
    return options.output.with_name(f".{options.output.stem}-{options.seed}-{worker}-of-{options.jobs}.journal")


def _lines(journal: Path) -> list[dict[str, Any]]:
    """What a journal says; a line that was cut off counts as not written."""
    lines = journal.read_text().splitlines() if journal.exists() else []
    return [json.loads(line) for line in lines if line.endswith("}")]


def _write(journal: Path, line: dict[str, Any]) -> None:
    with journal.open("a") as file:
        file.write(json.dumps(line) + "\n")


def _work(options: argparse.Namespace, start: Callable[[Path, float], Case]) -> None:
    """Try the cases of this worker that no journal has yet."""
    journal = _journal(options, options.worker)
    done = {line["case"] for line in _lines(journal)}
    left = [case for case in range(options.worker, options.count, options.jobs) if case not in done]
    scratch = Path(tempfile.mkdtemp(dir=options.scratch))
    attempt = start(scratch, options.limit) if left else None
    for case in left:
        assert attempt is not None
        _write(journal, {"case": case})
        begin = time.monotonic()
        found = _attempt(attempt, options.seed, case)
        _write(journal, {"case": case, **dataclasses.asdict(found), "seconds": round(time.monotonic() - begin, 3)})
    os._exit(0)  # what was interrupted may still be computing


def _attempt(attempt: Case, seed: int, case: int) -> Finding:
    try:
        return attempt(chance(seed, case), case)
    except (Exception, TooLong) as error:
        said = shortened(f"{type(error).__name__}: {error}", 300)
        return Finding("error of the script", True, f"the script itself: {said}", f"--only {case}")


class _Leader:
    """Starts workers, watches them, and keeps the JSON up to date."""

    def __init__(self, script: str, about: str, options: argparse.Namespace) -> None:
        self.script, self.about, self.options = script, about, options
        self.journals = [_journal(options, worker) for worker in range(options.jobs)]
        self.begin, self.written = time.monotonic(), 0.0

    def lead(self) -> int:
        """Whether there were failures, as an exit code."""
        self.options.output.parent.mkdir(parents=True, exist_ok=True)
        self.options.scratch = Path(tempfile.mkdtemp(prefix="faults-"))
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # workers are ended below
        workers: dict[int, subprocess.Popen[bytes]] = {}
        try:
            workers |= {worker: self._start(worker) for worker in range(self.options.jobs)}
            while workers:
                time.sleep(1)
                for worker, process in list(workers.items()):
                    if not self._goes_on(worker, process):
                        del workers[worker]
                        if self._left(worker):
                            workers[worker] = self._start(worker)
                if time.monotonic() - self.written > 20:
                    self._summary()
        finally:
            for process in workers.values():
                process.kill()
                process.wait()
            shutil.rmtree(self.options.scratch, ignore_errors=True)
        failures = self._summary()
        for journal in self.journals:
            journal.unlink(missing_ok=True)
        return int(failures > 0)

    def _start(self, worker: int) -> "subprocess.Popen[bytes]":
        self._close(worker, "the script was stopped here")
        words = [f"--{name}={getattr(self.options, name)}" for name in ("seed", "count", "limit", "jobs", "output", "scratch")]
        command = [sys.executable, "-W", "ignore", self.script, f"--worker={worker}", *words]
        return subprocess.Popen(command, env=environment(), stdin=subprocess.DEVNULL)

    def _goes_on(self, worker: int, process: "subprocess.Popen[bytes]") -> bool:
        """Whether a worker is at work; one that is stuck in a case is ended."""
        journal = self.journals[worker]
        if process.poll() is not None:
            self._close(worker, f"ended the process ({process.returncode})")
            if not _lines(journal):
                raise SystemExit("a worker ended before its first case")
            return False
        quiet = time.time() - journal.stat().st_mtime if journal.exists() else 0.0
        if quiet > 2 * self.options.limit + 60 and "outcome" not in _lines(journal)[-1]:  # it should have ended itself long ago
            process.kill()
            process.wait()
            self._close(worker, "hangs")
            return False
        return True

    def _close(self, worker: int, how: str) -> None:
        """Count a case that began and did not end as a failure; one that was cut off with the script itself is tried again."""
        lines = _lines(self.journals[worker])
        if not lines or "outcome" in lines[-1]:
            return
        if how.startswith("the script"):
            kept = [json.dumps(line) + "\n" for line in lines[:-1]]
            self.journals[worker].write_text("".join(kept))
            return
        case = lines[-1]["case"]
        found = Finding("hang" if how == "hangs" else "crash", True, f"{how}: case {case}", f"--only {case}")
        _write(self.journals[worker], {"case": case, **dataclasses.asdict(found)})

    def _left(self, worker: int) -> bool:
        done = {line["case"] for line in _lines(self.journals[worker])}
        return any(case not in done for case in range(worker, self.options.count, self.options.jobs))

    def _summary(self) -> int:
        """Write the counts so far; the number of failures."""
        self.written = time.monotonic()
        lines = sorted(
            (line for journal in self.journals for line in _lines(journal) if "outcome" in line), key=lambda line: line["case"]
        )
        result = {
            "what": self.about.splitlines()[0],
            "seed": self.options.seed,
            "count": self.options.count,
            "done": len(lines),
            "limit_s": self.options.limit,
            "seconds": round(time.monotonic() - self.begin),
            **summary(lines),
        }
        temporary = self.options.output.with_suffix(".tmp")
        temporary.write_text(json.dumps(result, indent=1) + "\n")
        os.replace(temporary, self.options.output)
        return int(result["failures"])


def summary(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts by outcome and by kind, and the distinct failures and remarks."""
    kinds: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for line in lines:
        kinds[line["kind"]][line["outcome"]] += 1
    return {
        "failures": sum(line["failed"] for line in lines),
        "outcomes": dict(collections.Counter(line["outcome"] for line in lines).most_common()),
        "by_kind": {kind: dict(counts.most_common()) for kind, counts in sorted(kinds.items())},
        "longest_s": max((line.get("seconds", 0.0) for line in lines), default=0.0),
        "distinct_failures": _distinct([line for line in lines if line["failed"]]),
        "remarks": _distinct([line for line in lines if line["what"] and not line["failed"]]),
    }


def _distinct(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    groups: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for line in lines:
        groups[line["what"]].append(line)
    ordered = sorted(groups.items(), key=lambda item: -len(item[1]))
    return [
        {"what": what, "times": len(same), "case": same[0]["case"], "reproduction": same[0]["reproduction"]}
        for what, same in ordered
    ]
