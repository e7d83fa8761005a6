"""Sweeps as jobs of SLURM, disturbed: SIGTERM, requeued and cancelled jobs, time limits, a killed driver, job arrays.

    python benchmarks/faults/slurm.py [--limit 600] [--jobs 1]

It needs SLURM, such as the one node that `benchmarks/slurm/setup.sh` makes. Each case is one situation from the list below: it
must end with the same bits as an undisturbed sweep without a cluster, with another job in the place of one that went, and with
blocks that went on from a commit where a job was told to go. Where jobs ask for one core, workers must keep to one.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from disk import Wrong
from harness import Case, Finding, environment, main, shortened
from swept import LONG, SHORT, Swept, resumed, right

CLUSTER = """
[cluster]
jobs = %d
cores = 1
memory = "2GB"
walltime = "%s"
logs = "logs"
"""
GONE = 90.0
"""Seconds in which the jobs of a killed driver must end; they are told to after a minute."""


def listed(swept: Swept, state: str = "") -> list[str]:
    """The jobs that a sweep has asked for and that have not ended, or those in a state."""
    words = ["squeue", "-h", "-o", "%i %T %Z"]
    lines = [
        line.split(maxsplit=2) for line in subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    ]
    return [id for id, now, folder in lines if folder == str(swept.folder) and state in now]


def asked_for(swept: Swept) -> set[str]:
    """The jobs that have run, by what they said."""
    return {path.name for path in (swept.folder / "logs").glob("*.out")}


def begun(swept: Swept, limit: float, jobs: int = 2, walltime: str = "00:10:00") -> None:
    """A driver, until a block has a commit."""
    (swept.folder / "logs").mkdir()
    swept.file.write_text(swept.file.read_text() + CLUSTER % (jobs, walltime))
    swept.start("slurm")
    swept.until(swept.commits, limit)


def ends_well(swept: Swept, limit: float) -> None:
    """To the end of the driver: nothing is left, and the bits are the right ones."""
    swept.works(limit)
    swept.compare(right(swept.scratch))
    _until_empty(swept, 30.0)


def _until_empty(swept: Swept, seconds: float) -> None:
    end = time.monotonic() + seconds
    while listed(swept):
        if time.monotonic() > end:
            raise Wrong(f"jobs are left after {seconds:g} s: {listed(swept)}")
        time.sleep(1)


def undisturbed(swept: Swept, limit: float) -> None:
    begun(swept, limit)
    cores = [len(os.sched_getaffinity(pid)) for pid in _workers()]
    if not cores or set(cores) != {1}:
        raise Wrong(f"workers of jobs with one core may use {cores}")
    ends_well(swept, limit)


def _workers() -> list[int]:
    found = subprocess.run(["ps", "-ww", "-eo", "pid=,args="], capture_output=True, text=True, check=True).stdout
    return [int(line.split()[0]) for line in found.splitlines() if "distributed.cli.dask_worker" in line]


def disturbed(*words: str, another: bool = True) -> Callable[[Swept, float], None]:
    """A command of SLURM for the job that runs, in the middle of a block; a job of its own follows it where it is `another`."""

    def situation(swept: Swept, limit: float) -> None:
        begun(swept, limit, jobs=1)
        commits, before = swept.commits(), asked_for(swept)
        subprocess.run([*words, *listed(swept, "RUNNING")], check=True, capture_output=True)
        ends_well(swept, limit)
        if another and asked_for(swept) == before:
            raise Wrong("no other job was asked for")
        if not any(resumed(swept, id) for id in commits):
            raise Wrong("no block went on from a commit")

    return situation


def time_limit(swept: Swept, limit: float) -> None:
    """Jobs of one minute, of which SLURM takes some more: several in a row do the sweep."""
    begun(swept, limit, jobs=1, walltime="00:01:00")
    swept.until(lambda: len(asked_for(swept)) > 1, limit)
    ends_well(swept, limit)
    if len(asked_for(swept)) < 2:
        raise Wrong("one job has done it all")
    said = "".join(path.read_text(errors="replace") for path in (swept.folder / "logs").iterdir())
    if "DUE TO TIME LIMIT" not in said:
        raise Wrong("no job came to its limit")


def driver_killed(swept: Swept, limit: float) -> None:
    """The jobs of a driver that was killed end by themselves, and the same command goes on."""
    begun(swept, limit)
    swept.end()
    _until_empty(swept, GONE)
    swept.start("slurm")
    ends_well(swept, limit)


def driver_told_to_go(swept: Swept, limit: float) -> None:
    """SIGTERM for the driver: it cancels its jobs and says how to go on."""
    begun(swept, limit)
    assert swept.driver is not None
    swept.driver.send_signal(signal.SIGTERM)
    code, said = swept.ended(limit)
    if code != 128 + signal.SIGTERM or "goes on from there" not in said or "Traceback" in said:
        raise Wrong(f"exit code {code}: {shortened(said[-400:])}")
    _until_empty(swept, 30.0)
    swept.start("slurm")
    ends_well(swept, limit)


def job_array(swept: Swept, limit: float) -> None:
    """An array of shards without dask, one of them requeued; a last command finds all done."""
    shard = "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
    line = f"{sys.executable} -W ignore -m gatefield sweep sweep.toml --store store --shard {shard}"
    words = ["--array=1-2", "--cpus-per-task=1", "--mem=2G", "--requeue", "--output=array-%a.out"]
    settings = {"cwd": swept.folder, "env": environment(), "check": True, "capture_output": True}
    subprocess.run(["sbatch", *words, f"--wrap=NPROC=1 {line}"], **settings)
    _wait(swept.commits, limit)
    subprocess.run(["scontrol", "requeue", listed(swept, "RUNNING")[0]], check=True, capture_output=True)
    _wait(lambda: not listed(swept), limit)
    if left := len(SHORT) + len(LONG) - len(swept.finished()):
        raise Wrong(f"{left} blocks are left")
    swept.start("")
    swept.works(limit)
    swept.compare(right(swept.scratch))


def _wait(condition: Callable[[], object], limit: float) -> None:
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise Wrong(f"nothing happens for {limit:g} s")
        time.sleep(0.05)


SITUATIONS: dict[str, Callable[[Swept, float], None]] = {
    "two jobs of one core": undisturbed,
    "SIGTERM for a job (scancel --signal=TERM --full)": disturbed("scancel", "--signal=TERM", "--full"),
    "a job that is requeued (scontrol requeue)": disturbed("scontrol", "requeue", another=False),
    "a job that is cancelled (scancel)": disturbed("scancel"),
    "jobs of one minute": time_limit,
    "SIGKILL for the driver": driver_killed,
    "SIGTERM for the driver": driver_told_to_go,
    "a job array of two shards, one requeued": job_array,
}


def start(scratch: Path, limit: float) -> Case:
    """The function that tries one situation."""
    names, slurm = list(SITUATIONS), shutil.which("sinfo") and subprocess.run(["sinfo"], capture_output=True).returncode == 0
    os.environ["JAX_PLATFORMS"] = "cpu"

    def attempt(_: random.Random, number: int) -> Finding:
        name = names[number % len(names)]
        if not slurm:
            return Finding("left out: SLURM does not answer", kind=name)
        swept = Swept(scratch, scratch / f"case-{number}")
        try:
            SITUATIONS[name](swept, limit)
        except Wrong as wrong:
            return Finding("wrong", True, f"{name}: {shortened(str(wrong), 400)}", f"--only {number}", name)
        finally:
            swept.end()
            for job in listed(swept):
                subprocess.run(["scancel", job], check=False)
            shutil.rmtree(swept.folder, ignore_errors=True)
        return Finding("as it must", kind=name)

    return attempt


if __name__ == "__main__":
    main(__file__, __doc__ or "", start, count=len(SITUATIONS), limit=600.0)
