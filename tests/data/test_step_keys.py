"""Keys made in the program are those of `jax.random`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import Task
from gatefield.data import Gaussian
from gatefield.data.numerics import words

KEYS = [jax.random.fold_in(jax.random.key(seed), 7) for seed in range(4)]


@pytest.mark.parametrize("number", [0, 1, 40_000, 2**31 - 1])
@pytest.mark.parametrize("key", KEYS)
def test_a_number_is_folded_in(key, number):
    found = jax.jit(words._folded)(key, jnp.asarray(number))
    assert (jax.random.key_data(found) == jax.random.key_data(jax.random.fold_in(key, number))).all()


@pytest.mark.parametrize("count", [1, 3, 7])
def test_keys_are_split(count):
    found = jax.jit(jax.vmap(lambda key: words._split(key, count)))(jnp.stack(KEYS))
    for one, key in zip(found, KEYS, strict=True):
        assert (jax.random.key_data(one) == jax.random.key_data(jax.random.split(key, count))).all()


def test_batches_do_not_depend_on_who_makes_the_keys(monkeypatch):
    def batch(here):
        monkeypatch.setattr(words, "_apart", lambda key: here)
        return jax.jit(Task(Gaussian(8, 2.0), Gaussian(8, 1.0)).stream(jax.random.key(3), 16).take, static_argnums=1)(5, ())

    (x, y), _ = batch(True)
    (other, labels), _ = batch(False)
    np.testing.assert_array_equal(x, other)
    np.testing.assert_array_equal(y, labels)


def test_other_keys_are_left_to_jax():
    key = jax.random.key(0, impl="rbg")
    assert (jax.random.key_data(words.split(key, 3)) == jax.random.key_data(jax.random.split(key, 3))).all()
