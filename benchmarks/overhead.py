"""What recording and progress cost: a recorded training against the bare loop, in one process, alternating.

    python benchmarks/overhead.py [--pairs 3] [--seconds 20] [--output benchmarks/results/overhead.json]

The bare loop is the same compiled step in one `fori_loop` over all steps, with nothing recorded. The recorded training is the
default `gatefield.train` (about a hundred records, a commit to disk every two seconds, progress lines).
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import optax

from gatefield import Committee, Task, train
from gatefield.data import NonlinearGP
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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    time_bare(10)
    per_step = time_bare(500) / 500
    steps = 100 * int(options.seconds / per_step / 100)  # a hundred records, as in the run that compiles
    time_recorded(200)
    pairs = [(time_bare(steps), time_recorded(steps)) for _ in range(options.pairs)]
    ratios = [recorded / plain for plain, recorded in pairs]
    result = {
        "what": "recorded training against the bare loop, seconds",
        "steps": steps,
        "runs": RUNS,
        "batch_size": BATCH,
        "pairs_bare_recorded_s": [[round(a, 2), round(b, 2)] for a, b in pairs],
        "ratio_median": round(statistics.median(ratios), 4),
        "ratios": [round(r, 4) for r in ratios],
    }
    text = json.dumps(result, indent=1)
    sys.stdout.write(text + "\n")
    if options.output:
        options.output.write_text(text + "\n")


if __name__ == "__main__":
    main()
