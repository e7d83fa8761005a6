"""Gated linear networks behind frozen gates, against least squares on the same inputs."""

import jax
import numpy as np

from gatefield.data import NonlinearGP
from gatefield.experiments import frozen_gates as frozen
from gatefield.experiments.gates.gates_to_relu.verdicts import known_from

FIELDS = np.array([[1.0, -0.5, 0.2], [0.3, 0.8, -1.0]])


def design(fields, inputs):
    """Each input with both signs, behind each gate, over K."""
    both = np.concatenate([inputs, -inputs])
    gate = both @ fields.T > 0
    return (gate[:, :, None] * both[:, None, :]).reshape(len(both), -1) / len(fields)


def test_limit_and_loss_are_least_squares_on_the_sample():
    data = frozen.pair(3, 1.0, 0.5, 3.0, jax.random.key(0), 500)
    parts = [design(FIELDS, np.asarray(one.x, float)) for one in (data.positive, data.negative)]
    labels = np.repeat([1.0, 0.0], 1000)
    expected, *_ = np.linalg.lstsq(np.concatenate(parts), labels, rcond=None)
    found = frozen.solve(data, FIELDS[None], 0.1 * FIELDS[None])
    np.testing.assert_allclose(found.limit.ravel(), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found.limit_from_start, found.limit, atol=1e-8)
    error = 0.5 * np.mean((np.concatenate(parts) @ expected - labels) ** 2)
    np.testing.assert_allclose(frozen.loss(data, FIELDS[None], found.limit), error, rtol=1e-5)


def test_gaussian_limit_is_the_sampled_one_within_noise():
    exact = frozen.solve(frozen.pair(3, 1.0, 0.5, 0.01, jax.random.key(0), 1), FIELDS[None], FIELDS[None]).limit
    rng, rows, labels = np.random.default_rng(0), [], []
    for xi, label in ((1.0, 1.0), (0.5, 0.0)):
        cov = np.asarray(NonlinearGP(3, xi, 0.01).covariance(), float)
        rows.append(design(FIELDS, rng.multivariate_normal(np.zeros(3), cov, 200_000)))
        labels.append(np.full(400_000, label))
    inputs, outputs = np.concatenate(rows), np.concatenate(labels)
    inverse = np.linalg.inv(inputs.T @ inputs)
    sampled = inverse @ (inputs.T @ outputs)
    spread = np.sqrt(2 * np.mean((outputs - inputs @ sampled) ** 2) * np.diag(inverse))  # mirror images count once
    assert np.all(np.abs(exact.ravel() - sampled) < 5 * spread)


def test_known_from_counts_only_the_last_rise():
    time = np.array([0.0, 1.0, 10.0, 100.0])
    assert known_from(time, np.array([1.0, 0.2, 1.0, 1.0])) > 1.0
    assert known_from(time, np.array([0.0, 0.0, 0.0, 0.5])) == 100.0
    assert known_from(time, np.ones(4)) == 0.0
