"""The flat field of `self-consistency`."""

import jax
import numpy as np
import pytest

from gatefield.data import NonlinearGP
from gatefield.experiments.gates.self_consistency.simulate import flat_limit
from gatefield.experiments.nearly_gaussian import class_at
from gatefield.theory.neuron import gate_map

N = 5


@pytest.mark.parametrize("gain", [0.0, np.inf])
def test_flat_limit_is_that_of_the_map(gain):
    cov0 = np.asarray(NonlinearGP(N, 0.5, gain).covariance(), float)
    one = class_at(N, 1.0, gain, jax.random.key(0), 4000)
    limit = gate_map(one, one.cov + cov0, np.ones((1, N))).limit
    np.testing.assert_allclose(limit.mean(), flat_limit(one, one.cov + cov0).mean(), rtol=1e-5)
