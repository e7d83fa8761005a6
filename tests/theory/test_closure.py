"""The conditional-Gaussian closure: the amplifier against quadrature and its limits, the drift against reference values."""

import json
from pathlib import Path

import jax
import numpy as np
import pytest
from scipy import special
from scipy.linalg import circulant

from gatefield.data import NonlinearGP, ring_correlation
from gatefield.ledger.routes import squashed
from gatefield.theory import closure, nlgp, relu

VALUES = {v["name"]: v for v in json.loads((Path(__file__).parents[1] / "reference/values.json").read_text())["values"]}
INSIDE = np.array([1e-5, 0.1, 0.5, 0.599999, 0.600001, 0.8, 0.97, 0.999, 1 - 1e-7])
SIZES = np.unique(np.append(INSIDE, np.arange(1, 41) / 40))
A = np.concatenate([-SIZES[::-1], [0.0], SIZES, [1 + 1e-9]])
GAINS = np.array([0.0, 0.01, 0.5, 1.0, 3.0, 100.0, np.inf])


@pytest.fixture(scope="module")
def table():
    """The amplifier for all A and GAINS, by one call."""
    return closure.amplifier(A[:, None], GAINS)


@pytest.mark.parametrize("gain", GAINS[1:-1])
def test_amplifier_by_quadrature(table, gain):
    values = table[np.isin(A, INSIDE), gain == GAINS]
    np.testing.assert_allclose(values, [squashed.amplifier(a, gain) for a in INSIDE], rtol=1e-10)


def test_reference_value(table):
    case = VALUES["closure_amplifier_a0.5_g0.01"]
    value = table[np.searchsorted(A, case["inputs"]["a"]), case["inputs"]["g"] == GAINS]
    assert value == pytest.approx(case["expected"], rel=1e-11)


def test_limits_of_the_gain(table):
    inside = abs(A) < 1
    np.testing.assert_allclose(table[inside, 0], A[inside] / np.sqrt(2 * np.pi), rtol=1e-13)
    c = A[inside] / np.sqrt((1 - A[inside]) * (1 + A[inside]))
    np.testing.assert_allclose(table[inside, -1], special.erf(c / np.sqrt(2)) / 2, rtol=1e-13)


def test_limits_of_the_correlation(table):
    np.testing.assert_allclose(table[-2], nlgp.half_gate_mean(1.0, GAINS), rtol=1e-13)
    np.testing.assert_array_equal(table[-1], table[-2])
    np.testing.assert_array_equal(table[A == 0], 0)


def test_amplifier_is_increasing_and_odd(table):
    between = np.append(np.diff(A) > 0, False) & (abs(A) < 0.998)
    assert (np.diff(table, axis=0)[between[:-1]] > 0).all()
    np.testing.assert_allclose(table[:-1], -table[-2::-1], atol=1e-16)


@pytest.mark.parametrize("x64", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_slopes(x64):
    a, gain = (g.ravel() for g in np.meshgrid([-1.0, -0.6, 0.0, 0.5, 1.0], [0.0, 0.7, 3.0, 1e20, np.inf]))
    with jax.enable_x64(x64):
        in_a, in_gain = (np.asarray(d) for d in jax.jit(jax.vmap(jax.grad(closure.amplifier, argnums=(0, 1))))(a, gain))
    assert np.isfinite(in_a).all()
    assert np.isfinite(in_gain).all()
    step = 1e-4 * np.array([1, -1, 0, 0])
    values = closure.amplifier(0.5 + step, np.array([3.0, 3.0, 0.7, 0.7]) + step[::-1])
    assert in_a[(a == 0.5) & (gain == 3.0)] == pytest.approx((values[0] - values[1]) / 2e-4, rel=1e-5)
    assert in_gain[(a == 0.5) & (gain == 0.7)] == pytest.approx((values[3] - values[2]) / 2e-4, rel=1e-4)
    at_one = nlgp.variance(3.0) ** 0.5 / (6 * np.sqrt(2))
    np.testing.assert_allclose(in_a[(abs(a) == 1.0) & (gain == 3.0)], at_one, rtol=1e-5)


def test_expansion_has_its_next_order_at_the_fifth_power():
    sizes, gains = np.array([0.04, 0.08, 0.04, 0.08]), np.array([0.5, 0.5, 3.0, 3.0])
    expansion = closure.expansion(sizes, [nlgp.excess_kurtosis(gain) for gain in gains])
    rest = closure.amplifier(sizes, gains) - expansion
    np.testing.assert_allclose(rest[1::2] / rest[::2], 32, rtol=0.03)
    assert (abs(rest) < 1e-2 * abs(expansion - sizes / np.sqrt(2 * np.pi))).all()


def test_drift_reference_values():
    case = VALUES["closure_f_ring_bump"]
    n, xi, gain, sites = (case["inputs"][k] for k in ("n", "xi", "g", "idx"))
    distance = np.minimum(abs(np.arange(n) - 20), n - abs(np.arange(n) - 20))
    value = closure.drift(np.exp(-(distance**2) / 8), NonlinearGP(n, xi, gain).covariance(), gain)
    np.testing.assert_allclose(value[sites], case["expected"], rtol=1e-11)


W = np.array([1.0, -0.4, 0.3, 0.1, 2.0])


def test_drift_is_exact_for_gaussian_data():
    root = np.random.default_rng(0).normal(size=(5, 5))
    cov = root @ root.T  # variances are not one
    np.testing.assert_allclose(closure.drift(W, cov, 0.0), relu.gate_mean(W, cov), rtol=1e-12)
    assert not closure.drift(W - W.mean(), np.ones((5, 5)), 3.0).round(15).any()  # the field sees nothing


def test_drift_does_not_depend_on_the_length_of_the_field():
    cov = circulant(nlgp.covariance(ring_correlation(5, 1.5), 3.0))
    expected = closure.amplifier(cov @ W / np.sqrt(W @ cov @ W), 3.0)
    for scale in (1e-300, 1e-160, 1e160, 1e300):
        np.testing.assert_allclose(closure.drift(scale * W, cov, 3.0), expected, rtol=1e-12)


def test_drift_and_slopes_of_short_and_long_fields_in_single_precision():
    cov, scales = circulant(nlgp.covariance(ring_correlation(5, 1.5), 3.0)), np.array([1e-20, 1.0, 1e20])
    both = jax.jit(jax.vmap(lambda w: (closure.drift(w, cov, 3.0), jax.jacfwd(lambda w: closure.drift(w, cov, 3.0))(w))))
    values, slopes = both(np.float32(scales[:, None] * W))
    np.testing.assert_allclose(values, np.tile(closure.drift(W, cov, 3.0), (3, 1)), atol=1e-6)
    steps = 1e-5 * np.eye(5)
    expected = np.stack([(closure.drift(W + h, cov, 3.0) - closure.drift(W - h, cov, 3.0)) / 2e-5 for h in steps], axis=1)
    np.testing.assert_allclose(slopes * scales[:, None, None], np.tile(expected, (3, 1, 1)), atol=1e-5)


@pytest.mark.parametrize("points", [65, 257])
def test_a_table_is_off_by_the_square_of_its_steps(table, points):
    """The largest error is that of gain infinity, about 1.28 over the square; at gain 0 straight lines are exact."""
    read = closure.tabulate(GAINS, points=points).values
    inside = (A >= -1) & (A <= 1)
    found = np.array([np.sign(A[inside]) * np.interp(abs(A[inside]), np.linspace(0, 1, points), row) for row in read]).T
    error = abs(found - table[inside]).max(axis=0) * points**2
    assert error[0] < 1e-9
    assert error.max() < 1.3


@pytest.mark.parametrize("gain", [0.0, 3.0, np.inf])
def test_velocity_is_that_of_the_drift(gain):
    """By the amplifier, written out; and from a table, for classes whose variances are not one too."""
    cov1, cov0 = (circulant(nlgp.covariance(ring_correlation(5, xi), gain)) for xi in (1.5, 0.7))
    expected = closure.amplifier(cov1 @ W / np.sqrt(W @ cov1 @ W), gain) / 2 - (cov1 + cov0) @ W / 4
    np.testing.assert_allclose(closure.velocity(W, cov1, cov0, gain), expected, rtol=1e-12, atol=1e-14)
    tabled = closure.tabulate(gain)
    np.testing.assert_allclose(closure.velocity(W, cov1, cov0, tabled), expected, atol=1e-7)
    np.testing.assert_allclose(closure.drift(W, 4 * cov1, tabled), closure.drift(W, 4 * cov1, gain), atol=4e-7)


def test_tables_of_many_gains_are_read_one_by_one():
    cov, gains = circulant(nlgp.covariance(ring_correlation(5, 1.5), 3.0)), np.array([0.5, np.inf])
    read = jax.vmap(closure.velocity, (None, None, None, 0))(W, cov, cov, closure.tabulate(gains))
    np.testing.assert_allclose(read, [closure.velocity(W, cov, cov, gain) for gain in gains], atol=1e-6)


def test_drift_is_not_a_gradient_unless_gaussian():
    cov = circulant(nlgp.covariance(ring_correlation(5, 1.5), 3.0))
    with jax.enable_x64(True):
        slope = jax.jit(jax.jacfwd(closure.drift))
        gaussian, squashed, at_zero = (np.asarray(slope(w, cov, g)) for w, g in ((W, 0.0), (W, 3.0), (0 * W, 3.0)))
    np.testing.assert_allclose(gaussian, gaussian.T, atol=1e-13)
    assert np.linalg.norm(squashed - squashed.T) > 0.01 * np.linalg.norm(squashed)
    assert np.isfinite(at_zero).all()
