"""How long `gatefield report` takes for a store of many entries: with nothing drawn yet, and with every figure drawn.

    python benchmarks/report.py [--entries 300] [--store FOLDER] [--output benchmarks/results/report.json]

The entries are three experiments at small sizes; each is simulated once, and its record is kept again under other parameters.
A store that was filled before may be given, to save the minutes that filling takes; its figures are removed first. Each report
is made by a process of its own, as from a shell, and its seconds hold the start of that process.
"""

import argparse
import dataclasses
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from gatefield import experiments
from gatefield.lab import MemoryBench, Store, run

SIZES: dict[str, dict[str, Any]] = {
    "gaussian-neuron": {"n": 12, "batch_size": 200, "steps": 60, "seeds": 2},
    "localization": {"n": 12, "gains": (0.01, 3.0), "batch_size": 50, "steps": 40, "record_every": 20, "seeds": 2},
    "fourier-basis": {"n": 12},
}


def fill(store: Store, entries: int) -> None:
    """That many entries, whole and finished, with nothing drawn."""
    each = entries // len(SIZES)
    for name, size in SIZES.items():
        experiment = experiments.get(name)
        record = experiment.simulate(experiment.Parameters(**size), MemoryBench())
        again = dataclasses.replace(experiment, simulate=lambda parameters, bench, record=record: record)
        for number in range(each):
            other = {"xis": (1.0, 2.0 + number / 1000)} if name == "fourier-basis" else {"seed": number}
            run(again, experiment.Parameters(**size, **other), store)


def report(store: Path) -> dict[str, float]:
    """One report in a process of its own: seconds, seconds of the processor, the page's size, and memory."""
    page = store.parent / "page.html"
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-m", "gatefield", "report", "--store", store, "--output", page], check=True)
    seconds, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    sections = page.read_text().count("<article")
    mb, rss = page.stat().st_size / 1e6, after.ru_maxrss / 1024  # the larger of this and earlier processes
    return {"sections": sections, "s": round(seconds, 1), "cpu_s": round(cpu, 1), "page_mb": round(mb, 1), "rss_mb": round(rss)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--entries", type=int, default=300)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or Path(folder) / "store"
        if not store.exists():
            fill(Store(store), options.entries)
        for figure in store.glob("*/*/figure.svg"):
            figure.unlink()
        result = {
            "what": "gatefield report of a store",
            "entries": len(Store(store).entries()),
            "cores": os.cpu_count(),
            "nothing_drawn": report(store),
            "all_drawn": report(store),
            "all_drawn_again": report(store),
        }
    result["load_average"] = round(os.getloadavg()[1], 1)  # above 1: others were at work, and `s` says little
    text = json.dumps(result, indent=1)
    sys.stdout.write(text + "\n")
    if options.output:
        options.output.write_text(text + "\n")


if __name__ == "__main__":
    main()
