"""Characteristic functions against enumeration, samples and cumulants, and what they must obey."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import UserError
from gatefield.data import Elliptical, Finite, Gaussian, GaussianClone, Hypercube, Ising, Marginal, NonlinearGP, SinglePulse
from gatefield.theory import characteristic, nlgp

KEY = jax.random.key(0)
W = np.array([0.9, -0.37, 0.21, 1.3, -0.55, 0.4])
SITE = np.eye(6)[1] * -1.7
KNOWN = {
    "clone with mean": (GaussianClone(SinglePulse(6, (1, 3))), W, "closed"),
    "laplace": (Elliptical(6, 1.5, "laplace"), W, "closed"),
    "ising": (Ising(20, 0.6), np.resize(W, 20) / 3, "exact"),
    "pulse": (SinglePulse(6, (1, 3)), W, "exact"),
    "cube": (Hypercube(5, [1.0, 1.5]), W[:5], "exact"),
    "independent sites": (NonlinearGP(6, 0.1, 1.0), W, "exact"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_plain_averages_agree(name):
    source, w, method = KNOWN[name]
    found = characteristic(source, w, with_error=True)
    assert found.method == method
    assert found.value.dtype == np.complex128
    h = np.asarray(source.sample(jax.random.key(3), 20_000), float) @ w
    wave = np.exp(1j * h)
    assert (abs(wave.mean(-1) - found.value) < 5 * wave.std(-1) / np.sqrt(20_000)).all()


@pytest.mark.parametrize("boundary", ["ring", "line"])
@pytest.mark.parametrize("coupling", [0.7, -0.4])
def test_the_transfer_matrix_sums_over_all_states(boundary, coupling):
    source = Ising(5, coupling, boundary=boundary)
    points, chances = source.support()
    np.testing.assert_allclose(characteristic(source, W[:5]), chances @ np.exp(1j * points @ W[:5]), atol=1e-14)


def test_finite_laws_are_summed():
    points, chances = np.array([[1.0, 0.0], [0.5, -2.0]]), np.array([0.3, 0.7])
    expected = 0.3 * np.exp(0.9j) + 0.7 * np.exp(1j * (0.45 + 0.74))
    assert characteristic(Finite(points, chances), W[:2]) == pytest.approx(expected, abs=1e-15)


def test_signs_of_one_site_and_of_independent_ones():
    assert characteristic(Hypercube(30, 2.0), np.eye(30)[4] * 0.8) == pytest.approx(np.cos(0.8), abs=1e-12)
    assert characteristic(Hypercube(6, 0.1), W) == pytest.approx(np.prod(np.cos(W)), abs=1e-12)


@pytest.mark.parametrize("gain", [0.3, 3.0])
def test_the_logarithm_departs_by_the_kurtosis(gain):
    t = 0.02
    value = characteristic(NonlinearGP(6, 1.5, gain), t * np.eye(6)[0]).real
    assert 24 / t**4 * (np.log(value) + t**2 / 2) == pytest.approx(float(nlgp.excess_kurtosis(gain)), rel=2e-3)


@pytest.mark.parametrize(
    "source", [Marginal(6, 1.5, "uniform"), GaussianClone(SinglePulse(6, (1, 3)))], ids=["marginal", "clone"]
)
def test_sampling(source):
    fields = np.stack([W, 0 * W, SITE])
    found = characteristic(source, fields, method="sampled", key=KEY, samples=20_000, with_error=True)
    wave = np.exp(1j * np.asarray(source.sample(jax.random.key(5), 20_000), float) @ fields.T)
    error = np.hypot(found.error, wave.std(0) / np.sqrt(20_000))
    assert (abs(found.value - wave.mean(0)) <= 5 * error).all()
    assert found.value[1] == pytest.approx(1.0, abs=1e-12)
    if source.symmetric:
        np.testing.assert_array_equal(found.value.imag, 0.0)


def test_the_other_sign_is_the_conjugate_and_many_fields_go_at_once():
    source = SinglePulse(6, (1, 3))
    plus, minus, zero = characteristic(source, [W, -W, 0 * W])
    np.testing.assert_allclose(plus, np.conj(minus), atol=1e-15)
    assert zero == pytest.approx(1.0)
    assert plus == pytest.approx(complex(characteristic(source, W)), abs=1e-15)


@pytest.mark.slow
def test_under_jit_and_its_derivative():
    """The derivative at 0 is i times the mean."""
    source = SinglePulse(3, (1, 2))
    slope = jax.jacfwd(lambda w: characteristic(source, w).imag)(jnp.zeros(3))
    np.testing.assert_allclose(slope, source.mean(), atol=1e-6)
    assert jnp.isnan(jax.jit(lambda w: characteristic(Ising(3, 0.5), w))(jnp.array([jnp.nan, 0.0, 0.0])))


@pytest.mark.parametrize(
    ("source", "given", "text"),
    [
        (NonlinearGP(6, 1.5, 2.0), {}, "is sampled; give a key"),
        (Elliptical(6, 1.5, "sphere"), {"method": "closed"}, "'closed' does not apply .* use 'sampled'"),
        (Gaussian(5, 1.5), {}, "one entry for each of the 5 sites"),
    ],
)
def test_what_it_refuses(source, given, text):
    with pytest.raises(UserError, match=text):
        characteristic(source, W, **given)
