"""The map from gate to limit field, against enumeration and closed forms."""

import itertools

import jax
import numpy as np
import pytest

from gatefield.data import NonlinearGP
from gatefield.experiments.fixed_sample import Law, law
from gatefield.experiments.gates.self_consistency import map as maps
from gatefield.experiments.gates.self_consistency.simulate import flat_limit

N = 5


@pytest.fixture(scope="module")
def cube():
    """Independent signs: the whole cube, which is its own mirror image, is the sample."""
    return Law(np.eye(N), np.array(list(itertools.product([-1.0, 1.0], repeat=N)), dtype=np.float32))


def gaussian(xi):
    return Law(np.asarray(NonlinearGP(N, xi, 0.0).covariance(), float), None)


def test_map_on_the_cube_is_the_mean_behind_the_gate(cube):
    fields = np.array([[3.0, 1, 1, 0.5, 0.2], [1, 1, 1, 0, 0], [1, -1, 0, 0, 0]])
    total = np.eye(N) + 0.5
    inputs = np.asarray(cube.x, float)
    gate = (inputs @ fields.T > 0) + 0.5 * (inputs @ fields.T == 0)
    expected = 2 * np.linalg.solve(total, (gate.T @ inputs / len(inputs)).T).T
    np.testing.assert_allclose(maps.evaluate(cube, total, fields).limit, expected, atol=1e-6)


def test_map_and_flow_share_rests_and_lower_the_loss(cube):
    starts = np.random.default_rng(0).standard_normal((3, N))
    total = np.eye(N) + 0.3
    path = maps.iterate(cube, total, starts, steps=40, tolerance=1e-9, room=60)
    assert np.diff(path.loss, axis=0).max() < 1e-6
    np.testing.assert_allclose(maps.evaluate(cube, total, path.end).limit, path.end, atol=1e-6)
    stays = maps.flow(cube, total, path.end, time=20.0, step=1.0, room=60).end
    np.testing.assert_allclose(stays, path.end, atol=1e-5)


def test_flow_follows_the_gradient():
    one, total = gaussian(1.0), gaussian(1.0).cov + gaussian(0.5).cov
    w, step = np.array([[0.5, -0.2, 0.3, 0.1, 0.4]]), 1e-5
    slope = [
        (maps.evaluate(one, total, w + shift).loss - maps.evaluate(one, total, w - shift).loss)[0] / (2 * step)
        for shift in step * np.eye(N)
    ]
    moved = maps.flow(one, total, w, time=1e-4, step=1e-4).end - w
    np.testing.assert_allclose(moved[0] / 1e-4, -np.asarray(slope), rtol=1e-3, atol=1e-6)


def test_flat_limit_is_that_of_the_map():
    cov0 = np.asarray(NonlinearGP(N, 0.5, np.inf).covariance(), float)
    one = law(NonlinearGP(N, 1.0, np.inf), jax.random.key(0), 4000)
    limit = maps.evaluate(one, one.cov + cov0, np.ones((1, N))).limit
    np.testing.assert_allclose(limit.mean(), flat_limit(one, one.cov + cov0).mean(), rtol=1e-5)
