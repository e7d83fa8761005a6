"""What a sweep costs beside the bare engine, and planning many points.

    python benchmarks/sweep.py [--points 1000] [--steps 2000] [--single 3] [--planned 100000] [--output FILE.json]
    python benchmarks/sweep.py --points 4096 --seeds 8 --keep history fields --repetitions 4 --single 0 --planned 0    # a GPU

Points: one neuron on n = 40 sites, batches of 1,000, over gains and seeds. In one process: (a) the plan of many points; (b)
bare batched programs of the same trainings, as wide as the sweep's, in memory, that record nothing but the end; (c)
`gatefield.sweep` with store and recording, into a store of its own. (b) and (c) take turns, and change who begins. In the first
repetition both compile their programs; in the others they are there. Then (d) a process of its own for each point, of which a
few are timed and the rest extrapolated. What is known is printed and written at once.
"""

import argparse
import json
import resource
import statistics
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

RATE = 0.05


class Size(NamedTuple):
    """What is computed: gains from 0.1 to 10 with some seeds each, and what is kept of it."""

    points: int
    steps: int
    seeds: int = 10
    n: int = 40
    batch: int = 1000
    keep: tuple[str, ...] = ()
    every: int | None = None

    @property
    def gains(self) -> int:
        return self.points // self.seeds


def table(size: Size, name: str = "benchmark") -> dict[str, Any]:
    """The sweep, as a TOML file would have it."""
    source = {"kind": "NonlinearGP", "n": size.n, "xi": 2.0, "gain": 1.0}
    training = {"network": {"kind": "Committee", "K": 1}, "positive": source, "negative": {**source, "xi": 1.0}}
    gains = {"from": 0.1, "to": 10.0, "count": size.gains, "scale": "log", "sets": ["positive.gain", "negative.gain"]}
    settings = {"steps": size.steps, "batch_size": size.batch, "learning_rate": RATE}
    settings |= {} if size.every is None else {"record_every": size.every}
    axes = {"gain": gains, "seed": size.seeds}
    return {"name": name, "training": {**training, **settings}, "axes": axes, "keep": list(size.keep)}


class Timed(NamedTuple):
    """Seconds on the clock, and of all cores in this process: others on the machine change the first more than the second."""

    clock: float
    cores: float


def timed(work: Callable[[], object]) -> Timed:
    clock, cores = time.perf_counter(), time.process_time()
    work()
    return Timed(time.perf_counter() - clock, time.process_time() - cores)


def swept(size: Size) -> None:
    """A sweep, from its definition to the last block, in a store of its own."""
    with tempfile.TemporaryDirectory() as folder:
        run_sweep(read_sweep(table(size)), Store(folder))


def bare(size: Size, width: int) -> None:
    """The same trainings as bare programs of `width` runs, records at the first and the last step only."""
    gains = np.repeat(np.geomspace(0.1, 10.0, size.gains), size.seeds)
    seeds = np.tile(np.arange(size.seeds), size.gains)
    for first in range(0, len(gains), width):
        rows = np.resize(np.arange(first, min(first + width, len(gains))), width)  # the last is filled up: one program for all
        _bare(gains[rows], seeds[rows], size)


def _bare(gains: np.ndarray, seeds: np.ndarray, size: Size) -> None:
    keys = jax.vmap(jax.random.key)(seeds.astype(np.uint32))
    starts, runs = (jax.vmap(jax.random.fold_in, (0, None))(keys, use) for use in (0, 1))
    task = Task(NonlinearGP(size.n, 2.0, gains), NonlinearGP(size.n, 1.0, gains))
    settings = {"steps": size.steps, "record_every": size.steps, "batch_size": size.batch, "learning_rate": RATE}
    train(Committee(size.n, 1, key=starts), task, key=runs, progress=False, keep_network=False, **settings)


def alone(size: Size) -> float:
    """Seconds of one point in a process of its own, from the start of Python on."""
    code = f"import sweep, numpy as np; sweep._bare(np.array([1.0]), np.array([0]), sweep.{size})"
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent)
    return time.perf_counter() - start


def planning(points: int) -> dict[str, Any]:
    """Seconds and memory of a plan, in this process."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory() as folder:
        store, plans = Store(folder), list[Plan]()
        spent = timed(lambda: plans.append(planned(store, read_sweep(table(Size(points, 2000), "planned")))[0]))
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


def compare(size: Size, width: int, repetitions: int, tell: Callable[[dict[str, Any]], None]) -> float:
    """Time both, in turns; the seconds of the last sweep."""
    works = {"bare": lambda: bare(size, width), "sweep": lambda: swept(size)}
    found: dict[str, list[Timed]] = {"bare": [], "sweep": []}
    bare(size._replace(steps=2), width)  # what Python and JAX load once
    for repetition in range(repetitions):
        for name in list(works) if repetition % 2 == 0 else list(works)[::-1]:
            if repetition == 0:
                jax.clear_caches()  # each compiles its programs
            found[name].append(timed(works[name]))
            tell(summary(size, found))
        if repetition == 0 and repetitions > 1:
            bare(size, width)  # its programs were cleared away
    return found["sweep"][-1].clock


def summary(size: Size, found: dict[str, list[Timed]]) -> dict[str, Any]:
    """Seconds, rates and ratios so far: medians of the repetitions in which nothing was compiled, where there are some."""
    result: dict[str, Any] = {f"{name}_seconds": [round(one.clock, 2) for one in times] for name, times in found.items()}
    for name, times in found.items():
        if times:
            clock = statistics.median(one.clock for one in times[1:] or times)
            result[f"{name}_runs_per_second"] = round(size.gains * size.seeds / clock, 3)
            result[f"{name}_samples_per_second"] = round(size.gains * size.seeds * size.batch * size.steps / clock)
    for words, pairs in {"_with_compilation": slice(0, 1), "": slice(1, None)}.items():
        both = list(zip(found["sweep"][pairs], found["bare"][pairs], strict=False))
        if both:
            result[f"sweep_over_bare{words}"] = round(statistics.median(a.clock / b.clock for a, b in both), 3)
            result[f"sweep_over_bare{words}_by_time_of_cores"] = round(statistics.median(a.cores / b.cores for a, b in both), 3)
            result[f"rate_of_bare{words}"] = round(statistics.median(b.clock / a.clock for a, b in both), 3)
    return result


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=10, help="of each gain")
    parser.add_argument("--n", type=int, default=40)
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--keep", nargs="*", default=[], choices=["history", "fields"], help="what the sweep records more")
    parser.add_argument("--every", type=int, help="steps between the records of the sweep; by default as sweeps choose it")
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--single", type=int, default=3, help="points that are timed in processes of their own")
    parser.add_argument("--planned", type=int, default=100_000, help="points that are planned only")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "sweep.json")
    return parser.parse_args()


def main() -> None:
    options = read_options()
    size = Size(options.points, options.steps, options.seeds, options.n, options.batch, tuple(options.keep), options.every)
    result: dict[str, Any] = {"device": device(), "jax": jax.__version__, **size._asdict(), "points": size.gains * size.seeds}

    def tell(more: dict[str, Any]) -> None:
        result.update(more)
        print(json.dumps(more), flush=True)
        options.output.write_text(json.dumps(result, indent=1) + "\n")

    if options.planned:
        tell({"planning": planning(options.planned)})
    with tempfile.TemporaryDirectory() as folder:
        width = planned(Store(folder), read_sweep(table(size)))[0].runs[0]
    tell({"runs_in_a_block": width})
    seconds = compare(size, width, options.repetitions, tell)
    singles = []
    for _ in range(options.single):
        singles.append(alone(size))
        ratio = statistics.median(singles) * result["points"] / seconds
        tell(
            {
                "one_process_seconds": [round(one, 2) for one in singles],
                "process_per_point_over_sweep_extrapolated": round(ratio, 2),
            }
        )


if __name__ == "__main__":
    main()
