"""Training on a CPU against what a user would otherwise write: a bare jitted scan, and a jitted step called from Python.

    python benchmarks/engine_cpu.py [--output benchmarks/results/engine-cpu.json] [--repeats 7]

All in one process, in an order drawn anew for each repeat; medians, least and most of milliseconds per step, and ratios of the
medians to that of `train`, which is timed as it is called: with its checks, records and commits. As cores may be shared, what
all threads computed is given as well, and its ratios.
"""

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gatefield import Committee, Task, __version__, train
from gatefield.data import NonlinearGP
from gatefield.data.numerics import field_factor, gain_deviation

N, GAIN, XI, RATE = 40, 3.0, (2.0, 1.0), 0.05
SIZES = [(1, 1, 10_000, 2000), (12, 1, 10_000, 1500), (100, 1, 1_000, 6000), (1, 64, 1_000, 300)]
"""Units, runs, samples in a batch, and steps of one measurement."""


def step_of(factors: list[jax.Array], batch: int) -> Callable[..., jax.Array]:
    """One step as a user would write it: normals, covariance roots, erf, gradient, descent."""
    scale = float(gain_deviation(GAIN))
    y = jnp.concatenate([jnp.ones(batch // 2), jnp.zeros(batch // 2)])

    def loss(w: jax.Array, x: jax.Array) -> jax.Array:
        return 0.5 * jnp.mean((jax.nn.relu(x @ w.T).mean(1) - y) ** 2)

    def step(w: jax.Array, key: jax.Array) -> jax.Array:
        z = jax.random.normal(key, (2, batch // 2, N))
        x = jax.lax.erf(GAIN * jnp.concatenate([z[0] @ factors[0], z[1] @ factors[1]])) / scale
        return w - RATE * jax.grad(loss)(w, x)

    return step


def contestants(units: int, runs: int, batch: int, steps: int) -> dict[str, Callable[[], Any]]:
    keys = jax.random.split(jax.random.key(0), runs)
    net = Committee(N, units, key=keys)
    start = net.fields
    factors = [jnp.asarray(field_factor(N, xi, "ring"), jnp.float32) for xi in XI]
    step = step_of(factors, batch)

    def whole(w: jax.Array, key: jax.Array) -> jax.Array:
        return jax.lax.scan(lambda w, i: (step(w, jax.random.fold_in(key, i)), None), w, jnp.arange(steps))[0]

    scan, one = jax.jit(jax.vmap(whole)), jax.jit(jax.vmap(step))
    if runs == 1:  # without a run axis: the best that can be written
        scan, one = jax.jit(whole), jax.jit(step)
    fold = jax.jit(jax.vmap(jax.random.fold_in, (0, None)) if runs > 1 else jax.random.fold_in)
    w0, k0 = (start, keys) if runs > 1 else (start[0], keys[0])
    serial = jax.jit(lambda w, k: jax.lax.map(lambda both: whole(*both), (w, k)))  # one run after the other

    def loop() -> jax.Array:
        w = w0
        for i in range(steps):
            w = one(w, fold(k0, i))
        return jax.block_until_ready(w)

    task = Task(NonlinearGP(N, XI[0], GAIN), NonlinearGP(N, XI[1], GAIN))
    pairs = Task(NonlinearGP(N, XI[0], GAIN), NonlinearGP(N, XI[1], GAIN), antithetic=True)
    settings = {"steps": steps, "batch_size": batch, "learning_rate": RATE, "record_every": steps, "progress": False}
    found = {
        "train": partial(train, net, task, key=keys, **settings),
        "scan": lambda: jax.block_until_ready(scan(w0, k0)),
        "loop": loop,
        "train, antithetic": partial(train, net, pairs, key=keys, **settings),
    }
    if runs > 1:
        found["scan, one run after the other"] = lambda: jax.block_until_ready(serial(start, keys))
        found["train, one stream"] = partial(train, net, task, key=keys[0], shared_stream=True, **settings)
    return found


def measured(units: int, runs: int, batch: int, steps: int, repeats: int) -> dict[str, Any]:
    rng, calls = np.random.default_rng(0), contestants(units, runs, batch, steps)
    for call in calls.values():
        call()  # compiles
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    load = os.getloadavg()[0]
    for _ in range(repeats):
        for name in rng.permutation(list(calls)):
            wall, busy = time.perf_counter(), time.process_time()
            calls[name]()
            times[name].append((time.perf_counter() - wall, time.process_time() - busy))
    table = {name: np.array(pairs) * 1e3 / steps for name, pairs in times.items()}
    wall, busy = np.median(table["train"], axis=0)
    return {
        "units": units,
        "runs": runs,
        "batch_size": batch,
        "load": [round(load, 1), round(os.getloadavg()[0], 1)],
        "times_as_fast_as": {
            name: {"time": round(float(np.median(t[:, 0]) / wall), 2), "computed": round(float(np.median(t[:, 1]) / busy), 2)}
            for name, t in table.items()
            if name != "train"
        },
        "ms_per_step": {
            name: {
                "median": round(float(np.median(t[:, 0])), 3),
                "range": np.round([t[:, 0].min(), t[:, 0].max()], 3).tolist(),
                "computed": round(float(np.median(t[:, 1])), 3),
            }
            for name, t in table.items()
        },
        "steps_per_second_of_train": round(1e3 / wall, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path)
    parser.add_argument("--repeats", type=int, default=7)
    given = parser.parse_args()
    result: dict[str, Any] = {
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "versions": {"gatefield": __version__, "jax": jax.__version__, "python": platform.python_version()},
        "n": N,
        "repeats": given.repeats,
        "sizes": [],
    }
    for size in SIZES:
        result["sizes"].append(measured(*size, given.repeats))
        print(json.dumps(result["sizes"][-1]), flush=True)
        if given.output:
            given.output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
