"""Soft gates of Gaussian sums against quadrature in the plane, sampled networks, and hard gates."""

import jax
import numpy as np
import pytest
from kernel_nets import plane
from scipy.special import expit

from gatefield import UserError, kernels

COV = np.array([[1.0, 0.3, -0.5], [0.3, 0.5, 0.1], [-0.5, 0.1, 2.0]])


@pytest.mark.parametrize(("beta", "other", "eps"), [(0.5, None, 0.0), (3.0, None, 0.1), (2.0, 5.0, 0.3)])
def test_overlaps_in_the_plane(beta, other, eps):
    second = beta if other is None else other
    expected = (1 + eps) ** 2 * plane(COV, lambda q: expit(beta * q), lambda q: expit(second * q))
    np.testing.assert_allclose(kernels.soft_overlap(COV, beta, eps, other=other), expected, rtol=1e-9)


@pytest.mark.parametrize("beta", [0.5, 3.0])
def test_slopes_in_the_plane(beta):
    def slope(q):
        return 1.1 * beta * expit(beta * q) * expit(-beta * q)

    np.testing.assert_allclose(kernels.soft_slope_overlap(COV, beta, 0.1), plane(COV, slope, slope), rtol=1e-8)


def test_the_kernel_of_three_layers_in_the_plane():
    """Each layer by quadrature: gates, and what passes them on to the next; a sigma for each layer, eps > 0."""
    x, sigmas, width, beta, reach = np.random.default_rng(0).normal(size=(3, 4)), (0.5, 0.3, 0.9), 11, 2.0, 1.2

    def gate(q):
        return reach * expit(beta * q)

    def passed(q):
        return q * gate(q)

    first = sigmas[0] ** 2 * x @ x.T
    second = sigmas[1] ** 2 * width * plane(first, passed, passed)
    overlaps = width**2 * plane(first, gate, gate) * plane(second, gate, gate)
    factor = sum(np.prod(np.delete(np.square(sigmas), layer)) for layer in range(3))
    found = kernels.wide_soft_galu_ntk(x, 3, width, sigmas, beta, 0.2)
    np.testing.assert_allclose(found, factor * (x @ x.T) * overlaps, rtol=1e-8)


def test_it_is_the_mean_over_networks():
    """`expected_ntk` behind the gates of soft networks of width 200: within four standard errors."""
    x, width, found = np.array([[1.0, 0.3], [-0.4, 1.2]]), 200, []
    for run in range(60):
        rng = np.random.default_rng(run)
        first, second = (0.5 * rng.normal(size=(2, width)), 0.5 * rng.normal(size=(width, width)))
        q = x @ first
        gates = [expit(3 * q), expit(3 * (q * expit(3 * q)) @ second)]
        found.append(kernels.expected_ntk(gates, x, 0.5))
    mean, error = np.mean(found, 0), np.std(found, 0) / 60**0.5
    assert np.all(np.abs(kernels.wide_soft_galu_ntk(x, 3, width, 0.5, 3.0, 0.0) - mean) < 4 * error)


def test_steep_gates_are_hard_gates_and_flat_ones_half_open():
    x = np.array([[1.0, 0.3], [-0.4, 1.2], [2.0, 0.6], [0.0, 0.0]])
    hard = kernels.wide_galu_ntk(x, 4, 6, 0.7)
    np.testing.assert_allclose(kernels.wide_soft_galu_ntk(x, 4, 6, 0.7, np.inf, 0.0), hard, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(kernels.soft_overlap(COV, 1e-9, 0.5), np.full((3, 3), 1.5**2 / 4), rtol=1e-8)
    angle = np.arccos(COV / np.sqrt(np.outer(np.diag(COV), np.diag(COV))).clip(1e-300))
    np.testing.assert_allclose(kernels.soft_overlap(COV, np.inf), (np.pi - angle) / (2 * np.pi), rtol=1e-7)


def test_rates():
    """Twice the steepness halves the distance on the diagonal, and quarters it between samples; slopes double, and stay."""
    x = np.array([[1.0, 0.3], [-0.4, 1.2]])
    hard = kernels.wide_galu_ntk(x, 4, 6, 0.7)
    once, twice = (hard - kernels.wide_soft_galu_ntk(x, 4, 6, 0.7, beta, 0.0) for beta in (2000.0, 4000.0))
    np.testing.assert_allclose(once / twice, [[2, 4], [4, 2]], rtol=5e-3)
    flat, steep = (kernels.soft_slope_overlap(COV, beta) for beta in (1000.0, 2000.0))
    np.testing.assert_allclose(steep / flat, 1 + np.eye(3), rtol=1e-4)
    np.testing.assert_allclose(np.diag(steep) / 2000, 1 / (6 * np.sqrt(2 * np.pi * np.diag(COV))), rtol=1e-4)


def test_the_gate_part_of_depth_two():
    """E[K^a] = w sigma^4 (x'x)^2 E[dG dG'] beside the library's K^a, averaged over 4000 units."""
    x, sigma, width = np.array([[1.0, 0.3], [-0.4, 1.2]]), 0.8, 4000
    rng = np.random.default_rng(0)
    weights, gating = ([sigma * rng.normal(size=shape) for shape in ((2, width), (width, 1))] for _ in range(2))
    found = kernels.strength_and_gate_ntk(weights, gating, x, 5.0, 0.1)[1] / width
    gram = x @ x.T
    exact = sigma**4 * gram**2 * kernels.soft_slope_overlap(sigma**2 * gram, 5.0, 0.1)
    np.testing.assert_allclose(found, exact, rtol=0.2)


def test_beta_alone_may_be_traced():
    slope = jax.grad(lambda beta: kernels.soft_overlap(COV, beta)[0, 1])(3.0)
    ends = [kernels.soft_overlap(COV, beta)[0, 1] for beta in (3 - 1e-4, 3 + 1e-4)]
    assert float(slope) == pytest.approx((ends[1] - ends[0]) / 2e-4, rel=1e-3)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: kernels.soft_overlap(COV, 0.0), "beta must be positive, or infinite for hard gates, but is 0"),
        (lambda: kernels.soft_overlap(COV, [1.0, 2.0]), r"beta must be one number, but has the shape \(2,\)"),
        (lambda: kernels.soft_overlap(COV, 1.0, -0.1), "eps must be zero or more and finite, but is -0.1"),
        (lambda: kernels.soft_overlap(1 - 3 * np.eye(2), 1.0), "cov must have no negative eigenvalue"),
        (lambda: kernels.soft_slope_overlap(COV, np.inf), "beta must be positive and finite, because hard gates have no slope"),
        (lambda: kernels.wide_soft_galu_ntk([1.0], 3, 4, 0.5), r"x must have the shape \(samples, inputs\), not \(1,\)"),
        (lambda: kernels.wide_soft_galu_ntk([[1.0]], 1, 4, 0.5), "depth must be .*at least 2, but is 1"),
    ],
)
def test_wrong_arguments(call, text):
    with pytest.raises(UserError, match=text):
        call()
