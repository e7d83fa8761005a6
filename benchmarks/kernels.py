"""Speed of the tangent kernel against JAX's Jacobian, a jitted layerwise formula, and neural-tangents; memory at n = 20,000.

    python benchmarks/kernels.py [--output benchmarks/results/kernels.json] [--neural-tangents PYTHON] [--only small]

PYTHON is an interpreter that imports neural-tangents (0.6.5 needs a jax before 0.5); without it that column is left out. Each
method answers once untimed and then five times in a row, so that no other method's threads or cache lines are in its way; the
methods go in turn three times (once for 2,000 samples), so that a load on the machine meets all alike. Numbers are medians of
all, in milliseconds. A Jacobian of more than 4 GB is not tried. Peak memory is that of a process of its own, imports left out.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Size = tuple[int, int, int, int]
SIZES: list[Size] = [  # depth, width, samples, inputs
    (6, 100, 200, 784),
    (6, 500, 200, 784),
    (20, 500, 200, 1),
    (6, 100, 2000, 784),
    (6, 500, 2000, 784),
]
REPEATS, ROUNDS = 5, 3
JACOBIAN_BYTES = 4e9
"""The Jacobian is not tried where it alone would be larger."""


def network(
    depth: int, width: int, samples: int, inputs: int, kind: Any
) -> tuple[list[np.ndarray], list[np.ndarray], np.ndarray]:
    rng = np.random.default_rng(0)
    dims = [inputs, *[width] * (depth - 1), 1]
    weights = [(rng.normal(size=(a, b)) / np.sqrt(a)).astype(kind) for a, b in itertools.pairwise(dims)]
    gates = [(rng.random((samples, width)) < 0.5).astype(kind) for _ in range(depth - 1)]
    return weights, gates, rng.normal(size=(samples, inputs)).astype(kind)


def output(weights: Any, gates: Any, x: Any) -> Any:
    for w, gate in zip(weights[:-1], gates, strict=True):
        x = (x @ w) * gate
    return x @ weights[-1]


def layerwise(weights: Any, gates: Any, x: Any) -> Any:
    """The plain formula, all in one jitted function."""
    forward, backward = [x], [gates[-1] * weights[-1][:, 0]]
    for w, gate in zip(weights[:-1], gates, strict=True):
        forward.append((forward[-1] @ w) * gate)
    for w, gate in zip(weights[-2:0:-1], gates[-2::-1], strict=True):
        backward.append((backward[-1] @ w.T) * gate)
    total = forward[-1] @ forward[-1].T
    for z, b in zip(forward, backward[::-1], strict=False):
        total = total + (z @ z.T) * (b @ b.T)
    return total


def jacobian(weights: Any, gates: Any, x: Any) -> Any:
    """Per-sample gradients, contracted."""
    import jax

    def one(w: Any, g: Any, sample: Any) -> Any:
        return output(w, [gate[None] for gate in g], sample[None])[0, 0]

    rows = jax.vmap(jax.grad(one), (None, 0, 0))(weights, gates, x)
    return sum(r.reshape(len(x), -1) @ r.reshape(len(x), -1).T for r in rows)


def methods(size: Size, kind: Any) -> dict[str, Callable[[], Any]]:
    """What each method needs to answer once."""
    import jax
    import jax.numpy as jnp

    from gatefield.kernels import ntk

    weights, gates, x = network(*size, kind)
    on_jax = jax.tree.map(jnp.asarray, (weights, gates, x))
    found: dict[str, Callable[[], Any]] = {"gatefield": lambda: ntk(weights, gates, x)}
    for name, function in (("layerwise", layerwise), ("jacobian", jacobian)):
        jitted = jax.jit(function)
        found[name] = lambda jitted=jitted: jax.block_until_ready(jitted(*on_jax))
    if size[2] * sum(w.size for w in weights) * np.dtype(kind).itemsize > JACOBIAN_BYTES:
        del found["jacobian"]
    return found


class Structured:
    """neural-tangents in a process of its own, which answers one request at a time."""

    def __init__(self, python: Path) -> None:
        environment = {**os.environ, "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONWARNINGS": "ignore"}
        command = [str(python), __file__, "--serve"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def ask(self, size: Size, kind: Any) -> dict[str, Any]:
        assert self.process.stdin
        assert self.process.stdout
        print(json.dumps([*size, np.dtype(kind).name]), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def serve() -> None:
    """Answers the requests of `Structured`: seconds of five kernels, and one entry to compare; a new size is compiled first."""
    import jax

    jax.config.update("jax_enable_x64", True)
    import neural_tangents as nt  # pyright: ignore[reportMissingImports]

    known: dict[str, Callable[[], Any]] = {}
    for line in sys.stdin:
        depth, width, samples, inputs, kind = json.loads(line)
        if line not in known:
            weights, gates, x = jax.tree_util.tree_map(
                jax.numpy.asarray, network(depth, width, samples, inputs, np.dtype(kind))
            )

            def apply(w: Any, inputs: Any) -> Any:
                return output(w, inputs[1], inputs[0])

            method = nt.empirical_ntk_fn(apply, implementation=nt.NtkImplementation.STRUCTURED_DERIVATIVES, vmap_axes=0)
            jitted = jax.jit(lambda w, both, method=method: method(both, None, w))
            known.clear()
            known[line] = lambda jitted=jitted, args=(weights, (x, gates)): jitted(*args).block_until_ready()
        matrix = known[line]()
        print(json.dumps({"seconds": timed(known[line]), "entry": float(np.ravel(matrix[0, 1])[0])}), flush=True)


def timed(function: Callable[[], Any]) -> list[float]:
    """Seconds of five calls in a row, after an untimed one."""
    function()
    seconds = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - begin)
    return seconds


def measure(size: Size, kind: Any, structured: Structured | None) -> dict[str, Any]:
    import jax

    with jax.enable_x64(True):
        every = methods(size, kind)
        entries = {name: float(np.asarray(function())[0, 1]) for name, function in every.items()}  # compiles
        seconds: dict[str, list[float]] = {name: [] for name in every}
        if structured:
            entries["structured"] = structured.ask(size, kind)["entry"]
            seconds["structured"] = []
        for _ in range(ROUNDS if size[2] <= 200 else 1):
            for name, function in every.items():
                seconds[name] += timed(function)
            if structured:
                seconds["structured"] += structured.ask(size, kind)["seconds"]
    medians = {name: round(1e3 * float(np.median(values)), 2) for name, values in seconds.items()}
    return {
        **dict(zip(("depth", "width", "samples", "inputs"), size, strict=True)),
        "dtype": np.dtype(kind).name,
        "median_ms": medians,
        "times_faster_than": {name: round(ms / medians["gatefield"], 2) for name, ms in medians.items() if name != "gatefield"},
        "one_entry": entries,
    }


def highest() -> int:
    """Peak memory of this process in KiB; unlike that of getrusage it does not begin with the parent's."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def memory() -> None:
    """Prints the peak memory of this process after one kernel of 20,000 samples; float64."""
    from gatefield.kernels import ntk

    net = network(6, 100, 20_000, 784, np.float64)
    before, begin = highest(), time.perf_counter()
    ntk(*net)
    seconds = time.perf_counter() - begin
    peak = highest()
    print(json.dumps({"samples": 20_000, "seconds": round(seconds, 1), "peak_gib": peak / 2**20, "gib_before": before / 2**20}))


def peak(method: str, place: int) -> None:
    """Prints by how much one kernel in float64 raises the peak memory of this process above network, data and imports."""
    import jax

    with jax.enable_x64(True):
        function = methods(SIZES[place], np.float64)[method]
        before = highest()
        function()
    gib = (highest() - before) / 2**20
    size = dict(zip(("depth", "width", "samples", "inputs"), SIZES[place], strict=True))
    print(json.dumps({**size, "method": method, "peak_gib_above_start": round(gib, 3)}))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path)
    parser.add_argument("--neural-tangents", type=Path, metavar="PYTHON")
    parser.add_argument("--only", choices=["small", "memory"], help="200 samples only, or memory only")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--memory", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--peak", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve()
    if options.memory:
        return memory()
    if options.peak:
        return peak(options.peak[0], int(options.peak[1]))
    import jax

    result: dict[str, Any] = {"jax": jax.__version__, "cores": os.cpu_count(), "load": os.getloadavg()[0], "kernels": []}
    structured = Structured(options.neural_tangents) if options.neural_tangents else None
    sizes = [size for size in SIZES if options.only is None or (options.only == "small" and size[2] == 200)]
    for size, kind in ((size, kind) for size in sizes for kind in (np.float32, np.float64)):
        result["kernels"].append(measure(size, kind, structured))
        print(json.dumps(result["kernels"][-1]), flush=True)
    if structured:
        structured.close()
    if options.only != "small":
        answer = subprocess.run([sys.executable, __file__, "--memory"], check=True, capture_output=True, text=True)
        result["memory"] = json.loads(answer.stdout)
        result["peaks"] = []
        for place, method in itertools.product((0, 1, 3, 4), ("gatefield", "layerwise", "jacobian")):
            if method == "jacobian" and place == 4:
                continue
            command = [sys.executable, __file__, "--peak", method, str(place)]
            answer = subprocess.run(command, check=True, capture_output=True, text=True)
            result["peaks"].append(json.loads(answer.stdout))
        print(result["memory"], flush=True)
    if options.output:
        options.output.write_text(json.dumps(result, indent=1) + "\n")
    return None


if __name__ == "__main__":
    main()
