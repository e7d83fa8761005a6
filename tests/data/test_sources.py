"""The contract of a source, over all of them. A new source is one line in `SOURCES`."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatefield._runs import run_count
from gatefield.data import (
    Algebraic,
    Elliptical,
    Gaussian,
    GaussianClone,
    Hypercube,
    Ising,
    Marginal,
    NonlinearGP,
    Shell,
    SinglePulse,
    StudentT,
)

N, CHUNK, CHUNKS = 7, 50_000, 8

# name -> source made of a length scale, a number in [0, 1] and a boundary; the first two may carry a run axis.
SOURCES = {
    "gaussian": lambda xi, shape, boundary: Gaussian(N, xi, boundary=boundary),
    "nonlinear": lambda xi, shape, boundary: NonlinearGP(N, xi, 3 * shape, boundary=boundary),
    "hypercube": lambda xi, shape, boundary: Hypercube(N, xi, boundary=boundary),
    "uniform": lambda xi, shape, boundary: Marginal(N, xi, "uniform", boundary=boundary),
    "laplace": lambda xi, shape, boundary: Marginal(N, xi, "laplace", boundary=boundary),
    "algebraic": lambda xi, shape, boundary: Marginal(N, xi, Algebraic(6 + 4 * shape), boundary=boundary),
    "exponential": lambda xi, shape, boundary: Marginal(N, xi, exponential, boundary=boundary),
    "ising": lambda xi, shape, boundary: Ising(N, 4 * shape - 2 + 0 * xi, boundary=boundary),
    "pulse": lambda xi, shape, boundary: SinglePulse(N, (2, 5), centre=boundary == "line"),
    "flipped pulse": lambda xi, shape, boundary: SinglePulse(N, (1, 2), complement=True, centre=boundary == "line"),
    "student": lambda xi, shape, boundary: Elliptical(N, xi, StudentT(9 + 20 * shape), boundary=boundary),
    "laplace radius": lambda xi, shape, boundary: Elliptical(N, xi, "laplace", boundary=boundary),
    "gaussian radius": lambda xi, shape, boundary: Elliptical(N, xi, "gaussian", boundary=boundary),
    "sphere": lambda xi, shape, boundary: Elliptical(N, xi, "sphere", boundary=boundary),
    "shell": lambda xi, shape, boundary: Elliptical(N, xi, Shell(0.1 + shape), boundary=boundary),
    "clone": lambda xi, shape, boundary: GaussianClone(NonlinearGP(N, xi, 3 * shape, boundary=boundary)),
    "pulse clone": lambda xi, shape, boundary: GaussianClone(SinglePulse(N, (2, 5))),
}
every_source = pytest.mark.parametrize("name", SOURCES)


def exponential(u):
    return -jnp.log1p(-u)


def one(name, boundary="ring"):
    return SOURCES[name](1.3, 0.6, boundary)


def mostly_equal(a, b):
    """Equal but for rounding, which may flip a sign now and then."""
    wrong = np.abs(np.asarray(a) - np.asarray(b)) > 1e-3 * (1 + np.abs(b))
    return wrong.mean() < 2e-3


@eqx.filter_jit
def sample_moments(source, mean, key):
    """Mean of x and of the products of centred sites, and the mean squares of both."""
    draw = source.sampler()

    def add(total, key):
        y = draw(key, CHUNK) - mean
        squares = y**2
        new = (
            y,
            squares,
            jnp.matmul(y.T, y, precision="highest") / CHUNK,
            jnp.matmul(squares.T, squares, precision="highest") / CHUNK,
        )
        new = (new[0].mean(axis=0), new[1].mean(axis=0), new[2], new[3])
        return jax.tree.map(lambda a, b: a + b / CHUNKS, total, new), None

    zeros = (jnp.zeros(N), jnp.zeros(N), jnp.zeros((N, N)), jnp.zeros((N, N)))
    return jax.lax.scan(add, zeros, jax.random.split(key, CHUNKS))[0]


def worst_deviation(found, expected, square):
    """The largest deviation in standard errors, but for rounding."""
    error = np.sqrt(np.maximum(np.asarray(square, np.float64) - np.asarray(found, np.float64) ** 2, 0) / (CHUNK * CHUNKS))
    return np.max((np.abs(found - expected) - 2e-5) / (error + 1e-12))


@every_source
@settings(max_examples=3, derandomize=True, deadline=None)
@given(xi=st.floats(0.3, 6.0), shape=st.floats(0.0, 1.0), boundary=st.sampled_from(["ring", "line"]))
def test_samples_have_the_stated_moments(name, xi, shape, boundary):
    source = SOURCES[name](xi, shape, boundary)
    mean, covariance = source.mean(), source.covariance()
    first, squares, products, product_squares = sample_moments(source, mean, jax.random.key(1))
    assert worst_deviation(first, 0.0, squares) < 5
    assert worst_deviation(products, covariance, product_squares) < 5


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
@pytest.mark.parametrize("boundary", ["ring", "line"])
def test_covariance_is_symmetric_and_positive(name, boundary):
    matrix = one(name, boundary).covariance()
    assert (matrix.shape, matrix.dtype) == ((N, N), np.float64)
    np.testing.assert_array_equal(matrix, matrix.T)
    assert np.linalg.eigvalsh(matrix).min() > -1e-13
    if boundary == "ring" or "pulse" in name:
        np.testing.assert_array_equal(matrix, np.roll(matrix, (1, 1), axis=(0, 1)))


@every_source
def test_jit_agrees_with_plain_calls(name):
    source, key = one(name), jax.random.key(0)
    assert mostly_equal(jax.jit(lambda s, k: s.sample(k, 300))(source, key), source.sample(key, 300))
    np.testing.assert_allclose(jax.jit(lambda s: s.covariance())(source), source.covariance(), atol=3e-6)
    np.testing.assert_allclose(jax.jit(lambda s: s.mean())(source), source.mean(), atol=1e-6)


@every_source
@pytest.mark.parametrize("boundary", ["ring", "line"])
def test_a_run_axis_is_the_same_as_single_runs(name, boundary):
    xis, shapes, key = np.array([0.5, 1.3, 4.0]), np.array([0.0, 0.6, 1.0]), jax.random.key(0)
    many = SOURCES[name](xis, shapes, boundary)
    if run_count(many) is None:
        pytest.skip("this source has no parameters with a run axis")
    singles = [SOURCES[name](xi, shape, boundary) for xi, shape in zip(xis, shapes, strict=True)]
    assert many.covariance().dtype == np.float64
    np.testing.assert_allclose(many.covariance(), np.stack([s.covariance() for s in singles]), atol=1e-12)
    np.testing.assert_allclose(many.mean(), np.stack([s.mean() for s in singles]), atol=1e-14)
    assert mostly_equal(many.sample(key, 300), np.stack([s.sample(key, 300) for s in singles]))


@every_source
def test_x64_gives_doubles(name):
    plain = one(name).covariance()
    with jax.enable_x64(True):
        source = one(name)
        x = source.sample(jax.random.key(0), 50)
        assert x.dtype == np.float64
        assert np.isfinite(x).all()
        np.testing.assert_allclose(source.covariance(), plain, atol=1e-13)


@pytest.mark.parametrize("build", [Gaussian, functools.partial(NonlinearGP, gain=1.0), Hypercube])
def test_errors_name_value_rule_and_fix(build):
    with pytest.raises(ValueError, match=r"n must be a whole number of at least 1, but is 2\.5\."):
        build(2.5, xi=1.0)
    with pytest.raises(ValueError, match=r"xi must be a positive, finite length scale in sites, but is 0; give such a value\."):
        build(4, xi=0.0)
    with pytest.raises(ValueError, match=r"Unknown boundary 'rign': did you mean 'ring'\? There are: line, ring\."):
        build(4, xi=1.0, boundary="rign")
    with pytest.raises(ValueError, match=r"size must be a whole number of at least 1, but is 0\."):
        build(4, xi=1.0).sample(jax.random.key(0), 0)


def test_errors_of_the_gain_and_the_clone():
    with pytest.raises(ValueError, match=r"gain must be zero or more \('inf' is the hypercube\), but is -1"):
        NonlinearGP(4, 1.0, gain=-1.0)
    with pytest.raises(ValueError, match=r"gain must be .*, but is nan"):
        NonlinearGP(4, 1.0, gain=[1.0, np.nan])
    with pytest.raises(ValueError, match=r"source must be a source, such as Hypercube\(40, xi=2\.0\), but is 3\."):
        GaussianClone(3)


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
