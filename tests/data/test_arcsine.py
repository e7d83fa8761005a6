"""Moments of erf(g Z), against quadrature and their limits."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate, special

from gatefield import UserError
from gatefield.data.numerics import arcsine_covariance, gain_deviation, gain_variance


def variance_by_quadrature(gain):
    return (
        2
        * integrate.quad(lambda z: special.erf(gain * z) ** 2 * np.exp(-z * z / 2), 0, 12, points=[3 / gain])[0]
        / np.sqrt(2 * np.pi)
    )


def plain_covariance(rho, gain):
    kappa = 2 * gain**2 / (1 + 2 * gain**2)
    return np.arcsin(kappa * rho) / np.arcsin(kappa)


@pytest.mark.parametrize("gain", [0.3, 1.0, 3.0, 50.0])
def test_variance_is_that_of_erf(gain):
    assert float(gain_variance(gain)) == pytest.approx(variance_by_quadrature(gain), rel=1e-9)
    assert float(gain_deviation(gain)) == pytest.approx(np.sqrt(variance_by_quadrature(gain)), rel=1e-9)


def test_reference_values():
    assert float(gain_deviation(3.0)) == pytest.approx(0.8902451718237331, rel=1e-14)
    assert float(arcsine_covariance(0.3, 0.5)) == pytest.approx(0.2947514480474123, rel=1e-13)
    assert float(arcsine_covariance(0.3, 3.0)) == pytest.approx(0.23148831413602, rel=1e-13)
    assert float(arcsine_covariance(0.8, 100.0)) == pytest.approx(0.5940739467097033, rel=1e-13)


def test_limits_are_exact():
    rho = np.linspace(-1, 1, 21)
    for tiny in [0.0, 1e-300, 1e-20]:
        np.testing.assert_array_equal(arcsine_covariance(rho, tiny), rho)
    np.testing.assert_allclose(arcsine_covariance(rho, np.inf), 2 / np.pi * np.arcsin(rho), rtol=1e-15)
    np.testing.assert_array_equal(gain_variance(np.array([0.0, np.inf])), [0.0, 1.0])
    assert float(gain_deviation(1e-200)) == pytest.approx(2e-200 / np.sqrt(np.pi), rel=1e-15)
    assert float(gain_variance(1e-20)) == pytest.approx(4e-40 / np.pi, rel=1e-15)


@pytest.mark.parametrize("gain", [0.03, 0.0999, 0.1, 0.1001, 0.7, 10.0])
def test_branches_meet(gain):
    rho = np.array([-0.99, -0.2, 0.1, 0.5, 0.999])
    np.testing.assert_allclose(arcsine_covariance(rho, gain), plain_covariance(rho, gain), rtol=1e-12)


def test_no_cancellation_at_large_gain():
    gain, angle = 1e8, np.sqrt(2) / (np.sqrt(2) * 1e8)  # kappa = cos(angle) to leading order
    assert float(gain_variance(gain)) == pytest.approx(1 - 2 / np.pi * angle, abs=1e-15)
    assert float(arcsine_covariance(1.0, gain)) == 1.0


@pytest.mark.parametrize("gain", [0.05, 0.5, 3.0])
def test_slopes(gain):
    rho, step = 0.4, 1e-5
    with jax.enable_x64(True):
        in_rho, in_gain = jax.grad(arcsine_covariance, argnums=(0, 1))(rho, gain)
    assert float(in_rho) == pytest.approx(
        (plain_covariance(rho + step, gain) - plain_covariance(rho - step, gain)) / (2 * step), rel=1e-7
    )
    by_step = (plain_covariance(rho, gain + step) - plain_covariance(rho, gain - step)) / (2 * step)
    assert float(in_gain) == pytest.approx(by_step, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("x64", [False, True])
def test_slopes_at_the_edges_are_finite(x64):
    rho, gain = (grid.ravel() for grid in np.meshgrid([-1.0, -0.5, 0.0, 0.5, 1.0], [0.0, 1e-30, 0.1, 1e30, np.inf]))
    with jax.enable_x64(x64):
        slopes = jax.jit(jax.vmap(jax.grad(arcsine_covariance, argnums=(0, 1))))(rho, gain)
        assert np.isfinite(slopes).all()
        assert np.isfinite(jax.jit(jax.vmap(jax.grad(gain_deviation)))(gain)).all()
        assert np.isfinite(jax.jit(jax.vmap(jax.grad(gain_variance)))(gain)).all()


def test_slope_of_the_deviation_at_gain_zero():
    assert float(jax.grad(gain_deviation)(0.0)) == pytest.approx(2 / np.sqrt(np.pi), rel=1e-6)


def test_jit_and_vmap_over_the_gain():
    gains = jnp.array([0.0, 0.01, 1.0, 100.0, jnp.inf])
    single = [float(arcsine_covariance(0.3, float(gain))) for gain in gains]
    np.testing.assert_allclose(jax.jit(jax.vmap(lambda g: arcsine_covariance(0.3, g)))(gains), single, rtol=1e-5)
    assert arcsine_covariance(np.ones((2, 3)), np.ones(3)).shape == (2, 3)


@pytest.mark.wrong_types
@pytest.mark.parametrize("function", [gain_variance, gain_deviation, lambda gain: arcsine_covariance(0.3, gain)])
@pytest.mark.parametrize("gain", [-1.0, np.nan, [1.0, -0.5]])
def test_wrong_gains_are_one_sentence(function, gain):
    way_out = r"(write for instance gain=2|change its value at \[1\])\."
    with pytest.raises(UserError, match=r"gain must be zero or more \('inf' is the hypercube\), but is .*; " + way_out):
        function(gain)


def test_wrong_correlations_are_one_sentence():
    for rho in (1.01, np.nan, np.array([0.0, -1.5])):
        way_out = r"(write for instance rho=0\.5|change its value at \[1\])\."
        with pytest.raises(UserError, match="rho must be a correlation between -1 and 1, but is .*; " + way_out):
            arcsine_covariance(rho, 1.0)
    assert float(arcsine_covariance(np.float32(1 + 2e-7), 3.0)) == 1.0
    assert np.isfinite(jax.jit(gain_variance)(-1.0))
