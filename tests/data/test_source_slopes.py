"""Derivatives of samples and covariances in the parameters of sources, against other algorithms, sums over states and steps."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
import scipy.special

from gatefield.data import Elliptical, Gaussian, GaussianClone, Ising, Marginal, NonlinearGP
from gatefield.data.laws import Algebraic, Uniform
from gatefield.data.numerics import field_factor, normal_moments, pair_moment, symmetric_root

XIS = np.array([0.05, 0.3, 1.0, 3.0, 5.5, 6.0, 10.0, 20.0, 500.0])
SOURCES = {
    "gaussian": lambda n, xi: Gaussian(n, xi),
    "line": lambda n, xi: Gaussian(n, xi, boundary="line"),
    "nonlinear": lambda n, xi: NonlinearGP(n, xi, 2.0),
    "elliptical": lambda n, xi: Elliptical(n, xi, "laplace"),
    "clone": lambda n, xi: GaussianClone(Gaussian(n, xi)),
    "squashed clone": lambda n, xi: GaussianClone(NonlinearGP(n, xi, 2.0)),
}


def ring_root(n, xi):
    """By long sums for the correlation and a Fourier transform in NumPy."""
    p = np.arange(-200, 201)
    row = np.exp(-(((np.arange(n)[:, None] + n * p) / xi) ** 2)).sum(axis=1)
    power = np.maximum(np.fft.fft(row / row[0]).real, 0.0)
    return scipy.linalg.circulant(np.fft.ifft(np.sqrt(power)).real)


def line_root(n, xi):
    values, vectors = np.linalg.eigh(np.exp(-((np.subtract.outer(np.arange(n), np.arange(n)) / xi) ** 2)))
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T


def by_step(function, x, step):
    """The central difference of fourth order."""
    far = function(x + 2 * step) - function(x - 2 * step)
    return (8 * (function(x + step) - function(x - step)) - far) / (12 * step)


CASES = [
    ("gaussian", 4),
    ("clone", 4),
    ("gaussian", 40),
    ("line", 40),
    ("squashed clone", 40),
    ("nonlinear", 4),
    ("elliptical", 4),
]


@pytest.mark.costly
@pytest.mark.parametrize(("name", "n"), CASES)
def test_no_length_scale_has_an_undefined_slope(name, n):
    def total(xi):
        return jnp.sum(SOURCES[name](n, xi).sample(jax.random.key(0, impl="rbg"), 5) ** 2)

    assert np.isfinite(jax.jit(jax.vmap(jax.grad(total)))(XIS.astype(np.float32))).all()


@pytest.mark.parametrize(("boundary", "root", "accuracy"), [("ring", ring_root, 1e-7), ("line", line_root, 1e-4)])
def test_slope_of_the_root_in_the_length_scale(boundary, root, accuracy):
    """A step of 1e-3 turns the noise of the roots, 1e-8 where the matrix is nearly singular, into 1e-5."""
    with jax.enable_x64(True):
        slopes = jax.jit(jax.vmap(jax.jacfwd(lambda xi: field_factor(12, xi, boundary))))(np.array([0.5, 1.5, 2.5, 6.0, 9.0]))
    for xi, slope in zip((0.5, 1.5, 2.5), slopes, strict=False):
        np.testing.assert_allclose(slope, by_step(lambda x: root(12, x), xi, 1e-3), atol=accuracy)
    np.testing.assert_allclose(slopes[3], by_step(lambda x: root(12, x), 6.0, 1e-3), atol=1e-4)


def test_a_clone_has_the_slopes_of_the_ring():
    """The covariance of the ring has pairs of equal eigenvalues; its symmetric root is unique. First and second derivatives."""
    weights = np.random.default_rng(0).normal(size=(10, 10))

    def slopes(make):
        first = jax.grad(lambda xi: jnp.sum(weights * make(xi)))
        return jax.jit(jax.vmap(lambda xi: jnp.stack(jax.jvp(first, (xi,), (1.0,)))))(np.array([0.7, 1.5, 2.5, 4.0]))

    with jax.enable_x64(True):
        clone = slopes(lambda xi: GaussianClone(Gaussian(10, xi)).factor)
        np.testing.assert_allclose(clone, slopes(lambda xi: field_factor(10, xi, "ring")), rtol=1e-5, atol=1e-5)


def test_slope_of_the_root_solves_its_equation():
    basis = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))[0]
    root = basis @ np.diag([1.0, 1.0, 2.0, 2.0, 3.0]) @ basis.T
    change = np.random.default_rng(1).normal(size=(5, 5))
    change = change + change.T
    with jax.enable_x64(True):
        value, slope = jax.jvp(symmetric_root, (root @ root,), (change,))
    np.testing.assert_allclose(value, root, atol=1e-13)
    np.testing.assert_allclose(slope, scipy.linalg.solve_sylvester(root, root, change), atol=1e-12)


@pytest.mark.parametrize("boundary", ["ring", "line"])
@pytest.mark.parametrize("n", [5, 6])
def test_slope_of_the_ising_covariance_is_a_covariance_with_the_energy(n, boundary):
    couplings = np.array([-50.0, -30.0, -12.0, -1.0, -0.1, 0.0, 0.3, 0.5, 2.0, 10.0, 50.0])
    states = np.array(list(itertools.product([-1.0, 1.0], repeat=n)))
    bonds = (states[:, :-1] * states[:, 1:]).sum(axis=1) + (boundary == "ring") * states[:, -1] * states[:, 0]
    products = states[:, :1] * states
    weights = np.exp(couplings[:, None] * bonds - np.max(couplings[:, None] * bonds, axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    expected = (weights * bonds) @ products - (weights @ bonds)[:, None] * (weights @ products)

    def row(coupling):
        return Ising(n, coupling, boundary=boundary).covariance()[0]

    forward, back = jax.jit(jax.vmap(lambda J: (jax.jacfwd(row)(J), jax.jacrev(row)(J))))(couplings.astype(np.float32))
    np.testing.assert_allclose(forward, expected, atol=2e-6)
    np.testing.assert_allclose(back, expected, atol=2e-6)


def test_slopes_of_algebraic_tails():
    z = np.array([-5.0, -2.0, -0.3, 0.0, 0.1, 3.0])

    def quantile(k):
        size = np.maximum(np.abs(z), 1e-12) / np.sqrt(2)
        return np.sign(z) * scipy.special.erf(size) * (-np.expm1(k * np.log1p(-scipy.special.erfc(size)))) ** (-1 / k)

    with jax.enable_x64(True):
        slopes = jax.jit(jax.vmap(jax.jacfwd(lambda k: Algebraic(k).from_normal(jnp.asarray(z)))))(np.array([2.2, 6.0, 20.0]))
        for k, slope in zip((2.2, 6.0, 20.0), slopes, strict=True):
            np.testing.assert_allclose(slope, by_step(quantile, k, 1e-3), rtol=1e-7, atol=1e-9)
        variance = jax.jit(lambda k: normal_moments(Algebraic(k), jnp.inf)[1])
        assert jax.jit(jax.grad(variance))(2.5) == pytest.approx(by_step(lambda k: float(variance(k)), 2.5, 1e-3), rel=1e-6)


def test_slope_of_the_pair_moment_of_uniform_sites():
    """E x_1 x_2 = (2/pi) asin(rho/2); at full correlation, where the angle has no slope, 0 stands for it."""
    rho = np.array([-1.0, -0.9, 0.0, 0.3, 1.0])
    slopes = jax.jit(jax.vmap(jax.jacfwd(lambda r: pair_moment(Uniform(), 0.0, r))))(rho.astype(np.float32))
    np.testing.assert_allclose(slopes, np.where(abs(rho) < 1, 1 / np.pi / np.sqrt(1 - rho**2 / 4), 0.0), atol=1e-5)


def test_sources_can_be_made_while_traced_in_double_precision():
    with jax.enable_x64(True):
        assert jax.eval_shape(lambda xi: Marginal(4, xi, "laplace").xi, 1.5).shape == ()
