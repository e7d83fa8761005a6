"""The parts of the committee experiment that its verdicts rest on, by independent routes."""

import jax
import numpy as np

from gatefield.data import Gaussian, Task
from gatefield.experiments.fields import gaussian_committee as experiment
from gatefield.nets import Committee


def test_gradient_variance_is_that_of_autodiff_gradients():
    net = Committee(6, 3, key=jax.random.key(0))
    x = Gaussian(6, 1.5).sample(jax.random.key(1), 300)
    one = jax.grad(lambda w, x: 0.5 * (jax.nn.relu(w @ x).mean() - 1.0) ** 2)
    gradients = np.asarray(jax.vmap(one, (None, 0))(net.fields, x))
    expected = gradients.var(axis=0).sum()
    np.testing.assert_allclose(experiment._gradient_variance(net.fields, x, 1.0), expected, rtol=1e-4)


def test_random_walk_of_constant_noise_grows_as_the_root_of_time():
    task = Task(Gaussian(6, 1.5), Gaussian(6, 1.0))
    time = np.array([0.0, 1.0, 4.0])
    still = np.tile(np.asarray(Committee(6, 2, key=jax.random.key(0)).fields, float), (1, 3, 1, 1))
    walk = experiment._random_walk(still, time, task, jax.random.key(2))[0]
    np.testing.assert_allclose(walk / walk[1], np.sqrt(time), rtol=1e-6)
