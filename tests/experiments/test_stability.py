"""The flow with a linear pathway against the gradient of a loss, the sampled Jacobian against a closed form, and matching."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield.data import NonlinearGP
from gatefield.experiments.gates.stability.flow import sampled, spectrum, velocity
from gatefield.experiments.gates.stability.simulate import Settings
from gatefield.experiments.gates.stability.students import TEACHERS, match, teacher_fields

N = 5
RANDOM = np.random.default_rng(0)
W, V = RANDOM.normal(size=(2, N))


def both_signs(scale):
    """A sample that is exactly symmetric about zero, and far from Gaussian."""
    half = np.sign(RANDOM.normal(size=(40, N))) * RANDOM.uniform(size=(40, N)) @ scale
    return np.concatenate([half, -half])


def test_velocity_is_minus_the_gradient_of_the_loss():
    x1, x0 = both_signs(RANDOM.normal(size=(N, N))), both_signs(np.eye(N))

    def loss(w, v):
        out = [jnp.maximum(x @ w, 0) + x @ v for x in (x1, x0)]
        return 0.25 * (jnp.mean((out[0] - 1) ** 2) + jnp.mean(out[1] ** 2))

    with jax.enable_x64(True):
        expected = [-np.asarray(g) for g in jax.grad(loss, (0, 1))(jnp.asarray(W), jnp.asarray(V))]
    drift = ((x1 @ W > 0)[:, None] * x1).mean(0)
    total = x1.T @ x1 / len(x1) + x0.T @ x0 / len(x0)
    for found, gradient in zip(velocity(W, V, drift, total), expected, strict=True):
        np.testing.assert_allclose(found, gradient, rtol=1e-12)


def test_a_trained_pathway_doubles_the_field():
    """The rest without a pathway, w = 2 f / S, is one with v = -w/2 at twice the length; with v frozen, w + v is."""
    drift, total = RANDOM.normal(size=N), np.diag(RANDOM.uniform(0.5, 2.0, size=N))
    w = 2 * np.linalg.solve(total, drift)
    for field, pathway in [(w, 0 * w), (2 * w, -w), (w - V, V)]:
        np.testing.assert_allclose(velocity(field, pathway, drift, total)[0], 0.0, atol=1e-14)
    np.testing.assert_allclose(velocity(2 * w, -w, drift, total)[1], 0.0, atol=1e-14)


@pytest.fixture(scope="module")
def nearly_gaussian():
    source = NonlinearGP(N, 1.0, gain=1e-3)
    return source, sampled(source, np.stack([W, 3 * W]), jax.random.key(0), 400_000, 0.1)


def test_sampled_drift_and_jacobian_on_gaussian_data(nearly_gaussian):
    """There the drift is a/sqrt(2 pi) with a = S w/s, s^2 = w.S w, and its Jacobian (S - a a')/(s sqrt(2 pi))."""
    source, found = nearly_gaussian
    cov = source.covariance()
    s = np.sqrt(W @ cov @ W)
    a = cov @ W / s
    for values, expected in [
        (found.drift[:, 0], a / np.sqrt(2 * np.pi)),
        (found.jacobian[:, 0], (cov - np.outer(a, a)) / (s * np.sqrt(2 * np.pi))),
    ]:
        error = values.std(0, ddof=1) / np.sqrt(len(values))
        wide = 0.1**2 * np.abs(expected).max()  # a Gaussian edge of width b changes densities by b^2/2 relative
        assert np.abs(values.mean(0) - expected).max() < 6 * error.max() + wide


def test_longer_fields_have_flatter_drifts(nearly_gaussian):
    _, found = nearly_gaussian
    np.testing.assert_allclose(found.drift[:, 1], found.drift[:, 0], atol=1e-6)
    np.testing.assert_allclose(found.jacobian[:, 1], found.jacobian[:, 0] / 3, rtol=1e-3, atol=1e-5)


def test_spectrum_of_the_pathway_is_that_of_the_whole_flow():
    """By finite differences of the velocity with a drift that is linear in w."""
    slope = RANDOM.normal(size=(N, N))
    slope, total = slope + slope.T, np.eye(N) + np.ones((N, N))
    flow = lambda z: np.concatenate(velocity(z[:N], z[N:], slope @ z[:N], total))  # noqa: E731
    jacobian = np.stack([flow(e) for e in np.eye(2 * N)], axis=1)
    for pathway, part in [(True, jacobian), (False, jacobian[:N, :N])]:
        found = spectrum(np.stack([slope] * 3), total, pathway=pathway)
        np.testing.assert_allclose(found.values, np.sort(np.linalg.eigvals(part).real)[::-1], atol=1e-10)
        assert found.error == pytest.approx(0.0, abs=1e-12)


def test_the_hypercube_has_a_flat_drift():
    found = sampled(NonlinearGP(N, 1.0, np.inf), W[None], jax.random.key(0), 800, 0.1)
    np.testing.assert_array_equal(found.jacobian, 0.0)


def test_match_is_the_best_of_all_pairings():
    teacher, student = RANDOM.normal(size=(2, 6)), RANDOM.normal(size=(3, 6))
    cosine = [[t @ s / np.sqrt(t @ t * (s @ s)) for s in student] for t in teacher]
    best = max(itertools.permutations(range(3), 2), key=lambda own: sum(cosine[i][j] for i, j in enumerate(own)))
    own, found = match(teacher, student)
    assert tuple(own) == best
    np.testing.assert_allclose(found, [cosine[i][j] for i, j in enumerate(best)])


@pytest.mark.parametrize("kind", TEACHERS)
def test_teachers_have_unit_length_and_a_seed(kind):
    fields = teacher_fields(kind, 40, 4, seed=1)
    np.testing.assert_allclose((fields**2).sum(1), 1.0)
    np.testing.assert_array_equal(fields, teacher_fields(kind, 40, 4, seed=1))
    assert abs(fields - teacher_fields(kind, 40, 4, seed=2)).max() > 0.01


def test_students_smaller_than_the_teacher():
    with pytest.raises(ValueError, match=r"students must have at least as many units as the teacher, 4, but one has 2; give"):
        Settings(students=(2, 8))
