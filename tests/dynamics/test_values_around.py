"""Functions that read a value from around them: each training and each flow goes by the value of its own time."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import Committee, Task, flow, train
from gatefield.data import Gaussian

HELD = {"by": 1.0}


def schedule(step):
    return 0.1 * HELD["by"] * jnp.ones(())


def loss(outputs, labels):
    return HELD["by"] * jnp.mean((outputs - labels) ** 2)


def largest(net):
    return HELD["by"] * net.fields.max()


class Rate:
    factor = 1.0

    def __call__(self, step):
        return 0.1 * self.factor * jnp.ones(())


def record(**settings):
    start, pair = Committee(4, 1, key=jax.random.key(0)), Task(Gaussian(4, 2.0), Gaussian(4, 1.0))
    settings = {"learning_rate": 0.1, "steps": 2, "batch_size": 8, "key": jax.random.key(1)} | settings
    return train(start, pair, **settings).record


@pytest.fixture
def change(monkeypatch):
    return lambda: monkeypatch.setitem(HELD, "by", 3.0)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"learning_rate": schedule}, {"learning_rate": 0.3}),
        ({"loss": loss}, {"loss": lambda o, y: 3.0 * jnp.mean((o - y) ** 2)}),
    ],
)
def test_a_function_is_read_anew(settings, expected, change):
    before = record(**settings)
    change()
    after = record(**settings)
    np.testing.assert_allclose(after.fields, record(**expected).fields, rtol=1e-6)
    assert abs(after.fields - before.fields).max() > 1e-4
    assert after.attrs["fingerprint"] != before.attrs["fingerprint"]


def test_what_is_observed_is_read_anew(change):
    settings = {"observe": {"largest": ((), largest)}}
    before = record(**settings)
    change()
    after = record(**settings)
    np.testing.assert_allclose(after.largest, 3.0 * before.largest, rtol=1e-6)
    assert after.attrs["fingerprint"] != before.attrs["fingerprint"]


def test_an_object_that_was_changed_is_read_anew():
    rate = Rate()
    record(learning_rate=rate)
    rate.factor = 3.0
    np.testing.assert_allclose(record(learning_rate=rate).fields, record(learning_rate=0.3).fields, rtol=1e-6)


def test_a_velocity_is_read_anew(change):
    def velocity(w):
        return -HELD["by"] * w

    first = flow(velocity, [1.0, 2.0], [0.0, 1.0]).fields.values[0, -1]
    change()
    second = flow(velocity, [1.0, 2.0], [0.0, 1.0]).fields.values[0, -1]
    np.testing.assert_allclose(first, np.exp(-1) * np.array([[1.0, 2.0]]), rtol=1e-5)
    np.testing.assert_allclose(second, np.exp(-3) * np.array([[1.0, 2.0]]), rtol=1e-4)
