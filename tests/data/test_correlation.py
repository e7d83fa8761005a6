"""The kernel on the ring and the line, against long sums and high-precision arithmetic."""

import math
from decimal import Decimal, getcontext

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatefield.data import fourier_basis, line_correlation, ring_correlation, ring_spectrum
from gatefield.data.numerics import field_factor, lag_correlation, symmetric_root

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")
cases = settings(max_examples=25, derandomize=True, deadline=None)
sizes = st.sampled_from([1, 2, 3, 8, 11, 40])


def long_sum(shift, rate, reach):
    """sum over integers p of exp(-(rate (p + shift))^2), in full."""
    return math.fsum(math.exp(-((rate * (p + shift)) ** 2)) for p in range(-reach, reach + 1))


def row_by_sum(n, xi):
    reach = 2 + int(40 * xi / n)
    row = np.array([long_sum(min(m, n - m) / n, n / xi, reach) for m in range(n)])
    return row / row[0]


def spectrum_by_sum(n, xi):
    modes = np.array([long_sum(min(k, n - k) / n, math.pi * xi, 2 + int(13 / xi)) for k in range(n)])
    return math.sqrt(math.pi) * xi * modes / long_sum(0, n / xi, 2 + int(40 * xi / n))


@cases
@given(sizes, st.floats(math.log(0.05), math.log(400.0)))
def test_ring_correlation_is_the_wrapped_sum(n, log_xi):
    xi = math.exp(log_xi)
    np.testing.assert_allclose(ring_correlation(n, xi), row_by_sum(n, xi), rtol=1e-12, atol=1e-300)


@cases
@given(sizes, st.floats(math.log(0.05), math.log(100.0)))
def test_ring_spectrum_is_the_poisson_sum(n, log_xi):
    xi = math.exp(log_xi)
    np.testing.assert_allclose(ring_spectrum(n, xi), spectrum_by_sum(n, xi), rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("xi", [0.3, 0.56, 0.57, 1.0, 2.0, 5.0, 10.0, 20.0])
def test_ring_spectrum_keeps_relative_accuracy_at_high_frequency(xi):
    getcontext().prec = 60
    n, scale = 40, PI * Decimal(xi)
    reach = range(-30, 31)
    zero = sum((-((Decimal(40 * p) / Decimal(xi)) ** 2)).exp() for p in reach)
    modes = [sum((-((scale * (Decimal(k) / n + q)) ** 2)).exp() for q in reach) for k in range(21)]
    exact = [float(PI.sqrt() * Decimal(xi) * mode / zero) for mode in modes]
    np.testing.assert_allclose(ring_spectrum(n, xi)[:21], exact, rtol=5e-13, atol=1e-300)


def test_reference_values():
    row = ring_correlation(40, 2.0)[[1, 5, 20]]
    np.testing.assert_allclose(row, [0.7788007830714049, 0.0019304541362277093, 7.440151952041672e-44], rtol=1e-13)
    modes = ring_spectrum(40, 10.0)[[0, 1, 5]]
    np.testing.assert_allclose(modes, [17.724534519787984, 9.564894143660636, 3.558017444443299e-06], rtol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("xi", [0.1, 1.3, 30.0])
def test_spectrum_and_row_are_a_fourier_pair(n, xi):
    row, modes = ring_correlation(n, xi), ring_spectrum(n, xi)
    assert row.dtype == modes.dtype == np.float64
    np.testing.assert_allclose(np.fft.fft(row).real, modes, atol=1e-13 * n)
    assert modes.sum() == pytest.approx(n, rel=1e-14)
    np.testing.assert_array_equal(modes[1:], modes[1:][::-1])
    np.testing.assert_array_equal(row[1:], row[1:][::-1])


@pytest.mark.parametrize("function", [ring_correlation, ring_spectrum, line_correlation])
def test_helpers_work_under_jit_vmap_and_grad(function):
    xis = np.array([0.05, 0.5, 0.57, 1.0, 3.0, 22.0, 23.0, 500.0])
    single = np.stack([function(9, xi) for xi in xis])
    batched = jax.jit(jax.vmap(lambda xi: function(9, xi)))(xis)
    np.testing.assert_allclose(batched, single, rtol=2e-4, atol=1e-30)
    slopes = jax.vmap(jax.jacfwd(lambda xi: function(9, xi)))(jnp.asarray(xis))
    assert np.isfinite(slopes).all()


@pytest.mark.parametrize("function", [ring_correlation, ring_spectrum, line_correlation])
def test_many_length_scales_at_once(function):
    xis = np.array([[0.3, 1.0, 40.0], [0.5, 2.0, 6.0]])
    expected = np.stack([[function(6, xi) for xi in row] for row in xis])
    np.testing.assert_allclose(function(6, xis), expected, rtol=1e-14)


def test_slope_in_the_length_scale():
    with jax.enable_x64(True):
        slope = jax.jacfwd(lambda xi: ring_spectrum(8, xi))(jnp.asarray(1.5))
    step = 1e-5
    np.testing.assert_allclose(slope, (spectrum_by_sum(8, 1.5 + step) - spectrum_by_sum(8, 1.5 - step)) / (2 * step), atol=1e-8)


def test_x64_and_plain_calls_agree():
    plain = ring_correlation(40, 2.0)
    with jax.enable_x64(True):
        np.testing.assert_allclose(ring_correlation(40, 2.0), plain, rtol=1e-15)


def test_line_correlation_has_no_wrap():
    site = np.arange(6)
    np.testing.assert_allclose(line_correlation(6, 1.7), np.exp(-(((site[:, None] - site) / 1.7) ** 2)), rtol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 13, 40])
def test_fourier_basis_is_orthonormal_and_diagonalises(n):
    basis, row = fourier_basis(n), ring_correlation(n, 1.2)
    np.testing.assert_allclose(basis.T @ basis, np.eye(n), atol=4e-15)
    matrix = np.stack([np.roll(row, i) for i in range(n)])
    modes = ring_spectrum(n, 1.2)[(np.arange(n) + 1) // 2]
    np.testing.assert_allclose(basis.T @ matrix @ basis, np.diag(modes), atol=1e-14)


def test_fourier_basis_columns_of_eight_sites():
    half, root = 0.5, 0.35355339059327373
    expected = [
        [root] * 8,
        [half, root, 0, -root, -half, -root, 0, root],
        [0, root, half, root, 0, -root, -half, -root],
        [half, 0, -half, 0, half, 0, -half, 0],
        [0, half, 0, -half, 0, half, 0, -half],
        [half, -root, 0, root, -half, root, 0, -root],
        [0, root, -half, root, 0, -root, half, -root],
        [root, -root, root, -root, root, -root, root, -root],
    ]
    np.testing.assert_allclose(fourier_basis(8).T, expected, atol=1e-15)


@pytest.mark.parametrize("boundary", ["ring", "line"])
@pytest.mark.parametrize("xi", [0.1, 2.0, 8.0, 60.0])
def test_factor_is_a_symmetric_root(boundary, xi):
    root = field_factor(12, xi, boundary)
    row = row_by_sum(12, xi) if boundary == "ring" else np.exp(-((np.arange(12) / xi) ** 2))
    matrix = np.array([[row[abs(i - j)] for j in range(12)] for i in range(12)])
    np.testing.assert_allclose(root @ root, matrix, atol=1e-13)
    np.testing.assert_allclose(root, root.T, atol=1e-15)
    np.testing.assert_allclose(lag_correlation(12, xi, boundary), row[: 7 if boundary == "ring" else 12], rtol=1e-12)


def test_root_of_a_singular_matrix():
    np.testing.assert_allclose(symmetric_root(np.ones((3, 3))), np.ones((3, 3)) / np.sqrt(3), atol=1e-7)


@pytest.mark.parametrize("function", [ring_correlation, ring_spectrum, line_correlation])
def test_errors(function):
    with pytest.raises(ValueError, match=r"n must be a whole number of at least 1, but is 0; write for instance n=40\."):
        function(0, 1.0)
    with pytest.raises(
        ValueError, match=r"xi must be a positive, finite length scale in sites, but is -1; write for instance xi=2\."
    ):
        function(4, -1.0)
    with pytest.raises(ValueError, match=r"xi must be a positive, finite length scale in sites, but is inf"):
        function(4, np.inf)
