"""Sweeps over a real local cluster, broken on purpose: SIGKILL for workers, schedulers and drivers, and what disks do.

    python benchmarks/faults/sweeps.py [--seed 0] [--count 212] [--limit 600] [--jobs 2]

The first 200 cases are one kill each: of a worker, the scheduler or the driver of `gatefield sweep --cluster local:3`, at a
random moment. Ten kills hit one sweep, which then runs to its end; a driver that was killed is started again. After each kill
no block that was finished may be gone, and no block may have fewer commits than before. At the end each record, and the dataset
of the sweep, must be equal, bit for bit, to those of an undisturbed sweep without a cluster. The other cases are situations,
listed below: full and read-only disks, damaged chunks, two drivers, SIGTERM. Each must end in the same bits or in one sentence;
small disks are tmpfs mounts, so that some need root and are left out without it. To keep sweeps apart, all processes of one
keep to one core. Counts of kills are whole tens of a worker: take a `--count` of 20, 40, ... or all.
"""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from disk import AS_OTHERS, NEEDS_ROOT, Wrong, mounted
from harness import Case, Finding, environment, main, shortened
from small import content, difference

KILLS, TOGETHER = 200, 20
"""Kills in all, and of one sweep, or of two where two workers share the cases."""
WITH_US = ("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") else ()
"""Starts a program that ends when the script does."""
VICTIMS = {"worker": 6, "scheduler": 2, "driver": 2}
WITHIN = (0.2, 4.0)
"""Seconds from one kill to the next, once workers are at work."""
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


class Swept:
    """One sweep in a store: commands on it, the processes of its cluster, and what is in it."""

    def __init__(self, scratch: Path, folder: Path) -> None:
        self.scratch, self.folder, self.store = scratch, folder, folder / "store"
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / "sweep.toml"
        self.file.write_text(SWEEP % ", ".join(map(str, [*LONG, *SHORT])))
        self.driver: subprocess.Popen[str] | None = None

    def start(self, cluster: str = "local:3", before: tuple[str, ...] = ()) -> "subprocess.Popen[str]":
        cache = {"JAX_COMPILATION_CACHE_DIR": str(self.scratch / "programs"), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
        words = ["sweep", str(self.file), "--store", str(self.store), *(["--cluster", cluster] if cluster else [])]
        self.driver = subprocess.Popen(
            [*WITH_US, *before, sys.executable, "-W", "ignore", "-m", "gatefield", *words],
            env={**environment(), **cache},
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
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


class Kills:
    """Sweeps that are killed, one after the other."""

    def __init__(self, scratch: Path, limit: float, right: dict[str, Any]) -> None:
        self.scratch, self.limit, self.right = scratch, limit, right
        self.swept: Swept | None = None
        self.number = 0

    def __call__(self, rng: random.Random, last: bool) -> Finding:
        """One kill, and a look; the last one of a sweep is followed by its end."""
        victim = rng.choices(list(VICTIMS), list(VICTIMS.values()))[0]
        try:
            outcome = self._killed(rng, victim)
            if last or outcome != "killed":
                self._finish()
                outcome += ", the same in the end"
            return Finding(outcome, kind=victim)
        except Wrong as wrong:
            where = f"in {self.swept.folder if self.swept else ''}, kept"
            self.swept = None
            return Finding("wrong", True, f"{victim}: {shortened(str(wrong), 300)}", where, victim)

    def _killed(self, rng: random.Random, victim: str) -> str:
        """Kill one process; `killed`, or `done before` where the sweep was faster."""
        swept, driver = self._going()
        swept.until(lambda: swept.processes("worker") and swept.commits(), self.limit)
        with contextlib.suppress(subprocess.TimeoutExpired):
            driver.wait(rng.uniform(*WITHIN))
        finished, commits = swept.finished(), swept.commits()
        pids = [driver.pid] if victim == "driver" else swept.processes(victim)
        if driver.poll() is not None or not pids:
            return "done before"
        os.kill(rng.choice(pids), signal.SIGKILL)
        if victim == "driver":
            driver.communicate()
        self._look(swept, finished, commits)
        return "killed"

    def _look(self, swept: Swept, finished: set[str], commits: dict[str, int]) -> None:
        """See that nothing that was committed is gone."""
        if gone := finished - swept.finished():
            raise Wrong(f"finished blocks are gone: {', '.join(gone)}")
        now = swept.commits()
        done = swept.finished()
        for id, count in commits.items():
            if id not in done and now.get(id, 0) < count:
                raise Wrong(f"block {id} had {count} records committed, and has {now.get(id)}")

    def _going(self) -> "tuple[Swept, subprocess.Popen[str]]":
        """The sweep that is being killed, its driver at work."""
        if self.swept is None:
            self.number += 1
            self.swept = Swept(self.scratch, self.scratch / f"sweep {self.number}")
        if self.swept.driver is None or self.swept.driver.poll() is not None:
            self.swept.start()
        assert self.swept.driver is not None
        return self.swept, self.swept.driver

    def _finish(self) -> None:
        swept, _ = self._going()
        swept.works(self.limit)
        swept.compare(self.right)
        shutil.rmtree(swept.folder)
        self.swept = None


def full_disk(kilobytes: int) -> Callable[[Swept, float], None]:
    def situation(swept: Swept, limit: float) -> None:
        """One sentence, and the same bits when there is room."""
        with mounted(swept.folder / "disk", f"size={kilobytes}k") as disk:
            swept.store = disk / "store"
            swept.start()
            swept.refused(limit, "no space left")
            subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
            swept.start()
            swept.works(limit)
            swept.compare(right(swept.scratch))

    return situation


def read_only(swept: Swept, limit: float) -> None:
    """A disk that is read-only when half of the sweep is done: the driver says so; afterwards it goes on."""
    with mounted(swept.folder / "disk", "size=64m") as disk:
        swept.store = disk / "store"
        swept.start()
        swept.until(lambda: len(swept.finished()) >= 6, limit)
        swept.end()
        for _ in range(500):  # until the last worker has let go of the disk
            if subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=False, capture_output=True).returncode == 0:
                break
            time.sleep(0.1)
        swept.start()
        swept.refused(limit, "read-only")
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        swept.start()
        swept.works(limit)
        swept.compare(right(swept.scratch))


def forbidden(swept: Swept, limit: float) -> None:
    """Folders that may not be written to any more while workers are at work."""
    swept.start(before=AS_OTHERS if os.getuid() == 0 else ())
    swept.until(lambda: len(swept.finished()) >= 6, limit)
    folders = [path for path in (swept.store, *swept.store.rglob("*")) if path.is_dir()]
    for path in folders:
        path.chmod(0o555)
    try:
        swept.refused(limit, "permission denied")
    finally:
        for path in [path for path in (swept.store, *swept.store.rglob("*")) if path.is_dir()]:
            path.chmod(0o755)
    swept.start()
    swept.works(limit)
    swept.compare(right(swept.scratch))


def damaged(swept: Swept, limit: float) -> None:
    """A chunk of a finished block with one bit changed: told, never read; moved away as the sentence says, it is made anew."""
    from gatefield.core.errors import StoreError
    from gatefield.lab import open_sweep

    swept.start()
    swept.works(limit)
    chunk = min(swept.store.glob("sweeps/blocks/*/record/data.zarr/loss/c/*"))
    data = bytearray(chunk.read_bytes())
    data[len(data) // 2] ^= 4
    chunk.write_bytes(data)
    try:
        open_sweep(swept.file, swept.store).load()
    except StoreError as error:
        said = str(error)
    else:
        raise Wrong("a damaged chunk is read without a word")
    moved = re.search(r"move '([^']*)' away", said)
    if not moved:
        raise Wrong(f"no way out: {said}")
    shutil.rmtree(moved[1])
    swept.start()
    swept.works(limit)
    swept.compare(right(swept.scratch))


def two_drivers(swept: Swept, limit: float) -> None:
    """Two drivers, each with a cluster: both end well, and each block is there once."""
    first = Swept(swept.scratch, swept.folder)
    first.start("local:2")
    swept.start("local:2")
    try:
        first.works(limit)
        swept.works(limit)
    finally:
        first.end()
    swept.compare(right(swept.scratch))


def driver_and_plain(swept: Swept, limit: float) -> None:
    """A driver with a cluster beside one without."""
    first = Swept(swept.scratch, swept.folder)
    first.start("")
    swept.start("local:2")
    try:
        first.works(limit)
        swept.works(limit)
    finally:
        first.end()
    swept.compare(right(swept.scratch))


def terminated(number: signal.Signals) -> Callable[[Swept, float], None]:
    def situation(swept: Swept, limit: float) -> None:
        """The driver ends with the usual exit code and a sentence, its cluster with it, and the same command goes on."""
        driver = swept.start()
        swept.until(lambda: swept.commits() and len(swept.finished()) >= 2, limit)
        pids = [*swept.processes("worker"), *swept.processes("scheduler")]
        driver.send_signal(number)
        code, said = swept.ended(limit)
        if code != 128 + number or "goes on from there" not in said or "Traceback" in said:
            raise Wrong(f"exit code {code}: {shortened(said[-400:])}")
        if alive := [pid for pid in pids if Path(f"/proc/{pid}").exists()]:
            raise Wrong(f"processes are left: {alive}")
        swept.start()
        swept.works(limit)
        swept.compare(right(swept.scratch))

    return situation


def preempted(swept: Swept, limit: float) -> None:
    """SIGTERM for a worker: it commits and goes within seconds; its block is taken again, from there on."""
    swept.start()
    swept.until(lambda: swept.processes("worker") and swept.commits(), limit)
    commits = swept.commits()
    for pid in swept.processes("worker"):
        os.kill(pid, signal.SIGTERM)
    swept.works(limit)
    swept.compare(right(swept.scratch))
    if not any(_resumed(swept, id) for id in commits):
        raise Wrong("no block went on from a commit")


def _resumed(swept: Swept, id: str) -> bool:
    from gatefield import open_record

    return bool(open_record(swept.store / "sweeps/blocks" / id).attrs["resumed"])


SITUATIONS: dict[str, tuple[str, Callable[[Swept, float], None]]] = {
    "a disk of 40 kB": (NEEDS_ROOT, full_disk(40)),
    "a disk of 400 kB": (NEEDS_ROOT, full_disk(400)),
    "a disk of 800 kB": (NEEDS_ROOT, full_disk(800)),
    "read-only from the middle on": (NEEDS_ROOT, read_only),
    "no permission from the middle on": (NEEDS_ROOT, forbidden),
    "a damaged chunk": ("", damaged),
    "two drivers": ("", two_drivers),
    "a driver with a cluster, and one without": ("", driver_and_plain),
    "SIGTERM for the driver": ("", terminated(signal.SIGTERM)),
    "Ctrl-C for the driver": ("", terminated(signal.SIGINT)),
    "SIGHUP for the driver": ("", terminated(signal.SIGHUP)),
    "SIGTERM for all workers": ("", preempted),
}


_RIGHT: dict[Path, dict[str, Any]] = {}


def right(scratch: Path) -> dict[str, Any]:
    """What an undisturbed sweep without a cluster gives."""
    if scratch not in _RIGHT:
        swept = Swept(scratch, scratch / "undisturbed")
        swept.start("")
        swept.works(900.0)
        _RIGHT[scratch] = swept.result()
    return _RIGHT[scratch]


def situated(scratch: Path, limit: float, name: str) -> Finding:
    """Try one situation."""
    needs, situation = SITUATIONS[name]
    if needs and os.getuid() != 0:
        return Finding("left out: needs root", kind=name)
    swept = Swept(scratch, scratch / name.replace(" ", "-"))
    try:
        situation(swept, limit)
    except Wrong as wrong:
        return Finding("wrong", True, f"{name}: {shortened(str(wrong), 400)}", "", name)
    finally:
        swept.end()
        shutil.rmtree(swept.folder, ignore_errors=True)
    return Finding("as it must", kind=name)


def start(scratch: Path, limit: float) -> Case:
    """The function that tries one kill or situation."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[os.getpid() % len(cores)]})  # processes of XLA that share cores wait for each other
    os.environ["JAX_PLATFORMS"] = "cpu"
    kills = Kills(scratch, limit, right(scratch))

    def attempt(rng: random.Random, number: int) -> Finding:
        if number < KILLS:
            return kills(rng, last=number % TOGETHER >= TOGETHER - 2)
        return situated(scratch, limit, list(SITUATIONS)[number - KILLS])

    return attempt


if __name__ == "__main__":
    main(__file__, __doc__ or "", start, count=KILLS + len(SITUATIONS), limit=600.0)
