"""A little run without any training, whose every record depends on the state before it; and a server that starts it on demand.

`python lab_blocks.py TOTAL BLOCK` reads a number K and a folder from standard input, forks a process that records into it,
and is killed right before its K-th file operation if K is not 0, and prints its id; then it waits for another line, and for
the end of that process, prints how it ended, and begins again.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from gatefield.dynamics import Layout, Variable
from gatefield.lab import ZarrRecorder
from gatefield.lab.store.format import checksum

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "faults"))
from child import Operations

RUNS, UNITS = 3, 5


def start() -> dict[str, np.ndarray]:
    return {"weights": np.linspace(0.1, 0.9, RUNS * UNITS).reshape(RUNS, UNITS), "count": np.array(0)}


def following(state: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """A chaotic map, so that a state taken from the wrong place shows."""
    return {"weights": 3.9 * state["weights"] * (1 - state["weights"]), "count": state["count"] + 1}


def layout(total: int, block: int, fingerprint: str = "abc") -> Layout:
    return Layout(
        axis="step",
        sizes={"run": RUNS, "step": total, "unit": UNITS},
        variables={
            "fields": Variable(("run", "step", "unit"), np.dtype("float32"), {"units": "1"}),
            "loss": Variable(("run", "step"), np.dtype("float64")),
            "status": Variable(("run", "step"), np.dtype("int8"), {"flag_values": [0, 1]}),
        },
        coords={
            "step": (("step",), 10 * np.arange(total), {}),
            "time": (("step",), 0.5 * np.arange(total), {"units": "tau"}),
            "name": (("run",), np.array(["a", "bb", "c"]), {}),
            "unit": (("unit",), np.arange(UNITS), {}),
        },
        attrs={"gain": np.float64("inf"), "labels": (1.0, 0.0), "bias": False},
        fingerprint=fingerprint,
        block=block,
    )


def block_of(state: dict[str, np.ndarray], size: int) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    weights = []
    for _ in range(size):
        state = following(state)
        weights.append(state["weights"])
    fields = np.stack(weights, axis=1)
    rows = {"fields": fields.astype(np.float32), "loss": fields.mean(-1), "status": np.zeros(fields.shape[:2], np.int8)}
    return rows, state


def record(path: Path, total: int, block: int) -> xr.Dataset:
    """Begin or go on, to the end."""
    recorder = ZarrRecorder(path)
    found = recorder.find("abc", start())
    if found is None:
        recorder.create(layout(total, block))
    done, state = (found.records, found.state) if found else (0, start())
    while done < total:
        rows, state = block_of(state, min(block, total - done))
        recorder.commit(done, rows, state)
        done += rows["loss"].shape[1]
    return recorder.dataset()


def edit(path: Path, seal: bool = True, **changes: Any) -> None:
    """Change what a JSON file of the store says: by the book, with a checksum that fits, or without a new checksum."""
    content = {**json.loads(path.read_text()), **changes}
    old = content.pop("checksum")
    path.write_text(json.dumps({**content, "checksum": checksum(content) if seal else old}))


def serve(total: int, block: int) -> None:
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            kill_at, _, path = line.strip().partition(" ")
            Operations(path, int(kill_at)).install()
            record(Path(path), total, block)
            os._exit(0)
        _say(child)
        sys.stdin.readline()
        _say(os.waitpid(child, 0)[1])


def _say(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
