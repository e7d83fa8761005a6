"""The bivariate normal distribution function against adaptive quadrature, its derivatives against differences of that."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import special, stats

from gatefield.ledger.routes.calculus import derivative
from gatefield.ledger.routes.gaussian import bivariate_cdf as by_quadrature
from gatefield.theory.erf.bivariate import bivariate_cdf, sign_product_mean

RNG = np.random.default_rng(0)
A = np.concatenate([1.5 * RNG.normal(size=6), [0.0, 0.0, 1.3, 1.3, 6.0, -7.0, 0.2, 3.0, 0.01, 0.0]])
B = np.concatenate([1.5 * RNG.normal(size=6), [0.0, 1.0, 1.3, -1.3, 1.0, 2.0, 0.2 + 1e-5, 3 + 1e-7, -1e-3, -1e-8]])
EDGES = [(0, 0, 1), (0, 0, -1), (1, 1, 1), (1, -1, -1), (1, -1, 1), (1, 1, -1), (0.5, 2, 1), (0, 1, -1), (1, 1, 1 - 1e-9)]
FAR = [(np.inf, 0.3, 0.5), (-np.inf, 0.3, 0.0), (np.inf, np.inf, 1), (50, -50, -1)]


@pytest.mark.parametrize("r", [0.0, 0.1, -0.5, 0.9, -0.93, 0.99, -0.99999, 1 - 1e-8, 1 - 1e-12, -1 + 1e-10])
def test_against_quadrature(r):
    expected = [by_quadrature(a, b, r) for a, b in zip(A, B, strict=True)]
    np.testing.assert_allclose(bivariate_cdf(A, B, r), expected, rtol=0, atol=2e-15)


@pytest.mark.parametrize("r", [-0.8, 0.3, 0.97])
def test_against_scipy(r):
    law = stats.multivariate_normal([0, 0], [[1, r], [r, 1]])
    np.testing.assert_allclose(bivariate_cdf(A, B, r), [law.cdf(pair) for pair in zip(A, B, strict=True)], rtol=0, atol=1e-13)


def test_on_the_edges():
    a, b = np.append(A, 0.7), np.append(B, np.inf)
    np.testing.assert_allclose(bivariate_cdf(a, b, 1.0), special.ndtr(np.minimum(a, b)), rtol=0, atol=4e-16)
    opposed = np.maximum(special.ndtr(a) - special.ndtr(-b), 0)
    np.testing.assert_allclose(bivariate_cdf(a, b, -1.0), opposed, rtol=0, atol=4e-16)
    np.testing.assert_allclose(bivariate_cdf(a, np.inf, 0.4), special.ndtr(a), rtol=0, atol=4e-16)
    np.testing.assert_allclose(bivariate_cdf(a, -np.inf, 0.4), 0, atol=4e-16)


def test_arcsine_law_and_reflection():
    r = np.linspace(-1, 1, 41)
    np.testing.assert_allclose(sign_product_mean(0.0, 0.0, r), 2 / np.pi * np.arcsin(r), rtol=1e-14, atol=1e-16)
    both = bivariate_cdf(0.8, -0.3, r) + bivariate_cdf(0.8, 0.3, -r)
    np.testing.assert_allclose(both, special.ndtr(0.8), rtol=0, atol=1e-15)


def test_derivatives_against_differences_of_the_quadrature():
    points = [(0.3, -0.7, 0.6), (-1.1, 0.4, -0.8), (0.0, 0.0, 0.0)]
    with jax.enable_x64(True):
        gradients = np.asarray(jax.vmap(jax.grad(lambda p: bivariate_cdf(*p)))(jnp.asarray(points)))
    for point, gradient in zip(points, gradients, strict=True):
        for axis in np.eye(3):
            expected = derivative(lambda e, point=point, axis=axis: by_quadrature(*(point + e * axis)), 2e-3, order=4)
            assert float(gradient @ axis) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("double", [True, False])
def test_never_nan(double):
    with jax.enable_x64(double):
        points = jnp.asarray([(0, 0, 0), *EDGES, *FAR], dtype=float)
        for order in (lambda f: f, jax.grad, jax.hessian):
            assert np.isfinite(jax.jit(jax.vmap(order(lambda p: bivariate_cdf(*p))))(points)).all()


def test_precision_and_shapes():
    assert bivariate_cdf(0.1, 0.2, 0.3).dtype == np.float64
    assert bivariate_cdf(np.zeros((3, 1)), np.zeros(2), 0.3).shape == (3, 2)
    single = jax.vmap(lambda r: bivariate_cdf(0.5, 0.2, r))(jnp.linspace(-1, 1, 9))
    np.testing.assert_allclose(single, bivariate_cdf(0.5, 0.2, np.linspace(-1, 1, 9)), rtol=0, atol=3e-7)
