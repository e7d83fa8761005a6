"""Moments of the nonlinear Gaussian process against quadrature."""

import numpy as np
import pytest
import scipy.special
from scipy import integrate

from gatefield.theory import nlgp


@pytest.mark.parametrize("gain", [0.3, 1.0, 3.0, 20.0])
@pytest.mark.parametrize("rho", [-0.9, -0.3, 0.0, 0.5, 0.99, 1.0])
def test_half_gate_mean_by_quadrature(gain, rho):
    def conditional(z):
        slope = gain * rho / np.sqrt(1 + 2 * gain**2 * (1 - rho**2))
        return scipy.special.erf(slope * z) * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)

    def square(z):
        return scipy.special.erf(gain * z) ** 2 * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)

    points = [1 / gain, 5 / gain]
    mean = integrate.quad(conditional, 0, 12, points=points, epsabs=1e-14, epsrel=1e-13)[0]
    variance = 2 * integrate.quad(square, 0, 12, points=points, epsabs=1e-14, epsrel=1e-13)[0]
    assert nlgp.half_gate_mean(rho, gain) == pytest.approx(mean / np.sqrt(variance), rel=1e-10, abs=1e-14)
    assert nlgp.variance(gain) == pytest.approx(variance, rel=1e-10)


@pytest.mark.parametrize(("gain", "limit"), [(0.0, 0.3 / np.sqrt(2 * np.pi)), (np.inf, np.arcsin(0.3) / np.pi)])
def test_limits_of_the_gain(gain, limit):
    assert nlgp.half_gate_mean(0.3, gain) == pytest.approx(limit, rel=1e-14)


def test_small_gains_lose_no_precision():
    assert nlgp.half_gate_mean(0.3, 1e-9) == pytest.approx(0.3 / np.sqrt(2 * np.pi), rel=1e-14)
