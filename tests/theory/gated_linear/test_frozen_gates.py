"""Gated linear networks behind frozen gates, against least squares on the same inputs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield.data import NonlinearGP
from gatefield.theory import relu
from gatefield.theory.classes import EmpiricalClass, GaussianClass
from gatefield.theory.gated_linear import Mixture, frozen_limits, frozen_losses

FIELDS = np.array([[1.0, -0.5, 0.2], [0.3, 0.8, -1.0]])
SOURCES = [NonlinearGP(3, xi, 3.0) for xi in (1.0, 0.5)]
COVS = [np.asarray(NonlinearGP(3, xi, 0.01).covariance(), float) for xi in (1.0, 0.5)]


@pytest.fixture(scope="module")
def sampled():
    return Mixture(*(EmpiricalClass.draw(source, jax.random.key(i), 500) for i, source in enumerate(SOURCES)))


@pytest.fixture(scope="module")
def gaussian():
    return Mixture(*(GaussianClass(cov) for cov in COVS))


def design(fields, inputs):
    """Each input with both signs, behind each gate, over K."""
    both = np.concatenate([inputs, -inputs])
    gate = both @ fields.T > 0
    return (gate[:, :, None] * both[:, None, :]).reshape(len(both), -1) / len(fields)


def test_limit_and_loss_are_least_squares_on_the_sample(sampled):
    inputs = np.concatenate([design(FIELDS, np.asarray(one.x, float)) for one in sampled.classes])
    labels = np.repeat([1.0, 0.0], 1000)
    expected, *_ = np.linalg.lstsq(inputs, labels, rcond=None)
    found = frozen_limits(sampled, FIELDS[None], 0.1 * FIELDS[None])
    np.testing.assert_allclose(found.limit.ravel(), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found.limit_from_start, found.limit, atol=1e-8)
    error = 0.5 * np.mean((inputs @ expected - labels) ** 2)
    np.testing.assert_allclose(frozen_losses(sampled, FIELDS[None], found.limit), error, rtol=1e-5)


def test_shares_and_labels_count(sampled):
    """With labels (2, -1) and one input in four positive, by weighted least squares."""
    parts = [design(FIELDS, np.asarray(one.x, float)) for one in sampled.classes]
    inputs, labels, weights = np.concatenate(parts), np.repeat([2.0, -1.0], 1000), np.repeat([0.25, 0.75], 1000)
    root = np.sqrt(weights)
    expected, *_ = np.linalg.lstsq(root[:, None] * inputs, root * labels, rcond=None)
    other = Mixture(*sampled.classes, labels=(2.0, -1.0), proportion=0.25)
    found = frozen_limits(other, FIELDS[None], 0 * FIELDS[None]).limit
    np.testing.assert_allclose(found.ravel(), expected, rtol=1e-4, atol=1e-5)
    error = 0.5 * np.sum(weights * (inputs @ expected - labels) ** 2) / 1000
    np.testing.assert_allclose(frozen_losses(other, FIELDS[None], found), error, rtol=1e-5)


def test_a_single_gate_takes_half_the_covariance_of_the_law_and_several_take_the_sample(sampled):
    A, b = sampled.hard_moments(jnp.asarray(FIELDS[:1]))
    exact = sum(np.asarray(source.covariance(), float) for source in SOURCES) / 4
    np.testing.assert_allclose(A, exact, rtol=1e-6)
    x = np.asarray(sampled.classes[0].x, float)
    np.testing.assert_allclose(b, np.sign(x @ FIELDS[0]) @ x / 2 / len(x) / 2, atol=1e-6)  # labels (1, 0), equal shares
    both = jnp.asarray(FIELDS)
    for found, of_sample in zip(sampled.hard_moments(both), sampled.moments(both), strict=True):
        np.testing.assert_array_equal(found, of_sample)


@pytest.mark.slow
def test_gaussian_limit_is_the_sampled_one_within_noise(gaussian):
    exact = frozen_limits(gaussian, FIELDS[None], FIELDS[None]).limit
    rng, rows, labels = np.random.default_rng(0), [], []
    for cov, label in zip(COVS, (1.0, 0.0), strict=True):
        rows.append(design(FIELDS, rng.multivariate_normal(np.zeros(3), cov, 200_000)))
        labels.append(np.full(400_000, label))
    inputs, outputs = np.concatenate(rows), np.concatenate(labels)
    inverse = np.linalg.inv(inputs.T @ inputs)
    drawn = inverse @ (inputs.T @ outputs)
    spread = np.sqrt(2 * np.mean((outputs - inputs @ drawn) ** 2) * np.diag(inverse))  # mirror images count once
    assert np.all(np.abs(exact.ravel() - drawn) < 5 * spread)


def test_behind_its_own_gates_the_loss_is_that_of_the_relu_committee(gaussian):
    np.testing.assert_allclose(frozen_losses(gaussian, FIELDS[None], FIELDS[None])[0], relu.loss(FIELDS, *COVS), rtol=1e-12)


def test_redundant_gates_keep_the_difference_they_started_with(gaussian):
    """Two units behind one gate: only their sum is learned."""
    twins, start = np.stack([FIELDS[0], 2 * FIELDS[0]]), np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    found = frozen_limits(gaussian, twins[None], start[None])
    np.testing.assert_allclose(found.limit[0, 0], found.limit[0, 1], atol=1e-9)
    np.testing.assert_allclose(np.diff(found.limit_from_start[0], axis=0), np.diff(start, axis=0), atol=1e-9)
    np.testing.assert_allclose(found.limit_from_start.sum(1), found.limit.sum(1), atol=1e-9)
