"""Peak memory of the tangent kernel and of other methods; `gatefield bench kernels` has their times.

    python benchmarks/kernel_memory.py [--output benchmarks/results/kernel-memory.json]

Each number is that of a process of its own, in float64, above network, data and imports; 20,000 samples with all of them.
"""

import argparse
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gatefield.kernels import ntk
from gatefield.speed.cases.kernels import SIZES
from gatefield.speed.peers.gated_network import network
from gatefield.speed.peers.jax_kernels import by_jacobian, by_layers

METHODS: dict[str, Callable[[Any], Callable[[], Any]]] = {
    "gatefield": lambda net: lambda: ntk(net.weights, net.gates, net.x),
    "layerwise": by_layers,
    "jacobian": by_jacobian,
}
PLACES = (0, 1, 3, 4)
"""Which of the sizes; the Jacobian of the last one is too large."""


def highest() -> int:
    """Peak memory of this process in KiB; unlike that of getrusage it does not begin with the parent's."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def memory() -> dict[str, float]:
    """The peak memory of this process after one kernel of 20,000 samples."""
    net = network(6, 100, 20_000, 784, np.float64)
    before, begin = highest(), time.perf_counter()
    ntk(net.weights, net.gates, net.x)
    seconds = time.perf_counter() - begin
    return {"samples": 20_000, "seconds": round(seconds, 1), "peak_gib": highest() / 2**20, "gib_before": before / 2**20}


def peak(method: str, place: int) -> dict[str, Any]:
    """By how much one kernel raises the peak memory of this process."""
    call = METHODS[method](network(*SIZES[place], np.float64))
    before = highest()
    call()
    gib = (highest() - before) / 2**20
    return {**SIZES[place]._asdict(), "method": method, "peak_gib_above_start": round(gib, 3)}


def alone(*words: str) -> Any:
    """What this script prints in a process of its own."""
    answer = subprocess.run([sys.executable, __file__, *words], check=True, capture_output=True, text=True)
    return json.loads(answer.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path)
    parser.add_argument("--memory", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--peak", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory or options.peak:
        found = memory() if options.memory else peak(options.peak[0], int(options.peak[1]))
        print(json.dumps(found))
        return
    pairs = [pair for pair in itertools.product(PLACES, METHODS) if pair != (PLACES[-1], "jacobian")]
    result = {"memory": alone("--memory"), "peaks": [alone("--peak", method, str(place)) for place, method in pairs]}
    print(json.dumps(result, indent=1))
    if options.output:
        options.output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
