"""The gated linear network, trained and solved."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import GatedLinear, Task, UserError, train
from gatefield.data import Gaussian
from gatefield.gates import GateSet, HalfSpace, Open, Scheduled, Shut, half_spaces
from gatefield.theory import gated_linear as gl

N = 4
TASK = Task(Gaussian(N, 2.0), Gaussian(N, 1.0))


def test_output_is_the_mean_of_gated_linear_units():
    rng = np.random.default_rng(0)
    w, v, x = rng.normal(size=(2, N)), rng.normal(size=(2, N)), rng.normal(size=(10, N))
    expected = ((x @ v.T > 0) * (x @ w.T)).mean(-1)
    np.testing.assert_allclose(
        GatedLinear(N, half_spaces(v), init=w)(jnp.asarray(x, jnp.float32)), expected, rtol=1e-4, atol=1e-6
    )


def test_gates_equal_to_its_own_signs_make_it_a_relu_committee():
    from gatefield import Committee
    from gatefield.gates import learned

    committee = Committee(N, 3, key=jax.random.key(0))
    x = jax.random.normal(jax.random.key(1), (20, N))
    net = GatedLinear(N, learned(committee.fields), init=committee.fields)
    np.testing.assert_allclose(net(x), committee(x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", [pytest.param("fixed", marks=pytest.mark.slow), "scheduled"])
def test_training_follows_the_exact_path(kind):
    """SGD with a small step and a large batch, two seeds; scheduled gates open half way."""
    v = np.random.default_rng(1).normal(size=(2, N))
    late = half_spaces(v)
    early = GateSet([Shut(), Open()]) if kind == "scheduled" else late
    gates = GateSet([Scheduled([0.0, 2.0], [a, b]) for a, b in zip(early.gates, late.gates, strict=True)])
    nets = GatedLinear(N, gates, key=jax.random.split(jax.random.key(2), 2))
    record = train(nets, TASK, steps=400, batch_size=2000, learning_rate=0.01, record_every=100, key=jax.random.key(3)).record
    pieces = [(start, *gl.statistics(g, TASK)[:2]) for start, g in [(0.0, early), (2.0, late)]]
    for run in range(2):
        exact = gl.solve_pieces(pieces, record.fields.values[run, 0].ravel(), record.time.values, 2)
        gap = np.linalg.norm(record.fields.values[run].reshape(5, -1) - exact, axis=-1) / np.linalg.norm(exact, axis=-1)
        assert gap.max() < 0.02


def test_only_weights_are_trained():
    net = GatedLinear(N, [HalfSpace(np.ones(N))], init="zero", key=jax.random.key(0))
    assert sum(jax.tree.leaves(net.trainable())) == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: GatedLinear(3, half_spaces([[1.0, 0.0]])), "direction of 2 sites"),
        (lambda: GatedLinear(3, [Open()]), "need a key"),
        (lambda: GatedLinear(3, [Open()], init=np.ones((2, 3))), r"shape \(K, n\) = \(1, 3\)"),
        (lambda: GatedLinear(3, []), "one or more gates"),
    ],
)
def test_bad_input_gets_one_sentence(make, words):
    with pytest.raises(UserError, match=words):
        make()


def test_inputs_may_be_lists():
    net = GatedLinear(N, half_spaces(np.eye(N)[:2]), init=np.ones((2, N)))
    np.testing.assert_allclose(net([[1, 2, 3, 4], [-1, 2, 3, 4]]), [10.0, 4.0])
