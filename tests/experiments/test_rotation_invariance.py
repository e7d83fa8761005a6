"""The parts of `rotation-invariance` that its contract test does not look at."""

import numpy as np
import pytest
from pydantic import ValidationError

from gatefield.experiments.convolution.rotation_invariance.moments import turned
from gatefield.experiments.convolution.rotation_invariance.ring import RingSettings, ramps, rotate


def test_rotations_go_the_same_way():
    x, _ = ramps(np.random.default_rng(0), 2, RingSettings(positions=7, length=3))
    one_by_one = rotate(np.tile(x[1], (7, 1)), np.arange(7))
    np.testing.assert_array_equal(turned(x), [x[0], *one_by_one])
    assert (one_by_one[2][:5] == x[1][2:]).all()


def test_ramps_rise_or_fall_at_one_place():
    x, y = ramps(np.random.default_rng(1), 2000, RingSettings(positions=12, length=4, noise=0.1))
    rising, falling = x[y > 0].mean(0), x[y < 0].mean(0)
    expected = np.concatenate([[0.25, 0.5, 0.75, 1.0], np.zeros(8)])
    assert abs(rising - expected).max() < 5 * 0.1 / 1000**0.5
    assert abs(falling[:4] - expected[3::-1]).max() < 5 * 0.1 / 1000**0.5


def test_ramps_must_leave_room():
    with pytest.raises(
        ValidationError, match=r"length must be at most half of the 8 positions, .* but is 5; give a smaller one"
    ):
        RingSettings(positions=8, length=5)
