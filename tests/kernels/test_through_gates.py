"""K^a by some of its paths, and by its gates, against sums over all paths and JAX's Jacobians."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from kernel_nets import jacobian_kernel, jacobians, make

from gatefield import UserError, kernels
from gatefield.ledger.routes.calculus import slopes
from gatefield.ledger.routes.paths import paths
from gatefield.ledger.routes.paths import soft_gates as plain_gates

BETA, EPS, DIMS = 3.0, 0.2, (2, 3, 2, 3, 1)


@pytest.fixture(scope="module")
def net():
    strengths, _, x = make(DIMS, 4)
    gating = [0.7 * w for w in make(DIMS, 4, seed=1)[0][:-1]]
    rng = np.random.default_rng(3)
    moving, kept = ([rng.random((4, w)) < 0.6 for w in DIMS[1:-1]] for _ in range(2))
    return strengths, gating, x, moving, kept


def listed(strengths, gating, x, moving, kept):
    """Psi^S by listing paths and terms of equation 6; dG/dtheta by differences."""
    gates = plain_gates(gating, x, BETA, EPS)
    steep = [slopes(lambda g, at=at: plain_gates(g, x, BETA, EPS)[at], gating) for at in range(len(gating))]
    psi = np.zeros((len(x), steep[0].shape[1]))
    for p in paths(DIMS):
        strength = np.prod([w[edge] for w, edge in zip(strengths, itertools.pairwise(p), strict=True)])
        for at, unit in enumerate(p[1:-1]):
            rest = [gates[k][:, i] * kept[k][:, i] for k, i in enumerate(p[1:-1]) if k != at]
            term = strength * x[:, p[0]] * np.prod(rest, axis=0) * moving[at][:, unit]
            psi += term[:, None] * steep[at][:, :, unit]
    return psi


def test_restricted_kernel_equals_the_sum_over_its_paths(net):
    psi = listed(*net)
    strengths, gating, x, moving, kept = net
    found = kernels.gate_ntk_through(strengths, gating, x, moving, kept, BETA, EPS)
    np.testing.assert_allclose(found, psi @ psi.T, rtol=1e-6, atol=1e-8)
    ones = [np.ones_like(mask) for mask in kept]
    psi = listed(strengths, gating, x, moving, ones)
    np.testing.assert_allclose(kernels.gate_ntk_through(strengths, gating, x, moving, None, BETA, EPS), psi @ psi.T, rtol=1e-6)
    whole = kernels.strength_and_gate_ntk(strengths, gating, x, BETA, EPS)[1]
    np.testing.assert_allclose(kernels.gate_ntk_through(strengths, gating, x, ones, ones, BETA, EPS), whole, rtol=1e-12)


def test_path_sensitivity_of_kept_paths(net):
    """Sum over the paths all of whose gates are kept, each derivative by differences."""
    _, gating, x, _, kept = net

    def products(g):
        gates = plain_gates(g, x, BETA, EPS)
        each = [np.prod([gates[k][:, i] * kept[k][:, i] for k, i in enumerate(p)], axis=0) for p in paths(DIMS[1:-1])]
        return np.array(each).T

    rows = slopes(products, gating).reshape(len(x), -1)
    np.testing.assert_allclose(
        kernels.gate_path_sensitivity(gating, x, BETA, EPS, kept=kept), rows @ rows.T, rtol=1e-6, atol=1e-9
    )


def test_path_sensitivity_of_gates_that_move(net):
    """All other gates are held where they are: of the product rule the terms of those that move are left."""
    _, gating, x, moving, kept = net
    still = plain_gates(gating, x, BETA, EPS)

    def products(g):
        gates = [np.where(m, a, b) for m, a, b in zip(moving, plain_gates(g, x, BETA, EPS), still, strict=True)]
        each = [np.prod([gates[k][:, i] * kept[k][:, i] for k, i in enumerate(p)], axis=0) for p in paths(DIMS[1:-1])]
        return np.array(each).T

    rows = slopes(products, gating).reshape(len(x), -1)
    found = kernels.gate_path_sensitivity(gating, x, BETA, EPS, kept=kept, moving=moving)
    np.testing.assert_allclose(found, rows @ rows.T, rtol=1e-6, atol=1e-9)


def behind(strengths, gates, x):
    z = jnp.asarray(x)
    for w, gate in zip(strengths[:-1], gates, strict=True):
        z = (z @ w) * gate
    return z @ strengths[-1]


def soft(gating, x):
    z, found = jnp.asarray(x), []
    for w in gating:
        q = z @ w
        found.append((1 + EPS) / (1 + jnp.exp(-BETA * q)))
        z = q * found[-1]
    return found


@pytest.mark.costly
@pytest.mark.parametrize("outputs", [1, 2])
def test_parts_of_gates_by_jacobians(outputs):
    """dy/dG times dG/dtheta times dy/dtheta, all three by JAX, one gate after the other."""
    dims = (*DIMS[:-1], outputs)
    strengths, _, x = make(dims, 4)
    gating, v = [0.7 * w for w in make(dims, 4, seed=1)[0][:-1]], np.array([1.0, -1.0, 0.5, 2.0])
    gates = [np.asarray(g, float) for g in soft(gating, x)]
    psi = jacobians(lambda g: behind(strengths, soft(g, x), x), gating)  # (samples, outputs, weights)
    found = kernels.gate_parts(strengths, gating, x, BETA, EPS), kernels.gate_parts(strengths, gating, x, BETA, EPS, along=v)
    for at, gate in enumerate(gates):
        steep = jacobians(lambda g, at=at: soft(g, x)[at], gating)  # (samples, width, weights)
        push = jacobians(lambda g, at=at: behind(strengths, [*gates[:at], g[0], *gates[at + 1 :]], x), [gate])
        push = np.stack([push.reshape(4, outputs, *gate.shape)[s, :, s] for s in range(4)])  # (samples, outputs, width)
        own = np.einsum("sow,swm,som->sw", push, steep, psi)
        whole = np.einsum("s,sow,swm,t,tom->sw", v, push, steep, v, psi)
        np.testing.assert_allclose(found[0][at], own, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(found[1][at], whole, rtol=1e-6, atol=1e-8)
    kernel = kernels.strength_and_gate_ntk(strengths, gating, x, BETA, EPS)[1]
    np.testing.assert_allclose(sum(part.sum(1) for part in found[0]), np.diag(kernel), rtol=1e-12)
    np.testing.assert_allclose(sum(part.sum() for part in found[1]), v @ kernel @ v, rtol=1e-12)


def test_one_sum_is_a_jacobian_kernel_and_tracing_agrees(net):
    strengths, gating, x, moving, kept = net
    expected = jacobian_kernel(lambda g: behind(strengths, soft(g, x), x)[:, 0], gating)
    parts = kernels.gate_parts(strengths, gating, x, BETA, EPS)
    np.testing.assert_allclose(sum(part.sum() for part in parts), np.trace(expected), rtol=1e-10)
    traced = jax.jit(kernels.gate_ntk_through)(strengths, gating, x, moving, kept, BETA, EPS)
    np.testing.assert_allclose(
        traced, kernels.gate_ntk_through(strengths, gating, x, moving, kept, BETA, EPS), rtol=1e-3, atol=1e-4
    )


def test_wrong_masks(net):
    strengths, gating, x, moving, kept = net
    with pytest.raises(
        UserError, match=r"moving must have the shapes \[\(4, 3\), \(4, 2\), \(4, 3\)\] of the gates, not \[\(4, 3\)\]"
    ):
        kernels.gate_ntk_through(strengths, gating, x, moving[:1])
    with pytest.raises(UserError, match=r"kept must have the shapes"):
        kernels.gate_path_sensitivity(gating, x, kept=kept[::-1][:2])
    with pytest.raises(UserError, match="along must have one number for each of the 4 samples, not 3; give as many"):
        kernels.gate_parts(strengths, gating, x, along=[1.0, 2.0, 3.0])
