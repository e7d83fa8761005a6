"""Moments of the nonlinear Gaussian process against quadrature, exact series and reference values."""

import json
from fractions import Fraction
from math import factorial, prod
from pathlib import Path

import jax
import numpy as np
import pytest
import scipy.special

from gatefield.ledger.routes import gaussian, squashed
from gatefield.theory import nlgp

VALUES = {v["name"]: v for v in json.loads((Path(__file__).parents[1] / "reference/values.json").read_text())["values"]}


@pytest.mark.parametrize("gain", [0.3, 1.0, 3.0, 20.0])
def test_half_gate_mean_by_quadrature(gain):
    assert nlgp.variance(gain) == pytest.approx(squashed.deviation(gain) ** 2, rel=1e-10)
    for rho in [-0.9, -0.3, 0.0, 0.5, 0.99, 1.0]:
        slope = gain * rho / np.sqrt(1 + 2 * gain**2 * (1 - rho**2))  # of the mean of erf(gain Z_2) given Z_1
        mean = squashed.mean(lambda z, slope=slope: (z > 0) * scipy.special.erf(slope * z), max(gain, abs(slope)))
        assert nlgp.half_gate_mean(rho, gain) == pytest.approx(mean / squashed.deviation(gain), rel=1e-10, abs=1e-14)


@pytest.mark.parametrize(("gain", "limit"), [(0.0, 0.3 / np.sqrt(2 * np.pi)), (np.inf, np.arcsin(0.3) / np.pi)])
def test_limits_of_the_gain(gain, limit):
    assert nlgp.half_gate_mean(0.3, gain) == pytest.approx(limit, rel=1e-14)


def test_small_and_large_gains_lose_no_precision():
    assert nlgp.half_gate_mean(0.3, 1e-9) == pytest.approx(0.3 / np.sqrt(2 * np.pi), rel=1e-14)
    gain = 1e6  # 1/2 - 1/(sqrt 2 pi g) over Z = 1 - 1/(pi g), to first order
    assert nlgp.half_gate_mean(1.0, gain) == pytest.approx(0.5 - (np.sqrt(0.5) - 0.5) / (np.pi * gain), rel=1e-11)


@pytest.mark.parametrize("name", [n for n in VALUES if n.startswith(("Z_gain", "nlgp_cov", "erf_cov", "erf_norm", "Syx"))])
def test_reference_values(name):
    inputs, expected = VALUES[name]["inputs"], VALUES[name]["expected"]
    gain, rho = inputs["g"], inputs.get("r", inputs.get("rho"))
    value = {
        "Z_gain": lambda: nlgp.variance(gain) ** 0.5,
        "erf_norm": lambda: nlgp.variance(gain),
        "Syx": lambda: nlgp.half_gate_mean(rho, gain) / 2,
    }.get(next((p for p in ("Z_gain", "erf_norm", "Syx") if name.startswith(p)), ""), lambda: nlgp.covariance(rho, gain))
    assert value() == pytest.approx(expected, rel=1e-11)


def test_kurtosis_by_quadrature():
    gains = [0.299, 0.301, 0.5, 1.0, 3.0, 30.0, 1000.0]
    np.testing.assert_allclose(nlgp.excess_kurtosis(gains), [squashed.kurtosis(gain) for gain in gains], rtol=1e-10)


@pytest.mark.parametrize("gain", [Fraction(1, 10**6), Fraction(1, 1000), Fraction(1, 50)])
def test_kurtosis_of_small_gains_in_rational_numbers(gain):
    terms = [(2 * k + 1, Fraction((-1) ** k) * gain ** (2 * k) / (factorial(k) * (2 * k + 1))) for k in range(7)]
    series = np.zeros(14, dtype=object)
    for power, coefficient in terms:
        series[power] = coefficient
    square = np.convolve(series, series)

    def moment(polynomial):
        return sum(c * prod(range(1, k, 2)) for k, c in enumerate(polynomial) if k % 2 == 0)

    exact = moment(np.convolve(square, square)) / moment(square) ** 2 - 3
    assert nlgp.excess_kurtosis(float(gain)) == pytest.approx(float(exact), rel=1e-12)


def test_kurtosis_at_the_ends():
    values = [nlgp.excess_kurtosis(gain) for gain in (0.0, 1e-20, 1e20, np.inf)]
    np.testing.assert_allclose(values, [0.0, -8e-40, -2.0, -2.0], rtol=1e-14)


@pytest.mark.parametrize("x64", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_slopes_are_finite(x64):
    rho, gain = (g.ravel() for g in np.meshgrid([-1.0, 0.0, 0.5, 1.0], [0.0, 1e-12, 0.3, 3.0, 1e30, np.inf]))
    with jax.enable_x64(x64):
        assert np.isfinite(jax.jit(jax.vmap(jax.grad(nlgp.half_gate_mean, argnums=(0, 1))))(rho, gain)).all()
        slopes = jax.jit(jax.vmap(jax.grad(nlgp.excess_kurtosis)))(gain)
    assert np.isfinite(slopes).all()
    step = 1e-4
    by_step = (nlgp.excess_kurtosis(3 + step) - nlgp.excess_kurtosis(3 - step)) / (2 * step)
    assert slopes[12] == pytest.approx(by_step, rel=1e-4)


def drift_in_the_plane(w, rho, gain):
    """E[1(w.x > 0) x] by panels in the plane: z_2 outside, z_1 from the gate's edge on inside (|w_1| >= |w_2|)."""

    def panels(cuts):
        return gaussian.panels(np.array(sorted(cuts)), 24)

    ratio, width, total = w[1] / w[0], np.sqrt(1 - rho**2), np.zeros(2)
    bends = [-6 / gain, -2 / gain, -0.7 / gain, 0.0, 0.7 / gain, 2 / gain, 6 / gain]
    for z, outer in zip(*panels([*(b for b in bends if abs(b) < 9), -3.0, -1.0, 1.0, 3.0, -10.0, 10.0]), strict=True):
        edge = -ratio * z if abs(ratio) == 1 else scipy.special.erfinv(-ratio * scipy.special.erf(gain * z)) / gain
        mean = rho * z
        top = max(mean + 12 * width, edge + 1e-9)
        u, inner = panels(np.clip([edge, top, *bends, mean - 8 * width, mean - 3 * width, mean, mean + 3 * width], edge, top))
        mass = outer * inner * np.exp(-(z**2) / 2 - (u - mean) ** 2 / (2 * width**2)) / (2 * np.pi * width)
        total += [np.sum(mass * scipy.special.erf(gain * u)), np.sum(mass) * scipy.special.erf(gain * z)]
    return total / np.sqrt(2 / np.pi * np.arcsin(2 * gain**2 / (1 + 2 * gain**2)))


@pytest.mark.parametrize(
    ("w", "rho", "gain"),
    [
        ((1.0, 0.5), 0.6, 0.2),
        ((1.0, -0.97), -0.6, 3.0),
        ((1.0, 0.3), 0.99, 50.0),
        ((1.0, -0.9), 0.99, 3.0),
        ((1.0, 1.0), 0.9, 3.0),
        ((1.0, 0.0), 0.5, 1.0),
    ],
)
def test_pair_drift_by_quadrature_in_the_plane(w, rho, gain):
    expected = drift_in_the_plane(w, rho, gain)
    np.testing.assert_allclose(nlgp.pair_drift(w, rho, gain), expected, atol=1e-10)
    np.testing.assert_allclose(nlgp.pair_drift([-w[1], -w[0]], rho, gain), -expected[::-1], atol=1e-10)


FULL = np.array([[1.0, 0.5], [1.0, 0.0], [1.0, -0.5], [1.0, -0.99], [1.0, 1.0], [1.0, -1.0]])


def with_slopes(rho, gain):
    """Drifts of the fields FULL, and their slopes in the weights and in rho."""

    def both(w, rho):
        value = nlgp.pair_drift(w, rho, gain)
        return value, value

    def each(w):
        (in_w, in_rho), value = jax.jacfwd(both, argnums=(0, 1), has_aux=True)(w, rho)
        return value, in_w, in_rho

    return jax.jit(jax.vmap(each))(FULL)


def test_pair_drift_at_full_correlation():
    """Both sites are one. Just below, f_2 loses phi(0) X'(0) (1 - rho)/(1 + r)^2 and f_1 r^2 times it, with r = w_2/w_1."""
    gain, ratio = 3.0, FULL[:-1, 1]
    with jax.enable_x64(True):
        values, in_w, in_rho = (np.asarray(part) for part in with_slopes(1.0, gain))
    np.testing.assert_allclose(values[:-1], nlgp.half_gate_mean(1.0, gain), rtol=1e-13)
    np.testing.assert_allclose(in_w[:-1], 0, atol=1e-12)
    lost = np.sqrt(2) / np.pi * gain / nlgp.variance(gain) ** 0.5 / (1 + ratio) ** 2
    np.testing.assert_allclose(in_rho[:-1], np.stack([ratio**2 * lost, lost], axis=1), rtol=1e-9)
    np.testing.assert_allclose(values[-1], 0, atol=1e-15)  # the weights cancel; their slopes are infinite
    assert np.isfinite(in_w).all()
    assert np.isfinite(in_rho).all()


def test_pair_drift_near_and_at_the_ends_of_the_correlation():
    size, gain = nlgp.half_gate_mean(1.0, 3.0), 3.0
    np.testing.assert_allclose(nlgp.pair_drift([1.0, 0.5], -1.0, gain), [size, -size], rtol=1e-13)
    lost = 1e-9 * np.sqrt(2) / np.pi * gain / nlgp.variance(gain) ** 0.5 / 0.25
    np.testing.assert_allclose(size - nlgp.pair_drift([1.0, -0.5], 1 - 1e-9, gain), [lost / 4, lost], atol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("rho", [1.0, -1.0, 0.5])
def test_slopes_of_two_sites_are_finite_in_single_precision(rho):
    for gain in (0.0, 3.0, np.inf):
        assert all(np.isfinite(part).all() for part in with_slopes(rho, gain))


@pytest.mark.parametrize("name", [n for n in VALUES if n.startswith("f_erf_n2")])
def test_pair_drift_reference_values(name):
    inputs = VALUES[name]["inputs"]
    np.testing.assert_allclose(
        nlgp.pair_drift(inputs["w"], inputs["rho"], inputs["g"]), VALUES[name]["expected"], atol=VALUES[name]["atol"]
    )


def test_pair_drift_at_the_ends_of_the_gain():
    w, rho = np.array([-0.4, 1.3]), 0.3
    cov = np.array([[1.0, rho], [rho, 1.0]])
    np.testing.assert_allclose(nlgp.pair_drift(w, rho, 0.0), cov @ w / np.sqrt(2 * np.pi * w @ cov @ w), rtol=1e-12)
    np.testing.assert_allclose(nlgp.pair_drift(w, rho, np.inf), [np.arcsin(rho) / np.pi, 0.5], rtol=1e-12)
    np.testing.assert_allclose(nlgp.pair_drift([1.0, 1.0], rho, np.inf), 0.25 + np.arcsin(rho) / (2 * np.pi), rtol=1e-12)
