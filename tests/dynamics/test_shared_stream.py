"""One stream of batches for many runs: by hand, against runs alone, and what it says of itself."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import Committee, Dataset, Grid, Task, train
from gatefield.core.errors import UserError
from gatefield.data import NonlinearGP
from gatefield.dynamics import advance, init
from gatefield.dynamics.train import engine
from gatefield.dynamics.train.problem import set_up

KEY = jax.random.key(5)
N, K, SIZE, STEPS = 11, 2, 52, 12
OPTIONS = {"steps": STEPS, "batch_size": SIZE, "key": KEY, "record_every": 4}


def nets(*seeds):
    return Committee(N, K, key=jnp.stack([jax.random.key(seed) for seed in seeds]))


def task(gain=3.0):
    return Task(NonlinearGP(N, 2.0, gain), NonlinearGP(N, 1.0, gain))


def by_hand(start, one, rate):
    """Steps and the loss on a fresh batch, by numbers drawn one step after the other."""
    stream, judged = jax.random.split(KEY)
    draw, w = one.sampler(), start

    def loss(w, x, y):
        return jnp.mean((jax.nn.relu(x @ w.T).mean(1) - y) ** 2) / 2

    for step in range(STEPS):
        w = w - rate * jax.grad(loss)(w, *draw(jax.random.fold_in(stream, step), SIZE))
    return w, loss(w, *draw(jax.random.fold_in(judged, STEPS), SIZE))


def test_runs_of_different_starts_gains_and_rates_by_hand():
    gains, rates, net = [0.5, 3.0, np.inf], [0.05, 0.5, 0.1], nets(1, 2, 3)
    record = train(net, task(gains), learning_rate=rates, shared_stream=True, **OPTIONS).record
    for run, (gain, rate) in enumerate(zip(gains, rates, strict=True)):
        w, loss = by_hand(net.fields[run], task(gain), rate)
        np.testing.assert_allclose(record.fields[run, -1], w, atol=2e-6)
        np.testing.assert_allclose(record.loss[run, -1], loss, rtol=1e-5)


def test_equal_runs_are_equal_bit_for_bit():
    record = train(nets(1, 2, 1, 1), task([3.0, 3.0, 3.0, 1.0]), learning_rate=0.1, shared_stream=True, **OPTIONS).record
    for name in ("fields", "loss"):
        np.testing.assert_array_equal(record[name][0], record[name][2])
        assert not np.array_equal(record[name][0], record[name][1])
        assert not np.array_equal(record[name][0], record[name][3])


def test_a_run_alone_has_the_stream_of_its_key():
    together = train(nets(1, 2), task(), learning_rate=0.1, shared_stream=True, **OPTIONS).record
    alone = train(Committee(N, K, key=jax.random.key(2)), task(), learning_rate=0.1, **OPTIONS).record
    np.testing.assert_allclose(together.fields[1], alone.fields[0], atol=2e-6)
    apart = train(nets(1, 2), task(), learning_rate=0.1, **OPTIONS).record
    assert np.abs(apart.fields[1, -1] - alone.fields[0, -1]).max() > 1e-4


def test_chunks_and_steps_by_hand_change_no_bit():
    options = {"learning_rate": 0.1, "shared_stream": True}
    whole = train(nets(1, 2), task(), **options, **OPTIONS).record
    pieces = train(nets(1, 2), task(), chunk=1, **options, **OPTIONS).record
    np.testing.assert_array_equal(whole.fields, pieces.fields)
    stepper = advance(advance(init(nets(1, 2), task(), batch_size=SIZE, key=KEY, **options), 5), STEPS - 5)
    np.testing.assert_array_equal(stepper.net.fields, whole.fields[:, -1])


def test_orders_of_a_training_set_are_shared_too():
    x = np.random.default_rng(0).normal(size=(30, N))
    record = train(
        nets(1, 1), Dataset(x, np.sign(x[:, 0])), learning_rate=0.1, shared_stream=True, **OPTIONS | {"batch_size": 8}
    )
    np.testing.assert_array_equal(record.record.fields[0], record.record.fields[1])


@pytest.mark.parametrize("shared", [True, False])
def test_the_numbers_of_a_stream_are_made_once(shared):
    """A program of seven runs has 143 pairs of normals for each class of a batch, or seven times as many."""
    setup = set_up(
        nets(*range(7)),
        task(),
        batch_size=SIZE,
        learning_rate=0.1,
        key=KEY,
        optimizer="sgd",
        loss="mse",
        shared_stream=shared,
    )
    one = jnp.int32(1)
    text = engine.advance.lower(setup.program, setup.state, setup.problem, jnp.array([0, 5]), 1, 7, one, one).as_text()
    assert ("tensor<7x1x143xcomplex<f32>>" in text) != shared
    assert ("tensor<1x143xcomplex<f32>>" in text) == shared


def test_a_record_says_so():
    grid = Grid(gain=[1.0, 3.0], seed=2)
    options = {"learning_rate": 0.1, "runs": grid, **OPTIONS}
    net = grid.share(nets(1, 2), over="seed")
    shared, apart = (train(net, task(grid.gain), shared_stream=choice, **options).record for choice in (True, False))
    assert (shared.stream, apart.stream) == ("shared by all runs", "one for each run")
    assert shared.fingerprint != apart.fingerprint
    assert shared.normals == "Threefry-2x32-20, Box-Muller"
    record = train(nets(1, 2), task(), learning_rate=0.1, shared_stream=True, **OPTIONS).record
    assert record.seed.values.tolist() == [0, 0]
    np.testing.assert_array_equal(record.train_key[0], record.train_key[1])


def test_what_is_refused():
    with pytest.raises(UserError, match=r"shared_stream=True needs one key, .* but there are 2; write key=jax.random.key\(0\)"):
        train(nets(1, 2), task(), learning_rate=0.1, shared_stream=True, **OPTIONS | {"key": jax.random.split(KEY)})
