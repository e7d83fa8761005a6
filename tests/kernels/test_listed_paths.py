"""Paths as objects, against paths that are followed one by one, and sums over them against networks."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from kernel_nets import make

from gatefield import Committee, ConvGated, DeepGated, UserError, kernels

NETS = [(2, 3, 2, 1), (1, 2, 2, 3, 1), (3, 2, 1), (2, 3, 2, 4)]
KEY = jax.random.key(3)


def followed(dims):
    return list(itertools.product(*(range(size) for size in dims[:-1])))


@pytest.mark.parametrize("dims", NETS)
def test_every_path_is_listed_once(dims):
    found = kernels.all_paths(list(dims[1:-1]), dims[0])
    assert [tuple(path) for path in found.tolist()] == followed(dims)


@pytest.mark.parametrize("dims", NETS)
def test_strengths_activations_and_features_along_each_path(dims):
    """Every product is made by following the path; soft gates tell all of them apart."""
    weights, gates, x = make(dims, 4, soft=True)
    strengths = np.reshape(kernels.path_strengths(weights), (-1, dims[-1]))
    activations, features = kernels.path_activations(gates, dims[0]), kernels.path_features(gates, x)
    assert strengths.shape == (math.prod(dims[:-1]), dims[-1])
    for at, path in enumerate(followed(dims)):
        for end in range(dims[-1]):
            along = [w[a, b] for w, (a, b) in zip(weights, itertools.pairwise([*path, end]), strict=True)]
            assert strengths[at, end] == pytest.approx(math.prod(along), rel=1e-12)
        for sample in range(4):
            opened = math.prod(gate[sample, unit] for gate, unit in zip(gates, path[1:], strict=True))
            assert activations[sample, at] == pytest.approx(opened, rel=1e-12)
            assert features[sample, at] == pytest.approx(opened * x[sample, path[0]], rel=1e-12)


@pytest.mark.parametrize("dims", NETS)
def test_outputs_are_features_times_strengths(dims):
    weights, gates, x = make(dims, 5, soft=True)
    z = x
    for w, gate in zip(weights, gates, strict=False):
        z = (z @ w) * gate
    found = kernels.path_features(gates, x) @ kernels.path_strengths(weights)
    np.testing.assert_allclose(found.reshape(5, -1), z @ weights[-1], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("dims", NETS)
def test_effective_weights_are_sums_of_strengths_and_make_a_linear_network(dims):
    weights, _, x = make(dims, 5)
    strengths = np.reshape(kernels.path_strengths(weights), (-1, dims[-1]))
    begins = np.array([path[0] for path in followed(dims)])
    eta = np.reshape(kernels.effective_weights(weights), (dims[0], -1))
    np.testing.assert_allclose(eta, [strengths[begins == i].sum(0) for i in range(dims[0])], rtol=1e-10, atol=1e-13)
    net = DeepGated(dims[0], dims[1:-1], gating="linear", outputs=dims[-1], init=weights)
    np.testing.assert_allclose(x @ eta, np.reshape(net(x), (5, -1)), rtol=1e-4, atol=1e-4)


def test_products_of_features_are_the_path_kernel():
    _, gates, x = make((3, 2, 4, 2, 1), 6, soft=True)
    features, ones = kernels.path_features(gates, x), kernels.path_activations(gates)
    np.testing.assert_allclose(features @ features.T, kernels.path_kernel(gates, x), rtol=1e-12)
    np.testing.assert_allclose(ones @ ones.T, kernels.path_overlap(gates), rtol=1e-12)


@pytest.mark.costly
@pytest.mark.parametrize("gating", ["relu", "galu", "soft-relu", "free", "linear"])
@pytest.mark.parametrize("outputs", [1, 3])
def test_a_network_is_the_sum_over_its_paths(gating, outputs):
    size = {"samples": 6} if gating == "free" else {}
    net = DeepGated(4, [5, 3], gating=gating, outputs=outputs, key=KEY, **size)
    x = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    view = kernels.path_view(net, x)
    assert view.paths.shape == (60, 3)
    assert view.features.shape == view.activations.shape == (6, 60)
    np.testing.assert_allclose(view.outputs, net(x), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(view.features, view.activations * x[:, view.paths[:, 0]])
    traced = jax.jit(lambda x: kernels.path_view(net, x).outputs)(jnp.asarray(x))
    np.testing.assert_allclose(traced, view.outputs, rtol=1e-4, atol=1e-5)


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: kernels.all_paths([100] * 3, 2), "2 x 100 x 100 x 100 nodes make more than 1000000 paths, too many to list"),
        (lambda: kernels.path_strengths([np.ones((2, 999)), np.ones((999, 999)), np.ones(999)]), "more than 1000000 paths"),
        (lambda: kernels.path_activations([np.ones((20, 1000))], 1000), "1000000 paths for each of 20 samples or outputs"),
        (lambda: kernels.path_features([np.ones((20, 1000))], np.ones((20, 1000))), "give fewer samples, at most 10."),
        (lambda: kernels.path_features([np.ones((2, 3))], np.ones((3, 3))), "x must have the shape (2, inputs)"),
        (lambda: kernels.path_strengths([]), "weights must be arrays (fan-in, width), one for each layer"),
        (lambda: kernels.path_strengths([np.ones(3), np.ones(3)]), "but have shapes [(3,), (3,)]"),
        (lambda: kernels.effective_weights([np.ones((2, 3)), np.ones(2)]), "weights of layer 2 must have the shape (3, width)"),
        (lambda: kernels.effective_weights([np.ones((2, 3))]), "a list of at least two layers, not 1"),
        (lambda: kernels.path_view(Committee(4, 2, key=KEY), np.ones((2, 4))), "net must be a DeepGated, but is Committee"),
        (lambda: kernels.path_view(np.ones((2, 3)), np.ones((2, 4))), "net must be a DeepGated, but is ndarray"),
        (lambda: kernels.path_view(DeepGated, np.ones((2, 4))), "net must be a DeepGated"),
        (lambda: kernels.path_view(DeepGated(4, [2], gating="relu", bias=True, key=KEY), np.ones((2, 4))), "no biases"),
        (lambda: kernels.path_view(DeepGated(4, [2], gating="relu", outputs=None, key=KEY), np.ones((2, 4))), "outputs=1"),
        (
            lambda: kernels.path_view(DeepGated(4, [2], gating="relu", key=KEY), np.ones(4)),
            "x must have the shape (samples, n)",
        ),
        (
            lambda: kernels.path_view(ConvGated((4, 1), [2], outputs=1, gating="relu", key=KEY), np.ones((2, 4))),
            "net must have dense layers and outputs",
        ),
    ],
)
def test_wrong_input_is_one_sentence(call, text):
    with pytest.raises(UserError) as caught:
        call()
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)
