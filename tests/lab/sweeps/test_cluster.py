"""Sweeps by workers: what a cluster may be called, what is refused and how, and a real one whose worker is killed."""

import errno
import fcntl
import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time

import jax
import pytest
from sweep_small import definition, training

from gatefield import Committee, Task
from gatefield.core.errors import StoreError, UserError
from gatefield.data import NonlinearGP
from gatefield.lab import Store, check_cluster, open_sweep, read_sweep, run_on_cluster, run_sweep, sweep
from gatefield.lab.store.lock import locked
from gatefield.lab.sweeps.cluster import remote, work
from gatefield.lab.sweeps.cluster.options import read_options
from gatefield.lab.sweeps.cluster.shares import shares
from gatefield.lab.sweeps.sweep import in_file

STEPS = {"steps": [20_000, 20_001, 2000, 2001, 2002], "seed": 2}
"""Each number of steps is a block of its own."""


def small():
    return read_sweep(definition(STEPS, training=training(batch_size=50)))


@pytest.mark.parametrize("word", ["", "locale", "local:0", "local:257", "local:x", "tcp://a", "tcp://a:99999", "http://a:1", 3])
@pytest.mark.wrong_types
def test_what_is_no_cluster_is_told(word):
    with pytest.raises(UserError, match="A cluster is local, local:N with N from 1 to 256, an address such as tcp://"):
        check_cluster(word)


WRONG = {
    "a misspelt option": ({"quue": "gpu"}, "Unknown option under [cluster] 'quue': did you mean 'queue'?"),
    "no jobs": ({"jobs": 0}, "'jobs' under [cluster] must be a whole number from 1 to 10000, but is 0"),
    "a truth value": ({"cores": True}, "must be a whole number from 1 to 1024, but is True"),
    "a second line": ({"queue": "gpu\n#SBATCH --uid=0"}, "'queue' under [cluster] must be a text of one line"),
    "a line break in a prologue": (
        {"prologue": ["a\nb"]},
        "'prologue' under [cluster] must be a list of texts of one line each",
    ),
    "a text for a list": ({"modules": "cuda"}, "'modules' under [cluster] must be a list of texts"),
    "a time in words": ({"walltime": "2 hours"}, "hours:minutes:seconds, such as '04:00:00'"),
    "a memory without a unit": ({"memory": "4"}, "a number with its unit, such as '4GB'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_options_are_told_when_the_file_is_read(name):
    table, text = WRONG[name]
    with pytest.raises(UserError) as error:
        read_sweep({**definition(), "cluster": table})
    assert text in str(error.value)


def test_options_are_no_part_of_a_sweep():
    plain, asked = read_sweep(definition()), read_sweep({**definition(), "cluster": {"jobs": 4, "queue": "gpu"}})
    assert plain.name == asked.name
    assert read_options(asked.definition.cluster).jobs == 4


@pytest.mark.parametrize(("workers", "cores", "gpus"), [(None, 4, 0), (3, 8, 0), (5, 2, 0), (None, 8, 3), (4, 8, 2)])
def test_all_cores_and_gpus_are_shared_out(workers, cores, gpus):
    names = [f"GPU-{number}" for number in range(gpus)]
    found = shares(workers, range(cores), names)
    assert len(found) == (workers or gpus or cores)
    assert {core for share in found for core in share.cores} == set(range(cores))
    if len(found) <= cores:
        assert sum(len(share.cores) for share in found) == cores
    taken = [share.environment.get("CUDA_VISIBLE_DEVICES") for share in found]
    assert set(taken) == (set(names) or {None})
    for name in names:
        fractions = [share.environment["XLA_PYTHON_CLIENT_MEM_FRACTION"] for share in found if name in taken]
        assert sum(map(float, fractions)) / len(names) < 1.0


def order(store, **changes):
    parts = {"store": store, "name": "small-0", "sweep": small(), "find": in_file, "number": 0, "block": "0" * 12}
    return work.Order(**{**parts, "token": store / "token", "versions": work.versions(), **changes})


def test_a_worker_that_cannot_work_says_why(tmp_path):
    assert "does not see the store" in work.problem_here(order(tmp_path))
    (tmp_path / "token").write_text("")
    assert "locks of the driver's host are not seen" in work.problem_here(order(tmp_path))
    with locked(tmp_path / "token", "The driver"):
        assert work.problem_here(order(tmp_path)) == ""
        other = work.problem_here(order(tmp_path, versions="gatefield 0.0.1, JAX 0.1"))
    assert "and the driver has gatefield 0.0.1, JAX 0.1: results could differ" in other


def test_without_the_extra_it_says_what_to_install(tmp_path, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "distributed" else found(name, *more))
    with pytest.raises(UserError, match=r"not installed: pip install 'gatefield\[cluster\]'"):
        run_on_cluster(small(), Store(tmp_path), "local:2")


def test_an_address_without_a_scheduler_is_told_in_seconds(tmp_path, monkeypatch):
    monkeypatch.setattr(remote, "ANSWERS", 1.0)
    start = time.monotonic()
    with pytest.raises(UserError, match=r"No scheduler answers at 'tcp://127\.0\.0\.1:1': start one there"):
        run_on_cluster(small(), Store(tmp_path), "tcp://127.0.0.1:1")
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_disk_without_locks_is_refused(tmp_path, monkeypatch, number):
    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    for run in (lambda: run_sweep(small(), Store(tmp_path)), lambda: run_on_cluster(small(), Store(tmp_path), "local:2")):
        with pytest.raises(StoreError, match=r"cannot be locked \(.*\), and without a lock two processes could write"):
            run()


def test_slurm_needs_a_host_that_can_submit(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="there is no program 'sbatch'"):
        run_on_cluster(small(), Store(tmp_path), "slurm")


def workers_of(driver: int) -> list[int]:
    """The processes of workers that a process has started."""
    listed = subprocess.run(
        ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(driver)], capture_output=True, text=True, check=True
    )
    lines = [line.split() for line in listed.stdout.splitlines()]
    return [int(words[0]) for words in lines if "worker" in words]


def bits(sweep, store):
    """All numbers of a sweep but the seconds that they took."""
    dataset = open_sweep(sweep, store).drop_vars("seconds").load()
    return {name: variable.values.tobytes() for name, variable in dataset.variables.items()}


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    """What the sweep gives without a cluster."""
    store = Store(tmp_path_factory.mktemp("right"))
    run_sweep(small(), store)
    return bits(small(), store)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of what dask imports
def test_a_killed_worker_costs_nothing(tmp_path, right):
    killed = []

    def kill():
        while not list(tmp_path.glob("sweeps/blocks/*/parts/*/committed.json")):
            time.sleep(0.02)
        killed.extend(workers_of(os.getpid())[:1])
        os.kill(killed[0], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    told = []
    swept = run_on_cluster(small(), Store(tmp_path), "local:2", progress=lambda done, total: told.append((done, total)))
    thread.join()
    assert killed
    assert swept.computed <= 10
    assert not swept.errors
    assert told[-1] == (10, 10)
    assert bits(small(), tmp_path) == right
    assert not workers_of(os.getpid())
    assert not list(tmp_path.glob("sweeps/.driver-*"))


def neuron(gain, seed):
    task = Task(NonlinearGP(6, 2.0, gain), NonlinearGP(6, 1.0, gain))
    start, run = jax.random.split(jax.random.key(seed))
    return Committee(6, 1, key=start), task, {"steps": 6, "batch_size": 8, "learning_rate": 0.05, "key": run}


def largest(fields):
    return abs(fields).max("position")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_functions_of_the_users_own_go_to_workers(tmp_path):
    axes = {"gain": [0.5, 3.0], "seed": 2}
    here = sweep(neuron, axes, measures={"largest": largest}, store=tmp_path / "here")
    there = sweep(neuron, axes, measures={"largest": largest}, store=tmp_path / "there", cluster="local:1")
    assert here.drop_vars("seconds").load().equals(there.drop_vars("seconds").load())


@pytest.fixture
def started(tmp_path):
    """The address of a scheduler that dask's own command starts, with one worker, and the process of the scheduler."""
    address, quiet = "tcp://127.0.0.1:18786", {"cwd": tmp_path, "stderr": subprocess.DEVNULL}
    program = [sys.executable, "-W", "ignore", "-m"]
    words = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "18786", "--no-dashboard"]
    scheduler = subprocess.Popen([*program, *words], **quiet)
    words = ["distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard"]
    worker = subprocess.Popen([*program, *words], **quiet)
    yield address, scheduler
    for process in (worker, scheduler):
        process.terminate()
        process.wait()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_somebody_else_started(tmp_path, right, started, monkeypatch):
    """Workers of dask's own commands do the sweep; when the scheduler is gone, the driver says so."""
    address, scheduler = started
    monkeypatch.setattr(remote, "ANSWERS", 60.0)  # it is just being started
    store = Store(tmp_path / "store")
    run_on_cluster(small(), store, address)
    assert bits(small(), store) == right
    threading.Timer(5.0, scheduler.kill).start()
    long = read_sweep(definition({"seed": 2}, training=training(steps=3_000_000, batch_size=50)))
    with pytest.raises(UserError, match="does not answer any more: what was committed is kept"):
        run_on_cluster(long, store, address)
