"""The kernel of wide soft-ReLU networks: the plane of both sums, trained parts of wide networks, ReLU networks, and rates."""

import itertools

import jax
import numpy as np
import pytest
from kernel_nets import plane
from scipy.special import expit

from gatefield import DeepGated, UserError, kernels

X = np.array([[1.0, 0.3], [-0.4, 1.2], [2.0, 0.6], [0.7, -0.5]])
"""The first and the third are parallel."""
SELF = (np.pi**2 / 18 - 1 / 3) / np.sqrt(2 * np.pi)


def test_four_layers_in_the_plane():
    """Each layer by quadrature, with a sigma for each."""
    sigmas, width, beta, reach = (0.5, 0.3, 0.9, 0.7), 11, 2.0, 1.2

    def passed(q):
        return reach * q * expit(beta * q)

    def answer(q):
        return reach * (expit(beta * q) + beta * q * expit(beta * q) * expit(-beta * q))

    K = Z = X @ X.T
    for below, above in itertools.pairwise(sigmas):
        cov = below**2 * Z
        Z = width * plane(cov, passed, passed)
        K = Z + width * above**2 * plane(cov, answer, answer) * K
    np.testing.assert_allclose(kernels.wide_soft_relu_ntk(X, 4, width, sigmas, beta, 0.2), K, rtol=1e-8)


@pytest.mark.parametrize("beta", [2.0, 12.0])
def test_it_is_the_mean_over_wide_networks(beta):
    """The tangent kernel of 60 networks of width 300: within four standard errors in every entry, and these are small."""
    width, found = 300, []
    sigmas = (0.8, *[(2 / width) ** 0.5] * 2)
    for run in range(60):
        rng = np.random.default_rng(run)
        shapes = ((2, width), (width, width), (width, 1))
        weights = [sigma * rng.normal(size=shape) for sigma, shape in zip(sigmas, shapes, strict=True)]
        net = DeepGated(2, [width, width], gating="soft-relu", init=weights, beta=beta, eps=0.1)
        found.append(kernels.tangent_kernel(net, X))
    mean, error = np.mean(found, 0), np.std(found, 0) / 60**0.5
    wide = kernels.wide_soft_relu_ntk(X, 3, width, sigmas, beta, 0.1)
    assert np.all(np.abs(wide - mean) < 4 * error)
    assert np.all(error < 0.1 * np.sqrt(np.outer(np.diag(wide), np.diag(wide))))


def test_steep_gates_are_those_of_a_relu_network_and_flat_ones_of_a_linear_one():
    x = np.vstack([X, np.zeros(2)])
    hard = kernels.wide_relu_ntk(x, 4, 6, 0.7)
    np.testing.assert_allclose(kernels.wide_soft_relu_ntk(x, 4, 6, 0.7, np.inf, 0.0), hard, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(kernels.wide_soft_relu_ntk(x, 4, 6, 0.7, np.inf, 0.3), 1.3**6 * hard, rtol=1e-6, atol=1e-12)
    linear = 4 * (6 * 0.7**2 / 4) ** 3 * x @ x.T
    np.testing.assert_allclose(kernels.wide_soft_relu_ntk(x, 4, 6, 0.7, 1e-7, 0.0), linear, rtol=1e-6, atol=1e-12)


def test_only_beta_times_the_inputs_counts():
    scaled = kernels.wide_soft_relu_ntk(3 * X, 4, 6, 0.7, 2.0, 0.1)
    np.testing.assert_allclose(scaled, 9 * kernels.wide_soft_relu_ntk(X, 4, 6, 0.7, 6.0, 0.1), rtol=1e-12)


@pytest.mark.parametrize("depth", [2, 5])
def test_the_rate_on_the_diagonal(depth):
    """K/K_inf - 1 = 2 SELF/beta times the mean over l of the sum of 1/s_m over the layers m from l on."""
    sigmas, beta = np.linspace(0.6, 0.9, depth), 1e4
    x, width = X[:1], 6
    hard, soft = kernels.wide_relu_ntk(x, depth, width, sigmas), kernels.wide_soft_relu_ntk(x, depth, width, sigmas, beta, 0.0)
    power, deviations = x[0] @ x[0], []
    for sigma in sigmas[:-1]:
        deviations.append(np.sqrt(power) * sigma)
        power *= width * sigma**2 / 2
    terms = [np.prod(np.delete(sigmas, layer) ** 2) for layer in range(depth)]
    sums = [np.sum(1 / np.array(deviations[layer:])) for layer in range(depth)]
    expected = 2 * SELF * np.average(sums, weights=terms)
    assert (soft / hard - 1)[0, 0] * beta == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("depth", [2, 5])
def test_the_rate_between_samples(depth):
    """What each layer does at the order 1/beta^2, passed on by the derivatives of the hard limit; all lengths stay."""
    x, beta, gain = X[[0, 1, 3]], 3e3, 2.0
    off, lengths = ~np.eye(3, dtype=bool), np.linalg.norm(x, axis=1)
    ratio, inverse = lengths[:, None] / lengths, 1 / lengths**2
    size = np.outer(lengths, lengths)
    K, theta = x @ x.T, np.arccos(np.clip(x @ x.T / size, -1, 1))
    dK, dZ, one = np.zeros_like(K), np.zeros_like(K), np.pi / 12
    for _ in range(depth - 1):
        with np.errstate(divide="ignore", invalid="ignore"):
            both, edge = (np.pi - theta) / (2 * np.pi), 1 / (2 * np.pi * size * np.sin(theta))
            change = dZ * edge + one / np.tan(theta) * (inverse[:, None] + inverse)
        dZ = gain * (both * dZ - one * np.sin(theta) * (ratio + ratio.T))
        cosine = (np.sin(theta) + (np.pi - theta) * np.cos(theta)) / np.pi
        dK, K = dZ + gain * (both * dK + change * K), size * cosine + gain * both * K
        theta = np.arccos(np.clip(cosine, -1, 1))
    found = kernels.wide_soft_relu_ntk(x, depth, 2, 1.0, beta, 0.0) - kernels.wide_relu_ntk(x, depth, 2, 1.0)
    np.testing.assert_allclose((found * beta**2)[off], dK[off], rtol=1e-3)
    if depth == 2:
        angle = np.arccos(np.clip(x @ x.T / size, -1, 1))[off]
        np.testing.assert_allclose(dK[off], 2 * one * (ratio + ratio.T)[off] * np.cos(2 * angle) / np.sin(angle), rtol=1e-9)


def test_parallel_samples_come_down_as_slowly_as_the_diagonal():
    once, twice = (kernels.wide_soft_relu_ntk(X, 4, 6, 0.7, beta, 0.0) for beta in (2e3, 4e3))
    hard = kernels.wide_relu_ntk(X, 4, 6, 0.7)
    powers = np.full((4, 4), 4.0)
    powers[np.eye(4, dtype=bool)] = powers[0, 2] = powers[2, 0] = 2.0
    np.testing.assert_allclose((once - hard) / (twice - hard), powers, rtol=2e-3)
    assert np.all(np.diag(twice) > np.diag(hard))


@pytest.mark.parametrize("beta", [0.3, 4.0, 100.0, np.inf])
def test_it_is_symmetric_and_positive(beta):
    x = np.random.default_rng(0).normal(size=(30, 5))
    K = kernels.wide_soft_relu_ntk(x, 6, 20, 0.4, beta, 0.1)
    np.testing.assert_allclose(K, K.T, rtol=1e-12, atol=1e-14 * K.max())
    assert np.linalg.eigvalsh(K)[0] > 0


@pytest.mark.slow
def test_beta_alone_may_be_traced():
    slope = jax.grad(lambda beta: kernels.wide_soft_relu_ntk(X, 3, 6, 0.7, beta)[0, 1])(3.0)
    ends = [kernels.wide_soft_relu_ntk(X, 3, 6, 0.7, beta)[0, 1] for beta in (3 - 1e-4, 3 + 1e-4)]
    assert float(slope) == pytest.approx((ends[1] - ends[0]) / 2e-4, rel=1e-3)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"depth": 1}, "depth must be .*at least 2, but is 1"),
        ({"x": [1.0, 2.0]}, r"x must have the shape \(samples, inputs\), not \(2,\)"),
        ({"beta": 0.0}, "beta must be positive, or infinite for hard gates, but is 0"),
        ({"beta": [1.0, 2.0]}, r"beta must be one number, but has the shape \(2,\)"),
        ({"eps": -0.1}, "eps must be zero or more and finite, but is -0.1"),
        ({"sigma": [0.1, 0.2]}, "sigma must be one number or one for each of the 3 layers"),
    ],
)
def test_wrong_arguments(arguments, text):
    with pytest.raises(UserError, match=text):
        kernels.wide_soft_relu_ntk(**{"x": X, "depth": 3, "width": 4, "sigma": 0.7} | arguments)
