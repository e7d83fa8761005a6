"""Moments and kernels of circular convolutions against all signs of the weights, all paths, differences, and stored values."""

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_nets import reference

from gatefield import UserError, kernels
from gatefield.ledger.routes import convolution as routes
from gatefield.ledger.routes.calculus import gram
from gatefield.ledger.routes.paths import all_signs

SHAPES = [(4, 2, 3), (3, 3, 2), (5, 2, 2), (2, 1, 3), (1, 1, 1)]
"""Positions, kernel size, layers."""


def make(n, layers, samples=3, channels=1, seed=0, soft=True):
    rng = np.random.default_rng(seed)
    gates = [rng.random((samples, n, channels)) if soft else rng.integers(0, 2, (samples, n, channels)) for _ in range(layers)]
    return [gate.squeeze(-1) if channels == 1 else gate for gate in gates], rng.normal(size=(samples, n))


def moments(shapes, sigma, gates, x):
    """E[y y'] with pooling and E<z, z'> without, over all signs."""
    outputs = np.array([routes.conv_output(one, gates, x) for one in all_signs(shapes, sigma)])
    pooled = outputs.mean(2)
    return np.einsum("wsc,wtc->st", pooled, pooled) / len(outputs), np.einsum("wsic,wtic->st", outputs, outputs) / len(outputs)


@pytest.mark.parametrize(("n", "size", "layers"), SHAPES)
@pytest.mark.parametrize("soft", [False, True])
def test_moments_over_all_signs_and_all_paths(n, size, layers, soft):
    gates, x = make(n, layers, soft=soft)
    with_pool, without = moments([(size, 1, 1)] * layers, [0.8] * layers, gates, x)
    np.testing.assert_allclose(kernels.conv_gap_moment(gates, x, 0.8, size), with_pool, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernels.conv_moment(gates, x, 0.8, size), without, rtol=1e-12, atol=1e-14)
    terms, scale = kernels.rotation_terms(gates, x, 0.8, size), 0.8 ** (2 * layers) / n**2
    for rotation, found in enumerate(terms):
        expected = scale * routes.path_pairs(gates, x, size, rotation=rotation)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(terms.sum(0), with_pool, rtol=1e-12, atol=1e-14)


def test_channels_and_a_deviation_for_each_layer():
    gates, x = make(3, 2, samples=2, channels=2)
    sigma = [0.7, 1.3]
    with_pool, without = moments([(2, 1, 2), (2, 2, 2)], sigma, gates, x)
    np.testing.assert_allclose(kernels.conv_gap_moment(gates, x, sigma, 2), with_pool, rtol=1e-12)
    np.testing.assert_allclose(kernels.conv_moment(gates, x[:, :, None], sigma, 2), without, rtol=1e-12)


@pytest.mark.parametrize("pool", [True, False])
def test_expected_tangent_kernel_by_differences(pool):
    gates, x = make(3, 2)
    seen, sigma = routes.pooled if pool else routes.conv_output, [0.7, 1.3]
    every = [gram(lambda k: seen(k, gates, x), weights) for weights in all_signs([(2, 1, 1)] * 2, sigma)]
    np.testing.assert_allclose(kernels.expected_conv_ntk(gates, x, sigma, 2, pool=pool), np.mean(every, 0), atol=1e-9)
    moment = (kernels.conv_gap_moment if pool else kernels.conv_moment)(gates, x, 0.7, 2)
    np.testing.assert_allclose(kernels.expected_conv_ntk(gates, x, 0.7, 2, pool=pool), 2 / 0.49 * moment, rtol=1e-14)


def test_gaussian_weights_have_the_same_moments():
    gates, x = make(4, 2)
    rng = np.random.default_rng(5)
    y = np.array([routes.pooled(rng.normal(0, 0.8, (2, 2, 1, 1)), gates, x)[:, 0] for _ in range(4000)])
    products = y[:, :, None] * y[:, None]
    error = products.std(0) / len(y) ** 0.5
    assert (abs(products.mean(0) - kernels.conv_gap_moment(gates, x, 0.8, 2)) < 5 * error).all()


def rotated(x, rotation):
    return np.concatenate([x, np.roll(x, -rotation, 1)])


@given(
    seed=st.integers(0, 10**6), n=st.integers(2, 7), size=st.integers(1, 3), layers=st.integers(1, 4), turn=st.integers(0, 6)
)
@settings(max_examples=40, deadline=None)
def test_gates_that_rotate_with_the_input(seed, n, size, layers, turn):
    size = min(size, n)
    rng = np.random.default_rng(seed)
    gating, x = rng.normal(size=(layers, size, 1, 1)), rotated(rng.normal(size=(2, n)), turn)
    gates = routes.conv_gates(gating, x)
    moment = kernels.conv_gap_moment(gates, x, 0.8, size)
    scale = max(1.0, abs(moment).max())
    np.testing.assert_allclose(moment, np.tile(moment[:2, :2], (2, 2)), atol=1e-14 * scale)
    terms = kernels.rotation_terms(gates, x, 0.8, size)
    np.testing.assert_allclose(terms[:, 0, 3], np.roll(terms[:, 0, 1], -turn), atol=1e-14 * scale)
    np.testing.assert_allclose(terms[turn % n, 0, 1] * n**2, kernels.conv_moment(gates, x, 0.8, size)[0, 3], atol=1e-13 * scale)


def test_gates_kept_in_place_break_the_invariance():
    stored = reference("conv_nogap_second_moment")["inputs"]
    x, gating = np.array(stored["x"]), np.array(stored["gating_kernels"])[:, :, None, None]
    frozen, terms = [np.concatenate([gate, gate]) for gate in routes.conv_gates(gating, x)], []
    for turn in range(3):
        both = rotated(x, turn)
        moment = kernels.conv_gap_moment(frozen, both, stored["sigma"], stored["kernel"])
        expected = routes.path_pairs([g[:, :, 0] for g in frozen], both, 2) * 0.8**6 / 9
        np.testing.assert_allclose(moment, expected, atol=1e-14)
        terms.append(moment[0, 3])
    assert np.ptp(terms) > 0.1


def test_stored_moments():
    stored = reference("conv_nogap_second_moment")
    given_ = stored["inputs"]
    x, arguments = np.array(given_["x"]), (given_["sigma"], given_["kernel"])
    gates = routes.conv_gates(np.array(given_["gating_kernels"])[:, :, None, None], x)
    np.testing.assert_allclose(kernels.conv_moment(gates, x, *arguments), stored["expected"], atol=stored["atol"])


def test_blocks_of_samples_change_nothing(monkeypatch):
    gates, x = make(4, 2, samples=7)
    whole = kernels.conv_gap_moment(gates, x, 0.8, 2)
    monkeypatch.setattr("gatefield.kernels.convolution.BLOCK", 60)
    np.testing.assert_allclose(kernels.conv_gap_moment(gates, x, 0.8, 2), whole, rtol=1e-14)


def test_traced_values():
    gates, x = make(4, 2)
    with jax.enable_x64(True):
        slope = jax.jit(jax.grad(lambda s: kernels.expected_conv_ntk(gates, x, s, 2)[0, 1]))(0.8)
        terms = jax.jit(lambda x: kernels.rotation_terms(gates, x, 0.8, 2))(x)
    np.testing.assert_allclose(slope, 2 * kernels.expected_conv_ntk(gates, x, 0.8, 2)[0, 1] / 0.8, rtol=1e-12)
    np.testing.assert_allclose(terms, kernels.rotation_terms(gates, x, 0.8, 2), rtol=1e-12)


@pytest.mark.parametrize(("n", "size", "layers"), SHAPES)
def test_bundles_are_all_paths(n, size, layers):
    bundles = kernels.path_bundles(n, size, layers)
    assert bundles.weights.shape == (size**layers, layers)
    assert bundles.positions.shape == (size**layers, n, layers + 1)
    listed = [tuple(path) for bundle in bundles.positions.tolist() for path in bundle]
    assert sorted(listed) == routes.conv_paths(n, size, layers)
    for weights, bundle in zip(bundles.weights.tolist(), bundles.positions.tolist(), strict=True):
        assert all(routes.steps(tuple(path), n) == tuple(weights) for path in bundle)


ONES = np.ones((2, 3))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: kernels.conv_gap_moment([], ONES, 1.0, 2), "gates must be a list with an array for each convolution"),
        (lambda: kernels.conv_gap_moment([ONES], np.ones(3), 1.0, 2), r"x must have the shape \(samples, positions\)"),
        (lambda: kernels.conv_moment([np.ones((2, 4))], ONES, 1.0, 2), r"gates must have .*\(2, 3\), not \(2, 4\)"),
        (lambda: kernels.conv_moment([ONES], ONES, 1.0, 4), "kernel_size must be at most the 3 positions, but is 4"),
        (lambda: kernels.rotation_terms([ONES], ONES, -1.0, 2), "sigma must be positive and finite, but is -1"),
        (lambda: kernels.rotation_terms([ONES], ONES, [1.0, 1.0], 2), "one for each of the 1 layers"),
        (lambda: kernels.expected_conv_ntk([ONES * np.nan], ONES, 1.0, 2), "gates of layer 1 must be finite, but is nan"),
        (lambda: kernels.path_bundles(10, 3, 30), "more than 1000000 paths, too many to list; give smaller numbers"),
        (lambda: kernels.path_bundles(3, 2, 0), "layers must be a whole number of at least 1, but is 0"),
    ],
)
def test_wrong_input(call, text):
    with pytest.raises(UserError, match=text):
        call()
