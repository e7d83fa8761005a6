"""Kernels of soft gates against JAX's Jacobians, all signs, and lists of all paths."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from kernel_nets import jacobian_kernel, jacobians, make, reference

from gatefield import UserError, kernels
from gatefield.ledger.routes.calculus import gram
from gatefield.ledger.routes.paths import activations, all_signs
from gatefield.ledger.routes.paths import soft_gates as plain_gates

BETA, EPS = 4.0, 0.1


def gates_of(gating, x):
    z, found = x, []
    for w in gating:
        q = z @ w
        found.append((1 + EPS) / (1 + jnp.exp(-BETA * q)))
        z = q * found[-1]
    return found


def soft_galu(strengths, gating, x):
    z = x
    for w, gate in zip(strengths[:-1], gates_of(gating[: len(strengths) - 1], x), strict=True):
        z = (z @ w) * gate
    return (z @ strengths[-1])[:, 0]


@pytest.fixture(scope="module")
def net():
    dims = (3, 6, 5, 4, 1)
    weights, _, x = make(dims, 8)
    return [0.6 * w for w in weights], [0.6 * w for w in make(dims, 8, seed=1)[0]], x


def test_both_parts_equal_products_of_jacobians(net):
    strengths, gating, x = net
    found = kernels.strength_and_gate_ntk(strengths, gating, x, BETA, EPS)
    expected = [
        jacobian_kernel(lambda w: soft_galu(w, gating, x), strengths),
        jacobian_kernel(lambda g: soft_galu(strengths, g, x), gating),
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    without = kernels.strength_and_gate_ntk(strengths, gating[:-1], x, BETA, EPS)
    np.testing.assert_array_equal(without, found)
    np.testing.assert_allclose(jax.jit(kernels.strength_and_gate_ntk)(strengths, gating, x), found, rtol=1e-3, atol=1e-4)


def test_soft_relu_parts_sum_to_the_kernel(net):
    weights, _, x = net
    parts = kernels.soft_relu_ntk(weights, x, BETA, EPS)
    np.testing.assert_allclose(sum(parts), jacobian_kernel(lambda w: soft_galu(w, w, x), weights), rtol=1e-10, atol=1e-12)
    apart = kernels.strength_and_gate_ntk(weights, weights, x, BETA, EPS)
    np.testing.assert_allclose(parts[:2], apart, rtol=1e-12)
    assert np.abs(parts.cross).max() > 0.05 * np.abs(sum(parts)).max()


def test_path_sensitivity_equals_the_sum_over_paths():
    gating, _, x = make((2, 3, 2, 3, 1), 4)
    found = kernels.gate_path_sensitivity(gating, x, BETA, EPS)
    slow = gram(lambda g: activations(plain_gates(g, x, BETA, EPS)).T, gating[:-1])
    np.testing.assert_allclose(found, slow, rtol=1e-6)
    np.testing.assert_array_equal(kernels.gate_path_sensitivity(gating[:-1], x, BETA, EPS), found)


@pytest.mark.slow
def test_means_over_all_signs():
    dims, sigma = (2, 2, 2, 1), 0.7
    gating, _, x = make(dims, 3)
    every = np.array([kernels.strength_and_gate_ntk(w, gating, x) for w in all_signs(itertools.pairwise(dims), sigma)])
    strength, gate = every.mean(0)
    gates = plain_gates(gating[:-1], x, BETA, EPS)
    np.testing.assert_allclose(strength, kernels.expected_ntk(gates, x, sigma), rtol=1e-12)
    np.testing.assert_allclose(gate, sigma**6 * (x @ x.T) * kernels.gate_path_sensitivity(gating, x), rtol=1e-12)


def test_stored_gate_part():
    """The stored value does not name the signs of its strengths; these are the ones it fits."""
    stored = reference("softgalu_Ka_single")
    a, b = np.meshgrid(np.arange(2), np.arange(2), indexing="ij")
    gating = [np.cos(1 + 0.7 * a + 1.3 * b + 2.1 * layer) for layer in (1, 2)]
    signs = np.array([[1.0, 1.0], [1.0, -1.0]])
    found = kernels.strength_and_gate_ntk([0.7 * signs, 0.7 * signs, 0.7 * signs[1]], gating, stored["inputs"]["x"])[1]
    np.testing.assert_allclose(found, stored["expected"], atol=stored["atol"])


def test_gate_sensitivity_equals_the_steepest_derivative():
    gating, _, x = make((2, 3, 4, 1), 5)
    found = kernels.gate_sensitivity(gating, x, BETA, EPS)
    rows = jacobians(lambda g: jnp.concatenate(gates_of(g, x), 1), gating[:-1])
    np.testing.assert_allclose(np.concatenate(found.gates, 1), np.abs(rows).max(-1), rtol=1e-10)


def test_wrong_settings(net):
    strengths, gating, x = net
    with pytest.raises(UserError, match=r"beta must be positive and finite, because hard gates have no slope.* but is inf"):
        kernels.strength_and_gate_ntk(strengths, gating, x, beta=np.inf)
    with pytest.raises(UserError, match="eps must be zero or more and finite, but is -1"):
        kernels.soft_relu_ntk(strengths, x, eps=-1.0)
    with pytest.raises(UserError, match="gating_weights must have 4 layers, or 3 without the last, not 2"):
        kernels.strength_and_gate_ntk(strengths, gating[:2], x)
    with pytest.raises(UserError, match=r"gating_weights must have the shapes of weights, but have \[\(3, 5\)"):
        kernels.strength_and_gate_ntk(strengths, [gating[0][:, :5], gating[1][:5], gating[2]], x)
    with pytest.raises(UserError, match=r"biases must have the shapes \[\(6,\), .*\(1,\)\], one for each unit of a layer, not"):
        kernels.soft_relu_ntk(strengths, x, biases=[np.zeros(6)] * 4)


@pytest.mark.slow
def test_beta_alone_may_be_traced():
    rng = np.random.default_rng(2)
    weights, gating = [rng.normal(size=(3, 4)), rng.normal(size=4)], [rng.normal(size=(3, 4)), rng.normal(size=4)]
    x, betas = rng.normal(size=(2, 3)), np.array([1.0, 4.0])
    found = jax.vmap(lambda beta: kernels.strength_and_gate_ntk(weights, gating, x, beta, 0.1))(betas)
    for at, beta in enumerate(betas):
        for one, other in zip(found, kernels.strength_and_gate_ntk(weights, gating, x, beta, 0.1), strict=True):
            np.testing.assert_allclose(one[at], other, rtol=2e-5, atol=1e-5)
    slope = jax.grad(lambda eps: kernels.strength_and_gate_ntk(weights, gating, x, 4.0, eps)[0].sum())(0.1)
    ends = [kernels.strength_and_gate_ntk(weights, gating, x, 4.0, eps)[0].sum() for eps in (0.1 - 1e-4, 0.1 + 1e-4)]
    np.testing.assert_allclose(slope, (ends[1] - ends[0]) / 2e-4, rtol=1e-4)


def test_biases_and_several_outputs():
    """Both parts by Jacobians with respect to weights and biases, summed over three outputs; and the soft-ReLU kernel."""
    rng = np.random.default_rng(5)
    dims = (3, 6, 5, 3)
    strengths, gating = ([0.6 * w for w in make(dims, 8, seed=seed)[0]] for seed in (0, 1))
    x, sizes = make(dims, 8)[2], dims[1:]
    biases, offsets = [rng.normal(size=s) for s in sizes], [rng.normal(size=s) for s in sizes[:-1]]

    def output(w, b, g, c):
        z = a = jnp.asarray(x)
        for at, (one, other) in enumerate(zip(g, c, strict=True)):
            q = a @ one + other
            gate = (1 + EPS) / (1 + jnp.exp(-BETA * q))
            z, a = gate * (z @ w[at] + b[at]), gate * q
        return z @ w[-1] + b[-1]

    def gram(function, arrays):
        rows = jacobians(function, arrays)
        return np.einsum("som,tom->st", rows, rows)

    found = kernels.strength_and_gate_ntk(strengths, gating[:-1], x, BETA, EPS, biases=biases, gating_biases=offsets)
    expected = [
        gram(lambda p: output(p[:3], p[3:], gating[:-1], offsets), [*strengths, *biases]),
        gram(lambda p: output(strengths, biases, p[:2], p[2:]), [*gating[:-1], *offsets]),
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    both = gram(lambda p: output(p[:3], p[3:], p[:2], p[3:5]), [*strengths, *biases])
    np.testing.assert_allclose(sum(kernels.soft_relu_ntk(strengths, x, BETA, EPS, biases=biases)), both, rtol=1e-10, atol=1e-12)
