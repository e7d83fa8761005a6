"""The engine on this machine's device: agreement with the CPU, invariance to chunks, throughput, and the gain axis at 64 seeds.

    python benchmarks/engine.py [--output benchmarks/results/engine.json]

Needs no store and no command line, so that it also runs where only JAX and xarray are installed.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import jax
import numpy as np
import xarray as xr

from gatefield import Committee, Task, train
from gatefield.data import NonlinearGP
from gatefield.measures import ipr

GAINS = np.array([0.01, 0.3, 0.6, 1.0, 1.7, 3.0, 10.0, np.inf])
SEEDS = 64


def go(runs: int, steps: int, gain: Any = 3.0, xi: tuple[float, float] = (2.0, 1.0), chunk: int | None = None) -> xr.Dataset:
    net = Committee(40, 1, key=jax.random.split(jax.random.key(0), runs))
    task = Task(NonlinearGP(40, xi[0], gain), NonlinearGP(40, xi[1], gain))
    keys = jax.random.split(jax.random.key(1), runs)
    return train(net, task, steps=steps, batch_size=1000, learning_rate=0.05, key=keys, chunk=chunk).record


def agreement() -> dict[str, Any]:
    """The same eight runs here and on the CPU, whole and in small chunks."""
    here, chunked = go(8, 500), go(8, 500, chunk=7)
    with jax.default_device(jax.devices("cpu")[0]):
        cpu = go(8, 500)
    gap = np.linalg.norm(here.fields[:, -1] - cpu.fields[:, -1], axis=(-1, -2))
    return {
        "relative_distance_to_cpu_after_500_steps": float((gap / np.linalg.norm(cpu.fields[:, -1], axis=(-1, -2))).max()),
        "chunks_bitwise_equal": bool((chunked.fields.values == here.fields.values).all()),
    }


def throughput(runs: int, steps: int) -> dict[str, Any]:
    go(runs, steps)  # compiles
    begin = time.perf_counter()
    go(runs, steps)
    seconds = time.perf_counter() - begin
    return {
        "runs": runs,
        "steps": steps,
        "seconds": round(seconds, 2),
        "samples_per_second": round(runs * steps * 1000 / seconds),
    }


def gain_axis(xi: tuple[float, float]) -> dict[str, float]:
    """Median IPR for each gain, all gains and seeds in one call."""
    record = go(len(GAINS) * SEEDS, 4000, np.repeat(GAINS, SEEDS), xi)
    values = np.asarray(ipr(record.fields.isel(step=-1, unit=0).values)).reshape(len(GAINS), SEEDS)
    return {f"{gain:g}": round(float(median), 4) for gain, median in zip(GAINS, np.median(values, axis=1), strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path)
    output: Path | None = parser.parse_args().output
    result: dict[str, Any] = {"jax": jax.__version__, "device": jax.devices()[0].device_kind, "n": 40, "batch_size": 1000}
    steps = [
        ("agreement", agreement),
        ("throughput", lambda: [throughput(*size) for size in [(16, 4000), (256, 2000), (4096, 200)]]),
        ("median_ipr_xi_2_1", lambda: gain_axis((2.0, 1.0))),
        ("median_ipr_xi_1_2", lambda: gain_axis((1.0, 2.0))),
    ]
    for name, measure in steps:
        result[name] = measure()
        print(name, result[name], flush=True)
        if output:
            output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
