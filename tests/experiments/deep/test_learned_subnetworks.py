"""Verdicts, figure and kernels of `learned-subnetworks`."""

import digit_records as records
import numpy as np
import pytest
from made_up import made_up_data

from gatefield.experiments.deep.digits.pair import Digits
from gatefield.experiments.deep.learned_subnetworks import NETS, Settings, experiment
from gatefield.lab import headline


def made():
    return records.made(["galu", "relu"], ("loss", "test_accuracy", "nu", "trace", "least", "nu_tangent"))


def test_nu_of_the_path_kernel_falls_and_is_below_that_of_frozen_gates():
    records.assert_falls(experiment, made(), "ν of M falls", net="relu")
    records.assert_smaller(experiment, made(), "is below that of frozen", "relu", "galu")
    records.assert_generalises(experiment, made(), "is right on more test digits", "relu", "galu")
    assert [verdict.kind for verdict in experiment.verdicts(made())] == ["claim", "prediction", "claim"]


def test_figure_shows_both_kernels():
    record = made()
    drawn = experiment.figure(record)
    paths, accuracy, loss, tangent = drawn.axes
    records.assert_curves(loss, record.loss, NETS)
    records.assert_curves(accuracy, 100 * record.test_accuracy, NETS, start=1)
    records.assert_curves(paths, record.nu, NETS)
    records.assert_curves(tangent, record.nu_tangent, NETS)
    assert [axes.get_ylabel() for axes in (paths, tangent)] == [r"$\nu$ of $M$ with trace one", r"$\nu$ of $K$ with trace one"]


@pytest.mark.slow
def test_nu_is_that_of_open_paths_which_stay_open_behind_frozen_gates():
    """M(s, s') = <x, x'> times, layer by layer, the number of units that are open for both."""
    small = {**records.SMALL, "ridge": 0.1, "width": 8, "learning_rate": 0.02}
    record, bench = records.simulated(experiment, **small)
    with made_up_data():
        probe = Digits(Settings(**small)).probe
    x, (rows, columns) = probe.x.astype(float), np.triu_indices(6)
    for seed in range(2):
        M, values = x @ x.T, x
        for weights in bench.nets["relu"].weights[:-1]:
            values = np.maximum(values @ np.asarray(weights[seed]), 0)
            M = M * ((values > 0).astype(float) @ (values > 0).T)
        K = np.zeros((6, 6))
        K[rows, columns] = K[columns, rows] = bench.records["relu"].tangent.values[seed, 0]
        for name, kernel in (("nu", M), ("nu_tangent", K)):
            nu = probe.y @ np.linalg.solve(kernel / np.trace(kernel) + 0.1 * np.eye(6) / 6, probe.y)
            np.testing.assert_allclose(record[name].sel(net="relu").values[seed, 0], nu, rtol=1e-4)
    frozen, free = (record.nu.sel(net=net).values for net in ("galu", "relu"))
    np.testing.assert_allclose(frozen[:, 0], frozen[:, -1], rtol=1e-12)
    assert not np.allclose(free[:, 0], free[:, -1], rtol=1e-3)


def test_the_numbers_of_the_headline_stand_in_the_panels():
    record = records.decided(made(), "relu", "galu")
    record.nu_tangent[:] = 0.5
    assert headline("?", experiment.verdicts(record)) == (
        "Training aligns open paths of ReLU with the labels (ν of M: 9,000 to 1,331); "
        "ReLU beats frozen gates by 1.00 points on test digits"
    )
    paths, accuracy, _, tangent = experiment.figure(record).axes
    assert accuracy.get_title(loc="left") == "(b) test set: ReLU +1.00 points"
    assert sorted(text.get_text() for text in paths.texts) == ["1,331", "2,534", "9,000"]
    assert [text.get_text() for text in tangent.texts] == ["0.5", "0.5"]
