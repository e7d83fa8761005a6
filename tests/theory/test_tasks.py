"""Theory takes tasks: velocities, losses and spectra of a task are those of its covariances and labels."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import Committee, Task, flow, train
from gatefield.data import Elliptical, Gaussian, GaussianClone, Hypercube, Ising, Marginal, NonlinearGP
from gatefield.theory import relu

SOURCES = {
    "gaussian": lambda xi: Gaussian(6, xi),
    "squashed": lambda xi: NonlinearGP(6, xi, 3.0),
    "hypercube": lambda xi: Hypercube(6, xi),
    "elliptical": lambda xi: Elliptical(6, xi, "student:5"),
    "marginal": lambda xi: Marginal(6, xi, "laplace"),
    "ising": lambda xi: Ising(6, xi / 4),
    "clone": lambda xi: GaussianClone(NonlinearGP(6, xi, 3.0)),
}


def trained(task):
    net = Committee(6, 1, key=jax.random.key(0))
    return train(net, task, steps=2, batch_size=10, learning_rate=0.1, key=jax.random.key(1)).record.fields.values


def test_sources_that_a_flow_has_traced_train_as_before():
    """A flow traces in float64, training in float32, both with the same sources: neither may leave its precision behind."""
    first, task = (Task(Gaussian(6, 2.0), Gaussian(6, 1.0)) for _ in range(2))

    def velocity(w):
        return relu.velocity(w, task.positive.covariance(), task.negative.covariance())

    record = flow(velocity, np.asarray(Committee(6, 1, key=jax.random.key(0)).fields, float), [0.0, 0.1])
    assert record.fields.dtype == np.float64
    np.testing.assert_array_equal(trained(task), trained(first))


@pytest.mark.parametrize("name", SOURCES)
def test_sources_traced_in_float64_serve_in_float32(name):
    """The compiled function, which stays alive, holds on to what it was traced with; its sources must not."""
    source = SOURCES[name](2.0)

    def both(w):
        return w @ source.covariance() @ w + jnp.sum(source.mean()) + jnp.sum(source.sample(jax.random.key(0), 2))

    traced = jax.jit(both)
    with jax.enable_x64(True):
        assert traced(jnp.ones(6)).dtype == np.float64
    drawn = jax.jit(lambda one: one.sampler()(jax.random.key(0), 3))(source)
    np.testing.assert_array_equal(drawn, jax.jit(lambda one: one.sampler()(jax.random.key(0), 3))(SOURCES[name](2.0)))
    assert drawn.dtype == np.float32
