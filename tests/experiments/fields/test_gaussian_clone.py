"""The two trainings of `gaussian-clone` differ in their data alone."""

from types import SimpleNamespace

import jax
import numpy as np

from gatefield.data import GaussianClone, NonlinearGP
from gatefield.experiments.fields.gaussian_clone import Settings, _train


class Recorder:
    """Keeps what would be trained."""

    def train(self, part, net, task, **settings):
        return SimpleNamespace(record=(net, task, settings))


def test_same_starts_keys_and_covariances():
    p = Settings(n=8, gains=(1.0, float("inf")), seeds=3)
    gain = np.repeat(p.gains, p.seeds)
    sources = NonlinearGP(p.n, p.xi1, gain), NonlinearGP(p.n, p.xi0, gain)
    (net, task, settings), (net2, task2, settings2) = (
        _train(Recorder(), name, pair, p)
        for name, pair in [("original", sources), ("clone", tuple(map(GaussianClone, sources)))]
    )
    np.testing.assert_array_equal(net.weights, net2.weights)
    np.testing.assert_array_equal(net.weights[:3], net.weights[3:])
    keys = [np.asarray(jax.random.key_data(each["key"])) for each in (settings, settings2)]
    np.testing.assert_array_equal(*keys)
    np.testing.assert_array_equal(keys[0][:3], keys[0][3:])
    np.testing.assert_allclose(task.positive.covariance(), task2.positive.covariance(), atol=1e-12)
