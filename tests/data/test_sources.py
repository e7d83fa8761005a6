"""The contract of a source, over all of them: samples, moments, runs, precision."""

import functools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from every_source import SOURCES, N, every_source, one
from hypothesis import given, settings
from hypothesis import strategies as st

from gatefield.core.runs import run_count
from gatefield.data import Gaussian, GaussianClone, Hypercube, NonlinearGP, SinglePulse

CHUNK, CHUNKS = 50_000, 8


def quick_key(seed):
    """A key of the kind that compiles fastest."""
    return jax.random.key(seed, impl="rbg")


def mostly_equal(a, b):
    """Equal but for rounding, which may flip a sign now and then."""
    wrong = np.abs(np.asarray(a) - np.asarray(b)) > 1e-3 * (1 + np.abs(b))
    return wrong.mean() < 2e-3


@eqx.filter_jit
def sample_moments(source, mean, key):
    """Means of the centred sites, of their squares, of their products and of the squares of those."""
    draw = source.sampler()

    def add(total, key):
        y = draw(key, CHUNK) - mean
        y1, y2 = y, y**2
        products = [jnp.matmul(a.T, a, precision="highest") / CHUNK for a in (y1, y2)]
        new = (y1.mean(axis=0), y2.mean(axis=0), *products)
        return jax.tree.map(lambda a, b: a + b / CHUNKS, total, new), None

    zeros = (jnp.zeros(N), jnp.zeros(N), jnp.zeros((N, N)), jnp.zeros((N, N)))
    return jax.lax.scan(add, zeros, jax.random.split(key, CHUNKS))[0]


def worst_deviation(found, expected, square):
    """The largest deviation in standard errors, but for rounding."""
    error = np.sqrt(np.maximum(np.asarray(square, np.float64) - np.asarray(found, np.float64) ** 2, 0) / (CHUNK * CHUNKS))
    return np.max((np.abs(found - expected) - 2e-5) / (error + 1e-12))


@pytest.mark.costly
@every_source
def test_samples_have_the_stated_moments(name):
    assert_stated_moments(name, 1.7, 0.4)


@pytest.mark.slow
@every_source
@settings(max_examples=3, derandomize=True, deadline=None)
@given(xi=st.floats(0.3, 6.0), shape=st.floats(0.0, 1.0))
def test_samples_have_the_stated_moments_at_any_parameters(name, xi, shape):
    assert_stated_moments(name, xi, shape)


def assert_stated_moments(name, xi, shape):
    source = SOURCES[name](xi, shape)
    mean, covariance = source.mean(), source.covariance()
    first, squares, products, product_squares = sample_moments(source, mean, quick_key(1))
    assert worst_deviation(first, 0.0, squares) < 5
    assert worst_deviation(products, covariance, product_squares) < 5


@pytest.mark.costly
@every_source
def test_samples_are_finite_floats_of_the_stated_shape(name):
    source, key = one(name), jax.random.key(0)
    x = source.sample(key, 300)
    assert (source.n, x.shape, x.dtype) == (N, (300, N), np.float32)
    assert np.isfinite(x).all()
    np.testing.assert_array_equal(x, source.sample(key, 300))
    np.testing.assert_array_equal(x, source.sampler()(key, 300))
    assert not np.array_equal(x, source.sample(jax.random.key(1), 300))


@every_source
def test_covariance_is_symmetric_and_positive(name):
    matrix = one(name).covariance()
    assert (matrix.shape, matrix.dtype) == ((N, N), np.float64)
    np.testing.assert_array_equal(matrix, matrix.T)
    assert np.linalg.eigvalsh(matrix).min() > -1e-13
    if "line" not in name:
        np.testing.assert_array_equal(matrix, np.roll(matrix, (1, 1), axis=(0, 1)))


@pytest.mark.costly
@every_source
def test_jit_and_runs_are_the_same_as_plain_calls(name):
    xis, shapes, key = np.array([0.5, 1.3, 4.0]), np.array([0.0, 0.6, 1.0]), quick_key(0)
    many = SOURCES[name](xis, shapes)
    singles = [SOURCES[name](xi, shape) for xi, shape in zip(xis, shapes, strict=True)]
    if run_count(many) is None:  # nothing in this source can differ between runs
        many, singles = one(name), [one(name)]
    samples = jax.jit(lambda source: source.sample(key, 300))(many)
    assert mostly_equal(samples.reshape(-1, 300, N), np.stack([s.sample(key, 300) for s in singles]))
    exact = np.stack([s.covariance() for s in singles])
    np.testing.assert_allclose(many.covariance().reshape(-1, N, N), exact, atol=1e-13)
    np.testing.assert_allclose(many.mean().reshape(-1, N), np.stack([s.mean() for s in singles]), atol=1e-14)


@pytest.mark.parametrize("name", ["nonlinear", "algebraic", "ising", "pulse clone"])
def test_moments_under_jit(name):
    source = one(name)
    covariance, mean = jax.jit(lambda s: (s.covariance(), s.mean()))(source)
    assert covariance.dtype == mean.dtype == np.float32
    np.testing.assert_allclose(covariance, source.covariance(), atol=3e-6)
    np.testing.assert_allclose(mean, source.mean(), atol=1e-6)


@pytest.mark.costly
@every_source
def test_x64_gives_doubles(name):
    plain = one(name).covariance()
    with jax.enable_x64(True):
        source = one(name)
        assert jax.eval_shape(lambda key: source.sample(key, 50), jax.random.key(0)).dtype == np.float64
        np.testing.assert_allclose(source.covariance(), plain, atol=1e-13)


@pytest.mark.parametrize("name", ["nonlinear", "student"])
def test_x64_draws_are_finite(name):
    with jax.enable_x64(True):
        assert np.isfinite(one(name).sample(jax.random.key(0), 50)).all()


@pytest.mark.wrong_types
@pytest.mark.parametrize("build", [Gaussian, functools.partial(NonlinearGP, gain=1.0), Hypercube])
def test_errors_name_value_rule_and_fix(build):
    with pytest.raises(ValueError, match=r"n must be a whole number of at least 1, but is 2\.5; write for instance n=40\."):
        build(2.5, xi=1.0)
    with pytest.raises(
        ValueError, match=r"xi must be a positive, finite length scale in sites, but is 0; write for instance xi=2\."
    ):
        build(4, xi=0.0)
    with pytest.raises(ValueError, match=r"Unknown boundary 'rign': did you mean 'ring'\? There are: line, ring\."):
        build(4, xi=1.0, boundary="rign")
    with pytest.raises(ValueError, match=r"size must be a whole number of at least 1, but is 0; write for instance size=100\."):
        build(4, xi=1.0).sample(jax.random.key(0), 0)


@pytest.mark.wrong_types
def test_errors_of_the_gain_and_the_clone():
    wrong: Any = 3
    with pytest.raises(ValueError, match=r"gain must be zero or more \('inf' is the hypercube\), but is -1"):
        NonlinearGP(4, 1.0, gain=-1.0)
    with pytest.raises(ValueError, match=r"gain must be .*, but is nan"):
        NonlinearGP(4, 1.0, gain=[1.0, np.nan])
    with pytest.raises(ValueError, match=r"source must be a source, such as Hypercube\(40, xi=2\.0\), but is 3\."):
        GaussianClone(wrong)


def test_one_gain_axis_from_gaussian_to_signs():
    gains = np.array([0.0, 1e-30, 0.01, 3.0, 1e20, np.inf])
    x = np.asarray(NonlinearGP(N, 2.0, gains).sample(jax.random.key(0), 1000))
    z = np.asarray(Gaussian(N, 2.0).sample(jax.random.key(0), 1000))
    assert np.isfinite(x).all()
    np.testing.assert_allclose(x[0], z, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(x[1], z, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(x[2], z, rtol=2e-3)
    np.testing.assert_array_equal(x[5], np.where(z < 0, -1, 1))
    np.testing.assert_allclose(x[4], x[5], rtol=1e-6)
    np.testing.assert_array_equal(x[5], Hypercube(N, 2.0).sample(jax.random.key(0), 1000))


def test_covariance_at_the_ends_of_the_gain_axis():
    matrices = NonlinearGP(N, 2.0, [0.0, np.inf]).covariance()
    np.testing.assert_array_equal(matrices[0], Gaussian(N, 2.0).covariance())
    np.testing.assert_allclose(matrices[1], Hypercube(N, 2.0).covariance(), rtol=1e-15)


def test_the_sampler_draws_without_double_precision():
    text = str(jax.make_jaxpr(lambda key: Gaussian(40, 2.0).sample(key, 1000))(jax.random.key(0)))
    assert "f64" not in text
    assert text.count("dot_general") == 1


def test_a_clone_keeps_mean_and_covariance_of_every_run():
    source = NonlinearGP(5, [1.0, 2.0], [0.5, np.inf])
    clone = GaussianClone(source)
    np.testing.assert_array_equal(clone.covariance(), source.covariance())
    np.testing.assert_allclose(clone.factor @ clone.factor, source.covariance(), atol=1e-14)
    assert GaussianClone(SinglePulse(8, (2, 2))).mean() == pytest.approx(np.full(8, 0.25))
