"""What the smallest records of experiments on given, frozen and flipping gates can tell already."""

import numpy as np
import pytest
from test_experiments import simulated

from gatefield.data import NonlinearGP


@pytest.fixture
def record(request):
    return simulated(request.param)[2]


def of(name):
    """In the group of the contract tests of that experiment, so that one worker simulates it once."""
    return pytest.mark.parametrize("record", [pytest.param(name, marks=pytest.mark.xdist_group(name))], indirect=True)


@of("gated-linear")
def test_every_case_is_beside_its_own_solution(record):
    """Noise of SGD is near 0.02 here, and up to 0.04; solutions for other gates and starts are further off."""
    cases = ["single", "general", "exclusive", "redundant", "scheduled", "moving"]
    assert list(record.case.values) == cases
    np.testing.assert_allclose(record.time, [0.0, 0.2, 0.4, 0.6])
    np.testing.assert_allclose(record.distance.isel(step=0, gain=0), 0.0, atol=1e-12)
    assert record.distance.isel(gain=0).max() < 0.04
    assert record.distance.max() < 0.05
    assert record.loss_distance.max() < 0.04
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


@of("gated-linear")
def test_the_moving_gate_comes_back_to_its_first_direction(record):
    """There L = 1/4 + w'Aw/2 - b'w with A = (C1 + C0)/4 and b half of the mean input of the positive class where it is open."""
    cov1, cov0 = (np.asarray(NonlinearGP(10, xi, 0.0).covariance(), float) for xi in (2.0, 1.0))
    v = np.cos(2 * np.pi * np.arange(10) / 10)
    b = cov1 @ v / np.sqrt(2 * np.pi * v @ cov1 @ v) / 2
    one = record.sel(case="moving").isel(gain=0)
    for name, field in (("loss", one.final), ("exact_loss", one.exact_final)):
        w = field.values[0].astype(float)
        loss = 0.25 + w @ (cov1 + cov0) @ w / 8 - b @ w
        np.testing.assert_allclose(one[name].values[0, -1], loss, rtol=1e-5)


@of("gates-to-relu")
def test_the_limit_behind_gates_beats_the_network_that_has_them(record):
    """Exactly so on Gaussian data; on a sample the limit is fitted to another one than that of the losses."""
    gaussian = record.isel(gain=0)
    assert (gaussian.limit_loss < gaussian.own_loss).all()
    np.testing.assert_allclose(record.own_match.isel(step=-1), 1.0)
    assert (record.limit_match.isel(step=-1) != record.wrong_match).all()
    assert (gaussian.wrong_loss < 0.25).all()
    np.testing.assert_allclose(record.time, 0.05 * record.step)
    assert record.step[-1] == 40


@of("gate-stability")
def test_runs_of_a_seed_have_the_same_gates_at_first(record):
    """Rates differ by 50 times: so do the flips of the first interval, about; the slow runs begin nearer to their ends."""
    flips = (1 - record.gaussian_stability).isel(interval=0).mean(("seed", "unit"))
    assert (flips.isel(rate=1) > 10 * flips.isel(rate=0)).all()
    assert (record.likeness.isel(mark=0, rate=0) > record.likeness.isel(mark=0, rate=1)).mean() > 0.9
    np.testing.assert_allclose(record.ipr.isel(mark=0), np.broadcast_to(record.ipr.isel(mark=0, rate=0, gain=0), (2, 2, 2, 2)))


@of("self-consistency")
def test_modes_shrink_by_the_ratio_of_their_spectra(record):
    """D = 1 + lambda0/lambda1 of the winning mode over that of mode k; the losses of the map fall."""
    cov = {xi: np.asarray(NonlinearGP(12, xi, 0.0).covariance(), float)[0] for xi in (1.0, 2.0)}
    power = {xi: np.fft.rfft(row).real for xi, row in cov.items()}
    D = np.array([1 + power[1.0] / power[2.0], 1 + power[2.0] / power[1.0]])
    np.testing.assert_allclose(record.multiplier_theory, D.min(1, keepdims=True) / D, rtol=1e-6)
    np.testing.assert_allclose(record.multiplier, record.multiplier_theory, rtol=1e-6)
    assert record.rise.max() < 1e-7
    assert (record.loss <= record.flat_loss + 1e-7).sel(order="long").all()


@of("self-consistency")
def test_sgd_starts_where_the_map_starts(record):
    """After 4 tau both have gone in the same direction from random starts, and flow and SGD are near to each other."""
    assert record.sgd_flow.isel(gain=0).min() > 0.9
    assert list(record.kind.values[:4]) == ["random"] * 3 + ["site"]
    np.testing.assert_allclose(record.site_state.sum("position"), [[2 / 3] * 2, [1 / 3] * 2], atol=0.15)
