"""Kernels of wide networks against small cases by hand, many small networks, and their limits."""

import itertools

import jax
import numpy as np
import pytest

from gatefield import UserError, kernels
from gatefield.ledger.routes import wide

X = np.array([[1.0, 0.5], [0.3, -1.0], [-0.6, 0.2], [2.0, 1.0]])
FUNCTIONS = {True: kernels.wide_relu_ntk, False: kernels.wide_galu_ntk}
each = pytest.mark.parametrize("own", [True, False])


def by_hand(x, depth, width, sigmas, own):
    """The recursion with cosines and arc cosines, entry by entry."""
    out = np.zeros((len(x), len(x)))
    for s, t in itertools.product(range(len(x)), repeat=2):
        lengths, cosine = np.linalg.norm(x[[s, t]], axis=1), x[s] @ x[t] / np.linalg.norm(x[s]) / np.linalg.norm(x[t])
        products, chances, linear = [x[s] @ x[t]], [], x[s] @ x[t]
        for layer in range(depth - 1):
            theta = np.arccos(np.clip(cosine, -1, 1))
            chances.append((np.pi - theta) / (2 * np.pi))
            cosine = (np.sin(theta) + (np.pi - theta) * cosine) / np.pi
            lengths = lengths * np.sqrt(width * sigmas[layer] ** 2 / 2)
            linear = linear * width * sigmas[layer] ** 2 * chances[-1]
            products.append(lengths.prod() * cosine if own else linear)
        for layer, product in enumerate(products):
            above = [width * sigmas[m + 1] ** 2 * chances[m] for m in range(layer, depth - 1)]
            out[s, t] += product * np.prod(above)
    return out


@each
def test_entries_one_by_one_with_a_sigma_for_each_layer(own):
    sigmas = [0.5, 0.2, 0.9, 1.1]
    np.testing.assert_allclose(FUNCTIONS[own](X, 4, 7, sigmas), by_hand(X, 4, 7, sigmas, own), rtol=1e-7)


@each
def test_a_layer_of_all_sign_patterns_is_the_mean_over_all_networks_of_width_one(own):
    """Depth 2, one unit, weights +-1: every network is listed, and the mean is exact at any width."""
    rows, patterns = [], list(itertools.product((1.0, -1.0), repeat=2))
    for w, g, last in itertools.product(patterns, patterns, (1.0, -1.0)):
        gate = X @ np.array(w if own else g) > 0
        rows.append(np.column_stack([gate[:, None] * X * last, gate * (X @ np.array(w))]))
    mean = np.mean([row @ row.T for row in rows], axis=0)
    np.testing.assert_allclose(FUNCTIONS[own](X, 2, 1, 1.0, first=patterns), mean, rtol=1e-12, atol=1e-14)


@each
def test_the_diagonal_is_exact_at_any_width(own):
    """Two units a layer, depth 3: within four standard errors over 100000 networks."""
    rng, count, x = np.random.default_rng(0), 100_000, np.array([[1.0, 0.5]])
    weights, others = ([rng.normal(size=(count, *shape)) for shape in ((2, 2), (2, 2), (2, 1))] for _ in range(2))
    z = a = np.broadcast_to(x, (count, 1, 2))
    entering, gates = [z], []
    for w, g in zip(weights[:2], weights[:2] if own else others[:2], strict=True):
        q = a @ g
        gates.append(q > 0)
        z, a = (z @ w) * gates[-1], q * gates[-1]
        entering.append(z)
    back = np.ones((count, 1, 1))
    K = (entering[2] ** 2).sum((1, 2))
    for layer in (1, 0):
        back = (back @ weights[layer + 1].swapaxes(1, 2)) * gates[layer]
        K = K + (entering[layer] ** 2).sum((1, 2)) * (back**2).sum((1, 2))
    exact = FUNCTIONS[own](x, 3, 2, 1.0)[0, 0]
    assert exact == pytest.approx(3 * 1.25)
    assert abs(K.mean() - exact) < 4 * K.std() / count**0.5


def test_own_gates_make_all_samples_more_alike():
    """Entries of ReLU are at least those of GaLU, the diagonals are equal, and both are the Gram matrix for a linear layer."""
    x = np.random.default_rng(1).normal(size=(30, 3))
    for depth in (2, 5, 30):
        relu, galu = (function(x, depth, 50, 0.2) for function in (kernels.wide_relu_ntk, kernels.wide_galu_ntk))
        np.testing.assert_allclose(np.diag(relu), depth * (x**2).sum(1), rtol=1e-12)
        np.testing.assert_allclose(np.diag(galu), np.diag(relu), rtol=1e-12)
        assert ((relu - galu)[~np.eye(30, dtype=bool)] > 0).all()


@each
def test_near_samples_keep_their_digits(own):
    """1 - K(1,2)/K(1,1) of an angle of 1e-6, of which cosines would keep four digits; beside the quadrature."""
    angle = 1e-3
    x = np.array([[1.0, 0.0], [np.cos(angle), np.sin(angle)]])
    assert FUNCTIONS[own](x, 6, 2, 1.0)[0, 1] == pytest.approx(wide.pair_kernel(x, 6, 2.0, own=own), rel=1e-10)
    x = np.array([[1.0, 0.0], [np.cos(1e-6), np.sin(1e-6)]])
    drop = 1 - FUNCTIONS[own](x, 2, 2, 1.0)[0, 1] / 2
    np.testing.assert_allclose(drop, (0.5 if own else 1.0) * 1e-6 / np.pi, rtol=1e-5)


@each
def test_zeros_and_opposite_samples(own):
    """Opposite samples share no unit of the first layer; behind it they are at a right angle, and behind the next at 1/pi."""
    K = FUNCTIONS[own](np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]]), 3, 2, 1.0)
    np.testing.assert_array_equal(K[0], 0)
    np.testing.assert_allclose(K[1:, 1:], [[3, own / np.pi], [own / np.pi, 3]], atol=1e-15)


@pytest.mark.slow
def test_sigma_alone_may_be_traced():
    slope = jax.grad(lambda s: kernels.wide_relu_ntk(X, 3, 5, s)[0, 1])(0.7)
    ends = [kernels.wide_relu_ntk(X, 3, 5, s)[0, 1] for s in (0.7 - 1e-4, 0.7 + 1e-4)]
    assert float(slope) == pytest.approx((ends[1] - ends[0]) / 2e-4, rel=1e-4)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"depth": 1}, "depth must be .*at least 2, but is 1"),
        ({"width": 0}, "width must be .*at least 1, but is 0"),
        ({"sigma": [0.1, 0.2]}, "sigma must be one number or one for each of the 3 layers"),
        ({"sigma": 0.0}, "sigma must be positive"),
        ({"x": [1.0, 2.0]}, r"x must have the shape \(samples, inputs\), not \(2,\)"),
        ({"first": np.ones((4, 3))}, r"first must have the shape \(choices, 2\), as many as there are inputs, not \(4, 3\)"),
    ],
)
@each
def test_wrong_arguments(own, arguments, text):
    with pytest.raises(UserError, match=text):
        FUNCTIONS[own](**{"x": X, "depth": 3, "width": 4, "sigma": 0.7} | arguments)
