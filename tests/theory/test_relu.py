"""ReLU expectations against quadrature, the flow against automatic differentiation of the loss, both against sampling."""

import itertools

import jax
import numpy as np
import pytest
from scipy import integrate

from gatefield.theory import relu

RNG = np.random.default_rng(3)
ROOT = RNG.normal(size=(4, 4))
COV = ROOT @ ROOT.T / 4
COV0 = np.diag([1.0, 0.5, 2.0, 0.7])
W, V = RNG.normal(size=(2, 4))


def plane_average(w, v, cov, function):
    """E[function(w.x, v.x)] on the unit circle of whitened (w.x, v.x), by quadrature between the kinks."""
    gram = np.array([[w @ cov @ w, w @ cov @ v], [w @ cov @ v, v @ cov @ v]])
    root = np.linalg.cholesky(gram)
    kinks = np.sort([np.arctan2(*u) % (2 * np.pi) for row in root for u in ([-row[0], row[1]], [row[0], -row[1]])])

    def along(t):
        h = root @ [np.cos(t), np.sin(t)]
        return function(*h)

    edges = np.concatenate([[0.0], kinks, [2 * np.pi]])
    pieces = [integrate.quad(along, a, b, epsabs=1e-14, epsrel=1e-13)[0] for a, b in itertools.pairwise(edges) if b > a]
    return sum(pieces) / (2 * np.pi)


def relu_(h):
    return max(h, 0.0)


@pytest.mark.parametrize("v", [V, -V, W + 0.01 * V, W, -W], ids=["general", "opposite", "close", "same", "reversed"])
def test_kernel_by_quadrature(v):
    second_radial_moment = 2.0  # E r^2 of a plane Gaussian
    gram = np.array([[W @ COV @ W, W @ COV @ v], [W @ COV @ v, v @ COV @ v]])
    if abs(np.linalg.det(gram)) < 1e-10:
        expected = 0.5 * gram[0, 0] if gram[0, 1] > 0 else 0.0
    else:
        expected = second_radial_moment * plane_average(W, v, COV, lambda a, b: relu_(a) * relu_(b))
    assert relu.kernel(W, v, COV) == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_pair_mean_is_the_gradient_of_the_kernel():
    with jax.enable_x64(True):
        gradient = jax.grad(relu.kernel)(jax.numpy.asarray(W), jax.numpy.asarray(V), jax.numpy.asarray(COV))
    np.testing.assert_allclose(relu.pair_mean(W, V, COV), gradient, rtol=1e-10)


def test_pair_mean_of_a_field_with_itself_is_half():
    np.testing.assert_allclose(relu.pair_mean(W, W, COV), COV @ W / 2, rtol=1e-12)


def test_expectations_by_sampling():
    x = np.random.default_rng(0).multivariate_normal(np.zeros(4), COV, size=400_000)
    opened = (x @ W > 0)[:, None] * x
    pair = opened * np.maximum(x @ V, 0)[:, None]
    for estimate, expected in [(opened, relu.gate_mean(W, COV)), (pair, relu.pair_mean(W, V, COV))]:
        error = estimate.std(0) / np.sqrt(len(x))
        assert np.all(abs(estimate.mean(0) - expected) < 5 * error)


@pytest.mark.parametrize("labels", [(1.0, 0.0), (1.0, -1.0)])
@pytest.mark.parametrize("K", [1, 3])
def test_velocity_is_minus_the_gradient_of_the_loss(K, labels):
    fields = RNG.normal(size=(K, 4))
    with jax.enable_x64(True):
        gradient = jax.grad(relu.loss)(jax.numpy.asarray(fields), COV, COV0, labels)
    np.testing.assert_allclose(relu.velocity(fields, COV, COV0, labels), -np.asarray(gradient), rtol=1e-9, atol=1e-13)


def test_loss_by_sampling():
    rng, fields = np.random.default_rng(1), RNG.normal(size=(3, 4))
    losses = []
    for cov, y in [(COV, 1.0), (COV0, -1.0)]:
        x = rng.multivariate_normal(np.zeros(4), cov, size=200_000)
        losses.append(0.5 * (np.maximum(x @ fields.T, 0).mean(1) - y) ** 2)
    error = np.sqrt(sum(part.var() / len(part) for part in losses)) / 2
    expected = relu.loss(fields, COV, COV0, (1.0, -1.0))
    assert abs(np.mean([part.mean() for part in losses]) - expected) < 5 * error
