"""A training moved by hand takes the steps of `train`, bit for bit."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from gatefield import Committee, ConvGated, DeepGated, Diverged, GatedLinear, Task, UserError, train
from gatefield.data import Dataset, Gaussian, NonlinearGP
from gatefield.dynamics import Stepper, advance, init
from gatefield.gates import GateSet, HalfSpace, Open, Scheduled

KEY = jax.random.key(7)
FAST = np.array([0.05, 1e20, 1e25])
N = 6
RNG = np.random.default_rng(0)
TASK = Task(NonlinearGP(N, 2.0, 3.0), NonlinearGP(N, 1.0, 3.0))
DIGITS = Dataset(RNG.normal(size=(40, N)).astype(np.float32), np.tile([0, 1, 2], 14)[:40])
IMAGES = Dataset(RNG.normal(size=(24, 25)).astype(np.float32), np.tile([0, 1], 12))
FIRST, SECOND = HalfSpace(np.eye(N)[0]), HalfSpace(-np.eye(N)[0])
SWITCHING = GateSet([Scheduled([0.0, 0.35], [FIRST, SECOND]), Open()])

PIECES = (1, 3, 5, 2)
"""Steps that are taken at a time, eleven in all."""

CASES = {
    "committee": (Committee(N, 2, key=KEY, bias=True, readout="learned", activation="erf"), TASK, {}),
    "scheduled gates": (GatedLinear(N, SWITCHING, key=KEY), TASK, {}),
    "deep": (DeepGated(N, [5, 4], gating="soft-galu", beta=4.0, outputs=3, key=KEY, record_weights=True), DIGITS, {}),
    "convolution": (
        ConvGated((5, 5, 1), [2], gating="relu", kernel_size=3, outputs=2, key=KEY),
        IMAGES,
        {"loss": "cross-entropy"},
    ),
    "adam, schedule": (
        Committee(N, 2, key=KEY),
        TASK,
        {"optimizer": "adam", "learning_rate": optax.cosine_decay_schedule(0.1, 20)},
    ),
    "several runs": (
        Committee(N, 2, key=jax.random.split(KEY, 3)),
        TASK,
        {"learning_rate": np.array([0.01, 0.05, 0.2]), "optimizer": "momentum"},
    ),
}


@pytest.mark.costly
@pytest.mark.parametrize("name", CASES)
def test_steps_by_hand_are_those_of_train(name):
    net, task, more = CASES[name]
    settings = {"batch_size": 8, "learning_rate": 0.05, "key": jax.random.key(3), **more}
    marks = [0, *np.cumsum(PIECES).tolist()]
    trained, record = train(net, task, steps=11, record_every=1, **settings)
    stepper = init(net, task, **settings)
    for pieces, mark in zip((0, *PIECES), marks, strict=True):
        stepper = advance(stepper, pieces) if pieces else stepper
        assert stepper.step == mark
        seen, written = stepper.observe(), record.sel(step=mark)
        for quantity in seen.data_vars:
            assert seen[quantity].dims == written[quantity].dims
            np.testing.assert_array_equal(seen[quantity], written[quantity], err_msg=f"{quantity} at {mark}")
    same = jax.tree.map(np.array_equal, stepper.net, trained)
    assert all(jax.tree.leaves(same))


def test_a_stepper_is_left_as_it_is():
    start = init(Committee(N, 1, key=KEY), TASK, batch_size=8, learning_rate=0.1, key=KEY)
    fields = np.asarray(start.net.fields)
    once, twice = advance(start, 4), advance(start, 4)
    assert (start.step, once.step) == (0, 4)
    assert repr(once).startswith(f"Stepper(net=Committee(n={N}, K=1), task=Task(positive=")
    assert repr(once).endswith(", step=4)")
    assert "\n" not in repr(once)
    np.testing.assert_array_equal(start.net.fields, fields)
    np.testing.assert_array_equal(once.net.fields, twice.net.fields)
    assert np.any(once.net.fields != fields)


def test_any_number_of_steps_is_compiled_once():
    traced = []

    def loss(output, label):
        traced.append(1)
        return jnp.mean((output - label) ** 2)

    stepper = init(Committee(N, 1, key=KEY), TASK, batch_size=8, learning_rate=0.1, key=KEY, loss=loss)
    stepper = advance(stepper, 2)
    before = len(traced)
    for steps in (1, 7, 30):
        stepper = advance(stepper, steps)
    assert len(traced) == before
    assert stepper.step == 40


def test_further_quantities_and_wrong_numbers_of_steps():
    square = {"square": (("unit",), lambda net: jnp.sum(net.fields**2, axis=-1))}
    stepper = init(Committee(N, 2, key=KEY), TASK, batch_size=8, learning_rate=0.1, key=KEY, observe=square)
    seen = stepper.observe()
    np.testing.assert_allclose(seen.square[0], np.sum(np.asarray(stepper.net.fields) ** 2, axis=-1), rtol=1e-6)
    with pytest.raises(UserError, match="steps must be a whole number of at least 1, but is 0"):
        advance(stepper, 0)


@pytest.mark.parametrize(
    ("task", "step", "words"),
    [
        (TASK, 2**31 - 2, "steps must be at most 2,147,483,647, but is 2147483648"),
        (DIGITS, 2**28 - 4, r"steps \* batch_size must stay below 2,147,483,648 on a Dataset, but is .*at most 268,435,454"),
    ],
)
def test_steps_are_counted_in_32_bits(task, step, words):
    net = DeepGated(N, [4], gating="relu", outputs=1 if task is TASK else 3, key=KEY)
    stepper = init(net, task, batch_size=8, learning_rate=0.1, key=KEY)
    with pytest.raises(UserError, match=words):
        advance(Stepper(stepper.setup, step), 2 + (task is DIGITS))


def test_the_network_stands_at_its_time():
    """Behind gates that switch at time 0.35, seven steps of 0.05: with the first gates up to then, with the others after."""
    x = np.vstack([np.eye(N)[0], -np.eye(N)[0]]).astype(np.float32)
    net = GatedLinear(N, [Scheduled([0.0, 0.35], [FIRST, SECOND])], key=KEY)
    task = Task(Gaussian(N, 2.0), Gaussian(N, 1.0))
    stepper = init(net, task, batch_size=8, learning_rate=0.05, key=KEY)
    for steps, open_input in ((6, 0), (2, 1)):
        stepper = advance(stepper, steps)
        weight = np.asarray(stepper.net.weights)[0, 0]
        expected = np.zeros(2)
        expected[open_input] = weight if open_input == 0 else -weight
        np.testing.assert_allclose(stepper.net(x), expected, rtol=1e-6)
    trained = train(net, task, steps=8, batch_size=8, learning_rate=0.05, key=KEY).net
    np.testing.assert_array_equal(trained(x), stepper.net(x))


def test_runs_that_diverge_are_told_once():
    stepper = init(Committee(N, 1, key=jax.random.split(KEY, 3)), TASK, batch_size=8, learning_rate=FAST, key=KEY)
    way_out = r"2 of 3 runs diverged, the first by step 5: .*; lower learning_rate, here 1e\+20\.$"
    with pytest.warns(Diverged, match=way_out):
        stepper = advance(stepper, 5)
    for _ in range(3):
        stepper = advance(stepper, 5)  # where a warning is an error
    assert np.isfinite(stepper.net.fields[0]).all()


def test_runs_that_do_not_diverge_are_not_told():
    stepper = init(Committee(N, 1, key=KEY), TASK, batch_size=8, learning_rate=0.05, key=KEY)
    assert not advance(advance(stepper, 5), 5).told
