"""What is read off a field along training, and sampled drifts of many fields, against direct sums."""

import jax
import numpy as np
import xarray as xr

from gatefield.data import Hypercube, NonlinearGP
from gatefield.experiments.cube.f_along_training.figure import dropped
from gatefield.experiments.cube.f_along_training.simulate import head_sizes, site_drifts
from gatefield.experiments.cube.f_along_training.verdicts import takeover
from gatefield.experiments.many_drifts import sampled_drifts


def test_head_sizes_take_the_first_small_error_though_later_ones_rise():
    errors = np.array([[0.2, 0.04, 0.06, 0.0], [0.005, 0.3, 0.3, 0.0]])
    assert head_sizes(errors, (0.01, 0.05)).tolist() == [[4, 2], [1, 1]]


def test_takeover_is_the_time_from_which_on_one_form_stays_ahead():
    one = xr.Dataset(
        {
            "gaussian_distance": (("seed", "step"), np.full((3, 4), 0.5)),
            "site_distance": (("seed", "step"), np.array([[1, 0.1, 0.6, 0.2], [1, 0.1, 0.2, 0.1], [0.1, 0.1, 0.1, 0.9]])),
        },
        {"time": ("step", [0.0, 1.0, 2.0, 4.0])},
    )
    assert takeover(one).values.tolist() == [4.0, 1.0, np.inf]


def test_drift_of_the_largest_entry_alone_is_half_a_column_of_the_covariance_on_the_cube():
    fields = np.array([[0.1, -0.2, 0.9, 0.3, 0.0, 0.1], [0.1, -0.8, 0.4, 0.3, 0.0, 0.1]])
    cov = np.asarray(Hypercube(6, 1.5).covariance(), float)
    np.testing.assert_allclose(site_drifts(fields, 1.5, np.inf), [cov[2] / 2, -cov[1] / 2], atol=1e-6)


def test_sampled_drifts_agree_with_plain_means():
    source = NonlinearGP(6, np.array([1.0, 2.0]), np.array([1.0, np.inf]))
    fields = np.array([[1.0, 1, 1, 1, 1, 1], [0.9, -0.4, 0.3, 0.2, 0.7, -0.1]])
    found = sampled_drifts(source, fields, jax.random.key(0), 20_000)
    x = np.asarray(source.sample(jax.random.key(1), 30_000), float)
    for r in range(2):
        for f, w in enumerate(fields):
            terms = 0.5 * x[r] * np.sign((x[r] @ w).round(5))[:, None]
            spread = np.hypot(found.error[r, f], terms.std(0) / np.sqrt(len(terms)))
            assert np.all(np.abs(found.value[r, f] - terms.mean(0)) < 4.5 * spread)
            assert np.all(found.error[r, f] < terms.std(0) / np.sqrt(20_000))


def test_head_has_dropped_when_half_way_in_its_logarithm_and_else_the_middle_is_shown():
    assert dropped(np.array([32, 20, 9, 8, 2])) == 3
    assert dropped(np.array([5, 7, 9, 8, 6])) == 2
