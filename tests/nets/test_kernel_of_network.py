"""The tangent kernel of every network against products of its own Jacobian, in float64."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from networks import NETWORKS, SAMPLES, N, X, cubic, deep, every, moved, ring

from gatefield import Committee, DeepGated, UserError, kernels, one_run
from gatefield.core.runs import run_axes
from gatefield.kernels import network as route
from gatefield.kernels import tangent_kernel

KEY = jax.random.key(0)
STRUCTURED = ["committee of all parts", "gated linear", "deep soft-galu with biases and outputs"]


def by_jacobian(net, x):
    """Products of forward derivatives of all outputs by all that is trained, at once."""
    trained, fixed = eqx.partition(net, net.trainable())
    rows = eqx.filter_jit(jax.jacfwd(lambda t: eqx.combine(t, fixed)(x).reshape(len(x), -1)))(trained)
    flat = [np.asarray(leaf).reshape(len(x), net.outputs, -1) for leaf in jax.tree.leaves(rows)]
    return sum(np.einsum("som,tom->st", rows, rows) for rows in flat)


@pytest.mark.costly
@every
def test_equals_the_products_of_the_jacobian(make):
    with jax.enable_x64(True):
        net = moved(make(KEY))
        found, expected = tangent_kernel(net, X), by_jacobian(net, X)
    assert isinstance(found, np.ndarray)
    rough = 2e-2 if getattr(net, "precision", "") == "bfloat16" else 1e-10
    np.testing.assert_allclose(found, expected, rtol=rough, atol=rough * np.abs(expected).max())
    assert np.trace(expected) > 0


@pytest.mark.costly
@pytest.mark.parametrize("name", STRUCTURED)
def test_the_structured_route_is_taken_and_equals_that_by_jacobians(name):
    with jax.enable_x64(True):
        net = moved(NETWORKS[name](KEY))
        found = net.structured_kernel(jnp.asarray(X))
        assert found is not None
        np.testing.assert_allclose(found, route.jacobian_kernel(net, jnp.asarray(X)), rtol=1e-10, atol=1e-12)


@pytest.mark.costly
@pytest.mark.parametrize("make", [ring("free", outputs=3), ring("soft-galu", bias=True), cubic])
def test_blocks_of_samples_make_the_same_matrix(make, monkeypatch):
    """So little memory that blocks have one and two samples."""
    with jax.enable_x64(True):
        net = make(KEY)
        whole = tangent_kernel(net, X)
        size = sum(leaf.size for leaf in jax.tree.leaves(eqx.filter(net, net.trainable()))) * net.outputs * 8
        for samples in (1, 2):
            monkeypatch.setattr(route, "BYTES", 2 * samples * size)
            np.testing.assert_allclose(tangent_kernel(net, X), whole, rtol=1e-12, atol=1e-12)
            assert np.all(tangent_kernel(net, X) == tangent_kernel(net, X).T)


def test_trained_biases_belong_to_the_kernel():
    """Without their terms a kernel is off by far more than rounding."""
    net = moved(deep("relu", bias=True)(KEY))
    without = kernels.ntk(net.weights, net.gates(X), X)
    assert np.abs(tangent_kernel(net, X) - without).max() > 0.05 * np.abs(without).max()


def test_frozen_parts_do_not_count():
    """x x' over K^2 for each unit that is open for both, whatever else is frozen."""
    net = Committee(N, 3, bias="frozen", bias_init=0.4, linear="frozen", linear_init=1.0, output_bias="frozen", key=KEY)
    opened = X @ np.asarray(net.fields).T + 0.4 > 0
    np.testing.assert_allclose(tangent_kernel(net, X), (X @ X.T) * (opened @ opened.T.astype(float)) / 9, rtol=1e-4, atol=1e-6)


@pytest.mark.costly
@pytest.mark.parametrize("make", [deep("relu"), deep("soft-galu", bias=True), ring("relu"), cubic])
def test_under_jit_and_for_each_run(make):
    nets, x = make(jax.random.split(KEY, 2)), jnp.asarray(X, jnp.float32)
    found = jax.jit(jax.vmap(lambda net: tangent_kernel(net, x), in_axes=(run_axes(nets),)))
    for run, K in enumerate(found(nets)):
        assert isinstance(K, jax.Array)
        np.testing.assert_allclose(K, tangent_kernel(one_run(nets, run), x), rtol=2e-3, atol=2e-4)


def test_inputs_in_the_shape_of_an_image_are_the_flat_ones():
    net = NETWORKS["image"](KEY)
    np.testing.assert_array_equal(tangent_kernel(net, X.reshape(SAMPLES, 3, 2, 1)), tangent_kernel(net, X))


@pytest.mark.wrong_types
def test_wrong_input_is_one_sentence():
    net = deep("relu")(KEY)
    with pytest.raises(UserError, match=r"net must be a network of gatefield, such as DeepGated\(...\), but is MLP"):
        tangent_kernel(eqx.nn.MLP(2, 1, 3, 1, key=KEY), X)
    with pytest.raises(UserError, match="stands for 2 runs and cannot be called as one"):
        tangent_kernel(deep("relu")(jax.random.split(KEY, 2)), X)
    with pytest.raises(UserError, match=r"x must have the shape \(samples, n\), but has \(6,\)"):
        tangent_kernel(net, X[0])
    with pytest.raises(UserError, match=r"x must have at least one sample, but its shape is \(0, 6\)"):
        tangent_kernel(net, X[:0])
    with pytest.raises(UserError, match="Inputs must have the last axis n = 6"):
        tangent_kernel(net, X[:, :3])


def test_a_network_of_which_nothing_is_trained_has_the_kernel_zero():
    class Still(type(cubic(KEY))):
        def trainable(self):
            return jax.tree.map(lambda _: False, self)

    net = cubic(KEY)
    assert not np.any(tangent_kernel(Still(net.power, net.fields, net.offset), X))


def test_plain_values_give_the_float_type_of_the_network():
    assert tangent_kernel(DeepGated(N, [4], gating="relu", key=KEY), X).dtype == np.float32
    assert tangent_kernel(Committee(N, 2, key=KEY), X).dtype == np.float32
    assert tangent_kernel(ring("relu")(KEY), X).dtype == np.float32


@pytest.mark.costly
@pytest.mark.parametrize("name", ["committee of all parts", "gated linear", "deep relu", "deep soft-galu", "ring relu"])
def test_the_kernel_predicts_how_outputs_change(name):
    """A short step along minus the gradient of half the mean squared error moves outputs by -rate K (y - label) / samples.

    Only for one output: with several, K is the sum over them, and each output moves by a kernel of its own.
    """
    with jax.enable_x64(True):
        net, rate, label = moved(NETWORKS[name](KEY)), 1e-6, jnp.cos(jnp.arange(SAMPLES, dtype=float))
        trained, fixed = eqx.partition(net, net.trainable())
        slope = jax.grad(lambda t: 0.5 * jnp.mean((eqx.combine(t, fixed)(X) - label) ** 2))(trained)
        after = eqx.combine(jax.tree.map(lambda a, g: a - rate * g, trained, slope), fixed)
        change = np.asarray(after(X) - net(X)) / rate
        expected = -tangent_kernel(net, X) @ np.asarray(net(X) - label) / SAMPLES
    np.testing.assert_allclose(change, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())


def test_the_mean_over_drawn_networks_is_the_expected_kernel():
    """2,000 deep networks behind the same free gates, within 5 standard errors."""
    gates = [np.random.default_rng(1).integers(0, 2, (SAMPLES, width)).astype(float) for width in (5, 4)]
    keys = jax.random.split(jax.random.key(1), 2000)
    nets = DeepGated(N, [5, 4], gating="free", free_gates=gates, sigma=0.6, init="uniform", key=keys)
    each = np.asarray(jax.jit(jax.vmap(lambda net: tangent_kernel(net, X), in_axes=(run_axes(nets),)))(nets), float)
    error = each.std(0) / np.sqrt(len(each))
    assert np.all(np.abs(each.mean(0) - kernels.expected_ntk(gates, X, 0.6)) <= 5 * error + 1e-12)
