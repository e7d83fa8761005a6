"""Ends of long trainings, and the exact states that they are."""

import numpy as np
import xarray as xr

from gatefield.experiments.ends import settled
from gatefield.experiments.few_sites import head, reached


def made(*late):
    """Runs of 32 records each, the last 8 of which are given; what comes before must not count."""
    fields = np.stack([np.concatenate([np.full((24, 6), 9.0), each]) for each in late])
    return xr.DataArray(fields, dims=("seed", "step", "position"), coords={"time": ("step", np.arange(32.0))})


def test_the_end_is_a_mean_if_the_field_stays():
    noise = 0.01 * np.random.default_rng(0).normal(size=(8, 6))
    stays, moves = np.eye(6)[2] + noise, np.eye(6)[[0, 0, 0, 1, 1, 1, 2, 2]] + noise
    ends = settled(made(stays, moves))
    np.testing.assert_allclose(ends.fields, np.stack([stays.mean(0), moves[-1]]))
    assert ends.fields.dims == ("seed", "position")


def test_noise_is_that_of_single_records():
    noise = 0.01 * np.random.default_rng(0).normal(size=(8, 6))
    stays, moves = np.eye(6)[2] + noise, np.eye(6)[[0, 0, 0, 1, 1, 1, 2, 2]] + noise
    squares = [((each - each.mean(0)) ** 2).sum() / 7 for each in (stays, moves)]
    ends = settled(made(stays, moves))
    np.testing.assert_allclose(ends.noise, [squares[0] / (stays.mean(0) ** 2).sum(), squares[1] / (moves[-1] ** 2).sum()])
    np.testing.assert_array_equal(ends.records, [8, 1])


def test_an_end_is_the_state_that_it_is_like_up_to_shift_and_sign():
    rng = np.random.default_rng(0)
    there = xr.DataArray(np.ones((2, 2), bool), dims=("ratio", "sites"))
    known = xr.Dataset(
        {"state": ((*there.dims, "position"), rng.normal(size=(2, 2, 12))), "state_exists": there}, {"sites": [1, 3]}
    )
    other = rng.normal(size=12)
    ends = np.stack([[np.roll(-2 * each[1], 5), each[0], other] for each in known.state.values])
    np.testing.assert_array_equal(reached(ends, known), [[3, 1, 0], [3, 1, 0]])
    gone = known.assign(state_exists=known.state_exists & (known.sites == 3))
    np.testing.assert_array_equal(reached(ends, gone), [[3, 0, 0], [3, 0, 0]])


def test_heads_alternate():
    np.testing.assert_array_equal(head(8, 5), [0, 0, 1, -1, 1, -1, 1, 0])
