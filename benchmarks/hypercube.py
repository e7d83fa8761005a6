"""Exact margins: time and memory, against scipy's mixed-integer solver; `gatefield bench exact` has drifts and orthants.

    python benchmarks/hypercube.py [--sizes 30 40 50] [--output benchmarks/results/hypercube.json]

Margins are those of floor(1e12 sqrt(p)) over the first n primes. scipy's mixed-integer solver is given a minute each; its
feasibility tolerance is 1e-6 of the scale of the weights, so what it returns is checked by summing its signs in integers.
Peak memory is that of a process that does only this margin, less that of the same process before.
"""

import argparse
import json
import math
import multiprocessing
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import optimize

from gatefield.theory import hypercube


def weights(n: int) -> list[int]:
    primes: list[int] = []
    candidate = 2
    while len(primes) < n:
        if all(candidate % p for p in primes):
            primes.append(candidate)
        candidate += 1
    return [math.isqrt(10**24 * p) for p in primes]


def margin(n: int) -> dict[str, Any]:
    """In a process of its own, so that its peak memory can be told."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_margin, (n,))


def _margin(n: int) -> dict[str, Any]:
    hypercube.margin(weights(12))
    before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    found = hypercube.margin(weights(n), with_error=True)
    seconds = time.perf_counter() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"n": n, "delta": found.value, "error": found.error, "seconds": round(seconds, 2), "memory_mb": round(memory / 1024)}


def solver(n: int, seconds: float = 60.0) -> dict[str, Any]:
    """Minimise t with -t <= w.(2y - 1) <= t over 0/1 vectors y, weights scaled to at most 1."""
    whole = weights(n)
    w = np.array(whole, dtype=float) / max(whole)
    row = np.append(2 * w, -1.0), np.append(2 * w, 1.0)
    limits = [optimize.LinearConstraint(row[0], -np.inf, w.sum()), optimize.LinearConstraint(row[1], w.sum(), np.inf)]
    begin = time.perf_counter()
    result = optimize.milp(
        np.append(np.zeros(n), 1.0),
        constraints=limits,
        integrality=np.append(np.ones(n), 0),
        bounds=optimize.Bounds(np.zeros(n + 1), np.append(np.ones(n), np.inf)),  # pyright: ignore[reportArgumentType]
        options={"time_limit": seconds},
    )
    taken = round(time.perf_counter() - begin, 2)
    if result.x is None:
        return {"n": n, "status": result.message, "seconds": taken, "size_of_its_sum": None}
    signs = 2 * np.round(result.x[:-1]).astype(int) - 1
    return {
        "n": n,
        "status": result.message,
        "seconds": taken,
        "size_of_its_sum": abs(sum(a * int(s) for a, s in zip(whole, signs, strict=True))),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[30, 40, 50])
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    result = {
        "what": "margins of floor(1e12 sqrt(p))",
        "margin": [margin(n) for n in options.sizes],
        "margin_scipy_milp": [solver(n) for n in (12, 20, *options.sizes)],
    }
    text = json.dumps(result, indent=1)
    sys.stdout.write(text + "\n")
    if options.output:
        options.output.write_text(text + "\n")


if __name__ == "__main__":
    main()
