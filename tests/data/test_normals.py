"""Standard normal numbers: bits against published and other implementations, the law against scipy, and what they hang on."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.random import threefry_2x32
from scipy import stats

from gatefield.core.tracing.vectors import wide_jit
from gatefield.data import Elliptical, Gaussian
from gatefield.data.numerics import normal
from gatefield.data.numerics.normals import threefry

KEY = jax.random.key(7)
MANY = 2**22
ONES = 0xFFFFFFFF


@pytest.fixture(scope="module")
def sample():
    """Numbers of one key, as pairs of a block; float64."""
    return np.asarray(normal(KEY, (MANY // 2, 2)), float)


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((ONES, ONES), (ONES, ONES), (0x1CB996FC, 0xBB002BE7)),
        ((0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_known_answers_of_threefry(counter, key, words):
    """The vectors that are published with Random123 (kat_vectors, threefry2x32 20)."""
    found = threefry(*(jnp.uint32(word) for word in (*key, *counter)))
    assert tuple(int(word) for word in found) == words


@pytest.mark.parametrize("shape", [(1,), (7,), (33, 5), (500, 40)])
def test_numbers_are_box_and_muller_of_the_blocks(shape):
    """Blocks of JAX's own Threefry, and the formula in float64."""
    size = int(np.prod(shape))
    blocks = (size + 1) // 2
    counters = jnp.concatenate([jnp.arange(blocks, dtype=jnp.uint32), jnp.zeros(blocks, jnp.uint32)])
    first, second = np.asarray(threefry_2x32(jax.random.key_data(KEY), counters)).reshape(2, -1)
    u = ((first >> 1).astype(np.float32) + np.float32(0.5)).astype(float) / 2**31
    angle = np.pi / 2 * ((second << 2).astype(np.int32) / 2**32)  # within an eighth of a turn
    swapped, negative = second >> 31 == 1, second >> 30 & 1 == 1
    angle = np.where(swapped, np.pi / 2 - angle, angle) + np.pi * negative
    z = np.sqrt(-2 * np.log(u)) * np.exp(1j * angle)
    expected = np.stack([z.real, z.imag], axis=1).ravel()[:size].reshape(shape)
    found = np.asarray(normal(KEY, shape), float)
    assert np.max(np.abs(found - expected) / np.maximum(1, np.abs(expected))) < 3e-7


def test_moments(sample):
    """Each within five standard errors of a normal sample."""
    flat = sample.ravel()
    for power, moment in [(1, 0), (2, 1), (3, 0), (4, 3), (5, 0), (6, 15)]:
        error = np.sqrt(stats.norm.moment(2 * power) - moment**2) / np.sqrt(MANY)
        assert abs(np.mean(flat**power) - moment) < 5 * error, power


@pytest.mark.parametrize("word", [0, 1])
def test_law_of_each_word(sample, word):
    assert stats.kstest(sample[:, word], stats.norm.cdf).pvalue > 1e-3


def test_tails(sample):
    """Counts in bins as narrow as they are rare, and none beyond what 31 bits can give."""
    edges = np.array([-np.inf, -5, -4.5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 4.5, 5, np.inf])
    counts, expected = np.histogram(sample, edges)[0], MANY * np.diff(stats.norm.cdf(edges))
    merged = [np.append(c[1:-1], c[0] + c[-1]) for c in (counts, expected)]  # the last two, of one each, as one
    assert stats.chisquare(*merged, sum_check=False).pvalue > 1e-3
    assert np.abs(sample).max() < np.sqrt(2 * np.log(2.0**32))


def test_no_correlation(sample):
    """Of the two words of a block and of neighbours, as they are and squared; of runs whose keys are neighbours."""
    flat = sample.ravel()
    other = np.asarray(normal(jax.random.fold_in(KEY, 1), (MANY,)), float)
    next_one = np.asarray(normal(jax.random.fold_in(KEY, 2), (MANY,)), float)
    pairs = [sample.T, (flat[:-1], flat[1:]), (flat[:-40], flat[40:]), (other, next_one), (flat, other)]
    for first, second in pairs:
        for power in (1, 2, 3):
            assert abs(np.corrcoef(first**power, second**power)[0, 1]) < 5 / np.sqrt(len(first))


def test_larger_shapes_begin_with_smaller_ones():
    whole = np.asarray(normal(KEY, (513, 40))).ravel()
    for shape in [(1,), (3,), (512,), (512, 40), (7, 11, 13), (0, 4)]:
        found = np.asarray(normal(KEY, shape))
        assert (found.shape, found.dtype) == (shape, np.float32)
        np.testing.assert_array_equal(found.ravel(), whole[: found.size])


def test_batches_and_programs_change_no_bit():
    keys = jax.random.split(KEY, 3)
    expected = np.stack([normal(key, (100, 40)) for key in keys])
    np.testing.assert_array_equal(jax.vmap(lambda key: normal(key, (100, 40)))(keys), expected)
    twice = jax.vmap(jax.vmap(lambda key: normal(key, (100, 40))))(keys[None])
    np.testing.assert_array_equal(twice[0], expected)
    np.testing.assert_array_equal(wide_jit(lambda key: normal(key, (100, 40)))(keys[1]), expected[1])
    np.testing.assert_array_equal(jax.lax.map(lambda key: normal(key, (100, 40)), keys), expected)


def test_on_a_cpu_each_pair_is_made_once():
    """There is one square root in the program, not one for each reader of a pair."""
    for function in (lambda key: normal(key[0], (100, 40)), jax.vmap(lambda key: normal(key, (100, 40)))):
        text = jax.jit(function).lower(jax.random.split(KEY, 2)).compile().as_text()
        assert text.count(" sqrt(") == 1


def test_other_types_and_keys_are_those_of_jax():
    with jax.enable_x64(True):
        found = normal(KEY, (3, 2))
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, jax.random.normal(KEY, (3, 2)))
    other = jax.random.key(0, impl="rbg")
    np.testing.assert_array_equal(normal(other, (3, 2)), jax.random.normal(other, (3, 2)))


@pytest.mark.parametrize("make", [lambda xi: Gaussian(6, xi), lambda xi: Elliptical(6, xi, "laplace")])
def test_samples_have_derivatives(make):
    def total(xi):
        return jnp.sum(make(xi).sampler()(KEY, 50) ** 2)

    step = 1e-2
    slope = (total(1.5 + step) - total(1.5 - step)) / (2 * step)
    np.testing.assert_allclose(jax.grad(total)(1.5), slope, rtol=2e-2)
