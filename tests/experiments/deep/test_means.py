"""Verdicts on means and variances of a few runs, by hand."""

import numpy as np
import pytest
from depth_records import runs
from scipy import stats

from gatefield.experiments.deep.means import all_near, beside_exact, beside_table, moments


def test_errors_of_moments_by_hand():
    """Distances -2, -1, 0 and 3 from the mean: their fourth powers have the mean 24.5."""
    np.testing.assert_allclose(moments(np.array([1.0, 2.0, 3.0, 6.0]))[1], np.sqrt([14 / 12, (24.5 - (14 / 3) ** 2) / 4]))


def test_errors_of_moments_cover():
    draws = np.random.default_rng(0).exponential(2.0, (400, 500))
    found, error = moments(draws)
    np.testing.assert_allclose(found[7], [draws[7].mean(), ((draws[7] - draws[7].mean()) ** 2).sum() / 499])
    for moment, exact in enumerate((2.0, 4.0)):
        z = (found[:, moment] - exact) / error[:, moment]
        assert 0.85 < np.mean(abs(z) < 2) < 0.99  # 0.95 for large samples; the variance of a skewed law covers a little less


@pytest.mark.parametrize(("beyond", "holds"), [(-0.01, True), (0.01, False)])
def test_means_beside_a_table_and_exact_numbers(beyond, holds):
    limit = stats.t.ppf(1 - 0.001 / 4, 3)
    error = 0.1 * np.sqrt(1 / 4 + 1 / 8)
    values = runs([2.0, 0.3 - 0.005 - (limit + beyond) * error], 0.1)
    found = beside_table("same", values, {2: "2.0", 8: ".30"}, 8)
    assert (found.holds, found.kind, found.predicted) == (holds, "regression", 0)
    assert found.measured == pytest.approx(limit + beyond)
    assert "largest at d = 8" in found.note
    assert found.note.endswith("sd of a run 0.1, 4 runs; the other program .30, 8 runs")
    values = runs([1.0 + (limit + beyond) * 0.05, 0.3], 0.1)
    found = beside_exact("is", values, {4: 1.0, 6: 0.3}, kind="claim")
    assert (found.holds, found.kind, found.predicted) == (holds, "claim", 0)
    assert found.measured == pytest.approx(limit + beyond)
    assert found.note == "4 runs, 2 depths; largest at d = 4"


@pytest.mark.parametrize(("beyond", "holds"), [(-0.01, True), (0.01, False)])
def test_distances_in_standard_errors(beyond, holds):
    limit = stats.norm.isf(0.001 / 6)
    found = all_near("near", np.array([0.1, limit + beyond, 0.2]))
    assert (found.holds, found.measured, found.predicted) == (holds, pytest.approx(limit + beyond), 0)
