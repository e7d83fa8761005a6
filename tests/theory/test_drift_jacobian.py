"""The Jacobian of the drift: against quadrature, differences, samples behind a narrow gate, and what it must obey."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import UserError
from gatefield.data import GaussianClone, Hypercube, Ising, Marginal, NonlinearGP, SinglePulse
from gatefield.ledger.routes import rings, squashed
from gatefield.theory import drift, drift_jacobian, nlgp

KEY = jax.random.key(0)
W = np.array([0.9, -0.37, 0.21, 1.3, -0.55, 0.4])


def lines(source, w):
    return drift_jacobian(source, w, method="sampled", key=KEY, samples=1_024, with_error=True)


def differences(function, w, step=1e-5):
    return np.stack([(function(w + step * e) - function(w - step * e)) / (2 * step) for e in np.eye(len(w))], -1)


@pytest.mark.slow
def test_smooth_laws_have_the_differences_of_the_drift():
    source = GaussianClone(SinglePulse(6, (1, 3)))
    found = drift_jacobian(source, W, with_error=True)
    assert (found.method, found.error.max()) == ("closed", 0.0)
    np.testing.assert_allclose(found.value, differences(lambda w: drift(source, w), W), atol=1e-9)


@pytest.mark.parametrize("gain", [0.05, 3.0])
def test_one_site_by_quadrature(gain):
    found = drift_jacobian(NonlinearGP(6, 1.5, gain), [-2.0, 0, 0, 0, 0, 0], with_error=True)
    assert found.method == "closed"
    for j, k in [(1, 1), (1, 2), (2, 5)]:
        expected = squashed.behind_one_site(rings.ring(6, 1.5), gain, j, k) / 2
        assert found.value[j, k] == pytest.approx(expected, rel=1e-7)
    np.testing.assert_array_equal(found.value[0], 0.0)


@pytest.mark.parametrize("w", [[0.3, -1.2], [-1.0, 0.99]])
@pytest.mark.parametrize("gain", [0.5, 8.0])
def test_two_sites_have_the_differences_of_the_drift(w, gain):
    source, w = NonlinearGP(2, 1.0, gain, boundary="line"), np.array(w)
    found = drift_jacobian(source, w, with_error=True)
    assert found.method == "exact"
    expected = differences(lambda v: nlgp.pair_drift(v, np.exp(-1.0), gain), w)
    np.testing.assert_allclose(found.value, expected, rtol=1e-4 if gain == 8 else 1e-6, atol=1e-8)


def test_two_equal_weights_are_infinitely_steep_from_some_gain_on():
    """z_1 = -z_2 on the edge, with density exp(-z^2/(1 - rho)), against a slope exp(-g^2 z^2) of x."""
    edge = 1 / np.sqrt(1 - np.exp(-1.0))
    below, above = (drift_jacobian(NonlinearGP(2, 1.0, f * edge, boundary="line"), [1.0, 1.0]) for f in (0.99, 1.01))
    assert np.isfinite(below).all()
    assert np.isinf(above).all()
    near = drift_jacobian(NonlinearGP(2, 1.0, 0.7, boundary="line"), np.array([[1.0, 1.0], [1.0, 1 - 1e-7]]))
    np.testing.assert_allclose(*near, rtol=1e-5)


@pytest.mark.parametrize("gain", [0.01, 3.0])
def test_lines_agree_with_a_grid(gain):
    w = np.array([1.0, -0.5, 0.3])
    found = lines(NonlinearGP(3, 1.5, gain), w)
    expected = squashed.three_sites(w, rings.ring(3, 1.5), gain)
    assert (found.error < 0.03).all()
    assert found.agrees(expected).all()
    assert abs(found.value @ w).max() < 1e-6


def test_lines_agree_with_what_needs_none():
    source, w = NonlinearGP(3, 1.5, 3.0), [0.0, -2.0, 0.0]
    found = lines(source, w)
    assert (abs(found.value - drift_jacobian(source, w)) < 4 * found.error + 1e-7).all()


def test_lines_agree_with_differences_of_a_large_sample():
    """Two drifts of the same inputs: those between both gates are the slope."""
    gain, step = 3.0, 0.05
    x = squashed.samples(rings.ring(6, 1.5), gain, 400_000)
    turn = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    moved = ((x @ (W + step * turn) > 0).astype(float) - (x @ (W - step * turn) > 0))[:, None] * x / (2 * step)
    found = lines(NonlinearGP(6, 1.5, gain), W)
    error = np.hypot(moved.std(0) / np.sqrt(len(x)), found.error[:, 1])
    assert (error < 0.03).all()
    assert (abs(moved.mean(0) - found.value[:, 1]) < 5 * error).all()


@pytest.mark.slow
def test_symmetries_and_many_fields_at_once():
    source = NonlinearGP(6, 1.5, [1.0, 3.0, np.inf])
    found = lines(source, np.stack([W, -2 * W])).value
    assert found.shape == (3, 2, 6, 6)
    np.testing.assert_allclose(found, np.swapaxes(found, -1, -2), atol=1e-12)
    assert np.linalg.eigvalsh(found).min() > -1e-9
    np.testing.assert_allclose(found[1, 0], lines(NonlinearGP(6, 1.5, 3.0), W).value, rtol=1e-6)
    np.testing.assert_allclose(found[:, 0], 2 * found[:, 1], atol=0.2)
    np.testing.assert_array_equal(found[2], 0.0)


def test_the_drift_of_signs_is_flat_but_for_ties():
    tie = np.array([1.0, 1.0, 1.0, 1.0, 1.0, -1.0])
    for source in (Hypercube(6, 1.5), Ising(6, 0.4), NonlinearGP(6, 1.5, np.inf)):
        np.testing.assert_array_equal(drift_jacobian(source, W), np.zeros((6, 6)))
        assert np.isnan(drift_jacobian(source, tie)).all()
    np.testing.assert_array_equal(drift_jacobian(Hypercube(20, 1.5), np.arange(20.0)), np.zeros((20, 20)))


@pytest.mark.slow
def test_under_jit_and_with_nan():
    source = NonlinearGP(6, 1.5, 2.0)
    run = jax.jit(lambda w: drift_jacobian(source, w, key=KEY, samples=1_024))
    found = lines(source, W)  # other random numbers in another precision
    assert (abs(run(jnp.asarray(W, jnp.float32)) - found.value) < 7 * found.error).all()
    assert np.isnan(run(jnp.full(6, jnp.nan, jnp.float32))).all()


@pytest.mark.parametrize(
    ("source", "given", "text"),
    [
        (Marginal(6, 1.5, "uniform"), {}, "Marginal data is not known; take theory.neuron.sampled_jacobian"),
        (NonlinearGP(6, 1.5, 2.0), {}, "is sampled; give a key"),
        (NonlinearGP(6, 1.5, 2.0), {"method": "closed"}, "'closed' does not apply .* use 'sampled'"),
        (NonlinearGP(6, 1.5, 2.0), {"method": "closure"}, "method must be one of|method"),
        (NonlinearGP(5, 1.5, 2.0), {"key": KEY}, "one entry for each of the 5 sites"),
    ],
)
def test_what_it_refuses(source, given, text):
    with pytest.raises(UserError, match=text):
        drift_jacobian(source, W, **given)


def test_a_sampled_one_cannot_be_differentiated():
    with pytest.raises(UserError, match="cannot be differentiated"):
        jax.grad(lambda w: drift_jacobian(NonlinearGP(6, 1.5, 2.0), w, key=KEY, samples=8)[0, 0])(jnp.asarray(W))
