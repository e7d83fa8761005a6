"""The fused kernel, the engine's loop and the tangent kernel on a GPU: right first, then how fast, then how near the limit.

    python benchmarks/gpu_engine.py [--output benchmarks/results/gpu-engine.json] [--seconds 300] [--only NAME...] [--small]

Parts go in the order of their weight, each printed at once; one that fails says so in a line, and the next one goes on. Needs
no store and no command line. Rates are medians of repeats in one process; `--small` is for machines without a GPU, where the
kernel is interpreted.
"""

import argparse
import functools
import itertools
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from gatefield import Committee, Task, train
from gatefield.data import NonlinearGP
from gatefield.dynamics.train.engine import advance
from gatefield.dynamics.train.gpu import plan as planning
from gatefield.dynamics.train.gpu.kernel import Step, Tiling, gradient
from gatefield.dynamics.train.problem import Setup, set_up

N, GAIN, RATE = 40, 3.0, 0.05
SIZES = [(512, 12, 10_000), (1, 12, 10_000), (64, 12, 10_000), (1, 1, 1_000), (64, 1, 1_000), (512, 1, 1_000)]
TILINGS = [
    Tiling(64, 4, 5),
    Tiling(32, 2, 5),
    Tiling(16, 1, 10),
    Tiling(64, 4, 5, 16),
    Tiling(64, 2, 5),
    Tiling(64, 8, 5),
    Tiling(32, 1, 5),
    Tiling(64, 4, 2),
    Tiling(64, 4, 20),
    Tiling(128, 8, 5),
]
small = False


def task() -> Task:
    return Task(NonlinearGP(N, 2.0, GAIN), NonlinearGP(N, 1.0, GAIN))


def step_of(units: int, batch: int, precision: str = "tf32", tiling: Tiling = TILINGS[0], activation: str = "relu") -> Step:
    half = batch // 2
    return Step(N, units, activation, (half, batch - half), planning.PARTS[precision], tiling, small)  # pyright: ignore


def seconds(call: Callable[[], Any], repeats: int = 5) -> list[float]:
    """Of calls that end when the device has, after one that compiles."""
    jax.block_until_ready(call())
    found = []
    for _ in range(repeats):
        begin = time.perf_counter()
        jax.block_until_ready(call())
        found.append(time.perf_counter() - begin)
    return found


def rate(samples: float, times: list[float]) -> dict[str, float]:
    """G samples/s: the median, and the slowest and the fastest."""
    found = sorted(samples / t / 1e9 for t in times)
    return {"median": round(float(np.median(found)), 4), "least": round(found[0], 4), "most": round(found[-1], 4)}


def words(key: tuple[int, int]) -> jax.Array:
    return jnp.asarray(np.asarray(key, np.uint32).view(np.int32))


# --- right -----------------------------------------------------------------------------------------------------------------


def philox(counter: Any, key: tuple[int, int]) -> list[np.ndarray]:
    """Philox 4x32-10 in 64-bit integers of NumPy."""
    c, k, low, high = (
        [np.asarray(v, np.uint64) for v in counter],
        [np.uint64(v) for v in key],
        np.uint64(2**32 - 1),
        np.uint64(32),
    )
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> high) ^ c[1] ^ k[0], b & low, (a >> high) ^ c[3] ^ k[1], a & low]
        k = [(k[0] + np.uint64(0x9E3779B9)) & low, (k[1] + np.uint64(0xBB67AE85)) & low]
    return c


def normals(counter: Any, key: tuple[int, int]) -> np.ndarray:
    """The four quarters of a class, one after the other, in float64."""
    found = []
    w = philox(counter, key)
    for v, u in ((w[0], w[1]), (w[2], w[3])):
        radius = np.sqrt(-2 * np.log((v.astype(float) + 0.5) / 2**32))
        angle = 2 * np.pi * (u & np.uint64(2**23 - 1)).astype(float) / 2**23 - np.pi
        found += [radius * np.cos(angle), radius * np.sin(angle)]
    return np.concatenate(found)


def correlation(source: Any) -> np.ndarray:
    """Of the latent field."""
    return np.asarray(source.squashed.correlation)


def unrounded(x: np.ndarray) -> np.ndarray:
    return x


def tf32(x: np.ndarray) -> np.ndarray:
    """The nearest number with ten bits after the point."""
    bits = np.asarray(x, np.float32).view(np.int32)
    return ((bits + 0x1000) & ~0x1FFF).view(np.float32).astype(float)


def split(x: np.ndarray) -> np.ndarray:
    """The nearest sum of two such numbers."""
    return tf32(x) + tf32(x - tf32(x))


class Exact(NamedTuple):
    """A step in float64 on the kernel's counters: covariance of the positive class, gates of both, gradient."""

    covariance: np.ndarray
    gates: np.ndarray
    gradient: np.ndarray


def exact_step(
    step: Step,
    weights: np.ndarray,
    key: tuple[int, int],
    at: int,
    sample: Callable[[np.ndarray], np.ndarray] = unrounded,
    factor: Callable[[np.ndarray], np.ndarray] = unrounded,
) -> Exact:
    """What is rounded before the products, if anything: normals and samples, and what they are multiplied with."""
    from scipy.special import erf

    total, both, moments, gates = np.zeros_like(weights), task(), [], []
    deviation = np.sqrt(2 / np.pi * np.arcsin(2 * GAIN**2 / (1 + 2 * GAIN**2)))
    for number, (source, label) in enumerate(zip((both.positive, both.negative), both.labels, strict=True)):
        count = step.sizes[number]
        rows, sites = np.indices((-(-count // 4), N))
        noise = normals((rows, sites, rows * 0 + number, rows * 0 + at), key)[:count]
        values, vectors = np.linalg.eigh(correlation(source))
        x = sample(erf(sample(noise) @ factor(GAIN * (vectors * np.sqrt(values)) @ vectors.T)))
        h = x @ factor(weights / deviation).T
        if step.activation == "relu":
            y, slope = np.maximum(h, 0).mean(1), (h > 0) * 1.0
            back = factor(y - label)[:, None] * slope
        else:
            y, slope = erf(h / np.sqrt(2)).mean(1), np.sqrt(2 / np.pi) * np.exp(-(h**2) / 2)
            back = factor((y - label)[:, None] * slope)
        total += back.T @ x / deviation / step.units
        moments.append(x.T @ x / count / deviation**2)
        gates.append(h > 0)
    return Exact(moments[0], np.concatenate(gates), total / sum(step.sizes))


def rounding() -> Iterator[tuple[str, Any]]:
    """What rounding does to the covariance, the gates and the gradient of one step, against float64 on the same normals.

    In float64 on the host, numbers rounded where the kernel rounds them; how far its gradient is from the kernel's tells that
    it is the same.
    """
    units, batch = (3, 200) if small else (12, 10_000)
    rng, key = np.random.default_rng(0), (7, 0x90000001)
    localized = np.eye(N)[rng.choice(N, units, replace=False)] + 0.03 * rng.normal(size=(units, N))
    for start, weights in (("random", rng.normal(size=(units, N)) / np.sqrt(N)), ("localized", localized)):
        for precision, factor in (("tf32", tf32), ("tf32x2", split)):
            step = step_of(units, batch, precision)
            exact, found = exact_step(step, weights, key, 3), exact_step(step, weights, key, 3, tf32, factor)
            prepared = planning.prepare(step, task())
            given = prepared.roots, prepared.numbers, jnp.asarray(weights, jnp.float32)
            by_kernel = np.asarray(jax.jit(functools.partial(gradient, step))(words(key), jnp.int32(3), *given), float)
            yield (
                f"{precision}, {start} weights",
                {
                    "covariance, relative distance": distance(found.covariance, exact.covariance),
                    "covariance, largest gap": float(np.abs(found.covariance - exact.covariance).max()),
                    "gates that differ": float((found.gates != exact.gates).mean()),
                    "gradient, relative distance": distance(found.gradient, exact.gradient),
                    "the kernel's gradient from it": distance(by_kernel, found.gradient),
                    "noise of a batch": float(noise_of(step, weights, key)),
                },
            )


def noise_of(step: Step, weights: np.ndarray, key: tuple[int, int]) -> float:
    """Relative distance of the gradients of two batches, for the scale."""
    return distance(*(exact_step(step, weights, key, at).gradient for at in (3, 4)))


def distance(found: np.ndarray, exact: np.ndarray) -> float:
    return float(np.linalg.norm(found - exact) / np.linalg.norm(exact))


def kernel_right() -> Iterator[tuple[str, Any]]:
    """One step against float64 on the same counters, for each precision, activation and way to cut the work."""
    units, batch = (3, 200) if small else (12, 10_000)
    weights, key = np.random.default_rng(0).normal(size=(units, N)) / np.sqrt(N), (7, 0x90000001)
    cases = [("tf32", "relu", TILINGS[0]), ("tf32x2", "relu", TILINGS[0]), ("tf32", "erf", TILINGS[0])]
    cases += [] if small else [("tf32", "relu", tiling) for tiling in TILINGS[1:4]]
    exacts: dict[str, np.ndarray] = {}
    for precision, activation, tiling in cases:
        step = step_of(units, batch, precision, tiling, activation)
        try:
            prepared = planning.prepare(step, task())
            call = jax.jit(functools.partial(gradient, step))
            found = np.asarray(
                call(words(key), jnp.int32(3), prepared.roots, prepared.numbers, jnp.asarray(weights, jnp.float32))
            )
            exact = exacts.setdefault(activation, exact_step(step, weights, key, 3).gradient)
            yield f"{precision} {activation} {tuple(tiling)}", distance(found, exact)
        except Exception as error:
            yield f"{precision} {activation} {tuple(tiling)}", said(error)


def statistics() -> Iterator[tuple[str, Any]]:
    """Mean gradients at fixed weights, by the kernel and by the plain path; and the covariance of the kernel's samples."""
    runs, steps, batch, units = (2, 2, 64, 3) if small else (512, 50, 10_000, 12)
    weights = jnp.asarray(np.random.default_rng(0).normal(size=(units, N)) / np.sqrt(N), jnp.float32)
    both, means = task(), {}

    def mean(one: Callable[[Any, Any], Any]) -> tuple[np.ndarray, np.ndarray]:
        def run(key: Any) -> Any:
            return jax.lax.fori_loop(0, steps, lambda i, total: total + one(key, i), jnp.zeros_like(weights)) / steps

        each = np.asarray(jax.jit(jax.vmap(run))(jax.random.split(jax.random.key(5), runs)), float)
        return each.mean(0), each.std(0, ddof=1) / np.sqrt(runs)

    def plain(key: Any, i: Any) -> Any:
        x, y = both.sampler()(jax.random.fold_in(key, i), batch)
        return jax.grad(lambda w: 0.5 * jnp.mean((jax.nn.relu(x @ w.T).mean(-1) - y) ** 2))(weights)

    def by_kernel(step: Step, prepared: Any, key: Any, i: Any) -> Any:
        bits = jax.lax.bitcast_convert_type(jax.random.bits(key, (2,), jnp.uint32), jnp.int32)
        return gradient(step, bits, i, prepared.roots, prepared.numbers, weights)

    with jax.default_matmul_precision("float32"):
        means["float32"] = mean(plain)
    for precision in planning.PARTS:
        step = step_of(units, batch, precision)
        means[precision] = mean(functools.partial(by_kernel, step, planning.prepare(step, both)))
        gap, noise = means[precision][0] - means["float32"][0], np.hypot(means[precision][1], means["float32"][1])
        yield (
            f"mean gradient {precision}",
            {
                "samples": runs * steps * batch,
                "root_mean_square_gap_over_noise": float(np.sqrt(np.mean((gap / noise) ** 2))),
                "largest_gap_over_noise": float(np.abs(gap / noise).max()),
                "noise": float(noise.mean()),
                "scale": float(np.abs(means["float32"][0]).max()),
            },
        )
    yield "covariance", covariance(both)


def covariance(both: Task) -> dict[str, float]:
    """Of the positive class, by the gradient of a single erf unit with a small weight on one site and labels 0."""
    steps, batch, small_weight = (2, 64, 2**-8) if small else (1000, 20_000, 2**-8)
    sites = 2 if small else N
    silent = Task(both.positive, both.positive, labels=(0.0, 0.0))
    step = step_of(1, batch, "tf32", activation="erf")
    prepared = planning.prepare(step, silent)

    def run(number: Any, weights: Any) -> Any:
        key = jnp.stack([number, number + 1])
        at = functools.partial(gradient, step, key)
        total = jax.lax.fori_loop(
            0, steps, lambda i, t: t + at(i, prepared.roots, prepared.numbers, weights), jnp.zeros_like(weights)
        )
        return total[0] / steps

    weights = jnp.eye(N, dtype=jnp.float32)[:sites, None] * small_weight
    found = np.asarray(jax.jit(jax.vmap(run))(jnp.arange(sites, dtype=jnp.int32) * 7 + 1, weights), float)
    found = found / (small_weight * 2 / np.pi)
    exact = both.positive.covariance()[:sites]
    gap = found - exact
    samples = steps * batch
    return {
        "samples_per_row": samples,
        "relative_distance": float(np.linalg.norm(gap) / np.linalg.norm(exact)),
        "largest_gap": float(np.abs(gap).max()),
        "noise_of_an_entry_at_most": float(np.sqrt(2 / samples)),
        "mean_gap_of_variance": float(np.mean([gap[i, i] for i in range(sites)])),
    }


# --- fast ------------------------------------------------------------------------------------------------------------------


def tilings() -> Iterator[tuple[str, Any]]:
    """The kernel alone, in a loop of constant length, for each way to cut the work; and how far its weights come to lie from
    those of the first way."""
    few = [Tiling(rows, warps, 1) for rows, warps in ((64, 4), (32, 2), (16, 1), (32, 4))]
    cases = [(512, "tf32", TILINGS), (1, "tf32", few), (512, "tf32x2", TILINGS[:3])]
    for runs, precision, ways in [(2, "tf32", TILINGS[:2])] if small else cases:
        units, batch, steps = (3, 64, 2) if small else (12, 10_000, 20 if runs > 1 else 1000)
        first = None
        for tiling in ways:
            name = f"{precision} {runs} runs {tuple(tiling)}"
            try:
                go = kernel_loop(step_of(units, batch, precision, tiling), runs, steps)
                found, times = np.asarray(go(), float), seconds(go)
                first = found if first is None else first
                apart = float(np.linalg.norm(found - first) / np.linalg.norm(first))
                yield name, {**rate(runs * steps * batch, times), "apart": apart}
            except Exception as error:
                yield name, said(error)


def kernel_loop(step: Step, runs: int, steps: int) -> Callable[[], Any]:
    prepared = planning.prepare(step, task())
    weights = jax.random.normal(jax.random.key(0), (runs, step.units, N)) / np.sqrt(N)
    keys = jax.lax.bitcast_convert_type(jax.random.bits(jax.random.key(1), (runs, 2), jnp.uint32), jnp.int32)

    @jax.jit
    def go(weights: Any) -> Any:
        def one(key: Any, w: Any) -> Any:
            at = functools.partial(gradient, step, key)
            return jax.lax.fori_loop(0, steps, lambda i, w: w - RATE * at(i, prepared.roots, prepared.numbers, w), w)

        return jax.vmap(one)(keys, weights)

    return lambda: go(weights)


def pieces() -> Iterator[tuple[str, Any]]:
    """The kernel alone, with parts of it left out: what bounds it."""
    from gatefield.dynamics.train.gpu import kernel

    def cheap(counter: Any, key: Any, by: Any) -> Any:
        """Numbers of size one that cost a few instructions, in place of normals."""
        first = (counter[0] ^ counter[1]).astype(jnp.float32) * np.float32(1e-3)
        return first, first + np.float32(0.25), np.float32(0.5) - first, np.float32(-0.75) - first

    def straight(x: Any, by: Any) -> Any:
        return x

    left_out: dict[str, dict[str, Any]] = {
        "nothing": {},
        "normals": {"four_normals": cheap},
        "error function": {"error_function": straight},
        "both": {"four_normals": cheap, "error_function": straight},
    }
    runs, units, batch, steps = (2, 3, 64, 2) if small else (512, 12, 10_000, 20)
    for name, others in left_out.items():
        kept = {part: getattr(kernel, part) for part in others}
        for part, other in others.items():
            setattr(kernel, part, other)
        try:
            yield f"without {name}", rate(runs * batch * steps, seconds(kernel_loop(step_of(units, batch), runs, steps)))
        finally:
            for part, own in kept.items():
                setattr(kernel, part, own)


def profile() -> Iterator[tuple[str, Any]]:
    """The profiler's account of a training: share of the clock in which the device computes, and in which kernels."""
    import gzip
    import tempfile

    with Setup.precision():
        for runs, units, batch, precision in (
            [(2, 3, 64, "tf32")] if small else [(512, 12, 10_000, "tf32"), (1, 12, 10_000, "tf32"), (1, 12, 10_000, "float32")]
        ):
            steps = 4 if small else 100 if runs > 1 else 1000
            go = engine(begun(runs, units, batch, steps, precision), steps)
            jax.block_until_ready(go())
            with tempfile.TemporaryDirectory() as folder:
                begin = time.perf_counter()
                with jax.profiler.trace(folder):
                    jax.block_until_ready(go())
                    clock = time.perf_counter() - begin
                [path] = Path(folder).rglob("*.trace.json.gz")
                events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
            yield f"{precision}, {runs} runs", account(events, clock)


def account(events: list[dict[str, Any]], clock: float) -> dict[str, Any]:
    """Milliseconds of the kernels that take most, and of all of them beside the time from the first to the last."""
    devices = {e["pid"] for e in events if e.get("name") == "process_name" and "GPU" in e["args"]["name"]}
    streams = {(e["pid"], e["tid"]) for e in events if e.get("name") == "thread_name" and "Stream" in e["args"]["name"]}
    kernels = [e for e in events if e.get("ph") == "X" and e["pid"] in devices and (e["pid"], e["tid"]) in streams]
    spent: dict[str, float] = {}
    for e in kernels:
        spent[e["name"]] = spent.get(e["name"], 0.0) + e["dur"] / 1e3
    most = sorted(spent.items(), key=lambda item: -item[1])[:5]
    span = max((e["ts"] + e["dur"] for e in kernels), default=0.0) - min((e["ts"] for e in kernels), default=0.0)
    found = {"clock ms": round(clock * 1e3, 2), "span ms": round(span / 1e3, 2), "computing ms": round(sum(spent.values()), 2)}
    return found | {"kernels": len(kernels), "most ms": {name[:60]: round(ms, 2) for name, ms in most}}


def bare(runs: int, units: int, batch: int, steps: int) -> Callable[[], Any]:
    """A scan over the steps with `jax.random.normal`, as one writes it by hand; full precision, runs side by side."""
    sources = (task().positive, task().negative)
    roots = [jnp.asarray(planning._field(source)[0] / GAIN, jnp.float32) for source in sources]
    factor = jnp.float32(planning._field(sources[0])[1])
    y = jnp.concatenate([jnp.ones(batch // 2), jnp.zeros(batch - batch // 2)])

    def loss(w: Any, x: Any) -> Any:
        return 0.5 * jnp.mean((jax.nn.relu(x @ w.T).mean(-1) - y) ** 2)

    def run(w: Any, key: Any) -> Any:
        def one(w: Any, key: Any) -> Any:
            noise = jax.random.normal(key, (batch, N))
            z = jnp.concatenate([noise[: batch // 2] @ roots[0], noise[batch // 2 :] @ roots[1]])
            return w - RATE * jax.grad(loss)(w, jax.scipy.special.erf(GAIN * z) * factor), None

        return jax.lax.scan(one, w, jax.random.split(key, steps))[0]

    weights = jax.random.normal(jax.random.key(0), (runs, units, N)) / np.sqrt(N)
    keys = jax.random.split(jax.random.key(1), runs)
    go = jax.jit(jax.vmap(run))
    return lambda: go(weights, keys)


def begun(runs: int, units: int, batch: int, every: int, precision: Any) -> Setup:
    net = Committee(N, units, key=jax.random.split(jax.random.key(0), runs))
    keys = jax.random.split(jax.random.key(1), runs)
    return set_up(
        net,
        task(),
        batch_size=batch,
        learning_rate=RATE,
        key=keys,
        optimizer="sgd",
        loss="mse",
        steps=every,
        every=every,
        precision=precision,
    )


def engine(setup: Setup, steps: int) -> Callable[[], Any]:
    """The compiled program from one record to the next."""
    marks = jnp.asarray([0, steps], jnp.int32)
    first, count = jnp.int32(1), jnp.int32(1)
    return lambda: advance(setup.program, setup.state, setup.problem, marks, 2, setup.group, first, count)


def speeds() -> Iterator[tuple[str, Any]]:
    """Bare scan, plain engine (also without strides) and fused engine, for numbers of runs and sizes."""
    for runs, units, batch in [(2, 3, 64)] if small else SIZES:
        steps = 4 if small else max(25, min(2000, int(2e9 // (runs * batch)) // 25 * 25))
        total, row = runs * batch * steps, {}
        with Setup.precision():
            plain = begun(runs, units, batch, steps, "float32")
            one_by_one = plain._replace(program=plain.program._replace(stride=1))
            calls: dict[str, Callable[[], Callable[[], Any]]] = {
                "bare": lambda r=runs, u=units, b=batch, s=steps: bare(r, u, b, s),
                "fused": lambda r=runs, u=units, b=batch, s=steps: engine(begun(r, u, b, s, "tf32"), s),
                "plain": lambda p=plain, s=steps: engine(p, s),
            }
            if runs < 64:
                calls["plain, stride 1"] = lambda p=one_by_one, s=steps: engine(p, s)
            if units > 1:
                calls["fused x2"] = lambda r=runs, u=units, b=batch, s=steps: engine(begun(r, u, b, s, "tf32x2"), s)
            for name, make in calls.items():
                try:
                    row[name] = rate(total, seconds(make(), 3 if small else 7))
                except Exception as error:
                    row[name] = said(error)
        row["steps"], row["stride"] = steps, plain.program.stride
        over = row["bare"]["median"] if isinstance(row["bare"], dict) else None
        row["over bare"] = {k: round(v["median"] / over, 3) for k, v in row.items() if over and isinstance(v, dict)}
        yield f"{runs} runs, K = {units}, batch {batch}", row


def small_steps() -> Iterator[tuple[str, Any]]:
    """Where steps are short: bare scan, plain engine, the same in shorter strides, and the fused engine with other tiles."""
    for runs, units, batch in [(2, 3, 64)] if small else [(1, 1, 1_000), (1, 12, 10_000), (512, 1, 1_000)]:
        steps = 4 if small else 2000
        total, row = runs * batch * steps, {}

        def strided(stride: int, r: int = runs, u: int = units, b: int = batch, s: int = steps) -> Callable[[], Any]:
            begins = begun(r, u, b, s, "float32")
            return engine(begins._replace(program=begins.program._replace(stride=stride)), s)

        def tiled(tiling: Tiling, r: int = runs, u: int = units, b: int = batch, s: int = steps) -> Callable[[], Any]:
            begins = begun(r, u, b, s, "tf32")
            assert begins.program.fused is not None
            fused = begins.program.fused._replace(tiling=tiling)
            return engine(begins._replace(program=begins.program._replace(fused=fused)), s)

        with Setup.precision():
            begins = begun(runs, units, batch, steps, "float32")
            row["bare"] = rate(total, seconds(bare(runs, units, batch, steps), 7))
            row[f"plain, stride {begins.program.stride}"] = rate(total, seconds(engine(begins, steps), 7))
            row["plain, stride 32"] = rate(total, seconds(strided(32), 7))
            for tiling in (Tiling(64, 4, 1), Tiling(32, 2, 1), Tiling(16, 1, 1)) if runs == 1 else (Tiling(64, 4, 1),):
                row[f"fused {tuple(tiling)}"] = rate(total, seconds(tiled(tiling), 7))
        over = row["bare"]["median"]
        row["over bare"] = {name: round(value["median"] / over, 3) for name, value in row.items() if over}
        yield f"{runs} runs, K = {units}, batch {batch}", row


def recorded() -> Iterator[tuple[str, Any]]:
    """All of `train` with 20 records, in memory and on disk."""
    import tempfile

    from gatefield.lab import ZarrRecorder

    for runs, units, batch, steps in [(2, 3, 64, 4)] if small else [(512, 12, 10_000, 2000), (1, 12, 10_000, 20_000)]:
        for precision, place in itertools.product(("tf32", "float32"), ("memory", "disk")):
            net = Committee(N, units, key=jax.random.split(jax.random.key(0), runs))
            keys = jax.random.split(jax.random.key(1), runs)
            length = steps if precision == "tf32" or runs == 1 else steps // 4
            options = {"batch_size": batch, "learning_rate": RATE, "key": keys, "progress": False, "precision": precision}
            times = []
            for _ in range(3 if small else 6):
                with tempfile.TemporaryDirectory() as folder:
                    where = {"recorder": ZarrRecorder(Path(folder) / "run")} if place == "disk" else {}
                    begin = time.perf_counter()
                    train(net, task(), steps=length, record_every=max(1, length // 20), **options, **where)  # pyright: ignore
                    times.append(time.perf_counter() - begin)
            yield (
                f"train {precision}, {place}, {runs} runs, K = {units}, {length} steps",
                rate(runs * batch * length, times[1:]),
            )


def invariance() -> Iterator[tuple[str, Any]]:
    """Whether chunks and strides change a bit."""
    for precision in ("tf32", "float32"):
        net, keys = Committee(N, 3, key=jax.random.key(0)), jax.random.split(jax.random.key(1), 4)
        options = {"steps": 230, "batch_size": 1000, "learning_rate": RATE, "key": keys, "progress": False, "record_every": 50}
        if small:
            options |= {"steps": 6, "batch_size": 64, "record_every": 2}
        whole, again, cut = (train(net, task(), precision=precision, chunk=c, **options).record for c in (None, None, 1))
        yield (
            f"bits {precision}",
            {
                "again": bool((whole.fields.values == again.fields.values).all()),
                "in chunks": bool((whole.fields.values == cut.fields.values).all()),
            },
        )


# --- the tangent kernel, the limits ----------------------------------------------------------------------------------------


def tangent() -> Iterator[tuple[str, Any]]:
    """d = 6, w = 500, 784 inputs: milliseconds, and errors of a smaller set against float64."""
    from gatefield.kernels import ntk
    from gatefield.kernels.arrays import full_precision
    from gatefield.kernels.features import features, kernel

    def network(samples: int) -> Any:
        rng = np.random.default_rng(0)
        dims = [784, *[50 if small else 500] * 5, 1]
        weights = [(rng.normal(size=(a, b)) / np.sqrt(a)).astype(np.float32) for a, b in itertools.pairwise(dims)]
        gates = [(rng.random((samples, d)) < 0.5).astype(np.float32) for d in dims[1:-1]]
        return weights, gates, rng.normal(size=(samples, 784)).astype(np.float32)

    net = network(300 if small else 5000)
    exact = ntk(*jax.tree.map(lambda a: a.astype(float), net))
    scale = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
    on_device = jax.device_put(net)
    for precision in ("float32", "tf32"):
        found = np.asarray(ntk(*on_device, precision=precision), float)
        yield (
            f"error {precision}",
            {
                "relative": float(np.linalg.norm(found - exact) / np.linalg.norm(exact)),
                "largest over diagonal": float(np.abs((found - exact) / scale).max()),
            },
        )
    on_device = jax.device_put(network(300 if small else 20_000))
    for precision in ("tf32", "float32"):
        times = seconds(lambda p=precision: ntk(*on_device, precision=p), 7)
        yield f"ms {precision}", [round(1e3 * t, 2) for t in sorted(times)]
    whole = full_precision(kernel)
    weights, gates, x = on_device
    parts = features(list(weights), list(gates), x)
    yield "ms float32, all products one by one", [round(1e3 * t, 2) for t in sorted(seconds(lambda: whole(parts, parts)))]


def ceilings() -> Iterator[tuple[str, Any]]:
    """A large copy in TB/s, bytes read and written; products of matrices in TFLOP/s; normals of JAX in G/s."""
    size = 2**20 if small else 2**30
    x = jnp.ones(size, jnp.float32)
    copy = jax.jit(lambda x: x + 1)
    yield "copy TB/s", round(8 * size / float(np.median(seconds(lambda: copy(x)))) / 1e12, 3)
    side = 512 if small else 8192
    a, b = (jax.random.normal(jax.random.key(i), (side, side)) for i in range(2))
    for name in ("tensorfloat32", "float32"):
        with jax.default_matmul_precision(name):
            product = jax.jit(jnp.matmul)
            yield f"product {name} TFLOP/s", round(2 * side**3 / float(np.median(seconds(lambda p=product: p(a, b)))) / 1e12, 1)
    draw = jax.jit(lambda key: jax.random.normal(key, (size // 4,)))
    yield "jax.random.normal G/s", round(size / 4 / float(np.median(seconds(lambda: draw(jax.random.key(0))))) / 1e9, 2)


def other_compiler() -> Iterator[tuple[str, Any]]:
    """The very kernel that Pallas makes, compiled by the installed Triton and launched on torch tensors."""
    import tempfile

    import torch  # pyright: ignore[reportMissingImports]
    import triton  # pyright: ignore[reportMissingImports]
    from jax._src.pallas.triton import lowering
    from jaxlib.mlir import ir

    def custom_calls(operation: Any) -> Iterator[Any]:
        for inner in (o for region in operation.regions for block in region for o in block):
            if inner.operation.name == "stablehlo.custom_call" and "triton" in str(inner.attributes["call_target_name"]):
                yield inner
            yield from custom_calls(inner.operation)

    runs = 512
    for tiling in TILINGS[:3]:
        step = step_of(12, 10_000, "tf32", tiling)
        prepared = planning.prepare(step, task())
        given = [
            np.zeros((runs, 2), np.int32),
            np.zeros((), np.int32),
            np.asarray(prepared.roots),
            np.asarray(prepared.numbers),
        ]
        given += [np.random.default_rng(0).normal(size=(runs, 12, N)).astype(np.float32)]
        mapped = jax.jit(jax.vmap(functools.partial(gradient, step), in_axes=(0, None, None, None, 0)))
        module: Any = mapped.lower(*given).compiler_ir("stablehlo")
        [call] = custom_calls(module.operation)
        config = call.attributes["mhlo.backend_config"]
        with lowering._new_ir_context(), ir.Location.unknown(), tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "kernel.ttir"
            place.write_text(str(ir.Module.parse(config["ir"].value_bytes)))
            compiled = triton.compile(str(place), options={"num_warps": tiling.warps, "num_stages": 1})
        tensors = [torch.tensor(np.atleast_1d(a), device="cuda") for a in given]
        units, sites = step.padded
        out = torch.full((runs, 2 * step.programs, units, sites), float("nan"), device="cuda")
        grid = tuple(int(config[f"grid_{axis}"].value) for axis in "xyz")
        times = triton.testing.do_bench(lambda c=compiled, g=grid, t=tensors, o=out: c[g](*t, o), return_mode="median")
        yield (
            f"{tuple(tiling)}",
            {
                "G samples/s": round(runs * 10_000 / times / 1e6, 3),
                "registers": compiled.n_regs,
                "spills": compiled.n_spills,
                "finite": bool(torch.isfinite(out).all()),
            },
        )


PARTS: dict[str, Callable[[], Iterator[tuple[str, Any]]]] = {
    "kernel_right": kernel_right,
    "rounding": rounding,
    "speeds": speeds,
    "small_steps": small_steps,
    "recorded": recorded,
    "pieces": pieces,
    "profile": profile,
    "tilings": tilings,
    "tangent": tangent,
    "statistics": statistics,
    "invariance": invariance,
    "ceilings": ceilings,
    "other_compiler": other_compiler,
}


def said(error: Exception) -> str:
    """An error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def main() -> None:
    global small
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path)
    parser.add_argument("--seconds", type=float, default=300.0, help="no result is begun after so many")
    parser.add_argument("--only", nargs="+", choices=list(PARTS))
    parser.add_argument("--small", action="store_true", help="tiny sizes, the kernel interpreted")
    options = parser.parse_args()
    small = options.small
    if small:
        planning._interprets = lambda: True
    begin = time.perf_counter()
    result: dict[str, Any] = {"jax": jax.__version__, "device": jax.devices()[0].device_kind, "n": N}
    print(result, flush=True)
    for name in options.only or PARTS:
        result[name] = {}
        try:
            for key, value in PARTS[name]():
                result[name][key] = value
                print(f"[{time.perf_counter() - begin:6.1f} s] {name}: {key}: {json.dumps(value)}", flush=True)
                if options.output:
                    options.output.write_text(json.dumps(result, indent=1) + "\n")
                if time.perf_counter() - begin > options.seconds:
                    print(f"{options.seconds:g} seconds are over", flush=True)
                    return
        except Exception as error:
            result[name]["error"] = said(error)
            print(f"[{time.perf_counter() - begin:6.1f} s] {name}: {said(error)}", flush=True)


if __name__ == "__main__":
    main()
