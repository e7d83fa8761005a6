"""The flow with a linear pathway against the gradient of a loss, and the sampled Jacobian against a closed form."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import UserError
from gatefield.data import Hypercube, NonlinearGP
from gatefield.theory.neuron import pathway_velocity, sampled_jacobian, velocity_spectrum

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
    for found, gradient in zip(pathway_velocity(W, V, drift, total), expected, strict=True):
        np.testing.assert_allclose(found, gradient, rtol=1e-12)


def test_a_trained_pathway_doubles_the_field():
    """The steady state without a pathway, w = 2 f / S, is one with v = -w/2 at twice the length; with v frozen, w + v is."""
    drift, total = RANDOM.normal(size=N), np.diag(RANDOM.uniform(0.5, 2.0, size=N))
    w = 2 * np.linalg.solve(total, drift)
    for field, pathway in [(w, 0 * w), (2 * w, -w), (w - V, V)]:
        np.testing.assert_allclose(pathway_velocity(field, pathway, drift, total)[0], 0.0, atol=1e-14)
    np.testing.assert_allclose(pathway_velocity(2 * w, -w, drift, total)[1], 0.0, atol=1e-14)


def test_ties_that_rounding_hides_count_one_half():
    """Tenths of 3, 4 and 7: in float32 their signed sum is 6e-8."""
    whole = np.array([[3.0, 4.0, 7.0]])
    drifts = [sampled_jacobian(Hypercube(3, 1.0), w, jax.random.key(0), samples=80).drift for w in (whole, 0.1 * whole)]
    np.testing.assert_array_equal(*drifts)


@pytest.fixture(scope="module")
def nearly_gaussian():
    source = NonlinearGP(N, 1.0, gain=1e-3)
    return source, sampled_jacobian(source, np.stack([W, 3 * W]), jax.random.key(0), samples=400_000, width=0.1)


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
    flow = lambda z: np.concatenate(pathway_velocity(z[:N], z[N:], slope @ z[:N], total))  # noqa: E731
    jacobian = np.stack([flow(e) for e in np.eye(2 * N)], axis=1)
    for pathway, part in [(True, jacobian), (False, jacobian[:N, :N])]:
        found = velocity_spectrum(np.stack([slope] * 3), total, pathway=pathway)
        np.testing.assert_allclose(found.values, np.sort(np.linalg.eigvals(part).real)[::-1], atol=1e-10)
        assert found.largest.value == found.values[0]
        assert found.largest.error == pytest.approx(0.0, abs=1e-12)


def test_the_error_of_the_largest_rate_is_that_of_the_mean_over_parts():
    """Parts that differ by multiples of the identity shift all rates alike."""
    shifts = RANDOM.normal(size=8)
    found = velocity_spectrum(shifts[:, None, None] * np.eye(N), np.eye(N))
    assert found.largest.error == pytest.approx(np.std(shifts / 2, ddof=1) / np.sqrt(8))


def test_many_runs_at_once_are_refused():
    with pytest.raises(UserError, match="must be of one run"):
        sampled_jacobian(NonlinearGP(N, 1.0, gain=[1.0, 2.0]), [W], jax.random.key(0), samples=80)
