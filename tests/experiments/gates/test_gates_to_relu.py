"""When `gates-to-relu` holds the final field to be known."""

import numpy as np

from gatefield.experiments.gates.gates_to_relu.verdicts import known_from


def test_known_from_counts_only_the_last_rise():
    time = np.array([0.0, 1.0, 10.0, 100.0])
    assert known_from(time, np.array([1.0, 0.2, 1.0, 1.0])) > 1.0
    assert known_from(time, np.array([0.0, 0.0, 0.0, 0.5])) == 100.0
    assert known_from(time, np.ones(4)) == 0.0
