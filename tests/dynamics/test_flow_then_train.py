"""A flow, in float64, and a training, in float32, share sources, tasks and gates in one process."""

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import Committee, GatedLinear, Task, flow, train
from gatefield.data import GaussianClone, NonlinearGP
from gatefield.gates import half_spaces
from gatefield.kernels import tangent_kernel

KEY = jax.random.key(3)
N = 3


def parts():
    source = NonlinearGP(N, 2.0, gain=3.0)
    gates = half_spaces(np.eye(N)[:2] + 0.1, [0.1, -0.2])
    return GatedLinear(N, gates, key=KEY), Task(source, GaussianClone(source), labels=(1.0, -1.0))


def trained(net, task):
    return train(net, task, steps=2, batch_size=4, learning_rate=0.1, chunk=2, key=KEY).record.fields.values


def test_what_a_flow_used_trains_as_if_it_had_not():
    net, task = parts()
    source, clone = task.positive, task.negative

    def velocity(w):
        sampled = task.sampler()(KEY, 2)[0].mean() + clone.sample(KEY, 2).mean()
        return -w @ source.covariance() * (sampled + source.xi + task.labels[0] + net.gates.gates[0].threshold)

    flow(velocity, np.ones((2, N)), [0.0, 0.01], solver=diffrax.Bosh3())
    np.testing.assert_array_equal(trained(net, task), trained(*parts()))


@pytest.mark.slow
def test_arrays_that_a_flow_used_are_in_single_precision_for_a_network():
    x = np.linspace(-1.0, 1.0, 5 * N).reshape(5, N)
    flow(lambda w: (1.0 - w @ jnp.asarray(x).T) @ x, np.ones((1, N)), [0.0, 0.01], solver=diffrax.Bosh3())
    net = Committee(N, 2, key=KEY)
    assert net(x).dtype == np.float32
    assert half_spaces(np.eye(N))(x).dtype == np.float32
    np.testing.assert_array_equal(tangent_kernel(net, x), tangent_kernel(net, x.copy()))
