"""What deep and convolutional networks share: one pass, the same options, weights that a key decides, what is recorded."""

import itertools
import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from networks import KINDS, SAMPLES, N, X, deep, moved, ring

from gatefield import ConvGated, DeepGated, UserError, one_run, train
from gatefield.data import Dataset

KEY = jax.random.key(0)
BOTH = {"deep": deep, "ring": ring}
both = pytest.mark.parametrize("make", BOTH.values(), ids=BOTH)


@pytest.mark.costly
@pytest.mark.parametrize("kind", KINDS)
def test_a_convolution_over_one_position_is_a_dense_layer(kind):
    """Weights, biases and gates of a deep network in a convolutional one of kernels of side 1: the same network."""
    net = moved(deep(kind, outputs=3, bias=True)(KEY))
    extra = {"free_gates": net.free_gates} if kind == "free" else {}
    twin = ConvGated(
        (1, N), [5], kernel_size=1, dense=[4], outputs=3, gating=kind, init=net.weights, gating_init=net.gating_weights,
        bias=True, **extra,
    )  # fmt: skip
    twin = eqx.tree_at(lambda n: n.biases, twin, net.biases)
    if net.gating_biases is not None:
        twin = eqx.tree_at(lambda n: n.gating_biases, twin, net.gating_biases)
    np.testing.assert_allclose(twin(X), net(X), rtol=1e-5, atol=1e-6)
    for mine, other in zip(net.gates(X), twin.gates(X), strict=True):
        np.testing.assert_allclose(other.reshape(mine.shape), mine, rtol=1e-5, atol=1e-6)


@pytest.mark.costly
@pytest.mark.parametrize("kind", ["relu", "galu", "gates-only"])
@both
def test_gates_that_are_taken_over_keep_their_biases(make, kind):
    """Of a network whose biases are not zero any more; the weights behind the gates are drawn anew."""
    source = moved(make(kind, bias=True)(KEY))
    net = make(None, gates_from=source)(jax.random.key(5))
    for mine, its in zip(net.gates(X), source.gates(X), strict=True):
        np.testing.assert_array_equal(mine, its)


@pytest.mark.costly
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("law", ["gaussian", "bernoulli"])
@both
def test_a_key_decides_the_weights(make, law, kind):
    """Three keys of the key draw one row of numbers each: for weights, gating network and free gates; layers are cut out."""
    net = make(kind, init=law, sigma=0.5)(KEY)
    draw = {"gaussian": jax.random.normal, "bernoulli": lambda k, shape: jax.random.rademacher(k, shape, float)}[law]
    shapes, keys = [w.shape for w in net.weights], jax.random.split(KEY, 3)

    def cut(row, shapes):
        ends = list(itertools.accumulate(math.prod(shape) for shape in shapes))
        return [np.asarray(row[end - math.prod(shape) : end]).reshape(shape) for end, shape in zip(ends, shapes, strict=True)]

    total = sum(math.prod(shape) for shape in shapes)
    for arrays, key in ((net.weights, keys[0]), (net.gating_weights or (), keys[1])):
        for array, expected in zip(arrays, cut(draw(key, (total,)), shapes), strict=False):
            np.testing.assert_allclose(array, 0.5 * expected, rtol=1e-6)
    if kind == "free":
        units = [(SAMPLES, math.prod(unit)) for unit in net.units]
        drawn = jax.random.bernoulli(keys[2], 0.5, (sum(math.prod(shape) for shape in units),))
        for array, expected in zip(net.free_gates, cut(drawn, units), strict=True):
            np.testing.assert_array_equal(array, expected)


@both
def test_gates_are_made_of_the_sums_that_decide_them(make):
    for kind, hard in (("relu", True), ("galu", True), ("soft-relu", False), ("gates-only", False)):
        net = moved(make(kind, bias=True)(KEY))
        for unit, gate, q in zip(net.units, net.gates(X), net.preactivations(X), strict=True):
            assert gate.shape == q.shape == (SAMPLES, *unit)
            expected = q > 0 if hard else 1.1 / (1 + np.exp(-4 * np.asarray(q, float)))
            np.testing.assert_allclose(gate, expected, rtol=1e-5)
    with pytest.raises(UserError, match="gating 'free' has no weights that make gates"):
        make("free")(KEY).preactivations(X)


@pytest.mark.costly
@both
def test_each_run_may_have_its_own_soft_gate(make):
    nets = make("soft-relu", beta=[1.0, 8.0], eps=[0.0, 0.3])(KEY)
    for run, (beta, eps) in enumerate([(1.0, 0.0), (8.0, 0.3)]):
        alone = make("soft-relu", beta=beta, eps=eps)(KEY)
        np.testing.assert_allclose(one_run(nets, run)(X), alone(X), rtol=1e-5, atol=1e-6)
    record = train(nets, Dataset(X, X[:, 0]), steps=2, batch_size="all", learning_rate=0.1, key=KEY).record
    assert record.sizes["run"] == 2
    assert not np.allclose(record.loss[0], record.loss[1])
    with pytest.raises(UserError, match=r"must have one value for each run, but have shapes \(2,\) and \(3,\)"):
        make("soft-relu", beta=[1.0, 2.0], eps=[0.1, 0.2, 0.3])(KEY)
    with pytest.raises(UserError, match=r"or one for each run, but have shape \(1, 2\)"):
        make("soft-relu", beta=[[1.0, 2.0]])(KEY)
    with pytest.raises(UserError, match="beta must be finite for all runs, or inf for all"):
        make("galu", beta=[1.0, np.inf])(KEY)


@pytest.mark.costly
@pytest.mark.wrong_types
@both
def test_sums_in_bfloat16_change_the_output_by_their_rounding_alone(make):
    single, half = (np.asarray(make("soft-relu", precision=p)(KEY)(X)) for p in ("float32", "bfloat16"))
    assert single.dtype == half.dtype == np.float32
    assert 0 < np.abs(half - single).max() / np.abs(single).max() < 0.05
    with pytest.raises(UserError, match="Unknown precision 'half'"):
        make("relu", precision="half")(KEY)


@pytest.mark.costly
@pytest.mark.parametrize("kind", KINDS)
def test_without_a_readout_the_last_gates_give_the_output(kind):
    net, whole = (deep(kind, outputs=outputs)(KEY) for outputs in (None, 4))
    assert net.outputs == 4
    assert len(net.weights) == 2
    through = eqx.tree_at(lambda n: n.weights[-1], whole, jnp.eye(4))
    shared = {name: getattr(net, name) for name in ("gating_weights", "free_gates") if getattr(net, name) is not None}
    through = eqx.tree_at(lambda n: n.weights[:-1], through, net.weights)
    for name, value in shared.items():
        through = eqx.tree_at(lambda n, name=name: getattr(n, name), through, value)
    np.testing.assert_allclose(net(X), through(X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", ["galu", "soft-galu", "gates-only"])
@both
def test_all_weights_and_biases_are_recorded_if_asked(make, kind):
    """Under the names of their layers, each as the network has it: those of the gating network are its own."""
    plain = make(kind, bias=True)(KEY)
    assert set(plain.observables()) == {"weight_norm", "gating_norm"}
    net = moved(make(kind, bias=True, record_weights=True)(KEY))
    seen = net.observables()
    for name in ("weights", "biases", "gating_weights", "gating_biases"):
        for at, array in enumerate(getattr(net, name), 1):
            np.testing.assert_array_equal(seen[f"{name}_{at}"][1], array)
        assert f"{name}_{len(getattr(net, name)) + 1}" not in seen
    assert np.any(seen["gating_biases_1"][1] != seen["biases_1"][1])
    np.testing.assert_allclose(seen["weight_norm"][1][0], np.linalg.norm(seen["weights_1"][1]), rtol=1e-5)
    np.testing.assert_allclose(seen["gating_norm"][1][1], np.linalg.norm(seen["gating_weights_2"][1]), rtol=1e-5)


def test_recorded_weights_name_their_axes():
    seen = deep("soft-galu", record_weights=True, bias=True)(KEY).observables()
    assert seen["weights_2"][0] == ("unit_1", "unit_2")
    assert seen["gating_biases_2"][0] == ("unit_2",)
    seen = ring("relu", dense=[4, 5], outputs=3, record_weights=True)(KEY).observables()
    assert [seen[f"weights_{at}"][0] for at in (1, 2, 3, 4)] == [
        ("incoming_1", "unit_1"), ("incoming_2", "unit_2"), ("incoming_3", "unit_3"), ("unit_3", "unit_4")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        *((kind, {"weights", "biases"}) for kind in KINDS[:5]),
        ("soft-galu", {"weights", "biases", "gating_weights", "gating_biases"}),
        ("gates-only", {"gating_weights", "gating_biases"}),
    ],
)
@both
def test_biases_are_trained_with_their_weights(make, kind, names):
    marks = make(kind, bias=True)(KEY).trainable()
    arrays = ("weights", "biases", "gating_weights", "gating_biases", "free_gates", "soft_arrays")
    assert {name for name in arrays if any(jax.tree.leaves(getattr(marks, name)))} == names


def test_depth_free_weights_of_one_layer_without_readout_have_the_scale_of_its_width():
    net = DeepGated(3, [25], gating="relu", outputs=None, init="bernoulli", sigma="depth-free", mu=0.25, key=KEY)
    np.testing.assert_allclose(np.abs(net.weights[0]), 0.4, rtol=1e-6)


def test_free_gates_count_all_samples():
    net = deep("free")(KEY)
    np.testing.assert_allclose(net(X[:, None])[:, 0], net(X), rtol=1e-6)
    with pytest.raises(UserError, match=r"made for 5 samples, but inputs have shape \(4, 6\); give the whole training set"):
        net(X[:4])


def test_numbers_of_a_dense_network_are_no_arrays():
    """All leaves of networks made by many keys then have the run axis, so that a plain vmap goes over the runs."""
    nets = deep("soft-galu", beta=2.0, bias=True)(jax.random.split(KEY, 3))
    found = jax.vmap(lambda net: net(X))(nets)
    np.testing.assert_allclose(found[1], one_run(nets, 1)(X), rtol=1e-5, atol=1e-6)
