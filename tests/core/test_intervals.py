"""Shares of units over seeds, against SciPy's interval and by hand."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from gatefield.core.intervals import share


def test_interval_is_that_of_a_t_test():
    holds = xr.DataArray(np.random.default_rng(0).random((5, 2, 7)) < 0.6, dims=("seed", "start", "unit"))
    found = share(holds)
    per_seed = holds.values.reshape(5, -1).mean(1)
    interval = stats.ttest_1samp(per_seed, 0.0).confidence_interval(0.95)
    np.testing.assert_allclose(found, (per_seed.mean(), interval.low, min(1.0, interval.high)), rtol=1e-12)


def test_counts_only_the_units_that_count_and_seeds_that_have_some():
    holds = xr.DataArray([[True, False, True], [True, True, True], [False, False, False]], dims=("seed", "unit"))
    among = xr.DataArray([[True, True, False], [True, True, True], [False, False, False]], dims=("seed", "unit"))
    assert share(holds, among).mean == pytest.approx((1 / 2 + 1) / 2)


def test_no_unit_that_counts_gives_zero():
    nothing = xr.DataArray([[False, False]], dims=("seed", "unit"))
    assert share(~nothing, nothing) == (0.0, 0.0, 0.0)


def test_one_seed_has_the_widest_interval():
    one = share(xr.DataArray([[True, False]], dims=("seed", "unit")))
    assert one == (0.5, 0.0, 1.0)
