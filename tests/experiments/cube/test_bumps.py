"""The drift of few bumps by the law of four signs, beside the whole cube and samples; the cases of the note."""

import numpy as np
import pytest

from gatefield.data import Hypercube, line_correlation, ring_correlation
from gatefield.experiments.cube.bumps.cases import CASES, corrected
from gatefield.experiments.cube.bumps.drift import drifts, gate_table
from gatefield.experiments.cube.fields import signs
from gatefield.theory import hypercube


@pytest.mark.parametrize("name", CASES)
def test_drift_of_bumps_is_that_of_the_whole_cube(name):
    n, sites = 5, (3, 0, 4)
    corr = np.array([np.roll(ring_correlation(n, 1.3), k) for k in range(n)])
    w = np.zeros(n)
    w[list(sites)] = CASES[name].sizes
    whole = hypercube.drift(w, corr)
    np.testing.assert_allclose(drifts(np.array(CASES[name].sizes), gate_table(corr, sites)), whole, atol=1e-12)
    np.testing.assert_allclose(corrected(name, corr, sites), whole, atol=1e-12)


def test_drift_of_bumps_is_that_of_samples():
    corr, sites, size = line_correlation(6, 2.0), (1, 4, 2), 200_000
    x = np.where(np.random.default_rng(0).multivariate_normal(np.zeros(6), corr, size) < 0, -1, 1)
    mean = (x[:, sites] @ [1.5, -1.2, 1.0] > 0) @ x / size
    found = drifts(np.array([1.5, -1.2, 1.0]), gate_table(corr, sites))
    np.testing.assert_allclose(found, mean, atol=5 / np.sqrt(size))


def test_signs_have_the_covariance_of_the_hypercube():
    x = signs(7, 1.5, 100_000, 0)
    assert set(np.unique(x)) == {-1.0, 1.0}
    np.testing.assert_allclose(x.T @ x / len(x), Hypercube(7, 1.5).covariance(), atol=5 / np.sqrt(len(x)))
