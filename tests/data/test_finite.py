"""Laws of finitely many points: what is drawn, run by run, and what is refused."""

import jax
import numpy as np
import pytest

from gatefield import UserError
from gatefield.data import Finite, SinglePulse, Task
from gatefield.experiments.together import listed

POINTS = np.array([[1.0, 0.0], [0.0, 2.0], [5.0, 5.0]])


def test_points_come_as_often_as_is_said():
    x = np.asarray(Finite(POINTS, [0.7, 0.3, 0.0]).sample(jax.random.key(0), 20_000))
    first = (x == POINTS[0]).all(axis=1)
    assert abs(first.mean() - 0.7) < 5 * np.sqrt(0.21 / 20_000)
    assert (x[~first] == POINTS[1]).all()  # the last has probability 0


def test_each_run_has_its_own_points_and_equal_ones_are_the_default():
    both = Finite(np.stack([POINTS, -POINTS]))
    np.testing.assert_allclose(both.mean(), [POINTS.mean(0), -POINTS.mean(0)])
    x = np.asarray(both.sample(jax.random.key(0), 50))
    np.testing.assert_array_equal(x[0], -x[1])  # the same key for all runs


def test_pulses_listed_as_runs_are_those_pulses():
    wide, narrow = SinglePulse(6, (3, 4), complement=True), SinglePulse(6, (1, 1))
    task = listed([Task(wide, narrow), Task(narrow, wide)], repeats=2)
    for side, first, second in ((task.positive, wide, narrow), (task.negative, narrow, wide)):
        expected = [source.covariance() for source in (first, first, second, second)]
        np.testing.assert_allclose(side.covariance(), expected, atol=1e-12)
        np.testing.assert_allclose(side.mean(), [source.mean() for source in (first, first, second, second)], atol=1e-12)


@pytest.mark.parametrize(
    ("points", "probabilities", "words"),
    [
        ([1.0, 2.0], None, r"points must be inputs \(points, n\), one per row, but have shape \(2,\)"),
        (POINTS, [0.5, 0.5], "probabilities must be one for each point"),
        (POINTS, [0.5, 0.6, 0.1], "must have the sum 1, but it is 1.2"),
        (POINTS, [1.5, -0.5, 0.0], "probabilities must be zero or more and finite, but is -0.5"),
        (POINTS * np.nan, None, "points must be"),
    ],
)
def test_what_is_no_law_is_refused(points, probabilities, words):
    with pytest.raises(UserError, match=words):
        Finite(points, probabilities)
