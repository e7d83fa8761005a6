"""Orthants of strongly correlated sites: quadrature over the common factor, scipy's tails, and the saddle's own conditions."""

import jax
import numpy as np
import pytest
from scipy import special, stats

from gatefield.ledger.routes.gaussian import panels
from gatefield.theory import hypercube
from gatefield.theory.hypercube import genz, tail
from gatefield.theory.hypercube.orthant import _better


def equal(n, gap):
    return np.full((n, n), 1 - gap) + gap * np.eye(n)


def chance(n, gap, minus):
    """Probability of `minus` negative and n - minus positive signs of equal correlations, by quadrature in panels."""
    c = np.sqrt((1 - gap) / gap)
    edges = np.unique(np.clip(np.append(np.linspace(-12, 12, 25), np.linspace(-45, 45, 181) / c), -12, 12))
    t, weight = panels(edges, 24)
    return float(stats.norm.pdf(t) * weight @ (special.ndtr(c * t) ** (n - minus) * special.ndtr(-c * t) ** minus))


def signs(n, minus):
    return np.where(np.arange(n) < minus, -1.0, 1.0)


def test_draws_far_in_the_tail():
    """Q(t) = u Q(low), with the ratio of the two taken by scipy's scaled error function."""
    rng = np.random.default_rng(0)
    low, u = np.append(np.linspace(-8, 8, 300), np.geomspace(8, 1e5, 200)), rng.uniform(1e-9, 1, 500)
    with jax.enable_x64(True):
        t, over = map(np.asarray, jax.jit(tail.cut_draw)(low, u))
    far = low > 0
    ratio = np.log(special.erfcx((low + over)[far] / np.sqrt(2)) / special.erfcx(low[far] / np.sqrt(2)))
    np.testing.assert_allclose(ratio - (over * (low + over / 2))[far], np.log(u[far]), atol=1e-7)
    np.testing.assert_allclose(stats.norm.logsf(t[~far]) - stats.norm.logsf(low[~far]), np.log(u[~far]), atol=1e-12)


@jax.jit
def rows_and_tilt(signed):
    rows, start = genz._scaled_rows(signed, 1e-15)
    return rows, genz._tilt(rows, start)


@pytest.mark.parametrize(("corr", "minus"), [(equal(5, 1e-3), 1), (equal(5, 1e-6), 2), (equal(5, 0.5), 0)])
def test_the_tilt_is_a_saddle_point(corr, minus):
    """Slopes of the exponent vanish, by scipy's logarithms of the normal law."""
    signed = corr * np.outer(signs(5, minus), signs(5, minus))
    with jax.enable_x64(True):
        rows, (mu, bound) = jax.tree.map(np.asarray, rows_and_tilt(signed))

    def rate(b):
        return np.exp(-(b**2) / 2 - special.log_ndtr(b)) / np.sqrt(2 * np.pi)

    x = np.zeros(5)
    for k in range(4):  # the exponent is least in mu where x is the mean of the draws
        x[k] = mu[k] + rate(mu[k] + rows[k] @ x)
    b = mu + rows @ x
    np.testing.assert_allclose((rows.T @ rate(b))[:4], mu[:4], atol=1e-3 * (1 + np.abs(rows).max()))
    assert bound == pytest.approx(np.sum(mu**2 / 2 - mu * x + special.log_ndtr(b)), abs=1e-3)


@pytest.mark.parametrize(("gap", "minus"), [(1e-3, 1), (1e-6, 2), pytest.param(1e-2, 2, marks=pytest.mark.slow)])
def test_sampled_orthants_of_strong_correlations(gap, minus):
    expected = chance(4, gap, minus)
    plain = hypercube.orthant(equal(4, gap), signs(4, minus), method="sampled", with_error=True)
    assert abs(plain.value - expected) < 4 * plain.error < 1e-3 * expected
    traced = sampled_traced(equal(4, gap), signs(4, minus))
    assert abs(traced[0] - expected) < 4 * traced[1]
    if gap > 1e-6:
        assert traced[1] < 1e-3 * expected


@jax.jit
def sampled_traced(corr, pattern):
    estimate = hypercube.orthant(corr, pattern, with_error=True)
    return estimate.value, estimate.error


def test_traced_orthants_of_smooth_kernels():
    """All patterns of four sites in float32, against the sums of moments in float64; and two sites that always agree."""
    gaps = np.subtract.outer(np.arange(4), np.arange(4)) ** 2
    for xi in (1.0, 3.0, 5.0):
        corr = np.exp(-gaps / xi**2)
        for minus in np.ndindex(2, 2, 2):
            pattern = 1.0 - 2.0 * np.array([0, *minus])
            expected = hypercube.orthant(corr, pattern, method="recursion", with_error=True)
            value, error = sampled_traced(corr, pattern)
            assert abs(value - expected.value) < 4 * error + expected.error
            assert error < 0.05 * expected.value
    value, error = sampled_traced(np.ones((4, 4)), signs(4, 1))
    assert value < 2 * error
    doubled = np.kron(equal(2, 0.5), np.ones((2, 2)))
    never = hypercube.orthant(doubled, signs(4, 1), method="sampled", with_error=True)
    assert 0 <= never.value < 2 * never.error < 1e-6


def test_auto_keeps_to_the_bounds_of_the_recursion():
    expected = chance(4, 1e-6, 2)
    estimate = hypercube.orthant(equal(4, 1e-6), signs(4, 2), with_error=True)
    assert abs(estimate.value - expected) < 4 * estimate.error < 1e-2 * expected
    assert not _better((0.0, 0.0), (2e-5, 1e-8))
    assert not _better((3e-5, 1e-9), (2e-5, 1e-8))
    assert _better((2.001e-5, 1e-9), (2e-5, 1e-8))


@pytest.mark.slow
def test_slopes_of_strong_correlations():
    """In the common correlation, against differences of the quadrature."""
    with jax.enable_x64(True):
        slope = jax.jacfwd(lambda gap: hypercube.orthant(1 - gap * (1 - np.eye(4)), signs(4, 1), method="sampled"))(1e-3)
    assert float(slope) == pytest.approx((chance(4, 1.001e-3, 1) - chance(4, 0.999e-3, 1)) / 2e-6, rel=1e-3)
