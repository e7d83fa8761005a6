"""A small sweep of trainings, and a script that runs it: `python sweep_small.py STORE STEPS`."""

import sys
from typing import Any

from gatefield.dynamics.train import session
from gatefield.lab import Store, read_sweep, run_sweep


def source(xi: float) -> dict[str, Any]:
    return {"kind": "NonlinearGP", "n": 6, "xi": xi, "gain": 1.0}


def training(**changes: Any) -> dict[str, Any]:
    """The table of a training that takes no time."""
    table = {"network": {"kind": "Committee", "K": 1}, "positive": source(2.0), "negative": source(1.0)}
    return {**table, "steps": 6, "batch_size": 8, "learning_rate": 0.05, **changes}


def definition(axes: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """The table of a sweep over gains and seeds."""
    axes = axes or {"gain": {"values": [0.5, 3.0], "sets": ["positive.gain", "negative.gain"]}, "seed": 3}
    return {"name": "small", "training": training(), "axes": axes, **changes}


if __name__ == "__main__":
    session.SECONDS_PER_COMMIT = 0.2  # many commits in little time; when they come changes no bit
    long = definition(training=training(steps=int(sys.argv[2]), batch_size=200))
    run_sweep(read_sweep(long), Store(sys.argv[1]))
