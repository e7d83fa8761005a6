"""Sweeps as jobs of SLURM, where it runs: `benchmarks/slurm/setup.sh` starts one node of it."""

import shutil
import subprocess
import sys
import threading
import time

import pytest
from sweep_small import definition, training

from gatefield.core.errors import UserError
from gatefield.lab import Store, open_sweep, read_sweep, run_on_cluster, run_sweep
from gatefield.lab.sweeps.cluster import slurm
from gatefield.lab.sweeps.cluster.options import read_options

AXES = {"steps": [20_000, 20_001, 20_002, 2000, 2001], "seed": 2}


def _why_not() -> str:
    """Why jobs cannot be run here; empty if they can."""
    if not shutil.which("sinfo"):
        return "there is no SLURM here (no program 'sinfo')"
    try:
        found = subprocess.run(["sinfo", "-h", "-o", "%T"], capture_output=True, text=True, timeout=10, check=False)
    except subprocess.TimeoutExpired:
        return "SLURM does not answer"
    return "" if found.returncode == 0 and found.stdout.strip() else "SLURM does not answer"


needs_slurm = pytest.mark.skipif(bool(_why_not()), reason=_why_not() or "-")


def small(**options):
    """A sweep of which each number of steps is a block."""
    usual = {"jobs": 1, "memory": "2GB", "walltime": "00:10:00"}
    return read_sweep(definition(AXES, training=training(batch_size=50), cluster={**usual, **options}))


def test_a_job_has_what_was_asked_for(monkeypatch):
    pytest.importorskip("dask_jobqueue")
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    options = {"queue": "gpu", "cores": 3, "memory": "5GiB", "walltime": "01:00:00", "gpus": 1, "modules": ["cuda/12"]}
    more = {"prologue": ["source env/bin/activate"], "directives": ["--constraint=a100"]}
    words = slurm.keywords(read_options({**options, **more}))
    script = slurm.script(words)
    for line in ("-p gpu", "--cpus-per-task=3", "--mem=5G", "-t 01:00:00", "--gpus=1", "--constraint=a100"):
        assert f"#SBATCH {line}\n" in script
    lines = script.splitlines()
    order = ["export NPROC=3", "module load cuda/12", "source env/bin/activate"]
    assert [line for line in lines if line in order] == order
    assert "--nthreads 1" in lines[-1]
    assert sys.executable in lines[-1]


@needs_slurm
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_job_that_is_cancelled_is_asked_for_again(tmp_path):
    """One job does the sweep; it is cancelled after its first commit, and another one goes on to the same bits."""
    run_sweep(small(), Store(tmp_path / "here"))
    there, cancelled = tmp_path / "there", []

    def cancel():
        while not list(there.glob("sweeps/blocks/*/parts/*/committed.json")):
            time.sleep(0.05)
        listed = subprocess.run(["squeue", "-h", "-o", "%i %j"], capture_output=True, text=True, check=True).stdout
        cancelled.extend(line.split()[0] for line in listed.splitlines() if "gatefield" in line)
        subprocess.run(["scancel", cancelled[0]], check=True)

    thread = threading.Thread(target=cancel)
    thread.start()
    run_on_cluster(small(logs=str(tmp_path)), Store(there), "slurm")
    thread.join()
    assert len(cancelled) == 1
    found = [open_sweep(small(), tmp_path / place).drop_vars("seconds").load() for place in ("here", "there")]
    assert found[0].equals(found[1])


@needs_slurm
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_what_slurm_does_not_take_is_told(tmp_path):
    with pytest.raises(UserError, match=r"SLURM does not take a job .*[Ii]nvalid partition.*: put them right"):
        run_on_cluster(small(queue="nowhere"), Store(tmp_path), "slurm")
