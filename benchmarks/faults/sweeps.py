"""Sweeps over a real local cluster, broken on purpose: SIGKILL for workers, schedulers and drivers, and what disks do.

    python benchmarks/faults/sweeps.py [--seed 0] [--count 242] [--limit 600] [--jobs 2]

The first 14 cases are situations (`situations.py`): full and read-only disks, damaged chunks, two drivers, SIGTERM, locks that
do not work. Each must end in the same bits or in one sentence; small disks are tmpfs mounts, so that some need root and are
left out without it. The next 200 cases are one kill each: of a worker, the scheduler or the driver of
`gatefield sweep --cluster local:3`, at a random moment. Ten kills hit one sweep, which then runs to its end; a driver that was
killed is started again. After each kill no block that was finished may be gone, and none may have fewer commits than before.
At the end each record, and the dataset of the sweep, must be equal, bit for bit, to those of an undisturbed sweep without a
cluster. The last 28 cases are the situations twice more. To keep sweeps apart, all processes of one keep to one core. Kills end
in whole tens of a worker: take a `--count` of 34, 54, ... or all.
"""

import contextlib
import os
import random
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

from disk import Wrong
from harness import Case, Finding, main, shortened
from situations import SITUATIONS, situated
from swept import Swept, right

KILLS, TOGETHER = 200, 20
"""Kills in all, and of one sweep, or of two where two workers share the cases."""
TIMES = 3
"""How often each situation is tried."""
VICTIMS = ("worker", "scheduler", "worker", "driver", "worker", "worker", "scheduler", "worker", "driver", "worker")
"""Which kind of process is killed, in turn, so that each has its share."""
WITHIN = (0.2, 4.0)
"""Seconds from one kill to the next, once workers are at work."""


class Kills:
    """Sweeps that are killed, one after the other."""

    def __init__(self, scratch: Path, limit: float, right: dict[str, Any]) -> None:
        self.scratch, self.limit, self.right = scratch, limit, right
        self.swept: Swept | None = None
        self.number = 0

    def __call__(self, rng: random.Random, victim: str, last: bool) -> Finding:
        """One kill, and a look; the last one of a sweep is followed by its end."""
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


def victim_of(kill: int) -> str:
    """Whom a kill is for; two workers share the kills, one after the other."""
    return VICTIMS[kill // 2 % len(VICTIMS)]


def start(scratch: Path, limit: float) -> Case:
    """The function that tries one situation or kill."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[os.getpid() % len(cores)]})  # processes of XLA that share cores wait for each other
    os.environ["JAX_PLATFORMS"] = "cpu"
    kills = Kills(scratch, limit, right(scratch))
    names = list(SITUATIONS)

    def attempt(rng: random.Random, number: int) -> Finding:
        kill = number - len(names)
        if 0 <= kill < KILLS:
            return kills(rng, victim_of(kill), last=kill % TOGETHER >= TOGETHER - 2)
        return situated(scratch, limit, names[(number if kill < 0 else kill - KILLS) % len(names)])

    return attempt


if __name__ == "__main__":
    main(__file__, __doc__ or "", start, count=TIMES * len(SITUATIONS) + KILLS, limit=600.0)
