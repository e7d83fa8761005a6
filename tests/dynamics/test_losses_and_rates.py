"""Losses, optimisers and learning rates as functions: steps by hand, and the same numbers as by name."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from gatefield import Committee, GatedLinear, Task, UserError, train
from gatefield.data import NonlinearGP
from gatefield.gates import Open, Scheduled, Shut

KEY = jax.random.key(7)
N = 6
TASK = Task(NonlinearGP(N, 2.0, 3.0), NonlinearGP(N, 1.0, 3.0))
SWITCHED = GatedLinear(N, [Scheduled([0.0, 0.25], [Shut(), Open()])], key=KEY)
NET = Committee(N, 1, activation="linear", key=KEY)


def run(net=NET, **changes):
    settings = {"steps": 4, "batch_size": 10, "learning_rate": 0.05, "record_every": 1, "key": KEY, **changes}
    return train(net, TASK, **settings).record


def batch(record, step):
    key = jax.random.wrap_key_data(jnp.asarray(record.train_key.values[0]))
    return [np.asarray(a, np.float64) for a in TASK.sample(jax.random.fold_in(key, step), 10)]


def by_hand(record, rates, slope):
    """The weights after steps of these sizes, for a loss whose slope by the outputs is given."""
    w = np.asarray(NET.fields, np.float64)[0]
    for step, rate in enumerate(rates):
        x, y = batch(record, step)
        w = w - rate * slope(x @ w, y) @ x
    return w


def test_a_schedule_is_the_learning_rate_of_each_step():
    rates = [0.2, 0.1, 0.05, 0.025]
    record = run(learning_rate=lambda step: 0.2 / 2.0**step)
    np.testing.assert_allclose(record.time, [0.0, *np.cumsum(rates)], rtol=1e-6)
    assert record.time.dims == ("step",)
    assert record.time.attrs["units"] == "tau"
    assert "learning_rate" not in record.coords
    expected = by_hand(record, rates, lambda out, y: (out - y) / len(y))
    np.testing.assert_allclose(record.fields.values[0, -1, 0], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_the_times_of_a_long_schedule_are_summed_piece_by_piece(monkeypatch):
    schedule = optax.exponential_decay(0.3, 1, 0.7)
    whole = run(learning_rate=schedule).time.values
    for piece in (1, 2, 3):
        monkeypatch.setattr(sys.modules["gatefield.dynamics.train.train"], "AT_ONCE", piece)
        np.testing.assert_array_equal(run(learning_rate=schedule).time, whole)


@pytest.mark.slow
def test_a_constant_schedule_is_the_number():
    number, schedule = run(), run(learning_rate=optax.constant_schedule(0.05))
    np.testing.assert_array_equal(number.fields, schedule.fields)
    np.testing.assert_allclose(number.time, schedule.time, rtol=1e-6)
    assert schedule.attrs["learning_rate"] == "constant_schedule.<locals>.<lambda>"


@pytest.mark.costly
@pytest.mark.parametrize(("rate", "shut"), [(lambda step: 0.2 / 2.0**step, 2), (0.1, 3), (0.125, 2)])
def test_gates_follow_the_time_of_the_flow(rate, shut):
    """They open at 0.25: the sum of 0.2, 0.1, ... passes it before the third step, steps of 0.1 do so before the fourth."""
    fields = run(SWITCHED, learning_rate=rate).fields.values[0, :, 0]
    moved = np.any(np.diff(fields, axis=0) != 0, axis=1)
    assert moved.tolist() == [step >= shut for step in range(4)]


def test_a_loss_can_be_a_function():
    named = run(loss="mse")
    given = run(loss=lambda output, label: 0.5 * jnp.mean((output - label) ** 2))
    np.testing.assert_array_equal(given.fields, named.fields)
    np.testing.assert_array_equal(given.loss, named.loss)
    absolute = run(loss=lambda output, label: jnp.mean(jnp.abs(output - label)))
    expected = by_hand(absolute, [0.05] * 4, lambda out, y: np.sign(out - y) / len(y))
    np.testing.assert_allclose(absolute.fields.values[0, -1, 0], expected, rtol=1e-5, atol=1e-6)


def test_the_sum_of_squares_is_the_mean_times_the_batch():
    np.testing.assert_allclose(
        run(loss="sse", learning_rate=0.005).fields, run(loss="mse", learning_rate=0.05).fields, rtol=1e-5
    )


@pytest.mark.costly
@pytest.mark.parametrize(
    ("name", "function"),
    [("sgd", optax.sgd), ("adam", optax.adam), ("momentum", lambda rate: optax.sgd(rate, momentum=0.9))],
)
def test_optimisers_by_name_by_function_and_as_they_are(name, function):
    named = run(optimizer=name)
    np.testing.assert_array_equal(run(optimizer=function).fields, named.fields)
    own_rate = run(optimizer=function(0.05), learning_rate=None)
    np.testing.assert_allclose(own_rate.fields, named.fields, rtol=1e-6)
    assert "time" not in own_rate.coords
    assert "learning_rate" not in own_rate.coords


def test_sign_descent_by_hand():
    """A step of Lion is the sign of a mean of gradients: of the first gradient alone at the first step."""
    record = run(optimizer=optax.lion, steps=1)
    x, y = batch(record, 0)
    w = np.asarray(NET.fields, np.float64)[0]
    gradient = (x @ w - y) @ x
    expected = w - 0.05 * (np.sign(gradient) + 1e-3 * w)  # with the weight decay that optax gives it
    np.testing.assert_allclose(record.fields.values[0, -1, 0], expected, rtol=1e-5)


def test_each_run_has_its_rate_with_any_optimiser():
    both = run(optimizer="adam", learning_rate=[0.01, 0.2], key=jnp.stack([KEY, KEY]))
    for i, rate in enumerate((0.01, 0.2)):
        np.testing.assert_allclose(both.fields[i], run(optimizer="adam", learning_rate=rate).fields[0], rtol=1e-5, atol=1e-7)


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"learning_rate": None}, "learning_rate is missing; give a number, one for each run, or a schedule."),
        ({"optimizer": optax.sgd(0.1)}, "This optimizer has its learning rate already; leave learning_rate out"),
        ({"learning_rate": lambda step: np.nan}, "learning_rate at step 0 must be finite, but is nan"),
        ({"learning_rate": lambda step: 0.1 if step < 2 else 0.0}, "asks for the value of the step; write jnp.where"),
        ({"loss": 3}, "loss must be a name, such as 'mse', or a function of outputs and labels, but is 3."),
        (
            {"loss": lambda output, label: (output - label) ** 2},
            "loss must give one number for a batch, but gives an array of shape (10,); take its mean",
        ),
        (
            {"net": SWITCHED, "optimizer": optax.sgd(0.1), "learning_rate": None},
            "This network changes with time, the sum of the learning rates, which this optimizer keeps to itself; give",
        ),
    ],
)
def test_bad_input_is_one_sentence(changes, text):
    with pytest.raises(UserError) as caught:
        run(**changes)
    assert text in str(caught.value)
