"""What recording and progress cost: a recorded training against the bare loop, in one process, alternating.

    python benchmarks/overhead.py [--pairs 3] [--seconds 20] [--output benchmarks/results/overhead.json]

The bare loop is the same compiled step in one `fori_loop` over all steps, with nothing recorded. The recorded training is the
default `gatefield.train` (about a hundred records, a commit to disk every two seconds, progress lines).

With `--pieces` instead: what it costs that a training is sent to the device in pieces of about a second, so that Ctrl-C ends it
soon, against the same training in a single piece, in CPU time, which other work on the machine changes least.

    python benchmarks/overhead.py --pieces [--pairs 8] [--seconds 5] [--output benchmarks/results/overhead-pieces.json]
"""

import argparse
import contextlib
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest import mock

import jax
import jax.numpy as jnp
import optax

from gatefield import Committee, Task, train
from gatefield.data import NonlinearGP
from gatefield.dynamics.pace import Pace
from gatefield.lab import ZarrRecorder

RUNS, BATCH, RATE = 16, 1000, 0.05


def problem() -> tuple[Committee, Task, jax.Array]:
    net = Committee(40, 1, key=jax.random.split(jax.random.key(0), RUNS))
    return net, Task(NonlinearGP(40, 2.0, 3.0), NonlinearGP(40, 1.0, 3.0)), jax.random.split(jax.random.key(1), RUNS)


@jax.jit
def bare(weights: jax.Array, keys: jax.Array, steps: jax.Array) -> jax.Array:
    """Plain SGD of the same networks on the same batches, written directly."""
    _, task, _ = problem()

    def one(w: jax.Array, key: jax.Array) -> jax.Array:
        draw, optimizer = task.sampler(), optax.sgd(RATE)
        key = jax.random.split(key)[0]

        def loss(w: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
            return 0.5 * jnp.mean((jax.nn.relu(x @ w.T).mean(-1) - y) ** 2)

        def step(i: jax.Array, w: jax.Array) -> jax.Array:
            x, y = draw(jax.random.fold_in(key, i), BATCH)
            change, _ = optimizer.update(jax.grad(loss)(w, x, y), optimizer.init(w), w)
            return optax.apply_updates(w, change)  # pyright: ignore[reportReturnType]

        return jax.lax.fori_loop(0, steps, step, w)

    return jax.vmap(one)(weights, keys)


def time_bare(steps: int) -> float:
    net, _, keys = problem()
    begin = time.perf_counter()
    bare(net.fields, keys, jnp.int32(steps)).block_until_ready()
    return time.perf_counter() - begin


def time_recorded(steps: int) -> float:
    net, task, keys = problem()
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        train(
            net,
            task,
            steps=steps,
            batch_size=BATCH,
            learning_rate=RATE,
            key=keys,
            recorder=ZarrRecorder(Path(folder) / "run"),
            progress=lambda done, total: print(f"{done} of {total}", file=sys.stderr),
        )
        return time.perf_counter() - begin


def one_piece(pace: Pace) -> None:
    """A pace of all steps at once."""
    pace.steps, pace.faster = 2**30, 1


def time_whole(steps: int, *, divided: bool) -> float:
    """CPU seconds of a training with a record at its start and its end, in pieces or in one."""
    net, task, keys = problem()
    with contextlib.nullcontext() if divided else mock.patch.object(Pace, "__init__", one_piece):
        begin = time.process_time()
        train(net, task, steps=steps, record_every=steps, batch_size=BATCH, learning_rate=RATE, key=keys)
        return time.process_time() - begin


def measure_pieces(pairs: int, seconds: float) -> dict[str, Any]:
    """The same training in one piece and in several, alternating, which of them first too."""
    time_whole(10, divided=False)
    begin = time.perf_counter()
    time_whole(500, divided=False)
    steps = int(seconds * 500 / (time.perf_counter() - begin))
    found = []
    for pair in range(pairs):
        order = (False, True) if pair % 2 else (True, False)
        found.append({divided: time_whole(steps, divided=divided) for divided in order})
    times = [[round(one[False], 3), round(one[True], 3)] for one in found]
    return {"what": "a training in pieces against one piece, CPU seconds", "steps": steps, "pairs_one_divided_s": times}


def measure_recording(pairs: int, seconds: float) -> dict[str, Any]:
    """The bare loop and the recorded training, alternating."""
    time_bare(10)
    per_step = time_bare(500) / 500
    steps = 100 * int(seconds / per_step / 100)  # a hundred records, as in the run that compiles
    time_recorded(200)
    times = [[round(time_bare(steps), 2), round(time_recorded(steps), 2)] for _ in range(pairs)]
    return {"what": "recorded training against the bare loop, seconds", "steps": steps, "pairs_bare_recorded_s": times}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pieces", action="store_true")
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    if options.pieces:
        result = measure_pieces(options.pairs or 8, options.seconds or 5.0)
    else:
        result = measure_recording(options.pairs or 3, options.seconds or 20.0)
    ratios = [second / first for first, second in list(result.values())[-1]]
    result |= {
        "runs": RUNS,
        "batch_size": BATCH,
        "ratio_median": round(statistics.median(ratios), 4),
        "ratios": [round(r, 4) for r in ratios],
    }
    text = json.dumps(result, indent=1)
    sys.stdout.write(text + "\n")
    if options.output:
        options.output.write_text(text + "\n")


if __name__ == "__main__":
    main()
