"""What every kernel promises, tested on one of each; a new kernel is one line here."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from kernel_nets import make

from gatefield import UserError, kernels

SAMPLES, DIMS = 6, (4, 5, 3, 2)
WEIGHTS, GATES, X = make(DIMS, SAMPLES, soft=True)
GATING = make(DIMS, SAMPLES, seed=1)[0]
BIASES = [np.random.default_rng(2).normal(size=w.shape[1]) for w in WEIGHTS]
SOFT = {"beta": 2.0, "eps": 0.3}
FIRST = np.random.default_rng(3).normal(size=(30, DIMS[0]))
"""Weights of a first layer of thirty units, so many that no sample is without an open one."""


def ring(gates, channels=2):
    """Gates (samples, width) as they would be on a ring of two positions, the same width for each of two layers."""
    xp = np if isinstance(gates[0], np.ndarray) else jnp
    return [xp.stack([gate[:, :channels], gate[:, -channels:]], axis=1) for gate in gates]


def on_ring(x):
    return x.reshape(len(x), 2, 2)


KERNELS = {
    "ntk": lambda g, x: kernels.ntk(WEIGHTS, g, x),
    "ntk with biases": lambda g, x: kernels.ntk(WEIGHTS, g, x, biases=BIASES),
    "ntk of one output": lambda g, x: kernels.ntk(WEIGHTS, g, x, output=1),
    "path_overlap": lambda g, x: kernels.path_overlap(g),
    "path_kernel": kernels.path_kernel,
    "expected_ntk": lambda g, x: kernels.expected_ntk(g, x, 0.7),
    "expected_ntk, layers apart": lambda g, x: kernels.expected_ntk(g, x, [0.7, 0.2, 1.1]),
    "strength": lambda g, x: kernels.strength_and_gate_ntk(WEIGHTS, GATING, x, **SOFT)[0],
    "gate": lambda g, x: kernels.strength_and_gate_ntk(WEIGHTS, GATING, x, **SOFT)[1],
    "soft_relu_ntk": lambda g, x: sum(kernels.soft_relu_ntk(WEIGHTS, x, **SOFT, biases=BIASES)),
    "gate_path_sensitivity": lambda g, x: kernels.gate_path_sensitivity(GATING[:-1], x, **SOFT),
    "conv_gap_moment": lambda g, x: kernels.conv_gap_moment(ring(g), on_ring(x), 0.7, 2),
    "conv_moment": lambda g, x: kernels.conv_moment(ring(g), on_ring(x), 0.7, 2),
    "expected_conv_ntk": lambda g, x: kernels.expected_conv_ntk(ring(g), on_ring(x), [0.7, 0.3], 1),
    "outer_kernel": lambda g, x: kernels.outer_kernel([(x, g[0]), (g[1], x)]),
    "wide_relu_ntk": lambda g, x: kernels.wide_relu_ntk(x, 4, 9, 0.5),
    "wide_relu_ntk, few first weights": lambda g, x: kernels.wide_relu_ntk(x, 3, 9, [0.5, 0.2, 1.1], first=FIRST),
    "wide_galu_ntk": lambda g, x: kernels.wide_galu_ntk(x, 4, 9, 0.5, first=FIRST),
    "wide_soft_galu_ntk": lambda g, x: kernels.wide_soft_galu_ntk(x, 3, 9, [0.5, 0.2, 1.1], **SOFT),
    "wide_soft_relu_ntk": lambda g, x: kernels.wide_soft_relu_ntk(x, 3, 9, [0.5, 0.2, 1.1], **SOFT),
    "soft_overlap": lambda g, x: kernels.soft_overlap(x @ x.T, **SOFT),
    "soft_slope_overlap": lambda g, x: kernels.soft_slope_overlap(x @ x.T, **SOFT),
    "cosines": lambda g, x: kernels.cosine_normalised(kernels.path_kernel(g, x)),
    "of trace one": lambda g, x: kernels.trace_normalised(kernels.path_kernel(g, x)),
}
VARIANCES = {"ntk_variance": lambda g, x: kernels.ntk_variance(g, x, 0.7, 3.0)}
every = pytest.mark.parametrize("kernel", [*KERNELS.values(), *VARIANCES.values()], ids=[*KERNELS, *VARIANCES])


def chosen(which):
    return [gate[which] for gate in GATES], X[which]


@every
def test_plain_values_give_a_symmetric_matrix_in_float64(kernel):
    K = kernel(GATES, X)
    assert isinstance(K, np.ndarray)
    assert K.dtype == np.float64
    assert K.shape == (SAMPLES, SAMPLES)
    np.testing.assert_allclose(K, K.T, rtol=1e-12, atol=1e-12 * np.abs(K).max())


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_no_eigenvalue_is_negative(kernel):
    """All of them are Gram matrices, or means of such."""
    spectrum = np.linalg.eigvalsh(kernel(GATES, X))
    assert spectrum[0] > -1e-10 * spectrum[-1]
    assert spectrum[-1] > 0


@every
def test_entries_depend_on_their_two_samples_alone(kernel):
    """Fewer samples in another order give the same entries; a trace is a sum over all samples."""
    K, some = kernel(GATES, X), np.array([4, 0, 3])
    part = kernel(*chosen(some))
    expected = K[np.ix_(some, some)]
    if kernel is KERNELS["of trace one"]:
        expected = expected / np.trace(expected)
    np.testing.assert_allclose(part, expected, rtol=1e-10, atol=1e-12 * np.abs(K).max())


@pytest.mark.costly
@every
def test_traced_values_give_the_same(kernel):
    K = kernel(GATES, X)
    single = jax.jit(kernel)([jnp.asarray(g, jnp.float32) for g in GATES], jnp.asarray(X, jnp.float32))
    assert isinstance(single, jax.Array)
    np.testing.assert_allclose(single, K, rtol=2e-3, atol=1e-4 * np.abs(K).max())
    with jax.enable_x64(True):
        double = np.asarray(jax.jit(kernel)(GATES, X))
    np.testing.assert_allclose(double, K, rtol=1e-9, atol=1e-11 * np.abs(K).max())


@pytest.mark.costly
@every
def test_many_sets_of_samples_at_once(kernel):
    sets = [np.array([0, 1, 2]), np.array([5, 3, 1])]
    gates = [np.stack([gate[one] for one in sets]) for gate in GATES]
    with jax.enable_x64(True):
        found = np.asarray(jax.vmap(kernel)(gates, X[np.stack(sets)]))
    for K, one in zip(found, sets, strict=True):
        expected = kernel(*chosen(one))
        np.testing.assert_allclose(K, expected, rtol=1e-9, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("name", "factor"),
    [("ntk", 9), ("ntk of one output", 9), ("path_overlap", 1), ("path_kernel", 9), ("expected_ntk", 9), ("conv_moment", 9),
     ("conv_gap_moment", 9), ("wide_relu_ntk", 9), ("wide_galu_ntk", 9), ("cosines", 1), ("of trace one", 1),
     ("ntk_variance", 81)],
)  # fmt: skip
def test_scale_of_the_inputs(name, factor):
    """Behind given gates outputs are linear in the inputs."""
    kernel = (KERNELS | VARIANCES)[name]
    np.testing.assert_allclose(kernel(GATES, 3 * X), factor * kernel(GATES, X), rtol=1e-10)


@pytest.mark.parametrize("gate", [0.0, 1.0])
def test_a_sample_behind_shut_gates_has_no_kernel_but_that_of_biases(gate):
    gates = [np.array(g) for g in GATES]
    gates[0][2] = gate
    shut = not gate
    for name in ("ntk", "path_kernel", "expected_ntk", "path_overlap"):
        K = KERNELS[name](gates, X)
        assert np.all(K[2] == 0) == shut, name
    assert np.any(KERNELS["ntk with biases"](gates, X)[2] != 0)


def test_lists_are_taken():
    lists = [gate.tolist() for gate in GATES], X.tolist()
    weights = [w.tolist() for w in WEIGHTS]
    np.testing.assert_array_equal(kernels.ntk(weights, *lists), kernels.ntk(WEIGHTS, GATES, X))
    np.testing.assert_array_equal(kernels.path_kernel(*lists), kernels.path_kernel(GATES, X))
    np.testing.assert_array_equal(
        kernels.strength_and_gate_ntk(weights, [w.tolist() for w in GATING], lists[1]),
        kernels.strength_and_gate_ntk(WEIGHTS, GATING, X),
    )


def test_gates_of_whole_numbers_and_truth_values_do_not_change_the_float_type():
    single = [w.astype(np.float32) for w in WEIGHTS]
    opened = [gate > 0.5 for gate in GATES]
    found = kernels.ntk(single, opened, X.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, kernels.ntk(single, [gate.astype(int) for gate in opened], X.astype(np.float32)))
    assert kernels.ntk(single, opened, X).dtype == np.float64


@pytest.mark.parametrize(("beta", "eps"), [(0.5, 0.0), (4.0, 0.1), (30.0, 2.0)])
def test_soft_gate_and_its_slope(beta, eps):
    """The logistic function written out, its slope by differences and by the formula; far from zero it is a hard gate."""
    q = np.linspace(-2, 2, 41)
    gate, slope = kernels.soft_gate(q, beta, eps)
    np.testing.assert_allclose(gate, (1 + eps) / (1 + np.exp(-beta * q)), rtol=1e-12)
    step = 1e-6
    above, below = (kernels.soft_gate(q + side * step, beta, eps)[0] for side in (1, -1))
    np.testing.assert_allclose(slope, (above - below) / (2 * step), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(slope, beta * gate * (1 - gate / (1 + eps)), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(kernels.soft_gate(np.array([-1e3, 1e3]), beta, eps)[0], [0, 1 + eps], atol=1e-12)
    traced = jax.jit(lambda q: kernels.soft_gate(q, beta, eps))(jnp.asarray(q, jnp.float32))
    np.testing.assert_allclose(traced, [gate, slope], rtol=1e-4, atol=1e-6)


def test_steep_gates_that_no_input_is_near_have_the_kernel_of_hard_gates():
    """K^w goes to `ntk` of the hard gates and K^a to zero."""
    hard = kernels.ntk(WEIGHTS, hard_gates(GATING[:-1], X), X)
    strength, gate = kernels.strength_and_gate_ntk(WEIGHTS, GATING, X, beta=1e4, eps=0.0)
    np.testing.assert_allclose(strength, hard, rtol=1e-9, atol=1e-9 * np.abs(hard).max())
    assert np.abs(gate).max() < 1e-9 * np.abs(hard).max()


def hard_gates(weights, x):
    found = []
    for w in weights:
        q = x @ w
        found.append((q > 0).astype(float))
        x = q * found[-1]
    return found


@pytest.mark.parametrize(
    ("layer", "widths", "inputs"), [(1, [2, 3], 2), (2, [2, 3], 2), (3, [2, 3], 2), (1, [3], 4), (2, [3], 4)]
)
def test_paths_through_a_weight_by_listing_them(layer, widths, inputs):
    nodes = [inputs, *widths, 1]
    listed = np.stack(np.meshgrid(*map(np.arange, nodes), indexing="ij"), -1).reshape(-1, len(nodes))
    through = (listed[:, layer - 1] == 0) & (listed[:, layer] == 0)
    assert kernels.paths_through_weight(layer, widths, inputs) == through.sum()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: kernels.path_overlap([]), "gates must be arrays (samples, width), one for each gated layer"),
        (lambda: kernels.path_overlap([GATES[0], GATES[1][:3]]), "but have shapes [(6, 5), (3, 3)]; stack the samples."),
        (lambda: kernels.ntk(WEIGHTS, [np.ones((6, 2, 2)), 1], X), "convolutions are not covered, see tangent_kernel"),
        (lambda: kernels.ntk(WEIGHTS, GATES, X, output=-3), "output must be one of the 2 outputs, counted from 0, but is -3"),
        (lambda: kernels.gate_sensitivity(GATING[:-1], X[:, :2]), "gating_weights of layer 1 must have the shape (2, width)"),
        (lambda: kernels.gate_path_sensitivity(GATING, X, beta=0.0), "beta must be positive and finite, because hard gates"),
        (lambda: kernels.soft_relu_ntk(WEIGHTS[:1], X), "weights must be a list of at least two layers, not 1"),
        (lambda: kernels.soft_relu_ntk(WEIGHTS, X, biases=BIASES[:2]), "biases must have the shapes [(5,), (3,), (2,)]"),
    ],
)
def test_wrong_input_is_one_sentence(call, text):
    with pytest.raises(UserError) as caught:
        call()
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)
