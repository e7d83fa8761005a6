"""What is killed, and where, is counted out, not drawn."""

import collections

import kills
import pytest
import sweeps


@pytest.mark.parametrize("worker", [0, 1])
def test_a_third_of_the_kills_are_placed(worker):
    cases = range(worker, 96, 2)
    assert sum(map(kills.is_placed, cases)) == len(cases) / 3


@pytest.mark.parametrize("worker", [0, 1])
@pytest.mark.parametrize("count", [40, sweeps.KILLS])
def test_each_kind_of_process_gets_its_share(worker, count):
    mine = collections.Counter(map(sweeps.victim_of, range(worker, count, 2)))
    assert mine == {"worker": 0.3 * count, "scheduler": 0.1 * count, "driver": 0.1 * count}
