"""What the tests of the depth experiments share: runs of known mean and deviation, and error bars."""

import numpy as np


def runs(mean, deviation, count=4):
    """An even number of values with that mean and standard deviation, along a new last axis."""
    mean, deviation = np.broadcast_arrays(mean, deviation)
    pattern = np.tile([-1.0, 1.0], count // 2) * np.sqrt((count - 1) / count)
    return mean[..., None] + deviation[..., None] * pattern


def assert_bars(container, x, y, low, high):
    """Dots, and bars from `low` to `high`."""
    dots, _, (bars,) = container
    if dots is not None:
        np.testing.assert_allclose(dots.get_xydata(), np.transpose([x, y]))
    ends = np.array([segment[:, 1] for segment in bars.get_segments()])
    np.testing.assert_allclose(ends, np.transpose([low, high]))
    np.testing.assert_allclose([segment[0, 0] for segment in bars.get_segments()], x)
