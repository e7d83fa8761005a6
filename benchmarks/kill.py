"""Kill a recorded training at random moments, resume it, and compare with the uninterrupted result bit by bit.

    python benchmarks/kill.py [--kills 20] [--output benchmarks/results/kill.json]

Each run is a process of its own that trains into a store and gets SIGKILL at a random moment: one in five at any time from the
start of the training, the others after the first commit. The store must then open with a whole number of commits; a second
process goes on to an equal record.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

CHILD = """
import sys
import jax
from gatefield import Committee, Task, train
from gatefield.data import NonlinearGP
from gatefield.lab import ZarrRecorder

path, chunk = sys.argv[1], int(sys.argv[2])
task = Task(NonlinearGP(40, 2.0, 3.0), NonlinearGP(40, 1.0, 3.0))
net = Committee(40, 2, key=jax.random.split(jax.random.key(0), 4))
settings = dict(steps=3600, batch_size=500, learning_rate=0.05, record_every=10, key=jax.random.split(jax.random.key(1), 4))
train(net, task, **settings, chunk=chunk, recorder=ZarrRecorder(path), progress=lambda done, total: print(done, flush=True))
"""


RECORDS = 361


def start(path: Path, chunk: int, *, commits: bool = True) -> subprocess.Popen:
    """A training in a process of its own, which has begun; with `commits`, it has made its first commit."""
    process = subprocess.Popen([sys.executable, "-c", CHILD, str(path), str(chunk)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    while commits and process.stdout.readline() in (b"0\n",):
        pass
    if not commits:
        process.stdout.readline()
    return process


def finish(path: Path, chunk: int) -> float:
    """Train to the end; gives the seconds from the first commit on."""
    process = start(path, chunk)
    begin = time.perf_counter()
    process.communicate()
    if process.returncode:
        raise SystemExit(f"the training into {path} failed")
    return time.perf_counter() - begin


def kill_once(path: Path, chunk: int, within: float, rng: random.Random) -> float:
    """Start, wait a random time, kill; gives the seconds waited."""
    process, wait = start(path, chunk, commits=rng.random() < 0.8), rng.uniform(0.0, within)
    time.sleep(wait)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    return wait


def commits(path: Path, block: int) -> int:
    """The number of whole commits in the store, which must open and end at one."""
    from gatefield import open_record

    if not (path / "committed.json").exists():
        return 0
    records = open_record(path).sizes["step"]
    if records % block and records != RECORDS:
        raise SystemExit(f"{path} ends inside a commit: {records} records")
    return -(-records // block)


def same(a: Path, b: Path) -> bool:
    from gatefield import open_record

    first, second = open_record(a).load(), open_record(b).load()
    return all(first[name].values.tobytes() == second[name].values.tobytes() for name in first.data_vars) and set(first) == set(
        second
    )


def trial(folder: Path, i: int, chunk: int, seconds: float, rng: random.Random) -> dict:
    path = folder / f"run-{i}"
    wait = kill_once(path, chunk, seconds, rng)
    whole = commits(path, chunk)
    finish(path, chunk)
    return {"killed_after_s": round(wait, 3), "commits_found": whole, "bitwise_equal": same(path, folder / "reference")}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    chunk, rng = 3, random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        reference = Path(folder) / "reference"
        seconds = finish(reference, RECORDS)
        seconds = finish(Path(folder) / "timing", chunk)
        trials = [trial(Path(folder), i, chunk, seconds, rng) for i in range(options.kills)]
    result = {
        "what": "SIGKILL at random moments of a recorded training, then resume",
        "uninterrupted_s": round(seconds, 2),
        "kills": len(trials),
        "readable_with_whole_commits": len(trials),
        "bitwise_equal": int(np.sum([t["bitwise_equal"] for t in trials])),
        "trials": trials,
    }
    text = json.dumps(result, indent=1)
    sys.stdout.write(text + "\n")
    if options.output:
        options.output.write_text(text + "\n")
    raise SystemExit(result["bitwise_equal"] != result["kills"])


if __name__ == "__main__":
    main()
