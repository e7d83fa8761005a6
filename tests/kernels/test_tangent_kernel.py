"""The tangent kernel against all pairs of paths, JAX's Jacobians and values known by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from kernel_nets import jacobians, make

from gatefield import UserError, kernels
from gatefield.ledger.routes.paths import activations, all_pairs, output, path_features

MID = (30, 40, 25, 35, 3)


@pytest.mark.parametrize("dims", [(2, 3, 2, 1), (1, 2, 2, 3, 1), (3, 2, 1), (2, 1, 3, 1)])
@pytest.mark.parametrize("soft", [False, True])
def test_equals_the_sum_over_all_pairs_of_paths(dims, soft):
    weights, gates, x = make(dims, 5, soft=soft)
    expected = all_pairs(weights, gates, x)
    for last in (weights[-1], weights[-1][:, 0]):
        np.testing.assert_allclose(kernels.ntk([*weights[:-1], last], gates, x), expected, atol=1e-12 * np.abs(expected).max())


def test_equals_products_of_jacobians():
    weights, gates, x = make(MID, 20)
    rows = jacobians(lambda w: output(w, gates, x), weights)
    each = np.einsum("skm,tkm->kst", rows, rows)
    np.testing.assert_allclose(kernels.ntk(weights, gates, x), each.sum(0), rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(kernels.ntk(weights, gates, x, output=1), each[1], rtol=1e-12, atol=1e-9)


def test_single_precision_stays_single():
    weights, gates, x = (jax.tree.map(np.float32, part) for part in make(MID, 20))
    found, expected = kernels.ntk(weights, gates, x), kernels.ntk(*make(MID, 20))
    assert found.dtype == np.float32
    assert expected.dtype == np.float64
    np.testing.assert_allclose(found, expected, atol=2e-6 * np.abs(expected).max())


def test_strips_and_blocks_make_the_same_matrix():
    weights, gates, x = make((4, 6, 5, 1), 23)
    whole = kernels.ntk(weights, gates, x)
    np.testing.assert_allclose(kernels.ntk(weights, gates, x, block=5), whole, rtol=1e-12, atol=1e-12)
    found = np.full_like(whole, np.nan)
    for rows, columns, part in kernels.ntk_blocks(weights, gates, x, block=7):
        assert max(part.shape) <= 7
        found[rows, columns] = part
        found[columns, rows] = part.T
    np.testing.assert_allclose(found, whole, rtol=1e-12, atol=1e-12)
    assert (whole == whole.T).all()


def test_under_jit_and_vmap():
    weights, gates, x = make((4, 6, 5, 1), 7)
    many = [jnp.stack([w, 2 * w]) for w in weights]
    found = jax.jit(jax.vmap(kernels.ntk, in_axes=(0, None, None)))(many, gates, x)
    expected = kernels.ntk(weights, gates, x)
    np.testing.assert_allclose(found, np.stack([expected, 16 * expected]), rtol=1e-4, atol=1e-4)


def test_shared_gates():
    weights, _, x = make((4, 6, 5, 1), 7)
    linear = [np.ones((7, 6)), np.ones((7, 5))]
    for gates in ([np.ones(6), np.ones(5)], [1, 1], [np.ones((7, 6), bool), np.ones((1, 5))]):
        np.testing.assert_array_equal(kernels.ntk(weights, gates, x), kernels.ntk(weights, linear, x))


@pytest.mark.parametrize("soft", [False, True])
def test_path_kernel_equals_the_products_of_path_features(soft):
    dims = (3, 2, 4, 2, 1)
    _, gates, x = make(dims, 6, soft=soft)
    features = path_features(dims, gates, x)
    np.testing.assert_allclose(kernels.path_kernel(gates, x), features.T @ features, rtol=1e-12, atol=1e-13)
    ones = activations(gates)
    np.testing.assert_allclose(kernels.path_overlap(gates), ones.T @ ones, rtol=1e-12, atol=1e-13)


def test_normalised():
    _, gates, x = make((3, 8, 6, 1), 9)
    gates[0][4] = 0
    K = kernels.path_kernel(gates, x)
    assert np.trace(kernels.trace_normalised(K)) == pytest.approx(1)
    cosines, lengths = kernels.cosine_normalised(K), np.sqrt(np.diag(K))
    np.testing.assert_allclose(cosines * np.outer(lengths, lengths), K, atol=1e-10)
    np.testing.assert_allclose(np.diag(cosines), np.arange(9) != 4)
    assert not cosines[4].any()
    assert not kernels.trace_normalised(np.zeros((2, 2))).any()


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda w, g, x: (w, g[:1], x), "3 weight layers need 2 layers of gates, not 1"),
        (lambda w, g, x: (w[:1], [], x), "at least two layers, not 1"),
        (
            lambda w, g, x: ([w[0].T, *w[1:]], g, x),
            r"layer 1 must have the shape \(4, width\), because 4 values enter, not \(6, 4\)",
        ),
        (lambda w, g, x: (w, [g[0][:3], g[1]], x), r"gates of layer 1 must have the shape \(7, 6\), not \(3, 6\)"),
        (lambda w, g, x: (w, [a[:0] for a in g], x[:0]), r"x must have at least one sample, but its shape is \(0, 4\)"),
        (lambda w, g, x: (w, g, x[0]), r"x must have the shape \(samples, inputs\), not \(4,\)"),
    ],
)
def test_wrong_shapes(change, text):
    with pytest.raises(UserError, match=text):
        kernels.ntk(*change(*make((4, 6, 5, 1), 7)))


def test_wrong_settings():
    net = make((4, 6, 5, 2), 7)
    with pytest.raises(UserError, match="one of the 2 outputs, counted from 0, but is 2"):
        kernels.ntk(*net, output=2)
    with pytest.raises(UserError, match="block must be a whole number of at least 1, but is 0"):
        kernels.ntk(*net, block=0)
    with pytest.raises(UserError, match="ntk_blocks cannot run under jit"):
        jax.jit(lambda x: list(kernels.ntk_blocks(net[0], net[1], x)))(net[2])
    with pytest.raises(UserError, match="must be arrays"):
        kernels.path_overlap([np.ones(3)])
    with pytest.raises(UserError, match=r"x must have the shape \(7, inputs\)"):
        kernels.path_kernel(net[1], net[2][:3])


def test_biases_are_trained_with_the_weights():
    """A network of given gates and biases, by its Jacobian with respect to both."""
    weights, gates, x = make((4, 6, 5, 2), 7)
    biases = [np.random.default_rng(3).normal(size=w.shape[1]) for w in weights]

    def biased(parameters):
        z = jnp.asarray(x)
        for at, (w, b) in enumerate(zip(parameters[:3], parameters[3:], strict=True)):
            z = (z @ w + b) * (gates[at] if at < 2 else 1)
        return z

    rows = jacobians(biased, [*weights, *biases])
    each = np.einsum("skm,tkm->kst", rows, rows)
    np.testing.assert_allclose(kernels.ntk(weights, gates, x, biases=biases), each.sum(0), rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(kernels.ntk(weights, gates, x, biases=biases, block=3), each.sum(0), rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(kernels.ntk(weights, gates, x, biases=biases, output=1), each[1], rtol=1e-12, atol=1e-10)
    (_, _, block), *_ = kernels.ntk_blocks(weights, gates, x, biases=biases, block=4)
    np.testing.assert_allclose(block, each.sum(0)[:4, :4], rtol=1e-12, atol=1e-10)
    traced = jax.jit(lambda b: kernels.ntk(weights, gates, x, biases=b))(biases)
    np.testing.assert_allclose(traced, each.sum(0), rtol=1e-4, atol=1e-3)
    with pytest.raises(UserError, match=r"biases must have the shapes \[\(6,\), \(5,\), \(2,\)\], one for each unit"):
        kernels.ntk(weights, gates, x, biases=biases[:2])


def test_outer_products_are_those_of_the_gradients():
    """Two arrays: the derivatives written out as matrices, and their products entry by entry."""
    rng = np.random.default_rng(0)
    parts = [(rng.normal(size=(5, a)), rng.normal(size=(5, b))) for a, b in ((3, 2), (1, 4))]
    rows = np.concatenate([np.einsum("si,sj->sij", f, b).reshape(5, -1) for f, b in parts], axis=1)
    np.testing.assert_allclose(kernels.outer_kernel(parts), rows @ rows.T, rtol=1e-12)


def test_a_gated_pass_hands_on_sums_times_gates():
    layers = [lambda z: z + 1, lambda z: 2 * z]
    passed = list(kernels.gated_pass(layers, np.array([1.0, -3.0]), lambda at, q: (q > 0) * (10.0**at)))
    for found, expected in zip(passed, [([2, -2], [1, 0], [2, 0]), ([4, 0], [10, 0], [40, 0])], strict=True):
        np.testing.assert_array_equal(found, expected)
