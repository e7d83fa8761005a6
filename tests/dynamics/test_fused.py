"""The fused kernel, interpreted: its generator, its formulas on the same normals, and training through it."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import special, stats

from gatefield import Committee, Task, train
from gatefield.core.errors import UserError
from gatefield.data import Gaussian, Hypercube, NonlinearGP, SinglePulse
from gatefield.dynamics.train.gpu import plan as planning
from gatefield.dynamics.train.gpu.arithmetic import PLAIN
from gatefield.dynamics.train.gpu.kernel import Step, Tiling, gradient
from gatefield.dynamics.train.gpu.normals import four_normals, philox
from gatefield.dynamics.train.gpu.squash import error_function

KNOWN = [  # counter, key, words; kat_vectors of Random123
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]


def words(values):
    return tuple(jnp.asarray(np.asarray(v, np.uint32).view(np.int32)) for v in values)


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_the_generator_gives_the_published_answers(counter, key, expected):
    found = [int(np.asarray(w).view(np.uint32)) for w in philox(words(counter), words(key), PLAIN)]
    assert found == expected


def numpy_philox(counter, key):
    c = [np.asarray(v, np.uint64) for v in counter]
    k = [np.uint64(v) for v in key]
    low = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> np.uint64(32)) ^ c[1] ^ k[0], b & low, (a >> np.uint64(32)) ^ c[3] ^ k[1], a & low]
        k = [(k[0] + np.uint64(0x9E3779B9)) & low, (k[1] + np.uint64(0xBB67AE85)) & low]
    return c


def numpy_normals(counter, key):
    a, b, c, d = numpy_philox(counter, key)

    def pair(v, w):
        radius = np.sqrt(-2 * np.log((v.astype(float) + 0.5) / 2**32))
        angle = 2 * np.pi * ((w & np.uint64(0x7FFFFF)).astype(float) / 2**23) - np.pi
        return radius * np.cos(angle), radius * np.sin(angle)

    return *pair(a, b), *pair(c, d)


def tf32(x):
    bits = np.asarray(x, np.float32).view(np.int32)
    return ((bits + 0x1000) & ~0x1FFF).view(np.float32).astype(float)


def test_the_normals_are_normal_and_independent():
    rows, columns = (a.ravel().astype(np.int32) for a in np.indices((20_000, 8)))
    zero = np.zeros_like(rows)
    found = np.stack([np.asarray(z) for z in four_normals((rows, columns, zero, zero), words([1, 2]), PLAIN)])
    assert stats.kstest(found.ravel(), "norm").pvalue > 1e-3
    together = found.transpose(1, 0).reshape(20_000, 32)
    gap = np.cov(together.T) - np.eye(32)
    assert np.abs(gap).max() < 5.5 * np.sqrt(2 / 20_000)
    square = np.corrcoef(together.T**2) - np.eye(32)
    assert np.abs(square).max() < 5.5 / np.sqrt(20_000)


def test_the_normals_follow_from_the_words_of_the_counter():
    rows = np.arange(100, dtype=np.int32)
    found = four_normals((rows, rows * 0 + 3, rows * 0 + 1, rows * 0 + 77), words([5, 0xF0000001]), PLAIN)
    expected = numpy_normals((rows, rows * 0 + 3, rows * 0 + 1, rows * 0 + 77), (5, 0xF0000001))
    np.testing.assert_allclose(np.stack(found), np.stack(expected), atol=3e-6)


def test_the_polynomial_is_the_error_function_to_3e_5():
    x = np.concatenate([np.linspace(-8, 8, 100_001), [1e3, -1e3, 1e9, -1e9, 1e18, -1e18]]).astype(np.float32)
    found = np.asarray(error_function(jnp.asarray(x), PLAIN))
    assert np.abs(found - special.erf(x.astype(float))).max() < 3e-5
    assert np.abs(found).max() <= 1


def test_rounding_is_that_of_tf32():
    x = np.random.default_rng(0).normal(size=1000).astype(np.float32)
    found = np.asarray(PLAIN.rounded(jnp.asarray(x)))
    np.testing.assert_array_equal(found, tf32(x))
    mantissa, _ = np.frexp(found.astype(float))
    np.testing.assert_array_equal(mantissa * 2**11, np.round(mantissa * 2**11))
    assert np.abs(found / x - 1).max() <= 2**-11


N, K, SIZES, KEY, AT = 12, 3, (37, 22), (11, 0x80000005), 9
SOURCES = NonlinearGP(N, 2.0, gain=3.0), Hypercube(N, 1.0)


def by_numpy(step, task, weights):
    """The same step in float64, with the samples rounded as the kernel rounds them, and nothing else."""
    total = np.zeros((K, N))
    for number, (source, label) in enumerate(zip((task.positive, task.negative), task.labels, strict=True)):
        count = step.sizes[number]
        quarter = -(-count // 4)
        rows, sites = np.indices((quarter, N))
        noise = numpy_normals((rows, sites, rows * 0 + number, rows * 0 + AT), KEY)
        noise = tf32(np.concatenate(noise)[:count])
        values, vectors = np.linalg.eigh(source.covariance() if source.gaussian else np.asarray(source.squashed.correlation))
        z = noise @ (vectors * np.sqrt(values)) @ vectors.T
        gain = 0.005 if source.gaussian else float(source.squashed.gain)
        if np.isinf(gain):
            x, deviation = np.sign(z), 1.0
        else:
            x = tf32(special.erf(gain * z))
            deviation = np.sqrt(2 / np.pi * np.arcsin(2 * gain**2 / (1 + 2 * gain**2)))
        h = x @ weights.T / deviation
        if step.activation == "relu":
            y, slope = np.maximum(h, 0).mean(1), (h > 0) * 1.0
        else:
            y, slope = special.erf(h / np.sqrt(2)).mean(1), np.sqrt(2 / np.pi) * np.exp(-(h**2) / 2)
        total += ((y - label)[:, None] * slope / K).T @ (x / deviation)
    return total / sum(step.sizes)


def by_kernel(step, task, weights):
    prepared = planning.prepare(step, task)
    key = jnp.asarray(np.asarray(KEY, np.uint32).view(np.int32))
    return np.asarray(gradient(step, key, jnp.int32(AT), prepared.roots, prepared.numbers, jnp.asarray(weights, jnp.float32)))


@pytest.mark.parametrize("activation", ["relu", "erf"])
@pytest.mark.parametrize(("parts", "tolerance", "source"), [(1, 5e-3, Gaussian(N, 1.0)), (2, 2e-3, Hypercube(N, 1.0))])
def test_a_step_is_the_plain_formula_on_the_same_normals(activation, parts, tolerance, source):
    """In one part, gates and signs near zero may differ, each by the share of one sample: there no source has signs."""
    task, weights = Task(SOURCES[0], source, labels=(1.0, -0.5)), np.random.default_rng(1).normal(size=(K, N))
    step = Step(N, K, activation, SIZES, parts, Tiling(rows=16, tiles=1), interpret=True)
    expected, found = by_numpy(step, task, weights), by_kernel(step, task, weights)
    gates = 2 / sum(SIZES) if (activation, parts) == ("relu", 1) else 0.0
    assert np.linalg.norm(found - expected) < (tolerance + gates) * np.linalg.norm(expected)


@pytest.mark.parametrize("tiling", [Tiling(rows=16, tiles=2), Tiling(rows=32, tiles=1, least=16), Tiling(rows=64, tiles=3)])
def test_how_the_work_is_cut_changes_only_the_order_of_sums(tiling):
    task, weights = Task(*SOURCES), np.random.default_rng(1).normal(size=(K, N))
    step = Step(N, K, "relu", (150, 90), 1, Tiling(rows=16, tiles=1), interpret=True)
    expected = by_kernel(step, task, weights)
    found = by_kernel(step._replace(tiling=tiling), task, weights)
    assert np.abs(found - expected).max() < 2e-6 * np.abs(expected).max() + 1e-7


def test_blocks_of_sites_are_powers_of_two_that_cover_all():
    for n in range(1, 65):
        step = Step(n, 1, "relu", (4, 4), 1)
        starts, sizes = zip(*step.blocks, strict=True)
        assert all(size & (size - 1) == 0 and size >= 8 for size in sizes)
        assert list(starts) == np.cumsum([0, *sizes[:-1]]).tolist()
        assert n <= step.padded[1] < n + 8


@pytest.fixture
def interpreted(monkeypatch):
    monkeypatch.setattr(planning, "_interprets", lambda: True)


def go(precision, gain: Any = 2.0, steps=12, **more):
    task = Task(NonlinearGP(8, 2.0, gain), Gaussian(8, 1.0))
    net = Committee(8, 2, key=jax.random.key(0))
    options = {"steps": steps, "batch_size": 64, "learning_rate": 0.1, "key": jax.random.key(1), **more}
    return train(net, task, precision=precision, progress=False, **options)


def test_training_through_it_depends_neither_on_chunks_nor_on_the_runs_beside(interpreted):
    whole = go("tf32", record_every=3)[1]
    np.testing.assert_array_equal(whole.fields, go("tf32", record_every=3, chunk=1)[1].fields)
    assert not np.allclose(whole.fields, go("float32", record_every=3)[1].fields, atol=1e-4)
    runs = go("tf32", gain=np.array([1.0, 2.0, np.inf]), record_every=3, key=jax.random.split(jax.random.key(1), 3))[1]
    assert runs.fields.shape[0] == 3
    alone = go("tf32", gain=np.inf, record_every=3, key=jax.random.split(jax.random.key(1), 3)[2:])[1]
    np.testing.assert_allclose(runs.fields[2], alone.fields[0], atol=1e-6)


def test_it_trains_as_the_plain_path_does_on_average(interpreted):
    keys = jax.random.split(jax.random.key(3), 64)
    plain, kernel = (go(p, key=keys, steps=6)[1].fields[:, -1].values for p in ("float32", "tf32"))
    gap, noise = plain.mean(0) - kernel.mean(0), np.sqrt(plain.var(0) / 64 + kernel.var(0) / 64)
    assert np.abs(gap / noise).max() < 4.5
    assert 0.5 < kernel.var(0).sum() / plain.var(0).sum() < 2


def test_the_precision_stands_in_the_record_and_makes_it_another_run(interpreted):
    plain, one, two = (go(p, steps=2)[1].attrs for p in ("float32", "tf32", "tf32x2"))
    assert "precision" not in plain
    assert (one["precision"], two["precision"]) == ("tf32", "tf32x2")
    assert len({plain["fingerprint"], one["fingerprint"], two["fingerprint"]}) == 3


def test_elsewhere_it_is_refused_in_a_sentence():
    with pytest.raises(UserError, match=r"precision='tf32' is for NVIDIA GPUs, but this is cpu; leave precision out"):
        go("tf32")


@pytest.mark.wrong_types
def test_a_precision_is_one_of_three():
    with pytest.raises(UserError, match="float16"):
        go("float16")


def test_what_the_kernel_does_not_cover_is_named(interpreted):
    task, net = Task(Gaussian(8, 2.0), Gaussian(8, 1.0)), functools.partial(Committee, 8, 2, key=jax.random.key(0))
    run = functools.partial(train, steps=2, learning_rate=0.1, key=jax.random.key(1), precision="tf32", progress=False)
    cases = [
        (net(bias=True), task, {}, "this one has bias"),
        (net(activation="sigmoid"), task, {}, "activations 'relu' and 'erf'"),
        (net(), task, {"loss": "sse"}, "the loss 'mse' only"),
        (net(), task, {"batch_size": 9}, "whole number of samples of each class"),
        (net(), Task(SinglePulse(8, widths=(1, 2)), Gaussian(8, 1.0)), {}, "squashed Gaussian fields"),
        (net(), Task(Gaussian(8, 2.0), Gaussian(8, 1.0), antithetic=True), {}, "independent samples, not antithetic pairs"),
        (net(), task, {"shared_stream": True}, "leave one of them out"),
        (Committee(65, 1, key=jax.random.key(0)), Task(Gaussian(65, 2.0), Gaussian(65, 1.0)), {}, "up to 64 units on 64 sites"),
    ]
    for network, data, more, words in cases:
        with pytest.raises(UserError, match=words):
            run(network, data, **{"batch_size": 8, **more})
