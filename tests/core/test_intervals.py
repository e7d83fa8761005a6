"""Means, shares and tables with their intervals, against SciPy's and by hand."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from gatefield.core.intervals import (
    against_table,
    mean_and_error,
    mean_interval,
    median_error,
    proportion,
    share,
    standard_error,
)


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


def test_mean_and_its_error():
    values = xr.DataArray([[1.0, 2.0, 6.0], [4.0, 4.0, 4.0]], dims=("depth", "run"))
    mean, error = mean_and_error(values, "run")
    np.testing.assert_allclose(mean, [3, 4])
    np.testing.assert_allclose(error, [np.sqrt(7 / 3), 0])


def test_errors_of_a_mean_and_of_a_median():
    """The first is SciPy's; the second is how far medians of normal values spread."""
    assert standard_error(VALUES.reshape(1, 7)) == pytest.approx(stats.sem(VALUES), rel=1e-14)
    draws = np.random.default_rng(4).normal(size=(4000, 51))
    errors = np.array([median_error(row) for row in draws])
    assert 2 * np.median(draws, axis=1).std() == pytest.approx(errors.mean(), rel=0.05)


@pytest.mark.parametrize("values", [[], [3.0]])
def test_less_than_two_values_tell_no_error(values):
    assert standard_error(values) == median_error(values) == np.inf


VALUES = np.random.default_rng(3).normal(2.0, 1.5, size=7)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_both_ends_together_hold_the_mean_with_the_level(level):
    interval = stats.ttest_1samp(VALUES, 0.0).confidence_interval(level)
    np.testing.assert_allclose(mean_interval(VALUES, level), (VALUES.mean(), interval.low, interval.high), rtol=1e-12)


@pytest.mark.parametrize("level", [0.6, 0.95, 0.999])
def test_each_end_by_itself_bounds_the_mean_with_the_level(level):
    found = mean_interval(VALUES, level, one_sided=True)
    low = stats.ttest_1samp(VALUES, 0.0, alternative="greater").confidence_interval(level).low
    high = stats.ttest_1samp(VALUES, 0.0, alternative="less").confidence_interval(level).high
    np.testing.assert_allclose(found, (VALUES.mean(), low, high), rtol=1e-12)


def test_fewer_than_two_values_have_no_interval():
    assert mean_interval(np.array([3.0])) == (3.0, -np.inf, np.inf)
    assert mean_interval(np.array([])) == (0.0, -np.inf, np.inf)


@pytest.mark.parametrize(("hits", "total"), [(0, 5), (3, 5), (5, 5), (40, 100)])
def test_a_proportion_has_wilsons_interval(hits, total):
    """The roots of (p - h)^2 = z^2 p(1 - p)/n, which is how the interval is defined."""
    z2, h = stats.norm.ppf(0.975) ** 2, hits / total
    roots = np.sort(np.roots([1 + z2 / total, -(2 * h + z2 / total), h**2]).real)
    np.testing.assert_allclose(proportion(hits, total), (h, *roots), rtol=1e-9, atol=1e-9)


def test_no_trials_say_nothing():
    assert proportion(0, 0) == (0.0, 0.0, 1.0)


def test_the_distance_from_a_table_by_hand():
    """Two runs at each of two places, s = sqrt(2) and 3 sqrt(2): the error of the difference counts both sets of runs."""
    values = np.array([[4.0, 6.0], [10.0, 16.0]])  # means 5 and 13
    found = against_table(values, ["7", "11.0"], 8)
    first = (2 - 0.5) / (np.sqrt(2) * np.sqrt(1 / 2 + 1 / 8))  # "7" may be any number from 6.5 to 7.5
    second = (2 - 0.05) / (3 * np.sqrt(2) * np.sqrt(1 / 2 + 1 / 8))
    assert first > second
    assert found.at == 0
    assert found.distance == pytest.approx(first, rel=1e-12)
    swapped = against_table(values[::-1], ["11.0", "7"], 8)
    assert (swapped.at, swapped.distance) == (1, pytest.approx(first, rel=1e-12))
    assert found.limit == pytest.approx(stats.t.ppf(1 - 0.001 / 4, 1))  # two sides, two places, one degree of freedom
    assert found.holds


@pytest.mark.parametrize(
    ("printed", "beyond"),
    [("5", 0.0), ("5.4", 0.35), ("4.40", 0.595), ("<6", 0.0), ("<4", 1.0), ("5.2e0", 0.15), ("0.9e1", 3.5), ("5e-3", 4.9945)],
)
def test_what_rounding_of_the_printed_number_explains_does_not_count(printed, beyond):
    """One place with mean 5 and deviation sqrt(2): half a unit of the last printed digit is free."""
    values = np.array([[4.0, 6.0]])
    error = np.sqrt(2) * np.sqrt(1 / 2 + 1 / 2)
    assert against_table(values, [printed], 2).distance == pytest.approx(beyond / error, abs=1e-12)


def test_a_diverged_run_is_far_from_the_table():
    found = against_table(np.array([[1.0, np.inf], [1.0, 1.0]]), ["1", "1"], 2)
    assert found.at == 0
    assert np.isfinite(found.distance)
