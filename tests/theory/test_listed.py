"""Means over listed points, against sums written out."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield.theory.listed import gated_mean

POINTS = np.array([[1.0, -2.0, 0.5], [0.25, 1.0, 3.0], [-1.0, 0.0, 2.0], [4.0, 1.5, -0.5]])
GATES = np.array([[1.0, 0.0], [0.5, 1.0], [0.0, 1.0], [1.0, 0.5]])


@pytest.mark.parametrize("chances", [None, np.array([0.1, 0.4, 0.3, 0.2])])
def test_a_mean_is_the_sum_over_points(chances):
    each = np.full(4, 0.25) if chances is None else chances
    expected = np.array([sum(each[i] * GATES[i, k] * POINTS[i] for i in range(4)) for k in range(2)])
    given = None if chances is None else jnp.asarray(chances)
    np.testing.assert_allclose(gated_mean(jnp.asarray(GATES), POINTS, given), expected, rtol=1e-6)
    np.testing.assert_allclose(gated_mean(jnp.asarray(GATES[:, 1]), POINTS, given), expected[1], rtol=1e-6)


def test_sums_in_float32_stay_so_unless_another_type_is_asked_for():
    with jax.enable_x64(True):
        gates, points = jnp.asarray(GATES[:3], jnp.float32), jnp.asarray(POINTS[:3], jnp.float32)
        assert gated_mean(gates, points).dtype == jnp.float32
        wide = gated_mean(gates, points, None, jnp.float64)
        sums = (GATES[:3].T @ POINTS[:3])[0, 1]  # exact in both types, but not its third
        assert float(wide[0, 1]) == sums / 3
