"""How cost grows: the fit against SciPy's, and ladders of known work."""

import numpy as np
import pytest
from scipy import stats

from gatefield.speed import Contestant, Ladder, grow
from gatefield.speed import growth as module
from gatefield.speed.cases import growth as cases
from gatefield.speed.growth import slope
from gatefield.speed.rounds import Rounds


def test_the_slope_and_its_error_are_those_of_a_linear_regression():
    sizes, times = [10, 30, 50, 200], [1.0, 7.0, 9.0, 100.0]
    expected = stats.linregress(np.log(sizes), np.log(times))
    found = slope(sizes, times)
    np.testing.assert_allclose(found, (expected.slope, expected.stderr), rtol=1e-12)  # pyright: ignore[reportAttributeAccessIssue]


def test_the_exponent_is_that_of_times_per_unit(monkeypatch):
    wall = {"10": np.array([1.0, 9.0, 1.0]), "100": np.array([10.0, 10.0, 90.0]), "1000": np.array([100.0, 100.0, 100.0])}
    monkeypatch.setattr(module, "rounds", lambda *_: Rounds(wall, wall))
    ladder = Ladder("work", "n", "step", (10, 100, 1000), lambda n: Contestant("", lambda: 0, n), 0.0, "nothing")
    found = grow(ladder, 3, np.random.default_rng(0))
    assert [one.median for one in found.ms] == [100.0, 100.0, 100.0]
    assert (found.exponent, found.error) == (pytest.approx(0, abs=1e-9), pytest.approx(0, abs=1e-9))


def test_quick_ladders_have_the_smallest_sizes_and_three_of_them():
    whole, quick = list(cases.entries(False)), list(cases.entries(True))
    assert [one.sizes[:3] for one in whole] == [one.sizes for one in quick]
    assert max(whole[0].sizes) == 4096


WORK = {
    "committee": lambda: cases.sgd(8, 2, 10, steps=2),
    "deep": lambda: cases.sgd(8, hidden=[4, 4], batch=10, steps=2),
    "kernel": lambda: cases.kernel(3, 4, 5),
    "path": lambda: cases.path(6),
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_the_work_of_each_ladder_runs(work):
    assert work().call() is not None
