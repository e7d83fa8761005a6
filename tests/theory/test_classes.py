"""Classes of inputs as gates see them: both kinds against each other and against sums over all inputs."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import UserError
from gatefield.core.precision import exact, real
from gatefield.data import Gaussian, Hypercube
from gatefield.theory import relu
from gatefield.theory.classes import EmpiricalClass, GaussianClass

RNG = np.random.default_rng(0)
COV = np.asarray(Gaussian(4, 1.0).covariance())
V, U = RNG.normal(size=(2, 3, 4))
POINTS = np.array(list(itertools.product([-1.0, 1.0], repeat=4)))


@exact
def drift(one, V):
    return one.drift(real(V))


@exact
def moments(one, V, width=None):
    return one.moments(real(V), None if width is None else real(width))


@exact
def forms(one, V, u, width=None):
    return one.forms(real(V), real(u), None if width is None else real(width))


def gated(V, x, width=None):
    """The gated inputs of all x and -x, by their definition."""
    x = np.concatenate([x, -x])
    h = x @ V.T
    scale = np.sqrt(np.mean(h**2, axis=0))
    gate = (1 + np.sign(h)) / 2 if width is None else 1 / (1 + np.exp(-h / (width * scale)))
    return (gate[:, :, None] * x[:, None, :]).reshape(len(x), -1)


@pytest.mark.parametrize("width", [None, 0.3])
def test_moments_of_a_sample_are_those_of_all_inputs_with_both_signs(width):
    x = RNG.normal(size=(50, 4)) ** 3
    one, all_ = EmpiricalClass(x), gated(V, x, width)
    first, second = moments(one, V, width)
    np.testing.assert_allclose(first, all_.mean(0), atol=1e-12)
    np.testing.assert_allclose(second, all_.T @ all_ / len(all_), atol=1e-12)
    projected = all_ @ U.ravel()
    np.testing.assert_allclose(forms(one, V, U, width), [projected.mean(), np.mean(projected**2)], rtol=1e-10)


def test_ties_count_one_half():
    """On the cube, for a direction that three in eight corners lie across."""
    direction = np.array([[1.0, 1.0, 1.0, 1.0]])
    h = POINTS @ direction[0]
    expected = ((h > 0) + 0.5 * (h == 0)) @ POINTS / len(POINTS)
    np.testing.assert_allclose(drift(EmpiricalClass(POINTS), direction)[0], expected, atol=1e-15)


def test_gaussian_moments_are_those_of_pairs_of_gates():
    one = GaussianClass(COV)
    first, second = moments(one, V)
    blocks = second.reshape(3, 4, 3, 4)
    for j, k in itertools.product(range(3), repeat=2):
        np.testing.assert_allclose(blocks[j, :, k], relu.gate_second_moment(V[j], V[k], COV), atol=1e-14)
    means = np.stack([relu.gate_mean(v, COV) for v in V])
    np.testing.assert_allclose(first.reshape(3, 4), means, rtol=1e-13)
    np.testing.assert_allclose(drift(one, V), means, rtol=1e-13)
    np.testing.assert_allclose(forms(one, V, U), [first @ U.ravel(), U.ravel() @ second @ U.ravel()], rtol=1e-12)


@pytest.mark.slow
def test_a_large_sample_has_the_moments_of_its_law():
    source = Gaussian(4, 1.0)
    drawn = EmpiricalClass.draw(source, jax.random.key(0), 100_000)
    np.testing.assert_array_equal(drawn.covariance(), source.covariance())
    exact_first, exact_second = moments(GaussianClass(COV), V)
    all_ = gated(V, np.asarray(drawn.x, float))
    first, second = moments(drawn, V)
    assert np.all(np.abs(first - exact_first) < 5 * all_.std(0) / np.sqrt(100_000))
    spread = np.sqrt(np.maximum((all_**2).T @ (all_**2) / len(all_) - second**2, 0) / 100_000)
    assert np.all(np.abs(second - exact_second) < 6 * spread)


def test_a_larger_sample_begins_with_the_smaller_one():
    small, large = (EmpiricalClass.draw(Hypercube(3, 1.0), jax.random.key(1), size).x for size in (100, 9000))
    assert (len(small), len(large)) == (100, 9000)
    np.testing.assert_array_equal(large[:100], small)


def test_without_a_covariance_it_is_that_of_the_sample():
    x = jnp.asarray(RNG.normal(size=(30, 4)), jnp.float32)
    np.testing.assert_allclose(EmpiricalClass(x).covariance(), np.asarray(x).T @ np.asarray(x) / 30, rtol=1e-5)


def test_classes_are_of_one_run():
    with pytest.raises(UserError, match="a source of one run"):
        EmpiricalClass.draw(Hypercube(3, [1.0, 2.0]), jax.random.key(0), 10)
