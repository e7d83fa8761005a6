"""Deep gated networks: outputs by a plain forward pass, what is trained, gates taken over, initial weights, and bad input."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import Committee, DeepGated, UserError, kernels
from gatefield.core.runs import one_run, run_count

KEY = jax.random.key(0)
N, WIDTHS, SAMPLES = 3, [4, 5], 6
X = np.random.default_rng(0).normal(size=(SAMPLES, N)).astype(np.float32)
KINDS = ["linear", "free", "galu", "relu", "soft-relu", "soft-galu", "gates-only"]


def deep(gating="relu", key=KEY, **settings):
    extra = {"samples": SAMPLES} if gating == "free" and "free_gates" not in settings else {}
    return DeepGated(N, WIDTHS, gating=gating, key=key, **{**extra, **settings})


def plain(net, x):
    """The output of a network by loops over samples, layers and units, in float64."""
    layers = [np.asarray(w, float) for w in net.weights]
    biases = [np.asarray(b, float) for b in net.biases or [np.zeros(w.shape[1]) for w in layers]]
    gating = None if net.gating_weights is None else [np.asarray(w, float) for w in net.gating_weights]
    offsets = [np.asarray(b, float) for b in net.gating_biases or [np.zeros(w.shape[1]) for w in layers]]

    def gate(q):
        return float(q > 0) if np.isinf(net.beta) else (1 + net.eps) / (1 + np.exp(-net.beta * q))

    outputs = []
    for s, row in enumerate(np.asarray(x, float)):
        z, g = row, row
        for at, layer in enumerate(layers[:-1]):
            q = [sum(z[i] * layer[i, j] for i in range(len(z))) + biases[at][j] for j in range(layer.shape[1])]
            if net.gating == "linear":
                opened = [1.0] * len(q)
            elif net.gating == "free":
                opened = np.asarray(net.free_gates[at][s])
            elif gating is None:
                opened = [gate(v) for v in q]
            else:
                sums = g @ gating[at] + offsets[at]
                opened = [gate(v) for v in sums]
                g = np.multiply(opened, sums)
            z = np.multiply(opened, q)
        outputs.append(z @ layers[-1] + biases[-1])
    outputs = np.array(outputs)
    return outputs[:, 0] if outputs.shape[1] == 1 else outputs


@pytest.mark.costly
@pytest.mark.parametrize("gating", KINDS)
def test_output_is_the_plain_pass(gating):
    net = deep(gating, outputs=3 if gating == "soft-galu" else 1)
    np.testing.assert_allclose(net(X), plain(net, X), rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("gating", ["relu", "soft-galu"])
def test_biases_shift_every_sum(gating):
    net = deep(gating, bias=True)
    assert all(not np.any(b) for b in net.biases)
    shifted = jax.tree.map(lambda b: b + 0.3, (net.biases, net.gating_biases))
    net = eqx.tree_at(lambda n: (n.biases, n.gating_biases), net, shifted, is_leaf=lambda a: a is None)
    np.testing.assert_allclose(net(X), plain(net, X), rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("gating", KINDS)
def test_gates_are_those_of_the_output(gating):
    """Weights and gates as the kernels take them give the same output."""
    net, z = deep(gating), X
    for layer, gate in zip(net.weights[:-1], net.gates(X), strict=True):
        assert gate.shape == (SAMPLES, layer.shape[1])
        z = np.asarray(gate) * (z @ np.asarray(layer))
    np.testing.assert_allclose(net(X), (z @ np.asarray(net.weights[-1]))[:, 0], rtol=1e-5, atol=1e-6)


@pytest.mark.costly
@pytest.mark.parametrize(
    ("gating", "names"),
    [(kind, {"weights"}) for kind in KINDS[:5]]
    + [("soft-galu", {"weights", "gating_weights"}), ("gates-only", {"gating_weights"})],
)
def test_what_is_trained(gating, names):
    net = deep(gating)
    moved = net.trainable()
    for name in ("weights", "gating_weights", "free_gates"):
        assert set(jax.tree.leaves(getattr(moved, name))) <= {name in names}
    trained, fixed = eqx.partition(net, moved)
    gradient = jax.grad(lambda t: jnp.sum(eqx.combine(t, fixed)(X)))(trained)
    assert all(np.any(g) for g in jax.tree.leaves(gradient))
    assert len(jax.tree.leaves(gradient)) == sum(len(getattr(net, name)) for name in names)


@pytest.mark.parametrize("gating", ["free", "galu", "relu"])
def test_gradient_of_weights_takes_gates_as_fixed(gating):
    """Sum over samples of z_{l-1} b_l, with b going back through the gates."""
    net = deep(gating)
    found = jax.grad(lambda w: jnp.sum(eqx.tree_at(lambda n: n.weights, net, w)(X)))(net.weights)
    layers, gates = [np.asarray(w) for w in net.weights], [np.asarray(g) for g in net.gates(X)]
    forward, backward = [X], [np.ones((SAMPLES, 1))]
    for layer, gate in zip(layers, gates, strict=False):
        forward.append(gate * (forward[-1] @ layer))
    for layer, gate in zip(layers[:0:-1], gates[::-1], strict=True):
        backward.insert(0, gate * (backward[0] @ layer.T))
    for g, z, b in zip(found, forward, backward, strict=True):
        np.testing.assert_allclose(g, z.T @ b, rtol=1e-4, atol=1e-5)


def test_soft_kernels_take_the_parts_of_the_network():
    """The tangent kernel of a soft-GaLU network by its Jacobian."""
    net = deep("soft-galu", beta=2.0, eps=0.2)
    parts = kernels.strength_and_gate_ntk(net.weights, net.gating_layers, X, net.beta, net.eps)
    trained, fixed = eqx.partition(net, net.trainable())
    jacobian = jax.jacrev(lambda t: eqx.combine(t, fixed)(X))(trained)
    flat = np.concatenate([np.reshape(j, (SAMPLES, -1)) for j in jax.tree.leaves(jacobian)], axis=1)
    np.testing.assert_allclose(sum(parts), flat @ flat.T, rtol=1e-3, atol=1e-4)


def test_hard_gates_open_above_zero_only():
    net = DeepGated(2, [2], gating="relu", init=[[[1.0, -1.0], [-1.0, 1.0]], [1.0, 1.0]])
    np.testing.assert_array_equal(net.gates(jnp.array([[1.0, 1.0], [2.0, 1.0]]))[0], [[0, 0], [1, 0]])


@pytest.mark.parametrize("gating", ["relu", "soft-relu", "soft-galu", "free", "linear"])
def test_gates_of_another_network_are_frozen(gating):
    source = deep(gating)
    net = DeepGated(N, WIDTHS, gates_from=source, key=jax.random.key(5))
    for own, taken in zip(net.gates(X), source.gates(X), strict=True):
        np.testing.assert_allclose(own, taken, rtol=1e-5)
    assert (net.beta, net.eps) == (source.beta, source.eps)
    assert not any(jax.tree.leaves(net.trainable().gating_weights))
    assert np.any(net.weights[0] != source.weights[0])


def test_gates_taken_over_can_be_hardened_or_trained():
    hard = DeepGated(N, WIDTHS, gates_from=deep("soft-relu"), beta=np.inf, key=KEY)
    assert set(np.unique(hard.gates(X)[0])) == {0.0, 1.0}
    softer = DeepGated(N, WIDTHS, gates_from=deep("soft-relu"), eps=0.5, key=KEY)
    assert (softer.beta, softer.eps) == (deep("soft-relu").beta, 0.5)
    trained = DeepGated(N, WIDTHS, gating="soft-galu", gates_from=deep("relu"), key=KEY)
    assert (trained.beta, trained.eps) == (4.0, 0.1)
    assert all(jax.tree.leaves(trained.trainable().gating_weights))


def test_weights_and_gates_of_a_relu_network_make_it_again():
    source = deep("relu")
    net = DeepGated(N, WIDTHS, init=source.weights, gates_from=source)
    np.testing.assert_allclose(net(X), source(X), rtol=1e-5, atol=1e-6)


RULES = {
    "he": [np.sqrt(2 / 50), np.sqrt(2 / 400), np.sqrt(2 / 200)],
    "depth-free": [np.sqrt(4 / 400), np.sqrt(4 / 200), np.sqrt(4 / 200)],
    "glorot": [np.sqrt(2 / 450), np.sqrt(2 / 600), np.sqrt(2 / 202)],
}


@pytest.mark.parametrize(("sigma", "expected"), [*RULES.items(), (0.3, [0.3] * 3), ([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])])
def test_scale_of_each_layer(sigma, expected):
    """Weights of +-sigma show it."""
    net = DeepGated(50, [400, 200], gating="relu", init="bernoulli", sigma=sigma, mu=0.25, outputs=2, key=KEY)
    for layer, deviation in zip(net.weights, expected, strict=True):
        np.testing.assert_allclose(np.abs(layer), deviation, rtol=1e-6)


@pytest.mark.parametrize(("init", "sigma"), [("bernoulli", "depth-free"), ("gaussian", "he")])
def test_initial_weights_have_their_law(init, sigma):
    net = DeepGated(50, [400, 200], gating="galu", mu=0.25, init=init, sigma=sigma, outputs=2, key=KEY)
    for layer, s in zip([*net.weights, *net.gating_weights], [*RULES[sigma], *RULES[sigma][:2]], strict=True):
        layer = np.asarray(layer) / s
        assert abs(layer.mean()) < 5 / np.sqrt(layer.size)
        assert abs((layer**2).mean() - 1) < 5 * np.sqrt(2 / layer.size)
        fourth, error = ((layer**4).mean(), 5 * np.sqrt(96 / layer.size))
        assert abs(fourth - (1 if init == "bernoulli" else 3)) < (1e-4 if init == "bernoulli" else error)
    first, other = (np.asarray(w[0]) / RULES[sigma][0] for w in (net.weights, net.gating_weights))
    assert abs((first * other).mean()) < 5 / np.sqrt(first.size)


def test_free_gates_open_with_probability_mu():
    gates = DeepGated(1, [100, 200], gating="free", samples=300, mu=0.2, key=KEY).free_gates
    for gate in gates:
        assert set(np.unique(gate)) == {0.0, 1.0}
        assert abs(gate.mean() - 0.2) < 5 * np.sqrt(0.16 / gate.size)


def test_runs_have_their_own_weights_and_gates():
    keys = jax.random.split(KEY, 2)
    nets = deep("free", key=keys)
    assert run_count(nets) == 2
    for run in range(2):
        alone = deep("free", key=keys[run])
        for a, b in zip(jax.tree.leaves(one_run(nets, run)), jax.tree.leaves(alone), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"gating": "relux"}, "Unknown gating 'relux': did you mean 'relu'?"),
        ({"gating": None}, "DeepGated needs a gating: give one of linear, free"),
        ({"gating": "soft-relu", "beta": np.inf}, "trains no gates, because hard gates have no gradient; .* gating='relu'"),
        ({"gating": "gates-only", "beta": np.inf}, "trains no gates.*gating='galu'"),
        ({"gating": "relu", "beta": 4.0}, "takes no beta, but beta is 4"),
        ({"gating": "galu", "eps": 0.1}, "eps must be 0 for hard gates"),
        ({"beta": -1.0}, "beta must be positive, but is -1"),
        ({"mu": 0.0}, "mu must be above 0 and at most 1, but is 0"),
        ({"sigma": "hee"}, "Unknown sigma 'hee'"),
        ({"sigma": [1.0, 2.0]}, r"one for each of the 3 layers, but has shape \(2,\)"),
        ({"init": "normal"}, "Unknown init 'normal'"),
        ({"init": [np.ones((3, 4))]}, r"arrays of shapes \[\(3, 4\), \(4, 5\), \(5, 1\)\]"),
        ({"key": None}, "need a key"),
        ({"samples": 3}, "belong to gating='free'"),
        ({"gating": "free", "samples": None}, "needs the number of training samples"),
        ({"gates_from": Committee(3, 1, key=KEY)}, "must be a DeepGated network, but is a Committee"),
        ({"gating": None, "gates_from": DeepGated(3, [4, 4], gating="relu", key=KEY)}, r"widths = \[4, 5\] \(there \[4, 4\]\)"),
        ({"gating": None, "gates_from": DeepGated(2, [4, 5], gating="relu", key=KEY)}, r"has n = 3 \(there 2\)"),
        ({"gating": "relu", "gates_from": DeepGated(3, [4, 5], gating="relu", key=KEY)}, "takes no gates from another"),
        ({"gating": "galu", "gates_from": DeepGated(3, [4, 5], gating="linear", key=KEY)}, "has no weights that make gates"),
    ],
)
@pytest.mark.wrong_types
def test_bad_input_is_one_sentence(settings, words):
    with pytest.raises(UserError, match=words):
        deep(**settings)


@pytest.mark.wrong_types
@pytest.mark.parametrize("widths", [[], 5, [3, 0]])
def test_widths_must_be_a_list_of_widths(widths):
    with pytest.raises(UserError, match="widths must be a"):
        DeepGated(N, widths, gating="relu", key=KEY)


def test_free_gates_need_their_samples():
    with pytest.raises(UserError, match=r"made for 6 samples, but inputs have shape \(5, 3\)"):
        deep("free")(X[:5])
