"""What the smallest records of experiments on given, frozen and flipping gates can tell already."""

import numpy as np
import pytest
from test_experiments import simulated


@pytest.fixture
def record(request):
    return simulated(request.param)[2]


def of(name):
    """In the group of the contract tests of that experiment, so that one worker simulates it once."""
    return pytest.mark.parametrize("record", [pytest.param(name, marks=pytest.mark.xdist_group(name))], indirect=True)


@of("gated-linear")
def test_every_case_is_beside_its_own_solution(record):
    """Noise of SGD is near 0.02 here; solutions for other gates and starts are further off."""
    cases = ["single", "general", "exclusive", "redundant", "scheduled", "moving"]
    assert list(record.case.values) == cases
    np.testing.assert_allclose(record.time, [0.0, 0.2, 0.4, 0.6])
    np.testing.assert_allclose(record.distance.isel(step=0, gain=0), 0.0, atol=1e-12)
    assert record.distance.isel(gain=0).max() < 0.025
    assert record.distance.max() < 0.05
    assert record.loss_distance.max() < 0.02
    switch = record.exact_loss.sel(case="scheduled").isel(gain=0, seed=0).diff("step")
    assert (switch < 0).values.tolist() == [True, False, True]  # other gates from 0.3 on, to which the loss has not been fitted
    np.testing.assert_allclose(record.final, record.exact_final, atol=0.03)
    alone = record.distance.isel(gain=1).isnull().all(("seed", "step"))
    np.testing.assert_array_equal(alone, [case in ("scheduled", "moving") for case in cases])
    np.testing.assert_array_equal(record.ode_distance > 0, [True] * 4 + [False] * 2)
    np.testing.assert_array_equal(record.kept > 0, [case == "redundant" for case in cases])
    np.testing.assert_array_equal(
        record.printed_distance.isel(gain=0, seed=0).max("step") > 1e-3, [False] + [True] * 3 + [False] * 2
    )
