"""The predictors of `where` and the counting of hits."""

import numpy as np
import pytest
import xarray as xr
from scipy.integrate import solve_ivp

from gatefield.core.intervals import Interval
from gatefield.data import NonlinearGP
from gatefield.experiments.gates.where.hits import rate
from gatefield.experiments.gates.where.predictors import CHOSEN, PREDICTORS, TOGETHER, closure_end, committee_end, predict
from gatefield.theory import closure

N, GAINS = 8, np.array([1.0, np.inf])
COV1, COV0 = (NonlinearGP(N, xi, GAINS).covariance() for xi in (2.0, 1.0))
STARTS = np.random.default_rng(0).normal(size=(2, 3, N)) / 3


@pytest.mark.parametrize(("setting", "gain"), [(0, 0.0), (0, 1.0), (1, np.inf)])
def test_flows_against_an_adaptive_solver(setting, gain):
    """At gain 0 with the drift of Gaussian data, written out."""

    def velocity(_: float, w: np.ndarray) -> np.ndarray:
        a = COV1[setting] @ w / np.sqrt(w @ COV1[setting] @ w)
        pull = closure.amplifier(a, gain) if gain else a / np.sqrt(2 * np.pi)
        return np.asarray(pull / 2 - (COV0 + COV1)[setting] @ w / 4)

    path = solve_ivp(velocity, (0.0, 10.0), STARTS[setting, 0], method="LSODA", rtol=1e-7, atol=1e-8)
    found = np.asarray(closure_end(STARTS, COV1, COV0, [gain, gain], 10.0))[setting, 0]
    np.testing.assert_allclose(found, path.y[:, -1], atol=2e-5)


def test_predictors_are_the_named_fields():
    """Three units of one committee, each also as a neuron alone; flows run for 10, 100 and 3 * 40 tau."""
    guesses = {name: fields[:, 0] for name, fields in predict(STARTS[:, None], COV1, COV0, GAINS).items()}
    gaussian = closure_end(STARTS, COV1, COV0, [0.0, 0.0], 10.0)
    together = committee_end(STARTS[:, None], COV1, COV0, 40.0)[:, 0]
    expected = {
        "w0": STARTS,
        CHOSEN: _filtered(STARTS),
        "S1^2 w0": _filtered(_filtered(STARTS)),
        "S1 x Gaussian flow": _filtered(gaussian),
        "closure flow": closure_end(STARTS, COV1, COV0, GAINS, 100.0),
        TOGETHER: _filtered(together),
    }
    assert list(guesses) == list(PREDICTORS) == list(expected)
    for name, fields in expected.items():
        np.testing.assert_allclose(guesses[name], fields, atol=2e-5, err_msg=name)


def _filtered(fields):
    return np.einsum("sij,sfj->sfi", COV1, fields)


def test_committee_of_equal_units_flows_as_a_neuron_alone():
    """And one of different units does not, though it starts with the same fields."""
    alone = closure_end(STARTS, COV1, COV0, [0.0, 0.0], 10.0)
    equal = committee_end(np.repeat(STARTS[:, :, None], 2, axis=2), COV1, COV0, 10.0)
    np.testing.assert_allclose(equal, np.repeat(alone[:, :, None], 2, axis=2), atol=2e-5)
    assert np.abs(committee_end(STARTS[:, None], COV1, COV0, 10.0)[:, 0] - alone).max() > 0.01


def test_wilson_interval():
    """By its definition: both ends p solve (k/N - p)^2 = z^2 p (1 - p)/N."""
    hit = xr.DataArray(np.arange(40)[:, None] < 31, dims=("seed", "unit"))
    found = rate(hit, xr.ones_like(hit))
    for end in (found.low, found.high):
        assert (31 / 40 - end) ** 2 == pytest.approx(1.959964**2 * end * (1 - end) / 40, rel=1e-5)


def test_units_that_do_not_count_are_left_out():
    hit = xr.DataArray([[True], [False], [True]], dims=("seed", "unit"))
    assert rate(hit, xr.DataArray([[True], [False], [True]], dims=("seed", "unit"))).mean == 1.0
    assert rate(hit, xr.zeros_like(hit)) == Interval(0.0, 0.0, 1.0)
