"""Mean and variance of the tangent kernel against all signs of the weights, fractions, and stored values."""

import itertools
from fractions import Fraction

import jax
import numpy as np
import pytest
from kernel_nets import make, reference

from gatefield import UserError, kernels
from gatefield.ledger.routes.paths import all_signs, plain_second_moment

SMALL = [(2, 2, 2, 1), (1, 2, 2, 2, 1), (1, 3, 2, 1), (2, 3, 1)]


def gate_pattern(depth, width, samples):
    at = np.meshgrid(np.arange(samples), np.arange(width), indexing="ij")
    return [(np.sin(0.5 + 1.1 * at[0] + 1.7 * at[1] + 2.3 * layer) > 0).astype(float) for layer in range(1, depth)]


@pytest.mark.parametrize("dims", SMALL)
@pytest.mark.parametrize("soft", [pytest.param(False, marks=pytest.mark.slow), True])
def test_moments_over_all_signs(dims, soft):
    _, gates, x = make(dims, 3, seed=1, soft=soft)
    sigma = 0.7
    every = np.array([kernels.ntk(w, gates, x) for w in all_signs(itertools.pairwise(dims), sigma)])
    np.testing.assert_allclose(kernels.expected_ntk(gates, x, sigma), every.mean(0), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(kernels.ntk_variance(gates, x, sigma), every.var(0), rtol=1e-11, atol=1e-13)


def test_a_deviation_for_each_layer():
    dims, sigma = (2, 2, 2, 1), np.array([0.5, 1.3, 0.8])
    _, gates, x = make(dims, 2, seed=2, soft=True)
    every = np.array([kernels.ntk(w, gates, x) for w in all_signs(itertools.pairwise(dims), sigma)])
    np.testing.assert_allclose(kernels.expected_ntk(gates, x, sigma), every.mean(0), rtol=1e-12)
    np.testing.assert_allclose(kernels.ntk_variance(gates, x, sigma), every.var(0), rtol=1e-11)


@pytest.mark.slow
def test_three_values_with_the_kurtosis_of_gaussians():
    """Weights 0, +-sqrt(3) with probabilities 2/3, 1/6, 1/6 have variance 1 and kurtosis 3."""
    _, gates, x = make((1, 2, 2, 1), 2, seed=3, soft=True)
    shapes, values = [(1, 2), (2, 2), (2, 1)], np.array([-(3**0.5), 0.0, 3**0.5])
    chances = np.array([1 / 6, 2 / 3, 1 / 6])
    every, weight = [], []
    for pick in itertools.product(range(3), repeat=8):
        cuts = np.split(values[list(pick)], [2, 6])
        every.append(kernels.ntk([c.reshape(s) for c, s in zip(cuts, shapes, strict=True)], gates, x))
        weight.append(chances[list(pick)].prod())
    mean = np.average(every, 0, weight)
    np.testing.assert_allclose(kernels.ntk_variance(gates, x, 1.0, 3.0), np.average((every - mean) ** 2, 0, weight), rtol=1e-11)


@pytest.mark.parametrize(("name", "kurtosis"), [("ntk_var_det_bernoulli", 1), ("ntk_var_det_gauss", 3)])
def test_stored_variances(name, kurtosis):
    stored = reference(name)
    x, sigma = stored["inputs"]["x"], stored["inputs"]["sigma"]
    found = kernels.ntk_variance(gate_pattern(4, 4, 3), x, sigma, kurtosis)
    np.testing.assert_allclose(found, stored["expected"], atol=stored["atol"])


@pytest.mark.parametrize("name", ["dln_ntk_var_w100_d4", "dln_ntk_var_w100_d10", "dln_ntk_var_w20_d8"])
def test_stored_variances_of_linear_networks(name):
    stored = reference(name)
    depth, width = stored["inputs"]["d"], stored["inputs"]["w"]
    found = kernels.ntk_variance([np.ones((1, width))] * (depth - 1), [[1.0]], stored["inputs"]["sigma2"] ** 0.5)
    assert found.item() == pytest.approx(stored["expected"], abs=stored["atol"])


def test_stored_moments_over_gates_and_weights():
    stored = reference("frg_entry_moments_w500_d8")
    found, expected = kernels.random_gate_moments(8, 500, 0.5, 0.004**0.5), stored["expected"]
    for name in ("self", "cross"):
        mean, variance = getattr(found, f"{name}_mean"), getattr(found, f"{name}_variance")
        assert mean / 8 == pytest.approx(expected[f"{name}_mean_over_d"], abs=stored["atol"])
        assert variance**0.5 / 8 == pytest.approx(expected[f"{name}_sd_over_d"], abs=stored["atol"])


@pytest.mark.parametrize(("depth", "width"), [(3, 10**6), (6, 10**10)])
@pytest.mark.parametrize("kurtosis", [1, 3])
def test_nothing_cancels_in_wide_networks(depth, width, kurtosis):
    """Against the plain recursion in fractions; the relative variance is below 1e-6, and floats would lose it in the mean."""
    s4 = Fraction(1, width**2)
    pairs = width * (width - 1)
    exact = plain_second_moment(width, pairs, pairs, depth, s4, kurtosis) - depth**2
    found = kernels.random_gate_moments(depth, width, 1.0, width**-0.5, kurtosis)
    assert found.self_variance == pytest.approx(float(exact), rel=1e-12)
    assert found.self_variance == pytest.approx(found.cross_variance)


def test_two_layers_of_signs_have_no_variance():
    assert kernels.ntk_variance([np.ones((2, 50))], [[1.0], [3.0]], 0.3).max() == 0


def test_deep_and_wide_networks_do_not_overflow():
    mean = kernels.expected_ntk([np.ones((2, 5000))] * 99, np.ones((2, 1)), 5000**-0.5)
    np.testing.assert_allclose(mean, 100.0, rtol=1e-10)


def test_under_jit():
    _, gates, x = make((2, 3, 4, 1), 3)
    for function in (kernels.expected_ntk, kernels.ntk_variance):
        np.testing.assert_allclose(jax.jit(function)(gates, x, 0.6), function(gates, x, 0.6), rtol=1e-4, atol=1e-5)


def test_wrong_settings():
    _, gates, x = make((2, 3, 4, 1), 3)
    with pytest.raises(UserError, match="sigma must be one number or one for each of the 3 layers"):
        kernels.expected_ntk(gates, x, [1.0, 2.0])
    with pytest.raises(UserError, match="sigma must be positive and finite, but is -1"):
        kernels.ntk_variance(gates, x, -1.0)
    with pytest.raises(UserError, match=r"kurtosis must be one or more and finite, but is 0\.5"):
        kernels.ntk_variance(gates, x, 1.0, 0.5)
    with pytest.raises(UserError, match="mu must be above 0 and at most 1, but is 0"):
        kernels.random_gate_moments(3, 4, 0.0, 1.0)
