"""Loops in strides: the same steps as a plain loop, and none too many."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import Committee, Task, train
from gatefield.data import Gaussian
from gatefield.dynamics.train import problem
from gatefield.dynamics.train.gpu import strides
from gatefield.dynamics.train.gpu.strides import by_strides, stride_of


@pytest.mark.parametrize("stride", [1, 2, 5, 8])
@pytest.mark.parametrize(("start", "stop"), [(0, 0), (3, 3), (0, 7), (4, 20), (6, 7)])
def test_the_steps_are_those_from_start_to_stop(stride, start, stop):
    seen = jax.jit(lambda a, b: by_strides(stride, a, b, lambda i, c: c.at[i].add(i), jnp.zeros(40)))(start, stop)
    assert seen.tolist() == [i if start <= i < stop else 0 for i in range(40)]


def test_on_a_cpu_nothing_is_asked_so_that_steps_go_one_by_one():
    assert stride_of(100, 1) == 1


def test_a_stride_divides_the_steps_between_records_and_is_short(monkeypatch):
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    for every in (1, 10, 20, 50, 100, 1000):
        assert every % stride_of(every, 40_000) == 0
    assert stride_of(100, 40_000) == 100
    assert stride_of(101, 40_000) == 101
    assert stride_of(1000, 40_000) == 125  # with 128 steps would be dropped
    assert stride_of(None, 40_000) == strides.MOST_BLIND
    assert stride_of(100, 2 * 10**7) == 10  # half a millisecond a step
    assert stride_of(100, 10**9) == 1


def test_training_in_strides_does_not_depend_on_chunks(monkeypatch):
    task, net = Task(Gaussian(8, 2.0), Gaussian(8, 1.0)), Committee(8, 2, key=jax.random.key(0))

    def go(stride, chunk=None, pace=None):
        monkeypatch.setattr(problem, "stride_of", lambda every, numbers: stride)
        options = {"steps": 70, "record_every": 20, "learning_rate": 0.1, "key": jax.random.key(1)}
        return train(net, task, batch_size=16, chunk=chunk, progress=False, **options).record

    plain, whole, cut = go(1), go(20), go(20, chunk=1)
    np.testing.assert_array_equal(whole.fields, cut.fields)
    np.testing.assert_allclose(plain.fields, whole.fields, atol=1e-6)
    assert plain.attrs["fingerprint"] == whole.attrs["fingerprint"]
