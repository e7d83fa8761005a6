"""What a sweep costs beside the bare engine, and planning many points.

    python benchmarks/sweep.py [--points 1000] [--steps 2000] [--single 3] [--planned 100000] [--output FILE.json]

Points: one neuron on n = 40 sites, batches of 1,000, over gains and seeds. In one run: (a) `gatefield.sweep` with store and
recording; (b) the same trainings as bare batched programs, of the same width, in memory, that record nothing but the end; (c) a
process of its own for each point, of which a few are timed and the rest extrapolated; (d) the plan of many points.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from gatefield import Committee, Task, train
from gatefield.core.provenance import device
from gatefield.data import NonlinearGP
from gatefield.lab import Plan, Store, planned, read_sweep, run_sweep

N, BATCH, RATE = 40, 1000, 0.05
SEEDS = 10


def table(points: int, steps: int, name: str = "benchmark") -> dict[str, Any]:
    """The sweep: gains from 0.1 to 10, ten seeds each."""
    source = {"kind": "NonlinearGP", "n": N, "xi": 2.0, "gain": 1.0}
    training = {"network": {"kind": "Committee", "K": 1}, "positive": source, "negative": {**source, "xi": 1.0}}
    gains = {"from": 0.1, "to": 10.0, "count": points // SEEDS, "scale": "log", "sets": ["positive.gain", "negative.gain"]}
    settings = {"steps": steps, "batch_size": BATCH, "learning_rate": RATE}
    return {"name": name, "training": {**training, **settings}, "axes": {"gain": gains, "seed": SEEDS}}


class Timed(NamedTuple):
    """Seconds on the clock, and of all cores in this process: others on the machine change the first more than the second."""

    clock: float
    cores: float


def timed(work: Callable[[], object]) -> Timed:
    clock, cores = time.perf_counter(), time.process_time()
    work()
    return Timed(time.perf_counter() - clock, time.process_time() - cores)


def swept(points: int, steps: int, store: Path) -> None:
    """A sweep, from its definition to the last block."""
    run_sweep(read_sweep(table(points, steps)), Store(store))


def bare(points: int, steps: int, width: int) -> None:
    """The same trainings as bare programs of `width` runs, records at the first and the last step only."""
    gains = np.repeat(np.geomspace(0.1, 10.0, points // SEEDS), SEEDS)
    seeds = np.tile(np.arange(SEEDS), points // SEEDS)
    for first in range(0, points, width):
        rows = np.resize(np.arange(first, min(first + width, points)), width)  # the last one is filled up: one program for all
        _bare(gains[rows], seeds[rows], steps)


def _bare(gains: np.ndarray, seeds: np.ndarray, steps: int) -> None:
    keys = jax.vmap(jax.random.key)(seeds.astype(np.uint32))
    starts, runs = (jax.vmap(jax.random.fold_in, (0, None))(keys, use) for use in (0, 1))
    task = Task(NonlinearGP(N, 2.0, gains), NonlinearGP(N, 1.0, gains))
    settings = {"steps": steps, "record_every": steps, "batch_size": BATCH, "learning_rate": RATE}
    train(Committee(N, 1, key=starts), task, key=runs, progress=False, keep_network=False, **settings)


def alone(steps: int) -> float:
    """Seconds of one point in a process of its own, from the start of Python on."""
    code = f"import sweep, numpy as np; sweep._bare(np.array([1.0]), np.array([0]), {steps})"
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent)
    return time.perf_counter() - start


def planning(points: int) -> dict[str, Any]:
    """Seconds and memory of a plan, in this process."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory() as folder:
        store, plans = Store(folder), list[Plan]()
        spent = timed(lambda: plans.append(planned(store, read_sweep(table(points, 2000, "planned")))[0]))
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {
        "points": points,
        "blocks": plans[0].own,
        "seconds": round(spent.clock, 2),
        "seconds_of_cores": round(spent.cores, 2),
        "MB_more": round(more / 1024),
        "MB_on_disk": round(size / 1e6, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--single", type=int, default=3, help="points that are timed in processes of their own")
    parser.add_argument("--planned", type=int, default=100_000)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "sweep.json")
    options = parser.parse_args()
    plan = planning(options.planned)
    print(plan)
    with tempfile.TemporaryDirectory() as folder:
        width = planned(Store(folder), read_sweep(table(options.points, options.steps)))[0].runs[0]
        bare(width, 2, width)  # what Python and JAX load once
        jax.clear_caches()  # each compiles its program
        without = timed(lambda: bare(options.points, options.steps, width))
        jax.clear_caches()
        with_store = timed(lambda: swept(options.points, options.steps, Path(folder)))
    singles = [alone(options.steps) for _ in range(options.single)]
    each = float(np.median(singles)) if singles else float("nan")
    result = {
        "device": device(),
        "jax": jax.__version__,
        "points": options.points,
        "steps": options.steps,
        "n": N,
        "batch_size": BATCH,
        "runs_in_a_block": width,
        "sweep_seconds": round(with_store.clock, 2),
        "bare_seconds": round(without.clock, 2),
        "sweep_over_bare": round(with_store.clock / without.clock, 3),
        "sweep_over_bare_by_time_of_cores": round(with_store.cores / without.cores, 3),
        "one_process_seconds": [round(one, 2) for one in singles],
        "process_per_point_over_sweep_extrapolated": round(each * options.points / with_store.clock, 2),
        "runs_per_second": round(options.points / with_store.clock, 3),
        "planning": plan,
    }
    print(json.dumps(result, indent=1))
    options.output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
